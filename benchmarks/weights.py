"""Opening the weights of a ViT-B/16 (346 MB) against reading the file, both from the page cache."""

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers
from rich.console import Console
from rich.table import Table

from vitviz.data.preprocessing import Resize
from vitviz.models import checkpoint, hub, model_files
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.export import export
from vitviz.models.vit import ViT

ROUNDS = 7
B16: dict[str, Any] = {"img_size": (224, 224), "patch_size": 16, "embed_dim": 768, "depth": 12, "num_heads": 12}
CONFIG = ViTConfig(**B16, mlp_ratio=4.0, num_classes=1000, qkv_bias=True, qk_norm=False)


def measure() -> None:
    """Print the shortest time of each way, and its ratio to reading the file."""
    labels = tuple(f"class {k}" for k in range(1000))
    model = Checkpoint("b16", ViT(CONFIG).eval(), labels, (0.5,) * 3, (0.5,) * 3, {}, Resize())
    table = Table("layout", "read", "load", "load / read", "first load")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        checkpoint.save(model, folder / "vitviz.safetensors")
        export(model, folder / "timm")
        transformers.ViTForImageClassification(transformers.ViTConfig(num_labels=1000)).save_pretrained(folder / "hf")
        del model
        for layout, path in (("timm", folder / "timm"), ("transformers", folder / "hf"), ("vitviz", None)):
            source = path or folder / "vitviz.safetensors"
            weights = source / model_files.WEIGHTS if path else source
            times = [(seconds(weights.read_bytes), seconds(partial(hub.load, source))) for _ in range(ROUNDS)]
            read, load = (min(column) for column in zip(*times, strict=True))
            row = (f"{1000 * value:.0f} ms" for value in (read, load))
            table.add_row(layout, *row, f"{load / read:.2f}", f"{1000 * times[0][1]:.0f} ms")
    console = Console()
    console.print(f"{weights.name}: {CONFIG.embed_dim} channels, {torch.get_num_threads()} threads, best of {ROUNDS}")
    console.print(table)


def seconds(function: Callable[[], Any]) -> float:
    """Return the time of a call (s)."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start
