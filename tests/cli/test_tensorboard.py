"""What TensorBoard receives, and that it cannot disturb a training."""

import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

import vitviz
from vitviz import tensorboard
from vitviz.errors import ConfigError, TrainingStopped
from vitviz.plots.animation import draw_matrix
from vitviz.runs.run_folder import TIMELINE, Progress
from vitviz.tensorboard import TensorBoard
from vitviz.training import timeline
from vitviz.training.loop import TrainingLoop

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
    """Record calls, each method with its name."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *args, **options: self.calls.append((name, args, options))

    def named(self, name):
        return [(args, options) for found, args, options in self.calls if found == name]


@pytest.fixture
def writer(monkeypatch):
    recorder = Recorder()
    create = lambda *args, **options: (recorder.SummaryWriter(*args, **options), recorder)[1]  # noqa: E731
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", SimpleNamespace(SummaryWriter=create))
    monkeypatch.setattr(tensorboard, "find_spec", lambda name: name)
    return recorder


def train(config, **options):
    with TensorBoard(config) as log:
        return vitviz.train(config, report=log, **options)


def sent_images(writer):
    return {(name, step): pixels for (name, pixels, step), _ in writer.named("add_image")}


def assert_all_maps_were_sent_once(writer, config):
    recorded = timeline.read(config.folder / TIMELINE)
    sent = sent_images(writer)
    assert len(sent) == len(writer.named("add_image")) == SNAPSHOTS * len(recorded.names)
    for index, epoch in enumerate(recorded.epoch.tolist()):
        for image, name in enumerate(recorded.names):
            pixels = sent[f"attention/{name}", round(1000 * epoch)]
            np.testing.assert_array_equal(pixels, draw_matrix(recorded, image, index))


def test_tensorboard_receives_all_metrics_and_the_maps_of_all_snapshots(config, writer):
    train(config)
    ((folder,), options), *_ = writer.named("SummaryWriter")
    scalars = {(name, step): value for (name, value, step), _ in writer.named("add_scalar")}
    assert folder == str(config.folder / "tensorboard")
    assert options["purge_step"] == min(step for _, step in scalars), "later steps of a previous process are hidden"
    assert {("loss", 1000), ("accuracy", 2000), ("train_accuracy", 2000), ("learning_rate", 2000)} <= scalars.keys()
    assert_all_maps_were_sent_once(writer, config)
    assert writer.calls[-1][0] == "close"


def test_a_stopped_and_resumed_training_repeats_no_maps(config, writer, monkeypatch):
    steps, signals = [], []
    take_step, run_steps = TrainingLoop.step, TrainingLoop.run

    def step(self, batch):
        take_step(self, batch)
        steps.append(batch)
        if len(steps) == 3:
            signals[0].requested = True

    monkeypatch.setattr(TrainingLoop, "step", step)
    monkeypatch.setattr(TrainingLoop, "run", lambda self, stop: signals.append(stop) or run_steps(self, stop))
    with pytest.raises(TrainingStopped):
        train(config)
    train(config, resume=True)
    assert_all_maps_were_sent_once(writer, config)


def test_it_is_refused_before_the_training_starts_where_it_is_not_installed(config, vitviz, monkeypatch):
    monkeypatch.setattr(tensorboard, "find_spec", lambda name: None)
    with pytest.raises(ConfigError) as error:
        train(config)
    assert error.value.field == "tensorboard"
    assert "pip install tensorboard" in vitviz("train", "--tensorboard", "--output-dir", config.folder)[2]
    assert not config.folder.exists()


def test_a_rejected_training_opens_nothing(config, writer):
    with pytest.raises(vitviz.DataError):
        train(replace(config, data="nowhere"))
    assert writer.calls == []


@pytest.mark.parametrize("method", ["SummaryWriter", "add_scalar", "add_image"])
def test_a_failure_warns_once_and_the_training_continues(config, writer, method):
    def fail(*_, **__):
        raise OSError("the disk is gone")

    setattr(writer, method, fail)
    with pytest.warns(UserWarning, match="Writing for TensorBoard ended, the training continues: the disk") as caught:
        model = train(config)
    assert len([one for one in caught if "TensorBoard" in str(one.message)]) == 1
    assert "test_accuracy" in model.record


def test_only_the_main_process_writes(config, writer, monkeypatch):
    progress = Progress(0.5, 1.0, 2.0, 0.7, 1e-3, 100.0)
    TensorBoard(config)(progress)
    assert (writer.named("add_scalar")[0]) == (("epoch", 1.0, 1000), {})
    monkeypatch.setenv("RANK", "1")
    writer.calls.clear()
    TensorBoard(config)(progress)
    assert writer.calls == []


SCRIPT = """
import sys
from vitviz import cli
from vitviz.data import cifar

cifar.RECORDS = 20
sys.argv = ["vitviz", *sys.argv[1:]]
cli.main()
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("tensorboard") is None, reason="tensorboard is not installed")
@pytest.mark.parametrize("command", ["train", "sweep"])
def test_the_real_tensorboard_reads_the_log(config, command):
    words = ["--data", config.data, "--output-dir", str(config.folder), *SMALL, "--batch-size=50", "--epochs=2"]
    vary = ["--vary", "seed=0,1"] if command == "sweep" else []
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, command, *vary, *words, "--device=cpu", "--tensorboard"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "TensorBoard" not in done.stderr
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    runs = [timeline_file.parent for timeline_file in config.folder.parent.rglob(TIMELINE)]
    assert len(runs) == (2 if vary else 1)
    for run in runs:
        log = EventAccumulator(str(run / "tensorboard"))
        log.Reload()
        assert {event.step for event in log.Scalars("accuracy")} == {1000, 2000}
        epochs = timeline.read(run / TIMELINE).epoch
        assert [event.step for event in log.Images("attention/cat")] == [round(1000 * epoch) for epoch in epochs]
