"""Import Matplotlib also where MPLBACKEND names a backend that is not installed: no figure of this package needs one.

Modules import it before they import anything of Matplotlib.
"""

import os
import sys
from contextlib import suppress

if "matplotlib" not in sys.modules and (wanted := os.environ.pop("MPLBACKEND", None)) is not None:
    try:
        import matplotlib

        with suppress(ValueError):  # as Matplotlib does, but for this error
            matplotlib.rcParams["backend"] = wanted
    finally:
        os.environ["MPLBACKEND"] = wanted
