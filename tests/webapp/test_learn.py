"""Numbers of a lesson by its routes against the library, for several kinds of models."""

import base64
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny, tutorials
from tests.tutorials import TUTORIALS
from tests.webapp.api import CAT, routes
from vitviz.attribution import image_statistics, lesson
from vitviz.attribution.explanation import explain, swap_class_token
from vitviz.data.preprocessing import sample_paths
from vitviz.models.checkpoint import Checkpoint

HEADLESS = replace(tiny.CONFIG, num_classes=0)
BEIT = replace(tiny.CONFIG, rel_pos_bias=True, pos_embed="none", qkv_bias=True)
CONFIGS = tiny.VARIANTS | {"no head": HEADLESS, "relative position bias": BEIT}
WORDS = json.loads((Path(__file__).parents[2] / "frontend" / "src" / "text" / "lesson.json").read_text())
SHIPPED = CAT | {"model": "cifar10-ti4"}


@pytest.fixture(scope="module")
def client():
    with routes() as found:
        yield found


@pytest.fixture(scope="module")
def cat():
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


@pytest.fixture
def ask(client):
    """A function that requests a part of the lesson, by default of the shipped model."""

    def get(part="", subject=SHIPPED, **choices):
        return client.get(f"explanations/lesson{part}", subject=subject, **choices)

    return get


def opened(client, checkpoint):
    """Let the page know a model by its name; return the subject with the cat."""
    models = client.backend.inputs.opener.models
    models.requested[checkpoint.name] = models.states[checkpoint.name] = checkpoint.name
    models.loaded[checkpoint.name] = checkpoint
    return CAT | {"model": checkpoint.name}


def floats(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4")


@pytest.mark.parametrize("name", CONFIGS)
def test_every_model_has_a_lesson(client, ask, name):
    config = CONFIGS[name]
    subject = opened(client, replace(tiny.checkpoint(config), name=name))
    reply = ask(subject=subject)
    assert reply["model"]["patch"] == [4, 4]
    assert reply["model"]["head_dim"] == reply["model"]["scaled_width"] == 9
    assert reply["model"]["rel_pos_bias"] == config.rel_pos_bias
    assert len(reply["lens"]) == len(reply["norms"]) == 7
    assert (reply["patch_predictions"] is not None) == (config.global_pool == "token" and config.num_classes > 0)
    assert (reply["reshaped"] is not None) == bool(config.num_classes)
    assert (reply["contributions"] is not None) == bool(reply["removals"]) == bool(config.num_classes)
    row = ask("/head", subject, layer=3, head=1)
    assert floats(row["keys"]).size == config.num_tokens * row["size"]
    assert len(ask("/patch", subject, patch=34, dimension=17)["positions"]) == 35


@pytest.mark.parametrize("name", TUTORIALS)
def test_every_tutorial_network_has_a_lesson(client, ask, name):
    labels = tuple(f"class {k}" for k in range(7))
    checkpoint = Checkpoint(name, tutorials.network(name), labels, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), {})
    subject = opened(client, replace(checkpoint, name=f"{name}-7"))
    reply = ask(subject=subject)
    assert reply["model"]["patch"] == ([1, 4] if name == "tutorial-scratch" else [2, 2])
    assert reply["model"]["scaled_width"] == (18 if name.startswith("tutorial-scratch") else 6)
    assert (reply["model"]["qkv_bias"], reply["model"]["qk_norm"]) == (name == "tutorial-lightning", False)
    assert (reply["reshaped"] is None) == (name == "tutorial-scratch")  # which cuts strips itself
    parts = reply["contributions"]
    total = parts["embedding"] + sum(parts["attention"]) + sum(parts["mlp"]) + parts["bias"]
    assert total == pytest.approx(explain(checkpoint, sample_paths()["cat"]).logits.max(), abs=1e-4)
    assert ask("/head", subject, layer=1, head=2)["size"] == 6
    assert len(ask("/patch", subject, patch=59, dimension=17)["positions"]) == 60
    assert len(ask("/removal", subject, patches=[0, 59])["probabilities"]) == 7


def test_the_sizes_are_those_of_the_network(ask, cat):
    model = ask()["model"]
    network = cat.context.model
    assert model["img_size"] == list(cat.context.image.shape[1:])
    assert model["patch"] == [model["patch_size"]] * 2 == list(network.patch_filters().shape[2:])
    assert model["embed_dim"] == network.pos_embed.shape[-1]
    assert model["head_dim"] == model["scaled_width"] == network.blocks[0].attn.qkv.out_features // (3 * 6)
    assert model["mlp_dim"] == network.blocks[0].mlp.fc1.out_features
    assert model["positions"]
    assert not model["rotary"]
    attn = network.blocks[0].attn
    assert model["patch_bias"] == (network.patch_embed.proj.bias is not None)
    assert model["qkv_bias"] == (attn.qkv.bias is not None)
    assert model["qk_norm"] == isinstance(attn.q_norm, torch.nn.LayerNorm)
    assert model["position_start"] == "sine-cosine"
    assert not model["has_sigmoid"]


def test_the_numbers_are_those_of_the_library(ask, cat):
    reply = ask()
    np.testing.assert_allclose(reply["logits"], cat.logits, rtol=1e-6)
    tokens, network = cat.context.output.tokens[:, 0], cat.context.model  # (L + 1, T, D)
    with torch.no_grad():
        np.testing.assert_allclose(reply["lens"], network.forward_head(tokens).softmax(-1), atol=1e-6)
        patches = network.head(network.norm(tokens[-1, 1:])).softmax(-1)
    np.testing.assert_allclose(reply["patch_predictions"], patches, atol=1e-5)
    np.testing.assert_allclose(reply["norms"], tokens[:, 0].norm(dim=-1), rtol=1e-5)
    parts, found = reply["contributions"], cat.contributions()
    np.testing.assert_allclose(parts["attention"], found.attention, atol=1e-6)
    np.testing.assert_allclose(parts["mlp"], found.mlp, atol=1e-6)
    total = parts["embedding"] + sum(parts["attention"]) + sum(parts["mlp"]) + parts["bias"]
    assert total == pytest.approx(parts["logit"], abs=1e-4)
    assert parts["logit"] == pytest.approx(float(cat.logits.max()), abs=1e-5)
    assert [one["method"] for one in reply["removals"]] == ["attention", "average", "balanced_gradients"]
    for one, method in zip(reply["removals"], ("attention", "average", "balanced_gradients"), strict=True):
        values = cat.map(method).ravel()
        assert len(one["patches"]) == 16
        assert min(values[one["patches"]]) >= np.sort(values)[-16]
    assert [one["patches"] for one in reply["random"]] == lesson.random_patches(cat.context, 16)
    for one in [*reply["removals"], *reply["random"]]:
        expected = cat.ablate(patches=one["patches"], patch_mode="gray").probabilities
        np.testing.assert_allclose(one["probabilities"], expected, atol=1e-5)


def test_a_worked_row_gives_the_attention_of_the_head(ask, cat):
    row = ask("/head", layer=4, head=1)
    keys = floats(row["keys"]).reshape(-1, row["size"])
    scores = keys @ floats(row["query"]) / row["size"] ** 0.5
    weights = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(weights, cat.cls_attention[4, 1], atol=1e-6)
    values = cat.context.model.head_values(4, cat.context.output.tokens[4])[0, 1]
    np.testing.assert_allclose(floats(row["values"]), values.detach().flatten(), atol=1e-6)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_block_adds_attention_and_mlp_to_the_query(client, ask, name):
    config = CONFIGS[name]
    checkpoint = replace(tiny.checkpoint(config), name=name)
    subject = opened(client, checkpoint)
    context = explain(checkpoint, sample_paths()["cat"]).context
    token = 0 if config.class_token else config.num_prefix_tokens + 8
    row = {
        key: value if key == "size" else floats(value)
        for key, value in ask("/head", subject, layer=3, head=1, token=token).items()
    }
    tokens = context.output.tokens[:, 0]
    np.testing.assert_allclose(row["input"], tokens[3, token], atol=1e-5)
    np.testing.assert_allclose(row["input"] + row["attention"] + row["mlp"], tokens[4, token], atol=1e-4)
    heads = row["head_weights"].reshape(config.num_heads, -1)
    np.testing.assert_allclose(heads, context.output.attention[3, 0, :, token], atol=1e-5)
    np.testing.assert_allclose(heads[1], row["weights"], atol=1e-5)
    outputs = row["head_outputs"].reshape(config.num_heads, -1)
    np.testing.assert_allclose(outputs[1], row["output"], atol=1e-5)
    reply = ask(subject=subject)
    drawn = floats(reply["tokens"]).reshape(7, len(reply["rows"]), -1)
    np.testing.assert_allclose(drawn, tokens[:, reply["rows"], : lesson.MAX_NUMBERS], atol=1e-5)


def test_of_many_tokens_some_are_drawn():
    config = replace(tiny.CONFIG, img_size=(64, 64), patch_size=4)
    context = explain(tiny.checkpoint(config), sample_paths()["cat"]).context
    rows, tokens = lesson.sample_tokens(context)
    patches = np.array(rows[config.num_prefix_tokens :])
    assert rows[: config.num_prefix_tokens] == list(range(config.num_prefix_tokens))
    assert 32 < len(patches) <= lesson.MAX_ROWS
    assert len(set(np.diff(patches))) == 1
    assert tokens.shape == (7, len(rows), min(lesson.MAX_NUMBERS, config.embed_dim))


def test_a_patch_and_its_place_are_those_of_the_network(ask, cat):
    reply = ask("/patch", patch=36, dimension=7)
    network = cat.context.model
    np.testing.assert_allclose(floats(reply["pixels"]).reshape(3, 4, 4), cat.context.image[:, 16:20, 16:20])
    np.testing.assert_allclose(floats(reply["weights"]), network.patch_filters()[7].detach().flatten())
    assert reply["product"] == pytest.approx(float(floats(reply["pixels"]) @ floats(reply["weights"])), abs=1e-5)
    assert reply["value"] == pytest.approx(cat.context.output.tokens[0, 0, 37, 7].item(), abs=1e-6)
    assert reply["product"] + reply["rest"] == pytest.approx(reply["value"])
    products, tokens = floats(reply["products"]), floats(reply["tokens"]).reshape(7, -1)
    assert products[7] == pytest.approx(reply["product"], abs=1e-5)
    np.testing.assert_allclose(tokens, cat.context.output.tokens[:, 0, 37, : lesson.MAX_NUMBERS], atol=1e-5)
    places = network.pos_embed[0, 1:].detach()
    expected = torch.nn.functional.cosine_similarity(places[36], places)
    np.testing.assert_allclose(reply["positions"], expected, atol=1e-5)


def test_removed_patches_change_the_probabilities_as_in_explore(ask, cat):
    expected = cat.ablate(patches=[27, 28], patch_mode="gray").probabilities
    np.testing.assert_allclose(ask("/removal", patches=[27, 28])["probabilities"], expected, atol=1e-5)


def test_the_game_has_a_best_known_set_and_random_orders(ask, cat):
    reply = ask("/flips")
    probabilities = ask("/removal", patches=reply["best"])["probabilities"]
    assert np.argmax(probabilities) != cat.probabilities.argmax()
    assert len(reply["random"]) == lesson.NUM_RANDOM
    assert len(reply["best"]) < np.median(reply["random"])
    assert ask("/flips") == reply  # from memory


def numbers_of(text):
    """Return the numbers of a text, in order."""
    return [float(found) for found in re.findall(r"\d+(?:\.\d+)?", text)]


def test_the_numbers_of_the_teachers_page_are_those_of_the_library(ask, cat):
    text = (Path(__file__).parents[2] / "docs" / "teaching.md").read_text()
    reply, context = ask(), cat.context
    row = lesson.attention_row(context, 4, 1)
    key = 1 + 4 * 8 + 4
    measured = image_statistics.load(context.checkpoint)
    own = measured.factors.image_specific.mean(1)
    reshaped = lesson.reshaped_prediction(context)
    dog = vitviz.explain(context.checkpoint, sample_paths()["dog"])
    swapped = swap_class_token(cat, dog).probabilities[:, [3, 5]]
    lens = np.round(100 * np.array(reply["lens"]), 1)
    leads = [bool(one[3] > np.delete(one, 3).max()) for one in lens]
    random = np.mean([one["probabilities"][3] for one in reply["random"]])
    weights = sum(one.numel() for one in context.model.patch_embed.parameters())
    said = [
        f"cat, {100 * cat.probabilities[3]:.1f} %, and to strips",
        f"{cat.labels[reshaped.argmax()]}, {100 * reshaped.max():.1f} %.",
        f"{context.config.num_patches} tokens of {3 * context.config.patch_size**2} numbers",
        f"{context.config.embed_dim} outputs and the biases: {weights:,}",
        f"products of {row.query @ row.keys[key]:+.2f}, divided by √{row.query.size},",
        f"are a score of {row.scores[key]:+.2f}, a weight",
        f"a weight of {100 * row.weights[key]:.1f} %; uniform is {100 / row.weights.size:.1f} %",
        f"{100 * own[5]:.0f} % of what differs in the scores in layer 6",
        f"{100 * measured.kept:.1f} % of {measured.factors.images} images keep",
        f"cat from layer {leads.index(True, 1)} on, with {lens[leads.index(True, 1), 3]:.1f} %",
        f"only after layer {int(np.argmax(swapped[:, 1] > swapped[:, 0]))}.",
        f"16 patches by attention leave the cat {100 * reply['removals'][0]['probabilities'][3]:.1f} %",
        f"random ones {100 * random:.1f} % on average",
    ]
    assert [one for one in said if one not in text] == []
    assert own[0] == pytest.approx(0, abs=1e-6)
    assert leads == [True, False, True, True, True, True, True]
    titles = [step["title"] for step in WORDS["steps"]]
    named = re.findall(r"^\| [\d–]+ \| (.*?) \|", text, re.MULTILINE)
    assert [name for cell in named for name in cell.split(", ") if name not in titles] == []


def test_the_answers_of_the_exercises_are_those_of_the_library(cat):
    heads, swap, near = (exercise["answer"] for exercise in WORDS["exercises"])
    model, label = cat.context.checkpoint, int(cat.probabilities.argmax())
    assert WORDS["exercise_model"] == model.name

    def ablated(*chosen):
        return round(100 * float(cat.ablate(heads=[(5, head) for head in chosen]).probabilities[label]), 1)

    each, whole = [ablated(head) for head in range(6)], round(100 * float(cat.probabilities[label]), 1)
    lowest, drop = min(each), round(whole - min(each), 1)
    assert numbers_of(heads) == [drop, whole, lowest, 1 + each.index(lowest), ablated(*range(6))]

    ship, truck, dog = (vitviz.explain(model, sample_paths()[name]) for name in ("ship", "truck", "dog"))

    def follows(first, second):  # the first layer after which the class token decides, and both curves
        curves = swap_class_token(first, second).probabilities
        a, b = (100 * curves[:, int(one.probabilities.argmax())] for one in (first, second))
        return int(np.argmax(b > a)), a, b

    assert follows(cat, dog)[0] == 5 == numbers_of(WORDS["exercises"][1]["task"])[0]
    layer, ships, trucks = follows(ship, truck)
    assert numbers_of(swap) == [5, round(float(ships[5]), 1), layer, round(float(trucks[layer]), 1)]

    probes = vitviz.probe(model)
    layer, head = np.unravel_index(probes.distance.argmin(), probes.distance.shape)
    shown = [head + 1, layer + 1, round(float(probes.distance.min()), 1), round(float(probes.uniform_distance), 1)]
    assert numbers_of(near) == [*shown, 4, 5]
    assert "layer=2&head=2&query=28" in WORDS["exercises"][2]["solution"]  # row 4, column 5 of 8
    assert (layer, head) == (2, 2)


@pytest.mark.parametrize(
    ("part", "choices", "field"),
    [
        ("/head", {"layer": 6, "head": 1}, "layer"),
        ("/head", {"layer": 5, "head": 6}, "head"),
        ("/patch", {"patch": 64}, "patch"),
        ("/patch", {"patch": 1, "dimension": 192}, "dimension"),
        ("/removal", {"patches": [0, 64]}, "patches"),
        ("/removal", {"patches": [-1]}, "patches.0"),
        ("", {"key": "x"}, "key"),
        ("", {"subject": SHIPPED | {"ablations": [{"patches": [3]}]}}, "subject.ablations"),
        ("/flips", {"subject": SHIPPED | {"model": "gpt"}}, "subject.model"),
    ],
)
def test_an_invalid_request_is_refused_by_field(client, part, choices, field):
    assert client.refusal(f"explanations/lesson{part}", **{"subject": SHIPPED} | choices)["field"] == field


def test_the_game_is_refused_without_a_head_and_for_large_models(client, monkeypatch):
    headless = opened(client, replace(tiny.checkpoint(HEADLESS), name="headless"))
    assert "this model has none" in client.refusal("explanations/lesson/flips", subject=headless)["error"]
    monkeypatch.setattr("vitviz.webapp.routes.lessons.MAX_MACS", 1e6)
    assert "This model is large" in client.refusal("explanations/lesson/flips", subject=SHIPPED)["error"]


def test_the_mean_query_is_that_of_the_library_and_needs_measured_heads(ask, client, cat):
    measured = image_statistics.load(cat.context.checkpoint)
    expected = lesson.mean_query(cat.context, measured.factors)
    reply = ask("/mean-query")
    np.testing.assert_allclose(floats(reply["rows"]).reshape(6, 65), expected.rows, atol=1e-6)
    np.testing.assert_allclose(reply["probabilities"], expected.probabilities, atol=1e-6)
    assert (reply["kept"], reply["images"]) == (measured.kept, measured.factors.images)
    np.testing.assert_allclose(reply["image_specific"], measured.factors.image_specific.mean(1), atol=1e-6)
    refusal = client.refusal("explanations/lesson/mean-query", subject=opened(client, tiny.checkpoint()))
    assert "at least 128 images" in refusal["error"]
