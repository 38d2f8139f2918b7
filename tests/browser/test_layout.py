"""Layout of the Explore page in a browser: presentation, window sizes, enlarged tiles, and the order of the Tab key."""

import pytest
from playwright.sync_api import expect

from benchmarks.page import EXPLORER, new_context
from tests.browser.explore import choose_option
from tests.browser.layout import check_width, resize

pytestmark = pytest.mark.browser

HEADLINE = f"{EXPLORER} .headline"


def box(page, selector):
    return page.locator(selector).first.bounding_box()


def test_f_enlarges_image_and_map_then_the_map_then_the_matrix_and_escape_leaves(open_page):
    page = open_page("?image=cat&layer=4&head=1")
    address = page.url
    small = box(page, ".stage.map")["width"]
    for shown, parts in (
        ("pair", (".stage.image", ".stage.map")),
        ("map", (".stage.map",)),
        ("matrix", (".matrix",)),
    ):
        page.keyboard.press("f")
        expect(page.locator(EXPLORER)).to_have_attribute("data-presented", shown)
        for part in (HEADLINE, f"{EXPLORER} .status", *parts, f"{EXPLORER} .bar"):
            found = box(page, part)
            assert 0 <= found["x"] <= 1400 - found["width"], (shown, part)
            assert 0 <= found["y"] <= 900 - found["height"], (shown, part)
        assert box(page, parts[-1])["width"] > (1.3 * small if shown != "matrix" else 500)
        expect(page.locator(".predictions")).to_be_hidden()
    sizes = page.eval_on_selector_all(
        f"{HEADLINE}, {EXPLORER} .status", "nodes => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert sizes[0] >= 30
    assert sizes[1] >= 20
    page.keyboard.press("Escape")
    expect(page.locator(EXPLORER)).not_to_have_attribute("data-presented", "matrix")
    expect(page.locator(".predictions")).to_be_visible()
    assert box(page, ".stage.map")["width"] == small
    assert page.url == address


def test_in_a_presentation_the_keys_work_and_the_rest_of_the_page_is_out_of_reach(open_page):
    page = open_page("?image=cat&layer=4&head=1")
    button = page.get_by_role("button", name="Present")
    page.click("[data-do=link]")
    expect(page.locator(f"{EXPLORER} .status")).to_contain_text("ink")  # copied, or to be copied
    button.click()
    expect(page.locator(f"{EXPLORER} .status")).to_contain_text("times uniform")  # not what was said before
    expect(page.locator(".map-title")).to_have_text("Layer 5, head 2")
    expect(page.locator(".present-prediction b").first).to_have_text("cat")
    next_map = page.get_by_role("button", name="Next map")
    for title in (
        "Layer 5, head 3",
        "Layer 5, head 4",
        "Layer 5, head 5",
        "Layer 5, head 6",
        "Layer 5, mean",
        "Layer 6, head 1",
    ):
        next_map.click()
        expect(page.locator(".map-title")).to_contain_text(title.removesuffix(", mean"))
    for _ in range(6):
        page.get_by_role("button", name="Previous map").click()
    expect(page.locator(".map-title")).to_have_text("Layer 5, head 2")
    page.locator("input[name=presented][value=map]").check()
    expect(page.locator(EXPLORER)).to_have_attribute("data-presented", "map")
    page.locator(".cell[aria-selected=true]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(HEADLINE)).to_contain_text("Layer 5, head 3:")
    page.keyboard.press("PageUp")
    expect(page.locator(HEADLINE)).to_contain_text("Layer 1, head 3:")
    page.locator(".stage.map").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".stage.map .tip")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(HEADLINE)).to_contain_text("row 4, column 5 attends most to")
    assert page.evaluate("document.querySelector('.wordmark').closest('[inert]') !== null")
    page.keyboard.press("Escape")
    expect(page.locator(HEADLINE)).to_contain_text("row 4, column 5 attends most to")  # only the presentation ends
    expect(page.locator(".wordmark")).to_be_visible()
    assert page.evaluate("document.querySelector('[inert]') === null")
    expect(button).to_be_focused()


def test_f_is_a_letter_where_text_is_typed(open_page):
    page = open_page("?image=cat")
    page.locator(f"{EXPLORER} .model select").focus()
    page.keyboard.press("f")
    page.get_by_role("tab", name="Train").click()
    page.keyboard.press("f")
    page.get_by_role("tab", name="Explore").click()
    expect(page.locator(EXPLORER)).to_be_visible()
    assert page.get_attribute(EXPLORER, "data-presented") is None


@pytest.mark.parametrize(("width", "height", "least"), [(1400, 900, 336), (1920, 1080, 420), (2560, 1440, 590)])
def test_a_wide_window_is_used_and_the_methods_stay_in_view(open_page, width, height, least):
    page = open_page("?image=cat")
    resize(page, width, height)
    last = box(page, ".prediction-column")
    assert last["x"] + last["width"] > width - 60
    assert box(page, ".stage.map")["width"] >= least
    strip = page.locator(".method-score").last.bounding_box()
    assert strip["y"] + strip["height"] <= height
    check_width(page)


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (1024, 768)])
def test_no_shelf_of_images_moves_what_is_below(open_page, width, height):
    page = open_page("?image=cat")
    resize(page, width, height)
    tops = set()
    for name in ("sample", "test", "upload"):
        choose_option(page, "shelf", name)
        expect(page.locator(f".shelf[data-shelf={name}]")).to_be_visible()
        tops.add(box(page, ".methods")["y"])
    assert len(tops) == 1


@pytest.mark.parametrize("choice", ["", "&layer=mean&scale=map", "&method=relevance", "&scale=uniform"])
def test_at_1024_by_768_the_prediction_is_in_view(open_page, choice):
    page = open_page(f"?image=cat{choice}")
    resize(page, 1024, 768)
    for track in page.locator(".prediction .track").all():
        found = track.bounding_box()
        assert found["y"] + found["height"] <= 768
    assert box(page, ".contrast")["y"] < 768
    stage, button = box(page, ".stage.map"), box(page, "[data-do=remove]")
    assert button["x"] + button["width"] <= stage["x"]


WATCHED = (
    ".controls",
    ".columns",
    ".stage.image",
    ".stage.map",
    ".matrix-column .column-head",
    ".methods",
    ".method-groups",
)


PLACES = """(parts) => Object.fromEntries(parts.map(([part, selector]) => {
  const { x, y, width } = document.querySelector(selector).getBoundingClientRect();
  return [part, [x, y + scrollY, width].map(Math.round)];
}))"""


def boxes(page):
    """Place on the page and width of what must not move, in pixels."""
    return page.evaluate(PLACES, [[part, f"{EXPLORER} {part}"] for part in WATCHED])


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (1366, 768), (1024, 768)])
def test_no_method_ablation_or_view_moves_the_map_or_the_methods(open_page, width, height):
    page = open_page("?image=cat&layer=4&head=1")
    resize(page, width, height)
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    page.wait_for_selector(".score-parts")
    page.click("[data-do=more-methods]")
    before = boxes(page)
    for method in page.locator(".method").all():
        method.click()
        expect(method).to_have_attribute("aria-pressed", "true")
        assert boxes(page) == before, method.inner_text()
    page.click("[data-do=leave]")
    page.click("[data-do=ablate]")
    expect(page.locator(".effect-points b")).to_be_visible()
    assert boxes(page) == before
    page.click("[data-do=restore]")
    expect(page.locator(".effect")).to_be_hidden()
    for content, part in (("contributions", ".ledger"), ("features", ".film"), ("patching", ".patching-grid")):
        page.click(f"[data-view={content}]")
        page.wait_for_selector(part)
        expect(page.locator("[data-do=figure]")).to_be_enabled()  # the content has arrived
        assert boxes(page) == before, content


def test_the_introduction_is_between_the_tabs_and_the_models(open_page):
    page = open_page("?image=cat")
    for width in (1400, 1200, 1024):
        resize(page, width, 768)
        tab, intro = box(page, "[role=tab] >> visible=true >> nth=-1"), box(page, ".intro")
        assert tab["x"] + tab["width"] + 8 <= intro["x"]
        button, models = box(page, "[data-do=dismiss]"), box(page, f"{EXPLORER} .model")
        assert button["x"] + button["width"] <= models["x"]


def test_at_1024_by_768_the_introduction_the_photographs_and_the_methods_fit(open_page):
    page = open_page("?image=cat")
    for width, height in ((1359, 900), (1150, 800), (700, 450), (1024, 900), (1024, 768)):
        resize(page, width, height)
        shelf, photographs = box(page, ".shelf[data-shelf=sample]"), box(page, ".thumbs[aria-label=Photographs]")
        assert photographs["y"] + photographs["height"] <= shelf["y"] + shelf["height"], width
    assert box(page, ".intro span")["height"] <= 32  # two lines
    tops = page.locator(".method-group").evaluate_all("nodes => nodes.map((node) => node.offsetTop)")
    assert len(set(tops)) == 1
    sources = page.locator(".picker .options").bounding_box()
    last = page.locator(".picker .options span").last.bounding_box()
    assert last["x"] + last["width"] <= sources["x"] + sources["width"]


def test_a_mouse_enlarges_a_tile_and_the_tiles_under_it_can_be_clicked(open_page):
    page = open_page("?image=cat")
    cells, preview = page.locator(".cell"), page.locator(".matrix-preview")
    expect(preview).to_have_count(0)
    cells.nth(8).hover()
    expect(preview).to_contain_text("Layer 2, head 2")
    expect(preview).to_contain_text("largest")
    pixels = "node => [...node.getContext('2d').getImageData(0, 0, 8, 8).data]"
    assert preview.locator("canvas").evaluate(pixels) == cells.nth(8).locator("canvas").evaluate(pixels)
    assert box(page, ".matrix-preview canvas")["width"] > 2.5 * box(page, ".cell")["width"]
    large, under = preview.bounding_box(), cells.nth(15).bounding_box()  # the tile below
    assert large["y"] < under["y"] + under["height"] / 2 < large["y"] + large["height"]
    page.mouse.click(under["x"] + under["width"] / 2, under["y"] + under["height"] / 2)
    expect(page.locator(".map-title")).to_have_text("Layer 3, head 2")
    page.mouse.move(5, 5)
    expect(preview).to_have_count(0)


def test_a_touch_enlarges_no_tile(browser, address):
    context = new_context(browser, viewport={"width": 1400, "height": 900}, has_touch=True)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    page.locator(".cell").nth(8).tap()
    expect(page.locator(".map-title")).to_have_text("Layer 2, head 2")
    expect(page.locator(".matrix-preview")).to_have_count(0)
    context.close()


def test_each_group_of_thumbnails_and_the_methods_are_one_tab_stop(open_page):
    page = open_page("?image=cat")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    page.click("[data-do=more-methods]")
    for group in (".samples .thumbs >> nth=0", ".samples .thumbs >> nth=1", ".method-groups"):
        assert page.locator(group).locator("button").count() > 1
        expect(page.locator(group).locator("button[tabindex='0']")).to_have_count(1)
    page.locator(".method[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".method").nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator(".method").last).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".map-title")).to_have_text("Occlusion for cat")
    expect(page.locator(".method[tabindex='0']")).to_have_count(1)


def test_the_first_tab_stop_skips_to_the_content(open_page):
    page = open_page("?image=cat")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(HEADLINE)).to_be_focused()


def test_arrow_keys_walk_through_the_tabs_and_enter_or_space_opens_one(open_page):
    page = open_page("?image=cat")
    tab = {name: page.get_by_role("tab", name=name) for name in ("Explore", "Compare", "Internals", "Learn")}
    tab["Explore"].focus()
    for key, name in (("ArrowRight", "Compare"), ("End", "Learn"), ("ArrowRight", "Explore"), ("ArrowLeft", "Learn")):
        page.keyboard.press(key)
        expect(tab[name]).to_be_focused()
    expect(tab["Explore"]).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Space")
    expect(page.get_by_role("tabpanel", name="Learn").locator("h1")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(tab["Internals"]).to_have_attribute("aria-selected", "true")
    expect(page).to_have_title("Internals · vitviz")
    expect(page.locator("[role=tab][tabindex='0']")).to_have_text("Internals")
