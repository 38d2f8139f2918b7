"""Printing: a clean sheet of each page, in light colors."""

import pytest
from playwright.sync_api import expect

from benchmarks.page import EXPLORER
from tests.browser.layout import check_width, resize
from tests.browser.train import TRAIN, open_train

pytestmark = pytest.mark.browser

INTERNALS = ".vitviz-internals"
LEARN = ".vitviz-learn"
PORTRAIT, LANDSCAPE = 718, 1047  # px between the margins of A4
CONTROLS = ":is(.button, select, input, .help)"
SHOWN = """(selector) => [...document.querySelectorAll(selector)]
  .filter((node) => node.checkVisibility()).map((node) => node.outerHTML.slice(0, 80))"""
TOO_WIDE = """(selector) => [...document.querySelectorAll(selector)]
  .filter((node) => node.checkVisibility() && node.getBoundingClientRect().right > innerWidth + 1)
  .map((node) => node.outerHTML.slice(0, 80))"""


def check_sheet(page, root):
    """Check that a page prints its data in their colors, without controls, and fits on A4."""
    page.emulate_media(media="print")
    for width in (PORTRAIT, LANDSCAPE):
        resize(page, width, 1000)
        check_width(page)
        page.wait_for_function(
            f"selector => ({TOO_WIDE})(selector).length === 0", arg=f"{root} :is(canvas, svg, img, p)"
        )
    assert page.evaluate(SHOWN, f"{root} {CONTROLS}, [role=tab], .theme-switch") == []
    assert page.locator(f"{root} canvas").first.evaluate("node => getComputedStyle(node).printColorAdjust") == "exact"


@pytest.mark.parametrize("landscape", [False, True])
def test_map_and_matrix_fill_the_sheet_in_readable_type(open_page, landscape):
    page = open_page("?image=cat&layer=4&head=1")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    page.emulate_media(media="print")
    width, height = (LANDSCAPE, PORTRAIT) if landscape else (PORTRAIT, LANDSCAPE)
    resize(page, width, height)
    boxes = [page.locator(part).first.bounding_box() for part in (".stage.image", ".stage.map", ".matrix")]
    used = sum(box["width"] * box["height"] for box in boxes) / (width * height)
    assert used > 0.3, used
    assert page.locator(".methods").bounding_box()["width"] > 0.9 * width
    # 12 px of the page, in pixels of the sheet
    zoom = page.locator(EXPLORER).evaluate("node => node.currentCSSZoom")
    assert 12 * zoom >= 10
    pdf = page.pdf(format="A4", landscape=landscape, margin=dict.fromkeys(("top", "bottom", "left", "right"), "10mm"))
    assert pdf.count(b"/Type /Page\n") == 1


def test_explore_prints_on_one_sheet(open_page):
    page = open_page("?image=cat&ablations=heads:1.0;mode:mean")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    check_sheet(page, EXPLORER)
    expect(page.locator(f"{EXPLORER} .printed")).to_have_text("Model: cifar10-ti4")
    expect(page.locator(".effect")).to_contain_text("1 head ablated (mean)")
    assert page.evaluate(SHOWN, f"{EXPLORER} :is(.intro, label, .on-request)") == []
    assert page.locator(".matrix-frame").evaluate("node => getComputedStyle(node).breakInside") == "avoid"
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 1


def test_train_prints_on_one_sheet(context, address):
    page = open_train(context, address)
    check_sheet(page, TRAIN)
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 1


def test_internals_prints_its_figures_whole(open_page):
    page = open_page()
    page.get_by_role("tab", name="Internals").click()
    page.wait_for_selector(f"{INTERNALS}[data-ready]")
    check_sheet(page, INTERNALS)
    figures = page.locator(f"{INTERNALS} figure")
    assert set(figures.evaluate_all("nodes => nodes.map((node) => getComputedStyle(node).breakInside)")) == {"avoid"}


def test_a_step_of_the_lesson_prints_on_one_sheet_with_its_answer(context, address):
    page = context.new_page()
    for step in ("attention", "positions"):
        page.goto(f"{address}?tab=learn&step={step}")
        page.wait_for_selector(f"{LEARN}[data-step={step}][data-settled] .lesson-figure > *")
        check_sheet(page, LEARN)
        expect(page.locator(f"{LEARN} details p").first).to_be_visible()
        assert page.evaluate(SHOWN, f"{LEARN} :is(nav, label, .lesson-images)") == []
        assert page.pdf(format="A4").count(b"/Type /Page\n") == 1
        page.emulate_media(media="screen")


def test_a_dark_page_prints_in_light_colors(open_page):
    page = open_page("?image=cat&__theme=dark")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    color = "() => document.querySelector('.stage.map canvas').getContext('2d').getImageData(0, 0, 1, 1).data[0]"
    dark = page.evaluate(color)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(color) > 200 > dark
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(page.locator("body.dark")).to_have_count(1)
    assert page.evaluate(color) == dark
