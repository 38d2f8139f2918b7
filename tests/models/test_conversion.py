"""Pickles and zero-shot heads become files of vitviz; hostile and foreign pickles are refused."""

import argparse
import fractions
import json
import os
import pathlib
import pickle
import shutil
import sys
from unittest.mock import Mock

import numpy as np
import pytest
import safetensors.torch
import timm
import torch
import torchvision
from torch import nn

import vitviz
from tests.models import families
from tests.models.two_towers import MODELS, TEXTS, save_two_towers
from vitviz.data.preprocessing import to_tensor
from vitviz.errors import CheckpointError, ConfigError
from vitviz.models import checkpoint, downloads, pickles, states, zero_shot
from vitviz.models.conversion import convert

PIXELS = families.images(families.SQUARE, torch.float32)


@pytest.fixture
def weights(tmp_path):
    """A state_dict of timm, and a folder with the config.json of the model."""
    other = families.build("timm ViT", dtype=torch.float32)
    families.save("timm ViT", other, tmp_path / "like")
    (tmp_path / "like" / "model.safetensors").unlink()
    return other


NESTINGS = {
    "bare": lambda state: state,
    "of a training": lambda state: {"epoch": 3, "state_dict": state, "optimizer": {"lr": 0.1}},
    "of a tutorial": lambda state: {"model_state_dict": state, "loss": torch.tensor(0.5)},
    "with options": lambda state: {"args": argparse.Namespace(lr=0.1), "model": state},
    "under any key": lambda state: {"network": state, "optimizer": {"state": {0: {"exp_avg": torch.ones(3)}}}},
    "of DINO": lambda state: {"student": {k: v + 1 for k, v in state.items()}, "teacher": state},
    "averaged": lambda state: {"state_dict": {k: v + 1 for k, v in state.items()}, "state_dict_ema": state},
}


@pytest.mark.parametrize("nesting", NESTINGS)
def test_the_weights_in_a_checkpoint_are_found(nesting, weights):
    state = weights.state_dict()
    found = states.find_state(NESTINGS[nesting](state))
    assert found.keys() == state.keys()
    assert all(torch.equal(found[name], tensor) for name, tensor in state.items())
    assert states.find_state({"epoch": 3, "lr": torch.tensor(1)}) == {}


@torch.no_grad()
def test_a_pickle_of_a_known_model_is_converted(weights, tmp_path):
    torch.save({"args": argparse.Namespace(lr=0.1), "model": weights.state_dict()}, tmp_path / "mine.pth")
    model = convert(tmp_path / "mine.pth", tmp_path / "like", labels=list("abcde"))
    assert (model.name, model.labels) == ("mine", tuple("abcde"))
    torch.testing.assert_close(model.network(PIXELS), weights(PIXELS), rtol=0, atol=1e-5)


def test_the_command_writes_a_file_that_loads(run_vitviz, weights, tmp_path):
    torch.save(weights.state_dict(), tmp_path / "mine.pth")
    (tmp_path / "names.txt").write_text("u\nv\nw\nx\ny\n")
    out = tmp_path / "out.safetensors"
    options = ("--like", tmp_path / "like", "--labels", tmp_path / "names.txt", "--img-size", "32x48")
    code, text, error = run_vitviz("convert", tmp_path / "mine.pth", out, *options)
    assert (code, error) == (0, "")
    assert text.startswith(f"{out}: 5 classes, 32 x 48 pixels")
    model = vitviz.load(out, device="cpu")
    assert (model.labels, model.config.img_size) == (tuple("uvwxy"), (32, 48))


def test_an_architecture_of_timm_is_enough_without_a_network(monkeypatch, tmp_path):
    monkeypatch.setattr(downloads, "download", Mock(side_effect=CheckpointError("no network")))
    other = timm.create_model("vit_small_patch16_dinov3", depth=1, img_size=64, num_classes=0)
    torch.save(other.state_dict(), tmp_path / "mine.pth")
    model = convert(tmp_path / "mine.pth", "timm:vit_small_patch16_dinov3", img_size=(64, 64))
    assert (model.config.rope_type, model.config.num_heads, model.mean[0]) == ("dinov3", 6, 0.485)
    match = r"no network. Or name the architecture alone, .*: `like=timm:vit_small_patch16_dinov3`\.$"
    with pytest.raises(CheckpointError, match=match):  # the preprocessing of these weights may be another one
        convert(tmp_path / "mine.pth", "timm:vit_small_patch16_dinov3.lvd1689m", img_size=(64, 64))
    with pytest.raises(CheckpointError, match="is of the family resnet50"):
        convert(tmp_path / "mine.pth", "timm:resnet50")


STORED = {"args": argparse.Namespace(model="vit_small_patch16_dinov3", lr=0.1)}


@torch.no_grad()
def test_an_architecture_of_torchvision_is_enough(tmp_path):
    other = torchvision.models.VisionTransformer(64, 16, 1, 2, 128, 96, num_classes=5).eval()
    torch.nn.init.normal_(other.heads.head.weight, std=0.1)
    torch.save(other.state_dict(), tmp_path / "mine.pth")
    model = convert(tmp_path / "mine.pth", "torchvision:vit_b_16")
    pixels = families.images((64, 64), torch.float32)
    torch.testing.assert_close(model.network(pixels), other(pixels), rtol=0, atol=1e-5)
    assert (model.mean[0], model.pretrained["library"]) == (0.485, "torchvision")
    with pytest.raises(CheckpointError, match="swin_t \\(windowed"):
        convert(tmp_path / "mine.pth", "torchvision:swin_t")


def test_the_architecture_that_a_training_stored_is_enough(monkeypatch, tmp_path):
    monkeypatch.setattr(downloads, "download", Mock(side_effect=CheckpointError("no network")))
    other = timm.create_model("vit_small_patch16_dinov3", depth=1, img_size=64, num_classes=0)
    torch.save({"state_dict": other.state_dict(), **STORED}, tmp_path / "mine.pth")
    model = convert(tmp_path / "mine.pth", img_size=(64, 64))
    assert (model.config.rope_type, model.config.num_heads) == ("dinov3", 6)


@pytest.mark.parametrize("content", [None, [], {"arch": 3}, {"arch": "../x"}, {"args": {"model": ["x"]}}, {"args": 5}])
def test_an_architecture_that_is_no_name_is_ignored(content):
    assert states.find_architecture(content) == ""
    assert states.find_architecture(STORED) == states.find_architecture({"arch": "vit_small_patch16_dinov3"})


def test_weights_without_a_config_ask_for_one(weights, tmp_path):
    torch.save(weights.state_dict(), tmp_path / "mine.pth")
    with pytest.raises(
        CheckpointError, match=r"no config\.json for 'mine\.pth'\. Name the model with `like=timm:NAME`"
    ):
        convert(tmp_path / "mine.pth")
    safetensors.torch.save_file(weights.state_dict(), tmp_path / "mine.safetensors")
    assert convert(tmp_path / "mine.safetensors", tmp_path / "like").config.depth == families.L


def test_load_of_a_pickle_names_the_command(weights, tmp_path):
    torch.save(weights.state_dict(), tmp_path / "mine.pth")
    with pytest.raises(CheckpointError, match=r"convert them once with `vitviz convert FILE OUT\.safetensors --like"):
        vitviz.load(tmp_path / "mine.pth")


class Hostile:
    """Creates a file when it is unpickled without care."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("writer", ["torch", pytest.param("pickle", marks=pytest.mark.slow)])
def test_a_hostile_pickle_is_refused_and_runs_nothing(writer, weights, tmp_path):
    content = {"state_dict": weights.state_dict(), "hook": Hostile(tmp_path / "ran")}
    if writer == "torch":
        torch.save(content, tmp_path / "mine.pth")
    else:
        (tmp_path / "mine.pth").write_bytes(pickle.dumps(content))
    with pytest.raises(
        CheckpointError, match=r"must hold tensors alone and be complete: 'mine\.pth' holds other objects"
    ):
        convert(tmp_path / "mine.pth", tmp_path / "like")
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_truncated_empty_and_foreign_pickles_are_refused(weights, tmp_path):
    torch.save(weights.state_dict(), tmp_path / "mine.pth")
    content = (tmp_path / "mine.pth").read_bytes()
    (tmp_path / "cut.pth").write_bytes(content[: len(content) // 2])
    torch.save({"epoch": 3}, tmp_path / "none.pth")
    for name, match in (("cut.pth", "is damaged"), ("none.pth", "has none that vitviz finds")):
        with pytest.raises(CheckpointError, match=match):
            convert(tmp_path / name, tmp_path / "like")


def test_tensors_larger_than_their_file_are_refused_before_they_are_copied(weights, tmp_path, subtests):
    tensors = {
        "views": {"blocks.0.weight": torch.zeros(1).expand(700, 700)},
        "many": {f"blocks.{k}.weight": torch.zeros(1) for k in range(20_001)},
    }
    for name, state in tensors.items():
        torch.save(state, tmp_path / f"{name}.pkl")
        with (
            subtests.test(name),
            pytest.raises(CheckpointError, match="at most 20,000 tensors, no larger than the file"),
        ):
            convert(tmp_path / f"{name}.pkl", tmp_path / "like")


def test_records_beside_the_weights_are_read_and_a_refused_class_is_named(weights, tmp_path):
    records = {"args": argparse.Namespace(lr=0.1), "best": np.float64(0.9), "path": pathlib.PurePosixPath("a")}
    torch.save({"model": weights.state_dict(), **records}, tmp_path / "mine.tar")
    assert convert(tmp_path / "mine.tar", tmp_path / "like").config.depth == families.L
    torch.save({"model": weights.state_dict(), "trainer": fractions.Fraction(1, 2)}, tmp_path / "mine.tar")
    with pytest.raises(CheckpointError, match=r"holds other objects or is damaged \(fractions\.Fraction\)"):
        convert(tmp_path / "mine.tar", tmp_path / "like")


def test_the_reader_has_limits(monkeypatch, weights, tmp_path):
    monkeypatch.setattr(pickles, "SECONDS", 0.01)
    torch.save(weights.state_dict(), tmp_path / "mine.pth")
    with pytest.raises(CheckpointError, match=r"must be read within 0\.01\d* s and 2 GiB"):
        convert(tmp_path / "mine.pth", tmp_path / "like")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the memory of a process")
def test_the_reader_may_take_memory_beyond_what_it_has_already(monkeypatch):
    limits = {}
    monkeypatch.setattr(pickles, "set_limit", limits.__setitem__)
    pickles.limit(10**6)
    assert max(limits.values()) > pickles.MEMORY + pickles.PER_BYTE * 10**6


def test_the_command_names_invalid_options(run_vitviz, tmp_path):
    assert "OUT must end in .safetensors: got a.pt" in run_vitviz("convert", "cifar10-ti4", "a.pt")[2]
    error = run_vitviz("convert", "cifar10-ti4", tmp_path / "a.safetensors", "--img-size", "big")[2]
    assert "--img-size must be HxW in pixels: got 'big'" in error
    error = run_vitviz("convert", "cifar10-ti4", tmp_path / "a.safetensors", "--classes", "a,b")[2]
    assert "needs a model of transformers with a text encoder: cifar10-ti4 is ViT" in error
    assert not (tmp_path / "a.safetensors").exists()


# Zero-shot heads


@pytest.mark.parametrize("name", MODELS)
@torch.no_grad()
def test_zero_shot_logits_equal_those_of_transformers(name, tmp_path, run_vitviz):
    other, tokenizer = save_two_towers(name, tmp_path / "model")
    out = tmp_path / "out.safetensors"
    code, _, error = run_vitviz("convert", tmp_path / "model", out, "--classes", ", ".join(TEXTS))
    assert (code, error) == (0, "")
    padding = "max_length" if name.startswith("SigLIP") else True
    tokens = tokenizer(list(TEXTS), padding=padding, return_tensors="pt")
    inputs = {key: tokens[key] for key in ("input_ids", "attention_mask")} | families.arguments(name, PIXELS)
    expected = other(**inputs).logits_per_image
    model = vitviz.load(out, device="cpu")
    assert model.labels == TEXTS
    assert model.is_classifier
    assert expected.std() > 0.1
    loaded = vitviz.load(tmp_path / "model", device="cpu", classes=TEXTS)
    assert not any("not compared" in note for note in loaded.notes)
    for one in (model, loaded, zero_shot.with_classes(zero_shot.with_classes(loaded, TEXTS[::-1]), TEXTS)):
        torch.testing.assert_close(one.network(PIXELS), expected, rtol=1e-5, atol=1e-5)
    assert model.record["zero_shot"]["logit_bias"] == (-3.0 if name.startswith("SigLIP") else 0.0)


@pytest.mark.parametrize("name", ["CLIP", "SigLIP"])
@torch.no_grad()
def test_text_similarity_is_the_cosine_of_the_text_and_each_patch_pooled_alone(name, tmp_path):
    other, tokenizer = save_two_towers(name, tmp_path)
    model = vitviz.load(tmp_path, device="cpu", classes=TEXTS)
    explanation = vitviz.explain(model, "cat")
    tokens = tokenizer(list(TEXTS), padding=True if name == "CLIP" else "max_length", return_tensors="pt")
    texts = other.get_text_features(tokens["input_ids"], tokens["attention_mask"]).pooler_output
    tower = other.vision_model
    pixels = model.normalize(to_tensor(explanation.image.model_input)[None])
    hidden = tower(pixels, output_hidden_states=True).hidden_states[-1][0, -16:]
    pooled = tower.post_layernorm(hidden)
    patches = (
        other.visual_projection(pooled) if name == "CLIP" else torch.cat([tower.head(x[None, None]) for x in pooled])
    )
    expected = torch.cosine_similarity(patches[:, None], texts[None], dim=-1).reshape(4, 4, 3)
    assert expected.std(dim=(0, 1)).min() > 0.01
    for k, text in enumerate(TEXTS):
        found = explanation.map("text_similarity", target=text)
        torch.testing.assert_close(torch.from_numpy(found), expected[..., k], rtol=1e-5, atol=1e-5)
    removed = explanation.ablate(patches=[5]).map("text_similarity", target=0)
    assert removed[1, 1] == 0
    assert np.count_nonzero(removed) == 15
    with pytest.raises(ConfigError, match="compares patches with texts: the classes of cifar10-ti4 are none"):
        vitviz.explain(vitviz.load("cifar10-ti4", device="cpu"), "cat").map("text_similarity")


@pytest.mark.slow
def test_every_method_explains_a_word(tmp_path):
    save_two_towers("CLIP", tmp_path / "model")
    checkpoint.save(convert(tmp_path / "model", classes=TEXTS), tmp_path / "out.safetensors")
    explanation = vitviz.explain(vitviz.load(tmp_path / "out.safetensors", device="cpu"), "cat")
    for key in explanation.methods:
        assert explanation.map(key, target="a dog").shape == (4, 4), key


def test_zero_shot_classes_need_a_text_encoder_and_two_texts(tmp_path):
    other, _ = save_two_towers("CLIP", tmp_path / "model")
    for classes, problem in (
        (["a cat"], "`classes` must be at least 2 texts, none of them empty: got a cat"),
        ("a cat", "must be at least 2 texts, none of them empty: got a cat"),
        (["a cat", " "], "must be at least 2 texts, none of them empty: got a cat"),
        (["a cat", "a cat"], "must be different texts: 'a cat' is given twice"),
        (["a cat", 20 * "dog "], r"Each text must have at most 12 tokens: 'dog dog dog .*' has 21"),
    ):
        with pytest.raises(CheckpointError, match=problem):
            vitviz.load(tmp_path / "model", classes=classes)
    many = vitviz.load(tmp_path / "model", device="cpu", classes=[f"a cat {k}" for k in range(1000)])
    assert many.network(PIXELS).shape[1] == 1000
    with pytest.raises(CheckpointError, match=r"needs the text encoder of the model: .* is a module in memory"):
        vitviz.load(other, classes=TEXTS)
    with pytest.raises(CheckpointError, match=r"weights in memory, or with `like`, have none"):
        vitviz.load(other.state_dict(), like=tmp_path / "model", classes=TEXTS)
    image_only = families.saved("CLIP", tmp_path / "image_only")
    shutil.copytree(tmp_path / "model", tmp_path / "no_tokenizer", ignore=shutil.ignore_patterns("tokenizer*"))
    shutil.copytree(tmp_path / "model", tmp_path / "no_text")
    tensors = safetensors.torch.load_file(tmp_path / "model" / "model.safetensors")
    kept = {key: tensor for key, tensor in tensors.items() if not key.startswith("text_model")}
    safetensors.torch.save_file(kept, tmp_path / "no_text" / "model.safetensors")
    (image_only / "tokenizer.json").write_bytes((tmp_path / "model" / "tokenizer.json").read_bytes())
    shutil.copytree(tmp_path / "model", tmp_path / "damaged")
    (tmp_path / "damaged" / "tokenizer.json").write_text("{}")
    for folder, problem in (
        (tmp_path / "no_tokenizer", r"there is none of tokenizer\.json"),
        (tmp_path / "no_text", "the weights are not those of both encoders"),
        (image_only, "the weights are not those of both encoders"),
        (tmp_path / "damaged", ""),
    ):
        with pytest.raises(CheckpointError, match=f"the text encoder and the tokenizer of {folder.name}: {problem}"):
            convert(folder, classes=TEXTS)
    with pytest.raises(CheckpointError, match="timm_clip is CLIP of timm, whose files have none"):
        convert(families.saved("timm CLIP", tmp_path / "timm_clip"), classes=TEXTS)


# Names of ImageNet-1k


def test_a_model_of_1000_classes_without_names_has_those_of_imagenet(tmp_path):
    other = families.BUILDERS["timm ViT"]((32, 32))
    other.reset_classifier(1000)
    families.save("timm ViT", other, tmp_path)
    labels = vitviz.load(tmp_path).labels
    assert (labels[0], labels[134], labels[281], labels[517], labels[999]) == (
        *("tench", "crane (bird)", "tabby", "crane (machine)", "toilet tissue"),
    )
    assert len(set(labels)) == 1000
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"label_names": [f"my {k}" for k in range(1000)]}))
    assert vitviz.load(tmp_path).labels[999] == "my 999"


# A state_dict in memory


def named(like, folder):
    return {
        "module": families.build("timm ViT", dtype=torch.float32),
        "folder": folder,
        "config": json.loads((folder / "config.json").read_text()),
    }[like]


@pytest.mark.parametrize("like", ["module", "folder", "config"])
@pytest.mark.parametrize("nesting", [lambda state: state, lambda state: {"epoch": 3, "model": state}])
@torch.no_grad()
def test_a_state_dict_loads_with_the_architecture_of_another_model(tmp_path, like, nesting):
    families.save("timm ViT", families.build("timm ViT", dtype=torch.float32), tmp_path)
    model = families.build("timm ViT", dtype=torch.float32)
    model.reset_classifier(3)
    state = model.state_dict()
    found = vitviz.load(nesting(state), like=named(like, tmp_path), device="cpu")
    torch.testing.assert_close(found.network(PIXELS), model(PIXELS), rtol=1e-5, atol=1e-5)
    assert (found.name, found.config.num_classes) == ("state_dict", 3)
    state["head.weight"].zero_()
    assert found.network.head.weight.any(), "the tensors must be copied"


@torch.no_grad()
def test_a_state_dict_of_transformers_and_a_file_load_with_a_config(tmp_path):
    model = families.build("ViT", dtype=torch.float32)
    safetensors.torch.save_file(model.state_dict(), tmp_path / "weights.safetensors")
    for weights in (model.state_dict(), tmp_path / "weights.safetensors"):
        found = vitviz.load(weights, like=model.config, device="cpu")
        torch.testing.assert_close(found.network(PIXELS), model(PIXELS).logits, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "like", "match"),
    [
        ({}, "timm:vit_tiny_patch16_224", r"A state_dict must have floating-point tensors by their names: got \[\]"),
        ({"a": 1}, "timm:vit_tiny_patch16_224", r"got \['a'\]\. Pass `module\.state_dict\(\)`"),
        ({"a": torch.ones(1)}, None, "like must be the name of a model, a folder, a module or a config: got None"),
        ({"a": torch.ones(1)}, 5, "got 5"),
        ("cifar10-ti4", "timm:vit_tiny_patch16_224", "like is for weights without a config, and for adapters"),
        (nn.Linear(1, 1), "timm:vit_tiny_patch16_224", "like is for weights without a config, and for adapters"),
    ],
)
def test_weights_without_tensors_or_architecture_are_refused(name, like, match):
    with pytest.raises(CheckpointError, match=match):
        vitviz.load(name, like=like)
