"""Training runs on a synthetic dataset: files, budget and failures."""

import itertools
import json
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tests.errors import refuses
from tests.training.trainings import create_run, load_weights
from vitviz.data import cifar, preprocessing
from vitviz.errors import DataError, TrainingError
from vitviz.models.checkpoint import eval_samples, load
from vitviz.runs import training_run
from vitviz.runs.training_run import train
from vitviz.training import loop, timeline
from vitviz.training.distributed import Distributed
from vitviz.training.evaluation import measure_accuracy
from vitviz.training.loop import TrainingLoop
from vitviz.training.presets import get_preset

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]


def test_other_processes_wait_for_the_checkpoint_of_the_main_one(config, monkeypatch):
    run = create_run(config)
    run.output, events = object(), []
    monkeypatch.setattr(run.distributed, "broadcast", lambda *numbers: events.append("broadcast") or list(numbers))
    monkeypatch.setattr(run, "save", lambda *args, **options: events.append("save"))
    for rank, expected in ((0, ["save", "broadcast"]), (1, ["broadcast"])):
        run.distributed.rank = rank
        run.finish()
        assert events == expected
        events.clear()


def test_a_run_writes_config_metrics_checkpoint_and_timeline(config):
    seen = []
    path = train(config, seen.append)
    folder = config.folder
    assert sorted(file.name for file in folder.iterdir()) == [
        "config.json",
        "last.safetensors",
        "metrics.jsonl",
        "process.json",
        "timeline.npz",
    ]
    assert path == folder / "last.safetensors"
    stored = json.loads((folder / "config.json").read_text())
    assert stored == json.loads(json.dumps(asdict(config)))

    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [0.25, 1.0, 2.0], "snapshots, and ends of epochs"
    assert [line["progress"] for line in lines] == [0.125, 0.5, 1.0]
    assert all(1 < line["loss"] < 10 and 0 < line["distance"] < 32 for line in lines)
    assert [progress.accuracy for progress in seen] == [line["accuracy"] for line in lines]

    result = load(path)
    assert (result.labels, result.mean, result.std) == (cifar.CLASSES, cifar.MEAN, cifar.STD)
    assert result.network.config == config.model
    test_set = cifar.load("test", config.data)
    assert result.record["test_accuracy"] == measure_accuracy(result, *test_set)
    assert eval_samples(result.record) == len(test_set[1])
    assert (result.record["train_samples"], result.record["epochs"], result.record["steps"]) == (100, 2.0, 8)
    assert result.record["train_config"]["muon_lr"] == config.muon_lr
    assert not {"data", "output_dir"} & result.record["train_config"].keys(), "local paths are private"

    with np.load(folder / "timeline.npz") as found:
        assert found["cls_attention"].shape == (4, 10, 2, 2, 17)
        assert found["names"].tolist() == list(preprocessing.sample_paths())
        assert found["epoch"][0] == 0
        assert found["epoch"][-1] == 2
        assert np.abs(np.diff(found["cls_attention"].astype(np.float32), axis=0)).max() > 0, "the weights changed"


def test_a_long_epoch_is_evaluated_within(config, monkeypatch):
    monkeypatch.setattr(loop, "EVAL_INTERVAL", -1.0)  # at every step
    monkeypatch.setattr(loop, "EVAL_FRACTION", -1.0)
    seen = []
    train(replace(config, num_snapshots=0), seen.append)
    assert [progress.epoch for progress in seen] == [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0]
    assert all(progress.accuracy is not None for progress in seen)
    assert [progress.epoch for progress in seen if progress.train_accuracy is not None] == [1.0, 2.0]


def test_the_timeline_file_is_complete_after_every_snapshot(config, monkeypatch):
    real, seen = TrainingLoop.record_snapshot, []

    def watched(run):
        real(run)
        found = timeline.read(config.folder / "timeline.npz")
        seen.append((len(found.epoch), found.epoch[-1]))

    monkeypatch.setattr(TrainingLoop, "record_snapshot", watched)
    train(config)
    assert seen == [(1, 0), (2, 0.25), (3, 1), (4, 2)]


@pytest.mark.slow
def test_equal_seeds_give_equal_weights(config):
    def trained(name, seed):
        return load_weights(train(replace(config, output_dir=str(config.folder / name), seed=seed)))

    first, second, other = trained("first", 0), trained("second", 0), trained("other", 1)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["head.weight"], other["head.weight"])


def test_max_train_samples_limits_the_training_images(config):
    record = load(train(replace(config, max_train_samples=30, batch_size=20, epochs=1, num_snapshots=0))).record
    assert (record["train_samples"], record["steps"]) == (30, 2)
    assert not (config.folder / "timeline.npz").exists()


def test_a_budget_in_epochs_may_end_within_an_epoch(config):
    record = load(train(replace(config, epochs=1.4, num_snapshots=0))).record
    assert record["steps"] == 6  # 1.4 epochs of 4 steps, rounded up
    assert record["epochs"] == 1.5


def test_a_budget_in_minutes_ends_by_the_clock(config, monkeypatch):
    clock = itertools.count()  # each reading advances it by a second
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    seen = []
    record = load(train(replace(config, epochs=None, minutes=0.25, num_snapshots=0), seen.append)).record
    assert 4 <= record["steps"] <= 15
    assert seen[-1].progress == 1
    assert [progress.progress for progress in seen] == sorted(progress.progress for progress in seen)


def test_an_existing_run_is_not_overwritten(config):
    path = train(replace(config, epochs=1, num_snapshots=0))
    before = path.read_bytes()
    with refuses("output_dir"):
        train(replace(config, epochs=1, num_snapshots=0))
    assert path.read_bytes() == before


def test_the_timeline_of_a_run_without_a_saved_state_is_deleted(config, lose_process):
    lose_process(config, 2)
    assert (config.folder / "timeline.npz").exists()
    train(replace(config, epochs=1, num_snapshots=0))
    assert not (config.folder / "timeline.npz").exists()


def test_the_last_epoch_is_evaluated_whatever_the_interval(config):
    lines = []
    train(replace(config, epochs=1, checkpoint_every_epochs=9, num_snapshots=0), lines.append)
    assert lines[-1].accuracy is not None


def test_a_network_too_large_to_load_is_not_trained(config):
    large = replace(config.model, embed_dim=4096, depth=9, num_heads=8)
    with refuses("model.embed_dim"):
        train(replace(config, model=large, data="nowhere"))
    assert not config.folder.exists()


def test_init_from_loads_all_weights_but_the_head(config):
    first = train(replace(config, epochs=1))
    run = create_run(replace(config, init_from=str(first), model=replace(config.model, num_classes=7)))
    source, begun = load(first).network.state_dict(), run.model.state_dict()
    assert all(torch.equal(begun[name], source[name]) for name in source if not name.startswith("head."))
    assert begun["head.weight"].shape == (7, 24)
    assert not begun["head.weight"].any()
    assert torch.equal(run.ema_model.pos_embed, source["pos_embed"])


def test_init_from_requires_the_same_network(config):
    first = train(replace(config, epochs=1))
    with refuses("model.depth"):
        create_run(replace(config, init_from=str(first), model=replace(config.model, depth=3)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tutorial-notebook", "tutorial-lightning", "tutorial-scratch", "cifar10-s4"])
def test_every_preset_trains(config, name):
    given = get_preset(name)
    small = replace(given.model, embed_dim=24, num_heads=2, depth=2, mlp_ratio=40 / 24)
    path = train(
        replace(
            given,
            model=small,
            epochs=1,
            minutes=None,
            batch_size=25,
            data=config.data,
            output_dir=config.output_dir,
            num_snapshots=3,
        )
    )
    assert load(path).record["steps"] == 4
    assert load(path).network.config.architecture == given.model.architecture


def test_with_val_size_the_test_set_is_not_loaded(config, monkeypatch):
    real, loaded = cifar.load, []
    monkeypatch.setattr(cifar, "load", lambda split, *args: loaded.append(split) or real(split, *args))
    result = load(train(replace(config, val_size=30, epochs=1)))
    assert loaded == ["train"]
    assert result.record["train_samples"] == 70
    assert "test_accuracy" not in result.record
    images, labels = real("train", config.data)
    assert result.record["val_accuracy"] == measure_accuracy(result, images[70:], labels[70:])


def test_nan_weights_do_not_replace_a_finite_checkpoint(config, monkeypatch):
    real = TrainingLoop.step

    def corrupt(run, batch):
        real(run, batch)
        if run.step_count == 8:
            with torch.no_grad():
                run.ema_model.head.weight[0, 0] = float("inf")

    monkeypatch.setattr(TrainingLoop, "step", corrupt)
    with pytest.raises(TrainingError, match="after step 8"):
        train(config)
    assert load(config.folder / "last.safetensors").record["steps"] == 4


def test_more_processes_than_images_per_batch_are_rejected(config, monkeypatch):
    monkeypatch.setattr(Distributed, "__enter__", lambda distributed: distributed)
    monkeypatch.setattr(Distributed, "__exit__", lambda *args: None)
    monkeypatch.setenv("WORLD_SIZE", "30")
    with refuses("batch_size"):
        train(config)


def test_a_nan_loss_stops_training_and_keeps_the_last_epoch(config, monkeypatch):
    real, calls = loop.F.cross_entropy, itertools.count()

    def cross_entropy(*args, **kwargs):
        return real(*args, **kwargs) * (float("nan") if next(calls) >= 6 else 1)  # in the middle of the second epoch

    monkeypatch.setattr(loop.F, "cross_entropy", cross_entropy)
    with pytest.raises(TrainingError, match=r"at step 7, epoch 1\.75"):
        train(config)
    assert load(config.folder / "last.safetensors").record["epochs"] == 1.0  # and its weights are finite: `load` checks
    lines = (config.folder / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == [0.25, 1.0]


def test_a_nan_loss_is_detected_within_an_epoch(config, monkeypatch):
    monkeypatch.setattr(loop, "LOG_INTERVAL", -1.0)  # every step
    monkeypatch.setattr(loop.F, "cross_entropy", lambda logits, *args, **kwargs: logits.sum() * float("inf"))
    with pytest.raises(TrainingError, match="at step 1,"):
        train(replace(config, batch_size=2))
    assert not (config.folder / "last.safetensors").exists()


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory."), MemoryError()])
def test_running_out_of_memory_is_reported_and_the_last_epoch_kept(config, monkeypatch, error):
    real, calls = loop.F.cross_entropy, itertools.count()

    def cross_entropy(*args, **kwargs):
        if next(calls) == 6:  # in the middle of the second epoch
            raise error
        return real(*args, **kwargs)

    monkeypatch.setattr(loop.F, "cross_entropy", cross_entropy)
    with pytest.raises(TrainingError, match=r"A training step does not fit into memory with batch_size 25\. Use"):
        train(config)
    assert load(config.folder / "last.safetensors").record["epochs"] == 1.0


def test_images_that_do_not_fit_into_memory_are_reported(config, monkeypatch):
    def full(*args):
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(training_run, "load_training_data", full)
    with pytest.raises(TrainingError, match=r"The images do not fit into memory\. Use fewer images"):
        train(config)
    assert not config.folder.exists()


def test_without_a_dataset_nothing_is_written(config, tmp_path):
    with pytest.raises(DataError):
        train(replace(config, data=str(tmp_path / "nowhere")))
    assert not config.folder.exists()
