"""Components of the page: template, styles and scripts of a folder in `static/`, joined into a `gr.HTML`.

The browser gets one script per component, the shared files first. Untrusted text is inserted through `textContent`,
never through a template.
"""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import gradio as gr

SHARED_SCRIPTS = ("numbers.js", "words.js", "paint.js", "nodes.js", "axes.js", "matrix.js")
SHARED_STYLES = ("base.css", "matrix.css")
SCRIPTS = {  # in loading order: each uses only previous files and shared ones
    "explore": ("state.js", "build.js", "draw.js", "ask.js", "choose.js", "images.js", "events.js"),
    "train": ("state.js", "sentences.js", "form.js", "curves.js", "timeline.js", "runs.js", "sweep.js", "events.js"),
    "internals": ("base.js", "tiles.js", "charts.js", "figures.js", "events.js"),
}


def component(name: str, catalog: dict[str, Any], functions: list[Callable[..., Any]]) -> gr.HTML:
    """Build the component of a tab from `static/NAME/`; those of tabs in the background start when first shown.

    Args:
        name: The folder: NAME/NAME.html, NAME/NAME.css and its scripts.
        catalog: Initial data of the component.
        functions: Server functions, called from the browser by name with one object.
    """
    styles = [*(("shared", style) for style in SHARED_STYLES), (name, f"{name}.css")]
    sources = [*(("shared", script) for script in SHARED_SCRIPTS), *((name, script) for script in SCRIPTS[name])]
    return gr.HTML(
        html_template=static_text(name, f"{name}.html"),
        css_template="\n".join(static_text(*style) for style in styles),
        js_on_load="\n".join(static_text(*source) for source in sources),
        apply_default_css=False,
        catalog=catalog,
        server_functions=functions,
        elem_id="explorer" if name == "explore" else name,
    )


def static_text(folder: str, name: str) -> str:
    """Return the text of a static file."""
    return files("vitviz.webapp").joinpath("static", folder, name).read_text(encoding="utf-8")
