"""Accuracies in words; the cases of frontend/src/lib/accuracy.test.ts."""

import pytest

from vitviz.models.accuracy import accuracy_number, accuracy_text, wilson_interval


@pytest.mark.parametrize(
    ("accuracy", "images", "text"),
    [
        (0.9325, 10_000, "93.3 % (10,000 test images, 95 % interval 92.7 to 93.7)"),
        (1, 16, "16 of 16 test images"),
        (15 / 16, 16, "15 of 16 test images"),
        (0.5, 200, "50 % (200 test images, 95 % interval 43 to 57)"),
        (0.9325, None, "93.3 % of the test images"),
    ],
)
def test_an_accuracy_has_no_more_digits_than_its_images_allow(accuracy, images, text):
    assert accuracy_text(accuracy, images) == text
    assert text.startswith(accuracy_number(accuracy, images))


def test_the_split_is_named():
    assert accuracy_text(0.5, 50, "held-out") == "25 of 50 held-out images"


def test_the_interval_stays_within_0_and_1():
    low, high = wilson_interval(1, 16)
    assert (round(low, 3), high) == (0.806, pytest.approx(1))
    assert wilson_interval(0, 16)[0] == pytest.approx(0)
