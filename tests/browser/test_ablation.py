"""Ablated heads and removed patches on the Explore page in a browser."""

import pytest
from playwright.sync_api import expect

from benchmarks.page import EXPLORER
from tests.browser.explore import API, number_at, other_image, shows
from vitviz.attribution.faithfulness import score
from vitviz.attribution.targets import find_target

pytestmark = pytest.mark.browser


def test_an_ablation_that_fails_is_undone(open_page, context):
    context.route("**/models/weights", lambda route: route.abort())  # otherwise the browser would explain it
    page = open_page("?image=cat&layer=4&head=0&ablations=heads:4.1")
    page.route(
        API,
        lambda route: route.abort() if route.request.post_data_json["subject"]["ablations"] else route.fallback(),
    )
    page.locator(".effect select[name=mode]").select_option("mean")
    expect(page.locator(".status")).to_contain_text("The server did not respond")
    expect(page.locator(".effect select[name=mode]")).to_have_value("zero")
    page.wait_for_url(lambda url: "mode:mean" not in url)
    other_image(page, page.locator(".thumb").first.click)
    expect(page.locator(".cell.ablated")).to_have_count(0)
    page.locator("[data-do=ablate]").click()
    expect(page.locator(".status")).to_contain_text("The server did not respond")
    expect(page.locator(".cell.ablated")).to_have_count(0)  # the earlier ablation was of another image


def test_heads_and_patches_are_ablated_by_mouse_and_keyboard(open_page, explanation):
    page = open_page("?image=cat&layer=4&head=0")
    other_image(page, page.locator("[data-do=ablate]").click)
    expect(page.locator(".headline")).to_have_text("Layer 5, head 1 is ablated")
    page.locator(".cell").nth(9).click()  # layer 2, head 3, after a mean column
    other_image(page, lambda: page.keyboard.press("x"))
    page.locator("[data-do=remove]").click()
    box = page.locator(".stage.image").bounding_box()
    side = box["width"] / 8
    other_image(page, lambda: page.mouse.click(box["x"] + 4.5 * side, box["y"] + 3.5 * side))
    page.locator("[data-do=remove]").click()
    page.locator(".stage.map").focus()
    page.keyboard.press("ArrowRight")  # from the middle, row 4, column 4, to a patch that is not removed
    page.keyboard.press("ArrowDown")
    other_image(page, lambda: page.keyboard.press("Delete"))
    page.wait_for_url("**ablations=heads:4.0,1.2;patches:28,36*")

    expected = explanation.ablate([(4, 0), (1, 2)], [3 * 8 + 4, 4 * 8 + 4])
    k = int(explanation.probabilities.argmax())
    after, before = expected.probabilities[k], explanation.probabilities[k]
    shown = page.locator(".prediction .value").first.inner_text().replace("\xa0", " ").removesuffix(" %")
    assert float(shown) == pytest.approx(100 * after, abs=0.06)
    points = page.locator(".effect-points").inner_text().replace("−", "-").removesuffix(" percentage points")
    assert float(points) == pytest.approx(float(shown) - 100 * before, abs=0.06), "the displayed numbers add up"
    expect(page.locator(".effect-what")).to_have_text("2 heads ablated, 2 patches removed")
    expect(page.locator(".cell.ablated")).to_have_count(2)

    other_image(page, page.locator("[data-do=restore]").click)
    expect(page.locator(".effect")).to_be_hidden()
    expect(page.locator(".cell.ablated")).to_have_count(0)
    page.locator(".cell").nth(9).click()
    assert shows(number_at(page, 20), explanation.cls_maps[1, 2].flat[20])


def test_maps_and_scores_are_those_of_the_ablated_model_and_the_changed_image(open_page, explanation):
    page = open_page("?image=cat&method=relevance&ablations=heads:3.2;patches:27,28")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    ablated = explanation.ablate([(3, 2)], [27, 28])
    target = find_target(explanation.context, "cat")
    relevance = ablated.map("relevance", target)
    assert float(number_at(page, 20).split()[0]) == pytest.approx(relevance.flat[20] / relevance.max(), abs=0.006)
    expect(page.locator(".methods-head")).to_contain_text("with 1 head ablated, 2 patches removed")
    expect(page.locator(".stage.map .mark.removed:not([hidden])")).to_have_count(2)
    found = score(ablated.context, {"relevance": relevance.ravel()}, target)
    drop = found.scores["relevance"].probability_drop(float(ablated.probabilities[target]))
    tile = page.locator(".method", has_text="Relevance").locator(".method-score")
    assert float(tile.inner_text().split()[0]) == pytest.approx(drop, abs=0.006)


def test_dragging_removes_each_patch_on_the_way(open_page):
    page = open_page("?image=cat")
    page.locator("[data-do=remove]").click()
    expect(page.locator(f"{EXPLORER} .status")).to_contain_text("drag over patches to remove them")
    box = page.locator(".stage.image").bounding_box()
    side = box["width"] / 8
    page.mouse.move(box["x"] + 1.5 * side, box["y"] + 2.5 * side)
    page.mouse.down()
    for column in (2.5, 3.5):
        page.mouse.move(box["x"] + column * side, box["y"] + 2.5 * side)
    page.mouse.up()
    page.wait_for_url("**ablations=patches:17,18,19*")
    expect(page.locator(f"{EXPLORER} h1")).to_contain_text("the class token attends")  # not a patch that was removed


def test_a_link_restores_ablations(open_page):
    page = open_page("?image=cat&ablations=heads:4.0,8.8;patches:28,28,784")
    expect(page.locator(".effect-what")).to_have_text("1 head ablated, 1 patch removed")
    expect(page.locator(".mark.removed:not([hidden])")).to_have_count(2)  # on the image and on the map
    other_image(page, lambda: page.locator(".effect select[name=patch_mode]").select_option("gray"))
    expect(page.locator(".effect-what")).to_have_text("1 head ablated, 1 patch painted gray")
    other_image(page, lambda: page.locator(".effect select[name=mode]").select_option("mean"))
    page.wait_for_url("**mode:mean;patch_mode:gray*")
