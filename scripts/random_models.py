"""Write large models and other families with random weights: python -m scripts.random_models --help.

For looking at the page (`vitviz app --checkpoint FILE`) and for `python -m benchmarks large`. timm builds them; weights
are scaled up, since attention is almost uniform with a fresh initialization.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from torch import nn

from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.hub import load
from vitviz.models.vit import ViT

SMALL = {"embed_dim": 192, "mlp_ratio": 2}  # the depth and heads of a B, at less cost
CLASSES = ("a cat", "a dog", "a ship", "a truck")


def of_timm(architecture: str, **options: Any) -> Callable[[], Checkpoint]:
    """Return a function that builds a model of an architecture of timm."""

    def build() -> Checkpoint:
        import timm

        module = timm.create_model(architecture, pretrained=False, **options).eval()
        return load(spread_weights(module))

    return build


def zero_shot_clip() -> Checkpoint:
    """Build an image encoder of CLIP whose projection is compared with texts."""
    model = MODELS["clip-b16"]()
    network = model.network
    if not isinstance(network, ViT):
        raise TypeError(type(network))
    config = replace(network.config, num_classes=len(CLASSES), normalize_head=True)
    zero_shot = ViT(config)
    weights = network.state_dict()
    weights["head.weight"] = 100 * nn.functional.normalize(torch.randn(len(CLASSES), config.head_proj_dim), dim=-1)
    weights["head.bias"] = torch.zeros(len(CLASSES))
    zero_shot.load_state_dict(weights)
    return replace(model, network=zero_shot.eval(), labels=CLASSES)


def spread_weights(module: nn.Module) -> nn.Module:
    """Scale up what makes tokens and attention differ."""
    scales = {"cls_token": 0.5, "reg_token": 0.5, "pos_embed": 0.3, "head.weight": 0.03, "attn_pool.latent": 0.5}
    with torch.no_grad():
        for name, weight in module.named_parameters():
            if name.endswith(("qkv.weight", "attn_pool.q.weight", "attn_pool.kv.weight")):
                weight.mul_(4)
            if name.endswith("gamma"):  # LayerScale starts at 0.00001: no block would do anything
                weight.fill_(1)
            if name in scales:
                nn.init.normal_(weight, std=scales[name])
    return module


MODELS: dict[str, Callable[[], Checkpoint]] = {
    "vit-b16": of_timm("vit_base_patch16_224"),
    "vit-l16": of_timm("vit_large_patch16_224"),
    "vit-40x24": of_timm("vit_base_patch16_224", depth=40, num_heads=24, **SMALL, num_classes=10),
    "vit-224x320": of_timm("vit_tiny_patch16_224", img_size=(224, 320), num_classes=10),
    "dino-s16": of_timm("vit_small_patch16_224", num_classes=0),
    "dinov2-s14-518": of_timm("vit_small_patch14_reg4_dinov2", num_classes=0),
    "dinov2-s14-224": of_timm("vit_small_patch14_reg4_dinov2", img_size=224, num_classes=1000),
    "siglip-b16": of_timm("vit_base_patch16_siglip_224", **SMALL, num_classes=10),
    "siglip-b16-headless": of_timm("vit_base_patch16_siglip_224", **SMALL, num_classes=0),
    "clip-b16": of_timm("vit_base_patch16_clip_quickgelu_224", **SMALL, num_classes=128),
    "clip-b16-zero-shot": zero_shot_clip,
}


def main(
    folder: Annotated[Path, typer.Argument(help="Folder of the files.")],
    names: Annotated[
        list[str] | None, typer.Argument(help=f"Default: {', '.join(MODELS)}.", show_default=False)
    ] = None,
) -> None:
    """Write all models, or those with these names, unless they exist."""
    if unknown := [name for name in names or () if name not in MODELS]:
        raise typer.BadParameter(f"names must be of {', '.join(MODELS)}: got {unknown[0]!r}.")
    for name in names or MODELS:
        path = folder / f"random-{name}.safetensors"
        if path.exists():
            continue
        torch.manual_seed(0)
        path.parent.mkdir(parents=True, exist_ok=True)
        checkpoint.save(MODELS[name](), path)
        print(path, f"{path.stat().st_size / 1e6:,.0f} MB", flush=True)


if __name__ == "__main__":
    typer.run(main)
