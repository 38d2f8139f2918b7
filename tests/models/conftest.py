"""Fixture that runs the command line in the process of the test."""

from tests.cli.conftest import vitviz as run_vitviz

__all__ = ["run_vitviz"]
