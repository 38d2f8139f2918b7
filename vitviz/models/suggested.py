"""Pretrained ViTs to begin with: a list for people, and what each is good for."""

from dataclasses import dataclass

from vitviz.models import hub_cache

BYTES_PER_PARAMETER = 4  # float32, as these models are published and loaded
MEMORY_BESIDE_WEIGHTS = 600_000_000  # bytes that a page with an explanation takes in addition


@dataclass(frozen=True)
class Suggestion:
    """A pretrained model.

    Attributes:
        name: As `vitviz.load` takes it.
        title: Family and size.
        use: What it is good for.
        parameters: Of the image encoder, with its head.
        img_size: Height and width of the input (px).
        license: Of the weights.
    """

    name: str
    title: str
    use: str
    parameters: int
    img_size: int
    license: str

    @property
    def bytes(self) -> int:
        """Size of the weights."""
        return self.parameters * BYTES_PER_PARAMETER

    @property
    def memory(self) -> int:
        """Memory that explaining an image takes (bytes)."""
        return self.bytes + MEMORY_BESIDE_WEIGHTS

    @property
    def is_cached(self) -> bool:
        """Whether its files are in the cache of the Hugging Face Hub."""
        return hub_cache.is_cached(self.name)


APACHE = "Apache-2.0"
SUGGESTED = (
    Suggestion(
        "timm:vit_small_patch16_224.augreg_in21k_ft_in1k",
        "ViT-S/16",
        "1,000 classes of ImageNet: a good first model for photographs",
        22_050_664,
        224,
        APACHE,
    ),
    Suggestion(
        "timm:vit_base_patch16_224.augreg2_in21k_ft_in1k",
        "ViT-B/16",
        "1,000 classes of ImageNet, more accurate and four times as large",
        86_567_656,
        224,
        APACHE,
    ),
    Suggestion(
        "timm:deit3_small_patch16_224.fb_in22k_ft_in1k",
        "DeiT-III-S/16",
        "1,000 classes of ImageNet, trained by a newer recipe: compare its attention with that of ViT-S",
        22_059_496,
        224,
        APACHE,
    ),
    Suggestion(
        "timm:vit_small_patch16_224.dino",
        "DINO-S/16",
        "no classes: its heads outline objects, as in the paper on emerging properties",
        21_665_664,
        224,
        APACHE,
    ),
    Suggestion(
        "hf:facebook/dinov2-small",
        "DINOv2-S/14",
        "no classes: features of parts, and the best start for teaching your own classes",
        22_056_576,
        224,
        APACHE,
    ),
    Suggestion(
        "hf:facebook/dinov2-with-registers-small",
        "DINOv2-S/14 with registers",
        "no classes: as DINOv2-S, without the artifacts in its attention",
        22_058_112,
        224,
        APACHE,
    ),
    Suggestion(
        "hf:facebook/dinov2-base",
        "DINOv2-B/14",
        "no classes: finer features of parts",
        86_580_480,
        224,
        APACHE,
    ),
    Suggestion(
        "hf:facebook/dinov2-with-registers-base",
        "DINOv2-B/14 with registers",
        "no classes: finer features, without the artifacts",
        86_583_552,
        224,
        APACHE,
    ),
    Suggestion(
        "timm:vit_small_patch16_dinov3.lvd1689m",
        "DINOv3-S/16",
        "no classes: dense features with rotary positions",
        21_586_944,
        256,
        "DINOv3 License",
    ),
    Suggestion(
        "timm:vit_base_patch16_clip_224.openai",
        "CLIP-B/16",
        "trained with captions; `vitviz convert --classes` makes texts its classes",
        86_193_152,
        224,
        APACHE,
    ),
    Suggestion(
        "timm:vit_base_patch16_siglip_224.v2_webli",
        "SigLIP 2-B/16",
        "trained with captions: no class token, its features are pooled by attention",
        92_884_224,
        224,
        APACHE,
    ),
    Suggestion(
        "timm:vit_base_patch16_224.mae",
        "MAE-B/16",
        "no classes: trained to fill in masked patches",
        85_798_656,
        224,
        "CC-BY-NC-4.0",
    ),
)
