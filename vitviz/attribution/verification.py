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
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from vitviz import __version__
from vitviz.attribution import provenance as origins
from vitviz.attribution import serialize, tables
from vitviz.attribution.comparison import Comparison, side
from vitviz.attribution.contact_sheet import Sheet
from vitviz.attribution.explanation import Explanation, explain, patched_pair
from vitviz.attribution.file_formats import csv_bytes
from vitviz.attribution.panel_colors import changed_colors
from vitviz.attribution.probes import probe
from vitviz.attribution.provenance import (
    InputPreprocessing,
    ModelIdentity,
    Numbers,
    ProbeImages,
    ProbesProvenance,
    Provenance,
    Shown,
    identify,
)
from vitviz.attribution.view_maps import kept_patches, target_of
from vitviz.data import cifar, metadata
from vitviz.data.image_folder import SUFFIXES
from vitviz.data.images import as_batch, read_batch
from vitviz.data.preprocessing import SAMPLES, ImageLike, load_samples, resize_images
from vitviz.data.samples import example_paths
from vitviz.errors import DataError, VitvizError
from vitviz.models import rounding
from vitviz.models.checkpoint import Checkpoint
from vitviz.view import Given, RunImage, Sample, Upload, View
from vitviz.view import Image as AnyImage

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
        notes: list[str] = []
        compared: list[str] = []
        if found.vitviz != __version__:
            notes.append(f"the file is of vitviz {found.vitviz}, this is {__version__}")
        differences = list(changed_panels(path, found, compared, notes))
        if isinstance(found, ProbesProvenance):
            differences += changed_probes(path, found, image, model or load_model(name_of(found.model), load), compared)
        else:
            differences += changed_explanations(path, found, image, model, load, compared)
    except (VitvizError, ValueError, OSError) as error:
        return Verification(unchecked=str(error))
    return Verification(tuple(differences), "", tuple(notes), tuple(compared))


def changed_explanations(
    path: Path, found: Provenance, image: ImageLike | None, model: Checkpoint | None, load: Loader, compared: list[str]
) -> list[str]:
    """Return how the explanations of a file differ from those that are computed again; arguments as of `verify`."""
    differences, explanations = [], []
    shown = {"": found, "of B ": found.b} | {
        f"of image {k} ": of_image(found, k) for k in range(2, 2 + len(found.others))
    }
    for which, one in shown.items():
        if one is not None:
            if which in ("", "of B "):
                checkpoint = model or load_model_of(one, load)
                differences += [f"{text} {which}".strip() for text in changed_model(checkpoint, one)]
            given = image if one.image.sha256 == found.image.sha256 else None
            again = explain_again(checkpoint, find_image(path, one) if given is None else given, one)
            if again.image.sha256 != one.image.sha256:
                differences.append(f"the image {which}is another one, by its SHA-256")
            explanations.append(again)
    compared += ["weights", "image"]
    return [*differences, *changed_numbers(path, explanations, found, compared)]


def of_image(found: Provenance, number: int) -> Shown:
    """Return what a contact sheet shows of an image by its number from 2; the file states its SHA-256 only."""
    identity = found.others[number - 2]
    given = Given(sha256=identity.sha256, width=identity.width, height=identity.height, crop=identity.crop)
    shown = {name: getattr(found, name) for name in Shown.model_fields}
    return Shown(**shown | {"image": identity, "subject": found.subject.model_copy(update={"image": given})})


def changed_probes(
    path: Path, found: ProbesProvenance, images: Any, checkpoint: Checkpoint, compared: list[str]
) -> list[str]:
    """Return how a file of probes differs from probes that are computed again."""
    differences = list(changed_model(checkpoint, found))
    again = probe(checkpoint, find_probed(checkpoint, found.probed, images))
    if again.provenance.probed != found.probed:
        differences.append("the images are other ones, by their SHA-256")
    compared += ["weights", "images"]
    pairs = None
    if path.suffix.lower() == ".npz":
        pairs = {name: pair for name, pair in arrays_of_npz(path, again.arrays).items() if name != "note"}
    return [*differences, *changed_arrays(path, again.arrays, found, compared, pairs)]


def find_probed(checkpoint: Checkpoint, probed: ProbeImages, images: Any) -> Tensor:
    """Return the images of probes, uint8 (B, 3, H, W): those given, the samples, or test images of CIFAR-10."""
    size, resize = checkpoint.config.img_size, checkpoint.resize
    if images is not None:
        return read_batch(as_batch(images), size, resize)
    first_of_test = lambda: resize_images(cifar.load("test", None)[0][: probed.count], size, resize)  # noqa: E731
    for load in (lambda: load_samples(size, resize), first_of_test):
        with suppress(DataError):
            found = load()
            if hashlib.sha256(found.contiguous().numpy().tobytes()).hexdigest() == probed.sha256:
                return found
    raise UncheckedError(
        f"The {probed.count:,} images are needed: neither the samples nor the first test images of CIFAR-10 have their "
        "SHA-256.",
        "Give them with image=.",
    )


def changed_panels(
    path: Path, found: Provenance | ProbesProvenance, compared: list[str], notes: list[str]
) -> Iterator[str]:
    """Yield the maps and images of a figure whose pixels are not those that were written."""
    hashed = [panel for panel in found.panels if panel.sha256]
    ending = path.suffix.lower()
    if ending == ".pdf" and hashed and find_spec("pypdf") is None:
        notes.append('the pixels of a PDF file are compared where pypdf is installed: pip install "vitviz[pdf]"')
        return
    if ending not in (".png", ".svg") and not hashed:
        if found.panels:
            notes.append(f"the pixels of a {ending[1:].upper()} file are not compared")
        return
    content = path.read_bytes()
    in_pdf = hashes_in_pdf(path) if ending == ".pdf" else set()
    for panel, digest in zip(hashed, origins.panel_hashes(content, ending, hashed), strict=True):
        if panel.sha256 not in in_pdf | {digest}:
            yield f"the pixels of {panel.name!r} have changed"
    if hashed:
        compared.append(f"pixels of {len(hashed)} panels")


def hashes_in_pdf(path: Path) -> set[str]:
    """Return the SHA-256 of the pixels (height, width, RGBA) of each image in a PDF file; it needs pypdf."""
    from pypdf import PdfReader

    images = (image.image for page in PdfReader(path).pages for image in page.images)
    return {hashlib.sha256(image.convert("RGBA").tobytes()).hexdigest() for image in images if image is not None}


def load_model_of(found: Shown, load: Loader) -> Checkpoint:
    """Load the model of an explanation."""
    if found.subject.snapshot is not None:
        raise UncheckedError("The weights of a snapshot of a training are not stored.")
    return load_model(found.subject.model, load)


def load_model(name: str, load: Loader) -> Checkpoint:
    """Load the model of a file."""
    try:
        return load(name)
    except (VitvizError, ValueError, OSError) as error:
        raise UncheckedError(
            f"The model {name!r:.80} is needed: {error}", "Give it with --checkpoint, or model=."
        ) from error


def name_of(model: ModelIdentity) -> str:
    """Return the name by which a model is loaded."""
    if model.repository is None:
        return model.name
    return f"hf:{model.repository}" + (f"@{model.revision}" if model.revision else "")


def changed_model(checkpoint: Checkpoint, found: Shown | ProbesProvenance) -> Iterator[str]:
    """Yield how a model is not that of a file."""
    if identify(checkpoint).sha256 != found.model.sha256:
        yield "the weights are other ones, by their SHA-256"
    own = InputPreprocessing(**vars(checkpoint.preprocessing))
    if found.preprocessing is not None and own != found.preprocessing:
        changed = [name for name in type(own).model_fields if getattr(own, name) != getattr(found.preprocessing, name)]
        yield f"the preprocessing has another {', '.join(changed)}"


def find_image(path: Path, found: Shown) -> ImageLike:
    """Return the image of a file: a bundled one, a test image, or a file next to it with its hash."""
    size = f"{found.image.width} x {found.image.height} px, SHA-256 {found.image.sha256[:12]}"
    return read_image(path, found.subject.image, found.image.sha256, size)


def read_image(path: Path, image: AnyImage, sha256: str, size: str) -> ImageLike:
    """Return an image by its kind, or by its hash; `size` describes it."""
    if isinstance(image, Sample):
        return image.name
    if isinstance(image, RunImage):
        raise UncheckedError("The image is one of a run's dataset.", "Give its file with --image, or image=.")
    if not isinstance(image, Given | Upload):
        return f"cifar:{image.index}"
    beside = (one for one in sorted(path.parent.iterdir()) if one.suffix.lower() in SUFFIXES and one != path)
    known = [one for one, _ in zip(beside, range(MAX_CANDIDATES), strict=False)]
    for candidate in [*known, *SAMPLES.glob("large/*"), *example_paths().values()]:
        if candidate.is_file() and hashlib.sha256(candidate.read_bytes()).hexdigest() == sha256:
            return candidate
    is_small = isinstance(image, Given) and (image.width, image.height) == (32, 32)
    with suppress(DataError):
        for index, pixels in enumerate(cifar_pixels() if is_small else ()):
            if hashlib.sha256(pixels.tobytes()).hexdigest() == sha256:
                return f"cifar:{index}"
    raise UncheckedError(
        f"The image is needed: {size}.", "Put its file next to this one, or give it with --image, or image=."
    )


def cifar_pixels() -> NDArray[np.uint8]:
    """Return the test images of CIFAR-10, (n, 32, 32, 3)."""
    return cifar.load("test", None)[0].permute(0, 2, 3, 1).contiguous().numpy()


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
    ending, view = path.suffix.lower(), found.view
    first = explanations[0]
    if found.others:
        maps = [one.values for one in Sheet.of(explanations, view).tiles]
        yield from changed_arrays(path, origins.maps_by_number(maps), found, compared)
        return
    if view.content == "patching":
        patched = patched_pair(first, explain_other(path, first, found), view)
        arrays = tables.arrays(first, view, patched)
        rows = lambda: tables.rows(first, view, arrays)  # noqa: E731
    elif found.b is None:
        arrays, rows = tables.arrays(first, view), lambda: tables.rows(first, view, arrays)
    else:
        comparison = Comparison(side(first, view), side(explanations[1], found.b.view, first))
        arrays, rows = comparison.arrays(), comparison.rows
    if ending in (".png", ".svg") and view.content in ("attention", "method") and not (found.b or view.smooth):
        yield from changed_colors(path.read_bytes(), ending, found.panels, arrays, kept_patches(first))
    if ending == ".npz" and found.b is None and view.content != "patching":
        arrays |= of_explanation(first, view)
    pairs = None
    if ending == ".csv":
        pairs = values_of_csv(path, rows())
    elif ending == ".html":
        pairs = arrays_of_html(path, first, view)
    yield from changed_arrays(path, arrays, found, compared, pairs)


def explain_other(path: Path, first: Explanation, found: Provenance) -> Explanation:
    """Explain the second image of activation patching."""
    if (image := found.view.other) is None:
        raise UncheckedError("The file states no second image.")
    sha256 = image.sha256 if isinstance(image, Given) else image.id if isinstance(image, Upload) else ""
    crop = image.crop if isinstance(image, Given | Upload) else 0.5
    return explain(first.context.checkpoint, read_image(path, image, sha256, f"SHA-256 {sha256[:12]}"), crop=crop)


def changed_arrays(
    path: Path,
    arrays: Mapping[str, Any],
    found: Provenance | ProbesProvenance,
    compared: list[str],
    pairs: "Pairs | None" = None,
) -> Iterator[str]:
    """Yield the arrays of an NPZ file or behind a figure, or the given `pairs`, that are not the computed ones."""
    tolerance = TOLERANCE
    if pairs is None and path.suffix.lower() == ".npz":
        pairs = arrays_of_npz(path, arrays)
    elif pairs is None:
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
