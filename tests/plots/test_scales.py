"""Scales of maps, means, and numbers as text."""

import numpy as np
import pytest

from vitviz.plots import formatting
from vitviz.plots.scales import Scale, map_scale, method_scale, with_means


def test_the_scale_of_one_map_is_its_range():
    assert map_scale(np.array([0.1, 0.2, 0.4])) == Scale("linear", 0.4, low=0.1)
    assert map_scale(np.array([0.1, 0.1])) == Scale("linear", 0.2), "equal weights have the color in the middle"
    assert map_scale(np.zeros(3)) == Scale("linear", 1.0)
    assert method_scale(np.array([-2.0, 1.0]), "logits") == Scale("signed", 2.0, is_weight=False)
    assert method_scale(np.array([1.0, 4.0]), "relative") == Scale("linear", 4.0, is_weight=False, low=1.0)
    assert method_scale(np.array([4.0, 4.0]), "relative") == Scale("linear", 4.0, is_weight=False)


def test_means_leave_out_ablated_heads():
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    found = with_means(values, [(0, 1)])
    assert found[:2, :3].tolist() == values.tolist()
    assert found[0, 3] == 1
    assert found[2, 1] == 4
    assert found[2, 3] == pytest.approx((15 - 1) / 5)
    assert with_means(values, [(0, 0), (0, 1), (0, 2)])[0, 3] == 0


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.5, 0, "1"), (2.5, 0, "3"), (-0.004, 2, "0.00"), (-1.25, 1, "−1.3"), (1.005, 2, "1.00")],
)
def test_numbers_are_rounded_as_in_the_browser(value, digits, text):
    assert formatting.written(value, digits) == text


def test_percentages_have_as_many_decimals_as_on_the_page():
    assert [formatting.percent(value).replace("\xa0", " ") for value in (0, 0.00001, 0.001, 0.0099, 0.1234)] == [
        "0.0 %",
        "under 0.01 %",
        "0.10 %",
        "0.99 %",
        "12.3 %",
    ]
