"""The web page: one component, in which a module of `frontend/` mounts the app, and the theme.

Modules and styles are built by Vite and committed in `static/`.
"""

from typing import Any

import gradio as gr

from vitviz.webapp.server.modules import STATIC_DIR, URL_PREFIX
from vitviz.webapp.server.uploads import CLEANUP_INTERVAL, UPLOAD_AGE

DEFAULT = "explore"


def page_names() -> list[str]:
    """Return the names of the built pages, the default one first: each has a style sheet for its panel."""
    names = [path.stem for path in STATIC_DIR.glob("*.css") if path.read_text("utf-8").startswith(f"#{path.stem} {{")]
    return sorted(names, key=lambda name: (name != DEFAULT, name))


# Gradio compiles this text in the browser. The document's base URL is the folder of the page, also behind a proxy that
# serves it under a path.
MOUNT = f"""import(new URL('{URL_PREFIX.lstrip("/")}main.js', document.baseURI)).then(
  ({{ mount }}) => mount({{ element, props }})
).catch(() => {{ element.textContent =
  'A script of this page could not be loaded. Check that vitviz is still running, then reload.'; }});"""

SANS = (
    "-apple-system, BlinkMacSystemFont, Segoe UI Variable Text, Segoe UI, Roboto, Ubuntu, Cantarell, Noto Sans, "
    "Helvetica Neue, Liberation Sans, Arial, sans-serif"
)
MONO = "ui-monospace, SF Mono, SFMono-Regular, Menlo, Consolas, Liberation Mono, monospace"

# Shades 50 to 950 of the accent color, which marks selection and focus only.
ACCENT = "#f2f7fc #e7f0fa #c6ddf3 #9cc6ee #74b6f5 #2f7fcb #0b5cad #094a8b #0c3a69 #17304a #0d1a28"

# (light, dark) -> Gradio's variables.
COLORS = {
    ("#ffffff", "#14161a"): "body_background_fill background_fill_primary block_background_fill input_background_fill",
    ("#f5f6f7", "#1d2025"): "background_fill_secondary button_secondary_background_fill_hover",
    ("#dfe2e6", "#30353c"): "border_color_primary table_border_color",
    ("#1a1d21", "#e9ebee"): "body_text_color",
    ("#59606a", "#a4abb5"): "body_text_color_subdued block_label_text_color block_title_text_color",
    ("#e7f0fa", "#17304a"): "color_accent_soft checkbox_label_background_fill_selected",
    ("#0b5cad", "#74b6f5"): "link_text_color link_text_color_visited button_primary_background_fill "
    "button_primary_border_color slider_color",
    ("#094a8b", "#9cc6ee"): "link_text_color_hover link_text_color_active button_primary_background_fill_hover",
    ("transparent", "transparent"): "block_label_background_fill button_secondary_background_fill",
    ("#868d97", "#717985"): "input_border_color button_secondary_border_color",
    ("#ffffff", "#0d1a28"): "button_primary_text_color",
}


def theme() -> gr.themes.Base:
    """Return the theme of Gradio's components, matching the page's, light and dark."""
    light = {name: color for (color, _), names in COLORS.items() for name in names.split()}
    dark = {f"{name}_dark": color for (_, color), names in COLORS.items() for name in names.split()}
    accent = gr.themes.Color(*ACCENT.split(), name="vitviz")
    base = gr.themes.Base(
        primary_hue=accent, neutral_hue="slate", radius_size="sm", font=SANS.split(", "), font_mono=MONO.split(", ")
    )
    return base.set(
        **light,
        **dark,
        color_accent="#0b5cad",  # Gradio has no dark variant of this one, see app.css
        block_border_width="0px",
        block_shadow="none",
        block_title_text_size="13px",
        input_shadow="none",
    )


LAUNCH: dict[str, Any] = {  # Gradio takes the theme at launch
    "theme": theme(),
    "footer_links": [],
    "ssr_mode": False,
    "run_history": False,
    "enable_monitoring": False,
}


def build(catalog: dict[str, Any]) -> gr.Blocks:
    """Build the page with its initial data."""
    with gr.Blocks(
        title="vitviz", analytics_enabled=False, fill_width=True, delete_cache=(CLEANUP_INTERVAL, UPLOAD_AGE)
    ) as page:
        gr.HTML(
            html_template="",
            js_on_load=MOUNT,
            apply_default_css=False,
            catalog=catalog,
            elem_id="vitviz",
        )
    return page
