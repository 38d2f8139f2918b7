"""The explorer outside of the page: in a saved file and in a notebook."""

import json
import re
from dataclasses import replace

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import expect

import vitviz
from benchmarks.page import new_context
from tests import tiny
from tests.browser.explore import number_at, shows, tile
from tests.browser.layout import check_width
from vitviz.attribution.explanation import explain
from vitviz.data.preprocessing import sample_paths
from vitviz.plots.document import script

pytestmark = pytest.mark.browser

READY = ".vitviz-explorer[data-ready][data-full]"
HOSTILE = "<img src=x onerror=\"window.ran = 'label'\"></script><script>window.ran = 'script'</script>"
NOTEBOOK = """
import vitviz
from vitviz.data.preprocessing import sample_paths
vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])
"""
# What anywidget passes to `render`, and a log of what is sent to Python.
WIDGET = """
async ([source, state]) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const listeners = {};
  window.sent = [];
  window.model = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; window.sent.push([name, value]); },
    save_changes: () => {},
    on: (name, listener) => { (listeners[name] ??= []).push(listener); },
    off: () => {},
    change: (name, value) => { state[name] = value; for (const f of listeners[`change:${name}`] ?? []) f(); },
  };
  const { default: widget } = await import(url);
  const el = document.createElement("div");
  document.body.append(el);
  window.close = await widget.render({ model: window.model, el });
}
"""


@pytest.fixture(scope="module")
def explanation():
    return replace(vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"]), name="cat")


@pytest.fixture(scope="module")
def saved(explanation, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "cat.html"
    explanation.save(path, layer=5, head=2)
    return path


@pytest.fixture
def offline(browser):
    """Return a function that opens a file in a browser without network, and a list of requests and errors."""
    contexts, log = [], []

    def open_file(path, ready=READY, **options):
        context = new_context(browser, viewport={"width": 1400, "height": 900}, reduced_motion="reduce", **options)
        contexts.append(context)
        context.route(re.compile("^https?:"), lambda route: (log.append(route.request.url), route.abort()))
        page = context.new_page()
        page.on("pageerror", lambda error: log.append(str(error)))
        page.on("dialog", lambda dialog: (log.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        if ready:
            page.wait_for_selector(ready)
        return page

    yield open_file, log
    for context in contexts:
        context.close()


def test_a_saved_file_opens_on_its_view_with_the_numbers_of_the_model(offline, saved, explanation):
    open_file, log = offline
    page = open_file(saved)
    expect(page.locator(".map-title")).to_have_text("Layer 6, head 3")
    expect(page.locator("[role=gridcell]")).to_have_count(7 * 7)
    assert shows(number_at(page, 27), explanation.cls_maps[5, 2].flat[27])
    tile(page, 1, 4).click()
    assert shows(number_at(page, 9), explanation.cls_maps[1, 4].flat[9])
    best = page.locator(".predictions li").first
    expect(best).to_contain_text(explanation.prediction)
    assert shows(best.locator(".value").inner_text(), explanation.probabilities.max())
    assert log == []


def test_a_pinned_patch_a_method_and_its_score_are_in_the_file(offline, saved, explanation):
    open_file, log = offline
    page = open_file(saved)
    stage = page.locator(".stage.image")
    stage.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".headline")).to_contain_text(re.compile(r"row \d, column \d attends most to"))
    page.click("[data-do=more-methods]")
    page.locator(".method", has_text="Relevance").first.click()
    expect(page.locator(".map-title")).to_have_text("Relevance for cat")
    score = explanation.score("relevance").deletion
    expect(page.locator(".method", has_text="Relevance").first.locator(".method-score")).not_to_contain_text("…")
    assert np.isfinite(score)
    assert log == []


def test_nothing_that_needs_a_server_is_offered(offline, saved):
    page = offline[0](saved)
    for selector in (".picker", ".model select", "[data-do=ablate]", "[data-do=remove]", "[data-do=link]", ".contrast"):
        expect(page.locator(selector)).to_have_count(0)
    expect(page.locator(".image-note")).to_contain_text("cat")
    expect(page.locator(".saved-with")).to_contain_text("cifar10-ti4")


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_a_saved_file_fits_the_window_and_follows_its_color_scheme(offline, saved, width, scheme):
    page = offline[0](saved, color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    check_width(page)
    color = page.evaluate("getComputedStyle(document.querySelector('.vitviz')).color")
    brightness = sum(map(int, re.findall(r"\d+", color)[:3])) / 3
    assert (brightness > 128) == (scheme == "dark")


def test_without_scripts_a_saved_file_shows_the_figure_and_a_sentence(offline, saved):
    page = offline[0](saved, ready=None, java_script_enabled=False)
    expect(page.locator(".static img")).to_be_visible()
    expect(page.locator(".static p")).to_contain_text("here it shows a static figure")


def test_without_canvases_a_saved_file_shows_the_figure_and_a_sentence(browser, saved):
    context = new_context(browser)
    context.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page = context.new_page()
    page.goto(saved.as_uri())
    page.wait_for_selector("#vitviz[data-static]")
    expect(page.locator(".static img")).to_be_visible()
    context.close()


def test_hostile_labels_and_names_run_nothing(offline, tmp_path):
    plain = tiny.checkpoint()
    checkpoint = replace(plain, name=HOSTILE, labels=(HOSTILE, *plain.labels[1:]))
    explanation = replace(explain(checkpoint, tiny.pixels()), name=HOSTILE)
    explanation.save(tmp_path / "hostile.html", method="relevance", target=0)
    open_file, log = offline
    page = open_file(tmp_path / "hostile.html")
    expect(page.locator(".map-title")).to_have_text(f"Relevance for {HOSTILE}")
    assert page.evaluate("window.ran ?? null") is None
    assert log == []


def test_ablated_heads_and_removed_patches_look_as_on_the_page(offline, tmp_path, explanation):
    explanation.ablate(heads=[(0, 1)], patches=[10]).save(tmp_path / "ablated.html", layer=0, head=1)
    page = offline[0](tmp_path / "ablated.html")
    expect(page.locator(".headline")).to_have_text("Layer 1, head 2 is ablated")
    expect(page.locator(".cell.ablated")).to_have_count(1)
    expect(page.locator(".stage.image .mark.removed:not([hidden])")).to_have_count(1)


def test_an_executed_notebook_shows_the_explorer(offline, tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(NOTEBOOK)])
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    (output,) = notebook.cells[0].outputs
    assert {"text/html", "image/png", "text/plain"} <= set(output.data)
    path = tmp_path / "notebook.html"
    path.write_text(HTMLExporter().from_notebook_node(notebook)[0])
    page = offline[0](path, ready="iframe[title=vitviz]")
    frame = page.frame_locator("iframe[title=vitviz]")
    expect(frame.locator("[role=gridcell]")).to_have_count(7 * 7)
    frame.locator("[role=gridcell]").nth(8).click()
    expect(frame.locator(".map-title")).to_have_text("Layer 2, head 2")


def test_a_widget_synchronizes_layer_head_and_patch(offline, tmp_path, explanation):
    (tmp_path / "empty.html").write_text("<!doctype html><body></body>")
    page = offline[0](tmp_path / "empty.html", ready=None)
    widget = vitviz.widget(explanation, layer=5, head=2)
    state = {"layer": widget.layer, "head": widget.head, "patch": widget.patch, "data": widget.data}
    page.evaluate(WIDGET, [script(), state])
    page.wait_for_selector(READY)
    expect(page.locator(".map-title")).to_have_text("Layer 6, head 3")
    tile(page, 0, 6).click()
    expect(page.locator(".map-title")).to_have_text("Layer 1, mean of heads")
    assert ["layer", 0] in page.evaluate("window.sent")
    assert ["head", None] in page.evaluate("window.sent")
    page.evaluate("() => { window.model.change('layer', 3); window.model.change('head', 1); }")
    expect(page.locator(".map-title")).to_have_text("Layer 4, head 2")
    page.evaluate("window.model.change('patch', 12)")
    expect(page.locator(".headline")).to_contain_text("row 2, column 5 attends most to")
    page.evaluate("window.close()")
    expect(page.locator(".vitviz-explorer")).to_have_count(0)
    assert json.loads(widget.data)["subject"]["model"] == "cifar10-ti4"
