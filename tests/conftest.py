"""What many tests start from: the tiny model, a tiny checkpoint and a small false CIFAR-10."""

from pathlib import Path

import numpy as np
import pytest

from tests import tiny
from vitviz.data import cifar
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import ViT

RECORDS = 20  # images in one file of the false data set


@pytest.fixture
def tiny_model() -> ViT:
    return tiny.model()


@pytest.fixture
def tiny_checkpoint() -> Checkpoint:
    return tiny.checkpoint()


@pytest.fixture
def tiny_file(tmp_path, tiny_checkpoint) -> Path:
    path = tmp_path / "tiny.safetensors"
    checkpoint.save(tiny_checkpoint, path)
    return path


@pytest.fixture
def cifar_config() -> ViTConfig:
    """A network small enough to be trained in a test, for images of CIFAR-10's size."""
    return ViTConfig(
        img_size=(32, 32), patch_size=8, embed_dim=24, depth=2, num_heads=2, mlp_ratio=40 / 24, num_classes=10
    )


@pytest.fixture
def cifar_folder(tmp_path, monkeypatch) -> Path:
    """A folder with the binary version of a data set of 100 + 20 random images.

    Its sums differ from the official ones, about which `load` warns: users expect or ignore that warning.
    """
    monkeypatch.setattr(cifar, "RECORDS", RECORDS)
    folder = tmp_path / "data" / cifar.BINARY_FOLDER
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for name in (*cifar.BINARY_FILES["train"], *cifar.BINARY_FILES["test"]):
        records = rng.integers(0, 256, (RECORDS, 1 + cifar.PIXELS), dtype=np.uint8)
        records[:, 0] = rng.integers(0, 10, RECORDS)
        (folder / name).write_bytes(records.tobytes())
    return folder.parent
