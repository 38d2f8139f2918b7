"""Shared fixtures: the tiny model, its checkpoint and a small fake CIFAR-10."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["VITVIZ_CACHE"] = tempfile.mkdtemp()  # of commands in processes, too; `clean_up` deletes it
# Before torch is imported: threads of two workers on the same cores would wait for each other.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from filelock import FileLock

from tests import tiny
from vitviz.data import cifar
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import ViT

ROOT = Path(__file__).parents[1]
RECORDS = 20  # images per file of the fake dataset


@pytest.fixture(scope="session", autouse=True)
def clean_up():
    yield
    shutil.rmtree(os.environ["VITVIZ_CACHE"])


@pytest.fixture
def tiny_model() -> ViT:
    return tiny.model()


@pytest.fixture
def tiny_checkpoint() -> Checkpoint:
    return tiny.checkpoint()


@pytest.fixture(scope="session")
def tiny_bytes(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("tiny") / "tiny.safetensors"
    checkpoint.save(tiny.checkpoint(), path)
    return path.read_bytes()


@pytest.fixture
def tiny_file(tmp_path, tiny_bytes) -> Path:
    path = tmp_path / "tiny.safetensors"
    path.write_bytes(tiny_bytes)
    return path


@pytest.fixture
def cifar_config() -> ViTConfig:
    """Config of a network for CIFAR-10 that is small enough to train in a test."""
    return ViTConfig(
        img_size=(32, 32), patch_size=8, embed_dim=24, depth=2, num_heads=2, mlp_ratio=40 / 24, num_classes=10
    )


@pytest.fixture
def cifar_folder(tmp_path, monkeypatch) -> Path:
    """Write a fake CIFAR-10 in binary layout: 100 training and 20 test images of random pixels.

    Its checksums differ from the official ones; tests expect or ignore the warning of `load`.
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


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The documentation site, built once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            build_site(tmp_path_factory).rename(folder)
    return folder


def build_site(tmp_path_factory) -> Path:
    """Build the site without a network and with warnings as errors."""
    folder = tmp_path_factory.mktemp("site")
    connections = tmp_path_factory.mktemp("connections") / "connections.log"
    guard = {"PYTHONPATH": str(ROOT / "tests" / "browser" / "guard"), "VITVIZ_TEST_CONNECTIONS": str(connections)}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | guard | {"NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert not connections.exists(), connections.read_text()
    return folder
