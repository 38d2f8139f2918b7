"""Zero-shot heads: text embeddings of CLIP or SigLIP as the classes of its image encoder.

Radford et al. 2021 (arXiv 2103.00020, section 3.1), Zhai et al. 2023 (arXiv 2303.15343). transformers embeds
the text, once; the model that results does not need it.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vitviz.errors import CheckpointError
from vitviz.models.checkpoint import Checkpoint, check_finite, create_meta_model, use_weights
from vitviz.models.families import TEXT_FAMILIES, TEXT_MODELS
from vitviz.models.originals import silent
from vitviz.models.vit import ViT

VOCABULARIES = ("tokenizer.json", "vocab.json", "spiece.model")


def add_head(model: Checkpoint, folder: Path, model_type: str, classes: Sequence[str]) -> Checkpoint:
    """Return a model whose logits are those of CLIP or SigLIP for an image and each text.

    A logit is the cosine of image and text embedding times the learned scale, plus the bias of SigLIP:
    `logits_per_image` of transformers. CLIP's probabilities are their softmax, SigLIP's the sigmoid of each.

    Args:
        model: The image encoder, with its projection, if it has one.
        folder: Folder of transformers, with text encoder and tokenizer.
        model_type: That of transformers, of a model with both encoders.
        classes: At least two texts.

    Raises:
        CheckpointError: If the model has no text encoder, or transformers is not installed.
    """
    if len(classes) < 2 or not all(classes):
        raise CheckpointError(
            f"`classes` must be at least 2 texts: got {', '.join(classes) or 'none'}", field="classes"
        )
    network = model.network
    if model_type not in TEXT_MODELS or not isinstance(network, ViT):
        raise CheckpointError(
            f"`classes` needs a model with a text encoder, {' or '.join(TEXT_FAMILIES)}: {model.name} is "
            f"{model_type or 'another'}",
            "Use hf:openai/clip-vit-base-patch32, for example.",
            "classes",
        )
    texts, scale, bias = embed_text(folder, model_type, classes)
    config = replace(network.config, num_classes=len(classes), normalize_head=True, multi_label=bias is not None)
    weights = dict(network.state_dict())
    weights["head.weight"] = scale * torch.nn.functional.normalize(texts, dim=-1)  # (K, E)
    weights["head.bias"] = torch.full((len(classes),), bias or 0.0)
    check_finite(weights)
    zero_shot = use_weights(create_meta_model(config), weights)
    record = model.record | {"zero_shot": {"classes": list(classes), "logit_scale": scale, "logit_bias": bias or 0.0}}
    return replace(model, network=zero_shot, labels=tuple(classes), record=record)


@torch.no_grad()
def embed_text(folder: Path, model_type: str, classes: Sequence[str]) -> tuple[Tensor, float, float | None]:
    """Return the embeddings of texts, (K, E), and the scale of the logits and their bias, which SigLIP alone has."""
    try:
        import transformers
    except ModuleNotFoundError:
        raise CheckpointError(
            "`classes` needs transformers to embed the text: it is not installed",
            "Run `pip install transformers` once; the converted model does not need it.",
            "classes",
        ) from None
    try:
        if not any((folder / name).is_file() for name in VOCABULARIES):
            raise OSError  # transformers would make up a tokenizer
        kind = getattr(transformers, TEXT_MODELS[model_type])
        with silent():
            tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model: Any = kind.from_pretrained(folder, local_files_only=True).float().eval()
        bias = float(model.logit_bias) if hasattr(model, "logit_bias") else None
        padding = True if bias is None else "max_length"  # SigLIP was trained on texts of the full length
        length = model.config.text_config.max_position_embeddings  # tokenizers of SigLIP 2 do not know it
        options = {"padding": padding, "truncation": True, "max_length": length}
        tokens = tokenizer(list(classes), return_tensors="pt", **options)
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"`classes` needs the text encoder and the tokenizer of the model: {folder.name} lacks one of them",
            "Its folder must have tokenizer.json, or the files that its tokenizer reads.",
            "classes",
        ) from error
    output = model.get_text_features(**{key: tokens[key] for key in ("input_ids", "attention_mask") if key in tokens})
    texts = output if isinstance(output, Tensor) else output.pooler_output
    return texts.float(), float(model.logit_scale.exp()), bias
