"""Write the options table of docs/training.md from `TrainConfig` and `ViTConfig`: python -m scripts.options."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

from pydantic.fields import FieldInfo

from vitviz.models.config import ViTConfig
from vitviz.training.config import TrainConfig

DOCUMENT = Path(__file__).parents[1] / "docs" / "training.md"
TABLE = re.compile(r"(?<=writes this table -->\n).*?(?=<!-- end of options)", re.DOTALL)


def main() -> None:
    """Replace the table in the document."""
    DOCUMENT.write_text(TABLE.sub(lambda _: table(), DOCUMENT.read_text()))


def table() -> str:
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
