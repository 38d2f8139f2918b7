"""The Explore page in a browser: the page shows what the model computed."""

import subprocess
import sys
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import vitviz
from benchmarks.page import EXPLORER
from tests.browser.explore import API, number_at, other_image, point, route_of, shows, tile
from tests.browser.layout import check_width, resize
from vitviz.attribution.faithfulness import N_RANDOM, score
from vitviz.attribution.targets import find_target
from vitviz.attribution.view_maps import title_of
from vitviz.view import View

pytestmark = pytest.mark.browser


def test_an_explained_example_is_shown_at_load(open_page, explanation):
    page = open_page()
    expect(page.locator(".headline")).to_contain_text("Layer 5, head 2: the class token attends most to row")
    expect(page.locator(".matrix-note")).to_have_text("heads to 10\xa0%, means to 6\xa0%")
    expect(page.locator(".tick.last")).to_have_text("≥ 10.0\xa0%")
    expect(page.locator("[role=gridcell]")).to_have_count(7 * 7)
    best = explanation.labels[explanation.probabilities.argmax()]
    first = page.locator(".predictions li").first
    expect(first).to_contain_text(best)
    assert shows(first.locator(".value").inner_text(), explanation.probabilities.max())


def test_the_large_map_is_that_of_the_layer_and_head_it_names(open_page, explanation):
    page = open_page("?image=cat")
    for layer, head, patch in ((0, 0, 0), (1, 4, 9), (3, 2, 63), (5, 5, 30)):
        tile(page, layer, head).click()
        expect(page.locator(".map-title")).to_have_text(f"Layer {layer + 1}, head {head + 1}")
        assert shows(number_at(page, patch), explanation.cls_maps[layer, head].flat[patch])


def test_the_mean_column_row_and_corner_are_means(open_page, explanation):
    maps = explanation.cls_maps.reshape(6, 6, 64)
    page = open_page("?image=cat")
    for layer, head, title, expected in (
        (1, 6, "Layer 2, mean of heads", maps[1].mean(0)),
        (6, 3, "Mean of layers, head 4", maps[:, 3].mean(0)),
        (6, 6, "Mean of layers, mean of heads", maps.mean((0, 1))),
    ):
        tile(page, layer, head).click()
        expect(page.locator(".map-title")).to_have_text(title)
        view = View(layer="mean" if layer == 6 else layer, head="mean" if head == 6 else head)
        assert title == title_of(explanation, view)
        assert shows(number_at(page, 27), expected[27])


def test_a_patch_attends_to_and_is_attended_by_the_right_tokens(open_page, explanation):
    row, column, layer, head, other = 3, 4, 2, 1, 44
    query = 1 + row * 8 + column
    place = f"?image=cat&layer={layer}&head={head}&query={query - 1}"
    page = open_page(place)
    assert shows(number_at(page, other), explanation.attention[layer, head, query, 1 + other])
    page = open_page(f"{place}&direction=to")
    assert shows(number_at(page, other), explanation.attention[layer, head, 1 + other, query])


def test_tiles_have_one_pixel_per_patch(open_page):
    page = open_page("?image=cat")
    sizes = page.eval_on_selector_all("[role=gridcell] canvas", "nodes => nodes.map((n) => [n.width, n.height])")
    assert sizes == [[8, 8]] * 49


def test_the_darkest_pixel_has_the_largest_weight(open_page, explanation):
    page = open_page("?image=cat&scale=map&layer=0&head=0&__theme=light")
    pixels = page.eval_on_selector(
        "[role=gridcell] canvas", "n => [...n.getContext('2d').getImageData(0, 0, 8, 8).data]"
    )
    light = np.array(pixels).reshape(64, 4)[:, :3].sum(1)
    assert light.argmin() == explanation.cls_maps[0, 0].argmax()
    assert light.argmax() == explanation.cls_maps[0, 0].argmin()


def test_hovering_a_patch_makes_it_the_query_until_the_pointer_leaves(open_page):
    page = open_page("?image=cat&layer=2&head=1")
    point(page, "image", 27)
    expect(page.locator(".headline")).to_contain_text("row 4, column 4 attends most to")
    page.mouse.move(5, 5)
    expect(page.locator(".headline")).to_contain_text("the class token attends most to")


def test_arrow_keys_move_between_heads_and_escape_returns_to_the_class_token(open_page):
    page = open_page("?image=cat&layer=2&head=1")
    page.locator("[role=gridcell][aria-selected=true]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".map-title")).to_have_text("Layer 3, head 3")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".map-title")).to_have_text("Layer 4, head 3")
    page.locator(".stage.image").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("input[name=query][value=patch]")).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.locator("input[name=query][value=class]")).to_be_checked()
    expect(page.locator(".headline")).to_contain_text("the class token attends most to")


def test_the_address_reopens_the_view(open_page, context):
    page = open_page("?image=ship")
    page.locator("[role=gridcell]").nth(9).click()
    page.locator("input[name=scale][value=uniform]").check()
    page.wait_for_url("**scale=uniform**")
    seen = page.locator(".headline").inner_text()
    again = context.new_page()
    again.goto(page.url)
    again.wait_for_selector(f"{EXPLORER}[data-full]")
    expect(again.locator(".headline")).to_have_text(seen)
    expect(again.locator("input[name=scale][value=uniform]")).to_be_checked()


def test_an_invalid_address_opens_the_example(open_page):
    page = open_page("?model=../../etc&image=%3Cb%3E&layer=98&head=-4&query=x&method=magic&scale=huge")
    expect(page.locator(".map-title")).to_have_text("Layer 5, head 2")
    expect(page.locator(f"{EXPLORER} .status")).to_have_text(
        "The model of this link, ../../etc, is not available: showing cifar10-ti4. "
        "The image of this link, <b>, is not available: showing cat. The method of this link, magic, is not available. "
        "This model has no layer 99, head mean: layer 5, head 2 is shown."
    )
    page.locator(".thumb").nth(3).click()
    expect(page.locator(f"{EXPLORER} .status")).not_to_contain_text("of this link")


def test_a_click_enlarges_a_method(open_page, explanation):
    page = open_page("?image=cat")
    expect(page.locator(".method")).to_have_count(5)  # the others are shown on request
    page.click("[data-do=more-methods]")
    # reversed attention is a direction, and random the yardstick
    expect(page.locator(".method")).to_have_count(len(explanation.methods) - 2)
    page.locator(".method").nth(1).click()
    assert shows(number_at(page, 20), explanation.map("average").flat[20])
    expect(page.locator(".method-about")).to_contain_text(explanation.methods["average"].about)
    expect(page.locator(".method-about .formula")).to_have_text(explanation.methods["average"].formula)


def test_a_linked_method_is_named_until_its_map_arrives(context, address):
    page = context.new_page()
    held = []

    def hold(route):
        held.append(route)

    page.route("**/explanations/maps", hold)
    with page.expect_request("**/explanations/maps"):
        page.goto(f"{address}?image=cat&layer=4&head=1&method=relevance")
    headline, save = page.locator(".headline"), page.locator("[data-do=figure]")
    expect(headline).to_have_text("Relevance is being computed")
    expect(page.locator(f"{EXPLORER} .status")).to_have_text("Until then: Layer 5, head 2.")
    expect(save).to_be_disabled()  # what is on screen is not the figure that is asked for
    held[0].continue_()
    expect(headline).to_contain_text("Relevance for cat: row")
    expect(save).to_be_enabled()


def test_each_method_has_its_score_next_to_the_random_baseline(open_page, explanation):
    page = open_page("?image=cat&method=relevance")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    expect(page.locator(".headline")).to_contain_text("Relevance for cat")
    target = find_target(explanation.context, "cat")
    maps = {name: explanation.map(name, target).ravel() for name in explanation.methods}
    report = score(explanation.context, maps, target)
    start = explanation.probabilities[target]
    random = [found.probability_drop(start) for found in report.random_baseline]
    note = f"{N_RANDOM} random orders, {np.mean(random):.2f} ± {np.std(random):.2f} (SD)"
    expect(page.locator(".score-note")).to_contain_text(note)
    for button in page.locator(".method").all():
        title = button.locator(".method-name").inner_text()
        name = next(key for key, method in vitviz.METHODS.items() if method.title == title)
        value = button.locator(".method-score span").first.inner_text()
        words = button.locator(".comparison").inner_text()
        drop = report.scores[name].probability_drop(start)
        shown, mean, deviation = (round(100 * float(number)) for number in (drop, np.mean(random), np.std(random)))
        near = abs(shown - mean) <= 2 * deviation  # the numbers that are printed
        expected = "≈ random" if near else "< random" if shown < mean else "> random"
        assert float(value) == pytest.approx(drop, abs=0.006)
        assert words == expected


def test_a_class_chosen_by_keyboard_is_explained_and_compared_with_another(open_page, explanation):
    page = open_page("?image=cat&method=occlusion")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    second = explanation.labels[int(np.argsort(-explanation.probabilities)[1])]
    page.locator(".explain-class").nth(1).focus()
    page.keyboard.press("Enter")
    k = explanation.labels.index(second)
    page.wait_for_selector(f"{EXPLORER}[data-methods$=' {k}']")
    expect(page.locator(".headline")).to_contain_text(f"Occlusion for {second}:")
    shown = number_at(page, 20)
    assert float(shown.split()[0].replace("−", "-").replace("+", "")) == pytest.approx(
        explanation.map("occlusion", second).flat[20], abs=0.006
    )
    page.locator(".contrast select").select_option(label="cat")
    page.wait_for_selector(f"{EXPLORER}[data-methods$=' {k},3']")
    expect(page.locator(".headline")).to_contain_text(f"Occlusion for {second}, not cat:")
    view = View(content="method", method="occlusion", target=(k, 3))
    expect(page.locator(".map-title")).to_have_text(title_of(explanation, view))
    page.wait_for_url(f"**target={k},3*")
    other_image(page, page.locator(".shelf[data-shelf=sample] .thumb").first.click)
    page.wait_for_url(lambda url: "target=" not in url)  # for another image the predicted class is explained


def test_maps_of_another_class_are_not_shown_while_new_ones_are_computed(open_page):
    page = open_page("?image=cat&method=relevance")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    held = []
    page.route(
        API, lambda route: held.append(route) if route_of(route.request) == "explanations/maps" else route.fallback()
    )
    with page.expect_request(lambda request: route_of(request) == "explanations/maps"):
        page.locator(".explain-class").nth(1).click()
    for_class, for_all = (
        page.locator(".method-groups .method-group:last-child .method"),
        page.locator(".method-group .method"),
    )
    expect(for_class.and_(page.locator(".waiting"))).to_have_count(for_class.count())
    expect(for_all.and_(page.locator(".waiting"))).to_have_count(for_class.count())
    expect(page.locator(".status")).to_have_text("Working…")
    expect(page.locator(".headline")).to_contain_text("Relevance for cat")  # the old view stays until then
    expect(page.locator(".map-title")).to_have_text("Relevance for cat")
    held.pop().continue_()
    page.wait_for_selector(f"{EXPLORER}[data-methods]")
    expect(for_all.and_(page.locator(".waiting"))).to_have_count(0)
    expect(page.locator(".headline")).to_contain_text("Relevance for ")


def test_a_link_of_an_earlier_version_opens_the_default_view_and_says_so(open_page):
    page = open_page("?checkpoint=cifar10-ti4&image=ship&layer=2&head=1&patch=3-3")
    expect(page.locator(".map-title")).to_have_text("Layer 5, head 2")
    expect(page.locator(f"{EXPLORER} .status")).to_contain_text("of an earlier version of vitviz")
    tile(page, 2, 3).click()
    page.wait_for_url(lambda url: "checkpoint" not in url and "patch" not in url and "layer=2&head=3" in url)


def test_the_tour_is_walked_by_keyboard_and_dismissed_for_good(open_page):
    page = open_page()
    expect(page.locator(".intro")).to_contain_text("what a Vision Transformer attends to")
    page.locator("[data-do=tour]").press("Enter")
    expect(page.locator(".tour")).to_contain_text("1 of 4")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".tour")).to_contain_text("4 of 4")
    page.keyboard.press("Escape")
    expect(page.locator(".tour")).to_have_count(0)
    expect(page.locator("[data-do=tour]")).to_be_focused()
    page.reload()
    page.wait_for_selector(f"{EXPLORER}[data-full]")
    expect(page.locator(".intro")).to_have_text("Tour")


def test_help_explains_a_term(open_page):
    page = open_page()
    page.get_by_role("button", name="What is attention weight?").click()
    expect(page.locator(".help-text:popover-open")).to_contain_text("the softmax of the products")


def test_the_figure_is_downloaded_as_an_image(open_page):
    page = open_page("?image=cat")
    page.locator("[data-do=figure]").click()
    with page.expect_download() as found:
        page.locator("[data-do=save]").click()
    image = Image.open(found.value.path())
    assert found.value.suggested_filename.endswith(".png")
    assert image.width > 1000


def test_nothing_is_wider_than_the_page(open_page):
    page = open_page()
    for width in (1400, 1024, 700, 390):
        resize(page, width)
        check_width(page)


def test_dark_and_light_repaint_the_maps(open_page):
    page = open_page("?image=cat&__theme=light")
    corner = "n => [...n.getContext('2d').getImageData(0, 0, 1, 1).data]"
    light = page.eval_on_selector("[role=gridcell] canvas", corner)
    page.get_by_role("button", name="Switch to dark colors").click()
    page.wait_for_function(
        """([before, selector]) => {
          const pixel = document.querySelector(selector).getContext("2d").getImageData(0, 0, 1, 1).data;
          return String([...pixel]) !== String(before);
        }""",
        arg=[light, "[role=gridcell] canvas"],
    )


def test_the_chosen_theme_overrides_that_of_the_link_on_reload(open_page):
    page = open_page("?image=cat&__theme=dark")
    page.get_by_role("button", name="Switch to light colors").click()
    page.reload()
    expect(page.get_by_role("button", name="Switch to dark colors")).to_be_visible()
    assert "image=cat" in page.url
    page = open_page("?image=cat&__theme=dark")  # a new link sets the theme again
    expect(page.get_by_role("button", name="Switch to light colors")).to_be_visible()


def test_back_returns_to_the_previous_tab(open_page):
    page = open_page("?image=cat")
    chosen = page.locator("#pages [role=tab][aria-selected=true]")
    for name in ("Train", "Internals"):
        page.get_by_role("tab", name=name).click()
        expect(page).to_have_title(f"{name} · vitviz")
    for name, title in (("Train", "Train · vitviz"), ("Explore", "vitviz")):
        page.go_back()
        expect(chosen).to_have_text(name)
        expect(page).to_have_title(title)
    page.go_forward()
    expect(chosen).to_have_text("Train")


def test_on_a_phone_a_choice_below_the_map_links_to_it(open_page):
    page = open_page("?image=cat")
    jump = page.locator(".jump")
    tile(page, 2, 3).click()
    expect(jump).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    tile(page, 4, 1).scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('.stage.map').getBoundingClientRect().bottom < 0")
    tile(page, 4, 1).click()
    expect(jump).to_contain_text("Layer 5, head 2: the class token attends most to")
    jump.click()
    expect(page.locator(".stage.map")).to_be_in_viewport()
    expect(jump).to_be_hidden()


def test_page_and_server_reach_no_other_host(open_page, request_urls, connection_log):
    page = open_page()
    other_image(page, page.locator(".thumb").first.click)
    assert request_urls
    assert {urlsplit(url).hostname for url in request_urls if not url.startswith(("data:", "blob:"))} == {"127.0.0.1"}
    assert not connection_log.exists(), connection_log.read_text()


def test_the_guard_records_outgoing_connections(offline_env, tmp_path):
    log = tmp_path / "connections.log"
    code = "import urllib.request; urllib.request.urlopen('http://example.org')"
    environment = offline_env | {"VITVIZ_TEST_CONNECTIONS": str(log), "PATH": "/usr/bin"}
    subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert log.read_text() == "example.org\n"
