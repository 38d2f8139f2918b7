"""Explanations: all that is computed of a subject."""

import weakref
from contextlib import suppress

import numpy as np
from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from numpy.typing import NDArray

from vitviz import environment
from vitviz.attribution import head_factors, serialize, stored, tuned_lens
from vitviz.attribution import provenance as attribution
from vitviz.attribution.code import python
from vitviz.attribution.context import Target
from vitviz.attribution.explanation import Explanation, patch_activations, swap_class_token
from vitviz.attribution.features import similarity as token_similarity
from vitviz.attribution.methods import METHODS, Method
from vitviz.attribution.neighbors import FeatureIndex, build_index, unit_features
from vitviz.attribution.neighbors import nearest as nearest_images
from vitviz.attribution.provenance import Provenance
from vitviz.attribution.targets import check_method, find_target
from vitviz.attribution.tuned_lens import TunedLens
from vitviz.data import cifar, datasets
from vitviz.data.encoding import to_base64
from vitviz.data.preprocessing import load_samples
from vitviz.data.samples import example_paths
from vitviz.errors import ConfigError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.vit import Transformer
from vitviz.view import Image, Sample, Subject
from vitviz.webapp import comparisons, contact_sheets, image_lists, saved_files, snapshots
from vitviz.webapp.comparisons import check_cost
from vitviz.webapp.explanations import Held, maps_passes, scores_passes, skip_reason
from vitviz.webapp.image_lists import load_cifar
from vitviz.webapp.image_sets import thumbnail
from vitviz.webapp.probes import require_measured
from vitviz.webapp.saved_files import as_target
from vitviz.webapp.schemas import explanations as types
from vitviz.webapp.schemas.base import SavedFile
from vitviz.webapp.server.calls import Call, Caller, Lines
from vitviz.webapp.server.refusals import RefusingRoute, about

router = APIRouter(prefix="/explanations", route_class=RefusingRoute)
NEAREST_IMAGES = 8
NEAREST_SAMPLES = 5
SAMPLE_INDICES: "weakref.WeakKeyDictionary[Transformer, FeatureIndex]" = weakref.WeakKeyDictionary()


@router.post("", response_model=types.Explained, response_class=Lines)
async def explain(request: types.SubjectRequest, call: Caller) -> StreamingResponse:
    """Explain an image, or return what is stored of a snapshot of a training."""

    async def compute() -> types.Explained:
        if request.subject.snapshot is not None:
            return await call.quick(lambda: snapshots.find(call.backend.timelines, request.subject).to_reply())
        held = await call.explain(request.subject)
        return await call.quick(lambda: to_reply(held))

    return await call.stream(compute())


@router.post("/attention")
async def attention(request: types.SubjectRequest, call: Caller) -> types.Attention:
    """Return the attention between all tokens; refused if it is large."""
    explanation = (await call.explain(request.subject)).explanation
    if serialize.sent_bytes(explanation) > environment.MAX_SENT_BYTES:
        name, limit = explanation.context.checkpoint.name, environment.MAX_SENT_BYTES / 1e6
        problem = f"is {name}, whose full attention has more than {limit:g} MB"
        raise ConfigError("subject.model", problem, "Request the rows of a query.")
    return await call.quick(lambda: types.Attention(weights=to_base64(serialize.to_uint16(explanation.attention))))


@router.post("/rows")
async def rows(request: types.RowsRequest, call: Caller) -> types.Attention:
    """Return the attention from or to a query."""
    explanation = (await call.explain(request.subject)).explanation
    with about("query"):
        return await call.quick(
            lambda: types.Attention(weights=serialize.rows_to_json(explanation, request.query, request.direction))
        )


@router.post("/score-parts")
async def score_parts(request: types.ScorePartsRequest, call: Caller) -> types.ScoreParts:
    """Split the attention scores of a head by position and content; refused until those of its model were measured."""
    context = (await call.explain(request.subject)).explanation.context

    def split() -> types.ScoreParts:
        measured = require_measured(context.checkpoint)
        found = head_factors.score_parts(context, measured.factors, request.layer, request.head, request.query)
        return types.ScoreParts(
            names=found.names,
            parts=found.parts.tolist(),
            scores=found.scores.tolist(),
            images=measured.factors.images,
        )

    return await call.quick(split)


@router.post("/maps", response_model=types.Maps, response_class=Lines)
async def maps(request: types.MapsRequest, call: Caller) -> StreamingResponse:
    """Return the maps of all methods but those on request."""
    return await call.stream(all_maps(request, call))


async def all_maps(request: types.MapsRequest, call: Call) -> types.Maps:
    """Compute the reply of `maps`."""
    held, target = await find(request, call)
    explanation, config = held.explanation, held.explanation.context.config
    reason = skip_reason(config)
    part = "quick" if reason and request.part == "all" else request.part

    def is_chosen(method: Method) -> bool:
        return part == "all" or (method.is_first if part == "first" else not method.many_passes)

    def compute() -> types.Maps:
        call.job.expect(maps_passes(config) if part == "all" else 0)
        found: dict[str, list[float]] = {}
        for key, method in explanation.methods.items():
            if is_chosen(method):
                call.job.check()
                found |= serialize.method_maps(explanation, target, [key])
        return types.Maps(maps=found, notes=serialize.map_notes(explanation, target), skipped=reason)

    return await call.reply(("maps", part), held, target, types.Maps, compute, many=part == "all")


@router.post("/scores", response_model=types.Scores, response_class=Lines)
async def scores(request: types.TargetRequest, call: Caller) -> StreamingResponse:
    """Measure the faithfulness of all methods but those on request; refused for a large model."""

    async def compute() -> types.Scores:
        held, target = await find(request, call)
        if reason := skip_reason(held.explanation.context.config):
            raise ValueError(reason)
        return await measure_scores(held, target, call)

    return await call.stream(compute())


@router.post("/map", response_model=types.ScoredMap, response_class=Lines)
async def method_map(request: types.MapRequest, call: Caller) -> StreamingResponse:
    """Compute the map of a method, and the score of one on request."""
    check_method(request.method)
    method = METHODS[request.method]

    async def compute() -> types.ScoredMap:
        held, target = await find(request, call)
        if not method.on_request:
            check_cost(held, request.method)

        def measure() -> types.ScoredMap:
            values = held.explanation.map(request.method, target, progress=call.job.report).ravel()
            score = serialize.method_score(held.explanation, target, values) if method.on_request else None
            return types.ScoredMap(map=values.tolist(), score=score)

        with about("method"):
            return await call.reply(
                ("map", request.method), held, target, types.ScoredMap, measure, many=method.many_passes
            )

    return await call.stream(compute())


@router.post("/pixels")
async def pixels(request: types.MapRequest, call: Caller) -> types.PixelMap:
    """Return the map of a method per pixel."""
    held, target = await find(request, call)

    def compute() -> types.PixelMap:
        values = held.explanation.map(request.method, target, pixels=True)
        return types.PixelMap(values=to_base64(values.astype("<f4")), rows=values.shape[0], columns=values.shape[1])

    with about("method"):
        return await call.one_pass(compute, held.is_large)


@router.post("/contributions")
async def contributions(request: types.TargetRequest, call: Caller) -> types.Contributions:
    """Return the direct contributions to a logit."""
    held, target = await find(request, call)

    def compute() -> types.Contributions:
        found = held.explanation.contributions(target)
        return types.Contributions(
            embedding=found.embedding,
            heads=to_base64(found.heads.astype("<f4")),
            attention_bias=found.attention_bias.tolist(),
            mlp=found.mlp.tolist(),
            bias=found.bias,
            logit=found.logit,
        )

    return await call.quick(compute)


@router.post("/features")
async def features(request: types.FeaturesRequest, call: Caller) -> types.Features:
    """Return the patch tokens of each layer along their principal components."""
    explanation = (await call.explain(request.subject)).explanation

    def compute() -> types.Features:
        explanation.context.require_blocks("features")
        found = [pca_of_layer(explanation, layer, request.foreground) for layer in layers_of(explanation)]
        scores, explained = zip(*found, strict=True)
        return types.Features(scores=to_base64(np.stack(scores).astype("<f4")), explained=list(explained))

    return await call.quick(compute)


@router.post("/similarity")
async def similarity(request: types.SimilarityRequest, call: Caller) -> types.Similarity:
    """Return the cosine similarity of a patch with all patches of the same or another image in each layer."""
    context = (await call.explain(request.subject)).explanation.context
    with about("other"):
        other = None if request.other is None else (await call.explain(request.other)).explanation.context

    def compute() -> types.Similarity:
        layers = range(context.layers_and_heads[0])
        found = [token_similarity(context, layer, request.patch, other) for layer in layers]
        return types.Similarity(values=to_base64(np.stack(found).astype("<f4")))

    with about("patch"):
        return await call.quick(compute)


@router.post("/lens", response_model=types.Lens, response_class=Lines)
async def lens(request: types.LensRequest, call: Caller) -> StreamingResponse:
    """Return what each patch knows of a class; fit the tuned lens, if that is requested and the model has none."""

    async def compute() -> types.Lens:
        held, target = await find(request, call)
        checkpoint = held.explanation.context.checkpoint
        tuned_lens.check(checkpoint)
        found = await call.quick(lambda: tuned_lens.find_lens(checkpoint))
        if found is None and request.fit:
            inputs = call.backend.inputs
            fit = lambda: fit_lens(checkpoint, inputs.data, inputs.public, call)  # noqa: E731
            found = await call.many_passes(fit, held.is_large)
        if found is None:
            return types.Lens(lens=None)
        return types.Lens(lens=await call.quick(lambda: lens_reply(found, held.explanation, target)))

    return await call.stream(compute())


@router.post("/nearest", response_model=types.Nearest, response_class=Lines)
async def nearest(request: types.NearestRequest, call: Caller) -> StreamingResponse:
    """Return the nearest images by the features that the model ends with."""

    async def compute() -> types.Nearest:
        held, inputs = await call.explain(request.subject), call.backend.inputs
        if request.among == "samples":
            return await call.many_passes(lambda: nearest_samples(held.explanation, call), held.is_large)
        return await call.many_passes(
            lambda: nearest_of(held.explanation, inputs.data, inputs.public, call), held.is_large
        )

    return await call.stream(compute())


@router.post("/patching", response_model=types.Patched, response_class=Lines)
async def patching(request: types.PatchingRequest, call: Caller) -> StreamingResponse:
    """Replace activations in the forward pass of another image, one at a time."""
    return await call.stream(patched(request, call))


async def patched(request: types.PatchingRequest, call: Call) -> types.Patched:
    """Compute the reply of `patching`, once."""
    held = await call.explain(request.subject)
    other = await explain_other(request.subject, request.other, call)
    target = as_target(request.target)
    part = (request.part, request.layer if request.part == "tokens" else None)
    return await call.reply(
        ("patching", other.key, part),
        held,
        -1 if target is None else target,
        types.Patched,
        lambda: patch(held.explanation, other.explanation, target, request, call),
    )


@router.post("/code")
async def code(request: types.CodeRequest, call: Caller) -> types.Code:
    """Return Python code that computes the arrays of a view."""
    held = await call.explain(request.subject)
    other = await other_of(request, call)
    return await call.quick(lambda: types.Code(code=python(held.explanation, request.view, other)))


@router.post("/provenance")
async def provenance(request: types.CodeRequest, call: Caller) -> Provenance:
    """Return where a figure of a view comes from, without the figure's panels."""
    held = await call.explain(request.subject)
    other, view = await other_of(request, call), request.view
    found = await call.quick(lambda: attribution.provenance(held.explanation, view, other=other, numbers=True))
    if view.content != "patching" or view.other is None:
        return found
    measured = await patched(types.PatchingRequest(subject=request.subject, target=view.target, other=view.other), call)
    arrays = {name: getattr(measured, name) for name in ("heads", "mlp", "logit", "corrupted_logit")}
    return found.model_copy(update={"numbers": attribution.numbers_of(arrays)})


@router.post("/comparison-provenance")
async def comparison_provenance(request: types.ComparisonRequest, call: Caller) -> Provenance | None:
    """Return where a figure of a comparison comes from, without the figure's panels."""
    return await comparisons.compare(request, call, lambda found: found.provenance(numbers=True))


@router.post("/class-token-swap")
async def class_token_swap(request: types.SwapRequest, call: Caller) -> types.Swap:
    """Replace the class token of an image by that of another one, after each layer."""
    a, b = await call.explain(request.subject), await call.explain(request.other)
    return await call.many_passes(lambda: swap(a.explanation, b.explanation), a.is_large)


@router.post("/comparison-file")
async def comparison_file(request: types.ComparisonFileRequest, call: Caller) -> SavedFile:
    """Return the arrays or the table of a comparison."""
    return await comparisons.compare(request, call, lambda found: comparisons.file(found, request.format))


@router.post("/contact-sheet", response_model=types.ContactSheet, response_class=Lines)
async def contact_sheet(request: types.ContactSheetRequest, call: Caller) -> StreamingResponse:
    """Explain several images, and return their maps on one scale."""
    return await call.stream(contact_sheets.contact_sheet(request, call))


@router.post("/contact-sheet-provenance")
async def contact_sheet_provenance(request: types.ContactSheetRequest, call: Caller) -> Provenance:
    """Return where a figure of a contact sheet comes from, without the figure's panels."""
    return await contact_sheets.provenance(request, call)


@router.post("/file")
async def file(request: types.FileRequest, call: Caller) -> SavedFile:
    """Return the arrays or the table of a view, or a document of the explanation that opens with it."""
    held, target = await find(types.TargetRequest(subject=request.subject, target=request.view.target), call)
    other = await other_of(request, call)
    explanation, reason = held.explanation, skip_reason(held.explanation.context.config)
    if request.methods and reason:
        raise ValueError(reason)
    with_scores = request.methods or (request.format == "html" and reason is None)  # a large model takes too long
    scores = (await measure_scores(held, target, call)).model_dump() if with_scores else None
    ending, methods = request.format, request.methods

    def save() -> SavedFile:
        content = saved_files.content(explanation, request.view, ending, other, scores, methods, call.job.report)
        return SavedFile(src=saved_files.data_url(content, ending))

    return await call.many_passes(save, held.is_large)


async def find(request: types.TargetRequest, call: Call) -> tuple[Held, Target]:
    """Return the explanation of a request, and its target or the predicted class."""
    held = await call.explain(request.subject)
    with about("target"):
        return held, find_target(held.explanation.context, as_target(request.target))


async def explain_other(subject: Subject, image: Image, call: Call) -> Held:
    """Return the explanation of another image by the same model."""
    with about("other"):
        return await call.explain(subject.model_copy(update={"image": image, "ablations": ()}))


async def other_of(request: types.CodeRequest, call: Call) -> Explanation | None:
    """Return the explanation of the second image of a view; None for none."""
    image = request.view.other
    return None if image is None else (await explain_other(request.subject, image, call)).explanation


async def measure_scores(held: Held, target: Target, call: Call) -> types.Scores:
    """Return the faithfulness of all methods but those on request."""
    explanation = held.explanation

    def compute() -> types.Scores:
        call.job.expect(scores_passes(explanation.context.config, len(explanation.methods)))
        return types.Scores(**serialize.method_scores(explanation, target))

    return await call.reply("scores", held, target, types.Scores, compute)


def layers_of(explanation: Explanation) -> range:
    """Return the layers of the model."""
    return range(explanation.context.layers_and_heads[0])


def to_reply(held: Held) -> types.Explained:
    """Return the reply for an explanation."""
    return types.Explained(**serialize.to_json(held.explanation), image=held.image)


def pca_of_layer(
    explanation: Explanation, layer: int, foreground: bool
) -> tuple[NDArray[np.float32], list[float] | None]:
    """Return the coordinates of the patches along the components, (N, 3), and the explained variance ratios.

    Patches outside of the foreground are NaN; all are, and there are no ratios, if fewer than three are left.
    """
    try:
        found = explanation.pca(layer, foreground)
    except ValueError:
        return np.full((explanation.context.config.num_patches, 3), np.nan, np.float32), None
    return found.scores.reshape(-1, 3), found.basis.explained.tolist()


def swap(a: Explanation, b: Explanation) -> types.Swap:
    """Compute the reply of `class_token_swap`."""
    found = swap_class_token(a, b)
    if not a.context.checkpoint.is_classifier:
        share = found.patches_share
        return types.Swap(labels=None, patches=share.tolist(), class_token=(1 - share).tolist())
    classes = [int(one.probabilities.argmax()) for one in (a, b)]
    patches, class_token = (found.probabilities[:, k].tolist() for k in classes)
    return types.Swap(labels=(a.labels[classes[0]], a.labels[classes[1]]), patches=patches, class_token=class_token)


def fit_lens(checkpoint: Checkpoint, data: str | None, public: bool, call: Call) -> TunedLens:
    """Fit the tuned lens of a model on training images of CIFAR-10, and keep it in the cache folder."""
    images = tuned_lens.choose_images(load_cifar("train", data, public)[0])
    found = tuned_lens.fit(checkpoint, images, datasets.CIFAR10.name, call.job.report)
    with suppress(OSError):  # a read-only or full disk costs time, not the result
        found.save(stored.cached(checkpoint, tuned_lens.ENDING))
    return found


def lens_reply(lens: TunedLens, explanation: Explanation, target: Target) -> types.TunedLens:
    """Return what the tuned lens reads of a class."""
    return types.TunedLens(values=to_base64(lens.maps(explanation, target).astype("<f4")), **lens.describe())


def nearest_of(explanation: Explanation, data: str | None, public: bool, call: Call) -> types.Nearest:
    """Compute the reply of `nearest`."""
    images, labels = load_cifar("train", data, public)
    call.job.report(0, len(images))
    index = build_index(explanation.context.checkpoint, images, call.job.report)
    found = nearest_images(explanation.context, index, NEAREST_IMAGES)
    shown = [
        types.NearestImage(
            src=thumbnail(images[i]), label=cifar.CLASSES[int(labels[i])], index=int(i), similarity=float(similar)
        )
        for i, similar in zip(found.indices, found.similarities, strict=True)
    ]
    return types.Nearest(images=shown, count=len(images))


def nearest_samples(explanation: Explanation, call: Call) -> types.Nearest:
    """Compute the reply of `nearest` among the images that ship with vitviz, without the explained one."""
    paths, own = example_paths(), explanation.origin
    names = list(paths)
    index = index_samples(explanation.context.checkpoint, call)
    found = nearest_images(explanation.context, index, NEAREST_SAMPLES + 1)
    shown = [
        types.NearestImage(
            src=image_lists.thumbnail(paths[names[i]]), label=names[i], index=int(i), similarity=similarity
        )
        for i, similarity in zip(found.indices, found.similarities.tolist(), strict=True)
        if not (isinstance(own, Sample) and own.name == names[i])
    ]
    return types.Nearest(images=shown[:NEAREST_SAMPLES], count=len(names))


def index_samples(model: Checkpoint, call: Call) -> FeatureIndex:
    """Return the index of the images that ship with vitviz, computed once per model."""
    if model.network not in SAMPLE_INDICES:
        images = load_samples(model.config.img_size, model.resize, example_paths().values())
        job, total = call.job, len(images)
        job.report(0, total)
        features = unit_features(model, images, lambda count: job.report(job.done + count, total))
        SAMPLE_INDICES[model.network] = FeatureIndex(features)
    return SAMPLE_INDICES[model.network]


def patch(
    a: Explanation, b: Explanation, target: Target | None, request: types.PatchingRequest, call: Call
) -> types.Patched:
    """Compute the reply of `patching`."""
    if request.part == "tokens":
        layers = (request.layer,)
        found = patch_activations(a, b, target, "tokens", call.job.report, layers)
        parts = {"heads": [], "mlp": [], "tokens": found.recovered[0].tolist()}
    else:
        depth, heads = a.context.layers_and_heads
        total = depth * (heads + 1)
        found = patch_activations(a, b, target, "heads", lambda done, _: call.job.report(done, total))
        mlp = patch_activations(a, b, target, "mlp", lambda done, _: call.job.report(depth * heads + done, total))
        parts = {"heads": found.recovered.tolist(), "mlp": mlp.recovered.tolist(), "tokens": []}
    chosen = list(found.target) if isinstance(found.target, tuple) else [found.target]
    return types.Patched(logit=found.logit, corrupted_logit=found.corrupted_logit, target=chosen, **parts)
