"""A grid of trainings: what is refused before it starts, what it notes, and that it goes on where it was."""

import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from vitviz.data.cifar import DataError
from vitviz.models.checkpoint import load
from vitviz.runs import sweep
from vitviz.runs.process import Stopped, Work
from vitviz.runs.sweep import Sweep
from vitviz.runs.training_run import Run
from vitviz.training.config import TrainConfig, TrainingError

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]
GRID = ("model.depth=1,2", "seed=0,1")
NAMES = ["grid-depth1-seed0", "grid-depth1-seed1", "grid-depth2-seed0", "grid-depth2-seed1"]


@pytest.fixture
def grid(config, tmp_path) -> Sweep:
    return Sweep(replace(config, epochs=1, num_snapshots=0), GRID, tmp_path / "runs" / "grid")


def test_a_sweep_has_a_run_for_each_combination(grid):
    runs = grid.runs()
    assert list(runs) == NAMES
    settings, last = runs[NAMES[-1]]
    assert settings == {"model.depth": "2", "seed": "1"}
    assert (last.model.depth, last.seed, last.epochs) == (2, 1, 1)
    assert last.folder == grid.folder.parent / NAMES[-1]


def test_values_with_commas_of_their_own_stand_in_brackets(grid):
    found = sweep.combinations(("model.img_size=[32,32],[48,40]", "seed=0,1"))
    assert [one["model.img_size"] for one in found] == ["[32,32]", "[32,32]", "[48,40]", "[48,40]"]
    sizes = [
        config.model.img_size for _, config in replace(grid, vary=("model.img_size=[16,8],[8,16]",)).runs().values()
    ]
    assert sizes == [(16, 8), (8, 16)]


@pytest.mark.parametrize(
    ("vary", "sentence"),
    [
        (
            ("model.num_heads=1,5,7", "seed=0,1"),
            r"Each combination must fit\. These do not: model\.heads=5 seed=0 \(heads must divide width: 24 is not a "
            r"multiple of 5\. Use 4 or 6\.\); .*; model\.heads=7 seed=0 .* And 1 more\. Leave them out\.",
        ),
        ((), "A sweep has 2 to 64 combinations: got 1. Vary for example seed=0,1,2"),
        (("seed=0",), "A sweep has 2 to 64 combinations: got 1"),
        (("seed=" + ",".join(map(str, range(65))),), "A sweep has 2 to 64 combinations: got 65"),
        (("seed=0,1", "seed=2,3"), "Each setting is varied once: got seed=0,1 and seed=2,3"),
        (("seed=0,0",), "with different values: got 'seed'"),
        (("seed",), "What is varied needs values: got none for seed. Give some, such as 2, 4, 8."),
        (("data=a,b",), "with different values: got 'data'"),
        (("wings=1,2",), r"These do not: wings=1 \(A setting is NAME=VALUE with a known name"),
        (("lr=1e-3,1e3,1e+3",), "needs a name of at most 64 letters of its own: grid-adamrate1e3"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(grid, vary, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(grid, vary=vary)
    assert not grid.folder.parent.exists()


@pytest.mark.parametrize("folder", [".", "..", "runs/.."])
def test_a_folder_without_a_name_is_refused(grid, folder):
    with pytest.raises(ValueError, match=r"The folder of a sweep must have a name, .*: got '.*'\. Name another"):
        replace(grid, folder=Path(folder))


def test_a_sweep_trains_one_after_another_and_notes_what_came_of_each(grid):
    grid.write()
    begun, ended = [], []
    grid.run(begin=begun.append, end=ended.append)
    assert begun == NAMES
    lines = [json.loads(line) for line in (grid.folder / sweep.RESULTS).read_text().splitlines()]
    assert lines == ended == grid.results()
    assert [line["run"] for line in lines] == NAMES
    for line in lines:
        record = load(grid.folder.parent / line["run"] / "last.safetensors").record
        assert (line["state"], line["message"]) == ("finished", "")
        assert [line[name] for name in ("parameters", "epochs", "seconds")] == [
            record[name] for name in ("parameters", "epochs", "seconds")
        ]
        assert line["accuracy"] == record["test_accuracy"]
    assert lines[0]["parameters"] < lines[2]["parameters"]
    again = []
    sweep.read(grid.folder).run(begin=again.append)
    assert again == [], "all is done"


def test_a_run_of_another_sweep_does_not_pass_for_one_of_this(grid):
    (grid.folder.parent / NAMES[1]).mkdir(parents=True)
    with pytest.raises(ValueError, match=f"The runs of a sweep must be new: {NAMES[1]} in "):
        grid.write()
    assert not grid.folder.exists()


def test_a_sweep_that_is_stopped_goes_on_where_it_was(grid, monkeypatch):
    grid.write()
    real = Run.step

    def asking(run: Run, batch):
        real(run, batch)
        if run.config.folder.name == NAMES[1] and run.trainer.step_count == 2:
            signal.raise_signal(signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "step", asking)
        with pytest.raises(Stopped, match=r"after 1 of 4 runs; nothing is lost\. Go on with: .* sweep --resume --out"):
            grid.run()
    assert load(grid.folder.parent / NAMES[1] / "last.safetensors").record["steps"] == 2
    begun = []
    sweep.read(grid.folder).run(begin=begun.append)
    assert begun == NAMES[1:]
    assert [line["run"] for line in grid.results()] == NAMES


def test_a_sweep_that_is_stopped_while_it_waits_for_room_goes_on_with_that_run(grid, monkeypatch):
    grid.write()

    def full(work: Work, write: Callable[[], None]) -> float:
        if work.folder.name == NAMES[1]:
            work.stop.requested = True
            raise Stopped("The disk is full.")  # as `Work.retry_while_disk_full` does then
        return real(work, write)

    real = Work.retry_while_disk_full
    with monkeypatch.context() as patch:
        patch.setattr(Work, "retry_while_disk_full", full)
        with pytest.raises(Stopped, match="after 1 of 4 runs"):
            grid.run()
    sweep.read(grid.folder).run()
    assert [(line["run"], line["state"]) for line in grid.results()] == [(name, "finished") for name in NAMES]


def test_a_stop_that_comes_while_a_run_ends_stops_the_sweep(grid, monkeypatch):
    grid.write()
    real = Run.finish

    def asking(run: Run):
        signal.raise_signal(signal.SIGTERM)
        return real(run)

    monkeypatch.setattr(Run, "finish", asking)
    with pytest.raises(Stopped, match=r"after 1 of 4 runs; nothing is lost"):
        grid.run()
    assert [line["state"] for line in grid.results()] == ["finished"]


@pytest.mark.parametrize(
    ("error", "begins"),
    [(TrainingError, ""), (ValueError, ""), (RuntimeError, "An error of vitviz itself: RuntimeError: ")],
)  # of these the second is a network that does not fit its start
def test_a_run_that_fails_is_noted_and_the_next_begins(grid, monkeypatch, error, begins):
    grid.write()
    real = Run.step

    def failing(run: Run, batch):
        if run.config.folder.name == NAMES[0]:
            raise error("The loss must stay finite.")
        real(run, batch)

    monkeypatch.setattr(Run, "step", failing)
    grid.run()
    first, *others = grid.results()
    assert first["message"] == f"{begins}The loss must stay finite."
    assert (first["state"], first["accuracy"]) == ("failed", None)
    assert [line["state"] for line in others] == ["finished"] * 3


def test_a_run_that_asks_too_much_of_the_data_set_is_noted_and_the_next_begins(grid):
    grid = replace(grid, vary=("val_size=100,10",))
    grid.write()
    grid.run()
    assert [line["state"] for line in grid.results()] == ["failed", "finished"]
    assert "val_size must leave images to train on: of 100 it takes 100" in grid.results()[0]["message"]


def test_a_data_set_that_is_not_there_ends_the_sweep(grid):
    grid = replace(grid, config=replace(grid.config, data="nowhere"))
    grid.write()
    with pytest.raises(DataError, match="CIFAR-10 is not in nowhere"):
        grid.run()
    assert grid.results() == []


def test_what_no_run_is_to_blame_for_ends_the_sweep(grid, monkeypatch):
    grid.write()

    def failing(run: Run, batch):
        raise PermissionError

    monkeypatch.setattr(Run, "step", failing)
    with pytest.raises(PermissionError):
        grid.run()
    assert grid.results() == []


def test_a_run_that_ended_without_being_noted_is_not_trained_again(grid):
    grid.write()
    grid.run()
    results = grid.folder / sweep.RESULTS
    lines = results.read_text().splitlines(keepends=True)
    results.write_text(lines[0] + lines[1][:20])  # as a kill leaves it
    before = load(grid.folder.parent / NAMES[1] / "last.safetensors").record
    grid.run()
    assert [line["run"] for line in grid.results()] == NAMES
    assert load(grid.folder.parent / NAMES[1] / "last.safetensors").record == before


def test_a_folder_in_use_or_without_a_sweep_is_refused(grid, tmp_path):
    grid.write()
    with pytest.raises(ValueError, match=r"The folder of a sweep must be new: .* is in use"):
        grid.write()
    with pytest.raises(ValueError, match=r"must hold a sweep\.json: .* has none"):
        sweep.read(tmp_path)


def test_the_config_of_a_sweep_is_read_back(grid):
    grid.write()
    assert isinstance(grid.config, TrainConfig)
    assert sweep.read(grid.folder) == grid
