"""Mutations of valid files: each loader accepts them or raises its own error, never another exception.

`python -m pytest -m hostile` runs for 20 seconds, from the same seed every time. With VITVIZ_FUZZ_SECONDS it runs for that
time and from a random first seed, so that each such run tries other mutations. A failure prints the seed that reproduces it.
"""

import os
import random
import time

import pytest

from tests.hostile import checkpoints, images, runs
from vitviz.data.preprocessing import preprocess
from vitviz.errors import CheckpointError, ConfigError, ImageError
from vitviz.models import checkpoint
from vitviz.runs import run_folder
from vitviz.training.config import from_json

SECONDS = float(os.environ.get("VITVIZ_FUZZ_SECONDS", "20"))
DICTIONARY = [
    b"null",
    b"-1",
    b"1e999",
    b"NaN",
    b"[]",
    b"{}",
    b'"',
    b"\\",
    b"\0",
    b"\xff\xff\xff\xff",
    b"true",
    b"9" * 400,
    b"IDAT",
    b"\xff\xd8",
]


def mutate(content: bytes, rng: random.Random) -> bytes:
    """Flip a bit, set a byte, or replace, delete, duplicate or overwrite a few bytes."""
    data = bytearray(content)
    limit = min(len(data), rng.choice([64, 1024, 10**9]))  # mutates headers more often
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        if not data:
            break
        start = rng.randrange(min(limit, len(data)))
        stop = min(len(data), start + rng.choice([1, 2, 4, 16, 200]))
        operation = rng.randrange(6)
        if operation == 0:
            data[start] ^= 1 << rng.randrange(8)
        elif operation == 1:
            data[start] = rng.choice([0, 1, 127, 128, 255])
        elif operation == 2:
            data[start:stop] = rng.choice(DICTIONARY)
        elif operation == 3:
            del data[start:stop]
        elif operation == 4:
            data[start:start] = data[start:stop]
        else:
            data[start:stop] = data[: stop - start]
    return bytes(data)


@pytest.fixture
def fuzz_targets(tmp_path):
    """Return the path to write to, and (content, loader, error class) of each target."""
    path = tmp_path / "file"

    def load_run():
        (tmp_path / "run").mkdir(exist_ok=True)
        (tmp_path / "run" / "config.json").write_bytes(path.read_bytes())
        try:
            stored = run_folder.read_config(tmp_path / "run")
        except ValueError as error:
            if runs.INVALID in str(error):
                return
            raise
        from_json(stored)

    checkpoint_bytes = checkpoints.save(tmp_path / "complete.safetensors")
    contents = [content for name, content in images.accepted() if isinstance(content, bytes) and "exif" not in name]
    return path, [
        *((content, lambda: preprocess(path, (32, 32)), ImageError) for content in contents),
        *[(checkpoint_bytes, lambda: checkpoint.load(path), CheckpointError)] * 15,
        *[(runs.config().encode(), load_run, ConfigError)] * 10,
    ]


def fuzz(fuzz_targets, seed: int) -> None:
    """Load one mutated file; fail on any other exception."""
    path, targets = fuzz_targets
    content, load, error_class = targets[seed % len(targets)]
    path.write_bytes(mutate(content, random.Random(seed)))
    try:
        load()
    except error_class:
        pass
    except Exception as error:
        raise AssertionError(
            f"seed {seed}: {type(error).__name__} instead of {error_class.__name__}: {error}"
        ) from error


def test_mutated_files_load_or_raise_the_loaders_error(fuzz_targets):
    for seed in range(200):
        fuzz(fuzz_targets, seed)


@pytest.mark.hostile
def test_many_mutated_files_load_or_raise_the_loaders_error(fuzz_targets):
    seed = first = random.SystemRandom().randrange(2**40) if "VITVIZ_FUZZ_SECONDS" in os.environ else 10**6
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        fuzz(fuzz_targets, seed)
        seed += 1
    print(f"{seed - first} mutations from seed {first}")
