"""Environment variables: settings of the page and of commands, and those of child processes."""

import os
from collections.abc import Mapping
from pathlib import Path

MAX_SENT_BYTES = int(float(os.environ.get("VITVIZ_MAX_ATTENTION_MB", "8")) * 1e6)  # of full attention to the page

# Idle OpenMP threads spin for some microseconds, then sleep. Compared with the default, long spinning, training is 0.95
# times as fast on quiet cores and 4 times as fast on busy ones; and 1.2 to 1.7 times as fast as if they slept at once.
OPENMP = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "1000"}


def make_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment, updated by `extra`, with the package's folder appended to PYTHONPATH."""
    found = os.environ | (extra or {})
    folders = (found.get("PYTHONPATH"), str(Path(__file__).parents[1]))
    return found | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
