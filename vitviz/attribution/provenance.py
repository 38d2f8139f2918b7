"""Where a saved file comes from: one JSON object in its metadata, enough to compute it again and to compare it.

It names no path, no user and no host. This module imports neither torch nor Matplotlib.
"""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field

from vitviz import __version__
from vitviz.data import metadata
from vitviz.models.weights import weights_sha256
from vitviz.view import MAX_NAME, Ablation, Content, Fraction, Given, Image, Model, Subject, Upload, View

if TYPE_CHECKING:
    from vitviz.attribution import view as old
    from vitviz.attribution.explanation import Explanation

Name = Annotated[str, Field(max_length=MAX_NAME)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Side = Annotated[int, Field(ge=1)]
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
        sha256: Of the weights, as of `vitviz.models.weights.weights_sha256`.
        files: Files that they were read from.
    """

    name: Name
    repository: Name | None
    revision: Name | None
    sha256: Sha256
    files: tuple[WeightsOfFile, ...]


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
        rectangle: Left, top, right and bottom from the figure's upper left corner, as fractions of its width and height.
        colormap: Name of the color map; None for an image.
        limits: Values at the ends of the color map.
        sha256: Of the decoded pixels, (height, width, RGBA) uint8 in rows: of the image that an SVG file embeds, or of
            the rectangle in a PNG file, with its sides rounded to pixels; None if unknown.
    """

    name: Name
    rectangle: tuple[Fraction, Fraction, Fraction, Fraction]
    colormap: Name | None
    limits: tuple[Number, Number] | None
    sha256: Sha256 | None


class Provenance(Model):
    """Where a saved file comes from.

    Attributes:
        vitviz: Version of vitviz.
        model: The model.
        image: The image.
        preprocessing: Of the image.
        subject: What is explained.
        view: What is shown of it.
        code: Python code that computes the shown arrays; None if another view is shown in a saved HTML file.
        panels: The maps and images of a figure.
    """

    vitviz: Name
    model: ModelIdentity
    image: ImageIdentity
    preprocessing: InputPreprocessing
    subject: Subject
    view: View
    code: str | None
    panels: tuple[Panel, ...] = ()

    def to_json(self) -> str:
        """Return it as JSON in ASCII."""
        return json.dumps(self.model_dump(mode="json"), separators=(",", ":"), allow_nan=False)


def provenance(
    explanation: "Explanation",
    view: "old.View",
    panels: tuple[Panel, ...] = (),
    content: str = "view",
    other: "Explanation | None" = None,
    model: str = "",
) -> Provenance:
    """Return the provenance of a view of an explanation; the weights are hashed when it is first needed.

    Args:
        explanation: The explanation.
        view: The view.
        panels: Maps and images of the figure.
        content: As for `vitviz.attribution.code.python`, like the rest.
        other: The second image of activation patching.
        model: The model as the code loads it.
    """
    from vitviz.attribution.code import model_name, python

    checkpoint, image = explanation.context.checkpoint, explanation.image
    source = {key: checkpoint.source.get(key) for key in ("repository", "revision")}
    files = tuple(WeightsOfFile(name=file.path.name, sha256=file.sha256) for file in checkpoint.files)
    origin = without_name(explanation.origin)
    unnamed = other and replace(other, origin=without_name(other.origin))
    return Provenance(
        vitviz=__version__,
        model=ModelIdentity(name=checkpoint.name, sha256=weights_sha256(checkpoint.network), files=files, **source),
        image=ImageIdentity(sha256=image.sha256, width=image.width, height=image.height, crop=explanation.crop),
        preprocessing=InputPreprocessing(**asdict(checkpoint.preprocessing)),
        subject=Subject(
            model=model_name(checkpoint),
            image=origin,
            ablations=tuple(Ablation(**asdict(one)) for one in explanation.ablations),
        ),
        view=to_view(explanation, view, content, unnamed),
        code=python(replace(explanation, origin=origin), view, model, content, unnamed),
        panels=panels,
    )


def without_name(image: Image) -> Image:
    """Return an image without the name of its file, which may be private."""
    return image.model_copy(update={"name": ""}) if isinstance(image, Given | Upload) else image


def to_view(
    explanation: "Explanation", view: "old.View", content: str = "view", other: "Explanation | None" = None
) -> View:
    """Return a view with the names of `vitviz.view`."""
    shown = content if content in ("contributions", "features", "patching") else None
    target = () if view.target is None else explanation.target(view.target)
    return View(
        content=cast(Content, shown or ("attention" if view.method is None else "method")),
        layer="mean" if view.layer is None else view.layer,
        head="mean" if view.head is None else view.head,
        query=view.query,
        direction=view.direction,
        method=view.method,
        target=target if isinstance(target, tuple) else (target,),
        truth=view.truth,
        scale=view.scale,
        smooth=view.smooth,
        outlines=view.outlines,
        pixels=view.pixels,
        foreground=view.remove_background,
        other=None if other is None else other.origin,
    )


def pixels_sha256(pixels: Any) -> str:
    """Return the SHA-256 of pixels, (height, width, RGBA) uint8."""
    return hashlib.sha256(pixels.tobytes()).hexdigest()


def embed(content: bytes, ending: str, found: Provenance) -> bytes:
    """Return the bytes of a file with its provenance; `ending` as for `vitviz.data.metadata.embed`."""
    return metadata.embed(content, ending, found.to_json())


def read(path: str | Path) -> Provenance:
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
    return Provenance(**found)
