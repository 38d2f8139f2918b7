"""Loggers: what TensorBoard, Weights & Biases and MLflow receive, and that none of them can disturb a training."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import typer

import vitviz
from vitviz.cli.training import show_sweep
from vitviz.loggers import IDS, LIBRARIES, TrainingLog, hyperparameters
from vitviz.models.config import ConfigError
from vitviz.plots.animation import draw_matrix
from vitviz.runs import timeline
from vitviz.runs.process import TrainingStopped
from vitviz.runs.run_folder import TIMELINE
from vitviz.runs.sweep import Sweep
from vitviz.training.config import TrainingError

pytestmark = pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")

SNAPSHOTS = 3
SMALL = ("--set=model.depth=2", "--set=model.embed_dim=24", "--set=model.num_heads=2", f"--num-snapshots={SNAPSHOTS}")


@pytest.fixture
def config(cifar_folder, cifar_config, tmp_path):
    return vitviz.TrainConfig(
        model=cifar_config,
        data=str(cifar_folder),
        output_dir=str(tmp_path / "run"),
        epochs=2,
        minutes=None,
        batch_size=50,
        num_snapshots=SNAPSHOTS,
        device="cpu",
    )


class Recorder:
    """Record calls: the part of the libraries' APIs that is used, each method with its name."""

    def __init__(self):
        self.calls = []
        self.threads = set()

    def __getattr__(self, name):
        def record(*args, **options):
            self.calls.append((name, args, options))
            self.threads.add(threading.current_thread())

        return record

    def named(self, name):
        return [(args, options) for found, args, options in self.calls if found == name]


@pytest.fixture
def tensorboard(monkeypatch):
    recorder = Recorder()
    module = SimpleNamespace(
        SummaryWriter=lambda *args, **options: (recorder.SummaryWriter(*args, **options), recorder)[1]
    )
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    return recorder


@pytest.fixture
def wandb(monkeypatch):
    """A stand-in for Weights & Biases without an API key; runs get the ids 1, 2, ..."""
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.delenv("WANDB_PROJECT", raising=False)
    recorder, module = Recorder(), ModuleType("wandb")
    module.errors = SimpleNamespace(UsageError=type("UsageError", (Exception,), {}))
    module.Image, module.Settings = lambda pixels: ("image", pixels), lambda **options: options

    def init(**options):
        recorder.init(**options)
        recorder.id = options["id"] or str(len(recorder.named("init")))
        return recorder

    def login():
        raise module.errors.UsageError

    module.init, module.login = init, login
    monkeypatch.setitem(sys.modules, "wandb", module)
    return recorder


@pytest.fixture
def mlflow(monkeypatch):
    for name in ("MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID"):
        monkeypatch.delenv(name, raising=False)
    recorder = Recorder()

    def start_run(**options):
        recorder.calls.append(("start_run", (), options))
        return SimpleNamespace(info=SimpleNamespace(run_id=options["run_id"] or "fresh"))

    recorder.start_run = start_run
    monkeypatch.setitem(sys.modules, "mlflow", recorder)
    return recorder


def expected_images(config):
    """Return the images of the timeline, {(snapshot, tag): pixels}, and the epoch of each snapshot."""
    recorded = timeline.read(config.folder / TIMELINE)
    images = {
        (s, f"attention/{name}"): draw_matrix(recorded, p, s)
        for s in range(SNAPSHOTS)
        for p, name in enumerate(recorded.names)
    }
    return images, recorded.epoch.tolist()


def test_tensorboard_receives_all_metrics_and_the_maps_of_all_snapshots(config, tensorboard):
    model = vitviz.train(config, log=["tensorboard"])
    (folder,), options = tensorboard.named("SummaryWriter")[0]
    scalars = {(name, options["global_step"]): value for (name, value), options in tensorboard.named("add_scalar")}
    assert folder == str(config.folder / "tensorboard")
    assert options["purge_step"] == min(step for _, step in scalars), "later steps of a previous process are hidden"
    assert {("loss", 1000), ("accuracy", 2000), ("train_accuracy", 2000), ("learning_rate", 2000)} <= scalars.keys()
    assert scalars["test_accuracy", 2000] == model.record["test_accuracy"]
    images, epochs = expected_images(config)
    sent = {(name, options["global_step"]): pixels for (name, pixels), options in tensorboard.named("add_image")}
    assert len(sent) == len(images) == len(tensorboard.named("add_image"))
    for (snapshot, name), pixels in images.items():
        np.testing.assert_array_equal(sent[name, round(1000 * epochs[snapshot])], pixels)
    assert tensorboard.calls[-1][0] == "close"


def test_weights_and_biases_receive_hyperparameters_metrics_and_maps_by_epoch(config, wandb):
    model = vitviz.train(config, log=["wandb"])
    ((_, options),) = wandb.named("init")
    assert (options["project"], options["name"], options["dir"]) == ("vitviz", "run", str(config.folder))
    assert options["config"]["model.depth"] == 2
    assert wandb.named("define_metric") == [(("*",), {"step_metric": "epoch"})]
    lines = [line for (line,), _ in wandb.named("log")]
    metrics = {line["epoch"]: line for line in lines if "loss" in line}
    assert metrics[2.0].keys() == {"epoch", "loss", "learning_rate", "images_per_second", "accuracy", "train_accuracy"}
    images, epochs = expected_images(config)
    maps = [line for line in lines if "attention/cat" in line]
    assert [line["epoch"] for line in maps] == epochs
    for (snapshot, name), pixels in images.items():
        np.testing.assert_array_equal(maps[snapshot][name][1], pixels)
    assert lines[-1] == {"epoch": 2.0, "test_accuracy": model.record["test_accuracy"]}
    assert wandb.calls[-1] == ("finish", (), {"exit_code": 0})


def test_mlflow_receives_parameters_metrics_and_maps(config, mlflow):
    vitviz.train(config, log=["mlflow"])
    assert mlflow.named("set_experiment") == [(("vitviz",), {})]
    ((parameters,), _), *_ = mlflow.named("log_params")
    assert (parameters["model.depth"], parameters["batch_size"]) == (2, 50)
    metrics = {
        (name, o["step"]): value for (values,), o in mlflow.named("log_metrics") for name, value in values.items()
    }
    assert {("loss", 1000), ("accuracy", 2000), ("test_accuracy", 2000)} <= metrics.keys()
    images, epochs = expected_images(config)
    sent = {(options["key"], options["step"]): pixels for (pixels,), options in mlflow.named("log_image")}
    for (snapshot, name), pixels in images.items():
        np.testing.assert_array_equal(sent[name, round(1000 * epochs[snapshot])], pixels)
    assert mlflow.calls[-1] == ("end_run", ("FINISHED",), {})


def test_loggers_work_in_one_thread_of_their_own(config, tensorboard, wandb):
    vitviz.train(config, log=["tensorboard", "wandb", "wandb"])
    assert len(wandb.named("init")) == 1, "a logger that is given twice is used once"
    assert tensorboard.threads == wandb.threads
    assert len(wandb.threads) == 1
    assert threading.main_thread() not in wandb.threads


def test_a_stopped_and_resumed_training_continues_its_runs_without_repeating_maps(
    config, tensorboard, wandb, mlflow, monkeypatch
):
    from vitviz.runs.training_run import TrainingRun

    steps = []
    take_step = TrainingRun.step

    def step(self, batch):
        take_step(self, batch)
        steps.append(batch)
        if len(steps) == 3:
            signals[0].requested = True

    signals = []
    run_steps = TrainingRun.run_steps
    monkeypatch.setattr(TrainingRun, "step", step)
    monkeypatch.setattr(TrainingRun, "run_steps", lambda self, stop: signals.append(stop) or run_steps(self, stop))
    names = ["tensorboard", "wandb", "mlflow"]
    with pytest.raises(TrainingStopped):
        vitviz.train(config, log=names)
    assert wandb.calls[-1] == ("finish", (), {"exit_code": 1})
    assert mlflow.calls[-1] == ("end_run", ("KILLED",), {})
    vitviz.train(config, resume=True, log=names)
    assert [options["id"] for _, options in wandb.named("init")] == [None, "1"]
    assert [options["run_id"] for _, options in mlflow.named("start_run")] == [None, "fresh"]
    assert len(mlflow.named("log_params")) == 1
    assert [line["epoch"] for (line,), _ in wandb.named("log") if "attention/cat" in line] == expected_images(config)[1]


def test_another_training_in_the_same_folder_is_another_run(config, wandb):
    config.folder.mkdir()
    (config.folder / IDS).write_text('{"wandb": "old"}')
    vitviz.train(config, log=["wandb"])
    assert [options["id"] for _, options in wandb.named("init")] == [None]


def test_no_local_path_is_logged(config, tmp_path):
    sent = hyperparameters(
        replace(config, init_from=str(tmp_path / "runs" / "first" / "last.safetensors"), teacher="t")
    )
    assert (sent["init_from"], sent["teacher"], sent["soft_labels"]) == ("first", True, False)
    assert str(tmp_path) not in repr(sent)
    sent = hyperparameters(replace(config, soft_labels=str(tmp_path / "soft.safetensors"), mix_until=1.0))
    assert sent["soft_labels"] is True
    assert str(tmp_path) not in repr(sent)


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_logger_that_is_not_installed_is_refused_before_the_training_starts(vitviz, config, name, monkeypatch):
    monkeypatch.setitem(sys.modules, LIBRARIES[name][0], None)
    code, _, err = vitviz("train", "--data", config.data, "--output-dir", config.folder, "--log", name)
    assert code == 1
    assert err.endswith(f"vitviz: log {name} needs {LIBRARIES[name][1]}. Run: pip install {name}\n")
    assert not config.folder.exists()


def test_an_unknown_logger_is_refused(config):
    with pytest.raises(ConfigError, match=r"^log must be one of tensorboard, wandb, mlflow: got 'comet'"):
        vitviz.train(config, log=["comet"])


@pytest.mark.usefixtures("wandb")
def test_weights_and_biases_without_a_key_are_refused_with_the_cure(config, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "online")
    with pytest.raises(
        ConfigError, match=r"needs an API key: none is configured\. Run: wandb login, or set WANDB_MODE="
    ):
        vitviz.train(config, log=["wandb"])


def test_a_rejected_training_opens_no_logger(config, tensorboard):
    with pytest.raises(vitviz.DataError):
        vitviz.train(replace(config, data="nowhere"), log=["tensorboard"])
    assert tensorboard.calls == []


def test_maps_that_cannot_be_drawn_end_the_logging_with_a_warning(config, tensorboard, monkeypatch):
    monkeypatch.setattr("vitviz.loggers.draw_matrix", lambda *_: 1 / 0)
    with pytest.warns(UserWarning, match="Logging to TensorBoard ended, the training continues: division by zero"):
        vitviz.train(config, log=["tensorboard"])
    assert tensorboard.named("add_scalar")


@pytest.mark.parametrize("method", ["SummaryWriter", "add_scalar", "add_image", "close"])
def test_a_logger_that_fails_warns_once_and_the_training_continues(config, tensorboard, mlflow, monkeypatch, method):
    def fail(*_, **__):
        raise ConnectionError("the server is gone")

    setattr(tensorboard, method, fail)
    with pytest.warns(
        UserWarning, match="Logging to TensorBoard ended, the training continues: the server is gone"
    ) as caught:
        model = vitviz.train(config, log=["tensorboard", "mlflow"])
    assert len([warning for warning in caught if "Logging to" in str(warning.message)]) == 1
    assert "test_accuracy" in model.record
    assert mlflow.calls[-1] == ("end_run", ("FINISHED",), {}), "the other logger is not affected"


def test_a_sweep_logs_each_run_with_its_own_status(config, mlflow, tmp_path, monkeypatch):
    from vitviz.runs.training_run import TrainingRun

    grid = Sweep(config, ("seed=0,1",), tmp_path / "grid")
    grid.create()
    take_step = TrainingRun.step

    def step(run, batch):
        if run.config.seed == 0 and run.trainer.step_count == 2:
            raise TrainingError("The loss is nan.")
        take_step(run, batch)

    monkeypatch.setattr(TrainingRun, "step", step)
    with pytest.raises(typer.Exit):  # a run failed
        show_sweep(grid, ["mlflow"])
    names = [options["run_name"] for _, options in mlflow.named("start_run")]
    assert names == [*grid.runs()] == ["grid-seed0", "grid-seed1"]
    assert [status for (status,), _ in mlflow.named("end_run")] == ["FAILED", "FINISHED"]
    assert [values["seed"] for (values,), _ in mlflow.named("log_params")] == [0, 1]


def test_a_slow_logger_does_not_delay_the_training(config, tensorboard):
    from vitviz.runs import training_run

    is_trained = threading.Event()
    waited = []
    tensorboard.add_scalar = lambda *_, **__: waited.append(is_trained.wait(60))
    with TrainingLog(["tensorboard"], config) as log:
        training_run.train(config, log)
        is_trained.set()
    assert waited
    assert all(waited), "the first call ended after the training"


def test_only_the_main_process_logs(config, tensorboard, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    with TrainingLog(["tensorboard"], config) as log:
        log(None)
    assert tensorboard.calls == []


SCRIPT = """
import sys
from vitviz import cli
from vitviz.data import cifar

cifar.RECORDS = 20
sys.argv = ["vitviz", *sys.argv[1:]]
cli.main()
"""


def train_with(name, config, environment):
    """Train by the command line in another process, with the real library; return its output."""
    words = ["--data", config.data, "--output-dir", str(config.folder), *SMALL, "--batch-size=50", "--epochs=2"]
    command = [sys.executable, "-c", SCRIPT, "train", *words, "--device=cpu", "--log", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    assert "Logging to" not in done.stderr, done.stderr
    return done


def needs(package):
    return pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")


@pytest.mark.slow
@needs("tensorboard")
def test_the_real_tensorboard_reads_the_log(config):
    train_with("tensorboard", config, {})
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = EventAccumulator(str(config.folder / "tensorboard"))
    log.Reload()
    assert {event.step for event in log.Scalars("accuracy")} == {1000, 2000}
    epochs = timeline.read(config.folder / TIMELINE).epoch
    assert [event.step for event in log.Images("attention/cat")] == [round(1000 * epoch) for epoch in epochs]


@pytest.mark.slow
@needs("wandb")
def test_the_real_weights_and_biases_store_the_run_offline(config):
    train_with("wandb", config, {"WANDB_MODE": "offline"})
    (run,) = config.folder.glob("wandb/offline-run-*")
    assert len([*run.glob("files/media/images/attention/cat_*.png")]) == SNAPSHOTS
    assert [*run.glob("*.wandb")]


@pytest.mark.slow
@needs("mlflow")
def test_the_real_mlflow_stores_the_run_in_files(config, tmp_path):
    environment = {"MLFLOW_TRACKING_URI": (tmp_path / "mlruns").as_uri(), "MLFLOW_ALLOW_FILE_STORE": "true"}
    train_with("mlflow", config, environment)
    (losses,) = tmp_path.glob("mlruns/*/*/metrics/loss")
    assert {line.split()[2] for line in losses.read_text().splitlines()} >= {"1000", "2000"}
    (images,) = tmp_path.glob("mlruns/*/*/artifacts/images")
    assert len([*images.glob("attention~cat+step+*.png")]) == SNAPSHOTS
