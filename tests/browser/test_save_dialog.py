"""The dialog "Save figure": files of each format, clipboard, code, and errors."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from benchmarks.page import EXPLORER
from tests.browser.explore import API, choose_option, route_of
from tests.browser.files import mp4_seconds

pytestmark = pytest.mark.browser

SAVE = "dialog.save"


def open_dialog(page):
    page.locator("[data-do=figure]").click()
    page.wait_for_selector(f"{SAVE}[data-preview]")


def choose(page, content=None, form=None):
    for name, value in (("content", content), ("format", form)):
        if value:
            choose_option(page, f"save-{name}", value)


def saved(page):
    """Save, and return the download."""
    with page.expect_download() as found:
        page.locator("[data-do=save]").click()
    expect(page.locator(SAVE)).to_be_hidden()
    return found.value


def answer(page, name, reply):
    """Let a route return `reply`."""

    def respond(route):
        route.fulfill(json=reply) if route_of(route.request) == name else route.fallback()

    page.route(API, respond)


def test_a_figure_of_a_chosen_head_is_saved_in_three_clicks(open_page):
    page = open_page()
    page.evaluate("""() => {
      window.clicks = 0;
      document.addEventListener("click", (event) => { window.clicks += event.isTrusted; }, true);
    }""")
    page.locator(".matrix .cell").nth(7 + 3).click()
    page.locator("[data-do=figure]").click()
    with page.expect_download() as found:
        page.locator("[data-do=save]").click()
    assert page.evaluate("window.clicks") == 3
    assert found.value.suggested_filename == "vitviz-cifar10-ti4-cat-layer-2-head-4.png"
    assert Image.open(found.value.path()).width > 2000
    expect(page.locator(".status")).to_contain_text("Saved as")


@pytest.mark.parametrize(
    ("content", "form", "start"),
    [
        ("view", "svg", b"<svg"),
        ("map", "pdf", b"%PDF"),
        ("view", "html", b"<!doctype html>"),
        ("view", "csv", b"# vitviz: {"),
        ("layers", "gif", b"GIF89a"),
    ],
)
def test_each_format_is_saved(open_page, content, form, start):
    page = open_page("?image=cat")
    open_dialog(page)
    choose(page, content, form)
    download = saved(page)
    assert download.suggested_filename.endswith(f".{form}")
    assert Path(download.path()).read_bytes().lower().startswith(start.lower())


def test_arrays_are_saved(open_page):
    page = open_page("?image=cat")
    open_dialog(page)
    choose(page, form="npz")
    expect(page.locator(f"{SAVE} .sheet")).to_contain_text("NumPy arrays")
    with np.load(saved(page).path()) as arrays:
        assert arrays["map"].shape == (8, 8)


def test_an_animation_is_saved_as_mp4(open_page):
    page = open_page("?image=cat")
    open_dialog(page)
    choose(page, "layers", "mp4")
    assert mp4_seconds(page, saved(page)) > 1


def test_without_an_encoder_mp4_is_not_offered(open_page, context):
    context.add_init_script("delete window.VideoEncoder")
    page = open_page("?image=cat")
    open_dialog(page)
    choose(page, "layers")
    expect(page.locator(f"{SAVE} input[name=save-format]")).to_have_count(1)
    expect(page.locator(f"{SAVE} .note")).to_contain_text("MP4 needs a browser that encodes video")


def test_the_choice_is_remembered(open_page):
    page = open_page("?image=cat")
    open_dialog(page)
    choose(page, "matrix", "svg")
    saved(page)
    page.reload()
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    open_dialog(page)
    expect(page.locator(f"{SAVE} input[name=save-content][value=matrix]")).to_be_checked()
    expect(page.locator(f"{SAVE} input[name=save-format][value=svg]")).to_be_checked()


def test_the_image_and_the_code_are_copied(open_page, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = open_page("?image=cat")
    open_dialog(page)
    page.locator("[data-do=copy]").click()
    expect(page.locator(f"{SAVE} .message")).to_have_text("Copied as PNG.")
    content = page.evaluate("""async () => {
      const [item] = await navigator.clipboard.read();
      return [...new Uint8Array(await (await item.getType("image/png")).arrayBuffer())];
    }""")
    assert Image.open(io.BytesIO(bytes(content))).width > 2000
    page.locator("[data-do=code]").click()
    expect(page.locator(f"{SAVE} .message")).to_have_text("Code copied.")
    code = page.evaluate("navigator.clipboard.readText()")
    assert "import vitviz" in code
    expect(page.locator(f"{SAVE} pre")).to_have_text(code)


def test_the_chosen_format_is_marked_also_when_a_method_is_shown(open_page):
    page = open_page("?image=cat&method=rollout")
    open_dialog(page)
    marked = page.locator(f"{SAVE} .options input:checked + span")
    assert marked.evaluate_all("nodes => nodes.map((node) => getComputedStyle(node).fontWeight)") == ["600", "600"]


def test_a_browser_that_refuses_to_copy_is_reported(open_page, context):
    context.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page = open_page("?image=cat")
    open_dialog(page)
    page.locator("[data-do=copy]").click()
    message = page.locator(f"{SAVE} .message")
    expect(message).to_have_text("The browser does not allow copying: save the file instead.")
    page.locator("[data-do=code]").click()
    expect(message).to_have_text("The browser does not allow copying: select the code below.")
    expect(page.locator(f"{SAVE} pre")).to_contain_text("import vitviz")


def test_a_figure_is_saved_without_provenance_while_the_server_does_not_answer(open_page):
    page = open_page()
    open_dialog(page)
    page.route(
        API, lambda route: route.abort() if route_of(route.request) == "explanations/provenance" else route.fallback()
    )
    choose(page, form="svg")
    assert "<metadata>" not in Path(saved(page).path()).read_text()
    expect(page.locator(".status")).to_contain_text("It has no provenance, as the server did not respond.")


def test_an_error_is_shown_in_the_dialog(open_page):
    page = open_page("?image=cat")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")  # no request is on its way when the route is removed
    answer(page, "explanations/file", {"error": "The server is busy. Try again."})
    open_dialog(page)
    choose(page, form="csv")
    page.locator("[data-do=save]").click()
    message = page.locator(f"{SAVE} .message")
    expect(message).to_have_text("The server is busy. Try again.")
    page.unroute_all()
    assert saved(page).suggested_filename.endswith(".csv")


def test_escape_closes_the_dialog_and_returns_the_focus(open_page):
    page = open_page("?image=cat")
    open_dialog(page)
    expect(page.locator("[data-do=save]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(SAVE)).to_be_hidden()
    expect(page.locator("[data-do=figure]")).to_be_focused()
