"""Tuned lens of the patches: what does each patch already know of the prediction after each layer?

After each layer, softmax(W x + b) of a patch token x estimates the class that the model predicts for the image (Belrose
et al. 2023, arXiv 2303.08112: "Eliciting Latent Predictions from Transformers with the Tuned Lens"). There, an affine
map is trained by gradients towards the model's own output distribution, and the model's head follows it; here W and b
are one affine map to the classes, in closed form: linear discriminant analysis, the probabilities of Gaussians with one
covariance. The plain logit lens (nostalgebraist 2020) applies the head itself, which has never seen patch tokens.

Accuracy is not localization: in the last layers every patch knows of the whole image. So the lens states both, on
images that were held out. Letters in shape comments are those of `vitviz.models.vit`; index 0 of the layers is the
input of the first block.
"""

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import ForwardContext
from vitviz.attribution.stored import places
from vitviz.attribution.targets import TargetLike, find_target
from vitviz.data.preprocessing import resize_images
from vitviz.files import atomic_write, is_regular_file, resolve_link
from vitviz.models.attention_stats import max_batch_size
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.modes import own_modes
from vitviz.models.weights import weights_sha256

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation

Array = NDArray[np.float32]
NUM_IMAGES = 2500  # of which four in five are fit
MIN_IMAGES = 10
RIDGE = 1e-3  # of the mean variance, added to each
MIN_VARIANCE = 1e-6  # of the mean square, added to the mean variance: equal tokens have none
ENDING = ".lens.npz"


@dataclass(frozen=True)
class TunedLens:
    """Probes of the patch tokens after each layer; see `vitviz.tuned_lens`.

    Attributes:
        weight: W, (L + 1, K, D).
        bias: b, (L + 1, K); minus infinity for a class that the model predicted for no image.
        accuracy: Fraction of the held-out patches whose most probable class is the predicted one, (L + 1,).
        localization: Of mosaics, each of the left half of a held-out image and the right half of another one: the AUROC
            of the difference of both classes' logits for the side of the patch, mean, (L + 1,); 0.5 is chance. NaN if
            the model predicts one class for all.
        plain_localization: The same of the plain logit lens; NaN where the head does not read one token.
        images: Number of images that were fit.
        held_out: Number of other ones.
        dataset: Name of the images.
        model: Name of the model.
        sha256: Of its weights, as of `vitviz.models.weights.weights_sha256`.
    """

    weight: Array
    bias: Array
    accuracy: Array
    localization: Array
    plain_localization: Array
    images: int
    held_out: int
    dataset: str
    model: str
    sha256: str

    def probabilities(self, explanation: "Explanation") -> Array:
        """Return the probabilities of the classes at each patch, (L + 1, N, K), in 0..1; 0 for removed patches.

        Raises:
            ValueError: If the lens is of another model.
        """
        context = explanation.context
        if weights_sha256(context.model) != self.sha256:
            raise ValueError(
                f"The tuned lens must be that of the same weights: it is of {self.model} (SHA-256 {self.sha256[:8]}), "
                f"not of {context.checkpoint.name} ({weights_sha256(context.model)[:8]})."
            )
        return self.of_context(context)

    def of_context(self, context: ForwardContext) -> Array:
        """Return `probabilities`, also of the same model with rounded weights."""
        tokens = cast(Any, context.output.tokens)[:, 0, context.prefix :].float().cpu().numpy()  # without removed ones
        logits = tokens @ self.weight.swapaxes(1, 2) + self.bias[:, None]  # (L + 1, N, K)
        weights = np.exp(logits - logits.max(-1, keepdims=True))
        found = np.zeros((len(tokens), context.config.num_patches, logits.shape[-1]), np.float32)
        found[:, context.kept_tokens[context.prefix :]] = weights / weights.sum(-1, keepdims=True)
        return found

    def maps(self, explanation: "Explanation", target: TargetLike | None = None) -> Array:
        """Return the probability of a class at each patch, (L + 1, gh, gw), by default of the predicted class.

        Raises:
            ConfigError: If the class does not exist.
            ValueError: If the lens is of another model.
        """
        chosen = find_target(explanation.context, target)
        found = self.probabilities(explanation)[..., chosen[0] if isinstance(chosen, tuple) else chosen]
        return found.reshape(-1, *explanation.context.grid)

    def describe(self) -> dict[str, Any]:
        """Return what was measured, as in `vitviz.webapp.schemas.explanations.TunedLens`, for JSON."""
        measured = {name: getattr(self, name) for name in ("accuracy", "localization", "plain_localization")}
        lists = {name: None if np.isnan(one).any() else one.tolist() for name, one in measured.items()}
        return lists | {"images": self.images, "held_out": self.held_out, "dataset": self.dataset}

    def save(self, path: str | Path) -> Path:
        """Write the lens to a .npz file and return its path."""
        with atomic_write(resolve_link(Path(path))) as file:
            np.savez_compressed(file, **asdict(self))
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> "TunedLens":
        """Read a lens that `save` wrote.

        Raises:
            ValueError: If the file is not one.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                values = {name: stored[name] for name in cls.__dataclass_fields__}
            return cls(**{name: one if one.ndim else one.item() for name, one in values.items()})
        except (KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"A lens must be a file of `TunedLens.save`: {path!s:.80} is not.") from error


def choose_images(images: Tensor, count: int = NUM_IMAGES) -> Tensor:
    """Return so many images of a dataset (n, 3, h, w), drawn with a fixed seed, or all if there are fewer."""
    return images[torch.randperm(len(images), generator=torch.Generator().manual_seed(0))[:count]]


def find_lens(checkpoint: Checkpoint) -> TunedLens | None:
    """Return the lens next to the file of a model, or in the cache folder; None if there is none of these weights."""
    for path in places(checkpoint, ENDING):
        if is_regular_file(path):
            found = TunedLens.load(path)
            if found.sha256 == weights_sha256(checkpoint.network):
                return found
    return None


def lens_in_file(checkpoint: Checkpoint) -> tuple[dict[str, Any], dict[str, Tensor]] | None:
    """Return the lens of a model as `vitviz.models.rounding.to_file` takes it; None if it has none."""
    found = find_lens(checkpoint) if checkpoint.is_classifier else None
    if found is None:
        return None
    return found.describe(), {name: torch.from_numpy(getattr(found, name)) for name in ("weight", "bias")}


def require_lens(checkpoint: Checkpoint) -> TunedLens:
    """Return `find_lens`; ValueError if there is none."""
    check(checkpoint)
    if (found := find_lens(checkpoint)) is None:
        raise ValueError(
            f"There is no tuned lens of these weights of {checkpoint.name}. Fit one: vitviz lens MODEL, or "
            "vitviz.tuned_lens(model, images)."
        )
    return found


def check(checkpoint: Checkpoint, count: int = MIN_IMAGES) -> None:
    """Raise CapturedModelError or ValueError for a model without lens, or too few images."""
    checkpoint.require_blocks("the tuned lens")
    if not checkpoint.is_classifier:
        raise ValueError(f"The tuned lens estimates the predicted class: {checkpoint.name} predicts none.")
    if count < MIN_IMAGES:
        raise ValueError(f"The tuned lens needs {MIN_IMAGES} images, better {NUM_IMAGES:,}: got {count}.")


@own_modes()
@torch.inference_mode()
def fit(
    checkpoint: Checkpoint,
    images: Tensor,
    dataset: str = "",
    report: Callable[[int, int], None] = lambda done, total: None,
) -> TunedLens:
    """Fit the lens in one forward pass of each image, and measure it on the last fifth of them.

    Args:
        checkpoint: A classifier.
        images: uint8 (n, 3, h, w), resized to the model's input as its own preprocessing does; at least 10.
        dataset: Their name.
        report: Called with the number of images done and of all; an exception from it stops the computation.

    Raises:
        CapturedModelError: If the model is captured.
        ValueError: If it predicts no class, or there are fewer images.
    """
    check(checkpoint, len(images))
    count, (K, D, L) = len(images) - len(images) // 5, (getattr(checkpoint.config, one) for one in SIZES)
    sums, second = torch.zeros(L + 1, K, D, dtype=torch.float64), torch.zeros(L + 1, D, D, dtype=torch.float64)
    sizes = torch.zeros(K, dtype=torch.float64)
    for done, _, tokens, predicted in forward(checkpoint, images[:count]):
        report(done, len(images))
        classes = torch.nn.functional.one_hot(predicted, K).double()  # (B, K)
        sums += torch.einsum("bk,lbnd->lkd", classes, tokens.double())
        rows = tokens.double().flatten(1, 2)  # (L + 1, B N, D)
        second += rows.mT @ rows
        sizes += tokens.shape[2] * classes.sum(0)
    weight, bias = discriminants(sums, second, sizes)
    measured = measure(checkpoint, images[count:], weight, bias, lambda done: report(count + done, len(images)))
    accuracy, localization, plain = (one.float().numpy() for one in measured)
    return TunedLens(
        weight.numpy(),
        bias.numpy(),
        accuracy,
        localization,
        plain,
        images=count,
        held_out=len(images) - count,
        dataset=dataset,
        model=checkpoint.name,
        sha256=weights_sha256(checkpoint.network),
    )


SIZES = ("num_classes", "embed_dim", "depth")


def forward(checkpoint: Checkpoint, images: Tensor) -> Iterator[tuple[int, Tensor, Tensor, Tensor]]:
    """Yield batch by batch the images before it, its inputs, patch tokens (L + 1, B, N, D) and predictions (B,)."""
    config, done = checkpoint.config, 0
    for part in images.split(max_batch_size(config)) if len(images) else ():
        inputs = resize_images(part, config.img_size, checkpoint.resize)
        output = checkpoint.network.forward_with_attention(checkpoint.normalize(inputs), "tokens")
        tokens = torch.stack([one[:, config.num_prefix_tokens :].float().cpu() for one in output.layer_tokens])
        yield done, inputs, tokens, output.logits.argmax(-1).cpu()
        done += len(part)


def discriminants(sums: Tensor, second: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
    """Return W (L + 1, K, D) and b (L + 1, K) of linear discriminant analysis (Hastie et al. 2009, section 4.3).

    Args:
        sums: Of the tokens of each class, (L + 1, K, D).
        second: Sums of the products of their coordinates, (L + 1, D, D).
        sizes: Number of tokens of each class, (K,).
    """
    means = torch.where(sizes[:, None] > 0, sums / sizes[:, None], sums.sum(1, keepdim=True) / sizes.sum())
    within = (second - sums.mT @ means) / sizes.sum()  # covariance within the classes
    variance, square = (one.diagonal(dim1=1, dim2=2).mean(-1) for one in (within, second / sizes.sum()))
    within.diagonal(dim1=1, dim2=2).add_(RIDGE * (variance + MIN_VARIANCE * square)[:, None])
    weight = torch.linalg.solve(within, means.mT).mT
    bias = (sizes / sizes.sum()).log() - (weight * means).sum(-1) / 2
    of_all = weight.mean(1, keepdim=True)  # what all classes share changes no probability, but is large
    offset = bias[:, sizes > 0].mean(1, keepdim=True)
    return (weight - of_all).float(), (bias - offset).float()


def measure(
    checkpoint: Checkpoint, images: Tensor, weight: Tensor, bias: Tensor, report: Callable[[int], None]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return accuracy, localization and that of the plain logit lens, each (L + 1,), on images that were held out."""
    correct, known, inputs = torch.zeros(len(weight)), [], []
    for done, resized, tokens, predicted in forward(checkpoint, images):
        report(done)
        found = (tokens.flatten(1, 2) @ weight.mT + bias[:, None]).argmax(-1).view(tokens.shape[:3])
        correct += (found == predicted[:, None]).sum((1, 2))
        inputs.append(resized)
        known.append(predicted)
    patches = len(images) * checkpoint.config.num_patches
    left, classes = torch.cat(inputs), torch.cat(known)
    right, others = left.roll(-1, 0), classes.roll(-1)
    middle = left.shape[-1] // 2
    pairs = torch.stack([classes, others], 1)  # (n, 2)
    chosen = (classes != others) & bias[0][pairs].isfinite().all(1)
    mosaics, pairs = torch.cat([left[..., :middle], right[..., middle:]], -1)[chosen], pairs[chosen]
    sums, plain = torch.zeros(2, len(weight), dtype=torch.float64)
    for start, _, tokens, _ in forward(checkpoint, mosaics):
        part, grid = pairs[start : start + tokens.shape[1]], checkpoint.config.grid_size
        logits = (tokens.flatten(1, 2) @ weight.mT + bias[:, None]).view(*tokens.shape[:3], -1)
        sums += side_auroc(logits, part, grid)
        plain += side_auroc(plain_logits(checkpoint, tokens), part, grid)
    return correct / patches, sums / len(pairs), plain / len(pairs)


def plain_logits(checkpoint: Checkpoint, tokens: Tensor) -> Tensor:
    """Return the plain logit lens of patch tokens (L + 1, B, N, D), (L + 1, B, N, K); NaN if the head reads others."""
    if not reads_one_token(checkpoint):
        return torch.full((*tokens.shape[:3], checkpoint.config.num_classes), torch.nan)
    flat = tokens.to(checkpoint.weight).reshape(-1, 1, tokens.shape[-1])
    return checkpoint.network.forward_head(flat).float().cpu().view(*tokens.shape[:3], -1)


def reads_one_token(checkpoint: Checkpoint) -> bool:
    """Whether the classification head reads the class token alone, so that it can be applied to a patch token."""
    config = checkpoint.config
    return config.global_pool == "token" and not config.distilled and config.num_classes > 0


def side_auroc(logits: Tensor, pairs: Tensor, grid: tuple[int, int]) -> Tensor:
    """Return how well the logit of the left class minus that of the right one tells the side of a patch.

    Args:
        logits: Of mosaics, (L + 1, B, N, K).
        pairs: Left and right class of each, (B, 2).
        grid: (gh, gw); a column in the middle is left out.

    Returns:
        Sum of the AUROC over the mosaics, (L + 1,).
    """
    chosen = logits.gather(-1, pairs[None, :, None].expand(*logits.shape[:3], 2))  # (L + 1, B, N, 2)
    difference = (chosen[..., 0] - chosen[..., 1]).unflatten(-1, grid)  # (L + 1, B, gh, gw)
    half = grid[1] // 2
    left, right = difference[..., :half].flatten(2), difference[..., -half:].flatten(2)
    compared = (left[..., None] - right[..., None, :]).sign()  # (L + 1, B, gh half, gh half)
    return ((1 + compared.double()) / 2).mean((-2, -1)).sum(1)
