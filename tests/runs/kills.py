"""A training that is killed again and again, as a process: prints what came of it, as JSON.

Words: data folder, run folder, then "N SEED" for N kills at random moments, or "points" for one at each point of the
atomic write. It forks a process for each stretch of training, which costs nothing after one import of torch, and kills
it as soon as it has sent so many signs of life; it goes on meanwhile, so the kill finds it anywhere in the next step.
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
from vitviz.training import trainer
from vitviz.training.config import TrainConfig

STEPS = 4  # of an epoch
MOST = 3 * STEPS // 2  # steps before a kill, so that at most one epoch is gained by a stretch
POINTS = ("opened", "written", "flushed", "renamed")  # of the atomic write


def main(data: str, out: str, *how: str) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    cifar.RECORDS = 20  # as in the fixture `cifar_folder`
    trainer.is_bfloat16_faster = lambda device: False
    model = ViTConfig(patch_size=8, embed_dim=24, depth=2, num_heads=2, mlp_ratio=40 / 24)
    deaths = len(POINTS) if how == ("points",) else int(how[0])
    config = TrainConfig(
        model=model,
        data=data,
        output_dir=out,
        epochs=deaths + 3,
        minutes=None,
        batch_size=25,
        device="cpu",
        num_snapshots=6,
    )
    whole = weights(training_run.train(replace(config, output_dir=f"{out}-whole")))
    stretches = [killed_at(config, point) for point in POINTS] if how == ("points",) else killed(config, *how)
    left = [path.name for path in config.folder.glob(".*")]
    last = stretch(config)
    found = weights(config.folder / "last.safetensors")
    report = {
        "stretches": [*stretches, last],
        "equal": all(torch.equal(found[name], whole[name]) for name in whole),
        "metrics": [json.loads(line)["epoch"] for line in (config.folder / "metrics.jsonl").open()],
        "hidden before": left,
        "hidden after": [path.name for path in config.folder.glob(".*")],
    }
    print(json.dumps(report))


def weights(path: Path) -> dict[str, torch.Tensor]:
    return load(path).network.state_dict()


def killed(config: TrainConfig, count: str, seed: str) -> list[list[int]]:
    """Kill after a random number of steps, up to one and a half epochs, so many times."""
    draw = random.Random(seed)
    return [stretch(config, draw.randint(1, MOST)) for _ in range(int(count))]


def killed_at(config: TrainConfig, point: str) -> list[int]:
    """Kill in the second write of the checkpoint, at this point."""
    return stretch(config, 2 * STEPS + 1, lambda sign: wait_at(point, sign))


def stretch(config: TrainConfig, signs: int = 10**9, prepare: Callable[[Callable], None] = lambda sign: None) -> list:
    """Train in a process of its own until it has given so many signs of life, then kill it -> the steps it took."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        prepare(lambda: os.write(writing, b"\xff"))
        train(config, writing, signs + 1)
    os.close(writing)
    taken = b""
    while len(taken) < signs and (more := os.read(reading, 1)):
        taken += more
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reading, 100):  # what it did until the kill came
        taken += more
    os.close(reading)
    return [step for step in taken if step < 255]


def train(config: TrainConfig, writing: int, most: int) -> None:
    """Train, telling of each step, and wait for the kill after so many; never returns."""
    real, taken = training_run.Run.step, itertools.count(1)

    def step(run: training_run.Run, batch: torch.Tensor) -> None:
        real(run, batch)
        os.write(writing, bytes([run.trainer.step_count]))
        if next(taken) == most:
            signal.pause()

    training_run.Run.step = step
    try:
        training_run.train(config, resume=True)
    finally:
        os._exit(0)


def wait_at(point: str, sign: Callable[[], object]) -> None:
    """Wait for ever at a point of the second write of the checkpoint, after giving a sign."""
    seen = [0]

    def wait_in(module, name: str, after: bool) -> None:
        real = getattr(module, name)

        def instead(*given, **named):
            found = real(*given, **named) if after else None
            if seen[0] == 2:
                sign()
                signal.pause()
            return found if after else real(*given, **named)

        setattr(module, name, instead)

    real_open = tempfile.mkstemp

    def counting(*given, **named):
        seen[0] += "last.safetensors" in named["prefix"]
        return real_open(*given, **named)

    tempfile.mkstemp = counting
    {
        "opened": lambda: wait_in(tempfile, "mkstemp", after=True),
        "written": lambda: wait_in(os, "fsync", after=False),
        "flushed": lambda: wait_in(os, "replace", after=False),
        "renamed": lambda: wait_in(os, "replace", after=True),
    }[point]()


if __name__ == "__main__":
    main(*sys.argv[1:])
