"""Device, precision and memory of a training process."""

import platform
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tests import tiny
from tests.errors import refuses
from vitviz.errors import TrainingError
from vitviz.models.factory import create_model
from vitviz.models.vit import set_fused_attn
from vitviz.training import device
from vitviz.training.device import (
    choose_device,
    is_bfloat16_faster,
    is_fused_attention_faster,
    largest_activation,
    largest_allocation,
    report_out_of_memory,
)
from vitviz.training.distributed import Distributed
from vitviz.training.optim import create_optimizers
from vitviz.training.presets import get_preset

TOO_LARGE = 2**60  # bytes, more than any machine has


@pytest.mark.parametrize("supported", [True, False])
def test_a_gpu_uses_bfloat16_only_with_hardware_support(monkeypatch, supported):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: supported or including_emulation)
    assert is_bfloat16_faster(torch.device("cuda")) == supported


@pytest.mark.parametrize("factor", [0.5, 0.9])
def test_a_cpu_uses_bfloat16_if_its_products_are_clearly_faster_after_warmup(monkeypatch, factor):
    warmup = iter([50.0, 10.0])

    def time_call(call, where):
        return next(warmup, factor if call.args[0].dtype == torch.bfloat16 else 1.0)

    monkeypatch.setattr(device, "time_call", time_call)
    assert is_bfloat16_faster(torch.device("cpu")) == (factor == 0.5)


@pytest.mark.parametrize("slower", [True, False])
def test_fused_attention_is_faster_if_its_steps_are(monkeypatch, slower):
    monkeypatch.setattr(device, "time_call", lambda call, where: call() or 2.0 - (call.args[0] is slower))
    is_fused_attention_faster.cache_clear()
    assert is_fused_attention_faster(tiny.CONFIG, 6, 0.5, True, torch.device("cpu")) == slower
    tutorial = replace(tiny.CONFIG, architecture="tutorial-notebook")
    assert not is_fused_attention_faster(tutorial, 6, 0.5, True, torch.device("cpu"))


def test_a_missing_gpu_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with refuses("device"):
        choose_device("cuda")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with refuses("device"):
        choose_device("mps")
    assert choose_device("auto") == choose_device("cpu") == torch.device("cpu")


def test_the_gpu_of_apple_is_used_on_request(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert (choose_device("mps"), choose_device("auto")) == (torch.device("mps"), torch.device("cpu"))


def test_each_process_uses_its_own_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_device("auto", 1) == torch.device("cuda", 1)
    with refuses("device"):
        choose_device("auto", 2)


@pytest.mark.parametrize("error", [MemoryError(), torch.OutOfMemoryError("CUDA out of memory.")])
def test_an_out_of_memory_error_becomes_a_training_error_with_its_cause(error):
    with pytest.raises(TrainingError, match="Use less") as found, report_out_of_memory("Use less.", needed=1):
        raise error
    assert found.value.__cause__ is error


@pytest.mark.parametrize("error", [ImportError("partially initialized module"), SystemError("no exception set")])
def test_a_late_import_that_fails_counts_if_memory_ran_out(error):
    with pytest.raises(TrainingError, match="Use less"), report_out_of_memory("Use less.", needed=TOO_LARGE):
        raise error
    with pytest.raises(type(error)), report_out_of_memory("Use less.", needed=1):
        raise error


FREED = """
import resource
import torch
from vitviz.malloc import keep_freed_memory
from vitviz.training.device import can_allocate
keep_freed_memory()
kept = torch.empty(2**26, dtype=torch.uint8)
del kept
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**23,) * 2)
torch.empty(2**25, dtype=torch.uint8)
print(can_allocate(2**25), can_allocate(2**20))
"""


@pytest.mark.skipif(platform.system() != "Linux", reason="the limit is that of Linux")
def test_memory_that_was_freed_and_is_kept_cannot_be_allocated_elsewhere():
    found = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout == "False True\n"


def test_a_failed_cpu_allocation_becomes_a_training_error():
    with pytest.raises(TrainingError, match="Use less"), report_out_of_memory("Use less.", needed=TOO_LARGE):
        torch.empty(TOO_LARGE, dtype=torch.uint8)


@pytest.mark.parametrize("error", [RuntimeError("shapes differ"), NotImplementedError("on meta"), ValueError("x")])
def test_other_errors_are_raised_unchanged(error):
    with pytest.raises(type(error)) as found, report_out_of_memory("Use less.", needed=1):
        raise error
    assert found.value is error


def test_a_subclass_of_runtime_error_is_not_out_of_memory_however_much_is_needed():
    with pytest.raises(TrainingError, match="diverged"), report_out_of_memory("Use less.", needed=TOO_LARGE):
        raise TrainingError("The loss diverged.")


def test_the_messages_of_errors_are_not_read():
    with pytest.raises(RuntimeError, match="DefaultCPUAllocator"), report_out_of_memory("Use less.", needed=1):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")


@pytest.mark.parametrize(
    ("name", "explicit"), [("cifar10-ti4", False), ("cifar10-s4", True), ("tutorial-notebook", True)]
)
def test_the_largest_activation_is_close_to_that_of_a_forward_pass(name, explicit):
    config = get_preset(name).model
    model = create_model(config).train()
    set_fused_attn(model, not explicit)
    sizes: list[int] = []

    def note(tensor: torch.Tensor) -> torch.Tensor:
        sizes.append(tensor.nbytes if len(tensor) == 16 or tensor.shape[:1] == (1,) else 0)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        model(torch.randn(16, 3, *config.img_size))
    assert max(sizes) / 2 <= largest_activation(config, 16, explicit) <= 4 * max(sizes)


class Sizes(TorchDispatchMode):
    """Record the sizes of all tensors that operations return (bytes)."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[int] = []

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        """Run an operation."""
        result = operation(*args, **(kwargs or {}))
        self.found += [tensor.nbytes for tensor in tree_leaves(result) if isinstance(tensor, torch.Tensor)]
        return result


@pytest.mark.parametrize("batch_size", [1, 16])
def test_a_training_step_allocates_no_more_at_once_than_expected(batch_size):
    config = get_preset("cifar10-ti4")
    model = create_model(config.model).train()
    set_fused_attn(model, True)
    optimizers = create_optimizers(model, config, Distributed("cpu"))
    with Sizes() as sizes:
        model(torch.randn(batch_size, 3, 32, 32)).sum().backward()
        for optimizer in optimizers:
            optimizer.step()
    expected = largest_allocation(config.model, batch_size, explicit=False)
    assert expected / 4 <= max(sizes.found) <= expected
