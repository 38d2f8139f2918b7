"""Runs as processes: start, list, stop, crash, resume, rename and delete."""

import errno
import io
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from tests import tiny
from tests.errors import refuses
from vitviz.data import cifar
from vitviz.errors import DataError
from vitviz.files import acquire_lock
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.runs import launch, process, run_folder, store, sweep
from vitviz.runs.store import AlreadyRunningError, Runs
from vitviz.runs.sweep import Sweep
from vitviz.training.config import TrainConfig

REPLACE = """
import itertools, os, sys
*states, path = sys.argv[1:]
for turn, state in enumerate(itertools.cycle(states)):
    os.link(state, path + ".new")
    os.replace(path + ".new", path)
    if turn == 0: print("started", flush=True)
"""
WORKER = (sys.executable, str(Path(__file__).with_name("worker.py")))


@pytest.fixture
def config(cifar_folder, cifar_config) -> TrainConfig:
    return TrainConfig(model=cifar_config, data=str(cifar_folder), epochs=10, minutes=None, batch_size=25, device="cpu")


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Runs whose processes do not train; those still running at the end are killed."""
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, "waiting"))
    runs = Runs(tmp_path / "runs")
    yield runs
    for info in runs.all():
        if process.is_running(runs.folder(info.name)):
            os.kill(pid(runs, info.name), signal.SIGKILL)


def pid(runs: Runs, name: str) -> int:
    found = []  # may be empty while it is rewritten
    wait_until(lambda: found.append(process.read(runs.folder(name))) or found[-1], "the process is recorded")
    return found[-1].pid


def wait_until(condition, what: str) -> None:
    """Wait until a condition is true; fail after five minutes."""
    end = threading.Event()
    timer = threading.Timer(300, end.set)
    timer.start()
    try:
        while not condition():
            assert not end.wait(0.01), f"not within five minutes: {what}"
    finally:
        timer.cancel()


def start_and_wait(runs: Runs, config: TrainConfig, name: str) -> None:
    """Start a run and wait until its process has started."""
    runs.start(config, name)
    wait_for_worker(runs, name)


def wait_for_worker(runs: Runs, name: str) -> None:
    wait_until((runs.folder(name) / f"worker-{pid(runs, name)}").exists, "the process has started")


def wait_for_end(runs: Runs, name: str):
    wait_until(lambda: not process.is_running(runs.folder(name)), "the process has ended")
    return runs.find(name)


def test_a_run_is_a_process_found_by_its_folder(runs, config):
    assert runs.all() == []
    info = runs.start(config, "one")
    assert info.state == "training"
    wait_for_worker(runs, "one")
    assert os.getsid(pid(runs, "one")) == pid(runs, "one") != os.getsid(0), "it outlives the server"
    assert os.getpriority(os.PRIO_PROCESS, pid(runs, "one")) >= launch.NICENESS

    (found,) = Runs(runs.root).all()
    assert (found.name, found.state, found.preset, found.message) == ("one", "training", "cifar10-ti4", "")
    assert (found.progress, found.epoch, found.seconds, found.images_per_second) == (0.25, 2.5, 60.0, 500.0)
    assert (found.epochs, found.minutes, found.accuracy) == (10, None, None)
    assert found.parameters == sum(weight.numel() for weight in tiny.model(config.model).parameters())
    assert found.config["model"]["embed_dim"] == config.model.embed_dim
    assert found.config["output_dir"] == str(runs.folder("one"))


def test_a_second_run_is_rejected_with_the_name_of_the_first(runs, config):
    start_and_wait(runs, config, "one")
    for instance in (runs, Runs(runs.root)):
        with refuses(run="one"):
            instance.start(config, "two")
    assert not runs.folder("two").exists()
    runs.stop("one")
    wait_for_end(runs, "one")
    runs.start(config, "two")
    with refuses(run="two"):
        runs.resume("one")


def test_a_training_started_in_a_terminal_counts(runs, config):
    other = runs.root / "terminal"
    other.mkdir(parents=True)
    (other / "config.json").write_text(json.dumps(asdict(config)))
    lock = acquire_lock(other / process.FILE)
    try:
        assert runs.find("terminal").state == "training"
        with refuses(run="terminal"):
            runs.start(config, "one")
    finally:
        os.close(lock)
    assert runs.find("terminal").state == "interrupted"


def test_a_training_with_an_unlisted_name_counts(runs, config):
    other = runs.root / "my läuf"
    other.mkdir(parents=True)
    lock = acquire_lock(other / process.FILE)
    try:
        with refuses(run="my läuf"):
            runs.start(config, "one")
    finally:
        os.close(lock)
    assert runs.running() is None
    assert runs.all() == []


def test_a_stop_is_requested_once_and_the_exit_state_recorded(runs, config):
    start_and_wait(runs, config, "one")
    os.kill(pid(runs, "one"), signal.SIGSTOP)  # so that it cannot exit before the check
    runs.stop("one")
    runs.stop("one")  # a second signal would end it at once
    assert Runs(runs.root).find("one").state == "stopping"
    os.kill(pid(runs, "one"), signal.SIGCONT)
    info = wait_for_end(runs, "one")
    assert (info.state, info.message) == ("stopped", "Stopped on request.")
    with pytest.raises(ValueError, match="The run one is not running: there is nothing to stop"):
        runs.stop("one")


def test_a_process_with_an_exit_state_that_is_still_alive_is_stopping(runs, config):
    start_and_wait(runs, config, "one")
    place = runs.folder("one")
    process.write(place, replace(process.read(place), state="stopped", message="Stopped on request."))
    info = runs.find("one")
    assert (info.state, info.message) == ("stopping", "")


def test_a_process_that_ignores_the_stop_is_killed(runs, config, monkeypatch):
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, "deaf"))
    monkeypatch.setattr(launch, "STOP_TIMEOUT", 0.0)
    start_and_wait(runs, config, "one")
    runs.stop("one")
    info = wait_for_end(runs, "one")
    assert info.state == "interrupted", "steps after the last save are lost"
    assert info.message.startswith("The process ended before it could save")


def test_a_process_stopped_before_its_first_step_is_stopped(runs, config):
    make_run(runs, config, "one")
    run_folder.truncate_metrics(runs.folder("one"), run_folder.saved_seconds(runs.folder("one")))
    found = runs.resume("one")
    wait_for_worker(runs, "one")
    place = runs.folder("one")
    (place / "metrics.jsonl").write_bytes(b"")  # before its first step
    launch.stop_request_path(place, process.read(place)).touch()
    os.kill(pid(runs, "one"), signal.SIGKILL)
    info = wait_for_end(runs, "one")
    assert (info.state, info.message, info.session) == ("stopped", "", found.session)


def test_a_killed_run_is_interrupted_and_can_be_resumed(runs, config):
    start_and_wait(runs, config, "one")
    before = runs.find("one").session
    os.kill(pid(runs, "one"), signal.SIGKILL)
    info = wait_for_end(runs, "one")
    assert (info.state, info.epoch) == ("interrupted", 2.5)
    assert info.message.endswith("Nothing was saved yet; resume continues from there.")
    assert runs.resume("one").state == "training"
    assert runs.find("one").session != before
    wait_for_worker(runs, "one")


@pytest.mark.parametrize(
    ("behavior", "message"),
    [
        ("rejected", "The weather must be fine: it rains. Take an umbrella."),
        ("failed", "Internal error: ZeroDivisionError: by zero and more"),
    ],
)
def test_the_error_of_a_failed_process_is_recorded(runs, config, monkeypatch, behavior, message):
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, behavior))
    runs.start(config, "one")
    info = wait_for_end(runs, "one")
    assert (info.state, info.message) == ("failed", message)
    assert (runs.folder("one") / launch.LOG).read_text().startswith("started\n")


def test_a_reused_pid_does_not_hold_the_lock_of_a_dead_process(runs, config):
    runs.root.mkdir()
    (runs.root / store.LOCK).write_text("gone")
    start_and_wait(runs, config, "one")
    runs.stop("one")
    wait_for_end(runs, "one")
    process.write(runs.folder("one"), process.ProcessRecord(os.getpid(), "another"))  # as if the pid were reused
    assert runs.find("one").state == "interrupted"
    with pytest.raises(ValueError, match="not running"):
        runs.stop("one")


def start_simultaneously(stores: list[Runs], config: TrainConfig, names: list[str]) -> list[str | AlreadyRunningError]:
    """Start runs at the same moment; return for each the name of the run, or the error."""
    gate = threading.Barrier(len(stores))

    def start(runs: Runs, name: str) -> str | AlreadyRunningError:
        gate.wait()
        try:
            return runs.start(config, name).name
        except AlreadyRunningError as error:
            return error

    with ThreadPoolExecutor(len(stores)) as pool:
        return list(pool.map(start, stores, names))


def start_pairs(root: Path, config: TrainConfig, rounds: int) -> None:
    """Start two runs at the same moment repeatedly: one starts, the other is rejected with its name."""
    for turn in range(rounds):
        runs = Runs(root)
        answers = start_simultaneously([runs, Runs(root)], config, [f"run-{turn}-a", f"run-{turn}-b"])
        (name,) = (answer for answer in answers if isinstance(answer, str))
        (error,) = (answer for answer in answers if isinstance(answer, AlreadyRunningError))
        assert error.run == name
        wait_for_worker(runs, name)
        assert [info.name for info in runs.all() if info.state == "training"] == [name]
        assert [path.parent.name for path in root.glob(f"run-{turn}-*/worker-*")] == [name]
        assert [path.name for path in root.glob(f"run-{turn}-*")] == [name]
        runs.stop(name)
        wait_for_end(runs, name)


def test_two_simultaneous_starts_give_one_process(runs, config):
    start_pairs(runs.root, config, 5)


@pytest.mark.hostile
def test_fifty_simultaneous_starts_give_one_process_each(runs, config):
    start_pairs(runs.root, config, 50)


@pytest.mark.parametrize("name", ["", ".", "..", "../one", "a/b", ".hidden", "a" * 65, "ü", "a b", "a\n", "a\0", None])
def test_an_invalid_name_is_rejected(runs, config, name):
    for call in (runs.find, runs.stop, runs.delete, runs.metrics, lambda name: runs.start(config, name)):
        with refuses("name"):
            call(name)
    assert not runs.root.exists()


def test_a_symbolic_link_is_not_a_run(runs, config, tmp_path):
    make_run(runs, config, "one")
    (runs.root / "link").symlink_to(runs.root / "one")
    assert [info.name for info in runs.all()] == ["one"]
    with refuses("name"):
        runs.delete("link")


def make_run(runs: Runs, config: TrainConfig, name: str, lines: str = "", record: dict | None = None) -> Path:
    """Make a run folder as left by a process."""
    path = runs.root / name
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(asdict(config)))
    (path / "metrics.jsonl").write_text(lines)
    if record is not None:
        given = Checkpoint("last", tiny.model(config.model), cifar.CLASSES, cifar.MEAN, cifar.STD, record)
        checkpoint.save(given, path / "last.safetensors")
    return path


def test_runs_are_listed_newest_first_without_other_folders(runs, config):
    for age, name in enumerate(["new", "middle", "old"]):
        path = make_run(runs, config, name)
        os.utime(path / "config.json", (1e9 - age, 1e9 - age))
    (runs.root / "empty").mkdir()
    (runs.root / "file").write_text("")
    invalid = make_run(runs, config, "invalid")
    (invalid / "config.json").write_text('{"epochs": "two"}')
    os.utime(invalid / "config.json", (1, 1))
    pipes = make_run(runs, config, "pipes")
    os.utime(pipes / "config.json", (0, 0))
    for name in ("metrics.jsonl", process.FILE, "last.safetensors"):
        (pipes / name).unlink(missing_ok=True)
        os.mkfifo(pipes / name)
    listed = [(info.name, info.state) for info in runs.all()]
    others = [(name, "interrupted") for name in ("new", "middle", "old")]
    assert listed == [*others, ("invalid", "damaged"), ("pipes", "damaged")]
    assert runs.metrics("pipes") == ([], 0)


@pytest.mark.parametrize("file", ["metrics.jsonl", process.FILE])
def test_an_unreadable_file_hides_no_run(runs, config, monkeypatch, file):
    for name in ("own", "other"):
        make_run(runs, config, name)
    forbidden = runs.root / "other" / file
    forbidden.touch()
    for module, name in ((io, "open"), (os, "open")):  # permissions would not stop root
        monkeypatch.setattr(module, name, partial(open_unless, forbidden, getattr(module, name)))
    assert {info.name for info in runs.all()} == {"own", "other"}
    assert runs.metrics("other") == ([], 0)


@pytest.mark.parametrize("file", ["config.json", "metrics.jsonl", process.FILE, sweep.FILE, sweep.RESULTS])
def test_nested_json_of_any_file_does_not_hide_other_runs(runs, config, file):
    make_run(runs, config, "other")
    for name in ("other-grid", "grid"):
        (runs.root / name).mkdir()
        Sweep(config, GRID, runs.root / name).create()
    damaged = make_run(runs, config, "own") if file not in (sweep.FILE, sweep.RESULTS) else runs.root / "grid"
    (damaged / file).write_text("[" * 3000 + "\n")
    assert "other" in {info.name for info in runs.all()}
    assert "other-grid" in {info.name for info in runs.sweeps()}
    assert runs.metrics(damaged.name) == ([], 0 if file != "metrics.jsonl" else 3001)


@pytest.mark.parametrize(
    ("record", "state"),
    [
        ({"epochs": []}, "damaged"),
        ({"epochs": "3"}, "damaged"),
        ({"epochs": 3, "training": {"seconds": 40}}, "interrupted"),
        ({"epochs": 3, "training": []}, "damaged"),
        ({"epochs": 3, "training": {"seconds": "40"}}, "damaged"),
        ({"epochs": 3, "training": None}, "damaged"),
    ],
)
def test_a_run_with_an_invalid_record_is_listed(runs, config, record, state):
    path = make_run(runs, config, "one", '{"seconds": 50}\n', record)
    assert [(info.name, info.state) for info in runs.all()] == [("one", state)]
    assert run_folder.saved_seconds(path) == (40 if state == "interrupted" else 0)


def test_a_record_of_nested_json_is_ignored(tmp_path):
    path = tmp_path / "last.safetensors"
    save_file({"x": torch.zeros(1)}, path, {"vitviz": "[" * 3000})
    assert run_folder.read_record(path) == {}


def open_unless(forbidden: Path, opened: Callable[..., Any], path: Any, *args: Any, **kwargs: Any) -> Any:
    """Open a file unless it is the forbidden one."""
    if path == forbidden:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))
    return opened(path, *args, **kwargs)


def test_a_finished_run_has_an_accuracy_and_cannot_be_resumed(runs, config):
    make_run(runs, config, "one", record={"test_accuracy": 0.75, "epochs": 10.0})
    info = runs.find("one")
    assert (info.state, info.accuracy, info.message) == ("finished", 0.75, "")
    with pytest.raises(ValueError, match="The run one is finished: there is nothing to resume"):
        runs.resume("one")


def test_the_message_of_an_interrupted_run_names_the_saved_epoch(runs, config, monkeypatch):
    record = {"epochs": 3.0, "training": {"seconds": 40.0}}
    lines = "".join(json.dumps({"seconds": at, "epoch": at / 10}) + "\n" for at in (20, 40, 50))
    make_run(runs, config, "one", lines, record)
    info = runs.find("one")
    assert (info.state, info.epoch, info.accuracy) == ("interrupted", 5.0, None)
    assert info.message.endswith("The state at epoch 3.0 is kept; resume continues from there.")
    monkeypatch.setattr(launch, "COMMAND", (sys.executable, "-c", ""))  # writes no metrics
    runs.resume("one")  # removes the metrics of steps that will be repeated
    wait_for_end(runs, "one")
    assert [line["seconds"] for line in runs.metrics("one")[0]] == [20, 40]


def test_changed_files_are_read_again(runs, config):
    path = make_run(runs, config, "one", '{"epoch": 1.0}\n')
    assert runs.find("one").epoch == 1.0
    with (path / "metrics.jsonl").open("a") as file:
        file.write('{"epoch": 1.5}\n{"epoch": 1.')
    assert runs.find("one").epoch == 1.5


def test_metrics_are_read_from_an_offset(runs, config):
    path = make_run(runs, config, "one", '{"epoch": 1}\n{"epoch": 2}\n{"epo')
    lines, offset = runs.metrics("one")
    assert [line["epoch"] for line in lines] == [1, 2]
    assert runs.metrics("one", offset) == ([], offset)
    with (path / "metrics.jsonl").open("a") as file:
        file.write('ch": 3}\n')
    assert runs.metrics("one", offset) == (
        [{"epoch": 3}],
        path.joinpath("metrics.jsonl").stat().st_size,
    )
    for beyond in (10**9, 10**30):
        assert runs.metrics("one", beyond) == ([], beyond)
    assert runs.metrics("one", -5)[0] == runs.metrics("one")[0]


def test_a_run_is_renamed_and_resumed(runs, config):
    start_and_wait(runs, config, "one")
    for call in (lambda: runs.rename("one", "two"), lambda: runs.delete("one")):
        with refuses(run="one"):
            call()
    runs.stop("one")
    wait_for_end(runs, "one")
    make_run(runs, config, "three")
    with refuses("name"):
        runs.rename("one", "three")
    assert runs.rename("one", "two").name == "two"
    assert {info.name for info in runs.all()} == {"two", "three"}
    assert runs.resume("two").state == "training"
    wait_for_worker(runs, "two")


def test_deleting_a_run_deletes_its_folder(runs, config):
    make_run(runs, config, "one")
    runs.delete("one")
    assert runs.all() == []
    assert not (runs.root / "one").exists()
    with pytest.raises(ValueError, match=r"The run one was not found: it may have been renamed or deleted"):
        runs.delete("one")


GRID = ("model.depth=1,2", "model.num_heads=1,2")


def test_a_sweep_is_one_process_under_the_same_lock(runs, config):
    info = runs.start_sweep(config, GRID, "grid")
    assert (info.state, info.vary, info.results) == ("training", GRID, [])
    assert info.runs == [
        (f"grid-depth{depth}-numheads{heads}", {"model.depth": depth, "model.num_heads": heads})
        for depth in "12"
        for heads in "12"
    ]
    wait_for_worker(runs, "grid")
    assert runs.all() == [], "its runs have not started yet"
    for call in (lambda: runs.start(config, "one"), lambda: runs.resume_sweep("grid")):
        with refuses(run="grid"):
            call()
    runs.stop("grid")
    wait_until(lambda: not process.is_running(runs.folder("grid")), "the process has ended")
    (info,) = Runs(runs.root).sweeps()
    assert (info.state, info.message) == ("stopped", "Stopped on request.")

    runs.resume_sweep("grid")
    wait_for_worker(runs, "grid")
    os.kill(pid(runs, "grid"), signal.SIGKILL)
    wait_until(lambda: not process.is_running(runs.folder("grid")), "the process has ended")
    result = {"run": "grid-depth1-numheads1", "settings": {}, "state": "finished", "message": ""}
    result |= dict.fromkeys(("parameters", "epochs", "seconds", "train_samples", "accuracy"))
    (runs.folder("grid") / "results.jsonl").write_text(f'{json.dumps(result)}\n{{"run": "x"}}\n{{"ru')
    info = runs.find_sweep("grid")
    assert info.state == "interrupted"
    assert info.message.endswith("1 of 4 runs are completed; resume continues from there.")
    runs.delete("grid")
    assert runs.sweeps() == []


def test_an_invalid_sweep_or_one_with_existing_runs_is_rejected(runs, config):
    with refuses("vary"):
        runs.start_sweep(config, ("model.num_heads=2,5",), "grid")
    assert not runs.root.exists()
    make_run(runs, config, "grid-seed1")
    with refuses("name"):
        runs.start_sweep(config, ("seed=0,1",), "grid")
    assert not runs.folder("grid").exists()


def test_a_failed_start_leaves_no_folder(runs, config, monkeypatch):
    with pytest.raises(DataError):
        runs.start(replace(config, data="nowhere"), "one")
    monkeypatch.setattr(launch, "COMMAND", ("/nowhere/python",))
    with pytest.raises(FileNotFoundError):
        runs.start(config, "one")
    assert runs.all() == []
    assert not (runs.root / "one").exists()
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, "waiting"))
    runs.start(config, "one")  # the lock is free
    os.kill(pid(runs, "one"), signal.SIGKILL)
    wait_for_end(runs, "one")
    with refuses("name"):
        runs.start(config, "one")


REAL = (sys.executable, "-c", "from vitviz import cli; from vitviz.data import cifar; cifar.RECORDS = 20; cli.main()")


@pytest.mark.slow
def test_a_real_run_survives_a_full_disk_a_stop_a_rename_and_a_kill(runs, config, monkeypatch):
    monkeypatch.setattr(launch, "COMMAND", REAL)
    runs.start(replace(config, epochs=1e4, num_snapshots=0), "one")
    wait_until(lambda: runs.find("one").epoch > 0, "the first line of metrics")
    wait_until((runs.folder("one") / "last.safetensors").exists, "a saved state")
    child = pid(runs, "one")
    before = resource.prlimit(child, resource.RLIMIT_FSIZE)
    resource.prlimit(child, resource.RLIMIT_FSIZE, (4096, before[1]))  # larger files fail from now on
    wait_until(lambda: runs.find("one").message.startswith("The limit of file sizes"), "the message")
    assert runs.find("one").state == "training"
    kept = (runs.folder("one") / "last.safetensors").read_bytes()
    assert [path.name for path in runs.folder("one").glob(".*")] == []
    resource.prlimit(child, resource.RLIMIT_FSIZE, before)
    wait_until(lambda: runs.find("one").message == "", "disk space")
    wait_until(lambda: (runs.folder("one") / "last.safetensors").read_bytes() != kept, "another state")

    runs.stop("one")
    info = wait_for_end(runs, "one")
    assert info.state == "stopped"
    assert info.message.startswith("Stopped at epoch ")
    steps = checkpoint.load(runs.folder("one") / "last.safetensors").record["steps"]
    runs.rename("one", "two")
    runs.resume("two")
    wait_until(lambda: runs.find("two").epoch > steps / 4, "it continues")
    os.kill(pid(runs, "two"), signal.SIGKILL)
    assert wait_for_end(runs, "two").state == "interrupted"


@pytest.mark.slow
def test_a_real_run_ends_with_its_accuracy_or_its_error(runs, config, monkeypatch):
    monkeypatch.setattr(launch, "COMMAND", REAL)
    runs.start(replace(config, epochs=1, num_snapshots=2), "one")
    info = wait_for_end(runs, "one")
    result = checkpoint.load(runs.folder("one") / "last.safetensors")
    assert (info.state, info.accuracy, info.epoch) == ("finished", result.record["test_accuracy"], 1.0)
    runs.start(replace(config, lr=9e8, muon_lr=9e8, weight_decay=9e8, epochs=50), "two")
    info = wait_for_end(runs, "two")
    assert info.state == "failed"
    assert "Use lower learning rates" in info.message
    assert "Traceback" not in (runs.folder("two") / launch.LOG).read_text()

    runs.start_sweep(replace(config, epochs=1, num_snapshots=0), ("seed=0,1",), "grid")
    wait_until(lambda: not process.is_running(runs.folder("grid")), "the sweep has ended")
    found = runs.find_sweep("grid")
    assert found.state == "finished"
    assert [result["run"] for result in found.results] == ["grid-seed0", "grid-seed1"]
    assert runs.find("grid-seed1").accuracy == found.results[1]["accuracy"]


def test_a_record_is_read_while_its_checkpoint_is_replaced(tiny_checkpoint, tmp_path):
    for length in (1, 100):  # so that the files have two sizes
        checkpoint.save(replace(tiny_checkpoint, record={"preset": "x" * length}), tmp_path / f"{length}.safetensors")
    words = [sys.executable, "-c", REPLACE, *map(str, sorted(tmp_path.iterdir())), str(tmp_path / "last.safetensors")]
    replacing = subprocess.Popen(words, stdout=subprocess.PIPE)
    try:
        assert replacing.stdout.readline() == b"started\n"
        records = [run_folder.read_record(tmp_path / "last.safetensors") for _ in range(1000)]
        assert replacing.poll() is None  # still replacing
    finally:
        replacing.kill()
        replacing.communicate()
    assert all(records)


@pytest.mark.parametrize(
    ("record", "count"),
    [
        ({"eval_samples": 16, "dataset": "pets"}, 16),
        ({"train_config": {"val_size": 500}, "dataset": "CIFAR-10"}, 500),
        ({"train_config": {"val_size": 0}, "dataset": "CIFAR-10"}, 10_000),
        ({"dataset": "pets"}, None),
        ({"eval_samples": "many", "train_config": []}, None),
    ],
)
def test_the_number_of_evaluated_images_is_recorded_or_follows_from_the_dataset(record, count):
    assert checkpoint.eval_samples(record) == count
