"""What was measured of a model over many images, and goes with it into a file for the browser."""

import torch

from vitviz.attribution import image_statistics
from vitviz.attribution.tuned_lens import lens_in_file
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.rounding import Measured


def in_file(checkpoint: Checkpoint) -> dict[str, Measured]:
    """Return the tuned lens and the mean query of the class token, as far as they were measured."""
    found = {"lens": lens_in_file(checkpoint), "question": question_in_file(checkpoint)}
    return {part: one for part, one in found.items() if one is not None}


def question_in_file(checkpoint: Checkpoint) -> Measured | None:
    """Return the mean query of the class token, (L, A, d), and its numbers; None if they are unknown."""
    found = image_statistics.load(checkpoint) if checkpoint.config.class_token else None
    if found is None:
        return None
    return found.question, {"class_query": torch.from_numpy(found.factors.class_query)}
