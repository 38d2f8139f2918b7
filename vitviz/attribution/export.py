"""Write figures and arrays to files, in the format given by the file's ending."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vitviz.data.files import atomic_write, resolve_link, write_atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def export(
    path: str | Path,
    arrays: Callable[[], Mapping[str, Any]],
    figure: Callable[[], "Figure"],
    document: Callable[[], str] | None = None,
) -> None:
    """Write the figure (.png, .svg, .pdf), the arrays (.npz), or the document (.html), by default a page of the figure.

    Only the one that is written is computed.

    Raises:
        ValueError: If the file has another ending.
    """
    from vitviz.plots import canvas

    path = Path(path)
    ending = path.suffix.lower()
    if ending not in (*canvas.FORMATS, ".npz"):
        raise ValueError(f"The file must end in {', '.join(canvas.FORMATS)} or .npz: got {path.name!r}.")
    if ending == ".html" and document is not None:
        write_atomic(resolve_link(path), document().encode())
        return
    if ending != ".npz":
        write_atomic(resolve_link(path), canvas.render(figure(), ending))
        return
    numbers = arrays()
    with atomic_write(resolve_link(path)) as file:
        np.savez_compressed(file, **numbers)
