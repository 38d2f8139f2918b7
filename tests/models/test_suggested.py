"""Suggested models: their facts are those of timm and transformers."""

import pytest
import torch

from vitviz.models.suggested import SUGGESTED

TIMM = [one for one in SUGGESTED if one.name.startswith("timm:")]
OTHERS = [one for one in SUGGESTED if not one.name.startswith("timm:")]


@pytest.mark.parametrize("model", TIMM, ids=lambda model: model.title)
def test_facts_are_those_of_timm(model):
    timm = pytest.importorskip("timm")
    name = model.name.removeprefix("timm:")
    config = timm.get_pretrained_cfg(name)
    with torch.device("meta"):
        network = timm.create_model(name)
    assert sum(weight.numel() for weight in network.parameters()) == model.parameters
    assert config.input_size == (3, model.img_size, model.img_size)
    assert config.license == model.license.lower().replace(" ", "-")


@pytest.mark.parametrize("model", OTHERS, ids=lambda model: model.title)
def test_parameters_are_those_of_transformers(model):
    transformers = pytest.importorskip("transformers")
    kind = "Dinov2WithRegisters" if "registers" in model.name else "Dinov2"
    width = 768 if model.name.endswith("base") else 384
    config = getattr(transformers, f"{kind}Config")(
        hidden_size=width, num_attention_heads=width // 64, image_size=518, patch_size=14
    )
    with torch.device("meta"):
        network = getattr(transformers, f"{kind}Model")(config)
    assert sum(weight.numel() for weight in network.parameters()) == model.parameters


def test_each_model_is_suggested_once():
    assert len({model.name for model in SUGGESTED}) == len({model.title for model in SUGGESTED}) == len(SUGGESTED) == 12
