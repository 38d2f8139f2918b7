"""A model in training -> what it looked at on the way.

At about `snapshots` moments, closer together at the start, the class token's rows of all layers and heads and the
predictions of a few fixed pictures are kept, so that a page can show attention forming.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from vitviz.model.architectures import Network
from vitviz.model.checkpoint import atomic_write


@dataclass
class Timeline:
    """Snapshots of a few pictures (S moments, P pictures) during a training.

    Args:
        names: Of the P pictures.
        images: (P, 3, H, W), normalised.
        snapshots: How many moments (S) to keep.
    """

    names: list[str]
    images: Tensor
    snapshots: int
    rows: list[np.ndarray] = field(default_factory=list)
    probabilities: list[np.ndarray] = field(default_factory=list)
    moments: list[tuple[float, float]] = field(default_factory=list)

    def due(self, share: float) -> bool:
        """Whether the next snapshot is due at this share of the budget: moment i is at (i / (S - 1)) ** 2."""
        taken = len(self.moments)
        return taken < self.snapshots and share >= (taken / max(1, self.snapshots - 1)) ** 2

    @torch.no_grad()
    def take(self, model: Network, epoch: float, seconds: float) -> None:
        """Keep what the model sees now, at a time counted in epochs and in seconds of training."""
        trace = model.trace(self.images, "rows")
        self.rows.append(trace.attention.transpose(0, 1).half().cpu().numpy())  # (P, L, A, T)
        self.probabilities.append(trace.logits.float().softmax(-1).cpu().numpy())  # (P, K)
        self.moments.append((epoch, seconds))

    def restore(self, path: Path, epoch: float) -> None:
        """Take back the moments up to this epoch from a file that `save` wrote."""
        with np.load(path) as held:
            kept = held["epoch"] <= np.float32(epoch)
            self.rows, self.probabilities = list(held["rows"][kept]), list(held["probabilities"][kept])
            self.moments = list(zip(held["epoch"][kept].tolist(), held["seconds"][kept].tolist(), strict=True))

    def save(self, path: Path) -> None:
        """Write rows (S, P, L, A, T) in float16, probabilities (S, P, K), epoch (S,), seconds (S,) and names (P,)."""
        epochs, seconds = np.array(self.moments, np.float32).T
        rows, probabilities, names = np.stack(self.rows), np.stack(self.probabilities), np.array(self.names)
        with atomic_write(path) as file:
            np.savez_compressed(
                file, rows=rows, probabilities=probabilities, epoch=epochs, seconds=seconds, names=names
            )
