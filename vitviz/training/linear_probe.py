"""Linear probe: a linear head for own classes on the frozen features of a model.

Alain & Bengio 2016 (arXiv 1610.01644). The features are the input of the last layer of the model's own head, or what it
returns without one. The new head is multinomial logistic regression with L2 penalty, fitted to convergence: that of
scikit-learn's `LogisticRegression(C, class_weight="balanced")` after a `StandardScaler`. Letters in shape comments: n
images, F features, K classes, G groups.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.data import image_folder
from vitviz.data.image_folder import MAX_CLASS_NAME, MAX_CLASSES
from vitviz.data.images import Images, as_batch, read_batch
from vitviz.errors import ConfigError, DataError, InvalidValueError
from vitviz.models.accuracy import wilson_interval
from vitviz.models.checkpoint import Checkpoint, create_meta_model, use_weights
from vitviz.models.features import compute_features
from vitviz.models.hub import as_checkpoint
from vitviz.models.modes import own_modes
from vitviz.models.vit import Transformer
from vitviz.training.predictions import hash_images

# Weight of the loss relative to the penalty, as in scikit-learn: within 1 % of the best for DINOv2-S with 1 to 50
# images a class of CIFAR-10 (`python -m benchmarks linear-probe`). Wrong labels are found better with a larger penalty.
C = 0.1
C_FOR_LABELS = 0.01
MAX_FOLDS = 10
GRADIENT_TOLERANCE = 1e-5  # largest component of the gradient at the end of a fit
MAX_ITERATIONS = 10_000
# Cosine of the standardized features of two images above which they count as copies. Of CIFAR-10 images in the features
# of DINOv2-S and of cifar10-ti4, 88 to 100 % of shifted and brightened copies are above it, and up to 0.6 % of others.
COPY_SIMILARITY = 0.9
BLOCK = 1000  # rows of a matrix of similarities in memory
OF_REPOSITORY = ("repository", "revision")  # of the backbone's weights, which are not those of the model with the head
NO_RECORD: Mapping[str, Any] = {}


@dataclass(frozen=True)
class LinearHead:
    """A linear layer, float64: weight (K, F) and bias (K,)."""

    weight: Tensor
    bias: Tensor

    def logits(self, features: Tensor) -> Tensor:
        """Return the logits (n, K) of features (n, F)."""
        return features.to(self.weight) @ self.weight.T + self.bias


@dataclass(frozen=True)
class CrossValidation:
    """Predictions for images by heads that were fitted without their groups.

    Attributes:
        probabilities: (n, K); NaN for images that could not be held out.
        groups: Group of each image, (n,).
        untestable: Classes whose images are all in one group, so that they cannot be held out.
        correct: Number of correct predictions.
        total: Number of images that were held out.
        interval: 95 % interval of the accuracy, 0..1: Wilson's, for as many independent images as tell as much as the
            groups (Rao & Scott 1992, doi:10.2307/2532311).
    """

    probabilities: Tensor
    groups: Tensor
    untestable: tuple[int, ...]
    correct: int
    total: int
    interval: tuple[float, float]


def linear_probe(
    model: Checkpoint | nn.Module,
    images: Mapping[str, Images] | str | Path,
    *,
    c: float = C,
    name: str = "linear-probe",
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Checkpoint:
    """Teach a model own classes: fit a linear head on its features, which stay as they are.

    Args:
        model: From `load` or `train`, or a module that `load` takes; it may have no head.
        images: Images of each class by its name, as for `explain`; or an image folder, or a zip of one, of which all
            images are used, or those for training if it has train and test folders.
        c: Weight of the images relative to the L2 penalty, `C` of scikit-learn's `LogisticRegression`.
        name: Name of the result.
        report: Called after each batch with the number of images whose features are computed, and of all.

    Returns:
        A classifier with the same backbone. `record["linear_probe"]` has the number of images of each class and the
        accuracy on images that were held out in cross-validation; near copies are held out together.

    Raises:
        CapturedModelError: If the model is captured.
        ConfigError: If there are fewer than two classes or more than 1,000, or `c` is not positive.
        DataError: If a class has no image, or two classes have the same one.
        ImageError: If an image is not accepted.
    """
    if not (isinstance(c, int | float) and 0 < c < math.inf):
        raise InvalidValueError("c", "a number above 0", c)
    checkpoint = as_checkpoint(model)
    checkpoint.require_blocks("a linear probe")
    classes, pixels, labels = read_classes(checkpoint, images)
    done = 0

    def count(batch: int) -> None:
        nonlocal done
        done += batch
        report(done, len(labels))

    features = compute_features(checkpoint, pixels, count)
    groups = group_copies(features, [str(i) for i in range(len(labels))])
    validation = cross_validate(features, labels, groups, c)
    record = describe_fit(classes, labels, c, validation)
    return with_head(checkpoint, fit(features, labels, c), classes, name, record)


def read_classes(
    checkpoint: Checkpoint, images: Mapping[str, Images] | str | Path
) -> tuple[tuple[str, ...], Tensor, Tensor]:
    """Return class names, images at the model's input size, uint8 (n, 3, H, W), and labels (n,); see `linear_probe`."""
    size, resize = checkpoint.config.img_size, checkpoint.resize
    if isinstance(images, str | Path):
        locations, summary = image_folder.read_all(images, size, resize)
        image_folder.check_num_classes(summary, str(images))
        classes, splits = summary.classes, summary.images.splits
        used = list(splits.values()) if summary.auto_split else [splits["train"]]
        pixels = torch.cat([part for part, _ in used])
        labels = torch.cat([summary.labels(names, locations) for _, names in used])
    elif isinstance(images, Mapping):
        check_classes(tuple(images))
        batches = [read_batch(as_batch(batch), size, resize) for batch in images.values()]
        classes, pixels = tuple(images), torch.cat([torch.empty(0, 3, *size, dtype=torch.uint8), *batches])
        labels = torch.arange(len(classes)).repeat_interleave(torch.tensor([len(batch) for batch in batches]))
    else:
        raise InvalidValueError("images", "a mapping of class names to images, or an image folder", images)
    check_classes(classes)
    for label, count in zip(classes, labels.bincount(minlength=len(classes)).tolist(), strict=True):
        if not count:
            raise DataError(
                f"Each class needs an image: {label!r} has none.", "Add one, or remove the class.", "images"
            )
    seen: dict[bytes, str] = {}
    for image, k in zip(pixels, labels.tolist(), strict=True):
        if (other := seen.setdefault(hash_images(image[None]), classes[k])) != classes[k]:
            raise DataError(
                f"An image must be in one class: {other!r} and {classes[k]!r} have the same.",
                "Remove it from one of them.",
                "images",
            )
    return classes, pixels, labels


@own_modes()
def fit(features: Tensor, labels: Tensor, c: float = C, start: LinearHead | None = None) -> LinearHead:
    """Fit a head: multinomial logistic regression on standardized features, with balanced class weights.

    Args:
        features: (n, F).
        labels: Classes from 0 to K - 1, each at least once, (n,).
        c: Weight of the loss relative to the penalty: the objective is c times the weighted sum of cross-entropies plus
            half of the squared weights.
        start: A head that may be near; the result does not depend on it.

    Returns:
        The head for features that are not standardized.
    """
    x, K = features.double(), int(labels.max()) + 1
    mean, std = mean_and_std(x)
    x = (x - mean) / std
    class_weight = len(labels) / (K * labels.bincount(minlength=K).double())
    scale = c / 2 if K == 2 else c  # scikit-learn's sigmoid has one weight vector where the softmax has two
    if start is None or start.weight.shape != (K, x.shape[1]):
        start = LinearHead(x.new_zeros(K, x.shape[1]), x.new_zeros(K))
    weight = (start.weight * std).requires_grad_()
    bias = (start.bias + start.weight @ mean).requires_grad_()
    optimizer = torch.optim.LBFGS(
        [weight, bias],
        max_iter=MAX_ITERATIONS,
        tolerance_grad=GRADIENT_TOLERANCE,
        tolerance_change=0,
        line_search_fn="strong_wolfe",
    )

    def objective() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(x @ weight.T + bias, labels, class_weight, reduction="sum")
        total = scale * loss + weight.square().sum() / 2
        total.backward()
        return total

    optimizer.step(objective)
    weight, bias = weight.detach() / std, bias.detach()
    return LinearHead(weight, bias - weight @ mean)


def mean_and_std(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation of features (n, F), each (F,), with 1 for a constant feature."""
    mean, std = x.mean(0), x.std(0, correction=0)
    return mean, torch.where(std > 1e-9 * mean.abs(), std, 1.0)  # a constant one has rounding errors


def group_copies(features: Tensor, sources: Sequence[str]) -> Tensor:
    """Return the group of each image, (n,), from 0: images of one source, and near copies, are in one group.

    Features are standardized first: those of many models lie in a narrow cone, where all images of a class are similar.

    Args:
        features: (n, F).
        sources: Name of the recording, upload or file of each image.
    """
    numbers = {source: number for number, source in enumerate(dict.fromkeys(sources))}
    source = torch.tensor([numbers[name] for name in sources])  # (n,)
    mean, std = mean_and_std(features.double())
    unit = F.normalize((features.double() - mean) / std, dim=-1).float()  # (n, F)
    groups = torch.arange(len(numbers))  # of each source
    before = torch.empty(0)
    while not groups.equal(before):  # the smallest number spreads over all that are linked
        before = groups.clone()
        for rows, own in zip(unit.split(BLOCK), source.split(BLOCK), strict=True):
            is_copy = rows @ unit.T > COPY_SIMILARITY  # (block, n)
            smallest = torch.where(is_copy, groups[source], len(numbers)).amin(1)
            groups.scatter_reduce_(0, own, smallest, "amin")
    return groups[source].unique(return_inverse=True)[1]


def cross_validate(
    features: Tensor,
    labels: Tensor,
    groups: Tensor,
    c: float = C,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> CrossValidation:
    """Predict each image by a head that was fitted without its group, in at most `MAX_FOLDS` folds of whole groups.

    Args:
        features: (n, F).
        labels: As for `fit`.
        groups: From `group_copies`, (n,).
        c: As for `fit`.
        report: Called before each fold with the number of folds done and of all; an exception from it ends the work.
    """
    K = int(labels.max()) + 1
    untestable = tuple(k for k in range(K) if len(groups[labels == k].unique()) == 1)
    folds = assign_folds(labels, groups, untestable)
    probabilities = torch.full((len(labels), K), math.nan, dtype=torch.float64)
    start = fit(features, labels, c)
    for fold in range(count := int(folds.max()) + 1):
        report(fold, count)
        held_out = folds == fold
        if len(labels[~held_out].unique()) == K:
            head = fit(features[~held_out], labels[~held_out], c, start)
            probabilities[held_out] = head.logits(features[held_out]).softmax(-1)
    tested = ~probabilities.isnan().any(1)
    hits = probabilities[tested].argmax(1) == labels[tested]
    interval = clustered_interval(hits, groups[tested])
    return CrossValidation(probabilities, groups, untestable, int(hits.sum()), len(hits), interval)


def find_mislabeled(validation: CrossValidation, labels: Tensor) -> Tensor:
    """Return the images that are likely of another class than their label, and that class, (m, 2), most likely first.

    Confident learning (Northcutt et al. 2021, arXiv 1911.00068, section 3): a held-out probability counts as confident
    if it is at least the mean probability of its class over the images with that label.
    """
    probabilities = validation.probabilities.nan_to_num(0)  # (n, K)
    tested = ~validation.probabilities.isnan().any(1)
    own = probabilities.gather(1, labels[:, None])  # (n, 1)
    of_class = (labels[:, None] == torch.arange(probabilities.shape[1])) & tested[:, None]  # (n, K)
    thresholds = (of_class * own).sum(0) / of_class.sum(0)  # (K,); NaN for a class that is untestable
    best, other = probabilities.where(probabilities >= thresholds, -1).max(1)
    found = (tested & (best >= 0) & (other != labels)).nonzero().flatten()
    order = (best - own[:, 0])[found].argsort(descending=True, stable=True)
    return torch.stack([found, other[found]], 1)[order]


def assign_folds(labels: Tensor, groups: Tensor, untestable: Sequence[int]) -> Tensor:
    """Return the fold of each image, (n,): folds of whole groups, in which each class is spread as evenly as possible.

    The fold is -1 for groups with images of an untestable class, which are never held out.
    """
    counts = torch.zeros(int(groups.max()) + 1, int(labels.max()) + 1, dtype=torch.float64)  # (G, K)
    counts.index_put_((groups, labels), torch.ones_like(labels, dtype=torch.float64), accumulate=True)
    fraction, sizes = counts / counts.sum(0), counts.sum(1)  # of each class in each group, (G, K); (G,)
    testable = ((sizes > 0) & ~counts[:, list(untestable)].any(1)).nonzero().flatten()
    order = testable[sizes[testable].argsort(descending=True, stable=True)].tolist()
    held = torch.zeros(min(MAX_FOLDS, len(order)), counts.shape[1], dtype=torch.float64)  # fraction of classes in folds
    folds = torch.full((len(counts),), -1)
    for group in order:
        own = counts[group] > 0
        # A class is never held out as a whole where that can be avoided; of equal folds the smallest is chosen.
        costs = (held[:, own] + fraction[group, own]).amax(1) + 1e-6 * held.sum(1)
        folds[group] = costs.argmin()
        held[folds[group]] += fraction[group]
    return folds[groups]


def clustered_interval(hits: Tensor, groups: Tensor) -> tuple[float, float]:
    """Return the 95 % interval of an accuracy, from hits (n,) in groups; see `CrossValidation.interval`."""
    n = len(hits)
    if n == 0:
        return 0.0, 1.0
    sizes = groups.bincount().double()
    accuracy, G = float(hits.double().mean()), int((sizes > 0).sum())
    effective = float(G)
    if G > 1 and 0 < accuracy < 1:
        residuals = groups.bincount(hits.double()) - accuracy * sizes
        variance = G / (G - 1) * float(residuals.square().sum()) / n**2
        effective = n * accuracy * (1 - accuracy) / (n - 1) / max(variance, 1e-12)
    return wilson_interval(accuracy, min(max(effective, 1), n))


@own_modes()
def with_head(
    model: Checkpoint, head: LinearHead, classes: Sequence[str], name: str, record: Mapping[str, Any] = NO_RECORD
) -> Checkpoint:
    """Return a model of the same backbone, whose tensors it shares, with a linear head for other classes.

    Args:
        model: The backbone; its own head, if any, is left out.
        head: From `fit`, on features of this model.
        classes: K names.
        name: Name of the model.
        record: What the head was fitted to, as by `describe_fit`.

    Raises:
        ConfigError: If the names are not K different ones.
    """
    check_classes(classes)
    if len(classes) != len(head.bias):
        raise ConfigError(
            "classes", f"must be one name per class of the head: got {len(classes)}, not {len(head.bias)}"
        )
    backbone = {"name": model.name} | {key: model.pretrained[key] for key in OF_REPOSITORY if key in model.pretrained}
    pretrained = {key: value for key, value in model.pretrained.items() if key not in OF_REPOSITORY}
    own = {"linear_probe": {"backbone": backbone, **record}} | ({"pretrained": pretrained} if pretrained else {})
    network = replace_head(model.network, head)
    return replace(model, name=name, network=network, labels=tuple(classes), record=own, files=())


def describe_fit(classes: Sequence[str], labels: Tensor, c: float, validation: CrossValidation) -> dict[str, Any]:
    """Return what a head was fitted to, for the record of its model: images of each class, c and held-out accuracy."""
    images = dict(zip(classes, labels.bincount(minlength=len(classes)).tolist(), strict=True))
    held_out = {"correct": validation.correct, "total": validation.total, "interval": list(validation.interval)}
    return {"images": images, "c": c, "cross_validation": held_out}


def check_classes(classes: Sequence[str]) -> None:
    """Check the names of own classes.

    Raises:
        ConfigError: If there are fewer than two or too many, or one is empty, too long or given twice.
    """
    if not 2 <= len(classes) <= MAX_CLASSES:
        raise ConfigError("classes", f"must be 2 to {MAX_CLASSES:,}: got {len(classes):,}", "A head needs two classes.")
    for name in classes:
        if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > MAX_CLASS_NAME:
            raise ConfigError(
                "classes", f"must have names of 1 to {MAX_CLASS_NAME} printable characters: got {name!r:.120}"
            )
        if list(classes).count(name) > 1:
            raise ConfigError("classes", f"must have different names: {name!r} is given twice", "Rename one of them.")


def replace_head(network: Transformer, head: LinearHead) -> Transformer:
    """Return a network that shares the tensors of another one but for its head.

    Both heads of a distilled network become the new one: the features are the mean of both tokens.
    """
    weights, config = network.state_dict(), replace(network.config, multi_label=False, num_classes=0)
    backbone = {name: weights[name] for name in create_meta_model(config).state_dict()}
    created = create_meta_model(replace(config, num_classes=len(head.bias)))
    parts = {"weight": head.weight, "bias": head.bias}
    like = next(network.parameters())
    added = {
        name: parts[name.rpartition(".")[2]].to(like, copy=True) for name in created.state_dict().keys() - backbone
    }
    return use_weights(created, backbone | added)
