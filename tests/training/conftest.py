"""What tests of trainings start from: a short one on the false data set, and one that no clock has a say in."""

from collections.abc import Callable

import pytest

from vitviz.runs import training_run
from vitviz.runs.training_run import Run
from vitviz.training import trainer
from vitviz.training.config import TrainConfig


@pytest.fixture
def no_clock(monkeypatch):
    """Whether bfloat16 is quick, and when to look at the loss, is found by the clock; a test must not depend on it."""
    monkeypatch.setattr(trainer, "bfloat16_is_faster", lambda device: False)
    monkeypatch.setattr(training_run, "LOG_INTERVAL", float("inf"))


@pytest.fixture
def config(cifar_folder, cifar_config, tmp_path) -> TrainConfig:
    """Two epochs of four steps."""
    return TrainConfig(
        preset="tiny",
        model=cifar_config,
        data=str(cifar_folder),
        output_dir=str(tmp_path / "run"),
        epochs=2,
        minutes=None,
        batch_size=25,
        device="cpu",
        num_snapshots=4,
    )


@pytest.fixture
def lose_process(monkeypatch) -> Callable[[TrainConfig, int], None]:
    """Train, until the process is lost without a word before this step."""

    def train(config: TrainConfig, step: int) -> None:
        real = Run.step

        def dying(run, batch):
            if run.learner.step_count == step:
                raise KeyError("lost")
            real(run, batch)

        with monkeypatch.context() as patch:
            patch.setattr(Run, "step", dying)
            with pytest.raises(KeyError):
                training_run.train(config)

    return train
