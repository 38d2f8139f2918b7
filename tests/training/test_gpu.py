"""Training on a GPU, tested without one: whole graphs compile to the same numbers, and no step synchronizes."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch._dynamo.exc import TorchDynamoException
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from vitviz.data.datasets import CIFAR10
from vitviz.errors import TrainingError
from vitviz.models.factory import create_model
from vitviz.training.config import TrainConfig, replace_fields
from vitviz.training.data import TrainingData, augment
from vitviz.training.distributed import Distributed
from vitviz.training.loop import TrainingLoop
from vitviz.training.presets import get_preset

GPU_PRESET = get_preset("cifar10-s4")


def small_preset(name: str, **changes: Any) -> TrainConfig:
    """Return a preset with a network of two small blocks and without a timeline."""
    config = get_preset(name)
    return replace_fields(config, model=replace(config.model, embed_dim=48, depth=2), num_snapshots=0, **changes)


@pytest.mark.slow
@pytest.mark.parametrize("mix", [True, False])
def test_augmentation_compiles_to_one_graph(mix):
    images, labels = torch.randint(0, 256, (30, 3, 32, 32), dtype=torch.uint8), torch.arange(30) % 10
    compiled = torch.compile(augment, backend="eager", fullgraph=True, dynamic=False)
    torch.manual_seed(0)
    expected = augment(GPU_PRESET, CIFAR10, images, labels, mix)
    torch.manual_seed(0)
    torch.testing.assert_close(compiled(GPU_PRESET, CIFAR10, images, labels, mix), expected)


@pytest.mark.slow
def test_the_network_compiles_to_one_graph_with_the_same_gradients():
    model = create_model(replace(GPU_PRESET.model, embed_dim=32, depth=2, mlp_ratio=1.5))
    images = torch.randn(4, 3, 32, 32)
    torch.nn.init.normal_(model.head.weight)
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True, dynamic=False)
    found = []
    for network in (model, compiled):
        torch.manual_seed(0)  # of stochastic depth
        logits = network(images)
        logits.square().sum().backward()
        found.append((logits.detach(), {name: weight.grad for name, weight in model.named_parameters()}))
        model.zero_grad()
    torch.testing.assert_close(found[1], found[0])


class Recorder(TorchDispatchMode):
    """Records all operations, and those that copy between devices."""

    def __init__(self) -> None:
        super().__init__()
        self.operations: set[str] = set()
        self.copies: list[str] = []

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = operation(*args, **(kwargs or {}))
        devices = {leaf.device.type for leaf in tree_leaves((args, kwargs, result)) if isinstance(leaf, torch.Tensor)}
        self.operations.add(str(operation))
        if len(devices) > 1:
            self.copies.append(str(operation))
        return result


@pytest.mark.usefixtures("no_clock")
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("cifar10-s4", {}),
        ("cifar10-s4", {"objective": "mae"}),
        ("cifar10-s4", {"patch_keep_start": 0.5, "patch_keep_end": 0.5, "patch_dropout_until": 0.8}),
    ],
)
def test_no_step_synchronizes_with_the_device(monkeypatch, name, changes):
    real = torch.optim.AdamW

    def not_fused(*args: Any, fused: bool, **kwargs: Any) -> torch.optim.Optimizer:
        return real(*args, **kwargs)  # the fused one does not support the meta device

    monkeypatch.setattr(torch.optim, "AdamW", not_fused)
    distributed = Distributed()
    distributed.device = torch.device("meta")  # has no values: reading one raises an error
    images = (
        torch.empty(60, 3, 32, 32, dtype=torch.uint8, device="meta"),
        torch.empty(60, dtype=torch.long, device="meta"),
    )
    config = small_preset(name, compile=False, batch_size=30, **changes)
    run = TrainingLoop(config, distributed, TrainingData(CIFAR10, images, images))
    first, second = run.batches()
    with Recorder() as recorder:
        run.step(first)
        run.step(second)
        assert recorder.copies == []
        torch.zeros(1).to("meta")
    assert recorder.copies == ["aten._to_copy.default"], "the recorder sees copies"
    assert "aten.randperm.default" not in recorder.operations, "indexing by it does not compile in torch 2.11"


@pytest.fixture
def compiled(monkeypatch) -> list[tuple[str, bool]]:
    """Record calls of compiled functions: "augment" or "network", and whether patches are dropped; compile nothing."""
    calls: list[tuple[str, bool]] = []

    def record(function: Any, dynamic: bool) -> Any:
        assert not dynamic

        def recorded(*args: Any) -> Any:
            kind = "augment" if function is augment else "network"
            calls.append((kind, kind == "network" and args[1] is not None))
            return function(*args)

        return recorded

    monkeypatch.setattr(torch, "compile", record)
    return calls


def small_run(config: TrainConfig) -> TrainingLoop:
    images = torch.randint(0, 256, (50, 3, 32, 32), dtype=torch.uint8)
    images = images, torch.arange(50) % 10
    config = replace(config, batch_size=25, device="cpu")
    return TrainingLoop(config, Distributed(), TrainingData(CIFAR10, images, images))


@pytest.mark.usefixtures("no_clock")
def test_the_network_is_compiled_for_all_patches_only(compiled):
    run = small_run(small_preset("cifar10-ti4"))
    run.compile()
    drops = {kind: [dropped for other, dropped in compiled if other == kind] for kind in ("augment", "network")}
    assert len(drops["augment"]) == 3, "at the start, without mixing, and with all patches"
    assert drops["network"] == [False, False], "of these three only those with all patches"
    assert all(weight.grad is None for weight in run.training_module.parameters())
    compiled.clear()
    run.step(run.batches()[0])
    assert compiled == [("augment", False)]
    run.progress = 0.9
    run.step(run.batches()[0])
    assert compiled == [("augment", False), ("augment", False), ("network", False)]


@pytest.mark.usefixtures("no_clock")
def test_a_failed_compilation_is_reported_with_a_remedy_and_its_cause(monkeypatch):
    cause = TorchDynamoException("Failed to find C compiler.\nIt is needed.")

    def fail(*args: Any) -> None:
        raise cause

    monkeypatch.setattr(torch, "compile", lambda function, dynamic: fail)
    run = small_run(small_preset("cifar10-s4"))
    with pytest.raises(TrainingError, match=r"this GPU: .*: Failed to find C compiler\..* Turn compile off\.") as found:
        run.compile()
    assert found.value.__cause__ is cause
