"""The preprocessing of models of timm and transformers is that of the library."""

import json

import numpy as np
import pytest
import timm
import transformers
from PIL import Image

import vitviz
from tests.errors import refuses
from tests.models.families import saved
from vitviz.data.preprocessing import Resize, preprocess
from vitviz.models.checkpoint import Preprocessing

GRADIENT = np.stack(np.broadcast_arrays(np.linspace(0, 255, 300)[None], np.linspace(0, 255, 200)[:, None], 0), -1)


def test_preprocessing_comes_from_the_files(tmp_path):
    processor = {
        "size": {"shortest_edge": 64},
        "crop_size": {"height": 48, "width": 48},
        "do_center_crop": True,
        "resample": 3,
        "image_mean": [0.1, 0.2, 0.3],
        "image_std": [0.4, 0.5, 0.6],
    }
    folder = saved("CLIP", tmp_path / "clip")
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))
    found = vitviz.load(folder).preprocessing
    assert found == Preprocessing((48, 48), (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), "bicubic", 0.75, "center")
    (folder / "preprocessor_config.json").write_text(json.dumps(processor | {"crop_size": {"height": 48, "width": 32}}))
    with refuses("crop_size"):
        vitviz.load(folder)
    found = vitviz.load(saved("timm ViT", tmp_path / "timm")).preprocessing
    assert found == Preprocessing((32, 32), (0.5,) * 3, (0.5,) * 3, "bicubic", 0.9, "center")
    squashing = {"size": {"height": 32, "width": 32}, "resample": 2}
    (folder / "preprocessor_config.json").write_text(json.dumps(squashing))
    assert vitviz.load(folder).resize == Resize("bilinear", 1.0, "squash")


def input_of(image, **processor):
    """Return the input (H, W, 3), in 0..255, that an image processor of transformers makes."""
    class_name = processor.pop("image_processor_type")
    pixels = getattr(transformers, class_name)(**processor, do_normalize=False)(image, return_tensors="np")
    return 255 * pixels["pixel_values"][0].transpose(1, 2, 0)


@pytest.mark.parametrize(
    ("name", "processor", "resize"),
    [
        ("ViT", {"image_processor_type": "ViTImageProcessor", "size": 32}, Resize("bilinear", 1.0, "squash")),
        (
            "DeiT",
            {"image_processor_type": "DeiTImageProcessor", "size": 64, "crop_size": 32, "do_center_crop": True},
            Resize("bicubic", 0.5, "squash"),
        ),
        (
            "CLIP",
            {"image_processor_type": "CLIPImageProcessor", "size": 32, "crop_size": 32, "do_center_crop": True},
            Resize("bicubic", 1.0, "center"),
        ),
    ],
)
def test_what_an_old_processor_file_omits_is_the_default_of_its_class(name, processor, resize, tmp_path):
    folder = saved(name, tmp_path / "model")
    (folder / "preprocessor_config.json").write_text(json.dumps(processor | {"do_normalize": False}))
    model = vitviz.load(folder)
    assert (model.resize, model.mean, model.std) == (resize, (0.0,) * 3, (1.0,) * 3)
    image = Image.fromarray(GRADIENT.astype(np.uint8))
    ours = np.asarray(preprocess(image, (32, 32), resize=resize).model_input).astype(float)
    np.testing.assert_allclose(ours, input_of(image, **processor), rtol=0, atol=3)


@pytest.mark.parametrize(
    ("name", "resize", "statistics"),
    [
        ("ViT", Resize("bilinear", 1.0, "squash"), "INCEPTION"),
        ("DINOv3", Resize("bilinear", 1.0, "squash"), "DEFAULT"),
        ("SigLIP", Resize("bicubic", 1.0, "squash"), "INCEPTION"),
        ("DINOv2", Resize("bicubic", 1.0, "center"), "DEFAULT"),
    ],
)
def test_without_a_processor_file_the_preprocessing_is_that_of_the_family(name, resize, statistics, tmp_path):
    model = vitviz.load(saved(name, tmp_path / "model"))
    mean, std = (getattr(timm.data, f"IMAGENET_{statistics}_{kind}") for kind in ("MEAN", "STD"))
    assert (model.resize, model.mean, model.std) == (resize, mean, std)


def test_the_processor_file_of_transformers_5_comes_first(tmp_path):
    folder = saved("SigLIP", tmp_path / "siglip")
    (folder / "preprocessor_config.json").write_text(json.dumps({"size": {"height": 32, "width": 32}, "resample": 2}))
    (folder / "processor_config.json").write_text(json.dumps({"processor_class": "SiglipProcessor"}))
    assert vitviz.load(folder).resize.interpolation == "bilinear"
    image_processor = {"size": {"height": 32, "width": 32}, "resample": 1, "image_mean": [0.1, 0.2, 0.3]}
    (folder / "processor_config.json").write_text(json.dumps({"image_processor": image_processor}))
    model = vitviz.load(folder)
    assert (model.resize, model.mean) == (Resize("lanczos", 1.0, "squash"), (0.1, 0.2, 0.3))


def test_the_image_is_squashed_and_cropped_as_by_timm():
    image = Image.fromarray(GRADIENT.astype(np.uint8))
    transform = timm.data.create_transform(
        (3, 96, 96), interpolation="bicubic", crop_pct=0.75, crop_mode="squash", mean=(0,) * 3, std=(1,) * 3
    )
    ours = np.asarray(preprocess(image, (96, 96), resize=Resize("bicubic", 0.75, "squash")).model_input).astype(float)
    np.testing.assert_allclose(ours, 255 * transform(image).permute(1, 2, 0).numpy(), rtol=0, atol=2)
