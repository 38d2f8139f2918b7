"""One process in a run folder, and what it leaves there, also on a full disk."""

import errno
import os
import resource

import pytest

from vitviz.runs import process, run_folder
from vitviz.runs.process import Busy, Process, Stopped, Work
from vitviz.training.config import TrainingError
from vitviz.training.signals import StopRequest


@pytest.fixture
def work(tmp_path) -> Work:
    return Work(tmp_path / "run", StopRequest())


def test_a_folder_belongs_to_one_process_at_a_time(work):
    with work:
        work.begin()
        assert process.lives(work.folder)
        sentence = rf"One process at a time works in a run folder: in {work.folder} it is process {os.getpid()}\. Wait"
        with pytest.raises(Busy, match=sentence), Work(work.folder, work.stop):
            pytest.fail("both entered")
    assert not process.lives(work.folder)
    with Work(work.folder, work.stop) as after:
        assert after.process.session != work.process.session


@pytest.mark.parametrize(
    ("error", "state", "message"),
    [
        (Stopped("Stopped as asked."), "stopped", "Stopped as asked."),
        (TrainingError("The loss must stay finite."), "failed", "The loss must stay finite."),
        (
            OSError(13, "Permission denied", "a.npz"),
            "failed",
            "The system refused: Permission denied (a.npz). Mend that, or name another file or folder.",
        ),
        (KeyError("oh"), "failed", "An error of vitviz itself: KeyError: 'oh'"),
        (ValueError("é" * 3000), "failed", "é" * 187),
    ],
    ids=lambda value: type(value).__name__,
)
def test_how_the_work_ended_stays_in_the_folder(work, error, state, message):
    def fail() -> None:
        with work:
            work.begin()
            raise error

    with pytest.raises(type(error)):
        fail()
    assert process.read(work.folder) == Process(os.getpid(), work.process.session, state, message)
    assert (work.folder / process.FILE).stat().st_size == process.BYTES


def test_nobody_works_in_a_folder_that_is_being_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "is_file", lambda path: True)  # it goes right after this
    assert not process.lives(tmp_path)


def test_a_refusal_before_the_work_began_changes_nothing(work):
    with work:
        work.begin()
    before = process.read(work.folder)
    assert before.state == "finished"
    with pytest.raises(ValueError, match="new"), Work(work.folder, work.stop):
        raise ValueError("A run folder must be new.")
    assert process.read(work.folder) == before


@pytest.mark.parametrize("text", ["", "[1]", '{"pid": 1}', '{"wings": 2}', "\0" * 2048])
def test_a_damaged_note_is_none(tmp_path, text):
    (tmp_path / process.FILE).write_text(text)
    assert process.read(tmp_path) is None
    assert not process.lives(tmp_path)


def full_disk(times: int, seen: list):
    """A write that finds the disk full so many times."""

    def write() -> None:
        seen.append(len(seen))
        if len(seen) <= times:
            raise OSError(errno.ENOSPC, "No space left on device", "last.safetensors")

    return write


def test_on_a_full_disk_the_work_says_so_waits_and_goes_on(work, monkeypatch):
    said = []
    monkeypatch.setattr(process, "ROOM_EVERY", 0.0)
    monkeypatch.setattr(work, "say", said.append)
    seen = []
    with work:
        assert work.retry_while_disk_full(full_disk(0, [])) == 0.0
        assert said == []
        with pytest.warns(UserWarning, match="It waits, and loses nothing") as warned:
            assert work.retry_while_disk_full(full_disk(2, seen)) > 0.0
    assert [str(warning.message) for warning in warned] == said[:1], "once for those at a terminal"
    assert len(seen) == 3
    assert said[0] == said[1]
    assert said[0].startswith("The disk is full: there is no room to save the training (")
    assert said[0].endswith("It waits, and loses nothing. Make room, and it goes on by itself.")
    assert said[2] == ""


def test_work_that_is_stopped_on_a_full_disk_says_what_is_kept(work):
    work.stop.requested = True
    with work:
        work.begin()
        with pytest.raises(Stopped, match=r"^The disk is full: .* What was saved before is kept\. Make room"):
            work.retry_while_disk_full(full_disk(9, []))


def test_another_error_of_the_disk_is_not_waited_for(work):
    def write() -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with work, pytest.raises(OSError, match="Read-only"):
        work.retry_while_disk_full(write)


def test_a_line_is_added_whole_or_not_at_all(tmp_path):
    path = tmp_path / "metrics.jsonl"
    run_folder.append(path, "one\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6, before[1]))  # as if the disk had room for half a line
    try:
        with pytest.raises(OSError, match="No space left"):
            run_folder.append(path, "two\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "one\n"
    run_folder.append(path, "two\n")
    assert path.read_text() == "one\ntwo\n"
