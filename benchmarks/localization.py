"""Localization: does a map lie on the object? Measured on the sample images, whose objects are known as they are drawn.

A model may rightly use the background, so that a faithful map can lie beside the object: read it next to faithfulness.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vitviz.attribution.context import ForwardContext, Target
from vitviz.data.preprocessing import SAMPLES, crop_and_resize, preprocess, sample_paths, to_tensor
from vitviz.errors import InvalidValueError
from vitviz.models.checkpoint import Checkpoint

Array = NDArray[np.float32]
UNIFORM = "uniform map"  # relevance mass of equal values: the fraction of the image that the object covers


def pointing_game(values: NDArray[Any], mask: NDArray[Any]) -> bool:
    """Return whether the largest value is on the object (Zhang et al. 2018, arXiv 1608.00507, section 4.1).

    `values` and `mask`, the fraction of each patch that the object covers, in 0..1, have the same shape. The object
    must cover at least half of the patch.
    """
    return bool(np.ravel(mask)[np.argmax(values)] >= 0.5)


def relevance_mass(values: NDArray[Any], mask: NDArray[Any]) -> float:
    """Fraction of the positive values that is on the object (Arras et al. 2022, arXiv 2003.07258, section 3.3).

    Arguments as of `pointing_game`.

    Returns:
        In 0..1; 0 without a positive value. A uniform map has the fraction of the image that the object covers.
    """
    positive = np.maximum(np.asarray(values, np.float64), 0)
    total = positive.sum()
    return float((positive * mask).sum() / total) if total else 0.0


def sample_mask(name: str, checkpoint: Checkpoint) -> Array:
    """Return the fraction of each patch that the object of a sample image covers, (gh, gw), in 0..1.

    Raises:
        ValueError: If there is no sample image of this name, or the network has no patches.
    """
    if name not in sample_paths():
        raise InvalidValueError("name", f"one of {', '.join(sample_paths())}", name)
    config = checkpoint.network.config
    (gh, gw), (H, W) = config.grid_size, config.img_size
    with Image.open(SAMPLES / "masks" / f"{name}.png") as stored:
        resized = crop_and_resize(stored.convert("RGB"), (H, W), 0.5, checkpoint.resize)
    pixels = to_tensor(resized)[0].numpy() / np.float32(255)  # (H, W)
    found: Array = pixels.reshape(gh, H // gh, gw, W // gw).mean((1, 3))
    return found


def on_samples(
    checkpoint: Checkpoint, methods: Mapping[str, Callable[[ForwardContext, Target], Array]]
) -> dict[str, dict[str, list[float]]]:
    """Measure both on all sample images, for their class, or for the predicted class if the model does not have it.

    Returns:
        For each method "pointing game" (whether it points at the object) and "relevance mass", a value per image; last
        that of `UNIFORM`.
    """
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name, path in sample_paths().items():
        image = preprocess(path, checkpoint.config.img_size, resize=checkpoint.resize).model_input
        context = ForwardContext(checkpoint, checkpoint.normalize(to_tensor(image)[None])[0])
        mask = sample_mask(name, checkpoint).ravel()
        labels = checkpoint.labels
        target = labels.index(name) if name in labels else int(context.logits.argmax())
        for key, compute in methods.items():
            values = compute(context, target)
            found[key]["pointing game"].append(pointing_game(values, mask))
            found[key]["relevance mass"].append(relevance_mass(values, mask))
        found[UNIFORM]["relevance mass"].append(float(mask.mean()))
    return {key: dict(columns) for key, columns in found.items()}
