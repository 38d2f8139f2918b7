"""Where a saved file comes from: one JSON object in its metadata, enough to compute it again and to compare it.

It names no path, no user and no host. This module imports neither torch nor Matplotlib.
"""

import base64
import hashlib
import io
import json
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from PIL import Image
from pydantic import Field

from vitviz import __version__
from vitviz.data import metadata
from vitviz.models.weights import Rounding, weights_sha256
from vitviz.view import MAX_NAME, Fraction, Given, Model, Subject, Upload, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vitviz.attribution.explanation import Explanation
    from vitviz.models.checkpoint import Checkpoint

Name = Annotated[str, Field(max_length=MAX_NAME)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Side = Annotated[int, Field(ge=1)]
MAX_NUMBERS = 80_000  # characters of the numbers in a figure
Number = Annotated[float, Field(allow_inf_nan=False)]


class WeightsOfFile(Model):
    """A file that weights were read from, without its folder; `sha256` is None if it has changed since."""

    name: Name
    sha256: Sha256 | None


class ModelIdentity(Model):
    """A model.

    Attributes:
        name: Name of the model.
        repository: "OWNER/NAME" on the Hugging Face Hub; None for other models.
        revision: Its commit there.
        sha256: Of the weights, as of `vitviz.models.weights.weights_sha256`; None for a snapshot of a training, whose
            weights are not stored.
        files: Files that they were read from, or the timeline of the training.
        rounding: Of the weights in a file that holds the model, by which its numbers are computed; `sha256` is that of
            the weights before.
    """

    name: Name
    repository: Name | None = None
    revision: Name | None = None
    sha256: Sha256 | None
    files: tuple[WeightsOfFile, ...]
    rounding: Rounding | None = None


class ImageIdentity(Model):
    """An image.

    Attributes:
        sha256: Of its file, or of an image in memory of its RGB pixels in rows.
        width: Of the image, upright, in pixels.
        height: Likewise.
        crop: Position of the crop along the longer side, from 0 (left or top) to 1.
    """

    sha256: Sha256
    width: Side
    height: Side
    crop: Fraction


class InputPreprocessing(Model):
    """How the image becomes the model's input; see `vitviz.models.checkpoint.Preprocessing`."""

    img_size: tuple[Side, Side]
    mean: tuple[Number, Number, Number]
    std: tuple[Number, Number, Number]
    interpolation: Name
    crop_pct: Fraction
    crop_mode: Name


class Panel(Model):
    """A map or an image in a figure.

    Attributes:
        name: What it shows.
        rectangle: Left, top, right and bottom from the upper left corner, as fractions of the figure's width and
            height.
        colormap: Name of the color map; None for an image.
        limits: Values at the ends of the color map.
        sha256: Of the decoded pixels, (height, width, RGBA) uint8 in rows: of the image that an SVG file embeds, or of
            the rectangle in a PNG file, with its sides rounded to pixels; None if unknown, as in a PDF of Python.
    """

    name: Name
    rectangle: tuple[Fraction, Fraction, Fraction, Fraction]
    colormap: Name | None
    limits: tuple[Number, Number] | None
    sha256: Sha256 | None


class Written(Model):
    """What every saved file states.

    Attributes:
        vitviz: Version of vitviz.
        code: Python code that computes the shown arrays; None if another view is shown in a saved HTML file, and for
            snapshots of a training.
        panels: The maps and images of a figure.
    """

    vitviz: Name
    code: str | None
    panels: tuple[Panel, ...] = ()

    def to_json(self) -> str:
        """Return it as JSON in ASCII."""
        return json.dumps(self.model_dump(mode="json"), separators=(",", ":"), allow_nan=False)


class Shown(Model):
    """What is shown, and where it comes from.

    Attributes:
        model: The model.
        image: The image.
        preprocessing: Of the image; None for a snapshot of a training, whose images are stored preprocessed.
        subject: What is explained.
        view: What is shown of it.
    """

    model: ModelIdentity
    image: ImageIdentity
    preprocessing: InputPreprocessing | None
    subject: Subject
    view: View


class Numbers(Model):
    """An array behind a figure: its shape, and its values in float16, little-endian, compressed by zlib, in base64."""

    shape: tuple[Annotated[int, Field(ge=0)], ...]
    values: Annotated[str, Field(max_length=MAX_NUMBERS)]


class Provenance(Shown, Written):
    """Where a saved file comes from: what it shows, side A of a comparison, or the first image of a contact sheet.

    Attributes:
        b: Side B of a comparison.
        others: The other images of a contact sheet.
        numbers: Arrays behind a figure by name, see `vitviz.attribution.tables.arrays`; files of numbers have none.
    """

    b: Shown | None = None
    others: tuple[ImageIdentity, ...] = ()
    numbers: Annotated[dict[Name, Numbers], Field(default_factory=dict)]


class ProbeImages(Model):
    """Images that a model was probed with: their number, and the SHA-256 of the uint8 model inputs (B, 3, H, W)."""

    count: Side
    sha256: Sha256


class ProbesProvenance(Written):
    """Where a file of `vitviz.attribution.probes.Probes` comes from.

    Attributes:
        model: The model.
        preprocessing: Of the images.
        probed: The images.
        numbers: Arrays behind a figure by name; files of numbers have none.
    """

    model: ModelIdentity
    preprocessing: InputPreprocessing
    probed: ProbeImages
    numbers: Annotated[dict[Name, Numbers], Field(default_factory=dict)]


def provenance(
    explanation: "Explanation",
    view: View,
    panels: tuple[Panel, ...] = (),
    other: "Explanation | None" = None,
    numbers: bool = False,
) -> Provenance:
    """Return the provenance of a view of an explanation; the weights are hashed when it is first needed.

    Args:
        explanation: The explanation.
        view: The view.
        panels: Maps and images of the figure.
        other: The second image of activation patching.
        numbers: Whether the file is a figure, which states the numbers behind it.
    """
    from vitviz.attribution.code import python
    from vitviz.attribution.tables import arrays

    explanation = remove_name(explanation)
    other = other and remove_name(other)
    found = describe_shown(explanation, view if other is None else view.model_copy(update={"other": other.origin}))
    return Provenance(
        **dict(found),
        vitviz=__version__,
        code=python(explanation, view, other),
        panels=panels,
        numbers=numbers_of(arrays(explanation, view)) if numbers and other is None else {},
    )


def numbers_of(arrays: Mapping[str, Any]) -> dict[str, Numbers]:
    """Return the numbers among arrays by name, the smallest arrays first, as many as `MAX_NUMBERS` characters hold."""
    found, left = {}, MAX_NUMBERS
    numeric = {name: np.asarray(one) for name, one in arrays.items()}
    for name, values in sorted(numeric.items(), key=lambda item: item[1].size):
        if values.dtype.kind in "fiu":
            packed = base64.b64encode(zlib.compress(values.astype("<f2").tobytes(), 9)).decode()
            if (left := left - len(packed)) < 0:
                break
            found[name] = Numbers(shape=values.shape, values=packed)
    return found


def of_comparison(
    a: Shown, b: Shown, panels: tuple[Panel, ...] = (), arrays: Mapping[str, Any] | None = None
) -> Provenance:
    """Return the provenance of a comparison of two sides; `arrays` are those behind a figure."""
    from vitviz.attribution.code import of_comparison

    numbers = numbers_of(arrays or {})
    return Provenance(**dict(a), vitviz=__version__, code=of_comparison(a, b), panels=panels, b=b, numbers=numbers)


def of_contact_sheet(first: Shown, others: Sequence[ImageIdentity], maps: Sequence[Any] = ()) -> Provenance:
    """Return the provenance of a contact sheet of one view; `maps` are the arrays of its images."""
    from vitviz.attribution.code import of_contact_sheet

    code = of_contact_sheet(first, 1 + len(others))
    numbers = numbers_of(maps_by_number(maps))
    return Provenance(**dict(first), vitviz=__version__, code=code, others=tuple(others), numbers=numbers)


def maps_by_number(maps: Sequence[Any]) -> dict[str, Any]:
    """Return the arrays of a contact sheet by their names in a file."""
    return {f"map {number}": values for number, values in enumerate(maps, 1)}


def of_probes(checkpoint: "Checkpoint", count: int, inputs: bytes) -> ProbesProvenance:
    """Return the provenance of the probes of a model over a number of images, whose model inputs are given."""
    from vitviz.attribution.code import of_probes

    return ProbesProvenance(
        vitviz=__version__,
        code=of_probes(checkpoint, count),
        model=identify(checkpoint),
        preprocessing=InputPreprocessing(**asdict(checkpoint.preprocessing)),
        probed=ProbeImages(count=count, sha256=hashlib.sha256(inputs).hexdigest()),
        numbers={},
    )


def identify(checkpoint: "Checkpoint") -> ModelIdentity:
    """Return the identity of a model."""
    stated = {key: checkpoint.pretrained.get(key) for key in ("repository", "revision")}
    files = tuple(WeightsOfFile(name=file.path.name, sha256=file.sha256) for file in checkpoint.files)
    return ModelIdentity(name=checkpoint.name, sha256=weights_sha256(checkpoint.network), files=files, **stated)


def describe_shown(explanation: "Explanation", view: View) -> Shown:
    """Return what a view of an explanation comes from."""
    from vitviz.attribution.code import model_name

    checkpoint, image = explanation.context.checkpoint, explanation.image
    origin = remove_name(explanation).origin
    return Shown(
        model=identify(checkpoint),
        image=ImageIdentity(sha256=image.sha256, width=image.width, height=image.height, crop=image.crop),
        preprocessing=InputPreprocessing(**asdict(checkpoint.preprocessing)),
        subject=Subject(model=model_name(checkpoint), image=origin, ablations=explanation.ablations),
        view=view,
    )


def remove_name(explanation: "Explanation") -> "Explanation":
    """Return an explanation without the name of its image's file, which may be private."""
    origin = explanation.origin
    is_named = isinstance(origin, Given | Upload)
    return replace(explanation, origin=origin.model_copy(update={"name": ""})) if is_named else explanation


def panels_of(figure: "Figure", content: bytes, ending: str) -> tuple[Panel, ...]:
    """Return the panels of a figure, its images that have an id.

    Args:
        figure: The figure.
        content: The file that it was rendered to just now.
        ending: ".png", ".svg" or ".pdf".
    """
    found = []
    for axes in figure.axes:
        left, bottom, right, top = axes.get_position().extents.clip(0, 1).tolist()
        for image in axes.images:
            if name := image.get_gid():
                is_map = image.get_array().ndim == 2
                panel = Panel(
                    name=name,
                    rectangle=(left, 1 - top, right, 1 - bottom),
                    colormap=image.cmap.name if is_map else None,
                    limits=image.get_clim() if is_map else None,
                    sha256=None,
                )
                found.append(panel)
    digests = panel_hashes(content, ending, found)
    return tuple(panel.model_copy(update={"sha256": one}) for panel, one in zip(found, digests, strict=True))


def panel_hashes(content: bytes, ending: str, panels: Sequence[Panel]) -> list[str | None]:
    """Return the SHA-256 of the pixels of each panel, (height, width, RGBA) uint8; arguments as of `panel_images`."""
    images = panel_images(content, ending, panels)
    return [None if one is None else hashlib.sha256(one.convert("RGBA").tobytes()).hexdigest() for one in images]


def panel_images(content: bytes, ending: str, panels: Sequence[Panel]) -> list[Image.Image | None]:
    """Return the image of each panel in a PNG or SVG file; None for those that the file does not have."""
    if ending == ".png":
        whole = Image.open(io.BytesIO(content))
        return [crop_panel(whole, panel) for panel in panels]
    return [svg_image(content, panel.name) if ending == ".svg" else None for panel in panels]


def crop_panel(whole: Image.Image, panel: Panel) -> Image.Image:
    """Return the part of an image in the rectangle of a panel; halves are rounded up, as by JavaScript."""
    left, top, right, bottom = (math.floor(side * whole.size[k % 2] + 0.5) for k, side in enumerate(panel.rectangle))
    return whole.crop((left, top, right, bottom))


def svg_image(content: bytes, name: str) -> Image.Image | None:
    """Return the image with an id in an SVG file; None if there is none."""
    tag = re.search(rb'<image\b[^>]*\bid="%s"[^>]*>' % re.escape(name.encode()), content)
    data = tag and re.search(rb'href="data:image/png;base64,([^"]*)"', tag[0])
    return Image.open(io.BytesIO(base64.b64decode(data[1]))) if data else None


def embed(content: bytes, ending: str, found: Written | None) -> bytes:
    """Return the bytes of a file with its provenance, if it has one; `ending` as for `vitviz.data.metadata.embed`."""
    return content if found is None else metadata.embed(content, ending, found.to_json())


def is_of(path: Path, expected: Shown) -> bool:
    """Whether a file exists and shows what is expected, according to its provenance."""
    try:
        found = read(path)
    except (ValueError, OSError):
        return False
    return all(getattr(found, name, None) == getattr(expected, name) for name in Shown.model_fields)


def read(path: str | Path) -> Provenance | ProbesProvenance:
    """Read the provenance of a saved file: .svg, .png, .pdf, .npz, .csv or .html.

    Raises:
        ConfigError: If a field of it is invalid.
        ValueError: If the file has none, cannot be read, is invalid or too large, or has another ending.
    """
    path = Path(path)
    text = metadata.extract(path)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"The provenance must be a JSON object: that of {path.name[:80]!r} is not.")
    return ProbesProvenance(**found) if "probed" in found else Provenance(**found)
