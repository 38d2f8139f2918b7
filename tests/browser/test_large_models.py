"""Models whose full attention is too large to be sent: the rows of a query are requested when it is shown."""

import re

import pytest
from playwright.sync_api import expect

import vitviz
from benchmarks import page as bench
from benchmarks.page import EXPLORER
from tests.browser.test_explore_page import point
from vitviz.data.preprocessing import sample_paths

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(offline_env, tmp_path_factory):
    """A server that sends at most 0.1 MB of attention: that of the shipped model takes 0.4."""
    extra = offline_env | {"VITVIZ_MAX_ATTENTION_MB": "0.1", "GRADIO_TEMP_DIR": str(tmp_path_factory.mktemp("uploads"))}
    with bench.server(extra, tmp_path_factory.mktemp("work")) as (address, _):
        yield address


@pytest.fixture(scope="module")
def explanation():
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


def expect_weight(page, weight):
    """Wait until the line below the map shows this weight of the class token."""
    rounded = "|".join(re.escape(f"{100 * weight:.{digits}f}") for digits in range(3))
    expect(page.locator(".class-weight")).to_have_text(re.compile(rf"^({rounded})\s%"))


def test_rows_of_a_patch_arrive_when_it_is_pointed_at(open_page, explanation):
    page = open_page("?image=cat&layer=5&head=2")
    headline = page.locator(".headline")
    expect(headline).to_contain_text("the class token attends most to")
    point(page, "image", 27)
    expect(headline).to_contain_text("row 4, column 4 attends most to")
    expect_weight(page, explanation.attention[4, 1, 1 + 27, 0])
    page.locator(".stage.image").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.mouse.move(0, 0)
    page.locator(".headline").click()
    expect(headline).to_contain_text("row 4, column 5 attends most to")
    page.locator("input[name=direction][value=to]").check(force=True)
    expect(headline).to_contain_text("attends most to row 4, column 5")


def test_a_link_opens_with_a_patch_and_several(open_page):
    page = open_page("?image=cat&layer=5&head=2&patch=3-3_6-6")
    expect(page.locator(".headline")).to_contain_text("these 2 patches attend most to")
    page = open_page("?image=cat&layer=5&head=2&patch=3-3&direction=to")
    expect(page.locator(".headline")).to_contain_text("attends most to row 3, column 3")


def test_with_ablated_heads_rows_are_those_of_the_ablated_model(open_page, explanation):
    page = open_page("?image=cat&layer=6&head=2&patch=3-3&ablated=1-1")
    page.wait_for_selector(f"{EXPLORER}[data-changed]")
    ablated = explanation.ablate(heads=[(0, 0)])
    expect_weight(page, ablated.attention[5, 1, 1 + 18, 0])


def test_a_refused_query_returns_to_the_class_token(open_page):
    page = open_page("?image=cat&layer=5&head=2")
    page.route("**/component_server/**", lambda route: route.abort())
    point(page, "image", 27)
    expect(page.locator(".status")).to_contain_text("The server did not answer")
    expect(page.locator(".headline")).to_contain_text("the class token attends most to")
