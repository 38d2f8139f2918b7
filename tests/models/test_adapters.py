"""Adapters of PEFT: what is loaded equals the base model with alpha / r * B A added by hand."""

import json
import re
import shutil

import huggingface_hub
import pytest
import safetensors.torch
import torch
from torch import nn

import vitviz
from tests.models import families
from vitviz.errors import CheckpointError

OLD = {  # names that version 4 of transformers writes -> those of its modules today
    r"encoder\.layer\.": "layers.",
    r"attention\.attention\.query": "attention.q_proj",
    r"attention\.attention\.value": "attention.v_proj",
    r"intermediate\.dense": "mlp.fc1",
}
CASES = {  # family, layers with an update, fields of adapter_config.json, scale
    "ViT": ("ViT", r"vit\.layers\.\d\.(attention\.[qv]_proj|mlp\.fc1)", {}, lambda name, r: 16 / r),
    "names of version 4": (
        *("ViT", r"vit\.encoder\.layer\.\d\.(attention\.attention\.(query|value)|intermediate\.dense)", {}),
        lambda name, r: 16 / r,
    ),
    "patterns": (
        *("ViT", r"vit\.layers\.\d\.attention\.[qv]_proj"),
        {"use_rslora": True, "alpha_pattern": {"v_proj": 3.0}, "fan_in_fan_out": True},
        lambda name, r: (3 if name.endswith("v_proj") else 16) / r**0.5,
    ),
    "timm": ("timm ViT", r"patch_embed\.proj|blocks\.1\.(attn\.qkv|mlp\.fc2)", {}, lambda name, r: 16 / r),
    "timm in a wrapper": ("timm ViT", r"timm_model\.blocks\.0\.attn\.proj", {}, lambda name, r: 16 / r),
}


def modern(name):
    """Return the name of a layer in the module."""
    for old, new in OLD.items():
        name = re.sub(old, new, name)
    return name.removeprefix("timm_model.")


def old_names(module):
    """Return the names of layers, also as version 4 of transformers and a wrapper write them."""
    found = []
    for name in dict(module.named_modules()):
        old = name
        for ours, new in OLD.items():
            old = re.sub(re.escape(new), re.sub(r"\\", "", ours), old)
        found += [name, old, f"timm_model.{name}"]
    return dict.fromkeys(found)


@pytest.fixture
def adapt(tmp_path):
    """Return a function that saves a model and an adapter, and returns the folder and the model with it added."""

    def save(case, **changes):
        family, pattern, fields, scale = CASES[case]
        model = families.build(family, dtype=torch.float32)
        families.save(family, model, tmp_path / "base")
        rng, tensors = torch.Generator().manual_seed(0), {}
        config = {"peft_type": "LORA", "r": 8, "lora_alpha": 16, "base_model_name_or_path": str(tmp_path / "base")}
        config |= {"lora_dropout": 0.1, "target_modules": ["query"], "bias": "none", "use_dora": False} | fields
        with torch.no_grad():
            for number, name in enumerate(name for name in old_names(model) if re.fullmatch(pattern, name)):
                weight, rank = model.get_submodule(modern(name)).weight, 2 + number % 2
                rows, columns = weight.flatten(1).shape
                if config.get("fan_in_fan_out"):
                    rows, columns = columns, rows
                A = 0.1 * torch.randn(rank, columns, generator=rng)
                B = 0.1 * torch.randn(rows, rank, generator=rng)
                update = scale(name, rank) * B @ A
                weight += (update.T if config.get("fan_in_fan_out") else update).view_as(weight)
                A, B = (A.view(rank, *weight.shape[1:]), B[..., None, None]) if weight.ndim == 4 else (A, B)
                tensors |= {f"{name}.lora_A.weight": A.contiguous(), f"{name}.lora_B.weight": B.contiguous()}
            head = "head" if family.startswith("timm") else "classifier"
            linear = model.get_submodule(head)
            new = {"weight": torch.randn(3, families.D, generator=rng), "bias": torch.randn(3, generator=rng)}
            linear.weight, linear.bias = nn.Parameter(new["weight"]), nn.Parameter(new["bias"])
            tensors |= {f"{head}.{end}": tensor for end, tensor in new.items()}
        (tmp_path / "lora").mkdir()
        (tmp_path / "lora" / "adapter_config.json").write_text(json.dumps(config | changes))
        tensors = {f"base_model.model.{name}": tensor for name, tensor in tensors.items()}
        safetensors.torch.save_file(tensors, tmp_path / "lora" / "adapter_model.safetensors")
        return tmp_path / "lora", model

    return save


@pytest.mark.parametrize("case", CASES)
@torch.no_grad()
def test_an_adapter_is_merged_into_its_base_model(adapt, case):
    folder, model = adapt(case)
    pixels = families.images(families.SQUARE, torch.float32)
    output = model(pixels)
    expected = output if isinstance(output, torch.Tensor) else output.logits
    found = vitviz.load(folder, device="cpu")
    torch.testing.assert_close(found.network(pixels), expected, rtol=1e-5, atol=1e-5)
    weights = vitviz.load(model, device="cpu").network.state_dict()
    torch.testing.assert_close(found.network.state_dict(), weights, rtol=0, atol=1e-6)
    assert (found.name, found.record["pretrained"]["base"]) == ("lora", "base")
    assert found.labels == ("class 0", "class 1", "class 2")
    assert [file.path.name for file in found.files] == ["model.safetensors", "adapter_model.safetensors"]
    assert not [note for note in found.notes if note.startswith("not compared")]


@torch.no_grad()
def test_the_base_model_of_an_adapter_may_be_named(adapt, tmp_path):
    folder, _ = adapt("timm", base_model_name_or_path=None)
    with pytest.raises(
        CheckpointError, match=r"must name a base model .* lora has none\. Name it with `like=timm:NAME`"
    ):
        vitviz.load(folder)
    named = vitviz.load(folder, like=tmp_path / "base", device="cpu")
    module = families.build("timm ViT", dtype=torch.float32)
    given = vitviz.load(folder, like=module, device="cpu")
    pixels = families.images(families.SQUARE, torch.float32)
    torch.testing.assert_close(named.network(pixels), given.network(pixels), rtol=0, atol=0)


def test_an_adapter_in_the_cache_of_the_hub_is_merged(adapt, tmp_path, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    for module in (huggingface_hub.constants, huggingface_hub.file_download.constants):
        monkeypatch.setattr(module, "HF_HUB_CACHE", str(tmp_path / "cache"))
    folder, model = adapt("ViT")
    repository = tmp_path / "cache" / "models--me--lora"
    shutil.copytree(folder, repository / "snapshots" / ("0" * 40))
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)
    found = vitviz.load("me/lora", device="cpu")
    assert found.pretrained_name == "me/lora at 00000000"
    weights = vitviz.load(model, device="cpu").network.state_dict()
    torch.testing.assert_close(found.network.state_dict(), weights, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"use_dora": True}, r"got use_dora = True\. Merge it by `merge_and_unload\(\)` of peft"),
        ({"peft_type": "IA3"}, "peft_type must be LORA: adapter_config.json has 'IA3'"),
        ({"init_lora_weights": "pissa"}, "init_lora_weights must be .*eva: adapter_config.json has 'pissa'"),
        ({"alpha_pattern": {"(": 1.0}}, "a key of alpha_pattern is no regular expression"),
        ({"base_model_name_or_path": "cifar10-ti4"}, "must name a base model of timm or transformers"),
        ({"base_model_name_or_path": "/nowhere/vit"}, "'/nowhere/vit' not found"),
        ({"base_model_name_or_path": "lora"}, "must be a model: lora is an adapter, too"),
    ],
)
def test_an_adapter_of_another_kind_is_refused(adapt, monkeypatch, changes, match):
    folder, _ = adapt("ViT", **changes)
    monkeypatch.chdir(folder.parent)
    for name in (folder, folder / "adapter_model.safetensors"):
        with pytest.raises(CheckpointError, match=match):
            vitviz.load(name)


@pytest.mark.parametrize(
    ("name", "shape", "match"),
    [
        ("vit.layers.7.mlp.fc1.lora_A.weight", (2, families.D), r"vit\.layers\.7\.mlp\.fc1, \w+ has no such layer"),
        ("vit.layers.0.mlp.fc1.lora_A.weight", (5, families.D), r"lora_A and lora_B are \(5, 24\) and \(40, 2\)"),
        ("vit.layers.0.mlp.fc1.lora_A.weight", (2, 9), r"its update is \(40, 9\), its weight \(40, 24\)"),
        ("vit.layers.0.mlp.fc1.lora_magnitude_vector", (40,), "lora_magnitude_vector, only weights of LoRA"),
    ],
)
def test_an_adapter_of_another_model_is_refused(adapt, name, shape, match):
    folder, _ = adapt("ViT")
    path = folder / "adapter_model.safetensors"
    tensors = safetensors.torch.load_file(path) | {f"base_model.model.{name}": torch.zeros(shape)}
    safetensors.torch.save_file(tensors, path)
    with pytest.raises(CheckpointError, match=match):
        vitviz.load(folder)


class Tuned(nn.Module):
    """Stands for PEFT's wrapper: it scales the head, until it is merged."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def merge_and_unload(self):
        self.model.head.weight.data.mul_(2)
        return self.model


def test_adapters_of_a_module_are_merged_in_a_copy():
    model = families.build("timm ViT", dtype=torch.float32)
    before = model.head.weight.clone()
    for module in (Tuned(model), nn.Sequential(Tuned(model))):
        found = vitviz.load(module, device="cpu").network
        torch.testing.assert_close(found.head.weight, 2 * before, rtol=0, atol=0)
        assert torch.equal(model.head.weight, before)
