"""The explorer: one picture, every layer and head, drawn in the browser.

In: a catalog (models, sample pictures, methods, colour tables) and the functions that answer its
questions. Out: a `gr.HTML` component.
"""

import base64
from collections.abc import Callable
from typing import Any

import gradio as gr

from vitviz.figures.colours import COLOUR_MAPS
from vitviz.ui.shared import component

SCRIPTS = ("state.js", "build.js", "draw.js", "ask.js", "choose.js", "pictures.js", "events.js")


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
        server_functions: `explain`, `attention`, `intervene`, `offers`, `methods`, `scores`, `gallery`
            and `figure`, called by these names with one dict each.
    """
    return component(__name__, SCRIPTS, catalog, server_functions, "explorer")
