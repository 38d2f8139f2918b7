"""Cost of `vitviz.watch` for a training loop of timm: a ViT-Tiny that is watched at the end of each epoch.

The module has no hooks: between its calls, `watch` does nothing. So the cost is that of a call, next to the steps of an
epoch; whole epochs with and without the call alternate as a check.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import timm
import torch
from rich.console import Console
from rich.table import Table
from torch.nn.functional import cross_entropy

from vitviz.runs.watch import Watch

MODEL, BATCH_SIZE = "vit_tiny_patch16_224", 128
EPOCH = 50_000 // BATCH_SIZE  # steps, of CIFAR-10


def callback(steps: int, rounds: int) -> None:
    """Print the cost of a call of `watch` next to an epoch.

    Args:
        steps: Steps of a timed epoch.
        rounds: Timed epochs of each kind, after one that is not timed.
    """
    torch.manual_seed(0)
    model = timm.create_model(MODEL, img_size=32, patch_size=4, num_classes=10)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    images, labels = torch.randn(BATCH_SIZE, 3, 32, 32), torch.randint(10, (BATCH_SIZE,))
    loss = torch.zeros(())

    def train_epoch() -> None:
        nonlocal loss
        for _ in range(steps):
            loss = cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    plain, watched, calls = [], [], []
    with tempfile.TemporaryDirectory() as folder, Watch(model, output_dir=Path(folder) / "run") as watch:
        for epoch in range(rounds + 1):
            first = time_call(train_epoch)
            second = time_call(train_epoch)
            call = time_call(lambda: watch(epoch + 1, loss.item(), lr=1e-3))  # noqa: B023 (called at once)
            if epoch:  # the first call imports and allocates
                plain.append(first)
                watched.append(second + call)
                calls.append(call)
    step = statistics.median(plain) / steps
    table = Table("measurement", "median", "goal")
    table.add_row("training step", f"{1000 * step:.0f} ms")
    table.add_row("call at the end of an epoch", f"{1000 * statistics.median(calls):.0f} ms")
    table.add_row(
        f"slowdown, epochs of {EPOCH} steps", f"{statistics.median(calls) / (EPOCH * step):.2%}", "at most 2 %"
    )
    ratio = statistics.median(watched) / statistics.median(plain)
    table.add_row(f"whole epochs of {steps} steps, watched relative to plain", f"{ratio:.3f} ×")
    Console().print(table)


def time_call(function: Callable[[], None]) -> float:
    """Return the duration of a call (s)."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start
