"""Exported folders load in timm and transformers with equal logits, and again in vitviz with the same config."""

import json
from dataclasses import replace

import numpy as np
import pytest
import timm
import torch
import transformers
from PIL import Image

import vitviz
from tests.models import families
from vitviz.data.preprocessing import Resize, preprocess, to_tensor
from vitviz.models.checkpoint import Checkpoint, CheckpointError
from vitviz.models.config import ViTConfig
from vitviz.models.export import export
from vitviz.models.hub import load
from vitviz.models.vit import ViT

MEAN, STD = (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)
PIXELS = families.images(families.SQUARE, torch.float32)
NOT_IN_TIMM = {  # transformers' own epsilon, or class token and mean of the patches
    *("ViT", "ViT without head", "ViT-MAE", "DeiT", "distilled DeiT"),
    *("DINOv2", "DINOv2 with registers"),
}
IN_TRANSFORMERS = {
    **dict.fromkeys(("timm ViT", "timm DeiT", "ViT", "timm DINO", "ViT without head", "ViT-MAE"), "ViT"),
    **dict.fromkeys(("timm distilled DeiT", "distilled DeiT"), "DeiT"),
    **dict.fromkeys(("timm DINOv2", "timm DINOv2 giant", "timm DINOv2 with registers"), "Dinov2"),
    **dict.fromkeys(("DINOv2", "DINOv2 giant", "DINOv2 with registers"), "Dinov2"),
    **dict.fromkeys(("DINOv3", "DINOv3 plus"), "DINOv3"),
    **dict.fromkeys(("CLIP", "CLIP without projection"), "CLIP"),
    **dict.fromkeys(("timm SigLIP", "timm SigLIP 2", "SigLIP", "SigLIP fine-tune", "timm ViT, mean"), "Siglip"),
}


@pytest.mark.parametrize("name", families.BUILDERS)
@torch.no_grad()
def test_timm_loads_a_folder_with_equal_logits(name, tmp_path):
    model = load(families.build(name, dtype=torch.float32))
    try:
        export(model, tmp_path, "timm")
    except CheckpointError:
        assert name in NOT_IN_TIMM
        return
    assert name not in NOT_IN_TIMM
    other = timm.create_model(f"local-dir:{tmp_path}", pretrained=True).eval()
    torch.testing.assert_close(other(PIXELS), model.network(PIXELS), rtol=1e-5, atol=1e-5)
    again = load(tmp_path)
    assert again.config == model.config
    assert torch.equal(again.network(PIXELS), model.network(PIXELS))


@pytest.mark.parametrize("name", families.BUILDERS)
@torch.no_grad()
def test_transformers_loads_a_folder_with_equal_logits(name, tmp_path):
    model = load(families.build(name, dtype=torch.float32))
    try:
        class_name = export(model, tmp_path, "hf")
    except CheckpointError:
        assert name not in IN_TRANSFORMERS
        return
    assert class_name.startswith(IN_TRANSFORMERS[name])
    other = getattr(transformers, class_name).from_pretrained(tmp_path).eval()
    output = other(PIXELS)
    found = getattr(output, "logits", None)
    found = getattr(output, "image_embeds", None) if found is None else found
    if found is None:
        found = output.last_hidden_state[:, 0] if class_name == "ViTModel" else output.pooler_output
    torch.testing.assert_close(found, model.network(PIXELS), rtol=1e-5, atol=1e-5)
    again = load(tmp_path)
    assert torch.equal(again.network(PIXELS), model.network(PIXELS))


def model_of(config=None, **options):
    """Return a checkpoint with random weights, labels and preprocessing."""
    torch.manual_seed(0)
    config = config or ViTConfig(img_size=(32, 48), patch_size=8, embed_dim=24, num_heads=3, depth=2, num_classes=3)
    config = replace(config, **options)
    network = ViT(config).eval()
    torch.nn.init.normal_(network.head.weight)
    record = {"source": {"license": "mit"}}
    return Checkpoint("mine", network, ("a", "b", "c"), MEAN, STD, record, Resize("bilinear", 0.5, "center"))


@torch.no_grad()
def test_labels_preprocessing_license_and_a_wide_size_are_kept_by_timm(tmp_path):
    model = model_of(reg_tokens=4, class_token=False, global_pool="avg", init_values=1e-5)
    export(model, tmp_path, "timm")
    other = timm.create_model(f"local-dir:{tmp_path}", pretrained=True).eval()
    data = timm.data.resolve_model_data_config(other)
    assert [tuple(data[key]) for key in ("input_size", "mean", "std")] == [(3, 32, 48), MEAN, STD]
    assert (data["interpolation"], data["crop_pct"], data["crop_mode"]) == ("bilinear", 0.5, "center")
    assert other.pretrained_cfg["label_names"] == ["a", "b", "c"]
    again = load(tmp_path)
    assert (again.labels, again.preprocessing) == (model.labels, model.preprocessing)
    assert again.record["source"]["license"] == "mit"
    pixels = families.images((32, 48), torch.float32)
    torch.testing.assert_close(other(pixels), model.network(pixels), rtol=0, atol=1e-5)


@pytest.mark.parametrize(("crop_mode", "crop_pct"), [("center", 0.5), ("squash", 1.0), ("squash", 0.5)])
@torch.no_grad()
def test_an_image_has_the_same_prediction_in_transformers(crop_mode, crop_pct, tmp_path):
    """From the file: `AutoImageProcessor` and `AutoModelForImageClassification` find what they need."""
    model = model_of(img_size=(32, 32), qk_norm=False, qkv_bias=True)
    model = replace(model, resize=Resize("bilinear", crop_pct, crop_mode))
    export(model, tmp_path, "hf")
    processor = transformers.AutoImageProcessor.from_pretrained(tmp_path, backend="pil")
    other = transformers.AutoModelForImageClassification.from_pretrained(tmp_path).eval()
    image = Image.fromarray(
        np.kron(np.random.default_rng(0).integers(0, 256, (4, 4, 3)), np.ones((32, 32, 1))).astype("u1")
    )
    pixels = processor(image, return_tensors="pt")["pixel_values"]
    ours = to_tensor(preprocess(image, (32, 32), resize=model.resize).model_input)
    inner = (..., slice(2, -2), slice(2, -2))  # the filter of transformers reads pixels outside of the crop
    torch.testing.assert_close(model.normalize(ours[None])[inner], pixels[inner], rtol=0, atol=0.02)
    torch.testing.assert_close(other(pixels).logits, model.network(pixels), rtol=0, atol=1e-5)
    assert other.config.id2label == {0: "a", 1: "b", 2: "c"}
    again = load(tmp_path)
    assert (again.labels, again.preprocessing) == (model.labels, model.preprocessing)


@torch.no_grad()
def test_the_bundled_model_is_exported_to_timm_and_refused_by_transformers(tmp_path):
    model = vitviz.load("cifar10-ti4", device="cpu")
    assert export(model, tmp_path / "timm", "timm") == "vit_base_patch16_224"
    other = timm.create_model(f"local-dir:{tmp_path / 'timm'}", pretrained=True).eval()
    torch.testing.assert_close(other(PIXELS), model.network(PIXELS), rtol=0, atol=1e-5)
    with pytest.raises(
        CheckpointError, match="No ViT of transformers has the config of cifar10-ti4: the nearest, "
    ) as e:
        export(model, tmp_path / "hf", "hf")
    assert e.value.field in ("qk_norm", "reg_tokens")
    assert not (tmp_path / "hf").exists()


def test_weights_that_are_not_finite_are_not_exported(tmp_path):
    model = model_of()
    model.network.head.bias.data[0] = torch.inf
    with pytest.raises(CheckpointError, match="Every weight must be finite"):
        export(model, tmp_path / "timm", "timm")
    assert not (tmp_path / "timm").exists()


def test_the_folder_has_plain_json_and_safetensors(tmp_path):
    export(model_of(img_size=(32, 32), qk_norm=False), tmp_path, "hf")
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "config.json",
        "model.safetensors",
        "preprocessor_config.json",
    ]
    assert json.loads((tmp_path / "config.json").read_text())["architectures"] == ["ViTForImageClassification"]
