"""The views of Explore: contributions to a logit and token features, by mouse and keyboard, and maps on request."""

import re

import pytest
from playwright.sync_api import expect

import vitviz
from benchmarks.page import EXPLORER
from tests.browser.explore import choose_option
from tests.browser.layout import check_width, resize
from vitviz.data.preprocessing import sample_paths
from vitviz.plots.formatting import signed

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def explanation():
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


def test_contributions_by_mouse_and_keyboard(open_page, explanation):
    page = open_page("?image=cat&layer=4&head=1")
    page.locator("[data-view=attention]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".ledger")).to_be_visible()
    expect(page.locator("[data-view=contributions]")).to_be_focused()
    found = explanation.contributions()
    expect(page.locator(".bar-row.sum .amount-text")).to_have_text(signed(found.logit))
    expect(page.locator(".bar-row.mlp .amount-text")).to_have_text([signed(value) for value in found.mlp])
    chosen = page.locator(".ledger [aria-pressed=true]")
    expect(chosen).to_have_attribute("aria-label", f"Layer 5, head 2: {signed(found.heads[4, 1].sum())}")
    expect(page.locator(".headline")).to_contain_text("Layer 5, head 2 adds")
    chosen.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".ledger :focus")).to_have_attribute("aria-label", re.compile("^Layer 6, head 2: "))
    expect(page.locator(".map-title")).to_have_text("Layer 6, head 2")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".status")).to_contain_text("Layer 6, MLP")
    expect(page).to_have_url(re.compile("content=contributions"))
    page.click("[data-view=attention]")
    expect(page.locator(".matrix .cell[aria-selected=true]")).to_have_count(1)


def test_contributions_follow_the_contrast_class(open_page, explanation):
    page = open_page("?image=cat&content=contributions&target=3,5")
    total = explanation.contributions((3, 5)).logit
    expect(page.locator(".bar-row.sum .amount-text")).to_have_text(signed(total))
    expect(page.locator(".headline")).to_contain_text("cat minus that of dog")


def test_features_and_the_similarity_of_a_patch(open_page, explanation):
    page = open_page("?image=cat&content=features&layer=3&head=mean")
    explained = round(100 * float(explanation.pca(3).basis.explained.sum()))
    expect(page.locator(".headline")).to_contain_text(f"Layer 4: three components explain {explained}")
    page.locator(".frame").nth(5).click()
    expect(page.locator(".map-title")).to_have_text("Layer 6, features")
    page.check("[name=foreground]")
    expect(page.locator(".film-note").first).to_contain_text("without the background")
    expect(page.locator("[name=direction], [name=scale]")).to_have_count(0)
    choose_option(page, "query", "patch")
    page.wait_for_selector(".film[data-patch]")
    expect(page.locator(".map-title")).to_have_text("Layer 6, similarity")
    expect(page.locator(".headline")).to_contain_text("row 4, column 4 is most similar to")
    page.click("[data-view=attention]")
    choose_option(page, "direction", "similar")
    expect(page.locator("[data-view=features]")).to_have_attribute("aria-pressed", "true")


def test_the_tuned_lens_by_layer(open_page, explanation):
    page = open_page("?image=cat&content=features&layer=3&head=mean")
    page.check("[name=lens]")
    lens = vitviz.tuned_lens(explanation.context.checkpoint)
    maps = lens.maps(explanation)
    expect(page.locator(".map-title")).to_have_text("Layer 4, tuned lens")
    expect(page.locator(".headline")).to_contain_text(f"give cat {100 * maps[4].mean():.0f}\u00a0% on average")
    expect(page.locator(".status")).to_contain_text(f"AUROC of {lens.localization[4]:.2f}")
    expect(page.locator(".status")).to_contain_text("Accuracy is not localization")
    expect(page.locator(".frame-text")).to_have_text([f"{100 * one:.0f}\u00a0%" for one in lens.accuracy[1:]])
    expect(page.locator("[name=foreground]")).to_have_count(0)
    page.locator(".frame").nth(5).click()
    expect(page.locator(".headline")).to_contain_text(f"Layer 6: the patches give cat {100 * maps[6].mean():.0f}")
    expect(page).to_have_url(re.compile("lens=true"))
    page.locator("[data-class='0']").click()
    planes = lens.maps(explanation, "airplane")[6]
    expect(page.locator(".headline")).to_contain_text(f"give airplane {100 * planes.mean():.0f}\u00a0% on average")
    page.uncheck("[name=lens]")
    expect(page.locator(".map-title")).to_have_text("Layer 6, features")


def test_activation_patching_by_mouse_and_keyboard(open_page, explanation):
    page = open_page("?image=cat&content=patching&layer=4&head=1&other=dog")
    found = vitviz.patch_activations(explanation, vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["dog"]))
    heads = [signed(value) for value in found.recovered[4]]
    cells = page.locator(".patching-cell[data-layer='4']")
    expect(cells).to_have_text([*heads, re.compile(".")])
    chosen = page.locator(".patching-grid [aria-pressed=true]")
    expect(chosen).to_have_attribute("aria-label", f"Layer 5, head 2: {heads[1]}")
    expect(page.locator(".headline")).to_contain_text("in the logit of cat minus that of dog")
    expect(page.locator(".patching-note")).to_contain_text(f"stays at {signed(found.corrupted_logit)}, as in B")
    chosen.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".status")).to_contain_text(
        f"Layer 5, head 3 recovers {100 * found.recovered[4, 2]:.0f}\u00a0% of the difference"
    )
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator(".map-title")).to_have_text("Tokens after layer 5")
    expect(page.locator(".class-weight")).to_contain_text("by the class token")
    page.click("[data-do=choose-other]")
    page.click(".thumb[title=ship]")
    expect(page).to_have_url(re.compile("image=cat.*other=ship"))
    expect(page.locator(".patched-images figcaption").nth(1)).to_contain_text("predicted ship")


def test_scores_are_compared_with_the_greedy_order(open_page, explanation):
    page = open_page("?image=cat&method=relevance")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    expect(page.locator(".status")).not_to_contain_text("greedy order")
    page.click("[data-method=greedy]")
    expect(page.locator(".map-title")).to_have_text("Greedy order for cat")
    page.locator(".method", has_text="Relevance").click()
    expect(page.locator(".status")).to_contain_text("of the way from random to the greedy order")


def test_a_method_per_pixel(open_page):
    page = open_page("?image=cat&method=balanced_gradients&target=3")
    expect(page.locator(".map-title")).to_have_text("Balanced gradients for cat")
    pixels = page.locator(".resolution [value=pixels]")
    pixels.click(force=True)
    canvas = page.locator(".stage.map canvas.values")
    expect(canvas).to_have_js_property("width", 32)
    expect(page).to_have_url(re.compile("pixels=true"))
    page.keyboard.press("ArrowLeft")
    expect(canvas).to_have_js_property("width", 8)
    page.click("[data-do=more-methods]")
    page.locator(".method", has_text="Value norm").click()
    expect(page.locator(".resolution")).to_have_count(0)


@pytest.mark.parametrize("view", ["contributions", "features", "patching"])
def test_a_view_is_saved_as_shown(open_page, view):
    page = open_page(f"?image=cat&content={view}&layer=4&head=1&query=19")
    page.click("[data-do=figure]")  # enabled once the content has arrived
    expect(page.locator(f"[name=save-content][value={view}]")).to_be_checked()
    preview = page.locator(".preview img")
    expect(preview).to_have_attribute("alt", re.compile("Model: cifar10-ti4"))
    headline = page.locator(".headline").inner_text()
    choose_option(page, "save-format", "svg")
    page.wait_for_selector("dialog.save[data-preview*='svg']")
    with page.expect_download() as download:
        page.click("[data-do=save]")
    texts = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", download.value.path().read_text()))
    assert headline in texts.replace("\N{NO-BREAK SPACE}", " ") or headline.split(":")[0] in texts
    assert view in download.value.suggested_filename


def test_a_view_fits_a_phone(open_page):
    for view, node in (("contributions", ".ledger"), ("features", ".film"), ("patching", ".patching-grid")):
        page = open_page(f"?content={view}")
        page.wait_for_selector(node)
        resize(page, 390)
        check_width(page)
