"""Stopped and crashed runs resume with the same result."""

import contextlib
import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors import safe_open
from safetensors.torch import save_file

from tests.data.folders import write_image_folder
from tests.errors import refuses
from tests.training.trainings import load_weights
from vitviz.errors import CheckpointError, ConfigError, DataError, TrainingStopped
from vitviz.models import checkpoint
from vitviz.models.checkpoint import load
from vitviz.runs import run_folder
from vitviz.runs.training_run import train
from vitviz.training import timeline
from vitviz.training.config import TrainConfig
from vitviz.training.loop import TrainingLoop

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]


def interrupted(config: TrainConfig, monkeypatch, step: int) -> None:
    """Train until a stop is requested in this step."""
    real = TrainingLoop.step

    def request_stop(run, batch):
        real(run, batch)
        if run.step_count == step:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(TrainingLoop, "step", request_stop)
        with pytest.raises(TrainingStopped):
            train(config)


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["muon", "adamw", "adam"])
@pytest.mark.parametrize("step", [1, 4, 6])  # in the first epoch, at its end, and in the second
def test_a_stopped_and_resumed_run_ends_with_the_same_weights(config, monkeypatch, step, optimizer):
    model = replace(config.model, drop_path_rate=0.3)
    config = replace(config, optimizer=optimizer, model=model)
    whole = load_weights(train(replace(config, output_dir=f"{config.output_dir}-whole")))
    interrupted(config, monkeypatch, step)
    assert load(config.folder / "last.safetensors").record["steps"] == step
    path = train(config, resume=True)
    found = load_weights(path)
    assert all(torch.equal(found[name], whole[name]) for name in whole)
    with safe_open(path, "pt") as file:
        assert set(file.keys()) == whole.keys(), "without training state"
    one, other = (np.load(folder / "timeline.npz") for folder in (config.folder, Path(f"{config.output_dir}-whole")))
    assert np.array_equal(one["cls_attention"], other["cls_attention"])
    assert np.array_equal(one["epoch"], other["epoch"])
    lines = (config.folder / "metrics.jsonl").read_text().splitlines()
    noted = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    assert [line["epoch"] for line in noted] == sorted({0.25, step / 4, 1.0, 2.0}), "snapshot, each epoch, and the stop"


def test_a_run_on_an_image_folder_resumes_unless_an_image_has_changed(config, monkeypatch, tmp_path):
    pets = write_image_folder(tmp_path / "pets", {"ant": 50, "bee": 50})
    balanced = {"sampler": "balanced", "class_weight": "balanced", "layer_decay": 0.8}
    config = replace(config, dataset="folder", data=str(pets), batch_size=10, grad_accum_steps=2, **balanced)
    whole = load_weights(train(replace(config, output_dir=f"{config.output_dir}-whole")))
    interrupted(config, monkeypatch, 3)
    content = (pets / "ant" / "0.png").read_bytes()
    with Image.open(pets / "ant" / "0.png") as image:
        image.putpixel((14, 10), (249, 0, 0))  # too little for the mean
        image.save(pets / "ant" / "0.png")
    with pytest.raises(DataError, match="digest of the pixels"):
        train(config, resume=True)
    (pets / "ant" / "0.png").write_bytes(content)
    found = load_weights(train(config, resume=True))
    assert all(torch.equal(found[name], weight) for name, weight in whole.items())


def test_the_metrics_end_at_the_saved_state_of_a_stopped_run(config, monkeypatch):
    interrupted(config, monkeypatch, 3)
    (_, line) = map(json.loads, (config.folder / "metrics.jsonl").read_text().splitlines())  # after a snapshot's
    saved = load(config.folder / "last.safetensors").record
    assert (line["epoch"], line["progress"]) == (0.75, 0.375)
    assert saved["epochs"] == 0.75
    assert 0 < line["loss"] < 10
    assert line["accuracy"] is None


def test_a_stop_in_the_last_step_has_no_effect(config, monkeypatch):
    real = TrainingLoop.step

    def request_stop(run, batch):
        real(run, batch)
        if run.step_count == 8:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(TrainingLoop, "step", request_stop)
    assert "test_accuracy" in load(train(config)).record
    last = json.loads((config.folder / "metrics.jsonl").read_text().splitlines()[-1])
    assert last["progress"] == 1
    assert last["accuracy"] is not None


def test_metrics_after_the_saved_state_are_removed(config, monkeypatch):
    interrupted(config, monkeypatch, 5)  # after the first epoch was evaluated and saved
    metrics = config.folder / "metrics.jsonl"
    kept = metrics.read_text().splitlines()
    later = json.dumps(json.loads(kept[0]) | {"seconds": 1e6})
    metrics.write_text("\n".join([*kept, later, later[:20]]))
    train(config, resume=True)
    lines = metrics.read_text().splitlines()
    assert lines[:3] == kept
    assert [json.loads(line)["epoch"] for line in lines] == [0.25, 1.0, 1.25, 2.0]


def test_a_crash_loses_at_most_the_current_epoch(config, lose_process):
    whole = load_weights(train(replace(config, output_dir=f"{config.output_dir}-whole")))
    lose_process(config, 6)
    assert load(config.folder / "last.safetensors").record["steps"] == 4
    found = load_weights(train(config, resume=True))
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_the_size_limit_of_checkpoints_allows_for_the_training_state(config, lose_process, monkeypatch, optimizer):
    lose_process(replace(config, optimizer=optimizer), 6)
    path = config.folder / run_folder.LAST
    limit = 4 * checkpoint.count_parameters(config.model) + 2**14  # a finished checkpoint just fits
    monkeypatch.setattr(checkpoint, "MAX_BYTES", limit)
    assert path.stat().st_size > limit
    assert "training" in run_folder.load(path).record
    train(replace(config, optimizer=optimizer), resume=True)
    load(path, max_bytes=limit)


def test_invalid_lines_of_metrics_are_removed(config, lose_process):
    lose_process(config, 6)
    metrics = config.folder / "metrics.jsonl"
    first = metrics.read_text().splitlines()[0]
    metrics.write_text(f"{first}\nnonsense\n{{}}\n")
    train(config, resume=True)
    lines = metrics.read_text().splitlines()
    assert lines[0] == first
    assert all("seconds" in json.loads(line) for line in lines)


def test_a_run_without_its_timeline_resumes_and_records_later_snapshots(config, lose_process):
    whole = load_weights(train(replace(config, output_dir=f"{config.output_dir}-whole")))
    lose_process(config, 6)
    (config.folder / "timeline.npz").unlink()
    found = load_weights(train(config, resume=True))
    assert all(torch.equal(found[name], whole[name]) for name in whole)
    assert timeline.read(config.folder / "timeline.npz").epoch.tolist() == [2.0], "those at 0, 0.25 and 1 are missing"


def test_missing_snapshots_are_not_replaced_after_a_second_stop(config, lose_process, monkeypatch):
    config = replace(config, epochs=4, num_snapshots=8)
    lose_process(config, 6)
    (config.folder / "timeline.npz").unlink()
    with monkeypatch.context() as patch:
        real = TrainingLoop.step
        patch.setattr(TrainingLoop, "step", lambda run, batch: 1 / (14 - run.step_count) and real(run, batch))
        with pytest.raises(ZeroDivisionError):
            train(config, resume=True)
    train(config, resume=True)
    epochs = timeline.read(config.folder / "timeline.npz").epoch.tolist()
    assert epochs == [1.5, 2.25, 3.0, 4.0], "as without the second stop"


def test_resume_without_a_saved_state_starts_a_new_run(config):
    assert load(train(replace(config, epochs=1), resume=True)).record["steps"] == 4


def test_a_restart_by_torchrun_resumes_automatically(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert load(train(config)).record["steps"] == 8


@pytest.mark.parametrize("name", ["soft_labels", "lookahead", "alternating_flip"])
def test_a_run_with_an_option_of_an_earlier_version_is_refused_by_its_name(config, monkeypatch, name):
    interrupted(config, monkeypatch, 5)
    stored = json.loads((config.folder / "config.json").read_text())
    (config.folder / "config.json").write_text(json.dumps(stored | {name: None}))
    with pytest.raises(ConfigError) as found:
        train(config, resume=True)
    assert found.value.field == name


def test_a_run_cannot_resume_with_another_config(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    before = (config.folder / "last.safetensors").read_bytes()
    with refuses("batch_size"):
        train(replace(config, batch_size=20), resume=True)
    wider = replace(config.model, embed_dim=32)
    with refuses("model.embed_dim"):
        train(replace(config, model=wider), resume=True)
    assert (config.folder / "last.safetensors").read_bytes() == before


def test_a_run_resumes_without_compilation(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    assert load(train(replace(config, compile=False), resume=True)).record["steps"] == 8


def test_a_run_stopped_at_the_end_of_an_epoch_is_evaluated_before(config, monkeypatch):
    interrupted(config, monkeypatch, 4)
    train(config, resume=True)
    _, stopped, finished = map(json.loads, (config.folder / "metrics.jsonl").read_text().splitlines())
    assert (stopped["epoch"], finished["epoch"]) == (1.0, 2.0)
    assert stopped["accuracy"] is not None
    assert finished["images_per_second"] > 0


def test_a_config_without_newer_fields_resumes(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    stored = json.loads((config.folder / "config.json").read_text())
    del stored["teacher"], stored["distill_weight"]
    (config.folder / "config.json").write_text(json.dumps(stored))
    assert load(train(config, resume=True)).record["steps"] == 8


def test_a_finished_run_cannot_be_resumed(config):
    train(replace(config, epochs=1))
    with pytest.raises(ValueError, match="is finished: there is nothing to resume"):
        train(replace(config, epochs=1), resume=True)


def damaged_state(config: TrainConfig, change: Callable[[dict, dict], None]) -> None:
    """Change tensors and counters of a saved state."""
    path = config.folder / "last.safetensors"
    with safe_open(path, "pt") as file:
        metadata, tensors = file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    known = json.loads(metadata["vitviz"])
    change(tensors, known["record"]["training"])
    save_file(tensors, path, {"vitviz": json.dumps(known)})


def convert(tensors: dict, name: str, dtype: torch.dtype) -> None:
    tensors[name] = tensors[name].to(dtype)


WEIGHTS, MOMENT = "training.weights.head.weight", "training.optimizers.1.3.exp_avg"
DAMAGES = {
    "missing moment": (lambda tensors, _: tensors.pop(MOMENT), "tensors: got"),
    "missing moment, not counted": (
        lambda tensors, counters: (tensors.pop(MOMENT), counters.update(tensors=counters["tensors"] - 1)),
        "exp_avg is missing",
    ),
    "int64 weights": (lambda tensors, _: convert(tensors, WEIGHTS, torch.int64), "must be torch.float32"),
    "another shape": (lambda tensors, _: tensors.update({WEIGHTS: torch.zeros(3)}), "head.weight must be"),
    "NaN": (lambda tensors, _: tensors[MOMENT].fill_(torch.nan), "must be finite"),
    "another tensor": (lambda tensors, _: tensors.update({"training.optimizers.x": torch.zeros(1)}), "tensors: got"),
    "steps": (lambda _, counters: counters.update(step_count=-5), "step_count, input should be greater"),
    "seconds": (lambda _, counters: counters.update(seconds=-1.0), "is damaged|damaged: seconds|complete"),
    "a counter": (lambda _, counters: counters.pop("step_count"), "step_count, field required"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_state_is_refused_by_name_and_replaced_by_a_restart(config, lose_process, name):
    change, sentence = DAMAGES[name]
    lose_process(config, 6)
    damaged_state(config, change)
    with pytest.raises(ValueError, match=sentence):
        train(config, resume=True)
    assert "test_accuracy" in load(train(config, restart=True)).record


def test_a_lost_state_is_refused_instead_of_reset(config, lose_process):
    lose_process(config, 6)
    before = (config.folder / "metrics.jsonl").read_bytes()
    (config.folder / "last.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"saved state is missing.*restart=True"):
        train(config, resume=True)
    assert (config.folder / "metrics.jsonl").read_bytes() == before
    train(config, restart=True)


@pytest.mark.parametrize("name", ["process.json", "metrics.jsonl", "timeline.npz", "last.safetensors", "config.json"])
def test_nothing_is_written_through_a_link(config, lose_process, tmp_path, name):
    lose_process(config, 6)
    content = (config.folder / name).read_bytes()
    (config.folder / name).rename(tmp_path / "target")
    (config.folder / name).symlink_to(tmp_path / "target")
    with contextlib.suppress(ValueError, OSError):
        train(config, resume=True)
    assert (tmp_path / "target").read_bytes() == content
