"""Environment variables of child processes."""

import os
from collections.abc import Mapping
from pathlib import Path


def make_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment, updated by `extra`, with the package's folder appended to PYTHONPATH."""
    found = os.environ | (extra or {})
    folders = (found.get("PYTHONPATH"), str(Path(__file__).parents[2]))
    return found | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
