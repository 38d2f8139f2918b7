"""The bytes of files: figures, arrays, tables and documents, by the ending of the file's name."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import numpy as np

from vitviz.attribution.provenance import Panel, Written, embed, panels_of
from vitviz.attribution.tables import COLUMNS
from vitviz.files import resolve_link, write_atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN = (".png", ".svg", ".pdf", ".jpg", ".jpeg")
Output = TypeVar("Output", bound=str | Path | IO[bytes])
FORMULA = ("=", "+", "-", "@")  # begin one in a spreadsheet


def save(
    path: Output,
    figure: Callable[[], "Figure"],
    arrays: Callable[[], Mapping[str, Any]],
    rows: Callable[[], Iterable[tuple[Any, ...]]] | None = None,
    document: Callable[[], str] | None = None,
    provenance: Callable[[tuple[Panel, ...]], Written | None] | None = None,
) -> Path | Output:
    """Write a figure (.png, .svg, .pdf, .jpg), arrays (.npz), a table (.csv) or a document (.html), by its ending.

    A file object without a name gets a PNG. Only the one that is written is computed. `provenance` is that of the file
    with the panels of a figure; a document has its own.

    Returns:
        The path, or the file object.

    Raises:
        ValueError: If the file has another ending.
    """
    makers: dict[str, Callable[[], bytes]] = {
        ending: lambda ending=ending: figure_bytes(figure(), ending, provenance)  # type: ignore[misc]
        for ending in DRAWN
    }
    makers[".npz"] = lambda: npz_bytes(arrays(), provenance and provenance(()))
    if rows is not None:
        makers[".csv"] = lambda: csv_bytes(rows(), provenance and provenance(()))
    if document is not None:
        makers[".html"] = lambda: document().encode()
    return write(path, makers)


def write(path: Output, makers: Mapping[str, Callable[[], bytes]]) -> Path | Output:
    """Write the bytes that the maker of the file's ending returns; arguments and errors as for `save`."""
    named = path if isinstance(path, str | Path) else getattr(path, "name", None)
    name = Path(named if isinstance(named, str | Path) else "figure.png")
    make = makers[check_ending(name, makers)]
    if not isinstance(path, str | Path):
        path.write(make())
        return path
    write_atomic(resolve_link(name), make())
    return name


def check_ending(path: Path, known: Iterable[str]) -> str:
    """Return the ending of a file's name in lower case; raise ValueError if it is not one of those that are known."""
    if (ending := path.suffix.lower()) not in known:
        *first, last = known
        raise ValueError(f"The file must end in {', '.join(first)} or {last}: got {path.name!r}.")
    return ending


def figure_bytes(
    figure: "Figure", ending: str, provenance: Callable[[tuple[Panel, ...]], Written | None] | None = None
) -> bytes:
    """Return a figure as the bytes of a file with an ending of `DRAWN`; `provenance` as for `save`."""
    from vitviz.plots import style

    content = style.render(figure, ending)
    return embed(content, ending, provenance and provenance(panels_of(figure, content, ending)))


def npz_bytes(arrays: Mapping[str, Any], provenance: Written | None = None) -> bytes:
    """Return arrays by name as the bytes of an .npz file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return embed(buffer.getvalue(), ".npz", provenance)


def csv_bytes(rows: Iterable[tuple[Any, ...]], provenance: Written | None = None) -> bytes:
    """Return rows, whose last value is a number, as the bytes of a .csv file under `COLUMNS`."""
    content = table_bytes(COLUMNS, ((*line[:-1], float(line[-1])) for line in rows))
    return embed(content, ".csv", provenance)


def table_bytes(columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> bytes:
    """Return rows as the bytes of a .csv file under names of columns; floats have seven digits."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(value) for value in line] for line in rows)
    return buffer.getvalue().encode()


def cell(value: Any) -> Any:
    """Return a value as it is written, a text that a spreadsheet would take for a formula after an apostrophe."""
    if isinstance(value, float):
        return f"{value:.7g}"
    return f"'{value}" if isinstance(value, str) and value.lstrip()[:1] in FORMULA else value
