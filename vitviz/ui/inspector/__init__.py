"""The inspector: what a model learned, beyond any single picture, drawn in the browser.

In: a catalog (models, state of the data set, colour tables) and the function that measures. Out: a `gr.HTML` component,
of which nothing runs before its tab is first shown. Numbers, words and paint are those of the explorer; as there, the
template is static and every text that comes from outside reaches the page through `textContent`.
"""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import gradio as gr

from vitviz.ui import explorer

# One script to the browser; each file uses only the files before it.
SHARED = ("numbers.js", "words.js", "paint.js")
SCRIPTS = ("base.js", "tiles.js", "charts.js", "figures.js", "events.js")
OFFERED = ("checkpoints", "cifar", "colours")


def source(name: str) -> str:
    """Read one of the static files beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def model_inspector(catalog: dict[str, Any], server_functions: list[Callable[..., Any]]) -> gr.HTML:
    """Build the component.

    Args:
        catalog: As for the explorer; it takes `checkpoints`, `cifar` and `colours` from it.
        server_functions: `probes`, called by this name with one dict.
    """
    return gr.HTML(
        html_template=source("inspector.html"),
        css_template=source("inspector.css"),
        js_on_load="\n".join([*map(explorer.source, SHARED), *map(source, SCRIPTS)]),
        apply_default_css=False,
        catalog={name: catalog[name] for name in OFFERED},
        server_functions=server_functions,
        elem_id="inside",
    )
