"""Descriptions of models for the lists of the page."""

from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ModelConfig, ViTConfig
from vitviz.models.facts import ARCHITECTURES, family, origin
from vitviz.webapp.schemas.common import ModelInfo


def describe_model(model: Checkpoint) -> ModelInfo:
    """Describe a model that is in memory, as `list_bundled` does."""
    found = describe(
        model.name,
        model.config,
        model.record.get("test_accuracy"),
        checkpoint.eval_samples(model.record),
        "test",
        model.is_classifier,
    )
    return found | {"family": family(model), "source": origin(model)}


def describe(
    name: str, config: ModelConfig, accuracy: float | None, eval_samples: int | None, split: str, is_classifier: bool
) -> ModelInfo:
    """Describe a model for the page."""
    return {
        "name": name,
        "origin": "shipped",
        "family": ARCHITECTURES.get(config.architecture, config.architecture),
        "parameters": checkpoint.count_parameters(config),
        "classes": config.num_classes,
        "dataset": None,
        "layers": config.depth,
        "heads": config.num_heads if isinstance(config, ViTConfig) else 0,
        "accuracy": accuracy,
        "eval_samples": eval_samples,
        "measured_on": split,
        "is_classifier": is_classifier,
        "source": "",
    }
