"""The convolutional teacher: number of parameters, independence of images, and refusal where attention is needed."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from tests.errors import refuses
from vitviz import explain
from vitviz.attribution.probes import probe
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ConvNetConfig
from vitviz.models.factory import create_model

CONFIG = ConvNetConfig(img_size=(20, 28), embed_dim=6, depth=3, num_classes=tiny.K)
NO_ATTENTION = r"must be a Vision Transformer: a convnet has no attention\. It can only be used as a teacher"


@pytest.fixture
def teacher() -> Checkpoint:
    torch.manual_seed(0)
    model = create_model(CONFIG).eval()
    torch.nn.init.normal_(model.head.weight)
    return Checkpoint("teacher", model, tuple("abcdefghijk"), (0.5, 0.5, 0.5), (0.2, 0.2, 0.2), {})


def test_number_of_parameters_by_hand(teacher):
    stem = 24 * 3 * 2 * 2
    first = 6 * 24 * 9 + 6 * 6 * 9
    second, third = 18 * 6 * 9 + 18 * 18 * 9, 18 * 18 * 9 + 18 * 18 * 9
    norms = 6 + 6 + 18 + 18 + 18 + 18
    head = 11 * 18
    assert sum(p.numel() for p in teacher.network.parameters()) == stem + first + second + third + norms + head


def test_each_block_halves_the_image(teacher):
    shapes = []
    for block in teacher.network.blocks:
        block.register_forward_hook(lambda block, inputs, output: shapes.append(tuple(output.shape)))
    assert teacher.network(tiny.images()).shape == (8, 11)
    assert shapes == [(8, 6, 9, 13), (8, 18, 4, 6), (8, 18, 2, 3)]


def test_the_logits_of_an_image_do_not_depend_on_the_batch_in_eval_mode(teacher):
    images = tiny.images()
    separate = torch.cat([teacher.network(image[None]) for image in images])
    torch.testing.assert_close(teacher.network(images), separate, rtol=0, atol=1e-4)
    assert separate.std(0).min() > 0.01, "images must differ"


def test_convolutions_start_as_identities_of_their_first_channels():
    block = create_model(CONFIG).blocks[1]
    x = torch.randn(2, 6, 9, 13)
    torch.testing.assert_close(block.conv1(x)[:, :6], x)
    x = torch.randn(2, 18, 4, 6)
    torch.testing.assert_close(block.conv2(x), x)


def test_the_stem_whitens_patches():
    torch.manual_seed(0)
    colors = torch.randn(3, 3)
    images = torch.einsum("bchw,dc->bdhw", torch.randn(200, 3, 12, 16), colors)  # correlated channels
    model = create_model(CONFIG)
    model.init_whitening(images)
    outputs = model.stem(images)[:, :12].transpose(0, 1).flatten(1)  # (12, n)
    torch.testing.assert_close(outputs @ outputs.T / outputs.shape[1], torch.eye(12), rtol=0, atol=0.1)
    torch.testing.assert_close(model.stem(images)[:, 12:], -model.stem(images)[:, :12])
    assert not model.stem.weight.requires_grad


def test_two_images_can_be_overfitted():
    torch.manual_seed(0)
    model, images, labels = create_model(CONFIG), tiny.images(batch=2), torch.tensor([3, 7])
    model.init_whitening(images)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 1e-2)
    for _ in range(30):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    assert model(images).argmax(1).tolist() == [3, 7]


def test_it_can_be_saved_and_loaded(teacher, tmp_path):
    checkpoint.save(teacher, tmp_path / "teacher.safetensors")
    loaded = checkpoint.load(tmp_path / "teacher.safetensors")
    assert loaded.config == CONFIG
    assert torch.equal(loaded.network(tiny.images()), teacher.network(tiny.images()))


@pytest.mark.parametrize("attentions", ["cls", "full"])
def test_attention_is_refused(teacher, attentions):
    with pytest.raises(ValueError, match=NO_ATTENTION):
        teacher.network.forward_with_attention(tiny.images(), attentions)


def test_patch_dropout_and_head_masks_are_refused(teacher):
    for options in ({"keep": torch.zeros(8, 2, dtype=torch.long)}, {"interventions": [None] * 3}):
        with pytest.raises(ValueError, match=NO_ATTENTION):
            teacher.network(tiny.images(), **options)


def test_explain_and_probe_refuse_it(teacher):
    image = np.zeros((20, 28, 3), np.uint8)
    with pytest.raises(ValueError, match=NO_ATTENTION):
        explain(teacher, image)
    with pytest.raises(ValueError, match=NO_ATTENTION):
        probe(teacher, torch.zeros(2, 3, 20, 28, dtype=torch.uint8))


@pytest.mark.parametrize("changes", [{"depth": 5}, {"embed_dim": 0}, {"img_size": (20,)}, {"architecture": "vit"}])
def test_an_invalid_config_is_refused(changes):
    with refuses(*changes):
        replace(CONFIG, **changes)


def test_sizes_need_not_be_multiples_of_heads_or_patches():
    config = ConvNetConfig(img_size=(30, 512), embed_dim=50, depth=3)
    assert create_model(config)(torch.zeros(2, 3, 30, 512)).shape == (2, 10)
