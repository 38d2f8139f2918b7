"""Worked examples of a forward pass against the network itself."""

import numpy as np
import pytest
import torch

from tests import tiny
from tests.errors import refuses
from tests.tutorials import TUTORIALS, network
from vitviz.attribution import lesson
from vitviz.attribution.explanation import explain
from vitviz.attribution.head_factors import head_factors
from vitviz.models.checkpoint import Checkpoint

VARIANTS = pytest.mark.parametrize("config", tiny.VARIANTS.values(), ids=tiny.VARIANTS)


def explanation_of(config=tiny.CONFIG):
    return explain(tiny.checkpoint(config), tiny.pixels())


@VARIANTS
def test_a_row_of_the_attention_is_computed_from_query_keys_and_values(config):
    found = explanation_of(config)
    row = lesson.attention_row(found.context, 2, 1, 3)
    np.testing.assert_allclose(row.weights, found.attention[2, 1, 3], atol=1e-6)
    scores = np.array([sum(a * b for a, b in zip(row.query, key, strict=True)) for key in row.keys]) / tiny.D**0.5
    np.testing.assert_allclose(row.scores * 9**0.5, scores * tiny.D**0.5, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.exp(row.scores) / np.exp(row.scores).sum(), row.weights, atol=1e-6)
    np.testing.assert_allclose(row.output, (row.weights[:, None] * row.values).sum(0), atol=1e-5)


def tutorial_explanation(name):
    labels = tuple(f"class {k}" for k in range(7))
    checkpoint = Checkpoint(name, network(name), labels, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), {})
    return explain(checkpoint, tiny.pixels(12, 20))


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_row_of_a_tutorial_network_has_its_own_scale(name):
    found = tutorial_explanation(name)
    row = lesson.attention_row(found.context, 1, 2, 4)
    width = 18 if name.startswith("tutorial-scratch") else 6  # D or d
    np.testing.assert_allclose(row.scores, row.keys @ row.query / width**0.5, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(row.weights, found.attention[1, 2, 4], atol=1e-6)
    block = found.context.model.blocks[1]
    with torch.no_grad():
        normed = block.norm1(found.context.output.tokens[1])
        q, k, v = block.attn.qkv(normed)[0].unflatten(-1, (3, 3, 6)).unbind(1)  # (T, A, d) each
    np.testing.assert_allclose(row.query, q[4, 2], atol=1e-5)
    np.testing.assert_allclose(row.keys, k[:, 2], atol=1e-5)
    np.testing.assert_allclose(row.output, row.weights @ v[:, 2].numpy(), atol=1e-5)


@pytest.mark.parametrize("name", TUTORIALS)
def test_the_patch_embedding_of_a_tutorial_network_is_that_of_its_patches(name):
    context = tutorial_explanation(name).context
    network, patch, dimension = context.model, 23, 7
    found = lesson.patch_embedding(context, patch, dimension)
    with torch.no_grad():
        embedded = network.patch_embed(network.patchify(context.image[None]))[0, patch, dimension].item()
    bias, position = network.patch_embed.bias[dimension].item(), network.pos_embed[0, 1 + patch, dimension].item()
    assert found.pixels.shape == ((3, 1, 4) if name == "tutorial-scratch" else (3, 2, 2))
    assert found.product + bias == pytest.approx(embedded, abs=1e-5)
    assert found.rest == pytest.approx(bias + position, abs=1e-5)
    assert found.value == pytest.approx(embedded + position, abs=1e-5)


def test_the_query_of_a_row_is_the_projected_token():
    found = explanation_of()
    network = found.context.model
    tokens = found.context.output.tokens[2]
    with torch.no_grad():
        q, k, v = network.blocks[2].attn.qkv(network.blocks[2].norm1(tokens))[0].unflatten(-1, (3, 2, 9)).unbind(1)
    row = lesson.attention_row(found.context, 2, 1)
    np.testing.assert_allclose(row.query, q[0, 1], atol=1e-5)
    np.testing.assert_allclose(row.keys, k[:, 1], atol=1e-5)
    np.testing.assert_allclose(row.values, v[:, 1], atol=1e-5)


def test_a_row_of_a_missing_head_is_refused():
    context = explanation_of().context
    for arguments, name in (((6, 0), "layer"), ((0, 2), "head"), ((0, 0, 36), "token"), ((-1, 0), "layer")):
        with refuses(name):
            lesson.attention_row(context, *arguments)


def test_a_dimension_of_a_patch_embedding_is_a_product_with_a_filter_plus_bias_and_position():
    context = explanation_of().context
    network, patch, dimension = context.model, 9, 4
    found = lesson.patch_embedding(context, patch, dimension)
    np.testing.assert_array_equal(found.pixels, context.image[:, 4:8, 8:12])
    with torch.no_grad():
        convolved = torch.nn.functional.conv2d(context.image[None], network.patch_filters(), stride=4)[0, dimension]
    assert found.product == pytest.approx(float(convolved.flatten()[patch]), abs=1e-4)
    expected = network.patch_embed.proj.bias[dimension] + network.patch_positions()[patch, dimension]
    assert found.rest == pytest.approx(expected.item(), abs=1e-4)
    assert found.value == pytest.approx(found.product + found.rest)
    with refuses("patch"):
        lesson.patch_embedding(context, 35, 0)
    with refuses("dimension"):
        lesson.patch_embedding(context, 0, -1)


def test_patches_are_painted_in_the_mean_color():
    found = explanation_of()
    context = found.context
    sets = [[0, 1], [34], []]
    probabilities = lesson.without_patches(context, sets)
    np.testing.assert_allclose(probabilities[2], found.probabilities, atol=1e-5)
    image = context.image.clone()
    image[:, 16:20, 24:28] = 0
    np.testing.assert_allclose(
        probabilities[1], torch.from_numpy(context.predict(image[None])).softmax(-1)[0], atol=1e-5
    )


def test_random_patches_depend_on_the_image_alone():
    context = explanation_of().context
    drawn = lesson.random_patches(context, 8)
    assert len(drawn) == lesson.NUM_RANDOM
    assert all(len(set(patches)) == 8 and max(patches) < 35 for patches in drawn)
    assert drawn == lesson.random_patches(context, 8)
    assert drawn != lesson.random_patches(explain(tiny.checkpoint(), tiny.pixels(seed=1)).context, 8)


def answer_without(found, patches) -> int:
    return int(found.ablate(patches=patches, patch_mode="gray").probabilities.argmax())


@pytest.mark.parametrize("seed", range(4))
def test_the_best_known_set_changes_the_answer_and_needs_all_its_patches(seed):
    pixels = np.random.default_rng(seed).integers(0, 256, tiny.pixels().shape, np.uint8)
    found = explain(tiny.checkpoint(), pixels)
    answer = int(found.probabilities.argmax())
    ranking = np.argsort(-found.map("occlusion").ravel(), kind="stable").tolist()
    flips = lesson.flips(found.context, [ranking])
    assert answer_without(found, flips.best) != answer
    for patch in flips.best:
        assert len(flips.best) == 1 or answer_without(found, [one for one in flips.best if one != patch]) == answer
    needed = [size for size in range(1, 35) if answer_without(found, ranking[:size]) != answer]
    assert len(flips.best) <= min(needed, default=35)
    if any(answer_without(found, [patch]) != answer for patch in range(35)):
        assert len(flips.best) == 1
    for order, count in zip(lesson.random_patches(found.context, 35)[6:8], flips.random[6:8], strict=True):
        changed = [size for size in range(1, 35) if answer_without(found, order[:size]) != answer]
        assert count == min(changed, default=None)


def test_an_answer_that_no_removal_changes_has_no_best_set():
    found = explanation_of()
    with torch.no_grad():
        found.context.model.head.weight.zero_()
        found.context.model.head.bias.copy_(torch.arange(11.0))
    context = explain(found.context.checkpoint, tiny.pixels()).context
    assert lesson.flips(context, [range(35)]) == lesson.Flips(None, [None] * lesson.NUM_RANDOM)


def test_the_mean_query_is_used_in_every_layer():
    checkpoint = tiny.checkpoint()
    images = torch.stack([torch.from_numpy(tiny.pixels(seed=seed)).permute(2, 0, 1) for seed in range(6)])
    factors = head_factors(checkpoint, images)
    context = explain(checkpoint, tiny.pixels(seed=2)).context
    found = lesson.mean_query(context, factors)
    network = checkpoint.network
    with torch.no_grad():  # only the row of the class token changes, by hand
        x = network.embed_images(context.image[None])
        for layer in range(tiny.L):
            _, k = network.queries_and_keys(layer, x)
            asked = torch.from_numpy(factors.class_query[layer])  # (A, d)
            row = torch.einsum("ad,atd->at", asked, k[0]).softmax(-1)
            np.testing.assert_allclose(found.rows[layer], row.mean(0), atol=1e-5)
            output, _ = network.run_block(layer, x)
            block, values = network.blocks[layer], network.head_values(layer, x)[0]
            mixed = block.attn.proj(torch.einsum("at,atd->ad", row, values).flatten())
            token = x[:, 0] + block.ls1(mixed)
            x = torch.cat([(token + block.ls2(block.mlp(block.norm2(token))))[:, None], output[:, 1:]], 1)
        probabilities = network.forward_head(x).softmax(-1)[0]
    np.testing.assert_allclose(found.probabilities, probabilities, atol=1e-5)


def test_a_model_without_class_token_asks_no_question():
    checkpoint = tiny.checkpoint(tiny.VARIANTS["no class token"])
    images = torch.stack([torch.from_numpy(tiny.pixels(seed=seed)).permute(2, 0, 1) for seed in range(3)])
    context = explain(checkpoint, tiny.pixels()).context
    with pytest.raises(ValueError, match="needs a class token: tiny has none"):
        lesson.mean_query(context, head_factors(checkpoint, images))


def test_the_wrong_reshape_is_that_of_the_tutorial():
    wrong, fixed = (network(name) for name in ("tutorial-scratch", "tutorial-scratch-fixed"))
    image = torch.rand(3, 12, 20, generator=torch.Generator().manual_seed(0))
    scrambled = lesson.wrong_reshape(image, 2)
    squares = fixed.patchify(scrambled[None]).unflatten(2, (3, 4)).mT.flatten(2)  # (1, N, P P 3), as the strips
    torch.testing.assert_close(squares, wrong.patchify(image[None]))
    assert lesson.wrong_reshape(torch.rand(3, 13, 21), 2).shape == (3, 12, 20)


def test_the_answer_to_the_wrong_reshape_is_that_to_the_scrambled_image():
    context = explanation_of().context
    scrambled = lesson.wrong_reshape(context.image, 4)
    with torch.no_grad():
        expected = context.model(scrambled[None])[0].softmax(-1)
    np.testing.assert_allclose(lesson.reshaped_prediction(context), expected, atol=1e-5)
