"""Frame of the web page: colors, fonts, header and tabs.

`LAUNCH` contains the theme and styles, which Gradio takes at launch.
"""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import gradio as gr

from vitviz.webapp.components import explore_component, internals_component, train_component
from vitviz.webapp.server.uploads import CLEANUP_INTERVAL, UPLOAD_AGE

SANS = [
    "-apple-system",
    "BlinkMacSystemFont",
    "Segoe UI Variable Text",
    "Segoe UI",
    "Roboto",
    "Ubuntu",
    "Cantarell",
    "Noto Sans",
    "Helvetica Neue",
    "Liberation Sans",
    "Arial",
    "sans-serif",
]
MONO = ["ui-monospace", "SF Mono", "SFMono-Regular", "Menlo", "Consolas", "Liberation Mono", "monospace"]

# The accent color marks selection and focus only.
ACCENT = gr.themes.Color(
    c50="#f2f7fc",
    c100="#e7f0fa",
    c200="#c6ddf3",
    c300="#9cc6ee",
    c400="#74b6f5",
    c500="#2f7fcb",
    c600="#0b5cad",
    c700="#094a8b",
    c800="#0c3a69",
    c900="#17304a",
    c950="#0d1a28",
    name="vitviz",
)

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
    base = gr.themes.Base(primary_hue=ACCENT, neutral_hue="slate", radius_size="sm", font=SANS, font_mono=MONO)
    return base.set(
        **light,
        **dark,
        color_accent="#0b5cad",  # Gradio has no dark variant of this one, see page.css
        block_border_width="0px",
        block_shadow="none",
        block_title_text_size="13px",
        input_shadow="none",
    )


MASTHEAD = """
<a class="wordmark" href="?">vitviz</a>
<button type="button" class="theme-switch">Dark</button>
"""

# The button is labeled with the theme it switches to. The choice is stored in the browser.
MASTHEAD_SCRIPT = """
const button = element.querySelector(".theme-switch");
const isDark = () => document.body.classList.contains("dark");
const label = () => {
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colors`);
};
const storedTheme = () => { try { return localStorage.getItem("vitviz-theme"); } catch { return null; } };
const storeTheme = (name) => { try { localStorage.setItem("vitviz-theme", name); } catch { /* private window */ } };
const isLinked = new URLSearchParams(location.search).has("__theme");
if (!isLinked && storedTheme()) document.body.classList.toggle("dark", storedTheme() === "dark");
let onScreen = location.search; // query string of the state on screen
const address = (change, how, search = location.search) => {
  const params = new URLSearchParams(search);
  change(params);
  history[how](history.state, "", `${location.pathname}?${params}${location.hash}`);
  onScreen = location.search;
};
window.addEventListener("vitviz:address", () => { onScreen = location.search; });
button.addEventListener("click", () => {
  document.body.classList.toggle("dark");
  storeTheme(isDark() ? "dark" : "light");
  address((params) => params.delete("__theme"), "replaceState"); // the choice overrides the link's theme
});
/* The query string contains the tab, so a reload reopens it and Back returns to the previous one (Gradio reserves the
   name "page"). Back changes nothing else: the pages keep their state, and so does the query string. Tabs are created
   after this script. */
const tabs = () => [...document.querySelectorAll("#pages [role=tab]")];
const nameOf = (tab) => tab.textContent.trim().toLowerCase();
const wantedTab = () => new URLSearchParams(location.search).get("tab");
const nameTab = (name) => (params) => (name ? params.set("tab", name) : params.delete("tab"));
document.addEventListener("click", (event) => {
  const tab = event.target.closest?.("#pages [role=tab]");
  if (!tab) return;
  const name = tab === tabs()[0] ? null : nameOf(tab);
  document.title = name ? `${tab.textContent.trim()} · vitviz` : "vitviz";
  if (name === wantedTab()) return; // opened by the query string
  address(nameTab(name), "pushState");
});
window.addEventListener("popstate", () => {
  address(nameTab(wantedTab()), "replaceState", onScreen);
  (tabs().find((tab) => nameOf(tab) === wantedTab()) ?? tabs()[0])?.click();
});
const wanted = wantedTab();
function open(times) {
  const tab = tabs().find((one) => nameOf(one) === wanted);
  if (tab?.getAttribute("aria-selected") === "true" || times === 0) return;
  tab?.click();
  setTimeout(open, 50, times - 1);
}
if (wanted) open(200);
new MutationObserver(label).observe(document.body, { attributes: true, attributeFilter: ["class"] });
label();
"""

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
        catalogs: Initial data of each tab: "explore", "train", "internals".
        functions: Server functions of each tab.
    """
    with gr.Blocks(
        title="vitviz", analytics_enabled=False, fill_width=True, delete_cache=(CLEANUP_INTERVAL, UPLOAD_AGE)
    ) as page:
        gr.HTML(
            html_template=MASTHEAD,
            js_on_load=MASTHEAD_SCRIPT,
            apply_default_css=False,
            elem_id="masthead",
        )
        with gr.Tabs(elem_id="pages"):
            with gr.Tab("Explore", id="explore"):
                explore_component(catalogs["explore"], functions["explore"])
            with gr.Tab("Train", id="train"):
                train_component(catalogs["train"], functions["train"])
            with gr.Tab("Internals", id="internals"):
                internals_component(catalogs["internals"], functions["internals"])
    return page
