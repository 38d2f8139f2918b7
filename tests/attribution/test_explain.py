"""From an image to an explanation: the numbers fit together, point at the planted truth, and survive the file."""

import io
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

import vitviz
from tests import tiny
from vitviz.attribution.ablation import intervene
from vitviz.attribution.explanation import Explanation, View, explain
from vitviz.attribution.methods import METHODS
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import ViT

GH, GW, K, L, A = tiny.GH, tiny.GW, tiny.K, tiny.L, tiny.A


@pytest.mark.parametrize("name", tiny.VARIANTS)
def test_an_explanation_fits_together(name):
    model = tiny.checkpoint(tiny.VARIANTS[name])
    found = explain(model, tiny.pixels())
    T = model.network.config.num_tokens
    assert found.attention.shape == (L, A, T, T)
    np.testing.assert_allclose(found.attention.sum(-1), 1, rtol=0, atol=1e-5)
    assert found.rows.shape == (L, A, T)
    assert found.maps_of().shape == (L, A, GH, GW)
    left_out = found.rows[..., : found.prefix].sum(-1)
    np.testing.assert_allclose(found.maps_of().sum((-2, -1)), 1 - left_out, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.maps_of().mean((0, 1)), found.average, rtol=0, atol=1e-6)
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert found.labels == list(model.labels)
    for method in found.methods:
        assert found.map(method).shape == (GH, GW)


def test_without_class_token_all_patches_are_asked_alike_and_what_needs_one_says_so(tmp_path):
    found = explain(tiny.checkpoint(tiny.VARIANTS["no class token"]), tiny.pixels())
    np.testing.assert_allclose(found.rows, found.attention.mean(2), rtol=0, atol=1e-6)
    assert [method for method in METHODS if method not in found.methods] == ["reverse_attention"]
    with pytest.raises(ValueError, match=r"Reverse attention needs a class token: tiny has none\. Use average"):
        found.map("reverse_attention")
    with pytest.raises(ValueError, match=r"tiny has no class token\. Use rows, where all patches are asked alike"):
        found.cls_maps  # noqa: B018 (asking for it is what is refused)
    found.save(tmp_path / "numbers.npz")
    with np.load(tmp_path / "numbers.npz") as numbers:
        assert "cls_maps" not in numbers
        np.testing.assert_array_equal(numbers["average"], found.average)
    assert "Where the mean of the patches looks" in View().matrix_title(class_token=False)
    matrix = found.figure().subfigs[1]
    assert matrix._suptitle.get_text() == "Where the mean of the patches looks: all layers and heads, one scale"


def without(
    found: Explanation, patches: range | tuple[int, ...], heads: tuple[tuple[int, int], ...] = ()
) -> Explanation:
    """The explanation of the same image with patches left out and heads off."""
    return replace(found, attention=intervene(found.case, heads, patches).attention)


def test_patches_that_are_left_out_are_not_asked_where_all_are():
    found = without(explain(tiny.checkpoint(tiny.VARIANTS["no class token"]), tiny.pixels()), range(21), ((2, 1),))
    assert np.isnan(found.rows[2, 1]).all()
    on = np.array([layer for layer in range(L) if layer != 2])
    np.testing.assert_allclose(found.rows[on].sum(-1), 1, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.rows[on], found.attention[on][:, :, 21:].mean(2), rtol=0, atol=1e-6)
    for direction in ("from", "to"):
        expected = found.maps_of(tuple(range(21, 35)), direction)
        np.testing.assert_allclose(found.maps_of(direction=direction), expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.maps_of()[on].sum((-2, -1)), 1, rtol=0, atol=1e-5)


@pytest.mark.parametrize("direction", ["from", "to"])
def test_a_mean_over_asked_patches_counts_only_those_that_are_there(tiny_checkpoint, direction):
    found = without(explain(tiny_checkpoint, tiny.pixels()), (3, 9, 20))
    expected = (found.maps_of((4,), direction) + found.maps_of((30,), direction)) / 2
    np.testing.assert_allclose(found.maps_of((3, 4, 20, 30), direction), expected, rtol=0, atol=1e-6)
    assert not found.maps_of((3, 9), direction).any()
    np.testing.assert_array_equal(found.there, [token - 1 not in (3, 9, 20) for token in range(tiny.T)])


def test_what_is_no_model_image_or_method_is_refused_in_a_sentence(tiny_checkpoint):
    with pytest.raises(ValueError, match=r"The first argument must be what vitviz\.load returns: got str"):
        explain("cifar10-ti4", tiny.pixels())
    for image in (None, torch.zeros(3, 8, 8), b"x", [1]):
        with pytest.raises(ValueError, match=r"An image must be a path, a PIL image or an array of uint8: got \w+\."):
            explain(tiny_checkpoint, image)
    found = explain(tiny_checkpoint, tiny.pixels())
    with pytest.raises(ValueError, match="There is no method"):
        found.map(["average"])
    np.testing.assert_array_equal(found.map("relevance", [1, 2]), found.map("relevance", (1, 2)))
    with pytest.raises(ValueError, match="Patches must be different numbers"):
        found.maps_of((1.0,))
    for patches in (3, {4}, None):
        with pytest.raises(ValueError, match="Patches must be different numbers"):
            found.maps_of(patches)
    with pytest.raises(ValueError, match="or two different ones: got"):
        found.map("relevance", (None, "class 3"))
    large = found.figure(View(layer=np.int64(1))).subfigs[0].axes[1]
    assert large.get_title(loc="left") == "Layer 2, mean of heads"


def test_the_prediction_is_that_of_the_plain_forward_pass(tiny_checkpoint):
    pixels = tiny.pixels()
    images = (
        torch.from_numpy(pixels).permute(2, 0, 1)[None] / 255 - torch.tensor([0.5, 0.4, 0.3]).view(1, 3, 1, 1)
    ) / (torch.tensor([0.2, 0.25, 0.3]).view(1, 3, 1, 1))
    expected = tiny_checkpoint.network(images).softmax(-1)[0].detach()
    np.testing.assert_allclose(explain(tiny_checkpoint, pixels).probabilities, expected, rtol=0, atol=1e-5)


def test_maps_are_those_of_the_attention(tiny_checkpoint):
    found = explain(tiny_checkpoint, tiny.pixels())
    np.testing.assert_allclose(found.average, found.cls_maps.mean((0, 1)), rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.map("attention"), found.cls_maps[-1].mean(0), rtol=0, atol=1e-6)
    assert found.cls_maps[2, 1, 3, 4] == found.attention[2, 1, 0, 1 + 3 * GW + 4]


def test_what_is_done_to_a_map_changes_no_other(tiny_checkpoint):
    found = explain(tiny_checkpoint, tiny.pixels())
    before, probabilities = found.map("rollout").copy(), found.map("average").copy()
    spoiled = found.map("rollout")
    spoiled -= spoiled.min()
    np.testing.assert_array_equal(found.map("rollout"), before)
    with pytest.raises(ValueError, match="read-only"):
        found.attention[:] = 0
    np.testing.assert_array_equal(found.average, probabilities)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_a_model_in_another_precision_is_explained_too(dtype):
    held, usual = tiny.checkpoint(), explain(tiny.checkpoint(), tiny.pixels())
    held.network.to(dtype)
    found = explain(held, tiny.pixels())
    assert found.probabilities.dtype == found.attention.dtype == np.float32
    for method in found.methods:
        assert np.isfinite(found.map(method, 3)).all(), method
    assert np.isfinite(intervene(found.case, [(1, 0)], [4]).logits).all()
    np.testing.assert_allclose(found.probabilities, usual.probabilities, atol=1e-5 if dtype == torch.float64 else 0.1)


def test_gradients_are_found_in_inference_mode_too(tiny_checkpoint):
    expected = explain(tiny_checkpoint, tiny.pixels())
    with torch.inference_mode():
        found = explain(tiny_checkpoint, tiny.pixels())
        for method in ("relevance", "integrated_gradients"):
            np.testing.assert_allclose(found.map(method, 3), expected.map(method, 3), atol=1e-6)


@pytest.mark.parametrize(
    ("variant", "about", "formula"),
    [
        ("plain", "Where the class token looks, mean of", "A[l, h, class token, j]"),
        ("no class token", "Where all patches look, on average, mean of", "A[l, h, i, j], mean over patches i"),
        ("mean of patches", "answers from its patches, not from that token.", "A[l, h, class token, j]"),
    ],
)
def test_a_method_says_what_is_true_of_the_model(variant, about, formula):
    method = explain(tiny.checkpoint(tiny.VARIANTS[variant]), tiny.pixels()).methods["average"]
    assert about in method.about
    assert method.formula == f"mean over layers and heads of {formula}"


def test_explaining_leaves_no_gradient_and_no_other_mode_behind(tiny_checkpoint):
    explain(tiny_checkpoint, tiny.pixels())
    assert not tiny_checkpoint.network.training
    assert all(p.grad is None and p.requires_grad for p in tiny_checkpoint.network.parameters())


# Planted truth


def lighthouse(registers: int = 0) -> Checkpoint:
    """A model in which the brightest patch decides, and to which every token looks in its one layer.

    Channel 0 carries a patch's brightness, channel 1 is its counterweight for the norm, channel 2 is on everywhere.
    Queries read channel 2, keys channel 0, values bring channel 0 to channel 3; class 1 reads channel 3.
    """
    config = ViTConfig(
        (20, 28),
        4,
        embed_dim=8,
        depth=1,
        num_heads=2,
        mlp_ratio=0.5,
        num_classes=2,
        reg_tokens=registers,
        qk_norm=False,
    )
    model = ViT(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.fill_(1.0 if "norm" in name and name.endswith("weight") else 0.0)
        model.patch_embed.proj.weight[0] = 1 / 48
        model.patch_embed.proj.weight[1] = -1 / 48
        model.pos_embed[..., 2] = 1
        attention = model.blocks[0].attn
        for head in range(2):
            attention.qkv.weight[4 * head, 2] = 3  # query
            attention.qkv.weight[8 + 4 * head, 0] = 3  # key
            attention.qkv.weight[16 + 4 * head, 0] = 1  # value
            attention.proj.weight[3, 4 * head] = 1
        model.head.weight[1, 3] = 5
        model.head.bias[0] = 1
    return Checkpoint("lighthouse", model.eval(), ("dark", "bright"), (0.0, 0.0, 0.0), (0.25, 0.25, 0.25), {})


@pytest.mark.parametrize("registers", [0, 2])
@pytest.mark.parametrize("cell", [(0, 0), (1, 6), (3, 2), (4, 5)])
def test_maps_peak_at_the_one_patch_that_decides(cell, registers):
    model = lighthouse(registers)
    row, column = cell
    pixels = np.zeros((20, 28, 3), np.uint8)
    dark = explain(model, pixels)
    assert dark.labels[dark.probabilities.argmax()] == "dark"
    np.testing.assert_allclose(dark.average, 1 / (35 + 1 + registers), rtol=0, atol=1e-6)  # nothing to look at
    pixels[4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = 255
    bright = explain(model, pixels)
    assert bright.labels[bright.probabilities.argmax()] == "bright"
    # Chance knows nothing; who looks at the class token decides nothing; and Grad-CAM weighs heads by the mean gradient
    # over all patches, which is below zero here.
    for method in METHODS.keys() - {"random", "reverse_attention", "attention_gradcam"}:
        found = bright.map(method)
        assert np.unravel_index(found.argmax(), found.shape) == cell, method
        assert found[cell] > 5 * np.sort(found.flatten())[-2]
    for found in bright.cls_maps.reshape(-1, 5, 7):
        assert np.unravel_index(found.argmax(), found.shape) == cell


# What may be explained


def test_a_path_an_image_and_an_array_are_explained_alike(tiny_checkpoint, tmp_path):
    pixels = tiny.pixels()
    Image.fromarray(pixels).save(tmp_path / "image.png")
    expected = explain(tiny_checkpoint, pixels).attention
    for source in (tmp_path / "image.png", str(tmp_path / "image.png"), Image.fromarray(pixels)):
        assert np.array_equal(explain(tiny_checkpoint, source).attention, expected)


@pytest.mark.parametrize("shape", [(20, 28), (20, 28, 4), (1, 1, 3), (300, 7)])
def test_grey_transparent_and_oddly_sized_images_are_explained(tiny_checkpoint, shape):
    array = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    assert explain(tiny_checkpoint, array).average.shape == (GH, GW)
    assert explain(tiny_checkpoint, Image.fromarray(array)).average.shape == (GH, GW)


def test_a_image_that_is_none_is_refused(tiny_checkpoint, tmp_path):
    with pytest.raises(vitviz.ImageError, match="There is no image at"):
        explain(tiny_checkpoint, tmp_path / "nowhere.png")


# Files


def test_numbers_come_back_from_the_file(tiny_checkpoint, tmp_path):
    found = explain(tiny_checkpoint, tiny.pixels())
    found.save(tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz", allow_pickle=False) as stored:
        assert stored["labels"].tolist() == found.labels
        assert np.array_equal(stored["probabilities"], found.probabilities)
        assert np.array_equal(stored["attention"], found.attention)
        assert np.array_equal(stored["cls_maps"], found.cls_maps)
        assert np.array_equal(stored["image"], tiny.pixels())
        assert np.array_equal(stored["last_layer"], found.map("attention"))
        assert np.array_equal(stored["average"], found.average)
        assert np.array_equal(stored["rollout"], found.map("rollout"))


@pytest.fixture(scope="module")
def explanation():
    """Two layers are enough to draw."""
    return explain(tiny.checkpoint(replace(tiny.CONFIG, depth=2)), tiny.pixels())


def test_figures_come_back_from_their_files(explanation, tmp_path):
    for ending in ("png", "svg", "pdf", "html", "PNG"):
        explanation.save(tmp_path / f"map.{ending}")
    for ending in ("png", "PNG"):
        with Image.open(tmp_path / f"map.{ending}") as image:
            assert image.format == "PNG"
            assert min(image.size) > 500
    assert ET.parse(tmp_path / "map.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert (tmp_path / "map.pdf").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "map.html").read_text().startswith("<!doctype html>")


def test_the_figure_shows_the_method_that_was_asked_for(explanation):
    for method, words in (("attention", "Last layer"), ("rollout", "Rollout"), ("average", "Average")):
        large = explanation.figure(View(method)).subfigs[0].axes[1]
        assert large.get_title(loc="left") == words
        shown, expected = large.images[0].get_array(), explanation.map(method)
        np.testing.assert_allclose(
            shown, expected if METHODS[method].unit == "shares" else expected / expected.max(), atol=1e-7
        )


@pytest.mark.parametrize(
    ("view", "title"),
    [
        (View(None, 1, 0), "Layer 2, head 1"),
        (View(None, None, 1), "Mean of layers, head 2"),
        (View(None, 0, None, (4, 9), "to"), "Layer 1, mean of heads"),
        (View(None, None, None, (34,)), "Mean of layers, mean of heads"),
    ],
)
def test_the_figure_shows_the_layer_head_and_patches_that_were_asked_for(explanation, view, title):
    large = explanation.figure(view).subfigs[0].axes[1]
    attention = explanation.attention if view.direction == "from" else explanation.attention.swapaxes(2, 3)
    asked = [explanation.prefix + p for p in view.patches] or [0]
    maps = np.mean([attention[:, :, token, explanation.prefix :] for token in asked], 0)  # (L, A, N)
    if view.layer is not None:
        maps = maps[[view.layer]]
    if view.head is not None:
        maps = maps[:, [view.head]]
    assert large.get_title(loc="left") == title
    np.testing.assert_allclose(large.images[0].get_array().ravel(), maps.mean((0, 1)), atol=1e-6)


def test_the_footer_names_the_image_its_model_and_what_was_changed(explanation):
    (plain,) = explanation.figure().texts
    assert plain.get_text() == "tiny: as it is, 28 × 20"
    (footer,) = replace(explanation, name="Drawing (cat)", changes="1 head off").figure().texts
    assert footer.get_text() == "Drawing (cat); tiny: as it is, 28 × 20; 1 head off"


def test_what_goes_to_the_class_token_stands_beside_the_scales(explanation):
    below = lambda part: part.axes[-1].get_xlabel().splitlines()  # noqa: E731
    left, right = explanation.figure(View("average")).subfigs
    assert left.axes[1].get_title(loc="left") == "Average"
    rest = explanation.cls_rows[..., 0]
    layer, head = np.argwhere(rest == rest.max())[0] + 1
    assert f"{100 * rest.mean():.1f} % goes to the class token" in below(left)
    assert f"up to {100 * rest.max():.1f} % goes to the class token: layer {layer}, head {head}" in below(right)
    for view in (View(direction="to"), View("rollout", direction="to")):
        assert not any("goes to" in line for part in explanation.figure(view).subfigs for line in below(part))


def test_a_map_of_a_method_says_that_it_is_without_the_changes(explanation):
    changed = replace(explanation, changes="1 head off")
    for method, title in ((None, "Mean of layers, mean of heads"), ("rollout", "Rollout, without the changes")):
        assert changed.figure(View(method)).subfigs[0].axes[1].get_title(loc="left") == title


def test_the_figure_frames_the_patch_that_is_asked_but_not_on_the_map_of_a_method(explanation):
    for view, frames in ((View(None, 0, 0, (9,)), 2), (View("rollout", patches=(9,)), 0)):
        assert len(explanation.figure(view).subfigs[0].axes[1].patches) == frames


def test_the_figure_knows_no_share_of_a_patch_that_is_left_out(explanation):
    found = without(explanation, (3, 9), ((1, 0),)).figure(View(None, 1, None))
    large, *tiles = found.subfigs[0].axes[1], *found.subfigs[1].axes[:2]
    for axes in (large, *tiles):
        (image,) = axes.images
        assert np.flatnonzero(image.get_array().mask).tolist() == [3, 9]


@pytest.mark.parametrize("view", [View(layer=2), View(head=-1), View(layer=True)])
def test_a_layer_or_head_that_is_not_there_is_refused(explanation, view):
    with pytest.raises(ValueError, match=r"(layer|head) must be from 0 to 1: got"):
        explanation.figure(view)


def test_a_patch_outside_the_grid_is_refused(explanation):
    with pytest.raises(ValueError, match=r"Patches must be different numbers from 0 to 34: got \(35,\)"):
        explanation.maps_of((35,))


def test_an_unknown_direction_is_refused(explanation):
    with pytest.raises(ValueError, match="direction must be from or to: got 'at'"):
        explanation.maps_of(direction="at")


@pytest.mark.parametrize("name", ["map", "map.gif", "map.exe", ".png", "map.npy"])
def test_another_ending_is_refused_and_nothing_written(explanation, tmp_path, name):
    with pytest.raises(ValueError, match=r"The file must end in \.png, \.svg, \.pdf, \.html or \.npz: got '"):
        explanation.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("method", ["nonsense", "", "Average"])
def test_an_unknown_method_is_refused_and_nothing_written(explanation, tmp_path, method):
    with pytest.raises(
        ValueError, match=r"There is no method '\w*'\. Use one of: attention, reverse_attention, .*random\."
    ):
        explanation.map(method)
    for ending in ("png", "npz"):
        with pytest.raises(ValueError, match="There is no method"):
            explanation.save(tmp_path / f"map.{ending}", method)
    assert not list(tmp_path.iterdir())


def test_public_names_are_found_and_others_are_not():
    assert vitviz.explain is explain
    assert vitviz.METHODS is METHODS
    assert set(vitviz.__all__) == set(vitviz.PUBLIC)
    for name in vitviz.__all__:
        assert getattr(vitviz, name) is not None
    with pytest.raises(AttributeError, match="module 'vitviz' has no attribute 'nonsense'"):
        _ = vitviz.nonsense


def test_the_numbers_tell_what_they_are_of(explanation, tmp_path):
    for target, names in (("class 3", ["class 3"]), (("class 3", 5), ["class 3", "class 5"])):
        explanation.save(tmp_path / "numbers.npz", target=target)
        with np.load(tmp_path / "numbers.npz", allow_pickle=False) as found:
            assert found["target"].tolist() == names
            assert (str(found["checkpoint"]), int(found["prefix"])) == ("tiny", 1)
            assert (str(found["note"]), str(found["changes"])) == ("as it is, 28 × 20", "")


def test_a_figure_can_be_drawn_in_memory(explanation):
    buffer = io.BytesIO()
    explanation.figure().savefig(buffer)
    assert buffer.getvalue().startswith(b"\x89PNG")
