"""Models that are brought as they are: incomplete weights, edited modules, wrappers, heads and old config files."""

import json
import re
from functools import partial

import numpy as np
import pytest
import safetensors.torch
import timm
import torch
import transformers
from torch import nn

import vitviz
from tests.errors import refuses
from tests.models import families
from vitviz.errors import CheckpointError
from vitviz.models import checkpoint
from vitviz.models.conversion import convert
from vitviz.models.export import export
from vitviz.models.originals import silent

PIXELS = families.images(families.SQUARE, torch.float32)


def change_tensors(folder, change):
    """Rewrite model.safetensors; `change` gets all tensors by name and returns those to write."""
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    safetensors.torch.save_file(change(tensors), folder / "model.safetensors")
    return folder


def without(*parts):
    return lambda tensors: {name: one for name, one in tensors.items() if not any(part in name for part in parts)}


INCOMPLETE = {  # model -> what its file lacks -> the tensor that the error names
    "ViT": {
        ".1.": "blocks.1.attn.proj.bias",
        "layernorm.": "norm.bias",
        "position_embeddings": "pos_embed",
        "classifier": "head.bias",
        "cls_token": "cls_token",
        "key.bias": "blocks.0.attn.qkv.bias",
        "query.weight": "blocks.0.attn.qkv.weight",
    },
    "CLIP": {"visual_projection": "head_proj.weight", "pre_layrnorm": "norm_pre.bias", "class_embedding": "cls_token"},
    "SigLIP": {"head.probe": "attn_pool.latent"},
    "DINOv2 with registers": {"register_tokens": "reg_token", "lambda1": "blocks.0.ls1.gamma"},
    "DINOv3 plus": {"up_proj": "blocks.0.mlp.fc1.weight"},
    "timm ViT": {
        "norm.weight": "norm.weight",
        "pos_embed": "pos_embed",
        "head.": "head.bias",
        "blocks.1.": "blocks.1.",
    },
}


@pytest.mark.parametrize("name", INCOMPLETE)
def test_weights_that_lack_a_part_are_refused_by_its_name(name, tmp_path, subtests):
    folder = families.saved(name, tmp_path / "model")
    content = (folder / "model.safetensors").read_bytes()
    for part, expected in INCOMPLETE[name].items():
        with subtests.test(part):
            (folder / "model.safetensors").write_bytes(content)
            change_tensors(folder, without(part))
            with pytest.raises(CheckpointError, match=expected):
                vitviz.load(folder)


def test_a_tensor_of_another_shape_or_dtype_is_refused_and_never_broadcast(tmp_path, subtests):
    key = "vit.layers.0.attention.k_proj.weight"
    folder = families.saved("ViT", tmp_path / "model")
    content = (folder / "model.safetensors").read_bytes()
    names = safetensors.torch.load(content)
    key = next(name for name in names if ".0." in name and name.endswith(("k_proj.weight", "key.weight")))
    for other, match in (
        (torch.ones(1), "must have 2 dimensions"),
        (torch.ones(1, 1), "like blocks.0.attn.q.weight"),
        (torch.ones(24, 24, dtype=torch.int8), "torch.uint8"),
    ):
        with subtests.test(match):
            (folder / "model.safetensors").write_bytes(content)
            change_tensors(folder, lambda tensors, other=other: tensors | {key: other})
            with pytest.raises(CheckpointError, match=match):
                vitviz.load(folder)


def test_all_files_of_a_set_are_read_or_the_set_is_refused(tmp_path):
    folder = families.saved("ViT", tmp_path / "model")
    whole = vitviz.load(folder, device="cpu")
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    halves = dict(list(tensors.items())[:20]), dict(list(tensors.items())[20:])
    for number, half in enumerate(halves, start=1):
        safetensors.torch.save_file(half, folder / f"model-0000{number}-of-00002.safetensors")
        torch.save(half, tmp_path / f"pytorch_model-0000{number}-of-00002.bin")
    assert torch.equal(vitviz.load(folder, device="cpu").network(PIXELS), whole.network(PIXELS))
    with pytest.raises(
        CheckpointError, match=r"'model-00001-of-00002\.safetensors' is one file of a set\. Name its folder"
    ):
        vitviz.load(folder / "model-00001-of-00002.safetensors")
    (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
    assert torch.equal(convert(tmp_path).network(PIXELS), whole.network(PIXELS))
    (folder / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"model-00002-of-00002\.safetensors is missing"):
        vitviz.load(folder)


# Compared with the original


class Doubled(timm.models.VisionTransformer):
    """A ViT with a `forward` of its own."""

    def forward(self, x):
        return 2 * super().forward(x) + 1


class Normalized(nn.Module):
    """A module that changes the input of the ViT inside."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x / 2)


class Around(Normalized):
    """A module that only calls the ViT inside."""

    def forward(self, x):
        return self.inner(x)


SIZES = {"img_size": 32, "patch_size": 8, "embed_dim": 24, "depth": 2, "num_heads": 3, "num_classes": 5}


def sized(kind=timm.models.VisionTransformer, **options):
    """Build a small ViT of timm whose head is not zero."""
    torch.manual_seed(0)
    module = kind(**SIZES | options).eval()
    for weight in module.parameters():
        nn.init.normal_(weight, std=0.3)
    return module


def replaced_activation():
    module = families.build("ViT", dtype=torch.float32)
    for part in module.modules():
        for name, child in part.named_children():
            if "GELU" in type(child).__name__:
                setattr(part, name, nn.ReLU())
    return module


@pytest.mark.parametrize(
    "make",
    [
        lambda: sized(Doubled),
        replaced_activation,
        lambda: Normalized(sized()),
    ],
    ids=["forward", "activation", "input"],
)
@torch.no_grad()
def test_a_module_that_computes_something_else_is_run_as_it_is(make):
    module = make()
    model = vitviz.load(module, img_size=(32, 32), device="cpu")
    assert re.search(r"outputs that differ by [\d.e-]+ of the largest", model.notes[0])
    expected = module(PIXELS)
    assert torch.equal(model.network(PIXELS), getattr(expected, "logits", expected))
    assert vitviz.load(module, check=False, device="cpu").config.depth == 2


@torch.no_grad()
def test_the_activation_of_a_module_is_read():
    module = sized(act_layer=partial(nn.GELU, approximate="tanh"))
    model = vitviz.load(module, device="cpu")
    assert model.config.act_layer == "gelu_tanh"
    torch.testing.assert_close(model.network(PIXELS), module(PIXELS))


def test_a_comparison_leaves_the_caller_as_it_was():
    module, other = sized().train(), families.build("ViT", dtype=torch.float32)
    state, verbosity = torch.get_rng_state(), transformers.logging.get_verbosity()
    for source in (module, other):
        vitviz.load(source)
    assert torch.equal(torch.get_rng_state(), state)
    assert module.training
    assert transformers.logging.get_verbosity() == verbosity


def test_what_was_not_compared_or_assumed_is_noted(tmp_path, monkeypatch):
    folder = families.saved("timm ViT", tmp_path / "vit")
    assert vitviz.load(folder).notes == ()
    monkeypatch.setattr("vitviz.models.originals.MEMORY_FRACTION", 1e-9)
    assert vitviz.load(folder).notes == ("not compared with timm: two models take more than half of the free memory",)
    monkeypatch.setattr("vitviz.models.originals.MAX_PARAMETERS", 10)
    assert vitviz.load(folder).notes == ("not compared with timm: 0 M parameters are more than 0 M",)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert vitviz.load(folder).notes == ("not compared with timm, which is not installed",)
    assert vitviz.load(folder, check=False).notes == ()


def test_the_comparison_leaves_the_messages_of_transformers_as_they_were():
    logging = transformers.utils.logging
    logging.enable_progress_bar()
    before = logging.get_verbosity()
    with silent():
        assert not logging.is_progress_bar_enabled()
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == (before, True)


# Wrappers, prefixes and heads


WRAPPERS = {
    "compiled": lambda vit: torch.compile(vit, backend="eager"),
    "parallel": nn.DataParallel,
    "averaged": torch.optim.swa_utils.AveragedModel,
    "ema": timm.utils.ModelEmaV3,
    "around": Around,
    "two": lambda vit: nn.DataParallel(Around(vit)),
}


@pytest.mark.parametrize("name", WRAPPERS)
@torch.no_grad()
def test_the_vit_in_a_wrapper_loads(name):
    vit = sized()
    torch.testing.assert_close(vitviz.load(WRAPPERS[name](vit), device="cpu").network(PIXELS), vit(PIXELS))


def test_of_several_vits_none_is_chosen():
    with pytest.raises(CheckpointError, match=r"got Sequential with 2: 0, 1\. Pass one of them"):
        vitviz.load(nn.Sequential(sized(), sized()))


@pytest.mark.parametrize("prefix", ["net.", "encoder.", "_orig_mod.", "_forward_module.model.", "module.backbone."])
@torch.no_grad()
def test_a_prefix_of_all_tensors_is_dropped_and_other_tensors_are_listed(prefix, tmp_path):
    folder = families.saved("timm ViT", tmp_path / "vit")
    expected = vitviz.load(folder, device="cpu").network(PIXELS)
    change_tensors(
        folder, lambda found: {prefix + k: v for k, v in found.items()} | {"criterion.weight": torch.ones(3)}
    )
    model = vitviz.load(folder, device="cpu")
    assert torch.equal(model.network(PIXELS), expected)
    assert model.notes == ("1 tensors outside the ViT are not used: criterion.weight",)


HEADS = {
    "dropout": (nn.Dropout(0.1), nn.Linear(24, 5)),
    "no bias": (nn.Linear(24, 5, bias=False),),
    "identity": (nn.Identity(), nn.Dropout(), nn.Linear(24, 5, bias=False)),
}


@pytest.mark.parametrize("name", HEADS)
@torch.no_grad()
def test_usual_heads_load(name):
    for module in (sized(), families.build("ViT", dtype=torch.float32)):
        head = nn.Sequential(*HEADS[name]) if len(HEADS[name]) > 1 else HEADS[name][0]
        setattr(module, "head" if hasattr(module, "head") else "classifier", head.eval())
        expected = module(PIXELS)
        expected = getattr(expected, "logits", expected)
        torch.testing.assert_close(vitviz.load(module, device="cpu").network(PIXELS), expected)


@torch.no_grad()
def test_heads_of_several_layers_are_run_as_they_are():
    module = sized()
    module.head = nn.Sequential(nn.Linear(24, 8), nn.ReLU(), nn.Linear(8, 5))
    model = vitviz.load(module, device="cpu")
    assert "The head must be one linear layer" in model.notes[0]
    assert (model.config.num_classes, model.config.global_pool) == (5, "token")
    assert torch.equal(model.network(PIXELS), module(PIXELS))


# Preprocessing


def test_old_flat_config_files_of_timm_are_read(tmp_path):
    folder = families.saved("timm ViT", tmp_path / "vit")
    config = json.loads((folder / "config.json").read_text())
    flat = {
        "architecture": config["architecture"],
        "num_classes": 5,
        "labels": list("abcde"),
        "input_size": [3, 32, 32],
    }
    flat |= {"model_args": config["model_args"], "num_features": 24, "first_conv": "patch_embed.proj", "crop_pct": 0.8}
    (folder / "config.json").write_text(json.dumps(flat | {"mean": [0.1, 0.2, 0.3], "std": [0.4, 0.5, 0.6]}))
    model = vitviz.load(folder)
    assert (model.labels, model.mean, model.std, model.resize.crop_pct) == (
        *(tuple("abcde"), (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)),
        0.8,
    )


def test_a_module_has_the_processor_of_its_folder_and_arguments_win(tmp_path):
    folder = families.saved("ViT", tmp_path / "vit")
    processor = transformers.ViTImageProcessor(size=32, image_mean=[0.1, 0.2, 0.3], image_std=[0.4, 0.5, 0.6])
    assert len(vitviz.load(folder).notes) == 1
    assert vitviz.load(folder, processor=processor).mean == (0.1, 0.2, 0.3)
    processor.save_pretrained(folder)
    module = transformers.ViTForImageClassification.from_pretrained(folder)
    for source in (folder, module):
        model = vitviz.load(source)
        assert (model.mean, model.std, model.notes) == ((0.1, 0.2, 0.3), (0.4, 0.5, 0.6), ())
    model = vitviz.load(module, mean=(0.5, 0.5, 0.5), std=(0.25, 0.25, 0.25))
    assert (model.mean, model.std) == ((0.5, 0.5, 0.5), (0.25, 0.25, 0.25))
    with refuses("std"):
        vitviz.load(module, std=(0.0, 0.5, 0.5))


UNSUPPORTED = {
    "do_resize": False,
    "do_pad": True,
    "image_std": [0.5, 0, 0.5],
    "image_mean": [0.5, "x", 0.5],
    "size": {"longest_edge": 32},
    "resample": 9,
    "image_processor_type": "ConvNextImageProcessor",
    "crop_size": 64,
}


def test_steps_of_a_processor_that_vitviz_does_not_have_are_refused_by_name(tmp_path, subtests):
    folder = families.saved("ViT", tmp_path / "vit")
    for field, value in UNSUPPORTED.items():
        settings = {"size": {"height": 32, "width": 32}, "do_center_crop": True} | {field: value}
        with subtests.test(field), pytest.raises(CheckpointError) as caught:
            vitviz.load(folder, processor=settings)
        assert caught.value.field in (field, "longest_edge")


def test_pixels_that_are_not_scaled_to_one_have_the_mean_of_their_scale(tmp_path):
    folder = families.saved("ViT", tmp_path / "vit")
    settings = {"size": 32, "rescale_factor": 2 / 255, "image_mean": [1.0] * 3, "image_std": [1.0] * 3}
    model = vitviz.load(folder, processor=settings)
    np.testing.assert_allclose((model.mean, model.std), 0.5)


# Probabilities


def test_probabilities_of_several_labels_and_of_one_output_are_sigmoids(tmp_path):
    changes = {"problem_type": "multi_label_classification", "layer_norm_eps": 1e-6}
    folder = families.saved("ViT", tmp_path / "vit", **changes)
    model = vitviz.load(folder, device="cpu")
    explanation = vitviz.explain(model, "cat")
    np.testing.assert_allclose(explanation.probabilities, 1 / (1 + np.exp(-explanation.logits)), rtol=1e-5)
    checkpoint.save(model, tmp_path / "copy.safetensors")
    assert vitviz.load(tmp_path / "copy.safetensors").config.multi_label
    export(model, tmp_path / "timm")
    assert vitviz.load(tmp_path / "timm").config.multi_label
    one = vitviz.explain(vitviz.load(sized(num_classes=1), device="cpu"), "cat")
    np.testing.assert_allclose(one.probabilities, 1 / (1 + np.exp(-one.logits)), rtol=1e-5)
    assert one.map("relevance").shape == (4, 4)
    with pytest.raises(CheckpointError, match="got regression of several"):
        vitviz.load(families.saved("ViT", tmp_path / "values", problem_type="regression"))


# Names that are no model


def test_a_name_that_is_no_model_is_refused_with_what_was_found_or_meant(tmp_path, subtests):
    families.saved("ViT", tmp_path / "out" / "checkpoint-8")
    (tmp_path / "empty").mkdir()
    pointer = families.saved("ViT", tmp_path / "pointer") / "model.safetensors"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    names = {
        tmp_path / "out": r"has 1 folders of models\. Name one: checkpoint-8",
        tmp_path / "empty": r"must have config\.json: .* has none",
        pointer.parent: r"is a pointer of Git LFS\. Run `git lfs pull`",
        "google/vit-base-patch16": r"As there is no such file or folder, .* means hf:google/vit-base-patch16\.",
        "tests/vit": r"'tests/vit' not found\. On the Hugging Face Hub it is hf:tests/vit\.",
        "https://example.org/vit.pth": "Download the file",
        "cifar10-t4": r"Did you mean cifar10-ti4\?",
        "a\0b": r"'a\?b' not found",
        "x" * 5000: "not found",
    }
    for name, match in names.items():
        with subtests.test(str(name)[:40]), pytest.raises(CheckpointError, match=match):
            vitviz.load(name)


ARGUMENTS = {
    "name": [None, 5, ["cifar10-ti4"], {}],
    "img_size": ["32", (32,), (32, -8), (32.5, 8), [0, 0], object()],
    "labels": [5, {1, 2}, ["a"], object()],
    "mean": [0.5, "abc", (0.5, 0.5), (2, 0.5, 0.5)],
    "std": [0, (0, 0, 0), (float("nan"), 0.5, 0.5)],
    "processor": [5, ["x"]],
    "device": [None, "tpu", ["cpu"]],
    "precision": [16, {}],
}


def test_an_argument_of_a_wrong_type_is_refused_in_one_sentence(subtests):
    for field, values in ARGUMENTS.items():
        for value in values:
            with subtests.test(f"{field}={value!r:.30}"), pytest.raises((CheckpointError, vitviz.ConfigError)):
                vitviz.load(**{"name": "cifar10-ti4"} | {field: value})
