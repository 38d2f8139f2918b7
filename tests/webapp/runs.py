"""Run folders as training leaves them, written without training."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests import tiny
from vitviz.data import cifar
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.models.mae import Decoder, random_mask
from vitviz.training.config import TrainConfig
from vitviz.training.timeline import TimelineRecorder

MODEL = ViTConfig(img_size=(32, 32), patch_size=8, embed_dim=24, depth=2, num_heads=2, mlp_ratio=40 / 24)


def make(root: Path, name: str, finished: bool = False, snapshots: int = 3, steps: int = 4, **fields: Any) -> Path:
    """Write a stopped or finished run with some config fields replaced, and return its folder."""
    folder = root / name
    folder.mkdir(parents=True)
    config = TrainConfig(**{"model": MODEL, "output_dir": str(folder), "epochs": 4, "minutes": None} | fields)
    (folder / "config.json").write_text(json.dumps(asdict(config)))
    append_metrics(folder, steps)
    torch.manual_seed(0)
    model = create_model(MODEL).eval()
    record = {"epochs": 2.0, "seconds": 8.0, "test_accuracy": 0.5} | (
        {} if finished else {"training": {"seconds": 8.0}}
    )
    decoder = None if config.decoder is None else Decoder(MODEL, config.decoder).eval()
    saved = Checkpoint("last", model, cifar.CLASSES, cifar.MEAN, cifar.STD, record, decoder=decoder)
    checkpoint.save(saved, folder / "last.safetensors", {"weights.x": torch.ones(3)})
    if snapshots:
        recorder = record_timeline(model, snapshots)
        if decoder is not None:  # brighter at each snapshot
            recorder.mask = random_mask(3, (4, 4), config.mask_ratio)
            for i, stored in enumerate(recorder.snapshots):
                stored["reconstruction"] = np.full((3, 32, 32, 3), 80 * i, np.uint8)
        recorder.save(folder / "timeline.npz")
    return folder


def append_metrics(folder: Path, steps: int) -> None:
    """Append lines to the metrics."""
    known = (folder / "metrics.jsonl").read_text().splitlines() if (folder / "metrics.jsonl").exists() else []
    with (folder / "metrics.jsonl").open("a") as file:
        for i in range(len(known), len(known) + steps):
            line = {"progress": i / 8, "epoch": i / 2, "seconds": 2.0 * i, "loss": 2.3 - 0.1 * i, "learning_rate": 1e-3}
            line |= {"images_per_second": 100.0, "accuracy": 0.1 * i, "train_accuracy": None}
            file.write(json.dumps(line) + "\n")


def record_timeline(model: torch.nn.Module, snapshots: int) -> TimelineRecorder:
    """Record snapshots of a model; they are equal except for their times."""
    images = torch.randint(0, 256, (3, 3, 32, 32), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    recorder = TimelineRecorder(["cat", "dog", "x"], images, tiny.images((32, 32), 3), cifar.CLASSES, (4, 4), 60)
    for i in range(snapshots):
        recorder.record(model, i / 2, 2.0 * i)
    return recorder


def rewrite_timeline(folder: Path, snapshots: int) -> None:
    """Write the timeline again with another number of snapshots."""
    model = checkpoint.load(folder / "last.safetensors").network
    record_timeline(model, snapshots).save(folder / "timeline.npz")
