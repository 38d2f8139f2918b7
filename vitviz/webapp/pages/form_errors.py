"""Errors of the training form in its own words: the labels of its fields, and no names in the code."""

import re

from vitviz.data.cifar import DataError
from vitviz.models.checkpoint import CheckpointError
from vitviz.models.config import ConfigError, InvalidValueError
from vitviz.runs.sweep import CombinationsError
from vitviz.webapp.pages.presets import FORM_FIELDS, MODEL_FIELDS, SETTINGS

# Label of each field in a sentence, by its name in the code.
LABELS = {name: label.removesuffix(" (px)") for group in SETTINGS.values() for name, label in group.items()} | {
    "epochs": "Budget",
    "minutes": "Budget",
    "device": "Device",
    "dataset": "Dataset",
    "image_folder": "Folder",
    "init_from": "Initial weights",
    "freeze_backbone": "Freeze backbone",
    "name": "Name",
    "vary": "Sweep",
    "img_size": "the image size",
}
# Where rule and cure of the field differ in the form.
SENTENCES = {
    "epochs": "Budget must be one number, of epochs or of minutes.",
    "device": "No GPU was found on this computer. Choose CPU or auto.",
    "freeze_backbone": "Freeze backbone needs initial weights. Choose a model, or train all weights.",
}
BUDGET = ("epochs", "minutes")  # one of them is set
QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")  # received values
NAME = re.compile(r"\bmodel\.\w+|\b[a-z]+(?:_[a-z]+)+\b")  # names in the code; words of English have no underscore
EMPTY = (None, "")


def describe_error(error: ValueError) -> str:
    """Return the sentence of an error: the label of its field, the rule, the received value and the cure."""
    if isinstance(error, CombinationsError):
        settings, first = error.errors[0]
        given = " and ".join(f"{label_of(name)} {value}" for name, value in settings.items())
        return f"With {given}: {describe_error(first)}"
    if isinstance(error, InvalidValueError):
        rule = error.rule.replace(", or None", "" if error.field in BUDGET else ", or empty")
        received = "the field is empty" if error.value in EMPTY else f"got {str(error.value)[:80]}"
        return f"{label_of(error.field)} must be {rule}: {received}."
    if not isinstance(error, ConfigError):
        return str(error)
    if sentence := SENTENCES.get(error.field):
        return sentence
    hint = f" {with_labels(error.hint)}" if error.hint else ""
    return f"{label_of(error.field)} {with_labels(error.problem)}.{hint}"


def label_of(name: str) -> str:
    """Return the label of a field by its name in the code; the name itself if the form does not have it."""
    return LABELS.get(name) or LABELS.get(f"model.{name}") or name


def with_labels(text: str) -> str:
    """Replace names of fields by their labels, except in received values."""
    parts = QUOTED.split(text)
    return "".join(part if i % 2 else NAME.sub(lambda found: label_of(found[0]), part) for i, part in enumerate(parts))


def field_of_error(error: ValueError) -> str | None:
    """Return the form field that an error is about; None if it is about none of them."""
    if isinstance(error, DataError | CheckpointError):
        return "image_folder" if isinstance(error, DataError) else "init_from"
    name = getattr(error, "field", "")
    name = f"model.{name}" if name in MODEL_FIELDS else name
    return name if name in FORM_FIELDS else None
