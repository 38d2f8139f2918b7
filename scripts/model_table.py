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
    "torchvision ViT": ("`torchvision.models.vit_b_16()`, a module", "SWAG, too"),
    "C-RADIO": ("hf:nvidia/C-RADIOv4-H", "8 to 10 prefix tokens, no final norm; positions of a 128 x 128 grid"),
    "TIPSv2": ("hf:google/tipsv2-b14", "1 register, LayerScale"),
    "I-JEPA": ("hf:facebook/ijepa_vith14_1k", "no class token"),
    "ViT-MSN": ("hf:facebook/vit-msn-small", "plain"),
    "MetaCLIP 2": ("hf:facebook/metaclip-2-worldwide-s16", "as CLIP"),
    "Chinese-CLIP": ("hf:OFA-Sys/chinese-clip-vit-base-patch16", "as CLIP"),
    "AltCLIP": ("hf:BAAI/AltCLIP", "as CLIP"),
    "CLIPSeg": ("hf:CIDAS/clipseg-rd64-refined", "as CLIP, without its decoder"),
    "OWL-ViT": ("hf:google/owlvit-base-patch32", "as CLIP, without its detection heads; OWLv2, too"),
    "SigLIP 2 NaFlex": ("hf:google/siglip2-base-patch16-naflex", "attention pooling; at a fixed grid"),
    "SmolVLM, Idefics3": ("hf:HuggingFaceTB/SmolVLM2-2.2B-Instruct", "image encoder of a vision-language model"),
    "RoPE-ViT": (
        "timm:vit_base_patch16_rope_mixed_224.naver_in1k",
        "rotary positions, with learned frequencies: mixed",
    ),
    "Perception Encoder": ("timm:vit_pe_core_base_patch16_224.fb", "rotary positions, attention pooling of all tokens"),
    "BEiT": ("timm:beit_base_patch16_224.in22k_ft_in22k_in1k", "relative position bias, mean of the patches; v2, too"),
    "data2vec": ("hf:facebook/data2vec-vision-base-ft1k", "relative position bias, mean of the patches"),
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
        shown = example if "`" in example else f"`{example}`"
        rows.append(f"| {title} | {shown} | {notes} | {libraries} |")
    return "\n".join(rows) + "\n\n"


def titles_by_library() -> dict[str, set[str]]:
    """Return the titles of the families that load from each library."""
    return {
        **{name: {one.title for one in TIMM if one.library == name} for name in ("timm", "torchvision")},
        "transformers": {family.title for family in TRANSFORMERS},
    }


if __name__ == "__main__":
    main()
