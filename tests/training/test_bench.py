"""What the benchmarks of training make of their measurements."""

from dataclasses import replace

import pytest

from benchmarks.resume import resume
from benchmarks.training import over_budget, train
from vitviz.runs.training_run import TrainingRun
from vitviz.training.presets import get_preset


@pytest.mark.parametrize(
    ("budget", "expected"), [({"minutes": 10.0, "epochs": None}, 200.0), ({"minutes": None, "epochs": 10}, 150.0)]
)
def test_speed_over_a_budget_is_the_mean_by_time_or_by_images(budget, expected):
    config = replace(get_preset("cifar10-ti4"), **budget)
    assert over_budget(config, [100.0, 300.0]) == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_more_steps_than_a_pass_has_are_refused(cifar_folder):
    config = replace(get_preset("cifar10-ti4"), data=str(cifar_folder), batch_size=25, device="cpu")
    with pytest.raises(ValueError, match=r"100 images in batches of 25 has 2 steps to time: got 3\. Lower --steps"):
        train(config, 3)


def rows(printed: str) -> list[list[str]]:
    """The cells of the printed table."""
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if line.startswith("│")]


@pytest.mark.usefixtures("no_clock")
@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_a_training_that_is_lost_ends_as_one_that_is_not(config, monkeypatch, capsys):
    real, begun = TrainingRun.restore, []
    monkeypatch.setattr(
        TrainingRun, "restore", lambda run, saved: (begun.append(saved.counters["completed_epochs"]), real(run, saved))
    )
    monkeypatch.setenv("COLUMNS", "120")
    resume(replace(config, epochs=4))
    assert begun == [1], "the second pass was lost before its state was saved"
    whole, again, lost = rows(capsys.readouterr().out)
    assert whole[:3] == ["whole", "", ""]
    assert again[1:3] == lost[1:3] == ["0.0e+00", "0.0e+00"]
    assert whole[3] == again[3] == lost[3]


@pytest.mark.usefixtures("no_clock")
@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_a_training_that_goes_on_inexactly_is_told(config, monkeypatch, capsys):
    real = TrainingRun.restore

    def forgets(run, saved):
        real(run, replace(saved, counters=saved.counters | {"step_count": 0.0}))

    monkeypatch.setattr(TrainingRun, "restore", forgets)
    monkeypatch.setenv("COLUMNS", "120")
    resume(replace(config, epochs=4))
    _, again, lost = rows(capsys.readouterr().out)
    assert float(again[1]) == 0
    assert float(lost[1]) > 1e-4
