"""Is a saved file what it says? It is computed again from its provenance, and compared.

This finds accidents and careless edits: another image, model, setting, number or pixel than the file states. It does
not find a forger who writes the whole file anew.
"""

import base64
import csv
import hashlib
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitviz import __version__
from vitviz.attribution import provenance as origins
from vitviz.attribution import serialize, tables
from vitviz.attribution.comparison import Comparison, side
from vitviz.attribution.explanation import Explanation, explain
from vitviz.attribution.file_formats import csv_bytes
from vitviz.attribution.provenance import InputPreprocessing, Numbers, Provenance, Shown, identify
from vitviz.attribution.view_maps import target_of
from vitviz.data import metadata
from vitviz.data.image_folder import SUFFIXES
from vitviz.data.preprocessing import ImageLike
from vitviz.errors import VitvizError
from vitviz.models import rounding
from vitviz.models.checkpoint import Checkpoint
from vitviz.view import Given, RunImage, Sample, Upload, View

Loader = Callable[[str], Checkpoint]
# Differences that rounding makes, relative to the largest magnitude of an array: of arrays, of seven digits, and of
# 16 bits. Sums of float32 in another order, as on another processor, give up to about 1e-4.
TOLERANCE, TOLERANCE_16_BIT = 2e-4, 1.5e-3
# Scores need many forward passes, and no figure shows them; names of files may be private.
NOT_COMPARED = ("methods", "scores", "random_baseline", "a_image_name", "b_image_name", "names", "headline")
MAX_CANDIDATES = 1000  # image files next to the file that are hashed


class UncheckedError(VitvizError):
    """A file cannot be checked; the problem says why."""


@dataclass(frozen=True)
class Verification:
    """What a comparison of a file with a new computation found; its truth value: equal.

    Attributes:
        differences: What differs, and by how much; empty if nothing does.
        unchecked: Why the file cannot be checked; empty if it was.
        notes: What was not compared, and what a reader should know.
        compared: What was compared.
    """

    differences: tuple[str, ...] = ()
    unchecked: str = ""
    notes: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.differences and not self.unchecked

    def __str__(self) -> str:
        if self.unchecked:
            return f"cannot be checked: {self.unchecked}"
        found = f"differs: {'; '.join(self.differences)}" if self.differences else "equal"
        details = [f"compared {', '.join(self.compared)}"] * bool(self.compared) + list(self.notes)
        return ". ".join([found, *details])


def verify(
    file: str | Path, image: ImageLike | None = None, model: Checkpoint | None = None, *, load: Loader
) -> Verification:
    """Compute a saved file again and compare; see `vitviz.verify`.

    Args:
        file: The file.
        image: The image.
        model: The model.
        load: Loads the model of the provenance by its name.
    """
    path = Path(file)
    try:
        found = origins.read(path)
        if not isinstance(found, Provenance) or found.others or found.view.content == "patching":
            raise UncheckedError(
                "Only explanations and comparisons are computed again, not probes, contact sheets and activation "
                "patching."
            )
        notes: list[str] = []
        compared: list[str] = []
        if found.vitviz != __version__:
            notes.append(f"the file is of vitviz {found.vitviz}, this is {__version__}")
        differences = list(changed_panels(path, found, compared, notes))
        explanations = []
        for which, one in {"": found, "of B ": found.b}.items():
            if one is not None:
                checkpoint = model or load_model(one, load)
                differences += [f"{text} {which}".strip() for text in changed_model(checkpoint, one)]
                given = image if one.image.sha256 == found.image.sha256 else None
                again = explain_again(checkpoint, find_image(path, one) if given is None else given, one)
                if again.image.sha256 != one.image.sha256:
                    differences.append(f"the image {which}is another one, by its SHA-256")
                explanations.append(again)
        compared += ["weights", "image"]
        differences += changed_numbers(path, explanations, found, compared)
    except (VitvizError, ValueError, OSError) as error:
        return Verification(unchecked=str(error))
    return Verification(tuple(differences), "", tuple(notes), tuple(compared))


def changed_panels(path: Path, found: Provenance, compared: list[str], notes: list[str]) -> Iterator[str]:
    """Yield the maps and images of a figure whose pixels are not those that were written."""
    hashed = [panel for panel in found.panels if panel.sha256]
    ending = path.suffix.lower()
    if ending not in (".png", ".svg"):
        if found.panels:
            notes.append(f"the pixels of a {ending[1:].upper()} file are not compared")
        return
    content = path.read_bytes()
    for panel in hashed:
        pixels = origins.decode_panel(content, ending, panel)
        if pixels is None or hashlib.sha256(pixels).hexdigest() != panel.sha256:
            yield f"the pixels of {panel.name!r} have changed"
    if hashed:
        compared.append(f"pixels of {len(hashed)} panels")


def load_model(found: Shown, load: Loader) -> Checkpoint:
    """Load the model of a file."""
    if found.subject.snapshot is not None:
        raise UncheckedError("The weights of a snapshot of a training are not stored.")
    try:
        return load(found.subject.model)
    except (VitvizError, ValueError, OSError) as error:
        raise UncheckedError(
            f"The model {found.subject.model!r:.80} is needed: {error}", "Give it with --checkpoint, or model=."
        ) from error


def changed_model(checkpoint: Checkpoint, found: Shown) -> Iterator[str]:
    """Yield how a model is not that of a file."""
    if identify(checkpoint).sha256 != found.model.sha256:
        yield "the weights are other ones, by their SHA-256"
    own = InputPreprocessing(**vars(checkpoint.preprocessing))
    if found.preprocessing is not None and own != found.preprocessing:
        changed = [name for name in type(own).model_fields if getattr(own, name) != getattr(found.preprocessing, name)]
        yield f"the preprocessing has another {', '.join(changed)}"


def find_image(path: Path, found: Shown) -> ImageLike:
    """Return the image of a file: a bundled one, a test image, or a file next to it with its hash."""
    image = found.subject.image
    if isinstance(image, Sample):
        return image.name
    if isinstance(image, RunImage):
        raise UncheckedError("The image is one of a run's dataset.", "Give its file with --image, or image=.")
    if not isinstance(image, Given | Upload):
        return f"cifar:{image.index}"
    beside = (one for one in sorted(path.parent.iterdir()) if one.suffix.lower() in SUFFIXES and one != path)
    for candidate, _ in zip(beside, range(MAX_CANDIDATES), strict=False):
        if candidate.is_file() and hashlib.sha256(candidate.read_bytes()).hexdigest() == found.image.sha256:
            return candidate
    size = f"{found.image.width} x {found.image.height} px, SHA-256 {found.image.sha256[:12]}"
    raise UncheckedError(
        f"The image is needed: {size}.", "Put its file next to this one, or give it with --image, or image=."
    )


def explain_again(checkpoint: Checkpoint, image: ImageLike, found: Shown) -> Explanation:
    """Explain the image as the file states."""
    if found.model.rounding is not None:
        checkpoint = rounding.rounded(checkpoint, found.model.rounding)
    explanation = explain(checkpoint, image, crop=found.image.crop)
    for one in found.subject.ablations:
        explanation = explanation.ablate(heads=one.heads, patches=one.patches, mode=one.mode, patch_mode=one.patch_mode)
    return explanation


def changed_numbers(
    path: Path, explanations: list[Explanation], found: Provenance, compared: list[str]
) -> Iterator[str]:
    """Yield the numbers of a file that are not those of the new computation."""
    ending, view, tolerance = path.suffix.lower(), found.view, TOLERANCE
    first = explanations[0]
    if found.b is None:
        arrays, rows = tables.arrays(first, view), lambda: tables.rows(first, view, arrays)
    else:
        comparison = Comparison(side(first, view), side(explanations[1], found.b.view, first))
        arrays, rows = comparison.arrays(), comparison.rows
    if ending == ".npz":
        pairs = arrays_of_npz(path, arrays | (of_explanation(first, view) if found.b is None else {}))
    elif ending == ".csv":
        pairs = values_of_csv(path, rows())
    elif ending == ".html":
        pairs = arrays_of_html(path, first, view)
    else:
        tolerance = TOLERANCE_16_BIT
        pairs = {name: (decode(one), np.asarray(arrays.get(name, ""))) for name, one in found.numbers.items()}
    if not pairs:
        raise UncheckedError("The file states no numbers: it was written by an earlier version.")
    for name, (stored, again) in pairs.items():
        if difference := describe_difference(stored, again, tolerance):
            yield f"{name} {difference}"
    compared.append(f"{sum(again.size for _, again in pairs.values()):,} numbers")


Pairs = Mapping[str, tuple[NDArray[Any], NDArray[Any]]]


def describe_difference(stored: NDArray[Any], again: NDArray[Any], tolerance: float) -> str:
    """Return how two arrays differ; empty if they are equal up to rounding."""
    if stored.shape != again.shape:
        return f"has the shape {stored.shape}, computed {again.shape}"
    if again.dtype.kind not in "fiub":
        return "" if np.array_equal(stored, again) else "is another text"
    stored, again = stored.astype(np.float64), again.astype(np.float64)
    if not np.array_equal(np.isnan(stored), np.isnan(again)):
        return "is empty in other places"
    if not again.size:
        return ""
    size = float(np.nanmax(np.abs(again), initial=np.finfo(np.float32).tiny))
    largest = float(np.nanmax(np.abs(stored - again), initial=0))
    if largest <= tolerance * size:
        return ""
    return f"differs by up to {largest:.3g}, {100 * largest / size:.2g} % of its largest"


def decode(numbers: Numbers) -> NDArray[Any]:
    """Return the values of numbers; ValueError if they are damaged."""
    try:
        size = 2 * int(np.prod(numbers.shape, dtype=np.int64))
        content = zlib.decompressobj().decompress(base64.b64decode(numbers.values), size + 1)
        return np.frombuffer(content, "<f2").reshape(numbers.shape)
    except zlib.error as error:
        raise UncheckedError(f"The numbers in the file are damaged: {error}.") from error


def of_explanation(explanation: Explanation, view: View) -> dict[str, Any]:
    """Return the arrays that a file has beside those of its view."""
    attention = {} if explanation.context.layered else {"attention": explanation.attention}
    return tables.view_arrays(explanation, view) | tables.method_arrays(explanation, view) | attention


def arrays_of_npz(path: Path, arrays: Mapping[str, Any]) -> Pairs:
    """Return the arrays of an NPZ file, and the same of a new computation."""
    with np.load(path, allow_pickle=False) as stored:
        return {
            name: (stored[name], np.asarray(arrays.get(name, "")))
            for name in stored.files
            if name not in (metadata.ARRAY, *NOT_COMPARED)
        }


def values_of_csv(path: Path, rows: Iterable[tables.Row]) -> Pairs:
    """Return the last column of a CSV file by its other columns, and the same of a new computation."""
    stored, computed = (read_table(content) for content in (path.read_bytes(), csv_bytes(rows)))
    names = np.array([" ".join(filter(None, place)) for place, _ in stored])
    expected = np.array([" ".join(filter(None, place)) for place, _ in computed])
    quantities = sorted({place[0] for place, _ in stored} | {place[0] for place, _ in computed})
    pairs: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {"the list of rows": (names, expected)}
    for quantity in quantities:
        values, others = (
            np.array([value for place, value in table if place[0] == quantity]) for table in (stored, computed)
        )
        pairs[quantity] = values, others
    return pairs


def read_table(content: bytes) -> list[tuple[tuple[str, ...], float]]:
    """Return the rows of a table: all columns but the last, and its number."""
    lines = [line for line in content.decode().splitlines() if not line.startswith(metadata.COMMENT.strip())]
    return [(tuple(row[:-1]), float(row[-1])) for row in csv.reader(io.StringIO("\n".join(lines[1:])))]


def arrays_of_html(path: Path, explanation: Explanation, view: View) -> Pairs:
    """Return prediction, maps and attention of a saved HTML file, and the same computed again."""
    data = metadata.html_data(path)["data"]
    stored, target = data["explained"], target_of(explanation, view)
    pairs = {"probabilities": (np.array(stored["probabilities"]), explanation.probabilities)}
    for name, values in stored["maps"].items():
        pairs[f"map {name}"] = (np.array(values), explanation.map(name, target).ravel())
    if attention := data.get("attention"):
        packed = attention["weights"], serialize.attention_to_json(explanation)["weights"]
        dtype = "<u2" if attention["largest"] is None else "u1"
        steps, again = (np.frombuffer(zlib.decompress(base64.b64decode(one)), dtype) for one in packed)
        pairs["attention"] = steps, again
    return pairs
