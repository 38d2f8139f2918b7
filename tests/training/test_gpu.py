"""What a GPU compiles is one graph and gives the same numbers, and no step makes it wait; seen here without one."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch._dynamo.exc import TorchDynamoException
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from vitviz.data.datasets import CIFAR10
from vitviz.models.factory import create_model
from vitviz.runs.training_run import TrainingRun
from vitviz.training.config import TrainingError
from vitviz.training.data import vary
from vitviz.training.distributed import Distributed
from vitviz.training.presets import get_preset

FLAGSHIP = get_preset("cifar10-s4")


@pytest.mark.slow
@pytest.mark.parametrize("mixing", [True, False])
def test_the_flagships_variation_compiles_whole(mixing):
    images, labels = torch.randint(0, 256, (30, 3, 32, 32), dtype=torch.uint8), torch.arange(30) % 10
    compiled = torch.compile(vary, backend="eager", fullgraph=True, dynamic=False)
    torch.manual_seed(0)
    expected = vary(FLAGSHIP, CIFAR10, images, labels, mixing)
    torch.manual_seed(0)
    torch.testing.assert_close(compiled(FLAGSHIP, CIFAR10, images, labels, mixing), expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cifar10-s4", "cifar10-teacher"])
def test_the_networks_for_a_gpu_compile_whole_with_their_gradients(name):
    model = create_model(replace(get_preset(name).model, embed_dim=32, depth=2, mlp_ratio=1.5))
    images = torch.randn(4, 3, 32, 32)
    torch.nn.init.normal_(model.head.weight)
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True, dynamic=False)
    found = []
    for network in (model, compiled):
        torch.manual_seed(0)  # of the branches that are skipped
        logits = network(images)
        logits.square().sum().backward()
        found.append((logits.detach(), {name: weight.grad for name, weight in model.named_parameters()}))
        model.zero_grad()
    torch.testing.assert_close(found[1], found[0])


class Watch(TorchDispatchMode):
    """Notes all operations, and those that copy from one device to another."""

    def __init__(self) -> None:
        super().__init__()
        self.operations: set[str] = set()
        self.crossings: list[str] = []

    def __torch_dispatch__(self, operation: Any, types: Any, given: Any = (), named: Any = None) -> Any:
        result = operation(*given, **(named or {}))
        devices = {leaf.device.type for leaf in tree_leaves((given, named, result)) if isinstance(leaf, torch.Tensor)}
        self.operations.add(str(operation))
        if len(devices) > 1:
            self.crossings.append(str(operation))
        return result


@pytest.mark.usefixtures("no_clock")
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("cifar10-s4", {}),
        ("cifar10-s4", {"objective": "masked-patch"}),
        ("cifar10-s4", {"patch_keep_start": 0.5, "patch_keep_end": 0.5, "patch_dropout_until": 0.8}),
        ("cifar10-teacher", {}),
    ],
)
def test_no_step_makes_the_device_wait(monkeypatch, name, changes):
    real = torch.optim.AdamW

    def not_fused(*given: Any, fused: bool, **named: Any) -> torch.optim.Optimizer:
        return real(*given, **named)  # the fused one refuses a device that only pretends

    monkeypatch.setattr(torch.optim, "AdamW", not_fused)
    distributed = Distributed()
    distributed.device = torch.device("meta")  # reading a number from it is an error, so no step can ask it for one
    images = (
        torch.empty(60, 3, 32, 32, dtype=torch.uint8, device="meta"),
        torch.empty(60, dtype=torch.long, device="meta"),
    )
    config = replace(get_preset(name), num_snapshots=0, compile=False, batch_size=30, **changes)
    run = TrainingRun(config, distributed, images, images)
    first, second = run.batches()
    with Watch() as watch:
        run.step(first)
        run.step(second)
        assert watch.crossings == []
        torch.zeros(1).to("meta")
    assert watch.crossings == ["aten._to_copy.default"], "it would have been seen"
    assert "aten.randperm.default" not in watch.operations, "indexing by it does not compile in torch 2.11"


@pytest.fixture
def compiled(monkeypatch) -> list[tuple[str, bool]]:
    """What would be compiled is only watched: each call, of "vary" or the "network", and whether it drops patches."""
    calls: list[tuple[str, bool]] = []

    def watch(function: Any, dynamic: bool) -> Any:
        assert not dynamic

        def watched(*given: Any) -> Any:
            kind = "vary" if function is vary else "network"
            calls.append((kind, kind == "network" and given[1] is not None))
            return function(*given)

        return watched

    monkeypatch.setattr(torch, "compile", watch)
    return calls


def small_run(config) -> TrainingRun:
    images = torch.randint(0, 256, (50, 3, 32, 32), dtype=torch.uint8)
    images = images, torch.arange(50) % 10
    return TrainingRun(replace(config, batch_size=25, num_snapshots=0, device="cpu"), Distributed(), images, images)


@pytest.mark.usefixtures("no_clock")
def test_the_network_is_compiled_for_all_patches_and_not_for_each_number_of_them(compiled):
    run = small_run(get_preset("cifar10-ti4"))
    run.trainer.compile([run.shard(torch.arange(25))])
    ways = {kind: [drops for other, drops in compiled if other == kind] for kind in ("vary", "network")}
    assert len(ways["vary"]) == 3, "at the start, without mixing, and with all patches"
    assert ways["network"] == [False, False], "of these three only where no patch is dropped"
    assert all(weight.grad is None for weight in run.trainer.training_module.parameters())
    compiled.clear()
    run.step(next(run.batches()))
    assert compiled == [("vary", False)]
    run.progress = 0.9
    run.step(next(run.batches()))
    assert compiled == [("vary", False), ("vary", False), ("network", False)]


@pytest.mark.usefixtures("no_clock")
def test_a_network_that_does_not_compile_is_told_with_what_helps(monkeypatch):
    def fail(*given: Any) -> None:
        raise TorchDynamoException("Failed to find C compiler.\nIt is needed.")

    monkeypatch.setattr(torch, "compile", lambda function, dynamic: fail)
    run = small_run(get_preset("cifar10-s4"))
    with pytest.raises(TrainingError, match=r"this GPU: Failed to find C compiler\..* with --set compile=false"):
        run.trainer.compile([run.shard(torch.arange(25))])
