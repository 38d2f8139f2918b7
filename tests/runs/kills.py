"""Script that trains a model in processes that are killed with SIGKILL, and prints a report as JSON.

Arguments: data folder, run folder, then "N SEED" for N kills at random steps, or "points" for one kill at each point of
the atomic write. Each process is forked, so that torch is imported only once. It sends a byte through a pipe after each
step and is killed after a number of bytes; it continues until then, so the kill hits anywhere in the next step.
"""

import itertools
import json
import os
import random
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch

from vitviz.data import cifar
from vitviz.models.checkpoint import load
from vitviz.models.config import ViTConfig
from vitviz.runs import training_run
from vitviz.training import device, loop
from vitviz.training.config import TrainConfig
from vitviz.training.loop import TrainingLoop

STEPS = 4  # per epoch
MAX_STEPS = 3 * STEPS // 2  # before a kill, so that each process saves at most one epoch
POINTS = ("opened", "written", "flushed", "renamed")  # of the atomic write


def main(data: str, output_dir: str, *how: str) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    cifar.RECORDS = 20  # as in the fixture `cifar_folder`
    device.is_bfloat16_faster = lambda device: False
    loop.is_onednn_faster = lambda: False
    model = ViTConfig(patch_size=8, embed_dim=24, depth=2, num_heads=2, mlp_ratio=40 / 24)
    kills = len(POINTS) if how == ("points",) else int(how[0])
    config = TrainConfig(
        model=model,
        data=data,
        output_dir=output_dir,
        epochs=kills + 3,
        minutes=None,
        batch_size=25,
        device="cpu",
        attention="fused",
        num_snapshots=6,
    )
    uninterrupted = weights(training_run.train(replace(config, output_dir=f"{output_dir}-uninterrupted")))
    stretches = [kill_at(config, point) for point in POINTS] if how == ("points",) else kill_randomly(config, *how)
    hidden_before = [path.name for path in config.folder.glob(".*")]
    last = stretch(config)
    resumed = weights(config.folder / "last.safetensors")
    report = {
        "stretches": [*stretches, last],
        "equal": all(torch.equal(resumed[name], uninterrupted[name]) for name in uninterrupted),
        "metrics": [json.loads(line)["epoch"] for line in (config.folder / "metrics.jsonl").open()],
        "hidden before": hidden_before,
        "hidden after": [path.name for path in config.folder.glob(".*")],
    }
    print(json.dumps(report))


def weights(path: Path) -> dict[str, torch.Tensor]:
    return load(path).network.state_dict()


def kill_randomly(config: TrainConfig, count: str, seed: str) -> list[list[int]]:
    """Kill `count` processes, each after a random number of steps up to one and a half epochs."""
    rng = random.Random(seed)
    return [stretch(config, rng.randint(1, MAX_STEPS)) for _ in range(int(count))]


def kill_at(config: TrainConfig, point: str) -> list[int]:
    """Kill a process in its second write of the checkpoint, at this point."""
    return stretch(config, 2 * STEPS + 1, lambda send: pause_at(point, send))


def stretch(config: TrainConfig, count: int = 10**9, prepare: Callable[[Callable], None] = lambda send: None) -> list:
    """Train in a process, kill it after it has sent `count` bytes, and return the numbers of its steps."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        prepare(lambda: os.write(writing, b"\xff"))
        train(config, writing, count + 1)
    os.close(writing)
    received = b""
    while len(received) < count and (more := os.read(reading, 1)):
        received += more
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reading, 100):  # steps until the kill
        received += more
    os.close(reading)
    return [step for step in received if step < 255]


def train(config: TrainConfig, writing: int, limit: int) -> None:
    """Train, send the number of each step, and pause after `limit` steps; never returns."""
    original, steps = TrainingLoop.step, itertools.count(1)

    def step(run: TrainingLoop, batch: torch.Tensor) -> None:
        original(run, batch)
        os.write(writing, bytes([run.step_count]))
        if next(steps) == limit:
            signal.pause()

    TrainingLoop.step = step
    try:
        training_run.train(config, resume=True)
    finally:
        os._exit(0)


def pause_at(point: str, send: Callable[[], object]) -> None:
    """Pause forever at a point of the second write of the checkpoint, after calling `send`."""
    writes = [0]

    def pause_in(module, name: str, after: bool) -> None:
        original = getattr(module, name)

        def wrapper(*args, **kwargs):
            result = original(*args, **kwargs) if after else None
            if writes[0] == 2:
                send()
                signal.pause()
            return result if after else original(*args, **kwargs)

        setattr(module, name, wrapper)

    mkstemp = tempfile.mkstemp

    def count_writes(*args, **kwargs):
        writes[0] += "last.safetensors" in kwargs["prefix"]
        return mkstemp(*args, **kwargs)

    tempfile.mkstemp = count_writes
    {
        "opened": lambda: pause_in(tempfile, "mkstemp", after=True),
        "written": lambda: pause_in(os, "fsync", after=False),
        "flushed": lambda: pause_in(os, "replace", after=False),
        "renamed": lambda: pause_in(os, "replace", after=True),
    }[point]()


if __name__ == "__main__":
    main(*sys.argv[1:])
