"""Any weights -> one file of vitviz: pickles with the config of a known model, and zero-shot heads."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from vitviz.errors import CheckpointError
from vitviz.models import checkpoint, hub, pickles, zero_shot
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config_files import Settings
from vitviz.models.labels import read_labels
from vitviz.models.names import PREFIXES, find_architecture, parse_repository, standard_name
from vitviz.models.pretrained import Pretrained, find_family

TOKENIZER = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("vocab.json", "merges.txt", "spiece.model"),
)


def convert(
    name: str | Path,
    like: str | Path | None = None,
    labels: Sequence[str] | str | Path | None = None,
    img_size: tuple[int, int] | None = None,
    classes: Sequence[str] | None = None,
) -> Checkpoint:
    """Load a model from anywhere, pickles included.

    Args:
        name: What `hub.load` opens, or a file of `torch.save` (.pth, .pt, .bin, .ckpt).
        like: For weights without config.json, the model that they belong to: "timm:NAME", "hf:OWNER/NAME",
            "torchvision:NAME" or a folder; None for the architecture of timm that is stored with them, if it is.
        labels: As for `hub.load`.
        img_size: As for `hub.load`.
        classes: Texts; they become the classes of the image encoder of CLIP or SigLIP.

    Raises:
        CheckpointError: If the model cannot be read or is not a ViT that vitviz knows.
    """
    if classes is not None:
        found = load_zero_shot(str(name), img_size, classes)
        return found if labels is None else replace(found, labels=read_labels(labels, found.config.num_classes))
    path = Path(name)
    folder_files = hub.find_pickles(path) if path.is_dir() and not any(path.glob("*.safetensors")) else []
    is_set = len(folder_files) == 1 or (folder_files and hub.is_shard(folder_files[0]))
    if not pickles.is_pickle(path) and not is_set and (like is None or not path.is_file()):
        return hub.load(name, labels, img_size)
    home = path if is_set else path.parent
    name = path.name if is_set else path.name.removesuffix(".tar").rpartition(".")[0] or path.stem
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        files = folder_files or [path]
        hub.check_is_whole(files)
        if pickles.is_pickle(files[0]):
            checkpoint.check_size(sum(file.stat().st_size for file in files), None)
            read = [Path(folder) / f"{number}.safetensors" for number in range(len(files))]
            for file, out in zip(files, read, strict=True):
                pickles.to_safetensors(file, out)
            files = read
        tensors = hub.TensorFiles(files, stack)
        if like is None and not (home / hub.CONFIG).is_file() and tensors.metadata.get(pickles.ARCHITECTURE):
            like = f"timm:{tensors.metadata[pickles.ARCHITECTURE]}"
        config, processor = read_like(like if like is not None else home, path.name)
        pretrained = Pretrained(name, tensors, config, has_any_head=like is not None)
        found = hub.load_pretrained(pretrained, processor, {}, img_size)
    return found if labels is None else replace(found, labels=read_labels(labels, found.config.num_classes))


def read_like(like: str | Path, file: str) -> tuple[Settings, Settings]:
    """Return config.json and the settings of the image processor of the model that weights belong to.

    An architecture of timm without a tag is enough where its config.json cannot be had: its family's settings then
    follow from its name, and the preprocessing is that of the family. With a tag the preprocessing is that of its
    weights, which may be another one.
    """
    if str(like).startswith("torchvision:"):
        bare = {"architecture": str(like).partition(":")[2]}
        find_family(Pretrained(str(like), {}, bare))
        return bare, {}
    like = standard_name(like) if isinstance(like, str) else like
    own: Settings = {}
    if str(like).startswith(PREFIXES):
        architecture, _, tag = str(like).partition(":")[2].rpartition("/")[2].partition(".")
        bare = {"architecture": architecture}
        own = {"architecture": other} if (other := find_architecture(str(like))) else {}
        try:
            repository, revision = parse_repository(str(like))
            folder = Path(str(hub.download(repository, hub.CONFIG, revision))).parent
            for name in hub.PROCESSOR_FILES:
                hub.download(repository, name, revision, optional=True)
        except CheckpointError as error:
            if not str(like).startswith("timm:"):
                raise
            if tag:
                hint = (
                    f"Or name the architecture alone, for the preprocessing of its family: `like=timm:{architecture}`."
                )
                raise CheckpointError(error.problem, f"{error.hint} {hint}".strip(), error.field) from None
            find_family(Pretrained(str(like), {}, bare))
            return bare, {}
    else:
        folder = Path(like)
    if not (folder / hub.CONFIG).is_file():
        raise CheckpointError(
            f"Weights need the config of their model: there is no {hub.CONFIG} for {file!r}",
            "Name the model with `like=timm:NAME`, `like=hf:OWNER/NAME` or `like=FOLDER`.",
            "like",
        )
    return hub.read_json(folder / hub.CONFIG) | own, hub.read_processor(folder)


def load_zero_shot(name: str, img_size: tuple[int, int] | None, classes: Sequence[str]) -> Checkpoint:
    """Load an image encoder of CLIP or SigLIP with texts as classes."""
    name = standard_name(name)
    folder = Path(name)
    if name.startswith(PREFIXES):
        repository, folder = hub.fetch(name, has_text=True)
        for file in TOKENIZER:
            hub.download(repository, file, folder.name, optional=True)
    model = hub.load(name, img_size=img_size)
    config = folder / hub.CONFIG
    model_type = str(hub.read_json(config).get("model_type", "")) if config.is_file() else ""
    return zero_shot.add_head(model, folder, model_type, classes)
