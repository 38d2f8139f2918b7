"""axe-core finds no violation on any page, in any state: wide and narrow, light and dark."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

import vitviz
from benchmarks.page import EXPLORER
from tests.browser.explore import choose_option
from tests.browser.layout import resize
from tests.browser.train import TRAIN
from vitviz.data.preprocessing import sample_paths

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
WIDE, NARROW = (1400, 900), (390, 844)
INTERNALS = ".vitviz-internals"
LEARN = ".vitviz-learn"
COMPARE = ".vitviz-compare"
TEACH = ".vitviz-teach"
# Rules that a theme can break; the others are checked on a light page only.
COLOR_RULES = ["color-contrast", "link-in-text-block"]
RUN = """async (rules) => {
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const { violations } = await axe.run(document, options);
  const parts = (nodes) => nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ");
  return violations.map(({ id, nodes }) => `${id}: ${parts(nodes)}`);
}"""


@pytest.fixture(scope="module", autouse=True)
def _installed():
    if not AXE.exists() and not os.environ.get("CI"):
        pytest.skip("no axe-core: run `npm ci` in frontend/")


@pytest.fixture
def check(request):
    """Return a function that runs axe-core over the page in its present state, at both widths and in both themes."""

    def run(page, state):
        if not page.evaluate("'axe' in window"):
            page.add_script_tag(path=AXE)
        for width, height in (WIDE, NARROW):
            resize(page, width, height)
            for theme in ("light", "dark"):
                page.evaluate("dark => document.body.classList.toggle('dark', dark)", theme == "dark")
                found = page.evaluate(RUN, COLOR_RULES if theme == "dark" else None)
                assert found == [], f"{state}, {width} px, {theme}"
        page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})

    return run


def settled(page):
    """Wait until the maps and scores of all methods are shown."""
    page.wait_for_selector(f"{EXPLORER}[data-full][data-scores][data-state=ready]")


def open_details(page):
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


def choose_source(page, kind):
    page.locator(f"input[name=shelf][value={kind}]").check()


def test_explore(open_page, check):
    page = open_page("?image=cat&layer=4&head=2")
    settled(page)
    check(page, "a head")
    choose_source(page, "test")
    page.wait_for_selector("[data-shelf=test] .thumb")
    page.locator(".method").nth(3).click()
    check(page, "a method, and the gallery")
    choose_source(page, "upload")
    page.locator("[role=gridcell]").first.click()
    page.keyboard.press("x")
    page.wait_for_selector(".effect:visible")
    check(page, "an ablated head, and the upload")


def test_views(open_page, check):
    page = open_page("?image=cat&content=contributions")
    page.wait_for_selector(".ledger")
    settled(page)
    check(page, "contributions")
    page.click("[data-view=features]")
    page.wait_for_selector(".film")
    check(page, "features")


def test_save_figure(open_page, check):
    page = open_page("?image=cat")
    settled(page)
    page.locator("[data-do=figure]").click()
    page.wait_for_selector("dialog.save[data-preview]")
    check(page, "the dialog")
    page.locator("[data-do=code]").click()
    page.wait_for_selector("dialog.save pre")
    choose_option(page, "save-content", "layers")
    page.wait_for_selector("dialog.save[data-preview*=layers]")
    check(page, "code and an animation")


def test_help_tour_and_presentation(open_page, check):
    page = open_page("?image=cat")
    page.locator(".help:visible").first.click()
    page.wait_for_selector(".help-text:popover-open")
    check(page, "help")
    page.keyboard.press("Escape")
    page.locator("[data-do=tour]").click()
    page.wait_for_selector("[role=dialog]:visible")
    check(page, "the tour")
    page.get_by_role("button", name="Skip").click()
    page.locator("[data-do=present]").click()
    page.wait_for_selector("[data-do=close]:visible")
    check(page, "presentation")


def test_a_violation_is_found(open_page, check):
    page = open_page()
    page.evaluate("document.querySelector('.status').style.color = '#ccc'")
    with pytest.raises(AssertionError, match="color-contrast"):
        check(page, "pale text")


def test_explore_with_a_contrast_class_pinned_and_removed_patches(open_page, check):
    page = open_page(
        "?image=dog&method=relevance&target=5,3&query=27,36&ablations=patches:0,1;patch_mode:gray&scale=uniform"
    )
    settled(page)
    check(page, "removed patches")


def test_train(context, with_runs, check):
    page = context.new_page()
    page.goto(f"{with_runs}?tab=train")
    page.wait_for_selector(f"{TRAIN}[data-ready]")
    expect(page.locator("tr", has_text="finished").first).to_be_visible()
    open_details(page)
    check(page, "all details open, with runs")
    expect(page.locator("h1:visible")).to_have_count(1)


def test_teach(context, address, check):
    page = context.new_page()
    page.goto(f"{address}?tab=train&task=teach")
    page.wait_for_selector(TEACH)
    check(page, "Teach, empty")
    page.locator("[data-do=try]").click()
    page.wait_for_selector(f"{TEACH}[data-state=ready][data-validated][data-evidence]")
    for source in ("sample", "upload", "test"):
        page.locator(f"input[name=teach-source][value={source}]").check()
        check(page, f"Teach, {source}")
    expect(page.locator("h1:visible")).to_have_count(1)


def test_internals(context, address, check):
    page = context.new_page()
    page.goto(f"{address}?tab=internals")
    page.wait_for_selector(f"{INTERNALS}[data-ready][data-state=ready]")
    open_details(page)
    check(page, "Internals")
    expect(page.locator("h1:visible")).to_have_count(1)


def test_learn(context, address, check):
    page = context.new_page()
    page.goto(f"{address}?tab=learn&step=attention")
    page.wait_for_selector(f"{LEARN}[data-ready][data-state=ready] .lesson-work")
    open_details(page)
    check(page, "Learn, a worked row and the glossary")
    expect(page.locator("h1:visible")).to_have_count(1)
    for step in ("overview", "embedding", "heads", "softmax", "contributions", "removal", "exercises"):
        page.goto(f"{address}?tab=learn&step={step}")
        page.wait_for_selector(f"{LEARN}[data-step={step}][data-state=ready] .lesson-figure > *")
        check(page, f"Learn, {step}")
    page.click("[data-do=present]")
    page.wait_for_selector(f"{LEARN}[data-presented]")
    check(page, "Learn, presented")


def test_compare(context, with_runs, check):
    page = context.new_page()
    for query in (
        "query=19",
        "compare=model&b.model=runs/finished&layer=4",
        "compare=snapshot",
        "compare=class",
        "compare=head&direction=similar",
        "compare=ablation&b.ablations=heads:4.2;patches:10;patch_mode:gray",
    ):
        page.goto(f"{with_runs}?tab=compare&{query}")
        page.wait_for_selector(f"{COMPARE}[data-ready='1'][data-state=ready]")
        page.locator("[data-stage=map-b]").focus()
        page.keyboard.press("Home")
        check(page, f"Compare, {query}")
    expect(page.locator("h1:visible")).to_have_count(1)


def test_saved_file(context, check, tmp_path):
    explanation = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])
    explanation.save(tmp_path / "cat.html", layer=5, head=2)
    context.unroute_all()
    context.route(re.compile("^https?:"), lambda route: route.abort())
    page = context.new_page()
    page.goto((tmp_path / "cat.html").as_uri())
    page.wait_for_selector(".vitviz-explorer[data-ready][data-full]")
    check(page, "saved file")
