"""Frame of the web page: colors, fonts, header and tabs."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import gradio as gr

from vitviz.webapp.components import component
from vitviz.webapp.server.uploads import CLEANUP_INTERVAL, UPLOAD_AGE

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
        color_accent="#0b5cad",  # Gradio has no dark variant of this one, see page.css
        block_border_width="0px",
        block_shadow="none",
        block_title_text_size="13px",
        input_shadow="none",
    )


LAUNCH: dict[str, Any] = {  # Gradio takes theme and styles at launch
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
        catalogs: Initial data of each tab, in order: "explore", "compare", "train", "internals", "learn".
        functions: Server functions of each tab.
    """
    with gr.Blocks(
        title="vitviz", analytics_enabled=False, fill_width=True, delete_cache=(CLEANUP_INTERVAL, UPLOAD_AGE)
    ) as page:
        component("masthead", unavailable="")
        with gr.Tabs(elem_id="pages"):
            for name, catalog in catalogs.items():
                with gr.Tab(name.capitalize(), id=name):
                    component(name, catalog, functions[name])
    return page
