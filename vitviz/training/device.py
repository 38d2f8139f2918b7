"""Device of a training run: choice, precision, memory and name."""

import mmap
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import torch

from vitviz.data.augmentation import sample_patches
from vitviz.errors import ConfigError, TrainingError, reports_no_memory
from vitviz.models.checkpoint import available_memory, count_parameters
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.models.vit import set_fused_attn

MAX_TIMED_WEIGHTS = 2**24  # attention weights of a layer when kernels are timed
POSSIBLE_OOM_ERRORS = MemoryError, RuntimeError, ImportError, SystemError  # raised for other reasons, too


def choose_device(name: str, index: int = 0) -> torch.device:
    """Return the device of "auto", "cuda", "mps" or "cpu" for the process with local rank `index`.

    "auto" is CUDA if there is a GPU for it, else the CPU.

    Raises:
        ConfigError: If a GPU is requested and this process has none.
    """
    if name == "mps":
        if not torch.backends.mps.is_available():
            raise ConfigError("device", "mps needs a GPU of Apple: found none", "Use the device cpu.")
        return torch.device("mps")
    if name == "cpu" or (name == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if index >= (count := torch.cuda.device_count()):
        raise ConfigError(
            "device",
            f"cuda needs one GPU per process: found {count} for process {index + 1}",
            "Use the device cpu, or start fewer processes.",
        )
    return torch.device("cuda", index)


@contextmanager
def report_out_of_memory(message: str, needed: int) -> Iterator[None]:
    """Raise a `TrainingError` with this message if memory of the CPU or the GPU runs out.

    `needed` is the size of the largest allocation in the block (bytes).
    """
    try:
        yield
    except POSSIBLE_OOM_ERRORS as error:
        if not is_out_of_memory(error, needed):
            raise
        raise TrainingError(message) from error


def is_out_of_memory(error: BaseException, needed: int) -> bool:
    """Return whether an exception means that memory ran out.

    PyTorch's CPU allocator and oneDNN raise a plain `RuntimeError`, and modules that are imported late fail in other
    ways. These have no field for the reason. They count if `needed` bytes cannot be allocated now.
    """
    return reports_no_memory(error) or (type(error) in POSSIBLE_OOM_ERRORS and not can_allocate(needed))


def can_allocate(size: int) -> bool:
    """Return whether `size` bytes are available on the CPU, and the system grants them; they are not touched.

    Memory that this process freed and keeps does not count: oneDNN cannot use it for its code. Systems that overcommit
    memory grant more than there is.
    """
    available = available_memory()
    if available is not None and size > available:
        return False
    try:
        mmap.mmap(-1, size).close()
    except (OSError, OverflowError):
        return False
    return True


def largest_activation(model: ViTConfig, batch_size: int, explicit: bool) -> int:
    """Return the size of the largest tensor of a training step, about (bytes), with explicit or fused attention."""
    pixels = model.img_size[0] * model.img_size[1]
    tokens, width = model.num_tokens, max(3 * model.embed_dim, model.mlp_hidden_dim)
    maps = model.num_heads * tokens if explicit or model.architecture != "vit" else 0
    return 4 * batch_size * max(tokens * max(width, maps), 3 * pixels)


def largest_allocation(model: ViTConfig, batch_size: int, explicit: bool) -> int:
    """Return a bound of the largest allocation of a training step (bytes): an activation, or Muon's stacked weights."""
    return max(4 * count_parameters(model), largest_activation(model, batch_size, explicit))


def autocast(device: torch.device, bfloat16: bool) -> AbstractContextManager[Any]:
    """Return a context of autocast to bfloat16, or a null context."""
    return torch.autocast(device.type, torch.bfloat16) if bfloat16 else nullcontext()


def use_bfloat16(precision: str, device: torch.device) -> bool:
    """Return whether matrix products are in bfloat16 with a `precision` of a training config."""
    return is_bfloat16_faster(device) if precision == "auto" else precision == "bfloat16"


def is_bfloat16_faster(device: torch.device) -> bool:
    """Return whether bfloat16 is faster than float32.

    GPUs before Ampere and many CPUs emulate bfloat16, which is slower. CUDA reports hardware support; on a CPU a
    matrix product of each type is timed.
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    types = torch.bfloat16, torch.float32
    products = [partial(torch.matmul, torch.ones(2048, 256, dtype=t), torch.ones(256, 512, dtype=t)) for t in types]
    bfloat16, float32 = best_times(products, device)
    return bfloat16 < 0.8 * float32


@lru_cache(maxsize=16)
def is_fused_attention_faster(
    model: ViTConfig, batch_size: int, keep_ratio: float, bfloat16: bool, device: torch.device
) -> bool:
    """Return whether two blocks of a network train faster with fused attention than with explicit products.

    That depends on processor, shape and precision. Both run on one batch of random images, of which there are
    fewer if all attention weights would be large.

    Args:
        model: Config of the network.
        batch_size: Images in a step of this process.
        keep_ratio: Fraction of patches kept.
        bfloat16: Whether matrix products are in bfloat16.
        device: Device of this process.
    """
    if model.architecture != "vit":
        return False
    network = create_model(replace(model, depth=2)).to(device).train()  # the last block may compute one query only
    count = min(batch_size, max(1, MAX_TIMED_WEIGHTS // (model.num_heads * model.num_tokens**2)))
    images = torch.randn(count, 3, *model.img_size, device=device)
    keep = sample_patches(count, model.num_patches, keep_ratio, device)

    def step(fused: bool) -> None:
        set_fused_attn(network, fused)
        with autocast(device, bfloat16):
            loss = network(images, keep).sum()
        loss.backward()

    fused, explicit = best_times([partial(step, True), partial(step, False)], device, rounds=4)
    return fused <= explicit


def best_times(calls: Sequence[Callable[[], object]], device: torch.device, rounds: int = 5) -> list[float]:
    """Return the duration of each call (s), the best of several rounds after one of warmup.

    The calls alternate, and the best counts, as other work of the computer makes single ones slower by any factor.
    """
    seconds = [[time_call(call, device) for call in calls] for _ in range(rounds)]
    return [min(times) for times in zip(*seconds[1:], strict=True)]


def time_call(call: Callable[[], object], device: torch.device) -> float:
    """Return the duration of a call (s), including its pending work on the GPU."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    call()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - start


def get_hardware_name(device: torch.device) -> str:
    """Return the name of the GPU, or of the CPU with its number of threads."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    cpuinfo = Path("/proc/cpuinfo")  # Linux only
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    count = torch.get_num_threads()
    return f"{names[0] if names else platform.machine()}, {count} thread{'s' if count > 1 else ''}"
