"""Fixtures of the training tests, for the tests of runs."""

from tests.training.conftest import config, lose_process, no_clock

__all__ = ["config", "lose_process", "no_clock"]
