"""GPU trainings in pieces of limited time: flagship, short runs, distillation and ablations; and their throughput.

    python -m scripts.gpu --data DIR --output-dir runs/gpu --seconds 580 --jobs flagship-0,flagship-1

Each call resumes the unfinished jobs, stops before its time is over, and prints a table of all jobs. The weights of a
finished job are also exported in bfloat16 (`NAME.safetensors`).
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

SAVE_SECONDS = 25  # reserved for a run to save and stop
MIN_SECONDS = 150  # to compile and make progress; no job is started with less time left
EVALUATED_ON = {
    "test_accuracy": "test set",
    "val_accuracy": "validation set",
}
FLAGSHIP = ["--preset", "cifar10-s4"]
# One minute each on 45,000 images, evaluated on the other 5,000; never on the test set.
ABLATION = [*FLAGSHIP, "--minutes", "1", "--val-size", "5000", "--no-compile", "--num-snapshots", "0"]
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
TEACHER = ["--teacher", str(Path(__file__).parents[1] / "checkpoints" / "teachers" / "cifar10-teacher.safetensors")]


def output_of(job: str) -> str:
    """Return the path of a job's checkpoint, with a placeholder for the output folder."""
    return f"{{output_dir}}/{job}/{run_folder.LAST}"


JOBS: dict[str, list[str]] = {
    **{f"flagship-{seed}": [*FLAGSHIP, "--seed", str(seed)] for seed in (0, 1)},
    **{f"fast-{seed}": [*FLAGSHIP, "--seed", str(seed), "--minutes", "2.4"] for seed in (0, 1)},
    # The flagship's budget; the first quarter is pretraining without labels.
    "mae": [*FLAGSHIP, "--objective", "mae", "--minutes", "4.5"],
    "after-mae": [*FLAGSHIP, "--init-from", output_of("mae"), "--minutes", "13.5"],
    **{f"distilled-{seed}": [*FLAGSHIP, "--seed", str(seed), *TEACHER] for seed in (0, 1)},
    **{
        f"ablation-{name}": ABLATION + [word for change in changes for word in ("--set", change)]
        for name, changes in CHANGES.items()
    },
}


def main() -> None:
    """Run the unfinished jobs until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="directory of CIFAR-10")
    parser.add_argument("--output-dir", type=Path, default=Path("runs/gpu"), help="folder of the run folders")
    parser.add_argument("--seconds", type=float, default=580, help="time limit of this call")
    parser.add_argument("--jobs", default=",".join(JOBS), help=f"some of {', '.join(JOBS)}, bench")
    options, train_options = parser.parse_known_args()
    names = options.jobs.split(",")
    if unknown := set(names) - {*JOBS, "bench"}:
        parser.error(f"unknown job {', '.join(sorted(unknown))}; use some of {', '.join(JOBS)}, bench")
    end = time.monotonic() + options.seconds
    failed = []
    for name in names:
        if name != "bench" and run_folder.is_finished(read_record(options.output_dir / name)):
            continue
        if time.monotonic() > end - MIN_SECONDS:
            break
        if name == "bench":
            succeeded = bench(options.data, end)
        else:
            succeeded = train(name, options.data, options.output_dir, end - SAVE_SECONDS, train_options)
        failed += [] if succeeded else [name]
    for name in names:
        export(options.output_dir / name)
    print_table(options.output_dir)
    if failed:
        sys.exit(f"These jobs failed, see above: {', '.join(failed)}.")


def bench(data: str, end: float) -> bool:
    """Measure the training throughput of the flagship, and return whether that succeeded in time."""
    command = [sys.executable, "-m", "benchmarks", "train", "--preset", "cifar10-s4", "--data", data]
    try:
        return subprocess.run(command, check=False, timeout=end - time.monotonic()).returncode == 0
    except subprocess.TimeoutExpired:
        print("The benchmark ran out of time. Run it without other jobs.")
        return False


def train(name: str, data: str, output_dir: Path, end: float, options: list[str]) -> bool:
    """Train or resume a job until it is finished or the time is over, and return whether there was no error."""
    job, run = [word.format(output_dir=output_dir) for word in JOBS[name]], output_dir / name
    for other in JOBS:
        if str(output_dir / other / run_folder.LAST) in job and not run_folder.is_finished(
            read_record(output_dir / other)
        ):
            print(f"The job {name} needs the result of {other}, which is not finished. Run {other} first.")
            return False
    resume = ["--resume"] if (run / run_folder.CONFIG).exists() else []
    command = [sys.executable, "-m", "vitviz", "train", *job, "--data", data, "--output-dir", str(run)]
    stopped = False
    training = subprocess.Popen([*command, *resume, *options])
    try:
        training.wait(timeout=max(1, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        training.send_signal(signal.SIGTERM)
        training.wait()
        stopped = True
    return stopped or training.returncode == 0


def export(run: Path) -> None:
    """Export the weights of a finished run in bfloat16, unless the file exists."""
    path = run.with_name(f"{run.name}.safetensors")
    if run_folder.is_finished(read_record(run)) and not path.exists():
        result = checkpoint.load(run / run_folder.LAST)
        result.network.bfloat16()
        checkpoint.save(result, path)


def read_record(run: Path) -> dict[str, Any]:
    """Read the training record of a run; empty without a checkpoint."""
    return run_folder.read_record(run / run_folder.LAST)


def print_table(output_dir: Path) -> None:
    """Print epochs, seconds, throughput and accuracy of all runs."""
    print(f"{'run':30} {'epochs':>8} {'seconds':>8} {'images/s':>11} {'evaluated on':>14} {'accuracy':>9}")
    for run in sorted(path.parent for path in output_dir.glob(f"*/{run_folder.LAST}")):
        if not (record := read_record(run)):  # damaged file
            continue
        speed = record["epochs"] * record["train_samples"] / max(record["seconds"], 1)
        results = [(title, f"{100 * record[name]:.2f} %") for name, title in EVALUATED_ON.items() if name in record]
        if "reconstruction_loss" in record:
            results.append(("loss of mae", f"{record['reconstruction_loss']:.4f}"))
        evaluated_on, accuracy = results[0] if results else ("unfinished", "")
        print(
            f"{run.name:30} {record['epochs']:8.1f} {record['seconds']:8.0f} {speed:11,.0f} {evaluated_on:>14} "
            f"{accuracy:>9}"
        )


if __name__ == "__main__":
    main()
