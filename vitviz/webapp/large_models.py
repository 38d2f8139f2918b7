"""What the pages skip for a large model: whatever takes a forward pass per patch."""

from vitviz.attribution.faithfulness import N_RANDOM, STEPS, deletion_steps
from vitviz.attribution.perturbation_maps import NUM_POINTS
from vitviz.models.attention_stats import forward_macs
from vitviz.models.config import ViTConfig

MAX_MACS = 5e12  # of one forward pass per patch: some minutes on two cores; occlusion and scores take as many
MANY_PASSES = ("occlusion", "integrated_gradients")
SKIPPED = (
    "This model is large: scores and the maps that take many forward passes are left out here. Use ex.score and ex.map "
    "in Python."
)


def maps_passes(config: ViTConfig) -> int:
    """Return about how many images pass through the network for all maps: occlusion, and a path of gradients."""
    return config.num_patches + NUM_POINTS[0]


def scores_passes(config: ViTConfig, num_maps: int) -> int:
    """Return about how many images pass through the network for the scores of maps and of random rankings."""
    rankings = num_maps + N_RANDOM // 2
    return 2 * rankings * (len(deletion_steps(config.num_patches, STEPS)) - 2) + 4


def skip_reason(config: ViTConfig) -> str | None:
    """Return why scores and the maps of `MANY_PASSES` are left out; None if they are not, or there are none."""
    is_large = config.num_classes > 0 and forward_macs(config) * config.num_patches > MAX_MACS
    return SKIPPED if is_large else None
