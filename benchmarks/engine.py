"""The model in the browser against PyTorch on one thread: speed in headless Chromium, and memory."""

import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from benchmarks.page import open_browser
from benchmarks.timing import median_and_p95
from vitviz.data.encoding import to_base64
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.hub import load
from vitviz.models.rounding import to_file

FRONTEND = Path(__file__).parents[1] / "frontend"
KERNELS = {"simd": "SIMD", "relaxed": "relaxed SIMD", "javascript": "JavaScript"}
SOME_IMAGES, ALL_IMAGES = 100, 500


def engine(name: str, rounds: int) -> None:
    """Print times of the engine next to those of PyTorch, and the memory of its worker."""
    checkpoint = load(name)
    model = base64_of(checkpoint)
    out = Console()
    with tempfile.TemporaryDirectory() as folder:
        command = [shutil.which("node") or "node", "assembly/bundle.js", folder]
        subprocess.run(command, cwd=FRONTEND, check=True)  # noqa: S603 (nothing from outside)
        script = (Path(folder) / "engine.js").read_text()
    with open_browser() as browser:
        tab = browser.new_page()
        tab.add_script_tag(content=script)
        out.print(forward_table(tab, checkpoint, model, rounds))
        found = tab.evaluate("(model) => engine.maps(model)", model)
        out.print(
            f"Two workers: all maps but occlusion {found['quick']:.2f} s, occlusion of all patches "
            f"{found['occlusion']:.2f} s, scores {found['scores']:.2f} s"
        )
        times = tab.evaluate("([model, rounds]) => engine.live(model, rounds)", [model, rounds])
        out.print(
            "A removed patch until its prediction and attention are there (median, 95 %):", *median_and_p95(times)
        )
        tab.evaluate("([model, images]) => engine.explain(model, images)", [model, SOME_IMAGES])
        before = memory_of(browser)
        tab.evaluate("([model, images]) => engine.explain(model, images)", [model, ALL_IMAGES - SOME_IMAGES])
        out.print(
            f"Memory of the browser after {SOME_IMAGES} images {before:.0f} MB, after {ALL_IMAGES} "
            f"{memory_of(browser):.0f} MB"
        )


def base64_of(checkpoint: Checkpoint) -> str:
    """Return the file of a model in base64."""
    return to_base64(np.frombuffer(to_file(checkpoint), np.uint8))


def forward_table(tab: Any, checkpoint: Checkpoint, model: str, rounds: int) -> Table:
    """Compare a forward pass with all attention; PyTorch is measured before and after each kind of kernels."""
    table = Table("forward pass with all attention", "engine", "PyTorch, one thread", "ratio")
    for kernels, label in KERNELS.items():
        before = torch_time(checkpoint, rounds)
        count = rounds if kernels != "javascript" else max(3, rounds // 10)
        found = tab.evaluate("(of) => engine.forward(...of)", [model, kernels, count])
        reference = statistics.mean([before, torch_time(checkpoint, rounds)])
        table.add_row(label, f"{found:.2f} ms", f"{reference:.2f} ms", f"{found / reference:.2f}")
    return table


@torch.inference_mode()
def torch_time(checkpoint: Checkpoint, rounds: int) -> float:
    """Return the median duration of a forward pass with all attention on one thread (ms)."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    image = torch.randn(1, 3, *checkpoint.config.img_size)
    times = []
    for _ in range(rounds + 3):
        start = time.perf_counter()
        checkpoint.network.forward_with_attention(image, "full")
        times.append(1000 * (time.perf_counter() - start))
    torch.set_num_threads(threads)
    return statistics.median(times[3:])


def memory_of(browser: Any) -> float:
    """Return the memory of the browser's processes (MB); Linux."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    pages = [int(Path(f"/proc/{one['id']}/statm").read_text().split()[1]) for one in processes]
    return sum(pages) * 4096 / 1e6
