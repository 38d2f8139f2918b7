"""Sample images: one per class, drawn by code."""

import numpy as np
import pytest
from PIL import Image

from vitviz.data import preprocessing, samples
from vitviz.data.cifar import CLASSES


def test_there_is_one_sample_per_class_in_alphabetical_order():
    assert list(preprocessing.sample_paths()) == sorted(CLASSES)


def test_a_sample_is_a_small_image_with_contrast(subtests):
    for name in CLASSES:
        with subtests.test(name=name):
            sample = preprocessing.preprocess(preprocessing.sample_paths()[name], (32, 32))
            assert sample.original.size == (96, 96)
            assert sample.model_input.size == (32, 32)
            assert np.asarray(sample.model_input).std() > 20


@pytest.mark.parametrize("name", ["bird", "horse", "ship"])
def test_the_mask_is_that_of_the_drawn_object(name):
    with Image.open(preprocessing.SAMPLES / "masks" / f"{name}.png") as stored:
        drawn = np.asarray(stored)
    inside = {"bird": (35, 60), "horse": (45, 35), "ship": (60, 40)}[name]
    outside = {"bird": (77, 85), "horse": (45, 90), "ship": (70, 80)}[name]  # branch, fence and wave
    assert (drawn[inside], drawn[outside]) == (True, False)


def test_large_inputs_get_the_same_drawing_with_more_pixels(subtests):
    for name in CLASSES:
        with subtests.test(name=name):
            path = preprocessing.sample_paths()[name]
            large = preprocessing.preprocess(path, (224, 224))
            assert large.note == "resized from 384 × 384 to 224 × 224"
            assert preprocessing.preprocess(path, (96, 96)).note == "original size, 96 × 96"
            assert (preprocessing.SAMPLES / "large" / f"{name}.jpg").stat().st_size <= 30_000
            with Image.open(path) as small:
                shrunk = np.asarray(large.model_input.resize((24, 24), Image.Resampling.BOX)).astype(int)
                difference = shrunk - np.asarray(small.convert("RGB").resize((24, 24), Image.Resampling.BOX))
            assert np.abs(difference).mean() < 3


def test_the_photographs_are_small_squares_with_source_and_license():
    sources = (samples.FOLDER / "LICENSES.md").read_text(encoding="utf-8")
    assert {path.name for path in samples.FOLDER.glob("*.jpg")} == {f"{name}.jpg" for name in samples.PHOTOS}
    assert not samples.photo_paths().keys() & preprocessing.sample_paths().keys()
    for name, path in samples.photo_paths().items():
        assert path.stat().st_size <= 40_000
        with Image.open(path) as image:
            assert image.size == (256, 256)
        assert f"`{name}.jpg`" in sources
        author = samples.PHOTOS[name].credit.split(",")[0]
        assert author in sources
        assert samples.PHOTOS[name].credit.endswith(("CC0", "public domain"))


def test_the_mean_over_the_samples_is_that_of_the_drawings():
    assert len(preprocessing.load_samples((32, 32))) == len(CLASSES)
    assert list(samples.example_paths()) == [*preprocessing.sample_paths(), *samples.PHOTOS]
