"""Probes: measurements of a model's layers and heads over some images.

The first two probes read the weights alone; the others read an `AttentionOutput` with full attention and tokens, and
average over its B images as their docstrings state. Of a captured model there are those of the attention alone. `probe`
computes all of them with one forward pass per batch, and over at least 128 images also what heads look for and when the
class token decides (`vitviz.attribution.image_statistics`). Values are not scaled for display. Where the first
dimension is L + 1, index 0 is the input of the first block and index l the output of the l-th block.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution import file_formats, image_statistics
from vitviz.attribution.file_formats import Output
from vitviz.attribution.layered_attention import attention_by_layer, fits
from vitviz.attribution.provenance import ProbesProvenance, numbers_of, of_probes
from vitviz.errors import InvalidValueError
from vitviz.models.attention_stats import (
    attention_entropy,
    cls_attention_of,
    layer_distance,
    max_batch_size,
    patch_distances,
    require_full,
)
from vitviz.models.checkpoint import Checkpoint, available_memory
from vitviz.models.config import PositionStart, ViTConfig
from vitviz.models.modes import own_modes
from vitviz.models.vit import AttentionOutput, Transformer, cls_attention

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float32]

COPIES = 3  # of the attention that the probes hold at a time
NUM_COMPONENTS = 28  # as in the figure of the paper
MADS = 3.5 / 0.6745  # Iglewicz & Hoaglin 1993: values beyond this many MADs are potential outliers


def patch_filters(model: Transformer, components: int = NUM_COMPONENTS) -> tuple[Tensor, Tensor]:
    """Principal components of the patch embedding's filters (Dosovitskiy et al. 2021, arXiv 2010.11929, figure 7 left).

    Rows of W (D, 3 P P) are the filters, W - mean of rows = U S V'; component k is row k of V', of norm 1, with the
    sign that makes its weight of largest magnitude positive.

    Returns:
        At most min(D, 3 P P) components by decreasing variance, as images (k, 3, P, P), without unit; and the explained
        variance ratio of each, S_k^2 / sum of S^2, in 0..1, (k,).

    Raises:
        ValueError: If `components` is less than 1.
    """
    if components < 1:
        raise InvalidValueError("components", "at least 1", components)
    weight = to_double(model.patch_filters().detach())  # (D, 3, P, P)
    rows = weight.flatten(1)  # (D, 3 P P)
    _, singular_values, directions = torch.linalg.svd(rows - rows.mean(0), full_matrices=False)
    chosen = directions[:components]  # (k, 3 P P)
    largest = chosen.gather(1, chosen.abs().argmax(1, keepdim=True))  # (k, 1)
    ratios = singular_values.square() / singular_values.square().sum()
    return (chosen * largest.sign()).view(-1, *weight.shape[1:]), ratios[:components]


def to_double(x: Tensor) -> Tensor:
    """Convert to double precision, on the CPU if the device has none, as Apple's GPUs."""
    return (x.cpu() if x.device.type == "mps" else x).double()


def position_start(checkpoint: Checkpoint) -> PositionStart:
    """Return how the position embeddings of a model started, if it was trained here from the start.

    "sine-cosine" as in `ViT.init_weights`, "unstructured" (zeros or noise) in the tutorials' networks; "unknown" for
    models from elsewhere and for those that started from another checkpoint.
    """
    if not checkpoint.train_config or checkpoint.train_config.get("init_from"):
        return "unknown"
    return "sine-cosine" if checkpoint.config.architecture == "vit" else "unstructured"


def position_similarity(model: Transformer) -> Tensor:
    """Cosine similarity of the patches' position embeddings (Dosovitskiy et al. 2021, figure 7 center).

    Returns:
        S[r, c, i, j] = e_rc . e_ij / (|e_rc| |e_ij|) in -1..1, (gh, gw, gh, gw); 0 where an embedding is zero.
    """
    positions = F.normalize(to_double(model.patch_positions().detach()), dim=-1)  # (N, D)
    return (positions @ positions.T).view(*model.config.grid_size, *model.config.grid_size)


def head_divergence(output: AttentionOutput, config: ViTConfig) -> Tensor:
    """Jensen-Shannon divergence of the attention of two heads of a layer (Clark et al. 2019, section 6).

    H((p + q) / 2) - (H(p) + H(q)) / 2 of the class token's rows p and q over all T tokens, mean over the images.

    Returns:
        Nats, from 0 for equal rows to ln 2 for rows that share no token, (L, A, A); symmetric.
    """
    rows = cls_attention_of(output, config)  # (L, B, A, T)
    entropy = torch.special.entr(rows).sum(-1)  # (L, B, A)
    mean = (rows.unsqueeze(2) + rows.unsqueeze(3)) / 2  # (L, B, A, A, T)
    mixed = torch.special.entr(mean).sum(-1)  # (L, B, A, A)
    return (mixed - (entropy.unsqueeze(2) + entropy.unsqueeze(3)) / 2).clamp_min(0).mean(1)


def token_norms(output: AttentionOutput) -> Tensor:
    """L2 norm of each token by layer, (L + 1, B, T) (Darcet et al. 2024, arXiv 2309.16588, section 2)."""
    tokens = require_full(output)[1]
    return tokens.norm(dim=-1, dtype=torch.promote_types(tokens.dtype, torch.float32))  # quantiles need float32


def outliers(norms: Tensor, prefix: int, mads: float = MADS) -> Tensor:
    """Mask of the tokens with a much larger norm than the patches of their image and layer.

    The threshold is median + `mads` MAD of the N patches, where MAD is the median absolute deviation: unlike a fixed
    norm it fits every model. Two in ten thousand of normally distributed norms exceed it; real norms are skewed, and
    one in a hundred is common. The outliers that motivate registers have about ten times the norm of other tokens.

    `norms` are from `token_norms`, (L + 1, B, T), the shape of the mask; `prefix` is the number of prefix tokens (R).
    """
    patches = norms[..., prefix:]
    median = patches.quantile(0.5, -1, keepdim=True)  # (L + 1, B, 1)
    mad = (patches - median).abs().quantile(0.5, -1, keepdim=True)  # (L + 1, B, 1)
    return norms > median + mads * mad


def logit_lens(model: Transformer, output: AttentionOutput) -> Tensor:
    """Logit lens: the classification head applied to the tokens of every layer.

    nostalgebraist 2020 ("interpreting GPT: the logit lens"); Vilas et al. 2023 (arXiv 2310.18969) for ViTs. The head
    includes the final norm, where the model has one.

    Returns:
        Logits, (L + 1, B, K); those of the last layer are the model's output.
    """
    return torch.stack([model.forward_head(tokens) for tokens in require_full(output)[1]])


def final_predictions(lens: Tensor, has_sigmoid: bool = False) -> dict[str, Tensor]:
    """Agreement of the logit lens, (L + 1, B, K), with the final prediction, by layer.

    Returns:
        `final_agreement`, the fraction of images whose most probable class is that of the last layer, (L + 1,); and
        `final_probability`, the mean probability of that class, (L + 1,). Both in 0..1.
    """
    predictions = lens.argmax(-1)  # (L + 1, B)
    all_classes = lens.sigmoid() if has_sigmoid else lens.softmax(-1)
    probabilities = all_classes.gather(-1, predictions[-1:, :, None].expand(len(lens), -1, 1))  # (L + 1, B, 1)
    return {
        "final_agreement": (predictions == predictions[-1]).float().mean(1),
        "final_probability": probabilities.mean((1, 2)),
    }


def class_token_cosine(output: AttentionOutput, config: ViTConfig) -> Tensor:
    """Cosine similarity of each patch to the class token, -1..1, by layer, mean over the images, (L + 1, gh, gw).

    Empty, (0, gh, gw), for a model without class token.
    """
    tokens = require_full(output)[1]
    if not config.class_token:
        return tokens.new_empty(0, *config.grid_size)
    cosine = F.cosine_similarity(tokens[:, :, :1], tokens[:, :, config.num_prefix_tokens :], dim=-1)  # (L + 1, B, N)
    return cosine.mean(1).unflatten(-1, config.grid_size)


def layer_products(output: AttentionOutput, prefix: int) -> Tensor:
    """HSIC between layers, over the patches within each image, mean over the images: the input of `cka`.

    K = X X' for each layer, where X (N, D) are the patches of one image, centered so that rows without their diagonal
    sum to 0; then sum_ij K_ij K'_ij / (N (N - 3)). This is the estimate of HSIC that is unbiased for small N (Song et
    al. 2012; Nguyen et al. 2021, arXiv 2010.15327, equation 3), with each image as one minibatch.

    Returns:
        (L + 1, L + 1), symmetric, in double precision.

    Raises:
        ValueError: If there are fewer than 4 patches.
    """
    patches = to_double(require_full(output)[1][:, :, prefix:])  # (L + 1, B, N, D)
    B, N = patches.shape[1:3]
    if N < 4:
        raise ValueError(f"CKA needs at least 4 patches: this model has {N}.")
    patches = patches - patches.mean(2, keepdim=True)
    gram = patches @ patches.mT  # (L + 1, B, N, N), changed in place: it is large
    gram.diagonal(dim1=-2, dim2=-1).zero_()
    rows = gram.sum(-1, keepdim=True)  # (L + 1, B, N, 1)
    gram.sub_(rows / (N - 2)).sub_(rows.mT / (N - 2)).add_(rows.sum(2, keepdim=True) / ((N - 1) * (N - 2)))
    gram.diagonal(dim1=-2, dim2=-1).zero_()
    gram = gram.flatten(1)  # (L + 1, B N N)
    return gram @ gram.T / (B * N * (N - 3))


def cka(products: Tensor) -> Tensor:
    """Linear CKA between layers (Kornblith et al. 2019, arXiv 1905.00414), over the patches within each image.

    It differs from figure 1 of Raghu et al. 2021 (arXiv 2108.08810), who compare representations across images: here
    the similarity of the patches of one image is compared between layers, and HSIC is averaged over the images.

    Returns:
        From P of `layer_products`: P_lm / sqrt(P_ll P_mm), (L + 1, L + 1): 1 for layers that are equal up to rotation
        and scale; around 0, sometimes slightly below, for unrelated layers; 0 if all patches are equal.
    """
    size = products.diagonal().sqrt()
    return products / (size[:, None] * size).clamp_min(torch.finfo(products.dtype).tiny)


def attention_sinks(model: Transformer, output: AttentionOutput) -> dict[str, Tensor]:
    """Attention on the largest receiver of each head, and the norm of that token's value (arXiv 2606.08105).

    The largest receiver of a head in an image is the token with the largest attention, mean over all T queries. Its
    value norm is that of its value vector after the output projection, divided by the mean over all tokens. A large
    share on a token of small norm is a no-op: the head adds almost nothing. On a token of ordinary norm it broadcasts
    what that token has gathered.

    Returns:
        `sink_share` in 1 / T..1 and `sink_norm`, at least 0, means over the images, (L, A).
    """
    attention, tokens = require_full(output)
    found = [layer_sinks(model, layer, weights, tokens[layer]) for layer, weights in enumerate(attention)]
    return stack_sinks(found)


def layer_sinks(model: Transformer, layer: int, weights: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Return both of `attention_sinks` for one layer, (A,), from its attention (B, A, T, T) and input (B, T, D)."""
    share, receiver = weights.mean(2).max(-1)  # (B, A)
    lengths = model.value_vectors(layer, tokens).norm(dim=-1).float()  # (B, A, T)
    length = lengths.gather(-1, receiver[..., None])[..., 0]  # (B, A)
    return share.mean(0), (length / lengths.mean(-1).clamp_min(torch.finfo(lengths.dtype).tiny)).mean(0)


def stack_sinks(found: list[tuple[Tensor, Tensor]]) -> dict[str, Tensor]:
    """Return `attention_sinks` from those of each layer."""
    shares, norms = zip(*found, strict=True)
    return {"sink_share": torch.stack(shares), "sink_norm": torch.stack(norms)}


@dataclass(frozen=True, repr=False)
class Probes:
    """Results of all probes over B images.

    Of a captured model only the distances, entropies, numbers of tokens and divergences are not empty. They are NaN for
    heads that a layer lacks.

    Attributes:
        labels: K class names.
        filters: Components of the patch embedding, (k, 3, P, P).
        explained: Explained variance ratio of each, (k,).
        position_similarity: Cosine similarity, (gh, gw, gh, gw).
        distance: Mean attention distance in pixels, (L, A).
        uniform_distance: Mean attention distance of uniform attention, ().
        entropy: Entropy of the class token's attention in nats, (L, A); without one, of the mean over the patches.
        effective_tokens: Its exponential, (L, A).
        head_divergence: Jensen-Shannon divergence in nats, (L, A, A).
        norms: L2 norm of each token, mean over images, (L + 1, T).
        longest: Largest norm of an image's patches, mean over images, (L + 1,).
        outliers: Fraction of images in which the token is an outlier, in 0..1, (L + 1, T).
        lens: Logits by layer and image, (L + 1, B, K).
        final_agreement: Fraction of images with the final prediction, by layer, (L + 1,); empty for a model that has no
            head, or one that was trained without labels.
        final_probability: Mean probability of that class, by layer, (L + 1,); empty likewise.
        class_token_cosine: Cosine similarity of patches and class token, (L + 1, gh, gw); empty without one.
        cka: CKA between layers, over the patches within each image, (L + 1, L + 1).
        sink_share: Attention on the largest receiver, mean over queries and images, in 0..1, (L, A).
        sink_norm: Norm of that token's value divided by the mean over tokens, mean over images, (L, A).
        head_shares: Shares of position, content, what is the same for all queries, and the rest in a head's scores,
            in 0..1, (L, A, 4); see `vitviz.head_factors`. Over fewer than 128 images they and the next ones are those
            that are stored beside the checkpoint, or empty.
        image_specific: Share of what differs between images in the query of the class token, (L, A); empty without one.
        follows_patches: Fraction of pairs of images whose prediction follows the patches when the class token is
            swapped after a layer, (L + 1,); see `vitviz.attribution.class_token.swap_curve`.
        follows_class_token: Fraction that follows the class token, (L + 1,).
        head_images: Number of images of `head_shares`, ().
        pairs: Number of pairs, ().
        provenance: What the files of the probes state.
    """

    labels: NDArray[np.str_]
    filters: Array
    explained: Array
    position_similarity: Array
    distance: Array
    uniform_distance: Array
    entropy: Array
    effective_tokens: Array
    head_divergence: Array
    norms: Array
    longest: Array
    outliers: Array
    lens: Array
    final_agreement: Array
    final_probability: Array
    class_token_cosine: Array
    cka: Array
    sink_share: Array
    sink_norm: Array
    head_shares: Array
    image_specific: Array
    follows_patches: Array
    follows_class_token: Array
    head_images: Array
    pairs: Array
    provenance: ProbesProvenance

    @property
    def arrays(self) -> dict[str, Array]:
        """The arrays by the names above."""
        return {name: value for name, value in vars(self).items() if name != "provenance"}

    def figure(self, note: str = "") -> "Figure":
        """Draw all probes; `note` names model and images in the footer."""
        from vitviz.plots import probe_figures

        return probe_figures.draw(self.arrays, note)

    def stated(self) -> ProbesProvenance:
        """Return the provenance of a figure, with the numbers behind it."""
        return self.provenance.model_copy(update={"numbers": numbers_of(self.arrays)})

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str | bytes]:
        """Show the figure in a notebook."""
        return {"image/png": file_formats.figure_bytes(self.figure(), ".png"), "text/plain": repr(self)}

    def __repr__(self) -> str:
        layers, heads = self.distance.shape
        return f"<Probes of {layers} layers and {heads} heads over {self.provenance.probed.count} images>"

    def save(self, path: Output, note: str = "") -> Path | Output:
        """Write the figure (.png, .svg, .pdf, .jpg) or the arrays (.npz, by the names above), by the file's ending.

        Args:
            path: The file, or a file object, which gets a PNG if it has no name.
            note: Names model and images: footer of the figure, and `note` in the .npz.

        Returns:
            The path.

        Raises:
            ValueError: If the file has another ending.
        """
        is_figure = not str(getattr(path, "name", path)).lower().endswith(".npz")
        return file_formats.save(
            path,
            lambda: self.figure(note),
            lambda: self.arrays | {"note": np.array(note)},
            provenance=lambda panels: (self.stated() if is_figure else self.provenance).model_copy(
                update={"panels": panels}
            ),
        )


@own_modes()
@torch.inference_mode()
def probe(
    checkpoint: Checkpoint,
    images: Tensor,
    report: Callable[[int, int], None] = lambda done, total: None,
    store: bool = False,
) -> Probes:
    """Compute all probes of uint8 images (B, 3, H, W) in batches and with bounded memory.

    Args:
        checkpoint: The model.
        images: The images.
        report: Called with the number of passes done and of all passes; an exception from it stops the computation.
        store: Store what needs many images beside a checkpoint of vitviz, or in the cache folder.

    Raises:
        ValueError: If the images have another shape, or the model has fewer than 4 patches or no attention, or
            what one image needs does not fit into memory.
    """
    model = checkpoint.network
    config = model.config
    check_memory(checkpoint.name, config)
    if images.dtype != torch.uint8 or images.shape[1:] != (3, *config.img_size) or not len(images):
        expected, found = ", ".join(map(str, config.img_size)), f"{images.dtype} of shape {tuple(images.shape)}"
        raise ValueError(f"Images to probe must be uint8 of shape (B, 3, {expected}), at least one: got {found}.")
    totals: dict[str, Any] = {}
    parts: list[Tensor] = []
    holds = fits(config)
    passes = image_statistics.passes(checkpoint, len(images))
    for part in images.split(max_batch_size(config) if holds else 1):
        report(sum(part.shape[1] for part in parts), len(images) + passes)
        output = model.forward_with_attention(checkpoint.normalize(part), "full" if holds else "tokens")
        if not config.is_captured:
            parts.append(logit_lens(model, output))
        for name, mean in measure(model, output).items():
            totals[name] = totals.get(name, 0) + mean * (len(part) / len(images))
    results = totals | {"uniform_distance": patch_distances(config).mean()}
    if not config.is_captured:
        lens = torch.cat(parts, 1)[..., : config.num_classes]
        predicted = final_predictions(lens, config.has_sigmoid) if checkpoint.is_classifier else {}
        filters, explained = patch_filters(model)
        results |= {"filters": filters, "explained": explained, "position_similarity": position_similarity(model)}
        results |= {"lens": lens, "cka": cka(results.pop("products")), **predicted}
    arrays = {name: value.float().cpu().numpy() for name, value in results.items()}
    measured: image_statistics.ImageStatistics | None
    if passes:
        measured = image_statistics.measure(
            checkpoint, images, lambda done: report(len(images) + done, len(images) + passes)
        )
        if store:
            image_statistics.store(measured, checkpoint)
    else:
        measured = image_statistics.load(checkpoint)
    if measured is not None:
        arrays |= measured.summary()
    empty = {field.name: np.empty(0, np.float32) for field in fields(Probes) if field.type == Array}
    empty |= {name: np.zeros((), np.float32) for name in ("head_images", "pairs")}
    empty["norms"] = np.empty((0, config.num_tokens), np.float32)
    return Probes(
        np.array(checkpoint.labels),
        **empty | arrays,
        provenance=of_probes(checkpoint, len(images), images.contiguous().numpy().tobytes()),
    )


def check_memory(name: str, config: ViTConfig) -> None:
    """Check that the attention of one image, or of its largest part, tokens and copies fit into the free memory."""
    layers = config.depth if fits(config) else 1  # whose attention is held at once
    attention = layers * config.num_heads * config.num_tokens**2
    products = 2 * (config.depth + 1) * config.num_patches**2  # of tokens, in double precision
    needed = 4 * COPIES * (attention + products + (config.depth + 1) * config.num_tokens * config.embed_dim)
    free = available_memory()
    if free is not None and needed > free:
        raise ValueError(
            f"The probes need {needed / 2**30:.1f} GiB for an image in {name}: {free / 2**30:.1f} GiB are free. "
            "Load it with a smaller img_size, or close other programs."
        )


def measure(model: Transformer, output: AttentionOutput) -> dict[str, Tensor]:
    """Compute the statistics that are averaged over images, for one batch; the attention may be left to be computed."""
    config = model.config
    tokens = None if config.is_captured else require_full(output)[1]
    distances = patch_distances(config)  # (N, N)
    found, rows, sinks = [], [], []
    for layer, weights in enumerate(attention_by_layer(model, output)):
        found.append(layer_distance(weights, distances, config))
        rows.append(cls_attention(weights, config))
        if tokens is not None:
            sinks.append(layer_sinks(model, layer, weights, tokens[layer]))
    output = AttentionOutput(output.logits, torch.stack(rows), () if tokens is None else list(tokens))
    entropy, effective = attention_entropy(output, config)
    of_attention = {
        "distance": torch.stack(found),
        "entropy": entropy,
        "effective_tokens": effective,
        "head_divergence": head_divergence(output, config),
    }
    if tokens is None:
        return of_attention
    norms = token_norms(output)  # (L + 1, B, T)
    return of_attention | {
        "norms": norms.mean(1),
        "longest": norms[..., config.num_prefix_tokens :].amax(-1).mean(1),
        "outliers": outliers(norms, config.num_prefix_tokens).float().mean(1),
        "class_token_cosine": class_token_cosine(output, config),
        "products": layer_products(output, config.num_prefix_tokens),
        **stack_sinks(sinks),
    }
