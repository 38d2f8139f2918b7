"""Progress and cancellation of long computations."""

import pytest

from vitviz.webapp.server.requests import RequestError
from vitviz.webapp.server.tasks import CancelledError, Tasks


def state(tasks, task="a", cancel=False):
    return tasks.task_progress({"task": task, "cancel": cancel})


def test_a_task_reports_its_progress_until_it_ends():
    tasks, seen = Tasks(), []

    def compute(report):
        seen.append(state(tasks))
        report(1, 10)
        seen.append(state(tasks))
        return "found"

    assert tasks.run("a", compute) == "found"
    assert seen == [{"done": 0, "total": 0}, {"done": 1, "total": 10}]
    assert state(tasks) == {"done": 0, "total": 0}


def test_a_running_task_can_be_cancelled_and_others_go_on():
    tasks = Tasks()

    def compute(report):
        report(1, 10)
        state(tasks, cancel=True)
        report(2, 10)

    with pytest.raises(CancelledError):
        tasks.run("a", compute)
    assert not tasks.progress
    tasks.run("b", lambda report: report(1, 10))


def test_a_task_cancelled_while_it_waits_computes_nothing():
    tasks = Tasks()
    state(tasks, cancel=True)
    with pytest.raises(CancelledError):
        tasks.run("a", lambda report: pytest.fail("it was cancelled"))


def test_a_task_whose_page_is_gone_ends():
    tasks = Tasks()

    def compute(report):
        report(1, 10)
        tasks.watched.clear()  # as after some minutes without a request
        report(2, 10)

    with pytest.raises(CancelledError):
        tasks.run("a", compute)


@pytest.mark.parametrize("task", [None, 3, "", "a" * 65])
def test_an_invalid_id_is_refused(task):
    with pytest.raises(RequestError, match="task must be"):
        state(Tasks(), task)
