"""The modes of PyTorch in which this package computes, whatever those of its caller are."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch

AUTOCAST_DEVICES = ("cpu", "cuda", "mps", "xpu")
LOCK = threading.Lock()
NESTED: list[torch.dtype] = []  # default dtype at each entry of `float32_default` that is active, in any thread


@contextmanager
def own_modes() -> Iterator[None]:
    """Compute in the tensors' own dtypes, with gradients where they are wanted; then the caller's modes return.

    Autocast, inference mode and no-grad of the caller are off; the default dtype is float32 and the default device the
    CPU. Also a decorator: `@own_modes()`.
    """
    with ExitStack() as stack:
        for device in AUTOCAST_DEVICES:
            if torch.is_autocast_enabled(device):
                stack.enter_context(torch.autocast(device, enabled=False))
        if torch.is_inference_mode_enabled():
            stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        if torch.get_default_device().type != "cpu":
            stack.enter_context(torch.device("cpu"))
        stack.enter_context(float32_default())
        yield


@contextmanager
def float32_default() -> Iterator[None]:
    """Make float32 the default dtype, which is that of all threads, until the last of them leaves."""
    with LOCK:
        NESTED.append(NESTED[0] if NESTED else torch.get_default_dtype())
        torch.set_default_dtype(torch.float32)
    try:
        yield
    finally:
        with LOCK:
            before = NESTED.pop()
            if not NESTED:
                torch.set_default_dtype(before)
