"""Lock and process record of a run folder, and writing to a full disk."""

import errno
import json
import os
import resource
import shutil
from types import SimpleNamespace

import pytest
import torch

from tests.errors import refuses
from vitviz.errors import TrainingError, TrainingStopped
from vitviz.runs import process, run_folder
from vitviz.runs.process import ProcessRecord, RunLock
from vitviz.training.signals import StopRequest


@pytest.fixture
def lock(tmp_path) -> RunLock:
    return RunLock(tmp_path / "run", StopRequest())


def test_only_one_process_at_a_time_locks_a_folder(lock):
    with lock:
        lock.record_start()
        assert process.is_running(lock.folder)
        with refuses(run="run"), RunLock(lock.folder, lock.stop):
            pytest.fail("both entered")
    assert not process.is_running(lock.folder)
    with RunLock(lock.folder, lock.stop) as later:
        assert later.record.session != lock.record.session


@pytest.mark.parametrize(
    ("error", "state", "message"),
    [
        (TrainingStopped("Stopped on request."), "stopped", "Stopped on request."),
        (TrainingError("The loss is nan after step 8."), "failed", "The loss is nan after step 8."),
        (
            OSError(13, "Permission denied", "a.npz"),
            "failed",
            "System error: Permission denied (a.npz). Check its permissions, or choose another folder.",
        ),
        (KeyError("oh"), "failed", "Internal error: KeyError: 'oh'"),
        (MemoryError(), "failed", process.NO_MEMORY),
        (torch.OutOfMemoryError("Tried to allocate 2 GiB."), "failed", process.NO_MEMORY),
        (ValueError("é" * 3000), "failed", "é" * 187),
    ],
    ids=lambda value: type(value).__name__,
)
def test_exit_state_and_error_are_recorded(lock, error, state, message):
    def fail() -> None:
        with lock:
            lock.record_start()
            raise error

    with pytest.raises(type(error)):
        fail()
    assert process.read(lock.folder) == ProcessRecord(os.getpid(), lock.record.session, state, message)
    assert (lock.folder / process.FILE).stat().st_size == process.FILE_BYTES


def test_a_run_that_is_being_deleted_is_not_running(tmp_path):
    assert not process.is_running(tmp_path)


def test_an_error_before_the_start_leaves_the_record_unchanged(lock):
    with lock:
        lock.record_start()
    before = process.read(lock.folder)
    assert before.state == "finished"
    with pytest.raises(ValueError, match="new"), RunLock(lock.folder, lock.stop):
        raise ValueError("The run folder must be new.")
    assert process.read(lock.folder) == before


@pytest.mark.parametrize("text", ["", "[1]", '{"pid": 1}', '{"wings": 2}', "\0" * 2048, "[" * 3000])
def test_a_damaged_record_is_ignored(tmp_path, text):
    (tmp_path / process.FILE).write_text(text)
    assert process.read(tmp_path) is None
    assert not process.is_running(tmp_path)


def full_disk(times: int, calls: list):
    """Return a write function that fails with a full disk a number of times."""

    def write() -> None:
        calls.append(len(calls))
        if len(calls) <= times:
            raise OSError(errno.ENOSPC, "No space left on device", "last.safetensors")

    return write


def test_on_a_full_disk_training_warns_waits_and_continues(lock, monkeypatch):
    messages = []
    monkeypatch.setattr(process, "DISK_RETRY_INTERVAL", 0.0)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=3 * 2**20))
    monkeypatch.setattr(lock, "set_message", messages.append)
    calls = []
    with lock:
        assert lock.retry_while_disk_full(full_disk(0, [])) == 0.0
        assert messages == []
        with pytest.warns(UserWarning, match="Training is paused and continues when there is space") as warned:
            assert lock.retry_while_disk_full(full_disk(2, calls)) > 0.0
    assert [str(warning.message) for warning in warned] == messages[:1], "one warning in the terminal"
    assert len(calls) == 3
    assert messages[0] == messages[1]
    assert messages[0] == (
        "The disk is full (3 MB free): the training state cannot be saved. Training is paused and continues when "
        "there is space. Free some space."
    )
    assert messages[2] == ""


def test_a_stop_on_a_full_disk_names_what_is_kept(lock):
    lock.stop.requested = True
    with lock:
        lock.record_start()
        with pytest.raises(TrainingStopped, match=r"^The disk is full .* The previous state is kept\. Free some space"):
            lock.retry_while_disk_full(full_disk(9, []))


def test_other_disk_errors_are_raised_immediately(lock):
    def write() -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with lock, pytest.raises(OSError, match="Read-only"):
        lock.retry_while_disk_full(write)


def test_a_line_is_appended_completely_or_not_at_all(tmp_path):
    path = tmp_path / "metrics.jsonl"
    run_folder.append_line(path, "one\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6, before[1]))  # space for half a line
    try:
        with pytest.raises(OSError, match="No space left"):
            run_folder.append_line(path, "two\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "one\n"
    run_folder.append_line(path, "two\n")
    assert path.read_text() == "one\ntwo\n"


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (errno.ENOSPC, "Free some space."),
        (errno.EDQUOT, "Free some space."),
        (errno.EFBIG, "Raise the limit of file sizes (`ulimit -f`)."),
        (errno.EROFS, "Check its permissions, or choose another folder."),
        (errno.ENOTDIR, "Check the path, or choose another."),
    ],
)
def test_what_to_do_follows_from_the_error_number(code, sentence):
    assert process.format_error(OSError(code, os.strerror(code), "a")).endswith(sentence)


def test_a_refused_process_leaves_nothing_behind(tmp_path, lock):
    with pytest.raises(ValueError, match="no"), RunLock(tmp_path / "new" / "run", lock.stop):
        raise ValueError("no")
    assert not (tmp_path / "new" / "run").exists()


def test_a_record_of_other_types_is_none(tmp_path):
    for values in (
        {"pid": "1"},
        {"pid": 2**40},
        {"session": "../x"},
        {"state": []},
        {"state": "x"},
        {"message": "\ud800"},
    ):
        record = {"pid": 1, "session": "1-1"} | values
        (tmp_path / process.FILE).write_text(json.dumps(record))
        assert process.read(tmp_path) is None, values
