"""Folders of models with one to three changes: of config.json, tensors, index or image processor; seeded."""

import json
import math
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from tests.models import families

NAMES = (
    *("ViT", "distilled DeiT", "DINOv2", "DINOv2 with registers", "DINOv3 plus", "CLIP", "CLIP fine-tune", "SigLIP"),
    *("timm ViT", "timm distilled DeiT", "timm EVA-02 tiny", "timm DINOv2 with registers", "timm DINOv3", "timm CLIP"),
)
NESTED: Any = []
for _ in range(300):
    NESTED = [NESTED]
VALUES = (
    *(None, True, False, "", "x", "3", "relu", -1, 0, 1, 2, 3, 5, 7, 10**6, 10**30, 0.5, -0.5, 1e-9, 1e300, math.nan),
    *(
        math.inf,
        [],
        [1],
        [8, 8],
        [0, 0],
        ["x"],
        {},
        {"a": 1},
        {"height": 0, "width": -1},
        NESTED,
        "x" * 10**4,
        "\ud800",
    ),
)
FILES = (
    "",
    "[]",
    "3",
    "null",
    "{",
    '{"a":',
    "\ufeff{}",
    "\0",
    '{"model_type": 3}',
    '{"architecture": []}',
    "[" * 10**4,
)
PROCESSOR = {
    **{"size": {"height": 32, "width": 32}, "crop_size": {"height": 32, "width": 32}, "resample": 2},
    **{"do_center_crop": False, "do_resize": True, "do_rescale": True, "do_normalize": True, "rescale_factor": 1 / 255},
    **{"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "image_processor_type": "ViTImageProcessor"},
}


def originals(folder: Path) -> dict[str, Path]:
    """Save a small model of each kind; returns the folders by name."""
    for name in NAMES:
        families.saved(name, folder / name)
    return {name: folder / name for name in NAMES}


def mutate(source: Path, target: Path, seed: int) -> str:
    """Copy a folder with changes that follow from the seed; returns their description."""
    rng = random.Random(seed)
    shutil.copytree(source, target)
    kinds: tuple[Callable[[Path, random.Random], str], ...] = (change_config, change_config, change_tensor)
    kinds = (*kinds, change_tensor, change_index, change_processor, change_file)
    return "; ".join(rng.choice(kinds)(target, rng) for _ in range(rng.choice((1, 1, 1, 2, 3))))


def change_value(values: Any, rng: random.Random) -> str:
    """Set, remove or add a value anywhere in an object."""
    places = [values]
    for one in places:
        places += [inner for inner in one.values() if isinstance(inner, dict)]
    place = rng.choice(places)
    action = rng.choice(("set", "set", "set", "remove", "add"))
    if action == "add" or not place:
        name, value = rng.choice(("gate", "norm_layer", "rope_scaling", "pruned_heads", "a\x1bb")), rng.choice(VALUES)
        place[name] = value
        return f"add {name!r} {value!r:.40}"
    name = rng.choice(sorted(place))
    if action == "remove":
        del place[name]
        return f"remove {name}"
    place[name] = rng.choice(VALUES)
    return f"{name} = {place[name]!r:.40}"


def change_config(folder: Path, rng: random.Random) -> str:
    """Change a value of config.json."""
    try:
        config = json.loads((folder / "config.json").read_text())
        assert isinstance(config, dict)
    except (ValueError, AssertionError, RecursionError):
        return "no config"
    done = change_value(config, rng)
    (folder / "config.json").write_text(json.dumps(config))
    return f"config: {done}"


def change_tensor(folder: Path, rng: random.Random) -> str:
    """Remove, rename, add, reshape or convert a tensor."""
    if not (folder / "model.safetensors").is_file():
        return "no tensors"
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    name = rng.choice(sorted(tensors))
    tensor = tensors.pop(name)
    changes: dict[str, Callable[[], torch.Tensor | None]] = {
        "remove": lambda: None,
        "one": lambda: torch.ones(1),
        "scalar": lambda: torch.tensor(1.0),
        "empty": lambda: torch.empty(0),
        "no rows": lambda: tensor[:0],
        "flat": tensor.flatten,
        "longer": lambda: torch.cat([tensor, tensor]),
        "shorter": lambda: tensor[: max(1, len(tensor) // 2)],
        "transposed": lambda: tensor.mT.contiguous() if tensor.ndim > 1 else tensor[None],
        "integer": lambda: tensor.to(torch.int8),
        "float8": lambda: tensor.to(torch.float8_e4m3fn),
        "float64": tensor.double,
        "NaN": lambda: tensor * math.nan,
        "renamed": lambda: tensor,
        "5 dimensions": lambda: tensor.view(1, 1, 1, 1, -1),
    }
    kind = rng.choice(sorted(changes))
    if tensor.ndim == 0:
        kind = "remove"
    if (changed := changes[kind]()) is not None:
        renamed = rng.choice((f"x.{name}", name.replace("1", "9"), name[:-1], f"{name}.\x1b[31m", "blocks.99999999.x"))
        tensors[renamed if kind == "renamed" else name] = changed
    if rng.random() < 0.1:
        drop = name.rpartition(".")[0]
        tensors = {key: one for key, one in tensors.items() if not key.startswith(drop)}
        kind = f"remove all of {drop}, {kind}"
    safetensors.torch.save_file({key: one.clone() for key, one in tensors.items()}, folder / "model.safetensors")
    return f"{name}: {kind}"


def change_index(folder: Path, rng: random.Random) -> str:
    """Split the tensors into two files with an index that is right, wrong or damaged."""
    if not (folder / "model.safetensors").is_file():
        return "no tensors"
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    files = {name: f"model-0000{1 + (k % 2)}-of-00002.safetensors" for k, name in enumerate(names)}
    for file in set(files.values()):
        safetensors.torch.save_file({n: tensors[n] for n in names if files[n] == file}, folder / file)
    maps = (files, {**files, names[0]: 3}, {**files, names[0]: "../x.safetensors"}, {**files, "more": "no.safetensors"})
    maps = (
        *maps,
        {},
        [],
        None,
        "x",
        {name: next(iter(files.values())) for name in names},
        {**files, "x": files[names[0]]},
    )
    number = rng.randrange(len(maps) + len(FILES))
    content = json.dumps({"weight_map": maps[number]}) if number < len(maps) else FILES[number - len(maps)]
    (folder / "model.safetensors.index.json").write_text(content)
    if rng.random() < 0.2:
        (folder / files[names[0]]).unlink()
    return f"index {content:.60}"


def change_processor(folder: Path, rng: random.Random) -> str:
    """Write an image processor with a changed value."""
    processor = json.loads(json.dumps(PROCESSOR))
    done = change_value(processor, rng)
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))
    return f"processor: {done}"


def change_file(folder: Path, rng: random.Random) -> str:
    """Replace a JSON file by something else."""
    name, content = rng.choice(("config.json", "preprocessor_config.json", "processor_config.json")), rng.choice(FILES)
    (folder / name).write_text(content)
    return f"{name} is {content[:20]!r}"
