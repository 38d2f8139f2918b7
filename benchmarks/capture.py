"""Capture of the attention of whole modules, relative to a plain forward pass in the same run."""

import statistics
import time
from collections.abc import Callable

import torch
import torchvision
from rich.console import Console
from rich.table import Table
from torch import nn
from torch.profiler import ProfilerActivity, profile

from vitviz.models.capture import capture

MODULES: dict[str, Callable[[], nn.Module]] = {
    "torchvision vit_b_16": torchvision.models.vit_b_16,
    "torchvision swin_t": torchvision.models.swin_t,
}


def measure(rounds: int) -> None:
    """Print time and memory of capturing an image of 224 x 224 px, with random weights, on the CPU."""
    table = Table("module", "forward pass", "captured, in forward passes", "extra memory, in its maps")
    for name, build in MODULES.items():
        module, image = build().eval(), torch.randn(1, 3, 224, 224)
        plain, captured = [], []
        with torch.inference_mode():
            module(image)
            for _ in range(rounds):
                start = time.perf_counter()
                module(image)
                middle = time.perf_counter()
                found = capture(module, image)
                plain.append(middle - start)
                captured.append(time.perf_counter() - middle)
            maps = sum(one.weights.numel() * 4 for one in found.attention)
            del found
            extra = peak(lambda: capture(module, image)) - peak(lambda: module(image))  # noqa: B023 - called here
        ratio = statistics.median(after / before for before, after in zip(plain, captured, strict=True))
        table.add_row(name, f"{1000 * statistics.median(plain):.0f} ms", f"{ratio:.2f}", f"{extra / maps:.2f}")
    Console().print(table)


def peak(run: Callable[[], object]) -> int:
    """Return the most bytes of tensors that a function holds at once, what it returns included."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        kept = run()
    current = highest = 0
    for event in profiler.profiler.kineto_results.events():
        if event.name() == "[memory]":
            current += event.nbytes()
            highest = max(highest, current)
    del kept
    return highest
