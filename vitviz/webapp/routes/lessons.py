"""The lesson of an explanation: the numbers that the Learn page works with."""

import math
from collections.abc import Sequence

import numpy as np
from fastapi import APIRouter

from vitviz.attribution import lesson
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.probes import position_similarity, position_start
from vitviz.attribution.targets import find_target
from vitviz.data.encoding import to_base64
from vitviz.errors import ConfigError
from vitviz.models.attention_stats import forward_macs
from vitviz.view import check_index
from vitviz.webapp.explanations import MAX_MACS, Held
from vitviz.webapp.probes import require_measured
from vitviz.webapp.schemas import lessons as types
from vitviz.webapp.schemas.explanations import SubjectRequest
from vitviz.webapp.server.calls import Call, Caller
from vitviz.webapp.server.refusals import RefusingRoute

router = APIRouter(prefix="/explanations/lesson", route_class=RefusingRoute)
NOT_IN_BROWSERS = ("attn_lrp", "text_similarity")  # methods that its engine lacks; without them it finds the same set
NAMED_BY = ("attention", "average", "balanced_gradients")  # methods whose patches are removed
REMOVED = 0.25  # fraction of the patches
PASSES = 10  # forward passes for a patch, until few removed patches change the answer


@router.post("")
async def numbers(request: SubjectRequest, call: Caller) -> types.Lesson:
    """Return the numbers of the lesson."""
    held = await find(request, call)
    return await call.reply(
        "lesson",
        held,
        find_target(held.explanation.context),
        types.Lesson,
        lambda: lesson_of(held.explanation),
        held.is_large,
    )


@router.post("/head")
async def head(request: types.HeadRequest, call: Caller) -> types.HeadVectors:
    """Return query, keys and values of a head, and what the block does to the query."""
    context = (await find(request, call)).explanation.context

    def compute() -> types.HeadVectors:
        context.require_blocks("queries and keys")
        row = lesson.attention_row(context, request.layer, request.head, request.token)
        steps = lesson.block_steps(context, request.layer, request.token)
        sent = {name: to_base64(array.astype("<f4")) for name, array in (vars(row) | vars(steps)).items()}
        return types.HeadVectors(**sent, size=len(row.query))

    return await call.quick(compute)


@router.post("/patch")
async def patch(request: types.PatchRequest, call: Caller) -> types.PatchEmbedding:
    """Return a dimension of the embedding of a patch, and its position's similarity with all others."""
    context = (await find(request, call)).explanation.context

    def compute() -> types.PatchEmbedding:
        found = lesson.patch_embedding(context, request.patch, request.dimension)
        positions = position_similarity(context.model).flatten(2).flatten(0, 1)  # (N, N)
        return types.PatchEmbedding(
            pixels=to_base64(found.pixels.astype("<f4")),
            weights=to_base64(found.weights.astype("<f4")),
            product=found.product,
            rest=found.rest,
            value=found.value,
            products=to_base64(found.products.astype("<f4")),
            tokens=to_base64(found.tokens.astype("<f4")),
            positions=positions[request.patch].tolist(),
        )

    return await call.quick(compute)


@router.post("/mean-query")
async def mean_query(request: SubjectRequest, call: Caller) -> types.MeanQuery:
    """Return the forward pass with the mean query of the class token."""
    held = await find(request, call)
    context = held.explanation.context

    def compute() -> types.MeanQuery:
        measured = require_measured(context.checkpoint)
        found = lesson.mean_query(context, measured.factors)
        return types.MeanQuery(
            rows=to_base64(found.rows.astype("<f4")),
            probabilities=found.probabilities.tolist(),
            **measured.question,
        )

    return await call.one_pass(compute, held.is_large)


@router.post("/removal")
async def removal(request: types.RemovalRequest, call: Caller) -> types.Probabilities:
    """Return the probabilities without some patches."""
    held = await find(request, call)
    context = held.explanation.context
    check_index("patches", max(request.patches, default=0), context.config.num_patches)
    found = await call.one_pass(lambda: lesson.without_patches(context, [request.patches]), held.is_large)
    return types.Probabilities(probabilities=found[0].tolist())


@router.post("/flips")
async def flips(request: SubjectRequest, call: Caller) -> types.Flips:
    """Return the fewest patches known to change the predicted class, and how many random ones do."""
    held = await find(request, call)
    explanation, config = held.explanation, held.explanation.context.config
    if not config.num_classes:
        raise ValueError("Only the answer of a classification head can change: this model has none.")
    if forward_macs(config) * config.num_patches * PASSES > MAX_MACS:
        raise ValueError("This model is large: finding the best set takes too many forward passes. Try a smaller one.")

    def compute() -> types.Flips:
        left_out = ("random", *NOT_IN_BROWSERS)
        quick = [key for key, one in explanation.methods.items() if not one.many_passes and key not in left_out]
        found = lesson.flips(explanation.context, [rank_patches(explanation, key) for key in quick])
        return types.Flips(best=found.best, random=found.random)

    return await call.reply("flips", held, find_target(explanation.context), types.Flips, compute)


async def find(request: SubjectRequest, call: Call) -> Held:
    """Return the explanation that a lesson is about."""
    if request.subject.ablations:
        raise ConfigError("subject.ablations", "must be empty: a lesson is about the whole model and image")
    return await call.explain(request.subject)


def lesson_of(explanation: Explanation) -> types.Lesson:
    """Return the numbers of the lesson."""
    context = explanation.context
    is_known = not context.config.is_captured  # what is inside
    probabilities, norms = lesson.layer_predictions(context) if is_known else (np.empty((0, 0)), np.empty(0))
    patches = lesson.patch_predictions(context) if is_known else None
    rows, tokens = lesson.sample_tokens(context) if is_known else ([], np.empty(0))
    has_head = context.config.num_classes > 0
    count = max(1, math.floor(REMOVED * context.config.num_patches))
    methods = [key for key in NAMED_BY if has_head and key in explanation.methods]
    ranked = [(key, rank_patches(explanation, key)[:count]) for key in methods]
    drawn = lesson.random_patches(context, count) if has_head else []
    model, reshaped = describe(context), None
    if has_head and model.patch == (model.patch_size, model.patch_size):
        reshaped = lesson.reshaped_prediction(context).tolist()
    return types.Lesson(
        model=model,
        logits=context.logits.tolist(),
        lens=probabilities.tolist(),
        norms=norms.tolist(),
        patch_predictions=None if patches is None else patches.tolist(),
        contributions=contributions_of(explanation) if has_head and is_known else None,
        reshaped=reshaped,
        removals=removals(context, ranked),
        random=removals(context, [("random", patches) for patches in drawn]),
        rows=rows,
        tokens=to_base64(tokens.astype("<f4")),
    )


def describe(context: ForwardContext) -> types.LessonModel:
    """Return the sizes and parts of the model."""
    config = context.config
    weights = {name for name, _ in context.model.named_parameters()}
    height, width = (size // count for size, count in zip(config.img_size, config.grid_size, strict=True))
    is_known = not config.is_captured
    return types.LessonModel(
        img_size=config.img_size,
        patch_size=config.patch_size,
        patch=(height, width),
        embed_dim=config.embed_dim * is_known,
        head_dim=config.head_dim * is_known,
        scaled_width=config.scaled_width * is_known,
        mlp_dim=config.mlp_hidden_dim * is_known,
        positions=is_known and bool(context.model.patch_positions().any()),
        position_start=position_start(context.checkpoint),
        rotary=config.rope_type != "none",
        rel_pos_bias=config.rel_pos_bias,
        patch_bias=not weights.isdisjoint({"patch_embed.bias", "patch_embed.proj.bias"}),
        qkv_bias="blocks.0.attn.qkv.bias" in weights,
        qk_norm="blocks.0.attn.q_norm.weight" in weights,
        has_sigmoid=config.has_sigmoid,
    )


def contributions_of(explanation: Explanation) -> types.LayerContributions:
    """Return the contributions to the logit of the predicted class, by layer."""
    found = explanation.contributions()
    return types.LayerContributions(
        embedding=found.embedding,
        attention=found.attention.tolist(),
        mlp=found.mlp.tolist(),
        bias=found.bias,
        logit=found.logit,
    )


def rank_patches(explanation: Explanation, method: str) -> list[int]:
    """Return all patches by the map of a method, the largest value first."""
    order: list[int] = np.argsort(-explanation.map(method).ravel(), kind="stable").tolist()
    return order


def removals(context: ForwardContext, ranked: Sequence[tuple[str, list[int]]]) -> list[types.Removal]:
    """Return what removing some sets of patches does."""
    if not ranked:
        return []
    found = lesson.without_patches(context, [patches for _, patches in ranked]).tolist()
    return [
        types.Removal(method=method, patches=patches, probabilities=probabilities)
        for (method, patches), probabilities in zip(ranked, found, strict=True)
    ]
