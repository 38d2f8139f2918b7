"""Components of the page: a `gr.HTML` each, in which a module of `frontend/` mounts the page.

The styles and modules are built by Vite and committed in `static/`. Gradio nests the styles under the component and
reads them as a template.
"""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from vitviz.webapp.server.modules import STATIC_DIR, URL_PREFIX

# Gradio compiles this text in the browser. The document's base URL is the folder of the page, also behind a proxy that
# serves it under a path.
MOUNT = """import(new URL('{path}{name}.js', document.baseURI)).then(
  ({{ mount }}) => mount({{ element, props, server, upload }}),
  () => {{ element.textContent = '{unavailable}'; }},
);"""
UNAVAILABLE = "A script of this page could not be loaded. Check that vitviz is still running, then reload."


def component(
    name: str,
    catalog: dict[str, Any] | None = None,
    functions: Sequence[Callable[..., Any]] = (),
    unavailable: str = UNAVAILABLE,
) -> gr.HTML:
    """Build a component; those of tabs in the background are mounted when first shown.

    Args:
        name: The module: static/NAME.js, and NAME.css if it has styles.
        catalog: Initial data of the component.
        functions: Server functions, called from the browser by name with one object.
        unavailable: Sentence if the module cannot be loaded.
    """
    styles = STATIC_DIR / f"{name}.css"
    return gr.HTML(
        html_template="",
        css_template=styles.read_text(encoding="utf-8") if styles.is_file() else "",
        js_on_load=MOUNT.format(path=URL_PREFIX.lstrip("/"), name=name, unavailable=unavailable),
        apply_default_css=False,
        catalog=catalog,
        server_functions=list(functions),
        elem_id="explorer" if name == "explore" else name,
    )
