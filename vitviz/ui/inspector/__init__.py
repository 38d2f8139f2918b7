"""The inspector: what a model learned, beyond any single picture, drawn in the browser.

In: a catalog (models, state of the data set, colour tables) and the function that measures. Out: a `gr.HTML` component,
of which nothing runs before its tab is first shown.
"""

from collections.abc import Callable
from typing import Any

import gradio as gr

from vitviz.ui.shared import component

SCRIPTS = ("base.js", "tiles.js", "charts.js", "figures.js", "events.js")
OFFERED = ("checkpoints", "cifar", "colours")


def model_inspector(catalog: dict[str, Any], server_functions: list[Callable[..., Any]]) -> gr.HTML:
    """Build the component.

    Args:
        catalog: As for the explorer; it takes `checkpoints`, `cifar` and `colours` from it.
        server_functions: `probes` and `offers`, called by these names with one dict each.
    """
    offered = {name: catalog[name] for name in OFFERED}
    return component(__name__, SCRIPTS, offered, server_functions, "inside")
