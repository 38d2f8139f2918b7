"""Models of timm and transformers compute the same logits, attention and gradients in vitviz."""

import argparse
import json
import subprocess
import sys

import httpx
import huggingface_hub
import numpy as np
import pytest
import safetensors.torch
import timm
import torch
import torch.nn.functional as F
import transformers

import vitviz
from tests.errors import refuses
from tests.models import families
from vitviz.attribution.layered_attention import LayeredAttention
from vitviz.attribution.lesson import attention_row
from vitviz.attribution.serialize import method_scores
from vitviz.errors import CheckpointError
from vitviz.models import checkpoint, hub_cache
from vitviz.models.config_files import flatten, parse
from vitviz.models.families import TRANSFORMERS
from vitviz.models.library_modules import describe_module
from vitviz.models.pretrained import Pretrained, convert
from vitviz.models.weights import weights_sha256

softmax = F.softmax


@pytest.fixture(autouse=True)
def double_softmax(monkeypatch):
    """Transformers computes the softmax in float32; here it keeps the dtype, so that float64 can be compared."""
    monkeypatch.setattr(F, "softmax", lambda x, dim, dtype=None: softmax(x, dim))


# transformers' positions are for square images, and interpolated for wide ones; timm builds each size.
CASES = [(name, size) for name in families.BUILDERS for size in (families.SQUARE, families.WIDE)]
CASES = [(name, size) for name, size in CASES if size == families.WIDE or not name.startswith("timm")]
CASES.remove(("torchvision ViT", families.WIDE))  # which it does not run


@pytest.mark.parametrize(("name", "size"), CASES)
def test_logits_attention_and_gradients_equal_those_of_the_library(name, size):
    other = families.build(name, size)
    network = convert(describe_module(other), size)
    pixels = families.images(size).requires_grad_()
    logits, attention = families.reference(name, other, pixels)
    tolerance = 1e-6 if name in families.PARTLY_FLOAT32 else 1e-10
    direction = torch.randn(logits.shape, generator=torch.Generator().manual_seed(0), dtype=logits.dtype)
    (expected,) = torch.autograd.grad((logits * direction).sum(), pixels)
    ours = network.forward_with_blocks(pixels, "full")
    (grads,) = torch.autograd.grad((ours.logits * direction).sum(), pixels)
    weights = torch.stack([block.weights for block in ours.blocks])
    assert attention.std() > 0.005, "attention must not be uniform"
    torch.testing.assert_close(ours.logits, logits, rtol=0, atol=tolerance)
    torch.testing.assert_close(weights, attention, rtol=0, atol=tolerance)
    torch.testing.assert_close(grads, expected, rtol=0, atol=10 * tolerance)
    torch.testing.assert_close(network(pixels), logits, rtol=0, atol=tolerance)


BEIT = ("timm BEiT", "timm BEiT v2")  # timm's result depends on whether scipy is installed: see "BEiT" of transformers


@pytest.mark.parametrize("name", [name for name in families.BUILDERS if name.startswith("timm") and name not in BEIT])
@torch.no_grad()
def test_positions_of_another_size_are_interpolated_as_by_timm(name):
    other = families.build(name, families.SQUARE)
    network = convert(describe_module(other), families.WIDE)
    other.set_input_size(families.WIDE)
    pixels = families.images(families.WIDE)
    output = network.forward_with_attention(pixels, "full")
    logits, attention = families.reference(name, other, pixels)
    assert network.config.grid_size == (4, 6)
    torch.testing.assert_close(output.logits, logits, rtol=0, atol=1e-6)
    torch.testing.assert_close(output.attention, attention.float(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", families.BUILDERS)
@torch.no_grad()
def test_a_saved_folder_loads_without_the_library(name, tmp_path):
    other = families.build(name, families.SQUARE, torch.float32)
    folder = tmp_path / "model"
    families.save(name, other, folder)
    model = vitviz.load(folder, device="cpu")
    pixels = families.images(families.SQUARE, torch.float32)
    logits, attention = families.reference(name, other, pixels)
    output = model.network.forward_with_attention(pixels, "full")
    assert (model.name, model.config.img_size) == ("model", families.SQUARE)
    assert len(model.labels) == model.config.num_classes
    assert model.is_classifier == (model.config.num_classes > 0)
    torch.testing.assert_close(output.logits, logits, rtol=1e-5, atol=families.rounding(logits))
    torch.testing.assert_close(output.attention, attention, rtol=0, atol=1e-5)


POSITIONS = [  # each kind of rotary positions, and relative position bias
    *("timm RoPE-ViT", "timm RoPE-ViT, mixed", "timm RoPE-ViT, mixed and absolute", "timm Perception Encoder"),
    *("timm EVA-02 base", "timm DINOv3", "timm BEiT"),
]


def run_on_tokens(other, pixels, tokens):
    """Run the blocks of timm's own model on some of its tokens (positions, class token included)."""
    rope = None
    if hasattr(other, "_pos_embed"):
        x, rope = other._pos_embed(other.patch_embed(pixels))
        rope = rope[..., tokens[other.num_prefix_tokens :] - other.num_prefix_tokens, :]
        x = other.norm_pre(x)
    else:
        x = torch.cat([other.cls_token.expand(len(pixels), -1, -1), other.patch_embed(pixels)], 1)
    x = x[:, tokens]
    for layer, block in enumerate(other.blocks):
        if rope is None:
            index = block.attn.relative_position_index[tokens][:, tokens]
            bias = block.attn.relative_position_bias_table[index].permute(2, 0, 1)[None]
            block.attn._get_rel_pos_bias = lambda bias=bias: bias
            x = block(x)
        else:
            x = block(x, rope=rope[layer] if rope.ndim == 4 else rope)
    return other.forward_head(other.norm(x))


@pytest.mark.parametrize("name", POSITIONS)
@torch.no_grad()
def test_kept_patches_give_what_the_library_computes_on_these_tokens(name):
    other = families.build(name, families.WIDE)
    network, pixels = convert(describe_module(other), families.WIDE), families.images(families.WIDE)
    keep = torch.tensor([[0, 3, 4, 11, 17, 22], [1, 2, 8, 13, 19, 23]])
    prefix = torch.arange(network.config.num_prefix_tokens)
    output = network.forward_with_attention(pixels, "full", keep)
    for image in range(2):
        tokens = torch.cat([prefix, keep[image] + len(prefix)])
        expected = run_on_tokens(other, pixels[image : image + 1], tokens)
        torch.testing.assert_close(output.logits[image : image + 1], expected, rtol=0, atol=1e-10)
    torch.testing.assert_close(network(pixels, keep), output.logits, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", POSITIONS)
def test_attention_follows_from_queries_keys_and_bias(name):
    model = vitviz.load(families.build(name, families.WIDE, torch.float32), device="cpu")
    image = np.random.default_rng(2).integers(0, 256, (64, 96, 3), dtype=np.uint8)
    for removed in ([], [3, 9]):
        context = vitviz.explain(model, image).ablate(patches=removed).context
        attention = context.output.attention[:, 0]
        keep = torch.tensor([[p for p in range(24) if p not in removed]]) if removed else None
        layered = LayeredAttention(context.model, context.output.tokens[:-1, 0], keep)
        assert attention.shape[-1] == context.prefix + 24 - len(removed)
        for layer in range(families.L):
            torch.testing.assert_close(layered[layer], attention[layer], rtol=0, atol=1e-5)
        torch.testing.assert_close(layered.rows([1, 4]), attention[:, :, [1, 4]].mean(2), rtol=0, atol=1e-5)
        fresh = LayeredAttention(context.model, context.output.tokens[:-1, 0], keep)
        torch.testing.assert_close(fresh.columns([0, 5]), attention[..., [0, 5]].mean(-1), rtol=0, atol=1e-5)
    context = vitviz.explain(model, image).context
    row = attention_row(context, 1, 2, 6)
    np.testing.assert_allclose(row.weights, context.output.attention[1, 0, 2, 6], atol=1e-5)


def test_indices_of_positions_in_older_files_are_left_out(tmp_path):
    folder = families.saved("CLIP without projection", tmp_path / "clip")
    path = folder / "model.safetensors"
    tensors = safetensors.torch.load_file(path)
    prefix = next(name for name in tensors if "position_embedding" in name).partition("position_embedding")[0]
    safetensors.torch.save_file(tensors | {f"{prefix}position_ids": torch.arange(17)[None]}, path, {"format": "pt"})
    assert vitviz.load(folder, check=False).config.num_classes == 0


KINDS = {  # one model for each way of pooling and each kind of prefix tokens
    "timm distilled DeiT": (2, 5),
    "timm SigLIP": (0, 0),
    "timm map pooling with registers": (4, 5),
    "timm sbb ViT": (4, 5),
    "timm EVA-02 CLIP": (1, 5),
    "timm DINOv3 plus": (5, 5),
    "DINOv2 with registers": (5, 5),
    "ViT without head": (1, 0),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_method_and_probe_has_the_right_shapes_on_a_wide_image(name):
    prefix, count = KINDS[name]
    model = vitviz.load(families.build(name, families.WIDE, torch.float32), device="cpu", img_size=families.WIDE)
    image = np.random.default_rng(2).integers(0, 256, (64, 96, 3), dtype=np.uint8)
    explanation = vitviz.explain(model, image)
    T = prefix + 24
    assert explanation.attention.shape == (families.L, families.A, T, T)
    assert explanation.logits.shape == explanation.probabilities.shape == (count,)
    for key, method in explanation.methods.items():
        values = explanation.map(key)
        assert values.shape == (4, 6), key
        assert np.isfinite(values).all(), key
        assert count or not method.class_specific
    if count:
        assert np.isfinite(explanation.score("average").deletion)
    pooled = explanation.context.pool_attention
    assert (pooled is not None) == (model.config.global_pool == "map")
    if pooled is not None:
        assert pooled.shape == (families.A, T)
        np.testing.assert_allclose(pooled.sum(-1), 1, atol=1e-5)
        assert (pooled[:, :prefix] == 0).all()
    changed = explanation.ablate(heads=[(0, 1)], patches=[3])
    assert changed.attention.shape == explanation.attention.shape
    assert not np.allclose(changed.map("average"), explanation.map("average"), equal_nan=True)
    if model.config.class_token:
        probes = vitviz.probe(model)
        assert probes.distance.shape == (families.L, families.A)
        assert probes.norms.shape == (families.L + 1, T)
        assert probes.lens.shape == (families.L + 1, 10, count)


@torch.no_grad()
def test_pooling_attention_equals_that_of_transformers():
    other = families.build("SigLIP")
    pixels = families.images(families.SQUARE)
    hidden = other(pixels).last_hidden_state
    head = other.head
    _, weights = head.attention(head.probe.repeat(2, 1, 1), hidden, hidden, average_attn_weights=False)
    output = convert(describe_module(other)).forward_with_attention(pixels, "full")
    torch.testing.assert_close(output.pool_attention, weights[:, :, 0].float(), rtol=0, atol=1e-6)


def test_a_class_specific_method_of_a_model_without_head_names_the_reason():
    model = vitviz.load(families.build("timm DINO", dtype=torch.float32), device="cpu")
    explanation = vitviz.explain(model, np.zeros((32, 32, 3), np.uint8))
    with refuses("method"):
        explanation.map("relevance")
    with pytest.raises(ValueError, match="predicts no class"):
        _ = explanation.prediction


def test_a_model_without_head_is_drawn_and_saved(tmp_path):
    model = vitviz.load(families.build("timm SigLIP", dtype=torch.float32), device="cpu")
    explanation = vitviz.explain(model, np.zeros((32, 32, 3), np.uint8))
    for ending in ("svg", "npz", "html"):
        explanation.save(tmp_path / f"a.{ending}")
    assert "no prediction" in repr(explanation)
    assert "Weights: timm SigLIP, license" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert set(method_scores(explanation, 0)["scores"].values()) == {None}
    assert "Weights: timm SigLIP, license" in (tmp_path / "a.svg").read_text(encoding="utf-8")


# Labels and files


def test_labels_come_from_the_config_a_list_or_a_file(tmp_path):
    folder = families.saved("ViT", tmp_path / "vit", id2label={str(k): f"animal {k}" for k in range(5)})
    assert vitviz.load(folder).labels == tuple(f"animal {k}" for k in range(5))
    assert vitviz.load(folder, labels=["a", "b", "c", "d", "e"]).labels == ("a", "b", "c", "d", "e")
    (tmp_path / "names.txt").write_text("one\ntwo\nthree\nfour\nfive\n")
    assert vitviz.load(folder, labels=tmp_path / "names.txt").labels[4] == "five"
    with refuses("labels"):
        vitviz.load(folder, labels=["a", "b"])
    timm_folder = families.saved("timm ViT", tmp_path / "timm", label_names=["u", "v", "w", "x", "y"])
    assert vitviz.load(timm_folder).labels == ("u", "v", "w", "x", "y")


def test_a_model_of_timm_within_transformers_loads_from_files_and_memory(tmp_path):
    inner = families.build("timm ViT", dtype=torch.float32)
    folder = families.saved("timm ViT", tmp_path / "vit", label_names=list("uvwxy"))
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    wrapped = {f"timm_model.{name}": tensor for name, tensor in tensors.items()}
    safetensors.torch.save_file(wrapped, folder / "model.safetensors")
    pixels = families.images(families.SQUARE, torch.float32)
    module = torch.nn.Module()
    module.timm_model, module.config = inner, argparse.Namespace(id2label=dict(enumerate("uvwxy")))
    for source in (folder, module):
        model = vitviz.load(source, device="cpu")
        assert model.labels == tuple("uvwxy")
        torch.testing.assert_close(model.network(pixels), inner(pixels), rtol=0, atol=1e-5)


def test_a_loaded_model_is_saved_and_loaded_as_checkpoint(tmp_path):
    model = vitviz.load(families.saved("timm SigLIP", tmp_path / "siglip"), device="cpu")
    checkpoint.save(model, tmp_path / "ours.safetensors")
    again = vitviz.load(tmp_path / "ours.safetensors", device="cpu")
    pixels = families.images(families.SQUARE, torch.float32)
    assert torch.equal(again.network(pixels), model.network(pixels))
    assert (again.labels, again.preprocessing, again.record) == (model.labels, model.preprocessing, model.record)
    assert model.record["pretrained"] == {"family": "SigLIP", "license": "apache-2.0", "library": "timm"}


def test_weights_in_shards_load(tmp_path):
    folder = families.saved("ViT", tmp_path / "vit")
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    whole = vitviz.load(folder, device="cpu")
    expected = whole.network.state_dict()
    parts = {"a.safetensors": dict(list(tensors.items())[:9]), "b.safetensors": dict(list(tensors.items())[9:])}
    for file, part in parts.items():
        safetensors.torch.save_file(part, folder / file)
    index = {"weight_map": {name: file for file, part in parts.items() for name in part}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model.safetensors").unlink()
    model = vitviz.load(folder, device="cpu")
    found = model.network.state_dict()
    assert all(torch.equal(found[name], weight) for name, weight in expected.items())
    assert [file.path.name for file in model.files] == ["a.safetensors", "b.safetensors"]
    assert weights_sha256(model.network) == weights_sha256(whole.network)
    (folder / "b.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"all files that model\.safetensors\.index\.json lists: b\.safetensors"):
        vitviz.load(folder)


# Errors


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        *(({"model_type": name}, "family") for name in ("swin", "convnextv2", "pvt_v2", "bert")),
        ({"hidden_act": "relu"}, "hidden_act"),
        ({"hidden_act": "silu"}, "act_layer"),
        ({"num_attention_heads": 5}, "num_heads"),
        ({"image_size": 40}, "pos_embed (1, 17, 24) instead of (1, 26, 24)"),
        ({"gate": 2.0}, "gate"),
        ({"gate": None}, None),
        ({"patch_size": [8, 8]}, None),
    ],
)
def test_another_family_or_config_is_refused_by_name(tmp_path, changes, field):
    folder = families.saved("ViT", tmp_path / "vit", **changes)
    if field is None:
        assert vitviz.load(folder).config.img_size == families.SQUARE
    else:
        with refuses(field):
            vitviz.load(folder)


def test_a_module_that_orders_its_patches_by_its_own_code_is_not_converted():
    with torch.device("meta"):
        module = timm.create_model("qwen3_vit_306m")  # larger than what is compared with its original
    with refuses("family"):
        describe_module(module)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"act_layer": "relu"}, "act_layer"),
        ({"global_pool": "max"}, "global_pool"),
        ({"global_pool": "avg", "pool_include_prefix": True}, "global_pool"),
    ],
)
def test_operations_that_no_tensor_shows_are_refused(options, field):
    module = families.of_timm("vit_tiny_patch16_224", **options)(families.SQUARE)
    assert vitviz.load(module).config.is_captured
    config = {"architecture": "vit_tiny_patch16_224", "model_args": options}
    tensors = dict(module.state_dict())
    with refuses(field):
        convert(Pretrained("file", tensors, config | {"pretrained_cfg": {"input_size": [3, 32, 32]}}))


def test_a_module_of_another_library_is_refused():
    with pytest.raises(CheckpointError):
        vitviz.load(torch.nn.Linear(2, 2))


def test_missing_unexpected_and_reshaped_tensors_are_listed(tmp_path):
    folder = families.saved("timm ViT", tmp_path / "vit")
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    del tensors["norm.bias"]
    tensors["blocks.1.attn.proj.bias"] = torch.zeros(7)
    tensors["extra"] = torch.zeros(2)
    safetensors.torch.save_file(tensors, folder / "model.safetensors")
    match = (
        r"The tensors of vit must be those of its config; 1 missing: norm\.bias; 1 unexpected: extra; 1 of another "
        r"shape: blocks\.1\.attn\.proj\.bias \(7,\) instead of \(24,\)"
    )
    with pytest.raises(CheckpointError, match=match):
        vitviz.load(folder)


def test_weights_that_are_not_finite_or_cut_off_are_refused(tmp_path):
    folder = families.saved("timm ViT", tmp_path / "vit")
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    tensors["norm.bias"][3] = torch.nan
    safetensors.torch.save_file(tensors, folder / "model.safetensors")
    with refuses("norm.bias"):
        vitviz.load(folder)
    content = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(content[:-100])
    with pytest.raises(CheckpointError, match=r"has [\d,]+ of [\d,]+ bytes\. It was cut off: delete .* and download"):
        vitviz.load(folder)


def test_a_folder_with_pickles_is_refused_with_a_way_to_open_them(tmp_path):
    folder = families.saved("timm ViT", tmp_path / "vit")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    (folder / "optimizer.pt").touch()  # of Trainer
    match = rf"has pytorch_model\.bin\. A pickle is converted once: `vitviz convert {folder}/pytorch_model\.bin OUT"
    with pytest.raises(CheckpointError, match=match):
        vitviz.load(folder)


def test_a_size_that_does_not_fit_the_patches_is_refused():
    with refuses("img_size"):
        vitviz.load(families.build("timm ViT", dtype=torch.float32), img_size=(32, 37))


# The Hugging Face Hub


@pytest.fixture
def offline_cache(tmp_path, monkeypatch):
    """A cache of the Hub with one model, and no network."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.file_download.constants, "HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--timm--vit_small" / "snapshots" / ("0" * 40)
    snapshot.parent.mkdir(parents=True)
    families.saved("timm ViT", snapshot)
    (snapshot / "README.md").write_text("---\nlicense: mit\n---\n")
    refs = snapshot.parents[1] / "refs"
    refs.mkdir()
    (refs / "main").write_text("0" * 40)
    return tmp_path


def test_a_model_in_the_cache_loads_without_network(offline_cache):
    model = vitviz.load("timm:vit_small", device="cpu")
    assert (model.name, model.pretrained_name) == ("vit_small", "timm/vit_small at 00000000")
    expected = {"repository": "timm/vit_small", "revision": "0" * 40, "license": "mit", "library": "timm"}
    assert model.record["pretrained"] == {"family": "ViT", **expected}
    assert vitviz.load("hf:timm/vit_small").config == model.config
    size = next(offline_cache.glob("*/snapshots/*/model.safetensors")).stat().st_size
    assert hub_cache.list_cached() == [hub_cache.CachedModel("timm:vit_small", "ViT", size, families.K)]


def test_without_network_the_error_names_the_cache_and_the_file(offline_cache):
    match = rf"config\.json of google/vit must be in the cache without a network: it is not in {offline_cache}"
    with pytest.raises(CheckpointError, match=match):
        vitviz.load("hf:google/vit")


def test_half_a_download_is_never_used(offline_cache):
    (repository,) = offline_cache.glob("models--*")
    weights = next(repository.glob("snapshots/*/model.safetensors"))
    content = weights.read_bytes()
    weights.write_bytes(content[: len(content) // 2])
    with pytest.raises(CheckpointError, match=rf"'model\.safetensors' has .* It was cut off: delete {weights}"):
        vitviz.load("timm:vit_small")
    weights.unlink()
    (repository / "blobs").mkdir()
    (repository / "blobs" / "0123.incomplete").write_bytes(content)  # as huggingface_hub leaves it
    match = (
        rf"model\.safetensors of timm/vit_small must be in the cache without a network: it is not in {offline_cache}"
    )
    with pytest.raises(CheckpointError, match=match):
        vitviz.load("timm:vit_small")


@pytest.mark.parametrize(
    ("error", "match"),
    [
        ("EntryNotFoundError", r"must have config\.json: google/vit-base-patch16-22 has none"),
        ("RevisionNotFoundError", "The revision must exist: google/vit-base-patch16-22 has no ''"),
        ("HfHubHTTPError", r"config\.json of google/.* was not downloaded completely \(HfHubHTTPError\)\. Try again"),
        ("GatedRepoError", r"The terms of google/vit-base-patch16-22 must be accepted\. Accept them on https"),
        ("RepositoryNotFoundError", r"not found\. Similar names: google/vit-base-patch16-224.*If it is private, run"),
    ],
)
def test_errors_of_the_hub_are_explained(monkeypatch, error, match):
    response = httpx.Response(404, request=httpx.Request("GET", "x:"))

    def fail(*args, **kwargs):
        raised = getattr(huggingface_hub.errors, error)
        raise raised("no") if error == "EntryNotFoundError" else raised("no", response=response)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fail)
    with pytest.raises(CheckpointError, match=match):
        vitviz.load("hf:google/vit-base-patch16-22")


@pytest.mark.slow
def test_the_table_of_timm_has_the_settings_of_each_of_its_architectures():
    """An architecture's name alone, as in config.json, gives the same config as the module."""
    checked, different = 0, []
    for name in timm.list_models(["vit_*", "deit*", "eva*", "beit*", "flexivit*", "test_vit*"]):
        with torch.device("meta"):
            module = timm.create_model(name)
        try:
            described = describe_module(module)
            expected = convert(described).config
        except CheckpointError:
            continue
        number = {
            "num_classes": module.num_classes,
            "architecture": name,
            "pretrained_cfg": dict(module.pretrained_cfg),
        }
        size = {"img_size": list(expected.img_size)}  # those with dynamic_img_size are built for another one
        config = convert(Pretrained(name, described.tensors, number | {"model_args": size})).config
        checked += 1
        if config != expected:
            different.append(name)
    assert checked > 150
    assert different == []


# Speed


def test_loading_and_counting_parameters_do_not_import_the_compiler_of_torch(tmp_path):
    """Operations on the meta device import it on first use, which takes ten times as long as loading a ViT-B/16."""
    folder = families.saved("ViT", tmp_path / "vit")
    code = (
        "import sys, vitviz\n"
        "from vitviz.models.checkpoint import count_parameters\n"
        f"for name in ('cifar10-ti4', {str(folder)!r}):\n"
        "    vitviz.load(name, device='cpu', check=False)\n"
        "for preset in vitviz.PRESETS.values():\n"
        "    count_parameters(preset.config.model)\n"
        "assert not {'torch._dynamo', 'sympy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# Projections of CLIP


def zero_bias_clip(architecture="vit_base_patch32_clip_quickgelu_224"):
    """A CLIP of timm whose head is the projection, as in the weights that were trained with texts."""
    other = families.of_timm(architecture, num_classes=12)(families.SQUARE)
    torch.nn.init.zeros_(other.head.bias)
    return other.eval()


@torch.no_grad()
def test_the_projection_of_clip_is_no_classification_head(tmp_path):
    for other in (zero_bias_clip(), families.build("CLIP", dtype=torch.float32)):
        model = vitviz.load(other, device="cpu")
        assert (model.config.num_classes, model.config.head_proj_dim, model.labels) == (0, 12, ())
        assert not model.is_classifier
        cure = ": `classes` makes texts its classes" if model.pretrained["library"] == "transformers" else ""
        assert model.why_no_prediction == f"compares images with texts, and has none{cure}"
        pixels = families.images(families.SQUARE, torch.float32)
        output = other(pixels)
        features = output if isinstance(output, torch.Tensor) else output.image_embeds
        torch.testing.assert_close(model.network(pixels), features, rtol=1e-5, atol=1e-5)
        explanation = vitviz.explain(model, "cat")
        assert "relevance" not in explanation.methods
        with pytest.raises(ValueError, match="compares images with texts, and has none"):
            _ = explanation.prediction


def test_the_projection_of_eva_clip_has_no_classes_although_it_has_a_bias():
    architecture = "eva02_base_patch16_clip_224"
    for count, expected in ((512, 0), (families.K, families.K)):
        other = families.of_timm(architecture, num_classes=count, mlp_ratio=2)(families.SQUARE).eval()
        torch.nn.init.ones_(other.head.bias)
        model = vitviz.load(other, device="cpu")
        assert (model.config.num_classes, model.is_classifier) == (expected, expected > 0)
        assert any("projection" in note for note in model.notes) == (expected == 0)


@torch.no_grad()
def test_the_masked_bias_of_keys_in_original_dinov3_files_is_zero():
    other = families.of_timm("vit_small_patch16_dinov3_qkvb", num_classes=0, dynamic_img_size=False)(families.SQUARE)
    tensors = dict(other.eval().state_dict())
    mask = torch.ones(3 * families.D)
    mask[families.D : 2 * families.D] = torch.nan
    for layer in range(families.L):
        tensors[f"blocks.{layer}.attn.qkv.bias"] = torch.randn(3 * families.D)
        tensors[f"blocks.{layer}.attn.qkv.bias_mask"] = mask
    source = Pretrained("dinov3", tensors, *list(vars(describe_module(other)).values())[2:])
    bias = convert(source).blocks[0].attn.qkv.bias
    queries, keys, values = bias.chunk(3)
    assert not keys.any()
    assert queries.all()
    assert values.all()


def test_a_fine_tune_of_clip_has_classes():
    model = vitviz.load(families.build("timm CLIP", dtype=torch.float32), device="cpu")
    assert (model.config.num_classes, model.config.head_proj_dim) == (families.K, 0)


@pytest.mark.parametrize("family", TRANSFORMERS, ids=lambda family: family.title)
def test_a_config_without_the_defaults_of_transformers_means_them(family):
    kind = {"CLIPConfig": "CLIPVisionConfig", "SiglipConfig": "SiglipVisionConfig", "TransformersConfig": "ViTConfig"}
    default = getattr(transformers, kind.get(family.file.__name__, family.file.__name__))()
    written = parse(family.file, flatten(default.to_dict()), "config.json").fields()
    varies = {"patch_size"} if family.title == "DINOv2" else set()  # between versions, which always write it
    assert {k: v for k, v in written.items() if k not in varies}.items() <= family.file().fields().items()


def test_positions_of_patches_that_could_be_one_more_than_a_square_stay_those_of_the_patches():
    other = families.BUILDERS["timm DINOv2 with registers"]((40, 80))  # 5 x 10 = 7 x 7 + 1 patches
    network = convert(describe_module(other.eval()))
    assert network.config.img_size == (40, 80)
    assert torch.equal(network.pos_embed, other.pos_embed)


@torch.no_grad()
def test_a_wide_grid_with_one_position_more_than_patches_has_that_of_the_class_token():
    config = transformers.Dinov2WithRegistersConfig(**families.VISION | families.DINO | {"image_size": families.WIDE})
    other = transformers.Dinov2WithRegistersForImageClassification(config)  # 24 patches and 1, which is 5 x 5
    other.dinov2_with_registers.embeddings.position_embeddings = torch.nn.Parameter(torch.randn(1, 25, families.D))
    network = convert(describe_module(other.eval()), families.WIDE)
    assert network.config.img_size == families.WIDE
    assert network.pos_embed.shape[1] == 24
