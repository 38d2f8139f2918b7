"""The explorer: one picture, every layer and head, drawn in the browser.

In: a catalog (models, sample pictures, methods, colour tables) and the functions that answer its
questions. Out: a `gr.HTML` component. Template and style are static; every text that comes from
outside reaches the page through `textContent`, never through a template.
"""

import base64
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import gradio as gr

from vitviz.figures.colours import COLOUR_MAPS

# One script to the browser; each file uses only the files before it.
SCRIPTS = (
    "numbers.js",
    "words.js",
    "paint.js",
    "state.js",
    "build.js",
    "draw.js",
    "ask.js",
    "choose.js",
    "events.js",
)


def source(name: str) -> str:
    """Read one of the static files beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def colour_tables() -> dict[str, dict[str, str]]:
    """Give `{"light": {"seq", "div"}, "dark": {...}}`, each 256 RGB triples in base64."""
    tables: dict[str, dict[str, str]] = {"light": {}, "dark": {}}
    for (kind, page), colours in COLOUR_MAPS.items():
        tables[page][kind] = base64.b64encode(colours.tobytes()).decode()
    return tables


def attention_explorer(catalog: dict[str, Any], server_functions: list[Callable[..., Any]]) -> gr.HTML:
    """Build the component.

    Args:
        catalog: `checkpoints`, `samples`, `cifar`, `methods`, `colours` and `public`.
        server_functions: `explain`, `attention`, `methods`, `scores`, `intervene`, `gallery` and
            `figure`, called by these names with one dict each.
    """
    return gr.HTML(
        html_template=source("explorer.html"),
        css_template=source("explorer.css"),
        js_on_load="\n".join(source(name) for name in SCRIPTS),
        apply_default_css=False,
        catalog=catalog,
        server_functions=server_functions,
        elem_id="explorer",
    )
