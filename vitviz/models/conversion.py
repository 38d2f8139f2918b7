"""Any weights -> one file of vitviz: pickles with the config of a known model, and zero-shot heads."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from vitviz.models import checkpoint, hub, model_files, pickles, zero_shot
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.labels import Labels
from vitviz.models.weights_like import describe, load_like


def convert(
    name: str | Path,
    like: str | Path | None = None,
    labels: Labels | None = None,
    img_size: tuple[int, int] | None = None,
    classes: Sequence[str] | None = None,
) -> Checkpoint:
    """Load a model from anywhere, pickles included.

    Args:
        name: What `hub.load` opens, or a file of `torch.save` (.pth, .pt, .bin, .ckpt).
        like: For weights without config.json, the model that they belong to: "timm:NAME", "hf:OWNER/NAME",
            "torchvision:NAME" or a folder; None for the architecture of timm that is stored with them, if it is. For an
            adapter, its base model.
        labels: As for `hub.load`.
        img_size: As for `hub.load`.
        classes: Texts; they become the classes of the image encoder of CLIP, SigLIP or a relative.

    Raises:
        CheckpointError: If the model cannot be read or is not a ViT that vitviz knows.
    """
    if classes is not None:
        return zero_shot.load(str(name), classes, labels, like, img_size=img_size)
    path = Path(name)
    folder_files = model_files.find_pickles(path) if path.is_dir() and not any(path.glob("*.safetensors")) else []
    is_set = len(folder_files) == 1 or (folder_files and model_files.is_shard(folder_files[0]))
    if not pickles.is_pickle(path) and not is_set:
        return hub.load(name, labels, img_size) if like is None else load_like(name, like, labels, img_size)
    files, home = folder_files or [path], path if is_set else path.parent
    title = path.name if is_set else path.name.removesuffix(".tar").rpartition(".")[0] or path.stem
    model_files.check_is_whole(files)
    checkpoint.check_size(sum(file.stat().st_size for file in files), None)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        read = [Path(folder) / f"{number}.safetensors" for number in range(len(files))]
        for file, out in zip(files, read, strict=True):
            pickles.to_safetensors(file, out)
        tensors = model_files.TensorFiles(read, stack)
        if like is None and not model_files.find_config(home).is_file() and tensors.metadata.get(pickles.ARCHITECTURE):
            like = f"timm:{tensors.metadata[pickles.ARCHITECTURE]}"
        described, processor = describe(home if like is None else like, path.name)
        pretrained = replace(described, name=title, tensors=tensors, has_any_head=like is not None)
        return hub.load(pretrained, labels, img_size, processor=processor)
