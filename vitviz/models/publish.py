"""Models for the Hugging Face Hub: a folder that timm loads, with a card from the training record."""

import html
import json
import re
from pathlib import Path
from typing import Any

from vitviz.errors import CheckpointError
from vitviz.files import write_atomic
from vitviz.models.accuracy import accuracy_text
from vitviz.models.checkpoint import Checkpoint, count_parameters, eval_samples
from vitviz.models.export import export

DATASETS = {"CIFAR-10": "uoft-cs/cifar10", "CIFAR-100": "uoft-cs/cifar100"}  # on the Hub


def write_repository(model: Checkpoint, repository: str, folder: Path, license_name: str | None = None) -> None:
    """Write the files of a repository: config, weights, preprocessing and model card.

    Args:
        model: A ViT that timm has an architecture for.
        repository: OWNER/NAME.
        folder: Folder to write.
        license_name: License of the weights, by its name on the Hub; None for that of the record, if it has one.

    Raises:
        CheckpointError: If the name is invalid or timm has no architecture for the model.
    """
    if not re.fullmatch(r"[\w.-]{1,96}/[\w.-]{1,96}", repository):
        raise CheckpointError(f"A repository must be OWNER/NAME: got {repository[:80]!r}", field="repository")
    export(model, folder)
    write_atomic(folder / "README.md", model_card(model, repository, license_name).encode())


def push(folder: Path, repository: str, private: bool = False) -> str:
    """Upload a folder to a repository on the Hub, which is created if it does not exist; returns its address.

    Raises:
        CheckpointError: If the user is not logged in or may not write there, or the Hub cannot be reached.
    """
    from huggingface_hub import HfApi, errors

    api = HfApi()
    try:
        address = api.create_repo(repository, private=private, exist_ok=True)
        api.upload_folder(repo_id=repository, folder_path=folder, commit_message="Upload a model of vitviz")
    except errors.LocalTokenNotFoundError:
        raise not_logged_in(repository) from None
    except errors.HfHubHTTPError as error:
        status = getattr(error.response, "status_code", None)
        if status == 401:
            raise not_logged_in(repository) from None
        if status == 403:
            raise CheckpointError(
                f"The account must be allowed to write to {repository}: it is not",
                "Use a token with write permission (`hf auth login`), or your own name as OWNER.",
            ) from None
        raise CheckpointError(f"{repository} was not uploaded: the Hub answered with status {status}") from None
    except Exception as error:  # of the network; the library under huggingface_hub differs between its versions
        raise CheckpointError(
            f"{repository} was not uploaded: the Hub cannot be reached ({type(error).__name__})",
            "Try again with a network; `dry_run=DIR` writes the files without one.",
        ) from None
    return str(address)


def not_logged_in(repository: str) -> CheckpointError:
    """Return the error for a missing or invalid token."""
    return CheckpointError(
        f"Uploading to {repository} needs an account on the Hub: no valid token was found",
        "Run `hf auth login`, or set HF_TOKEN.",
    )


def model_card(model: Checkpoint, repository: str, license_name: str | None = None) -> str:
    """Return the model card, README.md of the repository: metadata of the Hub, facts of the record, and how to load."""
    license_name = license_name or model.pretrained.get("license")
    lines = [
        "---",
        *card_metadata(model, repository, license_name),
        "---",
        "",
        f"# {repository.partition('/')[2]}",
        "",
        f"A Vision Transformer for {model.config.img_size[0]} × {model.config.img_size[1]} pixels, made with vitviz.",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in facts(model, license_name)),
        "",
        "```python",
        "import timm",
        f'model = timm.create_model("hf-hub:{repository}", pretrained=True)',
        "",
        "import vitviz",
        "",
        f'model = vitviz.load("hf:{repository}")',
        "```",
        "",
    ]
    return "\n".join(lines)


def card_metadata(model: Checkpoint, repository: str, license_name: str | None) -> list[str]:
    """Return the lines of the card's YAML; strings are written as JSON, which YAML includes."""
    dataset = str(model.record.get("dataset", ""))
    classifies = model.is_classifier
    lines = [f"license: {json.dumps(license_name)}"] if license_name else []
    lines += ["library_name: timm"]
    lines += [f"pipeline_tag: {'image-classification' if classifies else 'image-feature-extraction'}"]
    lines += ["tags:", "- vision-transformer", "- vitviz"]
    lines += ["datasets:", f"- {DATASETS[dataset]}"] if dataset in DATASETS else []
    accuracy = model.record.get("test_accuracy")
    if classifies and isinstance(accuracy, float):
        named = {"name": dataset, "type": DATASETS.get(dataset, "custom"), "split": "test"}
        lines += [
            "model-index:",
            f"- name: {json.dumps(repository.partition('/')[2])}",
            "  results:",
            "  - task: {type: image-classification}",
            f"    dataset: {json.dumps(named)}",
            f"    metrics: [{{type: accuracy, value: {accuracy:.4f}}}]",
        ]
    return lines


def facts(model: Checkpoint, license_name: str | None) -> list[tuple[str, str]]:
    """Return the facts of the record by name, those that are known."""
    record, options = model.record, model.train_config
    accuracy, count = record.get("test_accuracy"), eval_samples(record)
    found: dict[str, Any] = {
        "parameters": f"{count_parameters(model.config) / 1e6:.2f} M",
        "classes": f"{len(model.labels)}: {', '.join(model.labels[:10])}{', ...' if len(model.labels) > 10 else ''}"
        if model.labels
        else "none, features only",
        "test accuracy": accuracy_text(accuracy, count) if isinstance(accuracy, float) else None,
        "dataset": record.get("dataset"),
        "training images": f"{record['train_samples']:,}" if isinstance(record.get("train_samples"), int) else None,
        "initialized from": options.get("init_from"),
        "head": model.linear_probe,
        "epochs": record.get("epochs"),
        "training time": f"{record['seconds'] / 60:.0f} minutes" if isinstance(record.get("seconds"), float) else None,
        "hardware": record.get("hardware"),
        "teacher": record["teacher"].get("name") if isinstance(record.get("teacher"), dict) else None,
        "converted from": model.pretrained.get("repository", model.pretrained.get("family")),
        "license": license_name or "not stated",
    }
    return [(name, as_text(str(value))) for name, value in found.items() if value]


def as_text(text: str) -> str:
    """Return text that Markdown and HTML show as it is, in one line."""
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", html.escape(" ".join(text.split()), quote=False))
