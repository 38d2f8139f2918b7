"""Trainings as processes: one at a time, found again by anybody, stopped, killed and gone on with."""

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
from vitviz.runs.store import Busy, Runs
from vitviz.training.config import TrainConfig

REPLACE = """
import itertools, os, sys
*states, path = sys.argv[1:]
for turn, state in enumerate(itertools.cycle(states)):
    os.link(state, path + ".new")
    os.replace(path + ".new", path)
    if turn == 0: print("begun", flush=True)
"""
WORKER = (sys.executable, str(Path(__file__).with_name("worker.py")))


@pytest.fixture
def config(cifar_folder, cifar_config) -> TrainConfig:
    return TrainConfig(
        preset="tiny", model=cifar_config, data=str(cifar_folder), epochs=10, minutes=None, batch_size=25, device="cpu"
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Runs whose processes learn nothing; what still lives at the end is killed."""
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, "waiting"))
    made = Runs(tmp_path / "runs")
    yield made
    for info in made.all():
        if process.lives(made.folder(info.name)):
            os.kill(pid(made, info.name), signal.SIGKILL)


def pid(made: Runs, name: str) -> int:
    found = []  # it may be written just now, in place
    until(lambda: found.append(process.read(made.folder(name))) or found[-1], "the process is noted")
    return found[-1].pid


def until(condition, what: str) -> None:
    """Ask until something is so; a process that never comes to it fails the test after five minutes."""
    end = threading.Event()
    timer = threading.Timer(300, end.set)
    timer.start()
    try:
        while not condition():
            assert not end.wait(0.01), f"five minutes passed without: {what}"
    finally:
        timer.cancel()


def started(made: Runs, config: TrainConfig, name: str) -> None:
    """Start a run and wait until its process has begun to work."""
    made.start(config, name)
    at_work(made, name)


def at_work(made: Runs, name: str) -> None:
    until((made.folder(name) / f"worker-{pid(made, name)}").exists, "the process begins")


def ended(made: Runs, name: str):
    until(lambda: not process.lives(made.folder(name)), "the process ends")
    return made.find(name)


def test_a_training_is_a_process_that_anybody_finds_by_its_folder(folder, config):
    assert folder.all() == []
    info = folder.start(config, "one")
    assert info.state == "training"
    at_work(folder, "one")
    assert os.getsid(pid(folder, "one")) == pid(folder, "one") != os.getsid(0), "it outlives its server"
    assert os.getpriority(os.PRIO_PROCESS, pid(folder, "one")) >= launch.NICENESS

    (found,) = Runs(folder.root).all()
    assert (found.name, found.state, found.preset, found.message) == ("one", "training", "tiny", "")
    assert (found.share, found.epoch, found.seconds, found.images_per_second) == (0.25, 2.5, 60.0, 500.0)
    assert (found.epochs, found.minutes, found.accuracy) == (10, None, None)
    assert found.parameters == sum(weight.numel() for weight in tiny.model(config.model).parameters())
    assert found.config["model"]["width"] == config.model.embed_dim
    assert found.config["out"] == str(folder.folder("one"))


def test_a_second_training_is_refused_and_told_which_one_runs(folder, config):
    started(folder, config, "one")
    for made in (folder, Runs(folder.root)):
        with pytest.raises(Busy, match=r"^One training at a time: one is running\. Wait for it, or stop it first\.$"):
            made.start(config, "two")
    assert not folder.folder("two").exists()
    folder.stop("one")
    ended(folder, "one")
    folder.start(config, "two")
    with pytest.raises(Busy, match="two is running"):
        folder.resume("one")


def test_a_training_begun_in_a_terminal_counts(folder, config):
    other = folder.root / "terminal"
    other.mkdir(parents=True)
    (other / "config.json").write_text(json.dumps(asdict(config)))
    lock = process.lock(other / process.FILE)
    try:
        assert folder.find("terminal").state == "training"
        with pytest.raises(Busy, match="terminal is running"):
            folder.start(config, "one")
    finally:
        os.close(lock)
    assert folder.find("terminal").state == "interrupted"


def test_a_training_under_a_name_that_is_not_listed_counts(folder, config):
    other = folder.root / "my läuf"
    other.mkdir(parents=True)
    lock = process.lock(other / process.FILE)
    try:
        with pytest.raises(Busy, match="my läuf is running"):
            folder.start(config, "one")
    finally:
        os.close(lock)
    assert folder.running() is None
    assert folder.all() == []


def test_a_stop_is_asked_for_once_and_the_process_says_how_it_ended(folder, config):
    started(folder, config, "one")
    os.kill(pid(folder, "one"), signal.SIGSTOP)  # so that it cannot end before it is looked at
    folder.stop("one")
    folder.stop("one")  # a second signal would end it at once
    assert Runs(folder.root).find("one").state == "stopping"
    os.kill(pid(folder, "one"), signal.SIGCONT)
    info = ended(folder, "one")
    assert (info.state, info.message) == ("stopped", "Stopped as asked.")
    with pytest.raises(ValueError, match="The run one is not training: there is nothing to stop"):
        folder.stop("one")


def test_a_process_that_has_said_how_it_ends_and_is_not_gone_yet_is_stopping(folder, config):
    started(folder, config, "one")
    place = folder.folder("one")
    process.write(place, replace(process.read(place), state="stopped", message="Stopped as asked."))
    info = folder.find("one")
    assert (info.state, info.message) == ("stopping", "")


def test_a_process_that_does_not_stop_is_killed(folder, config, monkeypatch):
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, "deaf"))
    monkeypatch.setattr(launch, "PATIENCE", 0.0)
    started(folder, config, "one")
    folder.stop("one")
    info = ended(folder, "one")
    assert info.state == "interrupted", "what it learned since its last save is lost"
    assert info.message.startswith("The process ended before it could save")


def test_a_process_that_ends_while_it_begins_has_lost_nothing(folder, config):
    made_run(folder, config, "one")
    run_folder.rewind(folder.folder("one"))
    found = folder.resume("one")
    at_work(folder, "one")
    place = folder.folder("one")
    (place / "metrics.jsonl").write_bytes(b"")  # as before its first step
    launch.stop_mark(place, process.read(place)).touch()
    os.kill(pid(folder, "one"), signal.SIGKILL)
    info = ended(folder, "one")
    assert (info.state, info.message, info.session) == ("stopped", "", found.session)


def test_a_killed_process_is_shown_as_interrupted_and_gone_on_with_by_another(folder, config):
    started(folder, config, "one")
    before = folder.find("one").session
    os.kill(pid(folder, "one"), signal.SIGKILL)
    info = ended(folder, "one")
    assert (info.state, info.epoch) == ("interrupted", 2.5)
    assert info.message.endswith("Nothing was saved yet; resume goes on from there.")
    assert folder.resume("one").state == "training"
    assert folder.find("one").session != before
    at_work(folder, "one")


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("refused", "The weather must be fine: it rains. Take an umbrella."),
        ("failed", "An error of vitviz itself: ZeroDivisionError: by zero"),
    ],
)
def test_a_process_that_fails_says_so_in_a_sentence(folder, config, monkeypatch, behaviour, sentence):
    monkeypatch.setattr(launch, "COMMAND", (*WORKER, behaviour))
    folder.start(config, "one")
    info = ended(folder, "one")
    assert (info.state, info.message) == ("failed", sentence)
    assert (folder.folder("one") / launch.LOG).read_text().startswith("started\n")


def test_a_lock_of_a_dead_process_is_free_though_its_number_lives(folder, config):
    folder.root.mkdir()
    (folder.root / store.LOCK).write_text("gone")
    started(folder, config, "one")
    folder.stop("one")
    ended(folder, "one")
    process.write(folder.folder("one"), process.Process(os.getpid(), "another"))  # as if the number were given anew
    assert folder.find("one").state == "interrupted"
    with pytest.raises(ValueError, match="not training"):
        folder.stop("one")


def asked_at_once(askers: list[Runs], config: TrainConfig, names: list[str]) -> list[str | Busy]:
    """What each gets who asks for a start at the same moment: the name of its run, or a refusal."""
    gate = threading.Barrier(len(askers))

    def ask(made: Runs, name: str) -> str | Busy:
        gate.wait()
        try:
            return made.start(config, name).name
        except Busy as refusal:
            return refusal

    with ThreadPoolExecutor(len(askers)) as pool:
        return list(pool.map(ask, askers, names))


def double_starts(root: Path, config: TrainConfig, rounds: int) -> None:
    """Two ask for a start at the same moment, so many times: one process each, and the other is told which."""
    for turn in range(rounds):
        made = Runs(root)
        answers = asked_at_once([made, Runs(root)], config, [f"run-{turn}-a", f"run-{turn}-b"])
        (name,) = (answer for answer in answers if isinstance(answer, str))
        (refusal,) = (answer for answer in answers if isinstance(answer, Busy))
        assert str(refusal).startswith(f"One training at a time: {name} is running.")
        at_work(made, name)
        assert [info.name for info in made.all() if info.state == "training"] == [name]
        assert [path.parent.name for path in root.glob(f"run-{turn}-*/worker-*")] == [name]
        assert [path.name for path in root.glob(f"run-{turn}-*")] == [name]
        made.stop(name)
        ended(made, name)


def test_two_starts_at_once_give_one_process(folder, config):
    double_starts(folder.root, config, 5)


@pytest.mark.slow
def test_fifty_double_starts_give_one_process_each(folder, config):
    double_starts(folder.root, config, 50)


@pytest.mark.parametrize("name", ["", ".", "..", "../one", "a/b", ".hidden", "a" * 65, "ü", "a b", "a\n", "a\0", None])
def test_a_name_that_leads_elsewhere_is_refused(folder, config, name):
    for ask in (folder.find, folder.stop, folder.delete, folder.metrics, lambda name: folder.start(config, name)):
        with pytest.raises(ValueError, match="The name of a run may have 1 to 64 letters"):
            ask(name)
    assert not folder.root.exists()


def test_a_link_is_no_run(folder, config, tmp_path):
    made_run(folder, config, "one")
    (folder.root / "link").symlink_to(folder.root / "one")
    assert [info.name for info in folder.all()] == ["one"]
    with pytest.raises(ValueError, match="must be a folder of its own: link is a link"):
        folder.delete("link")


def made_run(made: Runs, config: TrainConfig, name: str, lines: str = "", record: dict | None = None) -> Path:
    """A run folder as a process leaves it."""
    path = made.root / name
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(asdict(config)))
    (path / "metrics.jsonl").write_text(lines)
    if record is not None:
        given = Checkpoint("last", tiny.model(config.model), cifar.CLASSES, cifar.MEAN, cifar.STD, record)
        checkpoint.save(given, path / "last.safetensors")
    return path


def test_runs_are_listed_newest_first_and_what_is_no_run_is_left_out(folder, config):
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


@pytest.mark.parametrize(("file", "listed"), [("metrics.jsonl", {"mine", "theirs"}), (process.FILE, {"mine"})])
def test_a_file_that_may_not_be_read_hides_no_other_run(folder, config, monkeypatch, file, listed):
    for name in ("mine", "theirs"):
        made_run(folder, config, name)
    forbidden = folder.root / "theirs" / file
    forbidden.touch()
    for module, name in ((io, "open"), (os, "open")):  # permissions would not stop root
        monkeypatch.setattr(module, name, partial(unless, forbidden, getattr(module, name)))
    assert {info.name for info in folder.all()} == listed
    assert folder.metrics("theirs") == ([], 0)


def unless(forbidden: Path, opened: Callable[..., Any], path: Any, *args: Any, **named: Any) -> Any:
    """Open a file, unless it is the one that may not be read."""
    if path == forbidden:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))
    return opened(path, *args, **named)


def test_a_finished_run_tells_its_accuracy_and_is_not_resumed(folder, config):
    made_run(folder, config, "one", record={"test_accuracy": 0.75, "epochs": 10.0})
    info = folder.find("one")
    assert (info.state, info.accuracy, info.message) == ("finished", 0.75, "")
    with pytest.raises(ValueError, match="The run one is finished: there is nothing to resume"):
        folder.resume("one")


def test_a_run_with_a_saved_state_says_what_is_kept(folder, config, monkeypatch):
    record = {"epochs": 3.0, "training": {"seconds": 40.0}}
    lines = "".join(json.dumps({"seconds": at, "epoch": at / 10}) + "\n" for at in (20, 40, 50))
    made_run(folder, config, "one", lines, record)
    info = folder.find("one")
    assert (info.state, info.epoch, info.accuracy) == ("interrupted", 5.0, None)
    assert info.message.endswith("The state at epoch 3.0 is kept; resume goes on from there.")
    monkeypatch.setattr(launch, "COMMAND", (sys.executable, "-c", ""))  # notes nothing itself
    folder.resume("one")  # takes back what comes again, before anybody reads it under the new session
    ended(folder, "one")
    assert [line["seconds"] for line in folder.metrics("one")[0]] == [20, 40]


def test_a_change_of_the_files_is_seen(folder, config):
    path = made_run(folder, config, "one", '{"epoch": 1.0}\n')
    assert folder.find("one").epoch == 1.0
    with (path / "metrics.jsonl").open("a") as file:
        file.write('{"epoch": 1.5}\n{"epoch": 1.')
    assert folder.find("one").epoch == 1.5


def test_metrics_are_read_from_where_one_was(folder, config):
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


def test_a_run_gets_another_name_and_goes_on_under_it(folder, config):
    started(folder, config, "one")
    for ask in (lambda: folder.rename("one", "two"), lambda: folder.delete("one")):
        with pytest.raises(Busy, match=r"The run one is training\. Stop it first\."):
            ask()
    folder.stop("one")
    ended(folder, "one")
    made_run(folder, config, "three")
    with pytest.raises(ValueError, match="The name of a run must be new: there is a run three already"):
        folder.rename("one", "three")
    assert folder.rename("one", "two").name == "two"
    assert {info.name for info in folder.all()} == {"two", "three"}
    assert folder.resume("two").state == "training"
    at_work(folder, "two")


def test_a_run_is_deleted_with_all_its_files(folder, config):
    made_run(folder, config, "one")
    folder.delete("one")
    assert folder.all() == []
    assert not (folder.root / "one").exists()
    with pytest.raises(ValueError, match=r"has none that can be read\. Name another run\."):
        folder.delete("one")


GRID = ("model.depth=1,2", "model.num_heads=1,2")


def test_a_sweep_is_one_process_under_the_same_lock(folder, config):
    info = folder.start_sweep(config, GRID, "grid")
    assert (info.state, info.vary, info.results) == ("training", GRID, [])
    assert info.runs == [
        (f"grid-depth{depth}-heads{heads}", {"model.depth": depth, "model.num_heads": heads})
        for depth in "12"
        for heads in "12"
    ]
    at_work(folder, "grid")
    assert folder.all() == [], "its runs begin one after another"
    for ask in (lambda: folder.start(config, "one"), lambda: folder.resume_sweep("grid")):
        with pytest.raises(Busy, match="grid is running"):
            ask()
    folder.stop("grid")
    until(lambda: not process.lives(folder.folder("grid")), "the process ends")
    (info,) = Runs(folder.root).sweeps()
    assert (info.state, info.message) == ("stopped", "Stopped as asked.")

    folder.resume_sweep("grid")
    at_work(folder, "grid")
    os.kill(pid(folder, "grid"), signal.SIGKILL)
    until(lambda: not process.lives(folder.folder("grid")), "the process ends")
    (folder.folder("grid") / "results.jsonl").write_text('{"run": "grid-depth1-heads1"}\n{"ru')
    info = folder.find_sweep("grid")
    assert info.state == "interrupted"
    assert info.message.endswith("1 of 4 runs are done; resume goes on from there.")
    folder.delete("grid")
    assert folder.sweeps() == []


def test_a_sweep_that_does_not_fit_or_whose_runs_are_there_is_refused(folder, config):
    with pytest.raises(ValueError, match=r"Each combination must fit\. These do not: model\.heads=5"):
        folder.start_sweep(config, ("model.num_heads=2,5",), "grid")
    assert not folder.root.exists()
    made_run(folder, config, "grid-seed1")
    with pytest.raises(ValueError, match="The name of a run must be new: there is a run grid-seed1 already"):
        folder.start_sweep(config, ("seed=0,1",), "grid")
    assert not folder.folder("grid").exists()


def test_what_cannot_start_leaves_nothing_behind(folder, config, monkeypatch):
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
    ended(folder, "one")
    with pytest.raises(ValueError, match="The name of a run must be new: there is a run one already"):
        folder.start(config, "one")


REAL = (sys.executable, "-c", "from vitviz import cli; from vitviz.data import cifar; cifar.RECORDS = 20; cli.main()")


@pytest.mark.slow
def test_a_real_training_waits_for_room_stops_goes_on_under_another_name_and_ends(folder, config, monkeypatch):
    monkeypatch.setattr(launch, "COMMAND", REAL)
    folder.start(replace(config, epochs=1e4, num_snapshots=0), "one")
    until(lambda: folder.find("one").epoch > 0, "the first live point")
    until((folder.folder("one") / "last.safetensors").exists, "a saved state")
    child = pid(folder, "one")
    before = resource.prlimit(child, resource.RLIMIT_FSIZE)
    resource.prlimit(child, resource.RLIMIT_FSIZE, (4096, before[1]))  # the system refuses larger files from now on
    until(lambda: folder.find("one").message.startswith("The disk is full"), "the sentence")
    assert folder.find("one").state == "training"
    kept = (folder.folder("one") / "last.safetensors").read_bytes()
    assert [path.name for path in folder.folder("one").glob(".*")] == []
    resource.prlimit(child, resource.RLIMIT_FSIZE, before)
    until(lambda: folder.find("one").message == "", "room")
    until(lambda: (folder.folder("one") / "last.safetensors").read_bytes() != kept, "another state")

    folder.stop("one")
    info = ended(folder, "one")
    assert info.state == "stopped"
    assert info.message.startswith("Stopped as asked in epoch ")
    steps = checkpoint.load(folder.folder("one") / "last.safetensors").record["steps"]
    folder.rename("one", "two")
    folder.resume("two")
    until(lambda: folder.find("two").epoch > steps / 4, "it goes on")
    os.kill(pid(folder, "two"), signal.SIGKILL)
    assert ended(folder, "two").state == "interrupted"


@pytest.mark.slow
def test_a_real_training_ends_with_its_accuracy_and_one_that_fails_with_its_sentence(folder, config, monkeypatch):
    monkeypatch.setattr(launch, "COMMAND", REAL)
    folder.start(replace(config, epochs=1, num_snapshots=2), "one")
    info = ended(folder, "one")
    result = checkpoint.load(folder.folder("one") / "last.safetensors")
    assert (info.state, info.accuracy, info.epoch) == ("finished", result.record["test_accuracy"], 1.0)
    folder.start(replace(config, lr=9e8, muon_lr=9e8, weight_decay=9e8, epochs=50), "two")
    info = ended(folder, "two")
    assert info.state == "failed"
    assert "must stay finite" in info.message
    assert "Traceback" not in (folder.folder("two") / launch.LOG).read_text()

    folder.start_sweep(replace(config, epochs=1, num_snapshots=0), ("seed=0,1",), "grid")
    until(lambda: not process.lives(folder.folder("grid")), "the sweep ends")
    found = folder.find_sweep("grid")
    assert found.state == "finished"
    assert [result["run"] for result in found.results] == ["grid-seed0", "grid-seed1"]
    assert folder.find("grid-seed1").accuracy == found.results[1]["accuracy"]


def test_a_record_is_read_while_its_checkpoint_is_being_replaced(tiny_checkpoint, tmp_path):
    for length in (1, 100):  # so that the files have two sizes
        checkpoint.save(replace(tiny_checkpoint, record={"preset": "x" * length}), tmp_path / f"{length}.safetensors")
    words = [sys.executable, "-c", REPLACE, *map(str, sorted(tmp_path.iterdir())), str(tmp_path / "last.safetensors")]
    replacing = subprocess.Popen(words, stdout=subprocess.PIPE)
    try:
        assert replacing.stdout.readline() == b"begun\n"
        records = [run_folder.read_record(tmp_path / "last.safetensors") for _ in range(1000)]
        assert replacing.poll() is None  # it replaced until the end
    finally:
        replacing.kill()
        replacing.communicate()
    assert all(records)
