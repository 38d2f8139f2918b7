"""Trainings that were stopped or lost and go on: the same weights, and what is refused."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.training.trainings import weights
from vitviz.models import checkpoint
from vitviz.models.checkpoint import load
from vitviz.runs import run_folder, timeline
from vitviz.runs.training_run import Run, TrainingError, train
from vitviz.training.config import TrainConfig
from vitviz.training.schedule import lr_factor

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]


def interrupted(config: TrainConfig, monkeypatch, step: int) -> None:
    """Train, with a stop asked for in the middle of this step."""
    real = Run.step

    def asking(run, batch):
        real(run, batch)
        if run.trainer.step_count == step:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "step", asking)
        with pytest.raises(TrainingError, match=r"Stopped as asked in epoch .* --resume --out"):
            train(config)


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["muon", "adamw", "adam"])
@pytest.mark.parametrize("step", [1, 4, 6])  # in the first pass, at its end, and in the second
def test_a_training_that_was_stopped_and_goes_on_ends_with_the_same_weights(config, monkeypatch, step, optimizer):
    config = replace(config, optimizer=optimizer, model=replace(config.model, drop_path_rate=0.3))
    whole = weights(train(replace(config, output_dir=f"{config.output_dir}-whole")))
    interrupted(config, monkeypatch, step)
    assert load(config.folder / "last.safetensors").record["steps"] == step
    path = train(config, resume=True)
    found = weights(path)
    assert all(torch.equal(found[name], whole[name]) for name in whole)
    assert path.stat().st_size == Path(f"{config.output_dir}-whole/last.safetensors").stat().st_size, (
        "no state is left in it"
    )
    one, other = (np.load(folder / "timeline.npz") for folder in (config.folder, Path(f"{config.output_dir}-whole")))
    assert np.array_equal(one["rows"], other["rows"])
    assert np.array_equal(one["epoch"], other["epoch"])
    lines = (config.folder / "metrics.jsonl").read_text().splitlines()
    noted = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    assert [line["epoch"] for line in noted] == sorted([step / 4, 1.0, 2.0]), "each pass, and where it was stopped"


def test_the_metrics_end_where_a_stopped_training_was_saved(config, monkeypatch):
    interrupted(config, monkeypatch, 3)
    (line,) = map(json.loads, (config.folder / "metrics.jsonl").read_text().splitlines())
    saved = load(config.folder / "last.safetensors").record
    assert (line["epoch"], line["share"]) == (0.75, 0.375)
    assert saved["epochs"] == 0.75
    assert 0 < line["loss"] < 10
    assert line["accuracy"] is None


def test_a_stop_in_the_very_last_step_changes_nothing(config, monkeypatch):
    real = Run.step

    def asking(run, batch):
        real(run, batch)
        if run.trainer.step_count == 8:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Run, "step", asking)
    assert "test_accuracy" in load(train(config)).record
    last = json.loads((config.folder / "metrics.jsonl").read_text().splitlines()[-1])
    assert last["share"] == 1
    assert last["accuracy"] is not None


def test_what_was_noted_after_the_saved_state_is_taken_back(config, monkeypatch):
    interrupted(config, monkeypatch, 5)  # after the first pass was measured and saved
    metrics = config.folder / "metrics.jsonl"
    first, stopped = metrics.read_text().splitlines()
    later = json.dumps(json.loads(first) | {"seconds": 1e6})
    metrics.write_text(f"{first}\n{stopped}\n{later}\n" + later[:20])
    train(config, resume=True)
    lines = metrics.read_text().splitlines()
    assert lines[:2] == [first, stopped]
    assert [json.loads(line)["epoch"] for line in lines] == [1.0, 1.25, 2.0]


def test_a_lost_process_loses_at_most_the_pass_it_was_in(config, lose_process):
    whole = weights(train(replace(config, output_dir=f"{config.output_dir}-whole")))
    lose_process(config, 6)
    assert load(config.folder / "last.safetensors").record["steps"] == 4
    found = weights(train(config, resume=True))
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_an_unfinished_run_may_be_as_large_as_its_states_make_it(config, lose_process, monkeypatch, optimizer):
    lose_process(replace(config, optimizer=optimizer), 6)
    path = config.folder / run_folder.LAST
    limit = 4 * checkpoint.count_parameters(config.model) + 2**14  # a finished checkpoint just fits
    monkeypatch.setattr(checkpoint, "MAX_BYTES", limit)
    assert path.stat().st_size > limit
    assert "training" in run_folder.load(path).record
    train(replace(config, optimizer=optimizer), resume=True)
    load(path, max_bytes=limit)


def test_a_line_of_metrics_that_cannot_be_read_is_taken_back(config, lose_process):
    lose_process(config, 6)
    metrics = config.folder / "metrics.jsonl"
    first = metrics.read_text().splitlines()[0]
    metrics.write_text(f"{first}\nnonsense\n{{}}\n")
    train(config, resume=True)
    lines = metrics.read_text().splitlines()
    assert lines[0] == first
    assert all("seconds" in json.loads(line) for line in lines)


def test_a_run_whose_timeline_is_gone_goes_on_and_keeps_the_moments_to_come(config, lose_process):
    whole = weights(train(replace(config, output_dir=f"{config.output_dir}-whole")))
    lose_process(config, 6)
    (config.folder / "timeline.npz").unlink()
    found = weights(train(config, resume=True))
    assert all(torch.equal(found[name], whole[name]) for name in whole)
    assert timeline.read(config.folder / "timeline.npz").epoch.tolist() == [2.0], "0, 0.25 and 1 are lost"


def test_lost_moments_are_not_made_up_for_after_a_second_stop_either(config, lose_process, monkeypatch):
    config = replace(config, epochs=4, num_snapshots=8)
    lose_process(config, 6)
    (config.folder / "timeline.npz").unlink()
    with monkeypatch.context() as patch:
        real = Run.step
        patch.setattr(Run, "step", lambda run, batch: 1 / (14 - run.trainer.step_count) and real(run, batch))
        with pytest.raises(ZeroDivisionError):
            train(config, resume=True)
    train(config, resume=True)
    epochs = timeline.read(config.folder / "timeline.npz").epoch.tolist()
    assert epochs == [1.5, 2.25, 3.0, 4.0], "as they would have come without a second stop"


def test_resume_without_anything_saved_begins(config):
    assert load(train(replace(config, epochs=1), resume=True)).record["steps"] == 4


def test_a_restart_by_torchrun_goes_on_by_itself(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert load(train(config)).record["steps"] == 8


def test_a_run_of_another_config_is_not_gone_on_with(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    before = (config.folder / "last.safetensors").read_bytes()
    sentence = r"A run goes on with the config it began with: batch_size is 25 in .* and 20 here\. Leave the option out"
    with pytest.raises(ValueError, match=sentence):
        train(replace(config, batch_size=20), resume=True)
    wider = replace(config.model, embed_dim=32)
    with pytest.raises(ValueError, match=r"began with: model\.width is 24 in .* and 32 here\. Leave the option out"):
        train(replace(config, model=wider), resume=True)
    assert (config.folder / "last.safetensors").read_bytes() == before


def test_a_run_goes_on_where_nothing_is_compiled(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    assert load(train(replace(config, compile=False), resume=True)).record["steps"] == 8


def test_a_run_that_goes_on_at_the_end_of_a_pass_tells_the_rate_that_is_due(config, monkeypatch):
    interrupted(config, monkeypatch, 4)
    train(config, resume=True)
    stopped, measured, *_ = map(json.loads, (config.folder / "metrics.jsonl").read_text().splitlines())
    assert measured["accuracy"] is not None
    assert measured["epoch"] == stopped["epoch"] == 1.0
    assert measured["learning_rate"] == pytest.approx(config.muon_lr * lr_factor(config, 0.5))
    assert measured["images_per_second"] > 0


def test_a_run_from_before_an_option_was_there_is_gone_on_with(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    stored = json.loads((config.folder / "config.json").read_text())
    del stored["teacher"], stored["distill_weight"]
    (config.folder / "config.json").write_text(json.dumps(stored))
    assert load(train(config, resume=True)).record["steps"] == 8


def test_a_finished_run_is_not_gone_on_with(config):
    train(replace(config, epochs=1))
    with pytest.raises(ValueError, match="is finished: there is nothing to resume"):
        train(replace(config, epochs=1), resume=True)
