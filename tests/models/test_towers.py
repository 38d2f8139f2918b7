"""Image encoders of vision-language models: their tensors alone are read."""

import json
import re
from collections.abc import Mapping

import pytest
import safetensors.torch
import timm
import torch
import transformers
from timm.models.vision_transformer import checkpoint_filter_fn
from transformers.models.auto.image_processing_auto import IMAGE_PROCESSOR_MAPPING_NAMES

import vitviz
from tests.errors import refuses
from tests.models import families
from vitviz.errors import CheckpointError
from vitviz.models import image_processor
from vitviz.models.pretrained import Pretrained, convert, needed_tensors

VISION = families.VISION | {"vision_use_head": False, "projection_dim": 8}
TEXT = {**families.TEXT, "vocab_size": 99, "num_key_value_heads": 2, "head_dim": 4, "max_position_embeddings": 64}


def of(name, vision, text):
    """Return the class and the small config of a vision-language model of transformers."""
    parts = {"vision_config": VISION | {"model_type": vision}, "text_config": TEXT | {"model_type": text}}
    return f"{name}ForConditionalGeneration", f"{name}Config", parts


MODELS = {  # name -> class, config, prefix of the tensors of its image encoder
    "LLaVA": (*of("Llava", "clip_vision_model", "llama"), "model.vision_tower."),
    "LLaVA-NeXT": (*of("LlavaNext", "clip_vision_model", "llama"), "model.vision_tower."),
    "LLaVA-OneVision": (*of("LlavaOnevision", "siglip_vision_model", "qwen2"), "model.vision_tower."),
    "PaliGemma": (*of("PaliGemma", "siglip_vision_model", "gemma"), "model.vision_tower."),
    "Gemma 3": (*of("Gemma3", "siglip_vision_model", "gemma3_text"), "model.vision_tower."),
    "SmolVLM": (*of("SmolVLM", "smolvlm_vision", "llama"), "model.vision_model."),
    "Idefics3": (*of("Idefics3", "idefics3_vision", "llama"), "model.vision_model."),
}


class Recorded(Mapping):
    """Tensors that record which of them are read; names, shapes and dtypes are known without."""

    def __init__(self, tensors):
        self.tensors, self.read = tensors, set()
        self.described = {name: (list(tensor.shape), tensor.dtype) for name, tensor in tensors.items()}

    def __getitem__(self, name):
        self.read.add(name)
        return self.tensors[name]

    def __iter__(self):
        return iter(self.tensors)

    def __len__(self):
        return len(self.tensors)


def build(name):
    """Build a small model with random weights."""
    kind, config, parts, prefix = MODELS[name]
    torch.manual_seed(0)
    model = getattr(transformers, kind)(getattr(transformers, config)(**parts)).eval()
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.2)
    return model, model.get_submodule(prefix.rstrip("."))


@pytest.mark.parametrize("name", MODELS)
@torch.no_grad()
def test_the_image_encoder_of_a_vision_language_model_loads_and_no_other_tensor_is_read(name, tmp_path):
    model, tower = build(name)
    pixels = families.images(families.SQUARE, torch.float32)
    output = tower(pixels)
    has_class_token = MODELS[name][2]["vision_config"]["model_type"].startswith("clip")
    features = output.pooler_output if has_class_token else output.last_hidden_state.mean(1)
    model.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    tensors = Recorded(safetensors.torch.load_file(tmp_path / "model.safetensors"))
    needed = needed_tensors(config, tensors)
    assert needed == {key for key in tensors if re.match(r"(model\.)?vision_(tower|model)\.", key)}
    network = convert(Pretrained(name, tensors, config))
    assert tensors.read == needed
    for found in (network, vitviz.load(model, device="cpu").network, vitviz.load(tmp_path, device="cpu").network):
        torch.testing.assert_close(found(pixels), features, rtol=1e-5, atol=1e-5)


def open_clip(folder, vision, tensors, quick_gelu=False):
    """Save tensors as open_clip does, and those of a text encoder; return the folder."""
    model = {"embed_dim": 12, "quick_gelu": quick_gelu, "vision_cfg": vision, "text_cfg": {"width": 8}}
    steps = {"mean": [0.1, 0.2, 0.3], "std": [0.4, 0.5, 0.6], "interpolation": "bilinear", "resize_mode": "squash"}
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": model, "preprocess_cfg": steps}))
    text = {"transformer.resblocks.0.ln_1.weight": torch.ones(8), "logit_scale": torch.ones(())}
    safetensors.torch.save_file(tensors | text, folder / "open_clip_model.safetensors")
    return folder


OWN = {"layers": families.L, "width": families.D, "head_width": 8, "mlp_ratio": 2, "image_size": 32, "patch_size": 8}
THEIRS = {"timm_model_name": "test_vit", "image_size": 160, "timm_pool": "", "timm_proj": "linear"}
TRUNK = ((r"^(?!head)", "trunk."), (r"^head\.", "head.proj."))

TO_OPEN_CLIP = (
    *((r"^patch_embed\.proj", "conv1"), (r"^blocks", "transformer.resblocks"), (r"^pos_embed", "positional_embedding")),
    *(
        (r"^cls_token", "class_embedding"),
        (r"^norm_pre", "ln_pre"),
        (r"^norm\.", "ln_post."),
        (r"\.norm(\d)", r".ln_\1"),
    ),
    *((r"qkv\.", "in_proj_"), (r"attn\.proj", "attn.out_proj"), (r"fc1", "c_fc"), (r"fc2", "c_proj")),
    *((r"\.ls(\d)", r".ls_\1"), (r"^head\.weight", "proj")),
)


def rename_scales(tensors):
    """Return tensors of open_clip with timm's names of LayerScale, which its filter does not know."""
    return {name.replace(".ls_", ".ls"): tensor for name, tensor in tensors.items()}


@pytest.mark.parametrize(
    ("vision", "quick_gelu", "architecture", "options"),
    [
        (OWN, False, "vit_base_patch16_clip_224", {}),
        (OWN | {"ls_init_value": 0.1}, True, "vit_base_patch16_clip_quickgelu_224", {"init_values": 0.1}),
        (OWN | {"pool_type": "avg"}, False, "vit_base_patch16_clip_224", {"global_pool": "avg", "fc_norm": False}),
        (THEIRS, False, "test_vit", {}),
    ],
    ids=["own", "QuickGELU", "mean", "trunk of timm"],
)
@torch.no_grad()
def test_files_of_open_clip_load_as_timm_reads_them(vision, quick_gelu, architecture, options, tmp_path):
    small = {"embed_dim": families.D, "depth": families.L, "num_heads": 3, "mlp_ratio": 2, "patch_size": 8}
    small |= {"img_size": 32, **options}
    timm.layers.set_fused_attn(False)
    module = timm.create_model(architecture, num_classes=12, **({} if vision is THEIRS else small)).eval()
    torch.manual_seed(0)
    shapes = {name: tensor.shape for name, tensor in module.state_dict().items() if name != "head.bias"}
    tensors = {}
    for key, size in shapes.items():
        name = key
        for old, new in TRUNK if vision is THEIRS else TO_OPEN_CLIP:
            name = re.sub(old, new, name)
        flat = {"proj": size[::-1], "class_embedding": size[2:], "positional_embedding": size[1:]}
        tensors[f"visual.{name}"] = 0.3 * torch.randn(flat.get(name, size))
    module.load_state_dict(checkpoint_filter_fn(rename_scales(tensors), module))
    model = vitviz.load(open_clip(tmp_path, vision, tensors, quick_gelu), device="cpu")
    pixels = families.images(model.config.img_size)
    expected, attention = families.reference("timm", module.double(), pixels)
    network = model.network.double()
    found = network.forward_with_attention(pixels, "full").attention
    torch.testing.assert_close(network(pixels), expected, rtol=1e-8, atol=1e-8)
    torch.testing.assert_close(found.double(), attention, rtol=0, atol=1e-6)
    assert (model.mean, model.std, model.notes) == ((0.1, 0.2, 0.3), (0.4, 0.5, 0.6), ())
    assert (model.resize.interpolation, model.resize.crop_mode) == ("bilinear", "squash")


@pytest.mark.parametrize(
    ("field", "vision"),
    [
        ("final_ln_after_pool", {"final_ln_after_pool": True}),
        ("no_ln_pre", {"no_ln_pre": True}),
        ("attentional_pool", {"attentional_pool": True}),
        ("layers", {"layers": [1, 1, 1, 1]}),
    ],
)
def test_what_an_encoder_of_open_clip_may_have_besides_is_refused_by_name(field, vision, tmp_path):
    with refuses(field, CheckpointError):
        vitviz.load(open_clip(tmp_path, OWN | vision, {"visual.conv1.weight": torch.ones(24, 3, 8, 8)}))


PROCESSORS = {  # model type -> mean of the first channel, whether tiles and padding are left out
    **dict.fromkeys(("metaclip_2", "chinese_clip", "altclip", "owlvit"), (0.48145466, False)),
    **dict.fromkeys(("clipseg", "ijepa", "vit_msn", "beit", "data2vec-vision", "paligemma", "gemma3"), (0.5, False)),
    **{"tipsv2": (0.0, False), "llava": (0.48145466, False)},
    **dict.fromkeys(("owlv2", "llava_next", "llava_onevision"), (0.48145466, True)),
    **dict.fromkeys(("smolvlm", "idefics3", "siglip2"), (0.5, True)),
}
ENCODERS = {  # of vision-language models
    **dict.fromkeys(("llava", "llava_next"), "clip_vision_model"),
    **dict.fromkeys(("llava_onevision", "paligemma", "gemma3"), "siglip_vision_model"),
    **{"smolvlm": "smolvlm_vision", "idefics3": "idefics3_vision"},
}


@pytest.mark.parametrize("model_type", PROCESSORS)
def test_the_image_processor_of_each_family_is_read_and_what_it_leaves_out_is_noted(model_type):
    names = IMAGE_PROCESSOR_MAPPING_NAMES[model_type]
    name = names if isinstance(names, str) else names.get("torchvision") or next(iter(names.values()))
    settings = json.loads(getattr(transformers, name)().to_json_string())
    parts = {"vision_config": {"model_type": ENCODERS[model_type]}} if model_type in ENCODERS else {}
    _, mean, _, _, notes = image_processor.read_preprocessing(
        Pretrained("a", {}, {"model_type": model_type} | parts), settings
    )
    expected, leaves_out = PROCESSORS[model_type]
    assert (round(mean[0], 8), notes) == (expected, [image_processor.RESIZED] if leaves_out else [])


def test_padding_by_the_image_processor_of_a_plain_vit_is_refused():
    settings = {"image_processor_type": "ViTImageProcessor", "do_pad": True, "size": 32}
    with pytest.raises(CheckpointError, match="do_pad"):
        image_processor.read_preprocessing(Pretrained("a", {}, {"model_type": "vit"}), settings)


@pytest.mark.parametrize("old", ["vision_tower.vision_model.", "model.vision_tower.vision_model.", "vision_model."])
def test_the_prefixes_that_older_versions_write_are_found(old):
    *_, parts, prefix = MODELS["LLaVA"]
    model, _ = build("LLaVA")
    names = {name.replace(prefix, old) for name in model.state_dict()}
    content = {"model_type": "llava", **parts}
    assert needed_tensors(content, names) == {name for name in names if name.startswith(old)}
