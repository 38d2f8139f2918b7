"""Sweeps: checks before the start, results, and resuming."""

import json
import signal
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.errors import refuses
from vitviz.errors import ConfigError, DataError, TrainingError, TrainingStopped
from vitviz.models.checkpoint import load
from vitviz.runs import sweep
from vitviz.runs.process import RunLock
from vitviz.runs.sweep import Sweep, read_results
from vitviz.training.config import TrainConfig
from vitviz.training.loop import TrainingLoop

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]
GRID = ("model.depth=1,2", "seed=0,1")
NAMES = ["grid-depth1-seed0", "grid-depth1-seed1", "grid-depth2-seed0", "grid-depth2-seed1"]


def results_of(grid: Sweep) -> list:
    return read_results(grid.folder, grid.runs())


class Recorder:
    """A `report_run` that records names of the runs that start, their progress, and the error that ends a run."""

    def __init__(self):
        self.names, self.errors, self.progress = [], [], []

    @contextmanager
    def __call__(self, config):
        self.names.append(config.folder.name)
        try:
            yield self.progress.append
        except Exception as error:
            self.errors.append(str(error))
            raise


@pytest.fixture
def grid(config, tmp_path) -> Sweep:
    return Sweep(replace(config, epochs=1, num_snapshots=0), GRID, tmp_path / "runs" / "grid")


def test_a_sweep_has_one_run_per_combination(grid):
    runs = grid.runs()
    assert list(runs) == NAMES
    settings, last = runs[NAMES[-1]]
    assert settings == {"model.depth": "2", "seed": "1"}
    assert (last.model.depth, last.seed, last.epochs) == (2, 1, 1)
    assert last.folder == grid.folder.parent / NAMES[-1]


def test_values_may_contain_commas_in_brackets(grid):
    found = sweep.combinations(("model.img_size=[32,32],[48,40]", "seed=0,1"))
    assert [one["model.img_size"] for one in found] == ["[32,32]", "[32,32]", "[48,40]", "[48,40]"]
    sizes = [
        config.model.img_size for _, config in replace(grid, vary=("model.img_size=[16,8],[8,16]",)).runs().values()
    ]
    assert sizes == [(16, 8), (8, 16)]


def test_an_invalid_sweep_is_rejected_before_anything_is_written(grid, subtests):
    too_many = "seed=" + ",".join(map(str, range(65)))
    repeated = [("seed=0,1", "seed=2,3"), ("seed=0,1,0",), ("lr=1e-3,1e3,1e+3",)]
    for vary in [(), ("seed=0",), (too_many,), *repeated, ("seed",), ("data=a,b",), ("wings=1,2",)]:
        with subtests.test(vary=vary), refuses("vary"):
            replace(grid, vary=vary)
    with pytest.raises(ConfigError) as caught:
        replace(grid, vary=("model.num_heads=1,5,7", "seed=0,1"))
    found = [(settings["model.num_heads"], settings["seed"], error.field) for settings, error in caught.value.errors]
    assert found == [(heads, seed, "num_heads") for heads in "57" for seed in "01"]
    assert caught.value.problem.endswith("; and 1 more")
    for folder in (".", "..", "runs/.."):
        with subtests.test(folder=folder), refuses("output_dir"):
            replace(grid, folder=Path(folder))
    assert not grid.folder.parent.exists()


def test_a_sweep_trains_its_runs_in_order_and_records_their_results(grid):
    grid.create()
    reports, ended = Recorder(), []
    grid.run(reports, ended.append)
    assert reports.names == NAMES
    assert [progress.progress for progress in reports.progress].count(1.0) == len(NAMES)
    assert reports.errors == []
    lines = [json.loads(line) for line in (grid.folder / sweep.RESULTS).read_text().splitlines()]
    assert lines == ended == results_of(grid)
    assert [line["run"] for line in lines] == NAMES
    for line in lines:
        record = load(grid.folder.parent / line["run"] / "last.safetensors").record
        assert (line["state"], line["message"]) == ("finished", "")
        assert [line[name] for name in ("parameters", "epochs", "seconds")] == [
            record[name] for name in ("parameters", "epochs", "seconds")
        ]
        assert line["accuracy"] == record["test_accuracy"]
    assert lines[0]["parameters"] < lines[2]["parameters"]
    again = Recorder()
    sweep.read(grid.folder).run(again)
    assert again.names == [], "all runs are completed"


def test_a_sweep_does_not_use_existing_runs(grid):
    (grid.folder.parent / NAMES[1]).mkdir(parents=True)
    with refuses("output_dir"):
        grid.create()
    assert not grid.folder.exists()


def test_a_stopped_sweep_resumes_in_the_interrupted_run(grid, monkeypatch):
    grid.create()
    real = TrainingLoop.step

    def request_stop(run: TrainingLoop, batch):
        real(run, batch)
        if run.config.folder.name == NAMES[1] and run.step_count == 2:
            signal.raise_signal(signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(TrainingLoop, "step", request_stop)
        with pytest.raises(TrainingStopped, match="Stopped after 1 of 4 runs"):
            grid.run()
    assert load(grid.folder.parent / NAMES[1] / "last.safetensors").record["steps"] == 2
    reports = Recorder()
    sweep.read(grid.folder).run(reports)
    assert reports.names == NAMES[1:]
    assert [line["run"] for line in results_of(grid)] == NAMES


def test_a_sweep_stopped_while_the_disk_is_full_resumes_that_run(grid, monkeypatch):
    grid.create()

    def disk_full(lock: RunLock, write: Callable[[], None]) -> float:
        if lock.folder.name == NAMES[1]:
            lock.stop.requested = True
            raise TrainingStopped("The disk is full.")  # as `RunLock.retry_while_disk_full` does then
        return real(lock, write)

    real = RunLock.retry_while_disk_full
    with monkeypatch.context() as patch:
        patch.setattr(RunLock, "retry_while_disk_full", disk_full)
        with pytest.raises(TrainingStopped):
            grid.run()
    sweep.read(grid.folder).run()
    assert [(line["run"], line["state"]) for line in results_of(grid)] == [(name, "finished") for name in NAMES]


def test_a_stop_at_the_end_of_a_run_stops_the_sweep(grid, monkeypatch):
    grid.create()
    real = TrainingLoop.finish

    def request_stop(run: TrainingLoop):
        signal.raise_signal(signal.SIGTERM)
        return real(run)

    monkeypatch.setattr(TrainingLoop, "finish", request_stop)
    with pytest.raises(TrainingStopped):
        grid.run()
    assert [line["state"] for line in results_of(grid)] == ["finished"]


@pytest.mark.parametrize(
    ("error", "prefix"),
    [(TrainingError, ""), (ValueError, ""), (RuntimeError, "Internal error: RuntimeError: ")],
)  # ValueError: for example initial weights that do not fit
def test_a_failed_run_is_recorded_and_the_next_one_starts(grid, monkeypatch, error, prefix):
    grid.create()
    real = TrainingLoop.step

    def fail(run: TrainingLoop, batch):
        if run.config.folder.name == NAMES[0]:
            raise error("The loss is nan.")
        real(run, batch)

    monkeypatch.setattr(TrainingLoop, "step", fail)
    reports = Recorder()
    grid.run(reports)
    assert reports.errors == ["The loss is nan."]
    first, *others = results_of(grid)
    assert first["message"] == f"{prefix}The loss is nan."
    assert (first["state"], first["accuracy"]) == ("failed", None)
    assert [line["state"] for line in others] == ["finished"] * 3


def test_a_run_with_too_large_a_val_size_is_recorded_as_failed(grid):
    grid = replace(grid, vary=("val_size=100,10",))
    grid.create()
    grid.run()
    assert [line["state"] for line in results_of(grid)] == ["failed", "finished"]
    assert "val_size must leave at least 2 training images: got 100 of 100" in results_of(grid)[0]["message"]


def test_a_missing_dataset_ends_the_sweep(grid):
    grid = replace(grid, config=replace(grid.config, data="nowhere"))
    grid.create()
    with pytest.raises(DataError):
        grid.run()
    assert results_of(grid) == []


@pytest.mark.parametrize("error", [PermissionError(), torch.AcceleratorError("CUDA error: an illegal memory access")])
def test_an_error_independent_of_the_varied_values_ends_the_sweep(grid, monkeypatch, error):
    grid.create()

    def fail(run: TrainingLoop, batch):
        raise error

    monkeypatch.setattr(TrainingLoop, "step", fail)
    with pytest.raises(type(error)):
        grid.run()
    assert results_of(grid) == []


def test_a_finished_run_without_a_recorded_result_is_not_trained_again(grid):
    grid.create()
    grid.run()
    results = grid.folder / sweep.RESULTS
    lines = results.read_text().splitlines(keepends=True)
    results.write_text(lines[0] + lines[1][:20])  # as left by a killed process
    before = load(grid.folder.parent / NAMES[1] / "last.safetensors").record
    grid.run()
    assert [line["run"] for line in results_of(grid)] == NAMES
    assert load(grid.folder.parent / NAMES[1] / "last.safetensors").record == before


def test_a_folder_in_use_or_without_a_sweep_is_rejected(grid, tmp_path):
    grid.create()
    with refuses("output_dir"):
        grid.create()
    with pytest.raises(ValueError, match=r"must contain a valid sweep\.json: .* does not"):
        sweep.read(tmp_path)


def test_a_sweep_is_read_back(grid):
    grid.create()
    assert isinstance(grid.config, TrainConfig)
    assert sweep.read(grid.folder) == grid
