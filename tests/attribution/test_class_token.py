"""The swap of the class token, against loops over blocks and known answers."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from tests.models import families
from vitviz.attribution import class_token
from vitviz.attribution.class_token import swap_contexts, swap_curve
from vitviz.attribution.context import ForwardContext
from vitviz.models.config import ViTConfig


def contexts(config: ViTConfig) -> list[ForwardContext]:
    checkpoint = tiny.checkpoint(config)
    return [ForwardContext(checkpoint, image) for image in tiny.images(batch=2)]


def swap_by_hand(a: ForwardContext, b: ForwardContext) -> list[np.ndarray]:
    """Return the logits after each swap, block by block."""
    model, found = a.model, []
    with torch.no_grad():
        for swapped in range(a.config.depth + 1):
            x, other = model.embed_images(a.image[None]), model.embed_images(b.image[None])
            for layer in range(a.config.depth + 1):
                if layer == swapped:
                    x[:, : 1 + a.config.distilled] = other[:, : 1 + a.config.distilled]
                if layer < a.config.depth:
                    x, other = model.run_block(layer, x)[0], model.run_block(layer, other)[0]
            found.append(model.forward_head(x)[0].numpy())
    return found


CONFIGS = {
    **{name: tiny.VARIANTS[name] for name in ("plain", "qk norm", "two registers", "layer scale")},
    "distilled": replace(tiny.CONFIG, distilled=True),
    "no head": replace(tiny.CONFIG, num_classes=0),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_the_swap_equals_a_loop_over_the_blocks_and_is_exact_at_both_ends(config):
    a, b = contexts(config)
    found = swap_contexts(a, b)
    np.testing.assert_allclose(found.logits, swap_by_hand(a, b), atol=2e-5)
    np.testing.assert_array_equal(found.logits[0], a.output.logits[0])
    np.testing.assert_allclose(found.logits[-1], b.output.logits[0], atol=1e-6)
    assert found.patches_share[[0, -1]] == pytest.approx([1, 0], abs=1e-5)
    assert found.probabilities.shape == (tiny.L + 1, config.num_classes)
    if config.num_classes:
        np.testing.assert_allclose(found.probabilities.sum(1), 1, atol=1e-5)


def test_the_swap_keeps_the_ablations_of_the_image_of_the_patches():
    model = tiny.checkpoint()
    a, b = vitviz.explain(model, [tiny.pixels(), tiny.pixels(seed=1)])
    changed = a.ablate(heads=[(1, 0)], patches=[3, 4])
    found = vitviz.swap_class_token(changed, b)
    np.testing.assert_allclose(found.logits[0], changed.logits, atol=1e-6)
    np.testing.assert_allclose(found.logits[-1], b.logits, atol=1e-6)
    assert np.abs(found.logits[2] - vitviz.swap_class_token(a, b).logits[2]).max() > 1e-3


def test_a_pair_needs_no_further_pass_of_an_image(monkeypatch):
    a, b = contexts(tiny.CONFIG)
    _ = a.output, b.output
    starts = []
    forward = type(a.model).forward_blocks

    def counted(*args, start=0, **named):
        starts.append(start)
        return forward(*args, start=start, **named)

    monkeypatch.setattr(type(a.model), "forward_blocks", counted)
    swap_contexts(a, b)
    assert starts == [*range(1, tiny.L + 1)]


def test_the_curve_does_not_depend_on_the_batch_size(monkeypatch):
    checkpoint = tiny.checkpoint()
    images = torch.stack([torch.from_numpy(tiny.pixels(seed=seed)).permute(2, 0, 1) for seed in range(7)])
    with torch.no_grad():
        checkpoint.network.head.bias -= checkpoint.network(checkpoint.normalize(images)).mean(0)
    expected = swap_curve(checkpoint, images)
    for size in (1, 2, 3, 7, 8):
        monkeypatch.setattr(class_token, "max_batch_size", lambda config, size=size: size)
        reports = []
        found = swap_curve(checkpoint, images, reports.append)
        assert reports[-1] == 7
        assert found.pairs == expected.pairs > 0
        np.testing.assert_array_equal(found.follows_patches, expected.follows_patches)
        np.testing.assert_array_equal(found.follows_class_token, expected.follows_class_token)


def test_the_curve_counts_the_pairs_of_neighbors_with_different_predictions():
    checkpoint = tiny.checkpoint()
    images = torch.stack([torch.from_numpy(tiny.pixels(seed=seed)).permute(2, 0, 1) for seed in range(6)])
    with torch.no_grad():  # so that their predictions differ
        checkpoint.network.head.bias -= checkpoint.network(checkpoint.normalize(images)).mean(0)
    found = swap_curve(checkpoint, images)
    one = [ForwardContext(checkpoint, image) for image in checkpoint.normalize(images)]
    predictions = [int(context.logits.argmax()) for context in one]
    expected = np.zeros((2, tiny.L + 1))
    pairs = 0
    for i in range(6):
        j = (i + 1) % 6
        if predictions[i] == predictions[j]:
            continue
        pairs += 1
        follows = np.argmax(swap_by_hand(one[i], one[j]), 1)
        expected += [follows == predictions[i], follows == predictions[j]]
    assert found.pairs == pairs > 0
    np.testing.assert_allclose([found.follows_patches, found.follows_class_token], expected / pairs, atol=1e-6)
    assert (found.follows_patches[0], found.follows_class_token[-1]) == (1, 1)


@pytest.mark.parametrize(
    ("variant", "read"), [("mean of patches", "reads the mean"), ("no class token", "reads the mean")]
)
def test_a_head_that_reads_other_tokens_is_refused_with_what_it_reads(variant, read):
    with pytest.raises(ValueError, match=read):
        swap_contexts(*contexts(tiny.VARIANTS[variant]))


def test_equal_predictions_have_no_curve_and_other_models_are_refused():
    checkpoint = tiny.checkpoint()
    assert swap_curve(checkpoint, torch.zeros(3, 3, tiny.H, tiny.W, dtype=torch.uint8)) is None
    other = contexts(tiny.VARIANTS["qk norm"])[1]
    with pytest.raises(ValueError, match="same model"):
        swap_contexts(contexts(tiny.CONFIG)[0], other)


def test_the_swap_of_a_family_equals_hooks_in_timm():
    model = families.build("timm ViT")
    a, b = (ForwardContext(vitviz.load(model, device="cpu"), image) for image in families.images(families.SQUARE))
    found = swap_contexts(a, b)
    for layer in range(families.L):
        stored: list[torch.Tensor] = []

        def insert(module, inputs, output, stored=stored):
            return torch.cat([stored[0][:, :1], output[:, 1:]], 1)

        with torch.no_grad():
            hook = model.blocks[layer].register_forward_hook(lambda m, i, output, kept=stored: kept.append(output))
            model(b.image[None])
            hook.remove()
            hook = model.blocks[layer].register_forward_hook(insert)
            logits = model(a.image[None])[0].numpy()
            hook.remove()
        np.testing.assert_allclose(found.logits[layer + 1], logits, atol=1e-5)
