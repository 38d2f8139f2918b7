"""Exported folders load in timm, in transformers by timm, and again in vitviz, with equal logits."""

import json
from dataclasses import replace

import pytest
import timm
import torch
import transformers

import vitviz
from tests.models import families
from vitviz.data.preprocessing import Resize
from vitviz.errors import CheckpointError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.export import export
from vitviz.models.hub import load
from vitviz.models.vit import ViT

MEAN, STD = (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)
PIXELS = families.images(families.SQUARE, torch.float32)
NOT_IN_TIMM = {  # transformers' own epsilon, or class token and mean of the patches
    *("ViT", "ViT without head", "ViT-MAE", "DeiT", "distilled DeiT", "I-JEPA", "I-JEPA fine-tune"),
    *("DINOv2", "DINOv2 with registers"),
    *("timm Perception Encoder", "timm Perception Encoder G", "timm map pooling of all tokens"),  # in another class
    *("timm BEiT", "timm BEiT v2", "BEiT", "BEiT, shared", "data2vec"),  # relative position bias
}


@pytest.mark.parametrize("name", families.BUILDERS)
@torch.no_grad()
def test_timm_loads_a_folder_with_equal_logits(name, tmp_path):
    model = load(families.build(name, dtype=torch.float32))
    try:
        export(model, tmp_path)
    except CheckpointError:
        assert name in NOT_IN_TIMM
        return
    assert name not in NOT_IN_TIMM
    other = timm.create_model(f"local-dir:{tmp_path}", pretrained=True).eval()
    logits = model.network(PIXELS)
    torch.testing.assert_close(other(PIXELS), logits, rtol=1e-5, atol=families.rounding(logits))
    again = load(tmp_path)
    assert again.config == model.config
    assert torch.equal(again.network(PIXELS), model.network(PIXELS))


def model_of(config=None, **options):
    """Return a checkpoint with random weights, labels and preprocessing."""
    torch.manual_seed(0)
    config = config or ViTConfig(img_size=(32, 48), patch_size=8, embed_dim=24, num_heads=3, depth=2, num_classes=3)
    config = replace(config, **options)
    network = ViT(config).eval()
    torch.nn.init.normal_(network.head.weight)
    record = {"pretrained": {"license": "mit"}}
    return Checkpoint("mine", network, ("a", "b", "c"), MEAN, STD, record, Resize("bilinear", 0.5, "center"))


@torch.no_grad()
def test_labels_preprocessing_license_and_a_wide_size_are_kept_by_timm(tmp_path):
    model = model_of(reg_tokens=4, class_token=False, global_pool="avg", init_values=1e-5)
    export(model, tmp_path)
    other = timm.create_model(f"local-dir:{tmp_path}", pretrained=True).eval()
    data = timm.data.resolve_model_data_config(other)
    assert [tuple(data[key]) for key in ("input_size", "mean", "std")] == [(3, 32, 48), MEAN, STD]
    assert (data["interpolation"], data["crop_pct"], data["crop_mode"]) == ("bilinear", 0.5, "center")
    assert other.pretrained_cfg["label_names"] == ["a", "b", "c"]
    again = load(tmp_path)
    assert (again.labels, again.preprocessing) == (model.labels, model.preprocessing)
    assert again.record["pretrained"]["license"] == "mit"
    pixels = families.images((32, 48), torch.float32)
    torch.testing.assert_close(other(pixels), model.network(pixels), rtol=0, atol=1e-5)


@torch.no_grad()
def test_transformers_loads_a_folder_of_timm_with_equal_logits(tmp_path):
    model = model_of()
    export(model, tmp_path)
    other = transformers.AutoModelForImageClassification.from_pretrained(tmp_path).eval()
    pixels = families.images((32, 48), torch.float32)
    torch.testing.assert_close(other(pixels).logits, model.network(pixels), rtol=0, atol=1e-5)
    assert other.config.id2label == {0: "a", 1: "b", 2: "c"}


@torch.no_grad()
def test_the_bundled_model_is_exported(tmp_path):
    model = vitviz.load("cifar10-ti4", device="cpu")
    assert export(model, tmp_path) == "vit_base_patch16_224"
    other = timm.create_model(f"local-dir:{tmp_path}", pretrained=True).eval()
    torch.testing.assert_close(other(PIXELS), model.network(PIXELS), rtol=0, atol=1e-5)


def test_a_config_that_timm_has_not_is_refused(tmp_path):
    with pytest.raises(CheckpointError) as e:
        export(model_of(eps=1e-3), tmp_path / "timm")
    assert e.value.field == "eps"
    assert not (tmp_path / "timm").exists()


def test_weights_that_are_not_finite_are_not_exported(tmp_path):
    model = model_of()
    model.network.head.bias.data[0] = torch.inf
    with pytest.raises(CheckpointError, match="Every weight must be finite"):
        export(model, tmp_path / "timm")
    assert not (tmp_path / "timm").exists()


def test_the_folder_has_plain_json_and_safetensors(tmp_path):
    export(model_of(), tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["config.json", "model.safetensors"]
    assert json.loads((tmp_path / "config.json").read_text())["architecture"] == "vit_base_patch16_224"
