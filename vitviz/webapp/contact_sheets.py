"""Contact sheets for the page, see `vitviz.attribution.contact_sheet`."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vitviz.attribution import provenance as attribution
from vitviz.attribution.contact_sheet import Sheet, check_drawn, map_tile
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.methods import METHODS
from vitviz.attribution.provenance import Provenance, of_contact_sheet
from vitviz.attribution.view_maps import method_of
from vitviz.data.encoding import data_url, to_base64
from vitviz.plots.contact_sheet import Tile
from vitviz.plots.figures import OWN_SCALE, on_own_scale
from vitviz.plots.scales import Scale
from vitviz.view import Subject, Upload
from vitviz.webapp.comparisons import check
from vitviz.webapp.explanations import Held
from vitviz.webapp.schemas import explanations as types
from vitviz.webapp.server.calls import Call
from vitviz.webapp.server.refusals import about

THUMBNAIL_SIDE = 160  # px
MAX_LOSSLESS = 64  # px, of images that are sent as PNG


async def contact_sheet(request: types.ContactSheetRequest, call: Call) -> types.ContactSheet:
    """Compute the reply of a request, with the number of images done as progress.

    Raises:
        ValueError: If an image or the view is refused.
    """
    with about("view"):
        check_drawn(request.view)
    explanations: list[Explanation] = []  # of features, whose basis is that of all; of a map the last one
    maps: list[tuple[Tile, Scale]] = []
    for number, subject in enumerate(subjects_of(request)):
        call.job.report(number, len(request.images))
        held = await find(subject, number, call)
        check(held, request.view)
        if isinstance(subject.image, Upload) and subject.image.name:
            held = replace(held, explanation=replace(held.explanation, name=subject.image.name))
        if request.view.content == "features":
            explanations.append(held.explanation)
        else:
            explanations = [held.explanation]
            maps.append(await compute_map(held, request, call))
    first, view = explanations[0], request.view
    sheet = await call.quick(lambda: Sheet.of_maps(maps, first, view) if maps else Sheet.of(explanations, view))
    return await call.quick(lambda: to_reply(sheet))


async def provenance(request: types.ContactSheetRequest, call: Call) -> Provenance:
    """Return where the figure of a contact sheet comes from, without its panels."""
    found = [await find(one, k, call) for k, one in enumerate(subjects_of(request))]
    explanations = [one.explanation for one in found]

    def describe() -> Provenance:
        first, *others = [attribution.describe_shown(one, request.view) for one in explanations]
        tiles = Sheet.of(explanations, request.view).tiles
        return of_contact_sheet(first, [one.image for one in others], [one.values for one in tiles])

    return await call.many_passes(describe, found[0].is_large)


def subjects_of(request: types.ContactSheetRequest) -> list[Subject]:
    """Return the subject with each of the images."""
    return [request.subject.model_copy(update={"image": image}) for image in request.images]


async def find(subject: Subject, number: int, call: Call) -> Held:
    """Return the explanation of an image by its number, from 0."""
    with about(f"images.{number}"):
        return await call.explain(subject)


async def compute_map(held: Held, request: types.ContactSheetRequest, call: Call) -> tuple[Tile, Scale]:
    """Compute the map of an image in the queue of its cost."""
    method = method_of(request.view)
    if method is None or METHODS[method].instant:
        return await call.quick(lambda: map_tile(held.explanation, request.view))
    run = call.many_passes if METHODS[method].many_passes else call.one_pass
    return await run(lambda: map_tile(held.explanation, request.view), held.is_large)


def to_reply(sheet: Sheet) -> types.ContactSheet:
    """Return a contact sheet as the page shows it."""
    first = sheet.tiles[0]
    (height, width), (rows, columns) = first.image.shape[:2], first.values.shape[:2]
    scale = sheet.scale or Scale("linear", 1.0, is_weight=False, quantity=OWN_SCALE)
    return types.ContactSheet(
        images=[tile_to_reply(one, sheet.scale is None) for one in sheet.tiles],
        rows=rows,
        columns=columns,
        aspect=width / height,
        scale=scale_to_reply(scale) if first.values.ndim == 2 else None,
        title=sheet.title,
        note=sheet.note,
    )


def tile_to_reply(tile: Tile, is_own: bool) -> types.SheetImage:
    """Return an image of a contact sheet."""
    image = Image.fromarray(tile.image)
    image.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    src = data_url(image, "png" if max(image.size) <= MAX_LOSSLESS else "jpeg")
    values, colors = None, None
    if tile.values.ndim == 2:
        values = numbers(on_own_scale(tile.values) if is_own else tile.values)
    else:
        colors = to_base64(rgba(tile.values))
    return types.SheetImage(name=tile.title, src=src, prediction=tile.line, values=values, colors=colors)


def rgba(colors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return colors in 0..1, (..., 3), as pixels, (..., 4); transparent for NaN."""
    is_kept = ~np.isnan(colors[..., :1])
    return np.round(255 * np.concatenate([np.nan_to_num(colors), is_kept], -1)).astype(np.uint8)


def scale_to_reply(scale: Scale) -> types.MapScale:
    """Return a scale with its unit."""
    return types.MapScale(
        kind=scale.kind,
        low=scale.low,
        limit=scale.limit,
        clips=scale.clips,
        is_weight=scale.is_weight,
        unit=scale.unit(),
    )


def numbers(values: NDArray[np.float32]) -> list[float | None]:
    """Return values as a list, None for NaN."""
    return [None if np.isnan(value) else float(value) for value in values.ravel()]
