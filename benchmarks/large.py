"""Large models in the page: painting a chosen image relative to a forward pass, hover, and memory of the server."""

import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import torch
from rich.console import Console
from rich.table import Table

from benchmarks.page import CHOOSE, EXPLORER, REDRAWS, browser_page, run_server, sample_order
from benchmarks.timing import median_and_p95
from vitviz.data.preprocessing import sample_paths
from vitviz.models import checkpoint, hub
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import ViT

SIZES: dict[str, dict[str, Any]] = {
    "ViT-B/16": {"embed_dim": 768, "depth": 12, "num_heads": 12},
    "ViT-L/16": {"embed_dim": 1024, "depth": 24, "num_heads": 16},
}
ROUNDS = 7  # forward passes
PLACES = 8  # rows and columns of places that the pointer visits
MAPS_TIMEOUT = 600_000  # ms
PEAK = re.compile(r"^VmHWM:\s*(\d+) kB", re.MULTILINE)
# Prints the process status after `import torch`, and after loading a model and explaining an image
EXPLAIN = """
import sys, torch
print(open("/proc/self/status").read())
import vitviz
explanation = vitviz.explain(vitviz.load(sys.argv[1]), sys.argv[2])
explanation.probabilities, explanation.cls_maps
print(open("/proc/self/status").read())
"""


class Measured(NamedTuple):
    """What was measured of one model; times in ms, memory in bytes."""

    forward: float
    painted: list[float]
    pointed: list[float]
    redraws: list[float]
    weights: int
    peak: int | None  # of the server, after all images
    peak_with_maps: int | None  # after the maps of all methods
    explained: tuple[int, int] | None  # peak of a process that explains an image, and that after `import torch`


def large(models: Sequence[Path] = (), images: int = 12) -> None:
    """Print the measurements of each model.

    Args:
        models: Files or folders as `vitviz.load` takes them; by default a ViT-B/16 and a ViT-L/16 with random weights.
        images: Number of images that are chosen.
    """
    table = Table("model", "measurement", "median", "95th percentile", "goal")
    with run_server() as (address, _, process), browser_page(address):
        idle = peak_memory(process.pid)
    with ExitStack() as stack:
        if not models:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            models = [write_model(name, folder) for name in SIZES]
        for path in models:
            for row in table_rows(measure(path, images), idle):
                table.add_row(path.stem, *row)
            table.add_section()
    console = Console()
    console.print(f"{torch.get_num_threads()} threads, {images} images")
    console.print(table)


def table_rows(found: Measured, idle: int | None) -> list[tuple[str, str, str, str]]:
    """Return the rows of the table: measurement, median, 95th percentile, goal; `idle` is the memory of a server."""
    most = 1.25 * found.forward + 100
    allowed = f"at most {1.3 * found.weights / 1e9 + 0.4:.2f} GB"
    process, imported = map(gigabytes, found.explained or (None, None))
    above = [
        None if peak is None else peak - (idle or 0) - found.weights for peak in (found.peak, found.peak_with_maps)
    ]
    images, maps = (gigabytes(None if idle is None else more) for more in above)
    return [
        ("one forward pass", f"{found.forward:.0f} ms", "", ""),
        ("image chosen to all heads painted", *median_and_p95(found.painted), f"median at most {most:.0f} ms"),
        ("patch pointed at to all heads painted", *median_and_p95(found.pointed), ""),
        ("redrawing all heads (script time)", *median_and_p95(found.redraws), "95th percentile at most 8 ms"),
        ("peak memory of a process that loads the model and explains an image", process, "", allowed),
        ("its peak memory after import torch", imported, "", ""),
        ("peak memory of the server above an idle one and the weights", images, "", "at most 0.60 GB"),
        ("the same after the maps of all methods", maps, "", "at most 0.60 GB"),
    ]


def gigabytes(size: int | None) -> str:
    """Return a size in GB."""
    return "unknown" if size is None else f"{size / 1e9:.2f} GB"


def write_model(name: str, folder: Path) -> Path:
    """Write a model of one of `SIZES` with random weights for 224 x 224 px and 1,000 classes."""
    torch.manual_seed(0)
    config = ViTConfig(
        img_size=(224, 224), patch_size=16, mlp_ratio=4.0, num_classes=1000, qkv_bias=True, qk_norm=False, **SIZES[name]
    )
    network = ViT(config).eval()
    with torch.no_grad():
        for key, weight in network.named_parameters():
            if key.endswith((".proj.weight", ".fc2.weight", "head.weight")):  # zero until trained
                torch.nn.init.normal_(weight, std=0.02)
    path = folder / f"{name.replace('/', '-')}.safetensors"
    labels = tuple(f"class {k}" for k in range(1000))
    checkpoint.save(Checkpoint(path.stem, network, labels, (0.5,) * 3, (0.5,) * 3, {}), path)
    return path


def measure(path: Path, images: int) -> Measured:
    """Measure one model in the page."""
    model = hub.load(path)
    pixels = torch.rand(1, 3, *model.config.img_size)
    weights = sum(weight.nbytes for weight in model.network.parameters())
    times = []
    with torch.inference_mode():
        for _ in range(ROUNDS):
            start = time.perf_counter()
            model.network(pixels)
            times.append(1000 * (time.perf_counter() - start))
    grid = model.network.config.grid_size
    del model
    with (
        run_server(arguments=("--checkpoint", str(path.resolve()))) as (address, _, process),
        browser_page(address) as tab,
    ):
        painted = [tab.evaluate(CHOOSE, index) for index in sample_order(tab, images)]
        pointed = visit_patches(tab, grid)
        redraws = list(tab.evaluate(REDRAWS, [place_of(place) for place in range(PLACES**2)]))  # all rows are there
        peak = peak_memory(process.pid)
        tab.wait_for_selector(f"{EXPLORER}[data-methods]", timeout=MAPS_TIMEOUT)
        with_maps = peak_memory(process.pid)
    explained = peak_of_explanation(path)
    return Measured(statistics.median(times), painted, pointed, redraws, weights, peak, with_maps, explained)


def visit_patches(tab: Any, grid: tuple[int, int]) -> list[float]:
    """Point at patches of the image and return the time until each is the query on screen (ms)."""
    box = tab.locator(f"{EXPLORER} .stage.image").bounding_box()
    times = []
    for place in range(PLACES**2):
        across, down = place_of(place)
        row, column = int(down * grid[0]) + 1, int(across * grid[1]) + 1
        start = time.perf_counter()
        tab.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] * down)
        tab.wait_for_function(
            "(text) => document.querySelector('.headline').textContent.includes(text)",
            arg=f": row {row}, column {column} attend",
        )
        times.append(1000 * (time.perf_counter() - start))
    return times


def place_of(place: int) -> tuple[float, float]:
    """Return a place on the image in fractions of its width and height."""
    down, across = divmod(place, PLACES)
    return (across + 0.5) / PLACES, (down + 0.5) / PLACES


def peak_of_explanation(path: Path) -> tuple[int, int] | None:
    """Return the peak memory of a process that explains an image, and that after `import torch` (bytes)."""
    command = [sys.executable, "-c", EXPLAIN, str(path), str(sample_paths()["cat"])]
    try:
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    except subprocess.CalledProcessError:  # no /proc
        return None
    imported, explained = (1024 * int(peak) for peak in PEAK.findall(output))
    return explained, imported


def peak_memory(pid: int) -> int | None:
    """Return the largest resident set of a process so far, file mappings included (bytes); None if unknown."""
    try:
        found = PEAK.search(Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return None
    return 1024 * int(found[1]) if found else None
