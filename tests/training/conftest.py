"""Fixtures of the training tests: a short run on a small dataset, independent of the clock."""

from collections.abc import Callable

import pytest

from vitviz.runs import training_run
from vitviz.training import device, loop
from vitviz.training.config import TrainConfig
from vitviz.training.loop import TrainingLoop


@pytest.fixture
def no_clock(monkeypatch):
    """Fix what depends on timing: which precision and kernels are faster, and when the loss is logged."""
    monkeypatch.setattr(device, "is_bfloat16_faster", lambda device: False)
    monkeypatch.setattr(loop, "is_fused_attention_faster", lambda *args: True)
    monkeypatch.setattr(loop, "is_onednn_faster", lambda: False)
    monkeypatch.setattr(loop, "LOG_INTERVAL", float("inf"))
    monkeypatch.setattr(loop, "EVAL_INTERVAL", float("inf"))


@pytest.fixture
def config(cifar_folder, cifar_config, tmp_path) -> TrainConfig:
    """Two epochs of four steps."""
    return TrainConfig(
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
    """Train until the process is lost before a step, without saving."""

    def train(config: TrainConfig, step: int) -> None:
        real = TrainingLoop.step

        def fail(run, batch):
            if run.step_count == step:
                raise KeyError("lost")
            real(run, batch)

        with monkeypatch.context() as patch:
            patch.setattr(TrainingLoop, "step", fail)
            with pytest.raises(KeyError):
                training_run.train(config)

    return train
