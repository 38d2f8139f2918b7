"""Mutations of valid files: a gate answers "fine" or with its own refusal, never with another error.

20 seconds of them in a slow test, or as many as VITVIZ_FUZZ_SECONDS says; a failure prints the seed that repeats it.
"""

import os
import random
import time

import pytest

from tests.hostile import checkpoints, images, runs
from vitviz.data.preprocessing import ImageError, prepare
from vitviz.models import checkpoint
from vitviz.models.checkpoint import CheckpointError
from vitviz.runs import run_folder
from vitviz.training.config import from_json

SECONDS = float(os.environ.get("VITVIZ_FUZZ_SECONDS", "20"))
WORDS = [
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


def mutated(content: bytes, chance: random.Random) -> bytes:
    """The content with a few bytes changed, words put in, pieces cut out, doubled or moved."""
    data = bytearray(content)
    reach = min(len(data), chance.choice([64, 1024, 10**9]))  # headers are where it hurts
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        if not data:
            break
        start = chance.randrange(min(reach, len(data)))
        stop = min(len(data), start + chance.choice([1, 2, 4, 16, 200]))
        kind = chance.randrange(6)
        if kind == 0:
            data[start] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[start] = chance.choice([0, 1, 127, 128, 255])
        elif kind == 2:
            data[start:stop] = chance.choice(WORDS)
        elif kind == 3:
            del data[start:stop]
        elif kind == 4:
            data[start:start] = data[start:stop]
        else:
            data[start:stop] = data[: stop - start]
    return bytes(data)


@pytest.fixture
def valid(tmp_path):
    """Valid files, the gate of each, and what it raises to refuse."""
    path = tmp_path / "file"

    def run():
        (tmp_path / "run").mkdir(exist_ok=True)
        (tmp_path / "run" / "config.json").write_bytes(path.read_bytes())
        return from_json(run_folder.read_config(tmp_path / "run"))

    whole = checkpoints.saved(tmp_path / "whole.safetensors")
    contents = [made for name, made in images.fine() if isinstance(made, bytes) and "exif" not in name]
    return path, [
        *((content, lambda: prepare(path, (32, 32)), ImageError) for content in contents),
        *[(whole, lambda: checkpoint.load(path), CheckpointError)] * 15,
        *[(runs.config().encode(), run, ValueError)] * 10,
    ]


def fuzz(valid, seed: int) -> None:
    """Put one mutation through its gate."""
    path, kinds = valid
    content, gate, refusal = kinds[seed % len(kinds)]
    path.write_bytes(mutated(content, random.Random(seed)))
    try:
        gate()
    except refusal:
        pass
    except Exception as error:
        raise AssertionError(f"seed {seed}: {type(error).__name__} instead of {refusal.__name__}: {error}") from error


def test_a_few_mutations_are_accepted_or_refused_in_words(valid):
    for seed in range(200):
        fuzz(valid, seed)


@pytest.mark.slow
def test_many_mutations_are_accepted_or_refused_in_words(valid):
    seed = first = random.SystemRandom().randrange(2**40) if "VITVIZ_FUZZ_SECONDS" in os.environ else 10**6
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        fuzz(valid, seed)
        seed += 1
    print(f"{seed - first} mutations from seed {first}")
