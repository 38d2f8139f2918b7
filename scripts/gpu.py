"""The GPU's work in pieces: flagship trainings (labels alone, a start, a teacher), short ones, ablations and speed.

    python -m scripts.gpu --data DIR --out runs/gpu --seconds 580 --jobs flagship-0,flagship-1

Each call goes on where the last one ended, stops before its time is over, and prints the table of all jobs last. A
finished job's weights also lie beside it in bfloat16, at half the size (`NAME.safetensors`).
"""

import argparse
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from vitviz.models import checkpoint
from vitviz.runs import run_folder

GRACE = 25  # seconds that a training needs to save and end
LEAST = 150  # seconds in which a job can compile and get somewhere; with less it is left to the next piece
MEASURED = {"test_accuracy": "test set", "val_accuracy": "held out", "masked_patch_accuracy": "hidden colours"}
FLAGSHIP = ["--preset", "cifar10-s4"]
# One minute each on 45,000 images, measured on the 5,000 held out; never the test set.
ABLATION = [*FLAGSHIP, "--minutes", "1", "--set", "val_size=5000", "--set", "compile=false", "--set", "num_snapshots=0"]
CHANGES = {
    "base": [],
    "registers-4": ["model.reg_tokens=4"],
    "no-qk-norm": ["model.qk_norm=false"],
    "layer-scale": ["model.init_values=0.1"],
    "adamw": ["optimizer=adamw"],
    "heads-4": ["model.num_heads=4"],
    "width-384-depth-6": ["model.embed_dim=384", "model.depth=6", "model.mlp_ratio=3"],
    "depth-12": ["model.depth=12"],
    "mlp-2": ["model.mlp_ratio=2"],
    "muon-4e-3": ["muon_lr=0.004"],
    "muon-1e-3": ["muon_lr=0.001"],
    "decay-0.2": ["weight_decay=0.2"],
    "no-drop-path": ["model.drop_path_rate=0"],
    "half-patches": ["patch_keep_start=0.5", "patch_keep_end=0.5", "patch_dropout_until=0.8"],
    "cosine": ["lr_schedule=cosine"],
}
TEACHER = ["--preset", "cifar10-teacher", "--minutes", "2", "--batch-size", "512"]
JOBS: dict[str, list[str]] = {
    **{f"flagship-{seed}": [*FLAGSHIP, "--seed", str(seed)] for seed in (0, 1)},
    **{f"fast-{seed}": [*FLAGSHIP, "--seed", str(seed), "--minutes", "2.4"] for seed in (0, 1)},
    # The flagship's time, the first quarter of it without labels.
    "masked-patch": [*FLAGSHIP, "--objective", "masked-patch", "--minutes", "4.5"],
    "after-masked-patch": [*FLAGSHIP, "--init-from", f"{{out}}/masked-patch/{run_folder.LAST}", "--minutes", "13.5"],
    "teacher": TEACHER,
    **{
        f"distillation_targets-{seed}": [
            *FLAGSHIP,
            "--seed",
            str(seed),
            "--teacher",
            f"{{out}}/teacher/{run_folder.LAST}",
        ]
        for seed in (0, 1)
    },
    "ablation-teacher": [*TEACHER, "--set", "val_size=5000"],
    "ablation-taught": [*ABLATION, "--teacher", f"{{out}}/ablation-teacher/{run_folder.LAST}"],
    **{
        f"ablation-{name}": ABLATION + [word for setting in changes for word in ("--set", setting)]
        for name, changes in CHANGES.items()
    },
}


def main() -> None:
    """Run the jobs that are not finished until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of CIFAR-10")
    parser.add_argument("--out", type=Path, default=Path("runs/gpu"), help="folder of the run folders")
    parser.add_argument("--seconds", type=float, default=580, help="end after so many")
    parser.add_argument("--jobs", default=",".join(JOBS), help=f"some of {', '.join(JOBS)}, bench")
    given, extra = parser.parse_known_args()
    names = given.jobs.split(",")
    if unknown := set(names) - {*JOBS, "bench"}:
        parser.error(f"There is no job {', '.join(sorted(unknown))}. Use some of {', '.join(JOBS)}, bench.")
    end = time.monotonic() + given.seconds
    failed = []
    for name in names:
        if name != "bench" and run_folder.finished(record(given.out / name)):
            continue
        if time.monotonic() > end - LEAST:
            break
        if name == "bench":
            went_well = bench(given.data, end)
        else:
            went_well = train(name, given.data, given.out, end - GRACE, extra)
        failed += [] if went_well else [name]
    for name in names:
        export(given.out / name)
    print_table(given.out)
    if failed:
        sys.exit(f"These jobs failed, for the reasons above: {', '.join(failed)}.")


def bench(data: str, end: float) -> bool:
    """Measure the speed of the flagship's training; returns whether that went well, before the time is over."""
    words = [sys.executable, "-m", "benchmarks", "train", "--preset", "cifar10-s4", "--data", data]
    try:
        return subprocess.run(words, check=False, timeout=end - time.monotonic()).returncode == 0
    except subprocess.TimeoutExpired:
        print("The benchmark needs more time than is left. Name it alone.")
        return False


def train(name: str, data: str, out: Path, end: float, extra: list[str]) -> bool:
    """Train, or go on training, until it is finished or the time is over; then it is asked to save and end.

    Returns:
        Whether all went well: the rest is trained by the next piece, or there is none.
    """
    job, run = [word.format(out=out) for word in JOBS[name]], out / name
    for other in JOBS:
        if str(out / other / run_folder.LAST) in job and not run_folder.finished(record(out / other)):
            print(f"The job {name} needs what {other} learns: that is not finished. Name {other} before it.")
            return False
    begun = ["--resume"] if (run / run_folder.CONFIG).exists() else []
    words = [*job, "--data", data, "--out", str(run), *begun, *extra]
    asked = False
    training = subprocess.Popen([sys.executable, "-m", "vitviz", "train", *words])
    try:
        training.wait(timeout=max(1, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        training.send_signal(signal.SIGTERM)
        training.wait()
        asked = True
    return asked or training.returncode == 0


def export(run: Path) -> None:
    """Write the weights of a finished run beside it in bfloat16, unless they are there."""
    path = run.with_name(f"{run.name}.safetensors")
    if run_folder.finished(record(run)) and not path.exists():
        result = checkpoint.load(run / run_folder.LAST)
        result.network.bfloat16()
        checkpoint.save(result, path)


def record(run: Path) -> dict[str, Any]:
    """What is known of a run so far."""
    return run_folder.read_record(run / run_folder.LAST)


def print_table(out: Path) -> None:
    """Print all runs there are: epochs, seconds, images a second, and the accuracy of those that are finished."""
    print(f"{'run':30} {'epochs':>8} {'seconds':>8} {'images/s':>11} {'measured on':>14} {'accuracy':>9}")
    for run in sorted(path.parent for path in out.glob(f"*/{run_folder.LAST}")):
        if not (known := record(run)):  # a torn file
            continue
        speed = known["epochs"] * known["images"] / max(known["seconds"], 1)
        measured, accuracy = next(
            ((words, f"{100 * known[name]:.2f} %") for name, words in MEASURED.items() if name in known),
            ("unfinished", ""),
        )
        print(
            f"{run.name:30} {known['epochs']:8.1f} {known['seconds']:8.0f} {speed:11,.0f} {measured:>14} {accuracy:>9}"
        )


if __name__ == "__main__":
    main()
