"""Frame of the web page: colors, fonts, header and tabs.

`LAUNCH` contains the theme and styles, which Gradio takes at launch.
"""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import gradio as gr

from vitviz.webapp.components import component, static_text
from vitviz.webapp.server.uploads import CLEANUP_INTERVAL, UPLOAD_AGE

SANS = (
    "-apple-system, BlinkMacSystemFont, Segoe UI Variable Text, Segoe UI, Roboto, Ubuntu, Cantarell, Noto Sans, "
    "Helvetica Neue, Liberation Sans, Arial, sans-serif"
)
MONO = "ui-monospace, SF Mono, SFMono-Regular, Menlo, Consolas, Liberation Mono, monospace"

# Shades 50 to 950 of the accent color, which marks selection and focus only.
ACCENT = "#f2f7fc #e7f0fa #c6ddf3 #9cc6ee #74b6f5 #2f7fcb #0b5cad #094a8b #0c3a69 #17304a #0d1a28"

# Gradio's variable -> (light, dark).
COLORS = {
    "body_background_fill": ("#ffffff", "#14161a"),
    "background_fill_primary": ("#ffffff", "#14161a"),
    "background_fill_secondary": ("#f5f6f7", "#1d2025"),
    "border_color_primary": ("#dfe2e6", "#30353c"),
    "body_text_color": ("#1a1d21", "#e9ebee"),
    "body_text_color_subdued": ("#59606a", "#a4abb5"),
    "color_accent_soft": ("#e7f0fa", "#17304a"),
    "link_text_color": ("#0b5cad", "#74b6f5"),
    "link_text_color_hover": ("#094a8b", "#9cc6ee"),
    "link_text_color_active": ("#094a8b", "#9cc6ee"),
    "link_text_color_visited": ("#0b5cad", "#74b6f5"),
    "block_background_fill": ("#ffffff", "#14161a"),
    "block_label_background_fill": ("transparent", "transparent"),
    "block_label_text_color": ("#59606a", "#a4abb5"),
    "block_title_text_color": ("#59606a", "#a4abb5"),
    "input_background_fill": ("#ffffff", "#14161a"),
    "input_border_color": ("#868d97", "#717985"),
    "button_primary_background_fill": ("#0b5cad", "#74b6f5"),
    "button_primary_background_fill_hover": ("#094a8b", "#9cc6ee"),
    "button_primary_border_color": ("#0b5cad", "#74b6f5"),
    "button_primary_text_color": ("#ffffff", "#0d1a28"),
    "button_secondary_background_fill": ("transparent", "transparent"),
    "button_secondary_background_fill_hover": ("#f5f6f7", "#1d2025"),
    "button_secondary_border_color": ("#868d97", "#717985"),
    "checkbox_label_background_fill_selected": ("#e7f0fa", "#17304a"),
    "slider_color": ("#0b5cad", "#74b6f5"),
    "table_border_color": ("#dfe2e6", "#30353c"),
}


def theme() -> gr.themes.Base:
    """Return the theme of Gradio's components, matching the page's, light and dark."""
    light = {name: colors[0] for name, colors in COLORS.items()}
    dark = {f"{name}_dark": colors[1] for name, colors in COLORS.items()}
    accent = gr.themes.Color(*ACCENT.split(), name="vitviz")
    base = gr.themes.Base(
        primary_hue=accent, neutral_hue="slate", radius_size="sm", font=SANS.split(", "), font_mono=MONO.split(", ")
    )
    return base.set(
        **light,
        **dark,
        color_accent="#0b5cad",  # Gradio has no dark variant of this one, see page.css
        block_border_width="0px",
        block_shadow="none",
        block_title_text_size="13px",
        input_shadow="none",
    )


LAUNCH: dict[str, Any] = {
    "theme": theme(),
    "css": files(__package__).joinpath("page.css").read_text(encoding="utf-8"),
    "footer_links": [],
    "ssr_mode": False,
    "run_history": False,
    "enable_monitoring": False,
}


def build(catalogs: dict[str, dict[str, Any]], functions: dict[str, list[Callable[..., Any]]]) -> gr.Blocks:
    """Build the page.

    Args:
        catalogs: Initial data of each tab, in order: "explore", "train", "internals".
        functions: Server functions of each tab.
    """
    with gr.Blocks(
        title="vitviz", analytics_enabled=False, fill_width=True, delete_cache=(CLEANUP_INTERVAL, UPLOAD_AGE)
    ) as page:
        gr.HTML(
            html_template=static_text("masthead", "masthead.html"),
            js_on_load=static_text("masthead", "masthead.js"),
            apply_default_css=False,
            elem_id="masthead",
        )
        with gr.Tabs(elem_id="pages"):
            for name, catalog in catalogs.items():
                with gr.Tab(name.capitalize(), id=name):
                    component(name, catalog, functions[name])
    return page
