"""Fixture that runs the command line in the process of the test."""

import sys

import pytest

from vitviz import cli


@pytest.fixture
def vitviz(monkeypatch, capsys):
    """Function that runs the command line in this process and returns exit status, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["vitviz", *map(str, words)])
        capsys.readouterr()
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
        else:
            code = 0
        out, err = capsys.readouterr()
        return code or 0, out, err

    return run
