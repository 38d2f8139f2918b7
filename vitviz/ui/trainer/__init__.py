"""The trainer: choose a recipe, watch it learn, go through the moments of a training, drawn in the browser.

In: a catalog (presets, timelines that ship, colour tables) and the functions that start, stop and watch. Out: a
`gr.HTML` component, of which nothing runs before its tab is first shown.
"""

from collections.abc import Callable
from typing import Any

import gradio as gr

from vitviz.ui.shared import component

SCRIPTS = ("state.js", "sentences.js", "form.js", "curves.js", "timeline.js", "runs.js", "experiments.js", "events.js")


def model_trainer(catalog: dict[str, Any], server_functions: list[Callable[..., Any]]) -> gr.HTML:
    """Build the component.

    Args:
        catalog: What `vitviz.ui.train.Train.catalog` gives, and `colours`.
        server_functions: Those of `vitviz.ui.train.Train`, called by their names with one dict each.
    """
    return component(__name__, SCRIPTS, catalog, server_functions, "train")
