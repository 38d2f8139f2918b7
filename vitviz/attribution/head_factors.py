"""What does a head look for, a place or a thing? The attention scores of its patches, split by position and content.

Queries q and keys k are taken as they enter the product: scaled, and after head norms and rotary embeddings. A key
minus the mean of its image's keys leaves the attention unchanged; its mean over the images is the position p_j of the
key, the rest its content c_bj. The query of a patch is the mean m over images and patches, its position p_i, which is
its mean over the images minus m, and the rest, its content. So the scores without the mean of each row are the sum of
six products. The share of a product t of the scores s is E[t s] / E[s^2] over all images, queries and keys: covariances
of two products are split equally between them, and the shares sum to 1.

The query of the class token is apart: its mean over the images and the rest, its own part, by position and content of
the keys. A similar split of queries and keys into orthogonal parts is that of arXiv 2601.05328; this one is our own.

Letters in shape comments are those of `vitviz.models.vit`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import ForwardContext
from vitviz.attribution.view_maps import check_query
from vitviz.errors import ConfigError
from vitviz.models.attention_stats import max_batch_size
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.modes import own_modes
from vitviz.models.vit import Intervention, Transformer
from vitviz.view import check_index

Array = NDArray[np.float32]
# Parts of the query of a patch and of the class token, and of the key, in the order of the shares.
QUERY, CLASS_QUERY, KEY = ("mean", "position", "content"), ("mean", "own"), ("position", "content")
MIN_IMAGES = 2
RELIABLE = 128  # images from which on the shares change by less than 0.03


@dataclass(frozen=True)
class HeadFactors:
    """Shares of the attention scores of each head; see `vitviz.head_factors`.

    Attributes:
        shares: Of each part of the query with each part of the key, (L, A, 3, 2), in the order of `QUERY` and `KEY`;
            they sum to 1 for each head, or are 0 for a head whose scores are all equal.
        class_shares: The same for the query of the class token, (L, A, 2, 2), in the order of `CLASS_QUERY` and `KEY`;
            empty, (L, A, 0, 2), for a model without class token.
        query_mean: Mean query of the patches, (L, A, d).
        query_position: Position part of the queries, (L, A, N, d).
        key_position: Position part of the keys, (L, A, N, d).
        class_query: Mean query of the class token, (L, A, d); NaN for a model without one.
        images: Number of images.
    """

    shares: Array
    class_shares: Array
    query_mean: Array
    query_position: Array
    key_position: Array
    class_query: Array
    images: int

    @property
    def position(self) -> Array:
        """Share of where query and key are, (L, A)."""
        return self.shares[..., 1, 0]

    @property
    def content(self) -> Array:
        """Share of what query and key contain, (L, A)."""
        return self.shares[..., 2, 1]

    @property
    def same_for_all(self) -> Array:
        """Share that is the same for all queries, (L, A)."""
        return self.shares[..., 0, :].sum(-1)

    @property
    def rest(self) -> Array:
        """Share of where one is and what the other contains, (L, A)."""
        return self.shares[..., 1, 1] + self.shares[..., 2, 0]

    @property
    def image_specific(self) -> Array:
        """Share of what differs between images in the query of the class token, (L, A); empty, (0, A), without one."""
        if not self.class_shares.size:
            return np.empty((0, self.class_shares.shape[1]), np.float32)
        return np.asarray(self.class_shares[..., 1, :].sum(-1))


@dataclass(frozen=True)
class ScoreParts:
    """The attention scores of a query, and the parts that sum to them.

    Attributes:
        names: Of the parts, n.
        parts: Each in all patches, (n, N).
        scores: Scaled product of query and key of each patch, minus the mean over the patches, (N,): the softmax
            of scores is the same without their mean.
    """

    names: tuple[str, ...]
    parts: Array
    scores: Array


class FixedQuery(Intervention):
    """An intervention with the same query of the class token on every image.

    Attributes:
        query: Mean query of the class token, (A, d).
    """

    query: Tensor

    def apply_queries(self, q: Tensor) -> Tensor:
        """Replace the query of the class token in (B, A, Q, d), which are not scaled yet."""
        return torch.cat([self.query[:, None].expand_as(q[:, :, :1]), q[:, :, 1:]], 2)


@own_modes()
@torch.inference_mode()
def head_factors(
    checkpoint: Checkpoint, images: Tensor, report: Callable[[int, int], None] = lambda done, total: None
) -> HeadFactors:
    """Compute the shares over uint8 images (B, 3, H, W), with two forward passes of each.

    Args:
        checkpoint: The model.
        images: At least two; with fewer than 128 content looks like position, by about 1 / B.
        report: Called with the number of passes done and of all passes; it may raise to stop.

    Raises:
        CapturedModelError: If the model is captured.
        ValueError: If there are fewer images or of another shape, or the scores have a relative position bias.
    """
    check(checkpoint, images)
    config = checkpoint.config
    L, A = config.depth, config.num_heads
    R, N, d = config.num_prefix_tokens, config.num_patches, config.head_dim
    sums = {name: torch.zeros(L, A, N, d, dtype=torch.float64) for name in ("query", "key")}
    class_sum = torch.zeros(L, A, d, dtype=torch.float64)
    for layer, q, k in queries_and_keys(checkpoint, images, lambda done: report(done, 2 * len(images))):
        sums["query"][layer] += q[:, :, R:].sum(0)
        sums["key"][layer] += centered(k[:, :, R:]).sum(0)
        class_sum[layer] += q[:, :, 0].sum(0)
    query, key_position, class_query = (total / len(images) for total in (*sums.values(), class_sum))
    query_mean = query.mean(2)  # (L, A, d)
    query_position = query - query_mean[:, :, None]
    moments = torch.zeros(L, A, 6, 6, dtype=torch.float64)
    class_moments = torch.zeros(L, A, 4, 4, dtype=torch.float64)
    for layer, q, k in queries_and_keys(checkpoint, images, lambda done: report(len(images) + done, 2 * len(images))):
        content = centered(k[:, :, R:]) - key_position[layer]
        keys = [key_position[layer].expand_as(content), content]  # each (B, A, N, d)
        mean = query_mean[layer][:, None].expand(A, N, d)
        own = q[:, :, R:] - query[layer]
        moments[layer] += second_moments([mean.expand_as(own), query_position[layer].expand_as(own), own], keys)
        class_own = q[:, :, :1] - class_query[layer][:, None]
        class_moments[layer] += second_moments([class_query[layer][:, None].expand_as(class_own), class_own], keys)
    shares, class_shares = shares_of(moments).unflatten(-1, (3, 2)), shares_of(class_moments).unflatten(-1, (2, 2))
    if not config.class_token:
        class_shares, class_query = class_shares[:, :, :0], class_query.fill_(torch.nan)
    return HeadFactors(
        shares=to_array(shares),
        class_shares=to_array(class_shares),
        query_mean=to_array(query_mean),
        query_position=to_array(query_position),
        key_position=to_array(key_position),
        class_query=to_array(class_query),
        images=len(images),
    )


def to_array(values: Tensor) -> Array:
    """Return values as float32."""
    return np.asarray(values.cpu().numpy(), np.float32)


def has_factors(checkpoint: Checkpoint) -> bool:
    """Whether the scores of a model are products of queries and keys that are known."""
    return not checkpoint.config.is_captured and not checkpoint.config.rel_pos_bias


def check(checkpoint: Checkpoint, images: Tensor) -> None:
    """Refuse models and images without these shares, see `head_factors`."""
    check_scores(checkpoint)
    size = checkpoint.config.img_size
    if images.dtype != torch.uint8 or images.shape[1:] != (3, *size) or len(images) < MIN_IMAGES:
        found = f"{images.dtype} of shape {tuple(images.shape)}"
        raise ValueError(
            f"Images must be uint8 of shape (B, 3, {size[0]}, {size[1]}), at least {MIN_IMAGES}: got {found}."
        )


def check_scores(checkpoint: Checkpoint) -> None:
    """Refuse models whose scores are not products of queries and keys that are known, see `head_factors`."""
    checkpoint.require_blocks("the parts of attention scores")
    if checkpoint.config.rel_pos_bias:
        raise ValueError(
            f"The parts need scores that are products of queries and keys: {checkpoint.name} adds a relative position "
            "bias."
        )


def queries_and_keys(
    checkpoint: Checkpoint, images: Tensor, report: Callable[[int], None]
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Yield layer, scaled queries and keys (B, A, T, d) in double precision, batch by batch and layer by layer."""
    done = 0
    for part in images.split(max_batch_size(checkpoint.config)):
        report(done)
        tokens = checkpoint.network.forward_with_attention(checkpoint.normalize(part), "tokens").layer_tokens
        for layer in range(checkpoint.config.depth):
            q, k = checkpoint.network.queries_and_keys(layer, tokens[layer])
            yield layer, q.double(), k.double()
        done += len(part)


def centered(keys: Tensor) -> Tensor:
    """Return keys (B, A, N, d) minus their mean over the patches of each image."""
    return keys - keys.mean(2, keepdim=True)


def second_moments(queries: list[Tensor], keys: list[Tensor]) -> Tensor:
    """Return the sums over images, queries and keys of each product of scores times each other one, (A, n, n).

    Products are of a part of the query (B, A, Q, d) with a part of the key (B, A, N, d). With Q, K for the matrices of
    an image, the sum of (Q_x K_x') (Q_y K_y') over all entries is that of (Q_x' Q_y) (K_x' K_y), which needs no N x N.
    """
    query_gram = {(x, y): queries[x].mT @ queries[y] for x, y in product(range(len(queries)), repeat=2)}
    key_gram = {(x, y): keys[x].mT @ keys[y] for x, y in product(range(len(keys)), repeat=2)}
    terms = list(product(range(len(queries)), range(len(keys))))
    sums = [
        (query_gram[q, other_q] * key_gram[k, other_k]).sum((0, -2, -1))
        for (q, k), (other_q, other_k) in product(terms, repeat=2)
    ]
    return torch.stack(sums, -1).unflatten(-1, (len(terms), len(terms)))


def shares_of(moments: Tensor) -> Tensor:
    """Return the share of each product, (L, A, n), from their second moments (L, A, n, n)."""
    of_each, total = moments.sum(-1), moments.sum((-2, -1))[..., None]
    return torch.where(total > 0, of_each / total.clamp_min(torch.finfo(total.dtype).tiny), 0.0)


@own_modes()
@torch.inference_mode()
def score_parts(
    context: ForwardContext, factors: HeadFactors, layer: int, head: int, query: Sequence[int] = ()
) -> ScoreParts:
    """Split the scores of a head, for the class token or for patches, of which it takes the mean.

    Args:
        context: The forward pass of an image.
        factors: Those of its model.
        layer: From 0.
        head: From 0.
        query: Patches; none for the class token, or all patches of a model without one.

    Raises:
        ConfigError: If layer, head or query do not exist, or a patch is removed: positions are those of whole images.
        ValueError: If the scores have a relative position bias, or the model is captured.
    """
    check_scores(context.checkpoint)
    check_index("layer", layer, context.config.depth)
    check_index("head", head, context.config.num_heads)
    check_query(query, context.config.num_patches)
    if context.keep is not None:
        raise ConfigError("ablations", "must keep all patches: the parts of scores are those of whole images")
    tokens = context.output.layer_tokens[layer]
    q, k = (x[0, head].double().cpu() for x in context.model.queries_and_keys(layer, tokens))  # each (T, d)
    mean, places, position, class_query = (
        torch.from_numpy(values[layer, head]).double()
        for values in (factors.query_mean, factors.query_position, factors.key_position, factors.class_query)
    )
    keys = k[context.prefix :] - k[context.prefix :].mean(0)  # (N, d)
    content = keys - position
    if not query and context.config.class_token:
        own = q[0] - class_query
        parts = {
            "mean query × position": position @ class_query,
            "mean query × content": content @ class_query,
            "image-specific query × position": position @ own,
            "image-specific query × content": content @ own,
        }
        asked = q[0]
    else:
        chosen = list(query) or list(range(len(keys)))
        asked, place = q[context.prefix :][chosen].mean(0), places[chosen].mean(0)
        own = asked - mean - place
        parts = {
            "position × position": position @ place,
            "content × content": content @ own,
            "same for all queries": keys @ mean,
            "position × content": content @ place + position @ own,
        }
    return ScoreParts(tuple(parts), to_array(torch.stack(list(parts.values()))), to_array(keys @ asked))


def with_mean_query(model: Transformer, factors: HeadFactors, like: Tensor) -> list[Intervention]:
    """Return interventions in which the class token uses its mean query on every image, in the dtype of `like`."""
    config = model.config
    ones, zeros = like.new_ones(config.num_heads), like.new_zeros(config.num_heads, config.head_dim)
    found: list[Intervention] = []
    for query in torch.from_numpy(factors.class_query).to(like):
        one = FixedQuery(ones, zeros)
        one.query = query * config.scaled_width**0.5
        found.append(one)
    return found
