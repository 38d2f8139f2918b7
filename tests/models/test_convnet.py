"""The convolutional teacher: its sizes by hand, each image by itself, and no attention to be asked for."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from vitviz import explain
from vitviz.attribution.probes import probe
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model

CONFIG = ViTConfig(architecture="convnet", img_size=(20, 28), embed_dim=6, depth=3, num_heads=1, num_classes=tiny.K)


@pytest.fixture
def teacher() -> Checkpoint:
    torch.manual_seed(0)
    model = create_model(CONFIG).eval()
    torch.nn.init.normal_(model.head.weight)
    return Checkpoint("teacher", model, tuple("abcdefghijk"), (0.5, 0.5, 0.5), (0.2, 0.2, 0.2), {})


def test_its_parameters_by_hand(teacher):
    stem = 6 * (3 * 9 + 1)
    first = 6 * 6 * 9 + 6 * 6 * 9
    second, third = 24 * 6 * 9 + 24 * 24 * 9, 24 * 24 * 9 + 24 * 24 * 9
    norms = 2 * (6 + 6 + 24 + 24 + 24 + 24)
    head = 11 * (24 + 1)
    assert sum(p.numel() for p in teacher.network.parameters()) == stem + first + second + third + norms + head


def test_each_block_halves_the_image(teacher):
    sizes = []
    for block in teacher.network.blocks:
        block.register_forward_hook(lambda block, given, found: sizes.append(tuple(found.shape)))
    assert teacher.network(tiny.images()).shape == (8, 11)
    assert sizes == [(8, 6, 10, 14), (8, 24, 5, 7), (8, 24, 2, 3)]


def test_what_it_says_of_a_image_does_not_depend_on_the_others(teacher):
    images = tiny.images()
    model = teacher.network.train()
    one_by_one = torch.cat([model(image[None]) for image in images])
    torch.testing.assert_close(model(images), one_by_one, rtol=0, atol=1e-4)
    assert one_by_one.std(0).min() > 0.01, "images differ"


def test_it_starts_undecided_and_can_learn_two_images_by_heart():
    torch.manual_seed(0)
    model, images, labels = create_model(CONFIG), tiny.images(batch=2), torch.tensor([3, 7])
    assert not model(images).any()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(30):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    assert model(images).argmax(1).tolist() == [3, 7]


def test_it_comes_back_from_its_file(teacher, tmp_path):
    checkpoint.save(teacher, tmp_path / "teacher.safetensors")
    again = checkpoint.load(tmp_path / "teacher.safetensors")
    assert again.model.config == CONFIG
    assert torch.equal(again.model(tiny.images()), teacher.network(tiny.images()))


@pytest.mark.parametrize("asked", [{"want": "rows"}, {"want": "full"}])
def test_attention_is_not_to_be_had(teacher, asked):
    with pytest.raises(ValueError, match="Only attention can be looked at: a convnet has none"):
        teacher.network.forward_with_attention(tiny.images(), **asked)


def test_patches_and_heads_are_not_to_be_had(teacher):
    for asked in ({"keep": torch.zeros(8, 2, dtype=torch.long)}, {"head_masks": [None] * 3}):
        with pytest.raises(ValueError, match="a convnet has none"):
            teacher.network(tiny.images(), **asked)


def test_it_is_refused_where_attention_is_explained(teacher):
    image = np.zeros((20, 28, 3), np.uint8)
    with pytest.raises(ValueError, match=r"a convnet has none, and only teaches\. Choose a Vision Transformer"):
        explain(teacher, image)
    with pytest.raises(ValueError, match="a convnet has none"):
        probe(teacher, torch.zeros(2, 3, 20, 28, dtype=torch.uint8))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"depth": 5}, r"Each block of a convnet halves the image: 20 x 28 pixels are too few for 5\. Lower depth"),
        ({"dropout": 0.1}, "dropout is only known to the tutorials' networks"),
        ({"registers": 2}, "registers, pool, init_values and drop_path are not known to convnet"),
    ],
)
def test_what_it_cannot_be_is_refused(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(CONFIG, **changes)


def test_what_only_a_transformer_has_is_not_asked_of_it():
    config = ViTConfig(architecture="convnet", img_size=(30, 512), embed_dim=50, depth=3)  # 6 heads, patches of 4
    assert create_model(config)(torch.zeros(2, 3, 30, 512)).shape == (2, 10)
