"""Environment variables: settings of the page, and those of child processes."""

import os
from collections.abc import Mapping
from pathlib import Path

MAX_SENT_BYTES = int(float(os.environ.get("VITVIZ_MAX_ATTENTION_MB", "8")) * 1e6)  # of full attention to the page


def make_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment, updated by `extra`, with the package's folder appended to PYTHONPATH."""
    found = os.environ | (extra or {})
    folders = (found.get("PYTHONPATH"), str(Path(__file__).parents[1]))
    return found | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
