"""Write the table in docs/usage.md of the models that load from the families' tables: python -m scripts.model_table."""

import re
from pathlib import Path

from vitviz.models.families import TIMM, TRANSFORMERS

DOCUMENT = Path(__file__).parents[1] / "docs" / "usage.md"
TABLE = re.compile(r"(?<=writes this table -->\n).*?(?=<!-- end of models)", re.DOTALL)
FAMILIES = {  # title -> example, what its ViTs have beyond a plain one
    "ViT": ("timm:vit_base_patch16_224.augreg2_in21k_ft_in1k", "DINO, MAE fine-tunes, sbb and FlexiViT, too"),
    "ViT-MAE": ("hf:facebook/vit-mae-base", "encoder only"),
    "DeiT": ("timm:deit3_small_patch16_224.fb_in1k", "distillation token and its head; DeiT-III: LayerScale"),
    "DINOv2": ("timm:vit_small_patch14_dinov2.lvd142m", "LayerScale; giant: SwiGLU"),
    "DINOv2 with registers": ("hf:facebook/dinov2-with-registers-small", "4 registers"),
    "DINOv3": ("timm:vit_small_patch16_dinov3.lvd1689m", "rotary positions, 4 registers; plus: SwiGLU"),
    "CLIP": ("hf:openai/clip-vit-base-patch32", "norm before the first block, QuickGELU; zero-shot head"),
    "SigLIP": ("timm:vit_base_patch16_siglip_224.v2_webli", "attention pooling, no class token; zero-shot head"),
    "EVA": ("timm:eva_giant_patch14_224.clip_ft_in1k", "no bias of keys"),
    "EVA-02": ("timm:eva02_base_patch14_224.mim_in22k", "rotary positions, SwiGLU, norms inside attention and MLP"),
    "ViT with rotary positions": ("timm:vit_base_patch16_rope_reg1_gap_256.sbb_in1k", "mean of the patches, registers"),
    "BEiT-3": ("timm:beit3_base_patch16_224.in22k_ft_in1k", "norms inside attention and MLP"),
}


def main() -> None:
    """Replace the table in the document."""
    DOCUMENT.write_text(TABLE.sub(lambda _: table(), DOCUMENT.read_text()))


def table() -> str:
    """Return one row per family: example, what it has, and the libraries whose implementation it is equal to."""
    rows = ["", "| family | for example | has | equal to |", "|---|---|---|---|"]
    for title, (example, notes) in FAMILIES.items():
        libraries = " and ".join(name for name, titles in titles_by_library().items() if title in titles)
        rows.append(f"| {title} | `{example}` | {notes} | {libraries} |")
    return "\n".join(rows) + "\n\n"


def titles_by_library() -> dict[str, set[str]]:
    """Return the titles of the families that load from each library."""
    return {
        "timm": {family.title for family in TIMM},
        "transformers": {family.title for family in TRANSFORMERS},
    }


if __name__ == "__main__":
    main()
