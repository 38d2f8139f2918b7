"""The benchmarks of training: what they compute from their measurements."""

from dataclasses import replace

import pytest

from benchmarks.resume import resume
from benchmarks.training import mean_speed, train
from vitviz.training.loop import TrainingLoop
from vitviz.training.presets import get_preset


@pytest.mark.parametrize(
    ("budget", "expected"), [({"minutes": 10.0, "epochs": None}, 200.0), ({"minutes": None, "epochs": 10}, 150.0)]
)
def test_the_speed_of_a_run_is_the_mean_over_time_or_over_images(budget, expected):
    config = replace(get_preset("cifar10-ti4"), **budget)
    assert mean_speed(config, [100.0, 300.0]) == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_more_steps_than_an_epoch_has_are_refused(cifar_folder):
    config = replace(get_preset("cifar10-ti4"), data=str(cifar_folder), batch_size=25, device="cpu")
    with pytest.raises(
        ValueError, match=r"at most the 2 timed steps of an epoch of 100 images .* 25: got 3\. Use fewer"
    ):
        train(config, 3)


def parse_table(printed: str) -> list[list[str]]:
    """Return the cells of a printed table."""
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if line.startswith("│")]


@pytest.mark.usefixtures("no_clock")
@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_a_lost_run_ends_with_the_same_weights_as_an_uninterrupted_one(config, monkeypatch, capsys):
    real, epochs = TrainingLoop.restore, []

    def watched(run, state):
        epochs.append(state.step_count / 4)
        real(run, state)

    monkeypatch.setattr(TrainingLoop, "restore", watched)
    monkeypatch.setenv("COLUMNS", "120")
    resume(replace(config, epochs=4))
    assert epochs == [1], "the process was lost before the state of the second epoch was saved"
    first, repeated, resumed = parse_table(capsys.readouterr().out)
    assert first[:3] == ["uninterrupted", "", ""]
    assert repeated[1:3] == resumed[1:3] == ["0.0e+00", "0.0e+00"]
    assert first[3] == repeated[3] == resumed[3]


@pytest.mark.usefixtures("no_clock")
@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_an_inexact_resume_is_reported(config, monkeypatch, capsys):
    real = TrainingLoop.restore

    def forget_step_count(run, state):
        real(run, replace(state, step_count=1))

    monkeypatch.setattr(TrainingLoop, "restore", forget_step_count)
    monkeypatch.setenv("COLUMNS", "120")
    resume(replace(config, epochs=4))
    _, repeated, resumed = parse_table(capsys.readouterr().out)
    assert float(repeated[1]) == 0
    assert float(resumed[1]) > 1e-4
