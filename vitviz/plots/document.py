"""The explorer as one HTML file that loads nothing: for sharing, for teaching, and for notebooks.

The file holds the front end's module, the data of one explanation, and a static figure that is shown where scripts or
canvases are not available.
"""

import base64
import html
import json
import zlib
from functools import cache
from importlib import resources
from typing import Any

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
POLICY_WITH_MODEL = POLICY.replace(
    "'unsafe-inline'; style", "'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; style"
)
STYLE = (
    "body { margin: 0 } html:has(#vitviz.dark) { background: #14161a } "
    ".static { padding: 1rem; font: 15px/1.5 sans-serif } .static img { max-width: 100% }"
)
NO_SCRIPT = "This page is interactive where JavaScript and canvases are available; here it shows a static figure."


@cache
def script(name: str = "standalone") -> str:
    """Return a module of the explorer that needs no server; "withModel" computes."""
    return resources.files("vitviz").joinpath("webapp", "static", f"{name}.js").read_text(encoding="utf-8")


def document(data: dict[str, Any], figure: bytes, title: str, model: bytes | None = None) -> str:
    """Return the HTML file of an explanation.

    Args:
        data: From `vitviz.attribution.serialize.to_file`; JSON, whose texts are untrusted.
        figure: The static figure, SVG.
        title: Title of the file, for example "cat: cifar10-ti4".
        model: From `vitviz.models.rounding.to_file`, for a file that explains other images and ablations, too.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")  # ends no script element
    model_element = ""
    if model is not None:
        planes = model[::2] + model[1::2]  # of numbers of two bytes: an eighth smaller
        packed = base64.b64encode(zlib.compress(planes, 9)).decode()
        model_element = f'<script type="text/plain" id="vitviz-model">{packed}</script>\n'
    source = f"data:image/svg+xml;base64,{base64.b64encode(figure).decode()}"
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY if model is None else POLICY_WITH_MODEL}">\n'
        f"<title>{html.escape(title)}</title>\n"
        f"<style>{STYLE}</style>\n"
        f'<main id="vitviz"><div class="static"><p>{NO_SCRIPT}</p>'
        f'<img src="{source}" alt="{html.escape(title)}"></div></main>\n'
        f'<script type="application/json" id="vitviz-data">{text}</script>\n'
        f"{model_element}"
        f'<script type="module">{script("standalone" if model is None else "withModel")}</script>\n</html>\n'
    )


def frame(page: str, height: int) -> str:
    """Return an iframe that holds an HTML file, for a notebook; its height is in px."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-downloads" title="vitviz" '
        f'style="width: 100%; height: {height}px; border: 0"></iframe>'
    )
