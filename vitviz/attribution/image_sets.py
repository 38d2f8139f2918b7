"""All images of a folder or zip: a figure and arrays of each, contact sheets, and predictions."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import torch

from vitviz.attribution.contact_sheet import prediction_line, scale_of_set, title_of_set
from vitviz.attribution.context import class_probabilities
from vitviz.attribution.explanation import Explanation, prepare
from vitviz.attribution.figure import map_with_scale
from vitviz.attribution.file_formats import figure_bytes, npz_bytes, table_bytes
from vitviz.attribution.provenance import Shown, describe_shown, is_of, of_contact_sheet, provenance
from vitviz.attribution.tables import view_arrays
from vitviz.attribution.view_maps import Array, create_view
from vitviz.data.image_folder import FileList, SkippedFile
from vitviz.data.images import read_image
from vitviz.data.preprocessing import to_tensor
from vitviz.errors import CheckpointError, ImageError
from vitviz.files import printable_name, write_atomic
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.labels import distinct_names
from vitviz.models.modes import own_modes
from vitviz.plots.contact_sheet import Tile, draw_contact_sheet
from vitviz.plots.scales import Scale

SHEET, TABLE = "contact_sheet", "predictions"  # files of a set, without their endings
PER_SHEET = 120  # images
BATCH_SIZE = 16  # images per forward pass
TOP = 5  # classes in a table
Report = Callable[[int], None]
Map = Callable[..., Iterable[Any]]


class Saved(NamedTuple):
    """The file with the arrays of an image, what it shows, and whether it was there before."""

    npz: Path
    shown: Shown
    title: str  # of the map
    was_there: bool


@own_modes()
def explain_images(
    model: Checkpoint,
    files: FileList,
    output: Path,
    fields: Mapping[str, Any],
    report: Report = lambda done: None,
    apply: Map = map,
) -> tuple[dict[str, Saved], list[SkippedFile]]:
    """Write a figure and the arrays of each image.

    Files that are there for the same image, model and view, by their provenance, are kept.

    Args:
        model: The model.
        files: The images.
        output: Folder to write; images keep their folders below it.
        fields: Of a view, as for `Explanation.save`.
        report: Called with the number of images done.
        apply: As `map`: applies a function to each of a list, such as `Distributed.map`.

    Returns:
        The files of each image by its name; and the files that were not explained, with the reason.

    Raises:
        ConfigError: If a field of the view is invalid.
    """

    def explain_one(item: tuple[int, tuple[str, str]]) -> tuple[str, Saved | SkippedFile]:
        done, (name, stem) = item
        report(done)
        try:
            explanation = replace(prepare(model, files.read(name), 0.5, False), name=printable_name(name))
            return name, save_image(explanation, fields, output / f"{stem}.npz")
        except (ImageError, CheckpointError) as error:
            return name, skipped(name, error)

    results = dict(apply(explain_one, list(enumerate(distinct_stems(files.names).items()))))
    saved = {name: result for name, result in results.items() if isinstance(result, Saved)}
    return saved, [*files.skipped, *(result for result in results.values() if isinstance(result, SkippedFile))]


def save_image(explanation: Explanation, fields: Mapping[str, Any], npz: Path) -> Saved:
    """Write the figure and the arrays of an image, unless they are there."""
    view = create_view(explanation, **fields)
    png, expected = npz.with_suffix(".png"), describe_shown(explanation, view)
    title = title_of_set(explanation, view)
    if is_of(png, expected) and is_of(npz, expected):
        return Saved(npz, expected, title, True)
    scale = json.dumps(asdict(map_with_scale(explanation, view).scale))
    arrays = {**view_arrays(explanation, view), "scale": np.array(scale)}
    write_atomic(npz, npz_bytes(arrays, provenance(explanation, view)))
    explanation.save(png, **fields)
    return Saved(npz, expected, title, False)


def write_contact_sheets(model: Checkpoint, saved: Mapping[str, Saved], output: Path) -> None:
    """Write contact sheets of all images on one scale, and a table of their predictions, from their arrays."""
    scales, probabilities = [], []
    for one in saved.values():
        with np.load(one.npz, allow_pickle=False) as arrays:
            scales.append(Scale(**json.loads(str(arrays["scale"]))))
            probabilities.append(arrays["probabilities"])
    names, one = list(saved), next(iter(saved.values()))
    scale = scale_of_set(one.shown.view, scales)
    for start in range(0, len(names), PER_SHEET):
        part = slice(start, start + PER_SHEET)
        tiles = []
        for name, values in zip(names[part], probabilities[part], strict=True):
            with np.load(saved[name].npz, allow_pickle=False) as arrays:
                line = prediction_line(model, values)
                tiles.append(Tile(arrays["image"], arrays["map"], printable_name(name), line))
        figure = draw_contact_sheet(tiles, scale, f"{model.name}: {one.title}", model.credit)
        first, *others = (saved[name].shown for name in names[part])
        stated = of_contact_sheet(first, [one.image for one in others], [one.values for one in tiles])
        content = figure_bytes(figure, ".png", lambda panels: stated)  # noqa: B023
        number = f"-{start // PER_SHEET + 1}" if len(names) > PER_SHEET else ""
        write_atomic(output / f"{SHEET}{number}.png", content)
    if model.is_classifier:
        write_predictions(output / f"{TABLE}.csv", model, names, np.stack(probabilities))


def write_predictions(
    path: Path, model: Checkpoint, names: Sequence[str], probabilities: Array, top: int = TOP
) -> None:
    """Write a table of the most probable classes of images and their probabilities, (n, K), one image a line."""
    labels, top = distinct_names(model.labels), min(top, len(model.labels))
    columns = [f"{what}_{k}" for k in range(1, top + 1) for what in ("class", "probability")]
    rows = []
    for name, values in zip(names, probabilities, strict=True):
        best = np.argsort(-values, kind="stable")[:top]
        rows.append((printable_name(name), *(cell for k in best for cell in (labels[k], float(values[k])))))
    write_atomic(path, table_bytes(["image", *columns], rows))


@own_modes()
@torch.inference_mode()
def predict_images(
    model: Checkpoint, files: FileList, report: Report = lambda done: None, apply: Map = map
) -> tuple[dict[str, Array], list[SkippedFile]]:
    """Return the probabilities of each image by its name, (K,); and the files that have none, with the reason.

    Args:
        model: A classifier.
        files: The images.
        report: Called with the number of images done.
        apply: As for `explain_images`.
    """

    def predict_batch(item: tuple[int, list[str]]) -> tuple[dict[str, Array], list[SkippedFile]]:
        start, names = item
        report(start)
        read, bad = {}, []
        for name in names:
            try:
                image = read_image(files.read(name), model.config.img_size, resize=model.resize)
                read[name] = to_tensor(image.model_input)
            except ImageError as error:
                bad.append(skipped(name, error))
        if not read:
            return {}, bad
        logits = model.check_logits(model.network(model.normalize(torch.stack(list(read.values())))))
        probabilities = class_probabilities(model.config, logits.float().cpu().numpy())
        return dict(zip(read, probabilities, strict=True)), bad

    starts = range(0, len(files.names), BATCH_SIZE)
    results = list(apply(predict_batch, [(start, files.names[start : start + BATCH_SIZE]) for start in starts]))
    found = {name: values for part, _ in results for name, values in part.items()}
    return found, [*files.skipped, *(file for _, bad in results for file in bad)]


def skipped(name: str, error: ImageError | CheckpointError) -> SkippedFile:
    """Return an image that was not explained, and why."""
    return SkippedFile(printable_name(name), f"{error.problem} {error.hint}".strip())


def distinct_stems(names: Sequence[str]) -> dict[str, str]:
    """Return names of files without their endings, each once also where capitals do not count.

    Example:
        >>> distinct_stems(["cat.jpg", "cat.png", "pets/Cat.png", "contact_sheet.png"])
        {'cat.jpg': 'cat', 'cat.png': 'cat-2', 'pets/Cat.png': 'pets/Cat', 'contact_sheet.png': 'contact_sheet-2'}
    """
    taken, found = {SHEET, TABLE}, {}
    for name in names:
        stem = str(PurePosixPath(name).with_suffix(""))
        distinct, number = stem, 2
        while distinct.casefold() in taken:
            distinct, number = f"{stem}-{number}", number + 1
        taken.add(distinct.casefold())
        found[name] = distinct
    return found
