"""A training on a false data set: what it learns, what it writes, when it ends and how it fails."""

import itertools
import json
import signal
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from vitviz.data import cifar, pictures
from vitviz.model import checkpoint
from vitviz.model.checkpoint import load
from vitviz.training import learner, loop, run_folder, timeline
from vitviz.training.evaluate import accuracy
from vitviz.training.loop import Run, TrainingError, train
from vitviz.training.recipe import TrainConfig, preset
from vitviz.training.schedule import patches_kept, schedule
from vitviz.training.team import Team

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]


def whole_run(config: TrainConfig) -> Run:
    """A run of this config that is not begun."""
    return Run(config, Team(), cifar.load("train", config.data), cifar.load("test", config.data))


@pytest.mark.slow
def test_one_batch_can_be_learned_by_heart(config, monkeypatch):
    monkeypatch.setattr(learner.augment, "shift_and_flip", lambda images: images)  # of noise nothing would be left
    plain = {"cutmix": 0.0, "label_smoothing": 0.0, "first_patches": 1.0, "last_patches": 1.0, "warm_up": 0.0}
    run = whole_run(replace(config, average_decay=0.0, muon_rate=0.01, adam_rate=0.01, **plain))
    batch = torch.arange(10)
    for _ in range(80):
        run.step(batch)
    result = run.result({})
    assert accuracy(result, run.images[batch], run.labels[batch]) == 1.0
    assert accuracy(result, run.images[50:], run.labels[50:]) < 0.5, "the others are noise"


def test_a_run_leaves_config_metrics_checkpoint_and_timeline(config):
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
    assert [line["epoch"] for line in lines] == [1.0, 2.0]
    assert [line["share"] for line in lines] == [0.5, 1.0]
    assert all(1 < line["loss"] < 10 for line in lines)
    assert [progress.accuracy for progress in seen] == [line["accuracy"] for line in lines]

    result = load(path)
    assert (result.classes, result.mean, result.std) == (cifar.CLASSES, cifar.MEAN, cifar.STD)
    assert result.model.config == config.model
    assert result.record["test_accuracy"] == accuracy(result, *cifar.load("test", config.data))
    assert (result.record["pictures"], result.record["epochs"], result.record["steps"]) == (100, 2.0, 8)
    assert result.record["recipe"]["muon_rate"] == config.muon_rate
    assert not {"data", "out"} & result.record["recipe"].keys(), "paths of this machine are nobody's business"

    with np.load(folder / "timeline.npz") as found:
        assert found["rows"].shape == (4, 10, 2, 2, 17)
        assert found["names"].tolist() == list(pictures.sample_paths())
        assert found["epoch"][0] == 0
        assert found["epoch"][-1] == 2
        assert np.abs(np.diff(found["rows"].astype(np.float32), axis=0)).max() > 0, "the weights moved"


def test_the_timeline_is_whole_on_disk_after_every_snapshot(config, monkeypatch):
    real, seen = Run.snapshot, []

    def watched(run):
        real(run)
        found = timeline.read(run.timeline_path)
        seen.append((len(found.epoch), found.epoch[-1]))

    monkeypatch.setattr(Run, "snapshot", watched)
    train(config)
    assert seen == [(1, 0), (2, 0.25), (3, 1), (4, 2)]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights_and_another_does_not(config):
    def trained(name, seed):
        return weights(train(replace(config, out=str(config.folder / name), seed=seed)))

    first, again, other = trained("first", 0), trained("again", 0), trained("other", 1)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["head.weight"], other["head.weight"])


def test_a_part_of_the_pictures_can_be_used(config):
    record = load(train(replace(config, pictures=30, batch_size=20, epochs=1, snapshots=0))).record
    assert (record["pictures"], record["steps"]) == (30, 2)
    assert not (config.folder / "timeline.npz").exists()


def test_a_budget_in_epochs_may_end_within_one(config):
    record = load(train(replace(config, epochs=1.4, snapshots=0))).record
    assert record["steps"] == 6  # 1.4 epochs of 4 steps, rounded up
    assert record["epochs"] == 1.5


def test_a_budget_in_minutes_ends_by_the_clock(config, monkeypatch):
    clock = itertools.count()  # every look at it takes a second
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    seen = []
    record = load(train(replace(config, epochs=None, minutes=0.25, snapshots=0), seen.append)).record
    assert 4 <= record["steps"] <= 15
    assert seen[-1].share == 1
    assert [progress.share for progress in seen] == sorted(progress.share for progress in seen)


def test_a_run_folder_with_a_trained_model_is_not_overwritten(config):
    path = train(replace(config, epochs=1, snapshots=0))
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"A run folder must be new: .* holds a training"):
        train(replace(config, epochs=1, snapshots=0))
    assert path.read_bytes() == before


def test_the_timeline_of_a_run_that_never_saved_does_not_pass_for_the_next_ones(config, lose_process):
    lose_process(config, 2)
    assert (config.folder / "timeline.npz").exists()
    train(replace(config, epochs=1, snapshots=0))
    assert not (config.folder / "timeline.npz").exists()


def weights(path) -> dict[str, torch.Tensor]:
    return load(path).model.state_dict()


def interrupted(config: TrainConfig, monkeypatch, step: int) -> None:
    """Train, with a stop asked for in the middle of this step."""
    real = Run.step

    def asking(run, batch):
        real(run, batch)
        if run.learner.step_count == step:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "step", asking)
        with pytest.raises(TrainingError, match=r"Stopped as asked in epoch .* --resume --out"):
            train(config)


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["muon", "adamw", "adam"])
@pytest.mark.parametrize("step", [1, 4, 6])  # in the first pass, at its end, and in the second
def test_a_training_that_was_stopped_and_goes_on_ends_with_the_same_weights(config, monkeypatch, step, optimizer):
    config = replace(config, optimizer=optimizer, model=replace(config.model, drop_path=0.3))
    whole = weights(train(replace(config, out=f"{config.out}-whole")))
    interrupted(config, monkeypatch, step)
    assert load(config.folder / "last.safetensors").record["steps"] == step
    path = train(config, resume=True)
    found = weights(path)
    assert all(torch.equal(found[name], whole[name]) for name in whole)
    assert path.stat().st_size == Path(f"{config.out}-whole/last.safetensors").stat().st_size, "no state is left in it"
    one, other = (np.load(folder / "timeline.npz") for folder in (config.folder, Path(f"{config.out}-whole")))
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
        if run.learner.step_count == 8:
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
    whole = weights(train(replace(config, out=f"{config.out}-whole")))
    lose_process(config, 6)
    assert load(config.folder / "last.safetensors").record["steps"] == 4
    found = weights(train(config, resume=True))
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_an_unfinished_run_may_be_as_large_as_its_states_make_it(config, lose_process, monkeypatch, optimizer):
    lose_process(replace(config, optimizer=optimizer), 6)
    path = config.folder / run_folder.LAST
    limit = 4 * checkpoint.parameters(config.model) + 2**14  # a finished checkpoint just fits
    monkeypatch.setattr(checkpoint, "MOST_BYTES", limit)
    assert path.stat().st_size > limit
    assert "training" in run_folder.load(path).record
    train(replace(config, optimizer=optimizer), resume=True)
    load(path, most=limit)


def test_a_network_that_could_not_be_loaded_is_not_trained(config):
    large = replace(config.model, width=4096, depth=9, heads=8)
    with pytest.raises(ValueError, match="A network to train may have at most 67 million parameters: width and depth"):
        train(replace(config, model=large, data="nowhere"))
    assert not config.folder.exists()


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
    whole = weights(train(replace(config, out=f"{config.out}-whole")))
    lose_process(config, 6)
    (config.folder / "timeline.npz").unlink()
    found = weights(train(config, resume=True))
    assert all(torch.equal(found[name], whole[name]) for name in whole)
    assert timeline.read(config.folder / "timeline.npz").epoch.tolist() == [2.0], "0, 0.25 and 1 are lost"


def test_lost_moments_are_not_made_up_for_after_a_second_stop_either(config, lose_process, monkeypatch):
    config = replace(config, epochs=4, snapshots=8)
    lose_process(config, 6)
    (config.folder / "timeline.npz").unlink()
    with monkeypatch.context() as patch:
        real = Run.step
        patch.setattr(Run, "step", lambda run, batch: 1 / (14 - run.learner.step_count) and real(run, batch))
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
    wider = replace(config.model, width=32)
    with pytest.raises(ValueError, match=r"began with: model\.width is 24 in .* and 32 here\. Leave the option out"):
        train(replace(config, model=wider), resume=True)
    assert (config.folder / "last.safetensors").read_bytes() == before


def test_a_run_goes_on_where_nothing_is_compiled(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    assert load(train(replace(config, compiled=False), resume=True)).record["steps"] == 8


def test_a_run_that_goes_on_at_the_end_of_a_pass_tells_the_rate_that_is_due(config, monkeypatch):
    interrupted(config, monkeypatch, 4)
    train(config, resume=True)
    stopped, measured, *_ = map(json.loads, (config.folder / "metrics.jsonl").read_text().splitlines())
    assert measured["accuracy"] is not None
    assert measured["epoch"] == stopped["epoch"] == 1.0
    assert measured["learning_rate"] == pytest.approx(config.muon_rate * schedule(config, 0.5))
    assert measured["pictures_per_second"] > 0


def test_a_run_from_before_an_option_was_there_is_gone_on_with(config, monkeypatch):
    interrupted(config, monkeypatch, 5)
    stored = json.loads((config.folder / "config.json").read_text())
    del stored["teacher"], stored["teacher_share"]
    (config.folder / "config.json").write_text(json.dumps(stored))
    assert load(train(config, resume=True)).record["steps"] == 8


def test_a_finished_run_is_not_gone_on_with(config):
    train(replace(config, epochs=1))
    with pytest.raises(ValueError, match="is finished: there is nothing to resume"):
        train(replace(config, epochs=1), resume=True)


def test_a_training_can_start_from_other_weights_with_a_new_head(config):
    first = train(replace(config, epochs=1))
    run = whole_run(replace(config, start=str(first), model=replace(config.model, classes=7)))
    source, begun = load(first).model.state_dict(), run.learner.model.state_dict()
    assert all(torch.equal(begun[name], source[name]) for name in source if not name.startswith("head."))
    assert begun["head.weight"].shape == (7, 24)
    assert not begun["head.weight"].any()
    assert torch.equal(run.learner.average.pos_embed, source["pos_embed"])


def test_a_training_does_not_start_from_another_network(config):
    first = train(replace(config, epochs=1))
    sentence = r"the same network: depth is 2 in last and 3 here\. Set model\.depth=2"
    with pytest.raises(ValueError, match=sentence):
        whole_run(replace(config, start=str(first), model=replace(config.model, depth=3)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tutorial-notebook", "tutorial-lightning", "tutorial-scratch", "cifar10-s4"])
def test_each_preset_trains(config, name):
    given = preset(name)
    small = replace(given.model, width=24, heads=2, depth=2, mlp_width=40)
    path = train(
        replace(
            given, model=small, epochs=1, minutes=None, batch_size=25, data=config.data, out=config.out, snapshots=3
        )
    )
    assert load(path).record["steps"] == 4
    assert load(path).model.config.architecture == given.model.architecture


def test_pictures_held_out_are_measured_on_and_the_test_set_is_not_touched(config, monkeypatch):
    real, loaded = cifar.load, []
    monkeypatch.setattr(cifar, "load", lambda split, data: loaded.append(split) or real(split, data))
    result = load(train(replace(config, held_out=30, epochs=1)))
    assert loaded == ["train"]
    assert result.record["pictures"] == 70
    assert "test_accuracy" not in result.record
    images, labels = real("train", config.data)
    assert result.record["held_out_accuracy"] == accuracy(result, images[70:], labels[70:])


def test_weights_that_are_no_numbers_do_not_replace_good_ones(config, monkeypatch):
    real = Run.step

    def breaking(run, batch):
        real(run, batch)
        if run.learner.step_count == 8:
            with torch.no_grad():
                run.learner.average.head.weight[0, 0] = float("inf")

    monkeypatch.setattr(Run, "step", breaking)
    with pytest.raises(TrainingError, match=r"The weights must stay finite: they are not after step 8\. Lower"):
        train(config)
    assert load(config.folder / "last.safetensors").record["steps"] == 4


def test_more_processes_than_pictures_are_refused(config, monkeypatch):
    monkeypatch.setattr(Team, "__enter__", lambda team: team)
    monkeypatch.setattr(Team, "__exit__", lambda *given: None)
    monkeypatch.setenv("WORLD_SIZE", "30")
    with pytest.raises(ValueError, match="must be at least the number of processes: 25 is below 30"):
        train(config)


def test_a_loss_that_is_no_number_stops_the_training_and_keeps_the_last_whole_epoch(config, monkeypatch):
    real, calls = learner.F.cross_entropy, itertools.count()

    def failing(*given, **named):
        return real(*given, **named) * (float("nan") if next(calls) >= 6 else 1)  # in the middle of the second epoch

    monkeypatch.setattr(learner.F, "cross_entropy", failing)
    sentence = rf"it is nan after step 8\. Lower the learning rates\. {config.folder}/last.safetensors keeps the state"
    with pytest.raises(TrainingError, match=sentence):
        train(config)
    assert load(config.folder / "last.safetensors").record["epochs"] == 1.0  # and its weights are finite: `load` checks
    assert len((config.folder / "metrics.jsonl").read_text().splitlines()) == 1


def test_a_loss_that_is_no_number_is_found_within_a_long_epoch(config, monkeypatch):
    monkeypatch.setattr(loop, "LOOK_EVERY", -1.0)  # every step
    monkeypatch.setattr(learner.F, "cross_entropy", lambda logits, *given, **named: logits.sum() * float("inf"))
    with pytest.raises(TrainingError, match=r"it is (nan|inf|-inf) after step 1\."):
        train(replace(config, batch_size=2))
    assert not (config.folder / "last.safetensors").exists()


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory."), MemoryError()])
def test_memory_that_runs_out_is_said_and_the_last_whole_epoch_kept(config, monkeypatch, error):
    real, calls = learner.F.cross_entropy, itertools.count()

    def failing(*given, **named):
        if next(calls) == 6:  # in the middle of the second epoch
            raise error
        return real(*given, **named)

    monkeypatch.setattr(learner.F, "cross_entropy", failing)
    with pytest.raises(TrainingError, match=r"A step must fit into memory: 25 pictures in this network do not\. Lower"):
        train(config)
    assert load(config.folder / "last.safetensors").record["epochs"] == 1.0


def test_pictures_that_do_not_fit_into_memory_are_said(config, monkeypatch):
    def full(*given):
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(loop, "data_sets", full)
    with pytest.raises(TrainingError, match=r"The pictures must fit into memory: they do not\. Use a smaller data set"):
        train(config)
    assert not config.folder.exists()


def test_without_data_nothing_is_written(config, tmp_path):
    with pytest.raises(cifar.DataError, match="CIFAR-10 is not in"):
        train(replace(config, data=str(tmp_path / "nowhere")))
    assert not config.folder.exists()


@pytest.mark.parametrize(
    ("kind", "rates"), [("line", [0, 0.5, 1, 0.5, 0]), ("cosine", [0, 0.5, 1, 0.5, 0]), ("constant", [0, 0.5, 1, 1, 1])]
)
def test_the_rate_climbs_straight_and_then_goes_as_it_is_told(kind, rates):
    config = TrainConfig(schedule=kind, warm_up=0.2)
    assert [schedule(config, share) for share in (0, 0.1, 0.2, 0.6, 1)] == pytest.approx(rates)
    assert schedule(replace(config, warm_up=0.0), 0) == 1


def test_a_cosine_falls_slowly_at_both_ends():
    config = TrainConfig(schedule="cosine", warm_up=0.0)
    assert [schedule(config, share) for share in (1 / 3, 2 / 3)] == pytest.approx([0.75, 0.25])


def test_the_rates_of_a_run_follow_the_schedule(config, monkeypatch):
    rates = []
    real = Run.step

    def watched(run, batch):
        real(run, batch)
        rates.append([group["lr"] for chosen in run.learner.optimizers for group in chosen.param_groups])

    monkeypatch.setattr(Run, "step", watched)
    train(replace(config, muon_rate=0.01, adam_rate=0.02, warm_up=0.25, snapshots=0))
    muon, adamw = {tuple(step) for step in zip(*[r[:4] for r in rates], strict=True)}, [r[-1] for r in rates]
    expected = np.array([3, 9, 11, 9, 7, 5, 3, 1]) / 12  # in the middle of each step
    assert len(muon) == 1
    assert next(iter(muon)) == pytest.approx(0.01 * expected)
    assert adamw == pytest.approx(0.02 * expected)


@pytest.mark.parametrize("epochs", [1, 0.5])
def test_a_single_step_learns(config, epochs):
    config = replace(config, pictures=25, epochs=epochs, snapshots=0)
    first = whole_run(config).learner.model.state_dict()
    path = train(config)
    assert load(path).record["steps"] == 1
    assert not torch.equal(weights(path)["head.weight"], first["head.weight"])


def test_patches_kept_climb_steadily_and_then_are_all():
    config = TrainConfig(first_patches=0.3, last_patches=0.5, all_patches_from=0.8)
    shares = (0, 0.4, 0.7999999, 0.8, 1)
    assert [patches_kept(config, share) for share in shares] == pytest.approx([0.3, 0.4, 0.5, 1, 1], abs=1e-6)


def test_the_network_is_given_the_patches_that_are_kept(config, monkeypatch):
    given = []
    real = learner.ViT.forward
    monkeypatch.setattr(
        learner.ViT, "forward", lambda model, images, keep=None: given.append(keep) or real(model, images, keep)
    )
    run = whole_run(replace(config, first_patches=0.25, last_patches=0.5, all_patches_from=0.8))
    for share in (0, 0.4, 0.9):
        run.share = share
        run.step(torch.arange(25))
    assert [None if keep is None else tuple(keep.shape) for keep in given] == [(25, 4), (25, 6), None]


def test_the_average_starts_close_to_the_weights_and_grows_slow(config):
    run = whole_run(replace(config, average_decay=0.9, warm_up=0.0))
    torch.nn.init.ones_(run.learner.model.head.bias)
    for step, moved in [(0, 1.0), (1, 9 / 11), (10_000, 0.1)]:  # decay (1 + 1) / (10 + 1) at step 1, then 0.9
        torch.nn.init.zeros_(run.learner.average.head.bias)
        run.learner.step_count = step
        run.learner.blend()
        torch.testing.assert_close(run.learner.average.head.bias, torch.full((10,), moved), rtol=0, atol=1e-6)


def test_the_average_is_that_of_torch(config):
    run = whole_run(replace(config, average_decay=0.3, warm_up=0.0))
    expected = AveragedModel(run.learner.model)
    for decay in (0.0, 2 / 11, 3 / 12, 0.3, 0.3):
        expected.multi_avg_fn = get_ema_multi_avg_fn(decay)
        run.step(torch.arange(25))
        expected.update_parameters(run.learner.model)
    assert not torch.equal(run.learner.average.head.weight, run.learner.model.head.weight)
    for name, weight in expected.module.state_dict().items():
        assert torch.equal(run.learner.average.state_dict()[name], weight), name


def test_accuracy_by_hand(cifar_folder, cifar_config, config):
    result = whole_run(config).result({})
    with torch.no_grad():
        result.model.head.bias.copy_(torch.eye(10)[3])  # a fresh head has no weights: it always says 3
    images = torch.zeros(7, 3, 32, 32, dtype=torch.uint8)
    done = []
    assert accuracy(result, images, torch.tensor([3, 3, 0, 1, 2, 3, 9]), batch_size=3, report=done.append) == 3 / 7
    assert done == [3, 3, 1]
