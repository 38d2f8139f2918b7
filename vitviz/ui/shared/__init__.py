"""What the components of the page have in common: numbers, words, paint, nodes, axes, the matrix and the basic style.

Each component is one script to the browser, the shared files first. Templates and styles are static; every text that
comes from outside reaches the page through `textContent`, never through a template.
"""

from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any

import gradio as gr

SCRIPTS = ("numbers.js", "words.js", "paint.js", "nodes.js", "axes.js", "matrix.js")
STYLES = ("base.css", "matrix.css")


def source(package: str, name: str) -> str:
    """Read one of the static files of a component."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def component(
    package: str, scripts: Iterable[str], catalog: dict[str, Any], functions: list[Callable[..., Any]], elem_id: str
) -> gr.HTML:
    """Build a component from the static files of its folder: NAME/NAME.html, NAME/NAME.css and its scripts.

    Args:
        package: The folder, as a package name.
        scripts: In order; each file uses only the files before it, and any of those shared.
        catalog: What the component knows from the start.
        functions: What it may ask of Python, called by their names with one dict each.
        elem_id: Of the component in the page.
    """
    name = package.rpartition(".")[2]
    return gr.HTML(
        html_template=source(package, f"{name}.html"),
        css_template="\n".join([*(source(__name__, style) for style in STYLES), source(package, f"{name}.css")]),
        js_on_load="\n".join(
            [*(source(__name__, script) for script in SCRIPTS), *(source(package, script) for script in scripts)]
        ),
        apply_default_css=False,
        catalog=catalog,
        server_functions=functions,
        elem_id=elem_id,
    )
