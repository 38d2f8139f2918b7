"""Payload of hostile pickles: creates a folder, which shows that it was executed."""

import os
from pathlib import Path


class Payload:
    """Execute code when unpickled.

    Args:
        marker: The folder to create.
    """

    def __init__(self, marker: str | Path) -> None:
        self.marker = str(marker)

    def __reduce__(self):
        return os.mkdir, (self.marker,)
