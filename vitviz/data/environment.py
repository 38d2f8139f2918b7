"""The environment of a process that is started: Python finds this package in it, whatever the folder."""

import os
from collections.abc import Mapping
from pathlib import Path


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment with more in it; the package comes behind what PYTHONPATH names already."""
    found = os.environ | (more or {})
    places = (found.get("PYTHONPATH"), str(Path(__file__).parents[2]))
    return found | {"PYTHONPATH": os.pathsep.join(filter(None, places))}
