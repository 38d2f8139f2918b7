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

from tests import tiny
from vitviz.data import cifar
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.runs import launch, process, run_folder, store
from vitviz.runs.store import AlreadyRunningError, Runs
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
    return TrainConfig(
        preset="tiny", model=cifar_config, data=str(cifar_folder), epochs=10, minutes=None, batch_size=25, device="cpu"
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Runs whose processes do not train; those still running at the end are killed."""
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, "waiting"))
    made = Runs(tmp_path / "runs")
    yield made
    for info in made.all():
        if process.is_running(made.folder(info.name)):
            os.kill(pid(made, info.name), signal.SIGKILL)


def pid(made: Runs, name: str) -> int:
    found = []  # may be empty while it is rewritten
    until(lambda: found.append(process.read(made.folder(name))) or found[-1], "the process is recorded")
    return found[-1].pid


def until(condition, what: str) -> None:
    """Wait until a condition is true; fail after five minutes."""
    end = threading.Event()
    timer = threading.Timer(300, end.set)
    timer.start()
    try:
        while not condition():
            assert not end.wait(0.01), f"not within five minutes: {what}"
    finally:
        timer.cancel()


def started(made: Runs, config: TrainConfig, name: str) -> None:
    """Start a run and wait until its process has started."""
    made.start(config, name)
    wait_for_worker(made, name)


def wait_for_worker(made: Runs, name: str) -> None:
    until((made.folder(name) / f"worker-{pid(made, name)}").exists, "the process has started")


def wait_for_end(made: Runs, name: str):
    until(lambda: not process.is_running(made.folder(name)), "the process has ended")
    return made.find(name)


def test_a_run_is_a_process_found_by_its_folder(folder, config):
    assert folder.all() == []
    info = folder.start(config, "one")
    assert info.state == "training"
    wait_for_worker(folder, "one")
    assert os.getsid(pid(folder, "one")) == pid(folder, "one") != os.getsid(0), "it outlives the server"
    assert os.getpriority(os.PRIO_PROCESS, pid(folder, "one")) >= launch.NICENESS

    (found,) = Runs(folder.root).all()
    assert (found.name, found.state, found.preset, found.message) == ("one", "training", "tiny", "")
    assert (found.progress, found.epoch, found.seconds, found.images_per_second) == (0.25, 2.5, 60.0, 500.0)
    assert (found.epochs, found.minutes, found.accuracy) == (10, None, None)
    assert found.parameters == sum(weight.numel() for weight in tiny.model(config.model).parameters())
    assert found.config["model"]["embed_dim"] == config.model.embed_dim
    assert found.config["output_dir"] == str(folder.folder("one"))


def test_a_second_run_is_rejected_with_the_name_of_the_first(folder, config):
    started(folder, config, "one")
    for made in (folder, Runs(folder.root)):
        with pytest.raises(
            AlreadyRunningError,
            match=r"^Only one training can run at a time: one is running\. Wait for it, or stop it\.$",
        ):
            made.start(config, "two")
    assert not folder.folder("two").exists()
    folder.stop("one")
    wait_for_end(folder, "one")
    folder.start(config, "two")
    with pytest.raises(AlreadyRunningError, match="two is running"):
        folder.resume("one")


def test_a_training_started_in_a_terminal_counts(folder, config):
    other = folder.root / "terminal"
    other.mkdir(parents=True)
    (other / "config.json").write_text(json.dumps(asdict(config)))
    lock = process.acquire_lock(other / process.FILE)
    try:
        assert folder.find("terminal").state == "training"
        with pytest.raises(AlreadyRunningError, match="terminal is running"):
            folder.start(config, "one")
    finally:
        os.close(lock)
    assert folder.find("terminal").state == "interrupted"


def test_a_training_with_an_unlisted_name_counts(folder, config):
    other = folder.root / "my läuf"
    other.mkdir(parents=True)
    lock = process.acquire_lock(other / process.FILE)
    try:
        with pytest.raises(AlreadyRunningError, match="my läuf is running"):
            folder.start(config, "one")
    finally:
        os.close(lock)
    assert folder.running() is None
    assert folder.all() == []


def test_a_stop_is_requested_once_and_the_exit_state_recorded(folder, config):
    started(folder, config, "one")
    os.kill(pid(folder, "one"), signal.SIGSTOP)  # so that it cannot exit before the check
    folder.stop("one")
    folder.stop("one")  # a second signal would end it at once
    assert Runs(folder.root).find("one").state == "stopping"
    os.kill(pid(folder, "one"), signal.SIGCONT)
    info = wait_for_end(folder, "one")
    assert (info.state, info.message) == ("stopped", "Stopped on request.")
    with pytest.raises(ValueError, match="The run one is not running: there is nothing to stop"):
        folder.stop("one")


def test_a_process_with_an_exit_state_that_is_still_alive_is_stopping(folder, config):
    started(folder, config, "one")
    place = folder.folder("one")
    process.write(place, replace(process.read(place), state="stopped", message="Stopped on request."))
    info = folder.find("one")
    assert (info.state, info.message) == ("stopping", "")


def test_a_process_that_ignores_the_stop_is_killed(folder, config, monkeypatch):
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, "deaf"))
    monkeypatch.setattr(launch, "STOP_TIMEOUT", 0.0)
    started(folder, config, "one")
    folder.stop("one")
    info = wait_for_end(folder, "one")
    assert info.state == "interrupted", "steps after the last save are lost"
    assert info.message.startswith("The process ended before it could save")


def test_a_process_stopped_before_its_first_step_is_stopped(folder, config):
    made_run(folder, config, "one")
    run_folder.rewind(folder.folder("one"))
    found = folder.resume("one")
    wait_for_worker(folder, "one")
    place = folder.folder("one")
    (place / "metrics.jsonl").write_bytes(b"")  # before its first step
    launch.stop_request_path(place, process.read(place)).touch()
    os.kill(pid(folder, "one"), signal.SIGKILL)
    info = wait_for_end(folder, "one")
    assert (info.state, info.message, info.session) == ("stopped", "", found.session)


def test_a_killed_run_is_interrupted_and_can_be_resumed(folder, config):
    started(folder, config, "one")
    before = folder.find("one").session
    os.kill(pid(folder, "one"), signal.SIGKILL)
    info = wait_for_end(folder, "one")
    assert (info.state, info.epoch) == ("interrupted", 2.5)
    assert info.message.endswith("Nothing was saved yet; resume continues from there.")
    assert folder.resume("one").state == "training"
    assert folder.find("one").session != before
    wait_for_worker(folder, "one")


@pytest.mark.parametrize(
    ("behavior", "message"),
    [
        ("rejected", "The weather must be fine: it rains. Take an umbrella."),
        ("failed", "Internal error: ZeroDivisionError: by zero and more"),
    ],
)
def test_the_error_of_a_failed_process_is_recorded(folder, config, monkeypatch, behavior, message):
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, behavior))
    folder.start(config, "one")
    info = wait_for_end(folder, "one")
    assert (info.state, info.message) == ("failed", message)
    assert (folder.folder("one") / launch.LOG).read_text().startswith("started\n")


def test_a_reused_pid_does_not_hold_the_lock_of_a_dead_process(folder, config):
    folder.root.mkdir()
    (folder.root / store.LOCK).write_text("gone")
    started(folder, config, "one")
    folder.stop("one")
    wait_for_end(folder, "one")
    process.write(folder.folder("one"), process.ProcessRecord(os.getpid(), "another"))  # as if the pid were reused
    assert folder.find("one").state == "interrupted"
    with pytest.raises(ValueError, match="not running"):
        folder.stop("one")


def start_simultaneously(stores: list[Runs], config: TrainConfig, names: list[str]) -> list[str | AlreadyRunningError]:
    """Start runs at the same moment; return for each the name of the run, or the error."""
    gate = threading.Barrier(len(stores))

    def start(made: Runs, name: str) -> str | AlreadyRunningError:
        gate.wait()
        try:
            return made.start(config, name).name
        except AlreadyRunningError as error:
            return error

    with ThreadPoolExecutor(len(stores)) as pool:
        return list(pool.map(start, stores, names))


def double_starts(root: Path, config: TrainConfig, rounds: int) -> None:
    """Start two runs at the same moment repeatedly: one starts, the other is rejected with its name."""
    for turn in range(rounds):
        made = Runs(root)
        answers = start_simultaneously([made, Runs(root)], config, [f"run-{turn}-a", f"run-{turn}-b"])
        (name,) = (answer for answer in answers if isinstance(answer, str))
        (error,) = (answer for answer in answers if isinstance(answer, AlreadyRunningError))
        assert error.run == name
        wait_for_worker(made, name)
        assert [info.name for info in made.all() if info.state == "training"] == [name]
        assert [path.parent.name for path in root.glob(f"run-{turn}-*/worker-*")] == [name]
        assert [path.name for path in root.glob(f"run-{turn}-*")] == [name]
        made.stop(name)
        wait_for_end(made, name)


def test_two_simultaneous_starts_give_one_process(folder, config):
    double_starts(folder.root, config, 5)


@pytest.mark.slow
def test_fifty_simultaneous_starts_give_one_process_each(folder, config):
    double_starts(folder.root, config, 50)


@pytest.mark.parametrize("name", ["", ".", "..", "../one", "a/b", ".hidden", "a" * 65, "ü", "a b", "a\n", "a\0", None])
def test_an_invalid_name_is_rejected(folder, config, name):
    for call in (folder.find, folder.stop, folder.delete, folder.metrics, lambda name: folder.start(config, name)):
        with pytest.raises(ValueError, match="name must have 1 to 64 letters"):
            call(name)
    assert not folder.root.exists()


def test_a_symbolic_link_is_not_a_run(folder, config, tmp_path):
    made_run(folder, config, "one")
    (folder.root / "link").symlink_to(folder.root / "one")
    assert [info.name for info in folder.all()] == ["one"]
    with pytest.raises(ValueError, match="name must not be a symbolic link: link is one"):
        folder.delete("link")


def made_run(made: Runs, config: TrainConfig, name: str, lines: str = "", record: dict | None = None) -> Path:
    """Make a run folder as left by a process."""
    path = made.root / name
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(asdict(config)))
    (path / "metrics.jsonl").write_text(lines)
    if record is not None:
        given = Checkpoint("last", tiny.model(config.model), cifar.CLASSES, cifar.MEAN, cifar.STD, record)
        checkpoint.save(given, path / "last.safetensors")
    return path


def test_runs_are_listed_newest_first_without_other_folders(folder, config):
    for age, name in enumerate(["new", "middle", "old"]):
        path = made_run(folder, config, name)
        os.utime(path / "config.json", (1e9 - age, 1e9 - age))
    (folder.root / "empty").mkdir()
    (folder.root / "file").write_text("")
    odd = made_run(folder, config, "odd")
    (odd / "config.json").write_text('{"wings": 2}')
    pipes = made_run(folder, config, "pipes")
    os.utime(pipes / "config.json", (0, 0))
    for name in ("metrics.jsonl", process.FILE, "last.safetensors"):
        (pipes / name).unlink(missing_ok=True)
        os.mkfifo(pipes / name)
    assert [info.name for info in folder.all()] == ["new", "middle", "old", "pipes"]
    assert folder.metrics("pipes") == ([], 0)


@pytest.mark.parametrize(("file", "listed"), [("metrics.jsonl", {"own", "other"}), (process.FILE, {"own"})])
def test_an_unreadable_file_does_not_hide_other_runs(folder, config, monkeypatch, file, listed):
    for name in ("own", "other"):
        made_run(folder, config, name)
    forbidden = folder.root / "other" / file
    forbidden.touch()
    for module, name in ((io, "open"), (os, "open")):  # permissions would not stop root
        monkeypatch.setattr(module, name, partial(unless, forbidden, getattr(module, name)))
    assert {info.name for info in folder.all()} == listed
    assert folder.metrics("other") == ([], 0)


def unless(forbidden: Path, opened: Callable[..., Any], path: Any, *args: Any, **named: Any) -> Any:
    """Open a file unless it is the forbidden one."""
    if path == forbidden:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))
    return opened(path, *args, **named)


def test_a_finished_run_has_an_accuracy_and_cannot_be_resumed(folder, config):
    made_run(folder, config, "one", record={"test_accuracy": 0.75, "epochs": 10.0})
    info = folder.find("one")
    assert (info.state, info.accuracy, info.message) == ("finished", 0.75, "")
    with pytest.raises(ValueError, match="The run one is finished: there is nothing to resume"):
        folder.resume("one")


def test_the_message_of_an_interrupted_run_names_the_saved_epoch(folder, config, monkeypatch):
    record = {"epochs": 3.0, "training": {"seconds": 40.0}}
    lines = "".join(json.dumps({"seconds": at, "epoch": at / 10}) + "\n" for at in (20, 40, 50))
    made_run(folder, config, "one", lines, record)
    info = folder.find("one")
    assert (info.state, info.epoch, info.accuracy) == ("interrupted", 5.0, None)
    assert info.message.endswith("The state at epoch 3.0 is kept; resume continues from there.")
    monkeypatch.setattr(launch, "COMMAND", (sys.executable, "-c", ""))  # writes no metrics
    folder.resume("one")  # removes the metrics of steps that will be repeated
    wait_for_end(folder, "one")
    assert [line["seconds"] for line in folder.metrics("one")[0]] == [20, 40]


def test_changed_files_are_read_again(folder, config):
    path = made_run(folder, config, "one", '{"epoch": 1.0}\n')
    assert folder.find("one").epoch == 1.0
    with (path / "metrics.jsonl").open("a") as file:
        file.write('{"epoch": 1.5}\n{"epoch": 1.')
    assert folder.find("one").epoch == 1.5


def test_metrics_are_read_from_an_offset(folder, config):
    path = made_run(folder, config, "one", '{"epoch": 1}\n{"epoch": 2}\n{"epo')
    lines, offset = folder.metrics("one")
    assert [line["epoch"] for line in lines] == [1, 2]
    assert folder.metrics("one", offset) == ([], offset)
    with (path / "metrics.jsonl").open("a") as file:
        file.write('ch": 3}\n')
    assert folder.metrics("one", offset) == ([{"epoch": 3}], path.joinpath("metrics.jsonl").stat().st_size)
    for beyond in (10**9, 10**30):
        assert folder.metrics("one", beyond) == ([], beyond)
    assert folder.metrics("one", -5)[0] == folder.metrics("one")[0]


def test_a_run_is_renamed_and_resumed(folder, config):
    started(folder, config, "one")
    for call in (lambda: folder.rename("one", "two"), lambda: folder.delete("one")):
        with pytest.raises(AlreadyRunningError, match=r"The run one is running\. Stop it first\."):
            call()
    folder.stop("one")
    wait_for_end(folder, "one")
    made_run(folder, config, "three")
    with pytest.raises(ValueError, match="name must be new: there is already a run three"):
        folder.rename("one", "three")
    assert folder.rename("one", "two").name == "two"
    assert {info.name for info in folder.all()} == {"two", "three"}
    assert folder.resume("two").state == "training"
    wait_for_worker(folder, "two")


def test_deleting_a_run_deletes_its_folder(folder, config):
    made_run(folder, config, "one")
    folder.delete("one")
    assert folder.all() == []
    assert not (folder.root / "one").exists()
    with pytest.raises(ValueError, match=r"must contain a valid config\.json: .* Choose another run\."):
        folder.delete("one")


GRID = ("model.depth=1,2", "model.num_heads=1,2")


def test_a_sweep_is_one_process_under_the_same_lock(folder, config):
    info = folder.start_sweep(config, GRID, "grid")
    assert (info.state, info.vary, info.results) == ("training", GRID, [])
    assert info.runs == [
        (f"grid-depth{depth}-numheads{heads}", {"model.depth": depth, "model.num_heads": heads})
        for depth in "12"
        for heads in "12"
    ]
    wait_for_worker(folder, "grid")
    assert folder.all() == [], "its runs have not started yet"
    for call in (lambda: folder.start(config, "one"), lambda: folder.resume_sweep("grid")):
        with pytest.raises(AlreadyRunningError, match="grid is running"):
            call()
    folder.stop("grid")
    until(lambda: not process.is_running(folder.folder("grid")), "the process has ended")
    (info,) = Runs(folder.root).sweeps()
    assert (info.state, info.message) == ("stopped", "Stopped on request.")

    folder.resume_sweep("grid")
    wait_for_worker(folder, "grid")
    os.kill(pid(folder, "grid"), signal.SIGKILL)
    until(lambda: not process.is_running(folder.folder("grid")), "the process has ended")
    (folder.folder("grid") / "results.jsonl").write_text('{"run": "grid-depth1-numheads1"}\n{"ru')
    info = folder.find_sweep("grid")
    assert info.state == "interrupted"
    assert info.message.endswith("1 of 4 runs are completed; resume continues from there.")
    folder.delete("grid")
    assert folder.sweeps() == []


def test_an_invalid_sweep_or_one_with_existing_runs_is_rejected(folder, config):
    with pytest.raises(ValueError, match=r"vary contains invalid combinations: model\.num_heads=5"):
        folder.start_sweep(config, ("model.num_heads=2,5",), "grid")
    assert not folder.root.exists()
    made_run(folder, config, "grid-seed1")
    with pytest.raises(ValueError, match="name must be new: there is already a run grid-seed1"):
        folder.start_sweep(config, ("seed=0,1",), "grid")
    assert not folder.folder("grid").exists()


def test_a_failed_start_leaves_no_folder(folder, config, monkeypatch):
    with pytest.raises(cifar.DataError, match="CIFAR-10 is not in"):
        folder.start(replace(config, data="nowhere"), "one")
    monkeypatch.setattr(launch, "COMMAND", ("/nowhere/python",))
    with pytest.raises(FileNotFoundError):
        folder.start(config, "one")
    assert folder.all() == []
    assert not (folder.root / "one").exists()
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, "waiting"))
    folder.start(config, "one")  # the lock is free
    os.kill(pid(folder, "one"), signal.SIGKILL)
    wait_for_end(folder, "one")
    with pytest.raises(ValueError, match="name must be new: there is already a run one"):
        folder.start(config, "one")


REAL = (sys.executable, "-c", "from vitviz import cli; from vitviz.data import cifar; cifar.RECORDS = 20; cli.main()")


@pytest.mark.slow
def test_a_real_run_survives_a_full_disk_a_stop_a_rename_and_a_kill(folder, config, monkeypatch):
    monkeypatch.setattr(launch, "COMMAND", REAL)
    folder.start(replace(config, epochs=1e4, num_snapshots=0), "one")
    until(lambda: folder.find("one").epoch > 0, "the first line of metrics")
    until((folder.folder("one") / "last.safetensors").exists, "a saved state")
    child = pid(folder, "one")
    before = resource.prlimit(child, resource.RLIMIT_FSIZE)
    resource.prlimit(child, resource.RLIMIT_FSIZE, (4096, before[1]))  # larger files fail from now on
    until(lambda: folder.find("one").message.startswith("The disk is full"), "the message")
    assert folder.find("one").state == "training"
    kept = (folder.folder("one") / "last.safetensors").read_bytes()
    assert [path.name for path in folder.folder("one").glob(".*")] == []
    resource.prlimit(child, resource.RLIMIT_FSIZE, before)
    until(lambda: folder.find("one").message == "", "disk space")
    until(lambda: (folder.folder("one") / "last.safetensors").read_bytes() != kept, "another state")

    folder.stop("one")
    info = wait_for_end(folder, "one")
    assert info.state == "stopped"
    assert info.message.startswith("Stopped at epoch ")
    steps = checkpoint.load(folder.folder("one") / "last.safetensors").record["steps"]
    folder.rename("one", "two")
    folder.resume("two")
    until(lambda: folder.find("two").epoch > steps / 4, "it continues")
    os.kill(pid(folder, "two"), signal.SIGKILL)
    assert wait_for_end(folder, "two").state == "interrupted"


@pytest.mark.slow
def test_a_real_run_ends_with_its_accuracy_or_its_error(folder, config, monkeypatch):
    monkeypatch.setattr(launch, "COMMAND", REAL)
    folder.start(replace(config, epochs=1, num_snapshots=2), "one")
    info = wait_for_end(folder, "one")
    result = checkpoint.load(folder.folder("one") / "last.safetensors")
    assert (info.state, info.accuracy, info.epoch) == ("finished", result.record["test_accuracy"], 1.0)
    folder.start(replace(config, lr=9e8, muon_lr=9e8, weight_decay=9e8, epochs=50), "two")
    info = wait_for_end(folder, "two")
    assert info.state == "failed"
    assert "Use lower learning rates" in info.message
    assert "Traceback" not in (folder.folder("two") / launch.LOG).read_text()

    folder.start_sweep(replace(config, epochs=1, num_snapshots=0), ("seed=0,1",), "grid")
    until(lambda: not process.is_running(folder.folder("grid")), "the sweep has ended")
    found = folder.find_sweep("grid")
    assert found.state == "finished"
    assert [result["run"] for result in found.results] == ["grid-seed0", "grid-seed1"]
    assert folder.find("grid-seed1").accuracy == found.results[1]["accuracy"]


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
