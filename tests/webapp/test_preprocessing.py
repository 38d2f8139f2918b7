"""Every way to an image uses the crop and the filter of the model, not those of training."""

from dataclasses import replace

import pytest
import torch

import vitviz
from tests import tiny
from vitviz import cli
from vitviz.data import cifar, datasets
from vitviz.data.preprocessing import Resize, load_samples, resize_images
from vitviz.training import evaluation, predictions
from vitviz.webapp import explanations
from vitviz.webapp.inputs import Inputs
from vitviz.webapp.probes import ModelProbes

SIZE, RESIZE = (tiny.H, tiny.W), Resize("nearest", 0.5)
MODEL = replace(tiny.checkpoint(), resize=RESIZE)
IMAGES = torch.from_numpy(tiny.pixels(32, 32)).permute(2, 0, 1)[None]


def test_the_central_part_is_cropped_also_from_images_of_the_right_size():
    images = torch.arange(8 * 8 * 3, dtype=torch.uint8).view(1, 3, 8, 8)
    cropped = resize_images(images, (8, 8), RESIZE)
    assert torch.equal(cropped, images[..., 2:6, 2:6].repeat_interleave(2, -1).repeat_interleave(2, -2))
    assert resize_images(images, (8, 8)) is images
    assert resize_images(images, (8, 8), Resize(crop_mode="squash")) is images
    squashed = resize_images(images, (8, 8), Resize("nearest", 0.5, "squash"))
    assert torch.equal(squashed, cropped)


def test_internals_and_the_command_line_probe_the_preprocessed_samples():
    expected = load_samples(SIZE, RESIZE)
    assert not torch.equal(expected, load_samples(SIZE))
    assert torch.equal(ModelProbes(Inputs()).images(MODEL, "samples")[0], expected)
    assert torch.equal(cli.load_probe_images(MODEL, None, 5)[0], expected)


def test_head_means_are_over_the_preprocessed_samples(monkeypatch):
    seen = []
    monkeypatch.setattr(explanations, "mean_head_outputs", lambda model, images: seen.append(images))
    explanations.head_means(MODEL)
    assert torch.equal(seen[0], load_samples(SIZE, RESIZE))


def test_the_gallery_predicts_preprocessed_images(monkeypatch):
    seen = []
    monkeypatch.setattr(predictions, "predict", lambda model, images: seen.append(images) or torch.zeros(1, tiny.K))
    predictions.compute_predictions(MODEL, IMAGES)
    assert torch.equal(seen[0], resize_images(IMAGES, SIZE, RESIZE))


@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_a_test_set_is_loaded_with_the_preprocessing_of_the_model(cifar_folder):
    model = replace(tiny.checkpoint(replace(tiny.CONFIG, num_classes=10)), resize=RESIZE, labels=cifar.CLASSES)
    images, _, _ = evaluation.load_test_set(model, "cifar10", str(cifar_folder))
    plain = datasets.load("cifar10", cifar_folder, (32, 32), ("test",)).splits["test"][0]
    assert torch.equal(images, resize_images(plain, SIZE, RESIZE))
    assert not torch.equal(images, resize_images(plain, SIZE))


def test_an_explained_image_names_crop_and_filter():
    explanation = vitviz.explain(MODEL, "cat")
    assert explanation.image.note == "cropped to 28:20 of the central 50 %, resized from 96 × 96 to 28 × 20 (nearest)"
