"""Preprocessing that a model's files state: the image processor of transformers, or timm's `pretrained_cfg`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image
from torch import nn

from vitviz.data.image_cache import Channels
from vitviz.data.preprocessing import CropMode, Resize
from vitviz.errors import CheckpointError
from vitviz.models.config_files import Processor, Settings, TimmConfig, parse
from vitviz.models.families import PROCESSORS, TILES, TILING
from vitviz.models.model_files import PROCESSOR_FILES, read_processor
from vitviz.models.names import REPOSITORY
from vitviz.models.pretrained import Pretrained

ASSUMED = "mean and standard deviation are the defaults of the family, as no file states them"
RESIZED = (
    "images are resized to one size, where the image processor of the model also pads them or cuts them into tiles"
)


def processor_settings(processor: Any) -> Settings:
    """Return the settings of an image processor of transformers, of its folder, or as they are."""
    if isinstance(processor, str | Path):
        return read_processor(Path(processor))
    inner = getattr(processor, "image_processor", processor)  # of a processor of texts and images
    settings = inner.to_dict() if hasattr(inner, "to_dict") else inner
    if not isinstance(settings, Mapping):
        raise CheckpointError(
            f"processor must be an image processor of transformers, its settings or a folder: got {processor!r:.80}",
            field="processor",
        )
    return dict(settings)


def processor_of(module: nn.Module) -> Settings:
    """Return the settings of the image processor next to the weights that a module of transformers was loaded from.

    They are in its folder, or in the cache of the Hub; empty if they are not.
    """
    from huggingface_hub import try_to_load_from_cache

    origin = str(getattr(getattr(module, "config", None), "_name_or_path", None) or "")
    if not origin:
        return {}
    if Path(origin).is_dir():
        return read_processor(Path(origin))
    if not re.fullmatch(REPOSITORY, origin):
        return {}
    cached = [try_to_load_from_cache(origin, name) for name in PROCESSOR_FILES]
    return next((read_processor(Path(path).parent) for path in cached if isinstance(path, str)), {})


def read_preprocessing(
    pretrained: Pretrained, processor: Settings
) -> tuple[tuple[int, int] | None, Channels, Channels, Resize, list[str]]:
    """Read size, mean, standard deviation, crop and filter, and note what is assumed.

    They are in timm's `pretrained_cfg`, or those of transformers' image processor.

    Raises:
        CheckpointError: If the files state a step that vitviz does not have.
    """
    family, (mean, std) = pretrained.family, pretrained.family.normalization
    if isinstance(pretrained.file, TimmConfig):
        cfg = pretrained.file.pretrained_cfg
        mode: CropMode = cfg.crop_mode or "center"
        resize = Resize(cfg.interpolation or "bicubic", cfg.crop_pct or 1.0, mode)
        return None, cfg.mean or mean, cfg.std or std, resize, [] if cfg.mean and cfg.std else [ASSUMED]
    if not processor:
        return None, mean, std, family.resize, [ASSUMED]
    name = str(processor.get("image_processor_type") or processor.get("feature_extractor_type"))
    start = re.sub("(ImageProcessor|FeatureExtractor).*", "", name)
    tiles = TILES if start in TILING else ()
    kept = {name: value for name, value in processor.items() if name not in tiles}
    file = parse(Processor, kept, "the image processor")
    kinds = [kind[1:] for kind in PROCESSORS if start in kind[0] and start != file.class_name]
    if file.class_name and not kinds:
        known = ", ".join(name for names, *_ in PROCESSORS for name in names)
        raise CheckpointError(
            f"The image processor must be of {known}: got {file.class_name:.80}",
            "Pass mean, std and img_size, and remove its file.",
            "image_processor_type",
        )
    is_shortest, crops = kinds[0] if kinds else (family.resize.crop_mode == "center", False)
    if file.size is not None and file.size.number is None:
        is_shortest = file.size.shortest_edge is not None
    scaled = file.size.sides if file.size else None
    crop = (
        file.crop_size.sides
        if file.crop_size and (crops if file.do_center_crop is None else file.do_center_crop)
        else None
    )
    crop_pct = 1.0
    if crop and scaled:
        crop_pct = max(crop) / max(scaled)
        fits = crop[0] * scaled[1] == crop[1] * scaled[0] if not is_shortest else crop[0] == crop[1] or crop_pct == 1
        if crop_pct > 1 or not fits:
            raise CheckpointError(
                f"crop_size must be a part of size of its aspect ratio: got {crop} of {scaled}", field="crop_size"
            )
    interpolation = family.resize.interpolation
    if file.resample is not None:
        interpolation = Image.Resampling(file.resample).name.lower()
    scale = 255 * file.rescale_factor if file.do_rescale else 255.0
    is_stated = not file.do_normalize or (file.image_mean and file.image_std)
    mean, std = file.image_mean or mean, file.image_std or std
    if not file.do_normalize:
        mean, std = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    size = crop or scaled
    patch = pretrained.file.patch_size
    if size:
        size = size[0] - size[0] % patch, size[1] - size[1] % patch
    resize = Resize(interpolation, crop_pct, "center" if is_shortest else "squash")
    notes = ([] if is_stated else [ASSUMED]) + ([RESIZED] if tiles else [])
    return size, rescale(mean, scale), rescale(std, scale), resize, notes


def rescale(values: Channels, scale: float) -> Channels:
    """Return the mean or standard deviation of pixels in 0..1 from that of pixels in 0..scale."""
    return values if abs(scale - 1) < 1e-6 else (values[0] / scale, values[1] / scale, values[2] / scale)
