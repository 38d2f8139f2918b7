"""A training run: the lock of its folder, its saved state, and the training loop that writes to it."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from vitviz.data.image_cache import Report
from vitviz.errors import ConfigError, TrainingError, TrainingStopped
from vitviz.malloc import keep_freed_memory
from vitviz.models import hub
from vitviz.runs import run_folder
from vitviz.runs.process import RunLock
from vitviz.runs.run_folder import RunFolder
from vitviz.training.config import TrainConfig
from vitviz.training.data import load_training_data, replace_num_classes
from vitviz.training.device import choose_device, largest_allocation, report_out_of_memory
from vitviz.training.distributed import ATTEMPT, Distributed
from vitviz.training.initial_weights import load_initial
from vitviz.training.linear_probe import linear_probe
from vitviz.training.loop import Progress, TrainingLoop
from vitviz.training.signals import StopRequest
from vitviz.training.teacher import check_same_teacher, load_teacher

CIFAR_BYTES = 60_000 * 3 * 32 * 32  # images of CIFAR, the only ones that are not mapped from a file


def train(
    config: TrainConfig,
    report: Callable[[Progress], None] = lambda progress: None,
    resume: bool = False,
    restart: bool = False,
) -> Path:
    """Train a model. From now on this process keeps freed memory, as every step needs it again.

    Args:
        config: Training config.
        report: Called about every two seconds; with accuracies every `checkpoint_every_epochs` epochs and at the end.
        resume: Resume from the state in the run folder, if there is one.
        restart: Replace the run in the run folder.

    Returns:
        Path of the checkpoint, `last.safetensors` in the run folder, next to `config.json`, `metrics.jsonl` and
        `timeline.npz`. `test_accuracy` in its record is the accuracy of the final EMA weights on the whole test set;
        with `val_size` it is called `val_accuracy`. With the objective mae it is `reconstruction_loss`.

    Raises:
        DataError: If the dataset is missing or not usable.
        ConfigError: If the network is too large, the initial weights or the teacher do not fit, or the resumed run has
            another config.
        ValueError: If the device is not available, or the run folder cannot be used.
        vitviz.runs.process.AlreadyRunningError: If another process trains in the run folder.
        TrainingError: If the loss becomes NaN or infinite or memory runs out; `TrainingStopped` on SIGINT or SIGTERM.
            The last saved state is kept.
    """
    run_folder.check_num_parameters(config)
    keep_freed_memory()
    with Distributed(config.device) as distributed, StopRequest() as stop:
        with report_out_of_memory("The images do not fit into memory. Use fewer images.", CIFAR_BYTES):
            data = load_training_data(config, distributed.device, stop_if_requested(stop))
        config, num_samples = replace_num_classes(config, len(data.info.classes)), len(data.train[1])
        if min(config.batch_size, num_samples) < distributed.world_size:
            raise ConfigError(
                "batch_size",
                "and the number of training images must be at least the number of processes: "
                f"{min(config.batch_size, num_samples)} is below {distributed.world_size}",
                "Increase it, or start fewer processes.",
            )
        resume = resume or os.environ.get(ATTEMPT, "0") != "0"
        with RunLock(config.folder, stop) if distributed.is_main_process else nullcontext() as lock:
            state = run_folder.load_state(config, data.info, num_samples) if resume else None
            step_count = state.step_count if state else 0
            if lock is not None:
                run_folder.prepare(config, state, restart)
                lock.record_start(has_saved=state is not None)
            with report_out_of_memory(
                f"A training step does not fit into memory with batch_size {config.batch_size}. Use a smaller "
                "batch_size or network; the last saved state is kept.",
                largest_allocation(config.model, config.batch_size, explicit=config.attention != "fused"),
            ):
                initial = load_initial(config.init_from, data.info, config.val_size) if state is None else None
                teacher = load_teacher(config, data.info, distributed.device)
                if state is not None:
                    check_same_teacher(state.teacher, teacher.record if teacher else None, config.folder)
                output = RunFolder(config.folder, lock) if lock is not None else None
                loop = TrainingLoop(config, distributed, data, initial, teacher, state, output)
                check_same_step(distributed, step_count, config.folder)
                for progress in loop.run(stop):
                    report(progress)
                loop.finish()
    return config.folder / run_folder.LAST


def stop_if_requested(stop: StopRequest) -> Report:
    """Return a function for `preprocess_all` that raises TrainingStopped on a stop request."""

    def report(done: int, total: int) -> None:
        if stop.requested:
            raise TrainingStopped(
                f"Stopped before the training: {done:,} of {total:,} images are preprocessed. Start again to continue."
            )

    return report


def fit_linear_probe(config: TrainConfig, report: Callable[[int, int], None]) -> Path:
    """Fit a linear probe, and write it to a run folder as a finished run.

    Args:
        config: Its fields `init_from`, `data`, `output_dir` and `device` are used.
        report: As for `linear_probe`.

    Returns:
        Path of the checkpoint, `last.safetensors` in the run folder, next to `config.json`.

    Raises:
        CheckpointError: If the model cannot be loaded, or the run folder is not new.
        ConfigError: As `linear_probe`.
        DataError: As `linear_probe`.
    """
    run_folder.check_is_new(config.folder)
    model = hub.load(config.init_from or "")
    model.network.to(choose_device(config.device))
    result = linear_probe(model, config.data or "", name=config.folder.name, report=report)
    run_folder.write_config(replace(config, model=result.config), config.folder)
    run_folder.save(result, config.folder / run_folder.LAST, None)
    return config.folder / run_folder.LAST


def check_same_step(distributed: Distributed, step_count: int, folder: Path) -> None:
    """Raise TrainingError if this process resumes from another step than the main process."""
    if (expected := distributed.broadcast(step_count)[0]) != step_count:
        raise TrainingError(
            f"All processes must resume from the same state: in {folder}, that of the main process is at step "
            f"{expected:.0f}, and that of this process at step {step_count}. Use a run folder that all machines share."
        )
