"""Zero-shot heads: text embeddings of CLIP, SigLIP and their relatives as the classes of their image encoder.

Radford et al. 2021 (arXiv 2103.00020, section 3.1), Zhai et al. 2023 (arXiv 2303.15343). transformers embeds
the text; the model that results does not need it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vitviz.errors import CheckpointError
from vitviz.files import printable_name
from vitviz.models import downloads, hub
from vitviz.models.checkpoint import Checkpoint, check_finite, create_meta_model, use_weights
from vitviz.models.families import TEXT_FAMILIES
from vitviz.models.labels import Labels, read_labels
from vitviz.models.names import PREFIXES, standard_name
from vitviz.models.originals import silent
from vitviz.models.vit import ViT
from vitviz.models.weights import FileState, file_state

VOCABULARIES = (
    *("tokenizer.json", "vocab.json", "vocab.txt"),
    *("spiece.model", "sentencepiece.bpe.model", "tokenizer.model"),
)
TOKENIZER = (*VOCABULARIES, "merges.txt", "tokenizer_config.json", "special_tokens_map.json")
BATCH_SIZE = 256  # texts embedded at once


def load(
    name: Any, classes: Sequence[str], labels: Labels | None = None, like: Any = None, **options: Any
) -> Checkpoint:
    """Load an image encoder with texts as classes.

    Args:
        name: As for `hub.load`; of a model on the Hub all files are downloaded.
        classes: As for `with_classes`.
        labels: Other names of the classes, as for `hub.load`.
        like: Refused, as are weights in memory: there is no text encoder that belongs to them.
        options: As for `hub.load`.
    """
    classes = check_classes(classes)
    if like is not None or isinstance(name, Mapping):
        raise CheckpointError(
            "`classes` needs the text encoder of the model: weights in memory, or with `like`, have none",
            "Load the model by its name or from its folder.",
            "classes",
        )
    if isinstance(name, str) and standard_name(name).startswith(PREFIXES):
        # First, as the image encoder alone would be another download.
        downloads.fetch(standard_name(name), has_text=True)
    found = with_classes(hub.load(name, **options), classes)
    return found if labels is None else replace(found, labels=read_labels(labels, found.config.num_classes))


def with_classes(
    model: Checkpoint, classes: Sequence[str], offline: bool = False, progress: type | None = None
) -> Checkpoint:
    """Return a model whose logits are those of CLIP, SigLIP or a relative for an image and each text.

    A logit is the cosine of image and text embedding times the learned scale, plus the bias of SigLIP:
    `logits_per_image` of transformers. Probabilities are their softmax, SigLIP's the sigmoid of each.

    Args:
        model: The image encoder, with its projection, if it has one, or with other texts.
        classes: At least two texts.
        offline: Whether the text encoder is not downloaded.
        progress: Progress bar, as for `downloads.fetch`.

    Raises:
        CheckpointError: If the model has no text encoder, transformers is not installed, or a text is empty or too
            long.
    """
    classes = check_classes(classes)
    network = model.network
    if not model.compares_texts or not isinstance(network, ViT):
        raise CheckpointError(
            f"`classes` needs a model of transformers with a text encoder: {model.name} is {describe(model)}",
            f"Families that have one: {', '.join(TEXT_FAMILIES)}. Use hf:openai/clip-vit-base-patch32, for example.",
            "classes",
        )
    if find_spec("transformers") is None:
        raise CheckpointError(
            "`classes` needs transformers to embed the text: it is not installed",
            "Run `pip install transformers` once; the converted model does not need it.",
            "classes",
        )
    encoder = load_encoder(find_folder(model, offline, progress), model.name)
    texts = encoder.embed(classes)
    config = replace(
        network.config, num_classes=len(classes), normalize_head=True, multi_label=encoder.bias is not None
    )
    weights = dict(network.state_dict())
    weight = next(network.parameters())
    weights["head.weight"] = (encoder.scale * torch.nn.functional.normalize(texts, dim=-1)).to(weight)  # (K, E)
    weights["head.bias"] = torch.full((len(classes),), encoder.bias or 0.0).to(weight)
    check_finite(weights)
    zero_shot = use_weights(create_meta_model(config), weights)
    described = {"classes": list(classes), "logit_scale": encoder.scale, "logit_bias": encoder.bias or 0.0}
    return replace(model, network=zero_shot, labels=classes, record=model.record | {"zero_shot": described})


def check_classes(classes: Iterable[str]) -> tuple[str, ...]:
    """Return texts; refuse anything but two or more different ones."""
    known = tuple(classes) if isinstance(classes, Iterable) and not isinstance(classes, str) else ()
    if len(known) < 2 or not all(isinstance(text, str) and text.strip() for text in known):
        got = ", ".join(map(str, known)) or str(classes) or "none"
        problem = f"`classes` must be at least 2 texts, none of them empty: got {got:.80}"
        raise CheckpointError(problem, "Add another one, such as a photo.", "classes")
    if twice := next((text for text in known if known.count(text) > 1), None):
        raise CheckpointError(f"`classes` must be different texts: {twice[:80]!r} is given twice", field="classes")
    return known


def find_folder(model: Checkpoint, offline: bool, progress: type | None) -> Path:
    """Return the folder with the text encoder and the tokenizer of a model, of the Hub from the cache."""
    if repository := model.pretrained.get("repository"):
        revision = model.pretrained.get("revision")
        name = f"hf:{repository}@{revision}" if revision else f"hf:{repository}"
        repository, folder = downloads.fetch(name, offline, progress, has_text=True)
        for file in TOKENIZER:
            downloads.download(repository, file, folder.name, optional=True, offline=offline)
        return folder
    if not model.files:
        raise CheckpointError(
            f"`classes` needs the text encoder of the model: {model.name} is a module in memory",
            "Load the model by its name or from its folder.",
            "classes",
        )
    return model.files[0].path.parent


def describe(model: Checkpoint) -> str:
    """Return what a model is instead of an image encoder with a text encoder."""
    if model.family not in TEXT_FAMILIES:
        return model.family
    library = model.pretrained["library"]
    return f"{model.family} " + ("with a head" if library == "transformers" else f"of {library}, whose files have none")


@dataclass(frozen=True)
class TextEncoder:
    """The text encoder of CLIP, SigLIP or a relative.

    Attributes:
        model: The model of transformers, in float32.
        tokenizer: Its tokenizer.
    """

    model: Any
    tokenizer: Any

    @property
    def scale(self) -> float:
        """Factor of the cosine in a logit."""
        is_divided = hasattr(self.model, "temperature")  # of TIPSv2
        return float(1 / self.model.temperature if is_divided else self.model.logit_scale.exp())

    @property
    def bias(self) -> float | None:
        """Bias of the logits, which SigLIP alone has."""
        return float(self.model.logit_bias) if hasattr(self.model, "logit_bias") else None

    @property
    def max_tokens(self) -> int:
        """Largest number of tokens of a text."""
        count: int = self.model.config.text_config.max_position_embeddings
        tables = [module for name, module in self.model.text_model.named_modules() if "position_embedding" in name]
        paddings = [table.padding_idx for table in tables if getattr(table, "padding_idx", None) is not None]
        unused = max(paddings, default=-1) + 1  # RoBERTa's positions follow that of the padding
        return min(count - unused, self.tokenizer.model_max_length)

    @torch.no_grad()
    def embed(self, texts: Sequence[str]) -> Tensor:
        """Return the embeddings of texts, (K, E).

        Raises:
            CheckpointError: If a text has more tokens than the encoder reads.
        """
        length = self.max_tokens
        with silent():
            counts = [len(ids) for ids in self.tokenizer(list(texts))["input_ids"]]
            for text, count in zip(texts, counts, strict=True):
                if count > length:
                    problem = f"Each text must have at most {length} tokens: {text[:40]!r} has {count}"
                    raise CheckpointError(problem, "Write a shorter one.", "classes")
            padding = True if self.bias is None else "max_length"  # SigLIP was trained on texts of the full length
            tokens = self.tokenizer(list(texts), return_tensors="pt", padding=padding, max_length=length)
        inputs = {key: tokens[key].split(BATCH_SIZE) for key in ("input_ids", "attention_mask") if key in tokens}
        found = []
        for batch in zip(*inputs.values(), strict=True):
            output = self.model.get_text_features(**dict(zip(inputs, batch, strict=True)))
            found.append(output if isinstance(output, Tensor) else output.pooler_output)
        return torch.cat(found).float()


def load_encoder(folder: Path, name: str) -> TextEncoder:
    """Load the text encoder of a folder, unless it is in memory as it is on disk.

    Raises:
        CheckpointError: If the folder lacks the tokenizer or the text encoder, or transformers cannot read them; `name`
            is that of the model in the message.
    """
    try:
        return read_encoder(folder, tuple(file_state(path) for path in sorted(folder.glob("*")) if path.is_file()))
    except Exception as error:  # of a library of any version
        raise CheckpointError(
            f"`classes` needs the text encoder and the tokenizer of {name}: {printable_name(str(error))[:160]}",
            "Load a repository, or a folder, with the weights of both encoders and the files of the tokenizer.",
            "classes",
        ) from error


@lru_cache(maxsize=1)
def read_encoder(folder: Path, states: tuple[FileState, ...]) -> TextEncoder:
    """Read the text encoder of a folder, whose files have these states."""
    import transformers

    if not any((folder / name).is_file() for name in VOCABULARIES):  # transformers would make up a tokenizer
        raise FileNotFoundError(f"there is none of {', '.join(VOCABULARIES)}")
    options: Any = {"local_files_only": True, "trust_remote_code": False}
    with silent():
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, **options)
        options |= {"use_safetensors": True, "output_loading_info": True}
        found: tuple[Any, Any] = transformers.AutoModel.from_pretrained(folder, **options)
    model, info = found
    lacking = [name for name in info["missing_keys"] if not name.startswith("vision_model.")]
    if lacking or not hasattr(model, "get_text_features"):
        raise FileNotFoundError("the weights are not those of both encoders")
    model = model.float().eval().requires_grad_(False)
    del model.vision_model  # it is in the memory of the image encoder already
    return TextEncoder(model, tokenizer)
