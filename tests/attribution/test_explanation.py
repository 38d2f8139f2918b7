"""Explanations: consistent numbers, planted truth, ablation, figures and files."""

import dataclasses
import io
import threading
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import timm
import torch
from PIL import Image

import vitviz
from tests import tiny
from tests.errors import refuses
from tests.plots.svg import words
from vitviz.attribution import faithfulness, file_formats, provenance
from vitviz.attribution.ablation import ablate, describe_ablations, mean_head_outputs
from vitviz.attribution.explanation import explain
from vitviz.attribution.methods import METHODS
from vitviz.attribution.targets import find_target
from vitviz.attribution.view_maps import default_rows
from vitviz.data.preprocessing import load_samples
from vitviz.errors import ImageError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import ViT


def drawn(figure) -> list[str]:
    """Return all texts of a figure."""
    return words(file_formats.figure_bytes(figure, ".svg").decode())


GH, GW, K, L, A = tiny.GH, tiny.GW, tiny.K, tiny.L, tiny.A


@pytest.mark.parametrize("name", tiny.VARIANTS)
def test_an_explanation_is_consistent(name):
    model = tiny.checkpoint(tiny.VARIANTS[name])
    found = explain(model, tiny.pixels())
    T = model.network.config.num_tokens
    assert found.attention.shape == (L, A, T, T)
    np.testing.assert_allclose(found.attention.sum(-1), 1, rtol=0, atol=1e-5)
    assert default_rows(found.context).shape == (L, A, T)
    assert found.attention_maps().shape == (L, A, GH, GW)
    to_prefix = default_rows(found.context)[..., : found.context.prefix].sum(-1)
    np.testing.assert_allclose(found.attention_maps().sum((-2, -1)), 1 - to_prefix, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.attention_maps().mean((0, 1)), found.average, rtol=0, atol=1e-6)
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert found.labels == list(model.labels)
    for method in found.methods:
        assert found.map(method).shape == (GH, GW)


def test_without_class_token_attention_is_the_mean_over_patches(tmp_path):
    found = explain(tiny.checkpoint(tiny.VARIANTS["no class token"]), tiny.pixels())
    np.testing.assert_allclose(default_rows(found.context), found.attention.mean(2), rtol=0, atol=1e-6)
    others = [key for key, method in METHODS.items() if method.on_request or method.of_texts]
    assert [method for method in METHODS if method not in found.methods] == ["reverse_attention", *others]
    with pytest.raises(ValueError, match=r"reverse_attention needs a class token: tiny has none\. Use average"):
        found.map("reverse_attention")
    with pytest.raises(ValueError, match=r"tiny has no class token\. Use attention_maps"):
        found.cls_maps  # noqa: B018 (reading the property raises)
    with np.load(found.save(tmp_path / "numbers.npz")) as numbers:
        np.testing.assert_array_equal(numbers["method_average"], found.average)


def test_removed_patches_are_not_part_of_the_mean_query():
    found = explain(tiny.checkpoint(tiny.VARIANTS["no class token"]), tiny.pixels()).ablate([(2, 1)], range(21))
    assert np.isnan(default_rows(found.context)[2, 1]).all()
    on = np.array([layer for layer in range(L) if layer != 2])
    np.testing.assert_allclose(default_rows(found.context)[on].sum(-1), 1, rtol=0, atol=1e-5)
    np.testing.assert_allclose(
        default_rows(found.context)[on], found.attention[on][:, :, 21:].mean(2), rtol=0, atol=1e-6
    )
    for direction in ("from", "to"):
        expected = found.attention_maps(tuple(range(21, 35)), direction)
        np.testing.assert_allclose(found.attention_maps(direction=direction), expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.attention_maps()[on].sum((-2, -1)), 1, rtol=0, atol=1e-5)


@pytest.mark.parametrize("direction", ["from", "to"])
def test_the_mean_over_query_patches_excludes_removed_ones(tiny_checkpoint, direction):
    found = explain(tiny_checkpoint, tiny.pixels()).ablate(patches=(3, 9, 20))
    expected = (found.attention_maps((4,), direction) + found.attention_maps((30,), direction)) / 2
    np.testing.assert_allclose(found.attention_maps((3, 4, 20, 30), direction), expected, rtol=0, atol=1e-6)
    assert not found.attention_maps((3, 9), direction).any()
    np.testing.assert_array_equal(found.context.kept_tokens, [token - 1 not in (3, 9, 20) for token in range(tiny.T)])


def test_invalid_models_images_methods_and_patches_are_refused(tiny_checkpoint):
    with pytest.raises(ValueError, match=r"must be a checkpoint from vitviz\.load, or a module: got str"):
        explain("cifar10-ti4", tiny.pixels())
    for image in (None, 1, (1,), [1]):
        with pytest.raises(ImageError):
            explain(tiny_checkpoint, image)
    found = explain(tiny_checkpoint, tiny.pixels())
    with refuses("method"):
        found.map(["average"])
    np.testing.assert_array_equal(found.map("relevance", [1, 2]), found.map("relevance", (1, 2)))
    with refuses("query"):
        found.attention_maps((1.0,))
    for patches in (3, {4}, None):
        with refuses("query"):
            found.attention_maps(patches)
    with refuses("target"):
        found.map("relevance", (None, "class 3"))


def test_the_prediction_is_that_of_the_plain_forward_pass(tiny_checkpoint):
    pixels = tiny.pixels()
    images = (
        torch.from_numpy(pixels).permute(2, 0, 1)[None] / 255 - torch.tensor([0.5, 0.4, 0.3]).view(1, 3, 1, 1)
    ) / (torch.tensor([0.2, 0.25, 0.3]).view(1, 3, 1, 1))
    expected = tiny_checkpoint.network(images).softmax(-1)[0].detach()
    np.testing.assert_allclose(explain(tiny_checkpoint, pixels).probabilities, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["output", "logits"])
def test_forward_passes_of_two_images_run_at_the_same_time(monkeypatch, name):
    both, forward = threading.Barrier(2), ViT.forward_with_attention

    def wait_for_the_other(self, *args):
        both.wait(60)  # raises BrokenBarrierError if the other one does not start
        return forward(self, *args)

    monkeypatch.setattr(ViT, "forward_with_attention", wait_for_the_other)
    contexts = [tiny.context(seed=seed) for seed in range(2)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda context: getattr(context, name), contexts))
    assert all(getattr(context, name) is one for context, one in zip(contexts, found, strict=True)), "computed once"


def test_maps_are_computed_from_the_attention(tiny_checkpoint):
    found = explain(tiny_checkpoint, tiny.pixels())
    np.testing.assert_allclose(found.average, found.cls_maps.mean((0, 1)), rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.map("attention"), found.cls_maps[-1].mean(0), rtol=0, atol=1e-6)
    assert found.cls_maps[2, 1, 3, 4] == found.attention[2, 1, 0, 1 + 3 * GW + 4]


def test_changing_a_returned_map_changes_no_other(tiny_checkpoint):
    found = explain(tiny_checkpoint, tiny.pixels())
    before, probabilities = found.map("rollout").copy(), found.map("average").copy()
    changed = found.map("rollout")
    changed -= changed.min()
    np.testing.assert_array_equal(found.map("rollout"), before)
    with pytest.raises(ValueError, match="read-only"):
        found.attention[:] = 0
    np.testing.assert_array_equal(found.average, probabilities)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_models_in_other_precisions_are_explained(dtype):
    checkpoint, float32 = tiny.checkpoint(), explain(tiny.checkpoint(), tiny.pixels())
    checkpoint.network.to(dtype)
    found = explain(checkpoint, tiny.pixels())
    assert found.probabilities.dtype == found.attention.dtype == np.float32
    for method in found.methods:
        assert np.isfinite(found.map(method, 3)).all(), method
    assert np.isfinite(ablate(found.context, [(1, 0)], [4]).logits).all()
    np.testing.assert_allclose(found.probabilities, float32.probabilities, atol=1e-5 if dtype == torch.float64 else 0.1)


def test_gradients_are_computed_in_inference_mode(tiny_checkpoint):
    expected = explain(tiny_checkpoint, tiny.pixels())
    with torch.inference_mode():
        found = explain(tiny_checkpoint, tiny.pixels())
        for method in ("relevance", "integrated_gradients"):
            np.testing.assert_allclose(found.map(method, 3), expected.map(method, 3), atol=1e-6)


@pytest.mark.parametrize(
    ("variant", "about", "formula"),
    [
        ("plain", "What the class token attends to, mean over", "layers and heads of A[l, h, class token, j]"),
        ("no class token", "What the patches attend to, mean over", "layers, heads and patches i of A[l, h, i, j]"),
        (
            "mean of patches",
            "read from its patches, not from the class token.",
            "layers and heads of A[l, h, class token, j]",
        ),
    ],
)
def test_the_description_of_a_method_fits_the_model(variant, about, formula):
    method = explain(tiny.checkpoint(tiny.VARIANTS[variant]), tiny.pixels()).methods["average"]
    assert about in method.about
    assert method.formula == f"mean over {formula}"
    assert (method.unit, method.instant) == ("weights", True)


def test_explaining_leaves_gradients_and_mode_of_the_network_unchanged(tiny_checkpoint):
    explain(tiny_checkpoint, tiny.pixels())
    assert not tiny_checkpoint.network.training
    assert all(p.grad is None and p.requires_grad for p in tiny_checkpoint.network.parameters())


# Planted truth


def lighthouse(registers: int = 0) -> Checkpoint:
    """A model whose prediction depends on the brightest patch, to which every token attends in its only layer.

    Channel 0 holds a patch's brightness, channel 1 its negative for the norm, channel 2 is constant. Queries read
    channel 2, keys channel 0, values move channel 0 to channel 3; class 1 reads channel 3.
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
def test_maps_peak_at_the_decisive_patch(cell, registers):
    model = lighthouse(registers)
    row, column = cell
    pixels = np.zeros((20, 28, 3), np.uint8)
    dark = explain(model, pixels)
    assert dark.labels[dark.probabilities.argmax()] == "dark"
    np.testing.assert_allclose(dark.average, 1 / (35 + 1 + registers), rtol=0, atol=1e-6)  # uniform attention
    pixels[4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = 255
    bright = explain(model, pixels)
    assert bright.labels[bright.probabilities.argmax()] == "bright"
    # Except orders, attention to the class token, which is not read, and Grad-CAM, which weights heads by the
    # mean gradient over all patches, negative here.
    for method in METHODS.keys() - {"random", "greedy", "reverse_attention", "attention_gradcam", "text_similarity"}:
        found = bright.map(method)
        assert np.unravel_index(found.argmax(), found.shape) == cell, method
        assert found[cell] > 5 * np.sort(found.flatten())[-2]
    for found in bright.cls_maps.reshape(-1, 5, 7):
        assert np.unravel_index(found.argmax(), found.shape) == cell


# Inputs


def test_a_path_an_image_and_an_array_give_the_same_explanation(tiny_checkpoint, tmp_path):
    pixels = tiny.pixels()
    Image.fromarray(pixels).save(tmp_path / "image.png")
    expected = explain(tiny_checkpoint, pixels).attention
    for source in (tmp_path / "image.png", str(tmp_path / "image.png"), Image.fromarray(pixels)):
        assert np.array_equal(explain(tiny_checkpoint, source).attention, expected)


@pytest.mark.parametrize("shape", [(20, 28), (20, 28, 4), (1, 1, 3), (300, 7)])
def test_grayscale_transparent_and_unusually_sized_images_are_explained(tiny_checkpoint, shape):
    array = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    assert explain(tiny_checkpoint, array).average.shape == (GH, GW)
    assert explain(tiny_checkpoint, Image.fromarray(array)).average.shape == (GH, GW)


def test_a_missing_file_is_refused(tiny_checkpoint, tmp_path):
    with pytest.raises(ImageError):
        explain(tiny_checkpoint, tmp_path / "nowhere.png")


# Files


def test_arrays_are_read_back_from_the_file(tiny_checkpoint, tmp_path):
    found = explain(tiny_checkpoint, tiny.pixels())
    found.save(tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz", allow_pickle=False) as stored:
        assert stored["labels"].tolist() == found.labels
        assert np.array_equal(stored["probabilities"], found.probabilities)
        assert np.array_equal(stored["logits"], found.logits)
        assert np.array_equal(stored["attention"], found.attention)
        np.testing.assert_allclose(stored["maps"][:-1, :-1], found.cls_maps, atol=1e-7)
        assert np.array_equal(stored["image"], tiny.pixels())
        assert np.array_equal(stored["method_attention"], found.map("attention"))
        assert np.array_equal(stored["method_average"], found.average)
        assert np.array_equal(stored["method_rollout"], found.map("rollout"))


@pytest.fixture(scope="module")
def explanation():
    """An explanation with two layers, for figures."""
    return explain(tiny.checkpoint(replace(tiny.CONFIG, depth=2)), tiny.pixels())


def test_figures_are_read_back_from_their_files(explanation, tmp_path):
    for ending in ("png", "svg", "pdf", "html", "csv", "PNG"):
        path = tmp_path / f"map.{ending}"
        assert explanation.save(path) == path
    for ending in ("png", "PNG"):
        with Image.open(tmp_path / f"map.{ending}") as image:
            assert image.format == "PNG"
            assert min(image.size) > 500
    assert ET.parse(tmp_path / "map.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert (tmp_path / "map.pdf").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "map.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "map.csv").read_text().splitlines()[1] == "quantity,name,layer,head,row,column,value"


def test_a_patch_outside_the_grid_is_refused(explanation):
    with refuses("query"):
        explanation.attention_maps((35,))


def test_an_unknown_direction_is_refused(explanation):
    with refuses("direction"):
        explanation.attention_maps(direction="at")


@pytest.mark.parametrize("name", ["map", "map.gif", "map.exe", ".png", "map.npy"])
def test_another_ending_is_refused_and_nothing_written(explanation, tmp_path, name):
    with pytest.raises(ValueError, match=r"The file must end in \.png, \.svg, \.pdf, \.jpg, .* \.csv or \.html: got '"):
        explanation.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_files_in_memory_and_jpeg_are_written(explanation, tmp_path):
    buffer = io.BytesIO()
    assert explanation.save(buffer, layer=0) is buffer
    assert buffer.getvalue() == explanation.save(tmp_path / "a.png", layer=0).read_bytes()
    with (tmp_path / "a.svg").open("wb") as file:
        explanation.save(file)
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    path = explanation.save(tmp_path / "a.jpg", layer=0)
    first, second = (np.asarray(Image.open(one).convert("RGB"), float) for one in (path, tmp_path / "a.png"))
    assert np.abs(first - second).mean() < 2
    assert provenance.read(path).view.layer == 0


def test_results_show_themselves_in_a_notebook_with_short_texts(explanation):
    compared = vitviz.compare(explanation, explanation, b_options={"layer": 0})
    for shown in (explanation.figure(), compared, vitviz.probe(explanation.context.checkpoint, tiny.pixels())):
        bundle = shown._repr_mimebundle_()
        assert Image.open(io.BytesIO(bundle["image/png"])).width > 500
        assert len(bundle["text/plain"]) == len(repr(shown)) < 300


@pytest.mark.parametrize("method", ["nonsense", "", "Average"])
def test_an_unknown_method_is_refused_and_nothing_written(explanation, tmp_path, method):
    with refuses("method"):
        explanation.map(method)
    for ending in ("png", "npz"):
        with refuses("method"):
            explanation.save(tmp_path / f"map.{ending}", method=method)
    assert not list(tmp_path.iterdir())


def test_public_names_exist_and_others_do_not():
    assert vitviz.explain is explain
    assert vitviz.METHODS is METHODS
    assert {*vitviz.__all__, "__version__"} == set(dir(vitviz))
    for name in vitviz.__all__:
        assert getattr(vitviz, name) is not None
    with pytest.raises(AttributeError, match="module 'vitviz' has no attribute 'nonsense'"):
        _ = vitviz.nonsense


def test_the_file_names_model_target_and_preprocessing(explanation, tmp_path):
    for target, names in (("class 3", ["class 3"]), (("class 3", 5), ["class 3", "class 5"])):
        explanation.save(tmp_path / "numbers.npz", target=target)
        with np.load(tmp_path / "numbers.npz", allow_pickle=False) as found:
            assert found["target"].tolist() == names
            assert (str(found["checkpoint"]), found["prefix"].shape[-1]) == ("tiny", 1)
            assert (str(found["note"]), str(found["changes"])) == ("original size, 28 × 20", "")


def test_a_figure_can_be_drawn_in_memory(explanation):
    buffer = io.BytesIO()
    explanation.figure().savefig(buffer)
    assert buffer.getvalue().startswith(b"\x89PNG")


# Public properties, scores and ablation


def test_prediction_logits_and_class_token_attention_agree(tiny_checkpoint):
    found = explain(tiny_checkpoint, tiny.pixels())
    assert found.prediction == found.labels[found.probabilities.argmax()]
    powers = np.exp(found.logits.astype(float))
    np.testing.assert_allclose(found.probabilities, powers / powers.sum(), rtol=1e-5)
    assert found.cls_attention.shape == (L, A, tiny.T)
    np.testing.assert_array_equal(found.cls_attention, found.attention[:, :, 0])


def test_a_model_trained_without_labels_has_no_prediction(tiny_checkpoint):
    record = {"train_config": {"objective": "mae"}}
    found = explain(replace(tiny_checkpoint, record=record), tiny.pixels())
    with pytest.raises(ValueError, match="tiny predicts no class: it was trained without labels"):
        found.prediction  # noqa: B018 (reading the property raises)


def test_a_batch_of_any_kind_is_explained_in_one_forward_pass(tiny_checkpoint, monkeypatch, subtests):
    images = [tiny.pixels(seed=seed) for seed in range(3)]
    single = [explain(tiny_checkpoint, image) for image in images]
    first = torch.tensor(np.stack(images)).movedim(3, 1)  # (B, 3, H, W)
    batches = {
        "list": images,
        "tuple": tuple(images),
        "generator": (image for image in images),
        "array": np.stack(images),
        "tensor": first,
        "tensor of floats": first / 255,
    }
    network, real = type(tiny_checkpoint.network), tiny_checkpoint.network.forward_with_attention
    passes = []
    monkeypatch.setattr(
        network, "forward_with_attention", lambda self, x, *args: passes.append(len(x)) or real(x, *args)
    )
    for name, batch in batches.items():
        with subtests.test(name):
            passes.clear()
            found = explain(tiny_checkpoint, batch)
            assert passes == [3]
            for one, expected in zip(found, single, strict=True):
                np.testing.assert_allclose(one.logits, expected.logits, rtol=1e-5, atol=1e-6)
                np.testing.assert_allclose(one.attention, expected.attention, rtol=1e-5, atol=1e-6)
                np.testing.assert_allclose(one.map("relevance"), expected.map("relevance"), rtol=1e-4, atol=1e-6)
    assert explain(tiny_checkpoint, []) == []
    with refuses(file="image 2 of 3"):
        explain(tiny_checkpoint, [images[0], None, images[1]])
    for unordered in (set("ab"), {"cat": "cat"}):
        with pytest.raises(ImageError):
            explain(tiny_checkpoint, unordered)


def test_a_normalized_tensor_enters_the_network_as_it_is(tiny_checkpoint):
    expected = explain(tiny_checkpoint, tiny.pixels())
    found = explain(tiny_checkpoint, expected.context.image[None], normalized=True)[0]
    np.testing.assert_array_equal(found.logits, expected.logits)
    assert np.array_equal(found.image.model_input, expected.image.model_input)
    assert found.image.note == "normalized by the caller, original size, 28 × 20"
    for image in (torch.zeros(3, 8, 8), expected.context.image.int(), tiny.pixels(), expected.context.image / 0):
        with pytest.raises(ImageError):
            explain(tiny_checkpoint, image, normalized=True)


def test_a_module_is_explained_and_probed_without_loading_it():
    module = timm.models.VisionTransformer(img_size=32, patch_size=8, embed_dim=32, depth=1, num_heads=2, num_classes=3)
    expected = vitviz.load(module, device="cpu")
    np.testing.assert_array_equal(explain(module, "cat").logits, explain(expected, "cat").logits)
    np.testing.assert_array_equal(vitviz.probe(module, "cat").entropy, vitviz.probe(expected, ["cat"]).entropy)


def test_the_score_of_a_method_is_that_of_its_map_next_to_random_rankings(tiny_checkpoint):
    found = explain(tiny_checkpoint, tiny.pixels())
    expected = faithfulness.score(found.context, {"x": found.map("relevance", 3)}, 3)
    scored = found.score("relevance", (3, 5))
    alone = found.score("relevance", "class 3")
    assert (alone.deletion, alone.insertion) == (expected.scores["x"].deletion, expected.scores["x"].insertion)
    assert alone.gap == alone.insertion - alone.deletion
    assert alone.n_random == scored.n_random == faithfulness.N_RANDOM
    deletions = [one.deletion for one in expected.random_baseline]
    assert alone.random_deletion == pytest.approx(np.mean(deletions))
    assert alone.random_gap_std == pytest.approx(np.std([one.gap for one in expected.random_baseline]))
    with refuses("baseline"):
        found.score("relevance", baseline="black")


def test_a_score_is_a_fraction_of_that_of_the_greedy_order(tiny_checkpoint):
    found = explain(tiny_checkpoint, tiny.pixels())
    alone, scored = found.score("relevance", 3), found.score("relevance", 3, greedy=True)
    assert (alone.greedy_deletion, alone.fraction_of_greedy) == (None, None)
    assert scored.deletion == pytest.approx(alone.deletion, abs=1e-6)
    assert scored.greedy_deletion == pytest.approx(found.score("greedy", 3).deletion, abs=1e-6)
    distance = scored.random_deletion - scored.greedy_deletion
    assert scored.fraction_of_greedy == pytest.approx((scored.random_deletion - scored.deletion) / distance)
    assert found.score("greedy", 3, greedy=True).fraction_of_greedy == pytest.approx(1)
    with pytest.raises(ValueError, match=r"greedy needs the baseline mean, as its order paints .*: got drop"):
        found.score("relevance", 3, "drop", greedy=True)
    assert dataclasses.replace(scored, greedy_deletion=1.0).fraction_of_greedy is None


def test_a_flat_map_has_no_score(tiny_checkpoint):
    found = explain(tiny_checkpoint, tiny.pixels())
    rounding = 1e-8 * np.random.default_rng(0).random(tiny.N)
    found.context.maps["average", find_target(found.context)] = (0.01 + rounding).astype(np.float32)
    with pytest.raises(ValueError, match="The map of average has no score: it gives all patches the same value"):
        found.score("average")


@pytest.mark.parametrize("patch_mode", ["drop", "gray"])
def test_an_ablated_explanation_is_independent_of_the_original(patch_mode):
    checkpoint = tiny.checkpoint()
    whole = explain(checkpoint, tiny.pixels())
    found = whole.ablate([(5, 0), (1, 1)], [12, 13], patch_mode=patch_mode)
    expected = ablate(whole.context, [(5, 0), (1, 1)], [12, 13], patch_mode)
    np.testing.assert_array_equal(found.logits, expected.logits)
    np.testing.assert_array_equal(found.attention, expected.attention)
    assert found.original is whole
    words = "2 patches removed" if patch_mode == "drop" else "2 patches painted gray"
    assert describe_ablations(found.ablations) == f"2 heads ablated, {words}"
    color = (255, 255, 255) if patch_mode == "drop" else (128, 102, 76)
    shown = np.asarray(found.image.model_input)
    assert shown[4 * 1 + 2, 4 * 5 + 2].tolist() == list(color)
    assert (shown != tiny.pixels()).any(-1).sum() == 2 * 16
    for method in found.methods:
        assert np.isfinite(found.map(method, 3)).all(), method
    assert (patch_mode == "gray") or not found.map("average").ravel()[[12, 13]].any()
    assert np.abs(found.map("relevance", 3) - whole.map("relevance", 3)).max() > 1e-4


def test_scores_of_an_ablated_explanation_are_those_of_its_state(tiny_checkpoint):
    whole = explain(tiny_checkpoint, tiny.pixels())
    found = whole.ablate([(5, 0)], [12, 13], patch_mode="gray")
    target = 3
    pixels = np.asarray(found.image.model_input)
    ranking = np.random.default_rng(0).permutation(tiny.N)[None]
    curve = faithfulness.deletion_curves(found.context, ranking, target, "mean")[0]
    assert curve[0] == pytest.approx(found.probabilities[target], abs=1e-6)
    assert abs(curve[0] - whole.probabilities[target]) > 1e-4
    assert np.isfinite(found.score("relevance", target).gap)
    repainted = explain(tiny_checkpoint, pixels).ablate([(5, 0)])
    np.testing.assert_allclose(found.probabilities, repainted.probabilities, atol=1e-2)  # the color is rounded
    with pytest.raises(ValueError, match="The baseline drop needs all patches: some are removed already"):
        whole.ablate(patches=[3]).score("relevance", baseline="drop")


def test_ablations_accumulate(tiny_checkpoint):
    whole = explain(tiny_checkpoint, tiny.pixels())
    once = whole.ablate([(5, 0), (1, 1)], [12, 13])
    twice = whole.ablate([(5, 0)], [12]).ablate([(1, 1)], [13])
    np.testing.assert_allclose(twice.logits, once.logits, atol=1e-5)
    np.testing.assert_array_equal(np.isnan(twice.attention), np.isnan(once.attention))
    assert twice.original is whole
    assert describe_ablations(twice.ablations) == "1 head ablated, 1 patch removed, 1 head ablated, 1 patch removed"
    assert describe_ablations(whole.ablate([(5, 0), [5, 0]], [3, 3]).ablations) == "1 head ablated, 1 patch removed"
    others = [patch for patch in range(tiny.N) if patch != 12]
    with pytest.raises(ValueError, match="Not all patches can be removed"):
        whole.ablate(patches=[12]).ablate(patches=others)


def test_mean_ablation_uses_the_samples_by_default(tiny_checkpoint):
    whole = explain(tiny_checkpoint, tiny.pixels())
    means = mean_head_outputs(tiny_checkpoint, load_samples((tiny.H, tiny.W)))
    found = whole.ablate([(2, 1)], mode="mean")
    np.testing.assert_array_equal(found.logits, ablate(whole.context, [(2, 1)], head_means=means).logits)
    assert describe_ablations(found.ablations) == "1 head ablated (mean)"
    with refuses("mode"):
        whole.ablate([(2, 1)], mode="noise")


def test_maps_average_over_the_heads_that_are_not_ablated(tiny_checkpoint):
    found = explain(tiny_checkpoint, tiny.pixels()).ablate([(L - 1, 0)])
    np.testing.assert_allclose(found.map("attention"), found.cls_maps[L - 1, 1], atol=1e-6)
    np.testing.assert_allclose(found.average, np.nanmean(found.cls_maps, (0, 1)), atol=1e-6)
    layer = explain(tiny_checkpoint, tiny.pixels()).ablate([(0, 0), (0, 1)])
    uncut = explain(tiny_checkpoint, tiny.pixels()).ablate([(0, 0)])
    assert np.isfinite(layer.map("rollout")).all()
    assert np.abs(layer.map("rollout") - uncut.map("rollout")).max() > 1e-4


def test_the_gradcam_formula_holds_for_mean_pooling():
    formula = METHODS["attention_gradcam"].formula
    assert "the class token's, or the mean of the patches'" in formula
    pooled = explain(tiny.checkpoint(tiny.VARIANTS["mean of patches"]), tiny.pixels())
    weights = np.full(tiny.N, 1 / tiny.N)
    rows = np.einsum("i,hij->hj", weights, pooled.attention[-1, :, 1:, 1:])  # (A, N)
    grads = pooled.context.gradients(3).attention[-1, :, 1:, 1:].sum(1)  # (A, N)
    expected = np.maximum((grads.mean(1, keepdims=True) * rows).mean(0), 0)
    np.testing.assert_allclose(pooled.map("attention_gradcam", 3).ravel(), expected, rtol=1e-3, atol=1e-7)


def test_the_figure_prints_the_note_of_an_incomplete_map(tiny_checkpoint):
    found = explain(replace(tiny_checkpoint), tiny.pixels())
    method, target = "integrated_gradients", find_target(found.context)
    note = "not complete: the sum is 1.00, the logits differ by 2.00"
    found.context.notes[method, target] = note
    assert note in " ".join(drawn(found.figure(method=method)))
    assert note not in " ".join(drawn(found.figure(method=method, target=(target + 1) % K)))
