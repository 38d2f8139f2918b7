"""What runs when a hostile pickle is opened: it makes a folder, which shows that it ran."""

import os
from pathlib import Path


class Payload:
    """Runs code when it is unpickled.

    Args:
        marker: The folder that appears then.
    """

    def __init__(self, marker: str | Path) -> None:
        self.marker = str(marker)

    def __reduce__(self):
        return os.mkdir, (self.marker,)
