"""Write the tables of presets and options of docs/training.md from the code: python -m scripts.options."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

from pydantic.fields import FieldInfo

from vitviz.models.checkpoint import count_parameters
from vitviz.models.config import ViTConfig
from vitviz.training.config import TrainConfig
from vitviz.training.presets import PRESETS

DOCUMENT = Path(__file__).parents[1] / "docs" / "training.md"


def main() -> None:
    """Replace the tables in the document."""
    text = DOCUMENT.read_text()
    for name, table in (("presets", presets()), ("options", options())):
        before, marker, rest = re.split(rf"(<!-- {name}: .*? -->\n)", text, maxsplit=1)
        text = before + marker + table + rest[rest.index(f"<!-- end of {name}") :]
    DOCUMENT.write_text(text)


def presets() -> str:
    """Return one row per preset: parameters, command, hardware, minutes, test accuracy."""
    rows = ["", "| preset | parameters | command | hardware | minutes | test accuracy |", "|---|---|---|---|---|---|"]
    for name, preset in PRESETS.items():
        size = f"{count_parameters(preset.config.model) / 1e6:.2f} M"
        reached = "not measured" if preset.test_accuracy is None else f"{100 * preset.test_accuracy:.2f} %"
        rows += [f"| `{name}` | {size} | `{preset.command}` | {preset.hardware} | {preset.minutes} | {reached} |"]
    return "\n".join(rows) + "\n\n"


def options() -> str:
    """Return one row per field: option, default, description."""
    rows = ["", "| option | default | description |", "|---|---|---|"]
    rows += [row(f"--{name.replace('_', '-')}", default, text) for name, default, text in described(TrainConfig)]
    rows += [row(f"model.{name}", default, text) for name, default, text in described(ViTConfig)]
    return "\n".join(rows) + "\n\n"


def described(config_class: type[Any]) -> list[tuple[str, object, str]]:
    """Return name, default and description of each field that has one."""
    hints = get_type_hints(config_class, include_extras=True)
    found = []
    for field in fields(config_class):
        infos = [info for info in getattr(hints[field.name], "__metadata__", ()) if isinstance(info, FieldInfo)]
        if texts := [info.description for info in infos if info.description]:
            found.append((field.name, field.default, texts[0]))
    return found


def row(option: str, default: object, text: str) -> str:
    """Return one row of the table."""
    return f"| `{option}` | {'' if default is None else f'`{default}`'} | {text} |"


if __name__ == "__main__":
    main()
