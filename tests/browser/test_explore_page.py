"""The Explore page in a browser: the page shows what the model computed."""

import io
import re
import subprocess
import sys
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import vitviz
from benchmarks.page import EXPLORER
from vitviz.attribution.faithfulness import N_RANDOM, score
from vitviz.attribution.view import View
from vitviz.data.preprocessing import sample_paths

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def explanation():
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


def point(page, stage, patch, grid=(8, 8)):
    """Put the pointer on a patch of the image or the map."""
    box = page.locator(f".stage.{stage}").bounding_box()
    row, column = divmod(patch, grid[1])
    page.mouse.move(
        box["x"] + box["width"] * (column + 0.5) / grid[1], box["y"] + box["height"] * (row + 0.5) / grid[0]
    )


def number_at(page, patch):
    """Return the value that the page shows for a patch of the large map."""
    point(page, "map", patch)
    tip = page.locator(".stage.map .tip b")
    expect(tip).to_be_visible()
    return tip.inner_text()


def shows(text, fraction):
    """Whether a percentage on the page is this fraction, rounded to the displayed digits."""
    number = text.replace("\xa0", " ").removesuffix(" %")
    if number.startswith("under"):
        return fraction < 0.0001
    digits = len(number.partition(".")[2])
    return abs(float(number) - 100 * fraction) <= 0.5 * 10**-digits + 1e-3


def other_image(page, act):
    """Do something that loads another image, and wait until it is painted with its full attention."""
    before = page.get_attribute(EXPLORER, "data-ready")
    act()
    page.wait_for_function(
        """([root, before]) => {
          const data = document.querySelector(root).dataset;
          return data.ready && data.ready !== before && data.full === data.ready && data.state === "ready";
        }""",
        arg=[EXPLORER, before],
    )


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


def tile(page, layer, head):
    """Return the tile of a layer and head from 0; the last of each is the mean."""
    return page.locator("[role=gridcell]").nth(7 * layer + head)


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
        view = View(layer=None if layer == 6 else layer, head=None if head == 6 else head)
        assert title == explanation.title(view)
        assert shows(number_at(page, 27), expected[27])


def test_a_patch_attends_to_and_is_attended_by_the_right_tokens(open_page, explanation):
    row, column, layer, head, other = 3, 4, 2, 1, 44
    query = 1 + row * 8 + column
    place = f"?image=cat&layer={layer + 1}&head={head + 1}&patch={row + 1}-{column + 1}"
    page = open_page(place)
    assert shows(number_at(page, other), explanation.attention[layer, head, query, 1 + other])
    page = open_page(f"{place}&direction=to")
    assert shows(number_at(page, other), explanation.attention[layer, head, 1 + other, query])


def test_tiles_have_one_pixel_per_patch(open_page):
    page = open_page("?image=cat")
    sizes = page.eval_on_selector_all("[role=gridcell] canvas", "nodes => nodes.map((n) => [n.width, n.height])")
    assert sizes == [[8, 8]] * 49


def test_the_darkest_pixel_has_the_largest_weight(open_page, explanation):
    page = open_page("?image=cat&scale=map&layer=1&head=1&__theme=light")
    pixels = page.eval_on_selector(
        "[role=gridcell] canvas", "n => [...n.getContext('2d').getImageData(0, 0, 8, 8).data]"
    )
    light = np.array(pixels).reshape(64, 4)[:, :3].sum(1)
    assert light.argmin() == explanation.cls_maps[0, 0].argmax()
    assert light.argmax() == explanation.cls_maps[0, 0].argmin()


def test_hovering_a_patch_makes_it_the_query_until_the_pointer_leaves(open_page):
    page = open_page("?image=cat&layer=3&head=2")
    point(page, "image", 27)
    expect(page.locator(".headline")).to_contain_text("row 4, column 4 attends most to")
    page.mouse.move(5, 5)
    expect(page.locator(".headline")).to_contain_text("the class token attends most to")


def test_arrow_keys_move_between_heads_and_escape_returns_to_the_class_token(open_page):
    page = open_page("?image=cat&layer=3&head=2")
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
    page = open_page("?checkpoint=../../etc&image=%3Cb%3E&layer=99&head=-4&patch=9-9_x&method=magic&scale=huge")
    expect(page.locator(".map-title")).to_have_text("Layer 6, head 1")
    expect(page.locator(f"{EXPLORER} .status")).to_have_text(
        "The model of this link, ../../etc, is not available: showing cifar10-ti4. "
        "The image of this link, <b>, is not available: showing cat."
    )
    page.locator(".thumb").nth(3).click()
    expect(page.locator(f"{EXPLORER} .status")).not_to_contain_text("of this link")


def test_a_click_enlarges_a_method(open_page, explanation):
    page = open_page("?image=cat")
    expect(page.locator(".method")).to_have_count(len(explanation.methods) - 1)  # reversed attention is a direction
    page.locator(".method").nth(1).click()
    assert shows(number_at(page, 20), explanation.map("average").flat[20])
    expect(page.locator(".map-what")).to_have_text(explanation.methods["average"].about)
    expect(page.locator(".method-about .formula")).to_have_text(explanation.methods["average"].formula)


def test_each_method_has_its_score_next_to_the_random_baseline(open_page, explanation):
    page = open_page("?image=cat&method=relevance")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    expect(page.locator(".headline")).to_contain_text("Relevance for cat")
    target = explanation.target("cat")
    maps = {name: explanation.map(name, target).ravel() for name in explanation.methods}
    report = score(explanation.context, maps, target)
    start = explanation.probabilities[target]
    random = [found.probability_drop(start) for found in report.random_baseline]
    note = f"{N_RANDOM} random orders, {np.mean(random):.2f} ± {np.std(random):.2f} (SD)"
    expect(page.locator(".score-note")).to_contain_text(note)
    for tile in page.locator(".method").all():
        title = tile.locator(".method-name").inner_text()
        name = next(key for key, method in vitviz.METHODS.items() if method.title == title)
        value = tile.locator(".method-score span").first.inner_text()
        words = tile.locator(".comparison").inner_text()
        drop = report.scores[name].probability_drop(start)
        distance = (drop - np.mean(random)) / np.std(random)
        expected = "≈ random" if abs(distance) <= 2 else "< random" if distance < 0 else "> random"
        assert float(value) == pytest.approx(drop, abs=0.006)
        assert words == ("one order" if name == "random" else expected)


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
    expect(page.locator(".map-title")).to_have_text(explanation.title(View("occlusion", target=(k, 3))))
    page.wait_for_url(f"**class={k}-3*")
    other_image(page, page.locator(".shelf[data-source=sample] .thumb").first.click)
    page.wait_for_url(lambda url: "class=" not in url)  # for another image the predicted class is explained


def test_maps_of_another_class_are_not_shown_while_new_ones_are_computed(open_page):
    page = open_page("?image=cat&method=relevance")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    held = []
    page.route(
        re.compile("component_server"),
        lambda route: held.append(route) if route.request.post_data_json["fn_name"] == "methods" else route.fallback(),
    )
    with page.expect_request(lambda request: "methods" in (request.post_data or "")):
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


def test_an_image_evicted_by_the_server_is_explained_again(open_page):
    page = open_page("?image=cat&layer=5&head=1")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    key = page.get_attribute(EXPLORER, "data-ready")
    page.route(
        re.compile("component_server"),
        lambda route: route.fallback(post_data=route.request.post_data.replace(key, "x")),
    )
    changed(page, page.locator("[data-do=ablate]").click)
    assert page.get_attribute(EXPLORER, "data-ready") not in (key, "x")
    expect(page.locator(".effect-what")).to_have_text("1 head ablated")
    page.locator(".explain-class").nth(1).click()
    page.wait_for_selector(f"{EXPLORER}[data-methods]")
    expect(page.locator(".status")).not_to_contain_text("did not answer")


def test_an_ablation_that_fails_is_undone(open_page):
    page = open_page("?image=cat&layer=5&head=1&ablated=5-2")
    page.wait_for_selector(f"{EXPLORER}[data-changed]")
    page.route(
        re.compile("component_server"),
        lambda route: route.abort() if route.request.post_data_json["fn_name"] == "ablate" else route.fallback(),
    )
    page.locator(".effect select[name=mode]").select_option("mean")
    expect(page.locator(".status")).to_contain_text("The server did not answer")
    expect(page.locator(".effect select[name=mode]")).to_have_value("zero")
    page.wait_for_url(lambda url: "mode=mean" not in url)
    other_image(page, page.locator(".thumb").first.click)
    expect(page.locator(".cell.ablated")).to_have_count(0)
    page.locator("[data-do=ablate]").click()
    expect(page.locator(".status")).to_contain_text("The server did not answer")
    expect(page.locator(".cell.ablated")).to_have_count(0)  # the earlier ablation was of another image


def changed(page, act):
    """Do something that ablates heads or removes patches, and wait until the page shows the result."""
    before = page.get_attribute(EXPLORER, "data-changed")
    act()
    page.wait_for_function(
        """([root, before]) => {
          const { changed } = document.querySelector(root).dataset;
          return changed && changed !== before;
        }""",
        arg=[EXPLORER, before],
    )


def test_heads_and_patches_are_ablated_by_mouse_and_keyboard(open_page, explanation):
    page = open_page("?image=cat&layer=5&head=1")
    changed(page, page.locator("[data-do=ablate]").click)
    expect(page.locator(".headline")).to_have_text("Layer 5, head 1 is ablated")
    page.locator(".cell").nth(9).click()  # layer 2, head 3, after a mean column
    changed(page, lambda: page.keyboard.press("x"))
    page.locator("[data-do=remove]").click()
    box = page.locator(".stage.image").bounding_box()
    side = box["width"] / 8
    changed(page, lambda: page.mouse.click(box["x"] + 4.5 * side, box["y"] + 3.5 * side))
    page.locator("[data-do=remove]").click()
    page.locator(".stage.map").focus()
    page.keyboard.press("ArrowRight")  # from the middle, row 4, column 4, to a patch that is not removed
    page.keyboard.press("ArrowDown")
    changed(page, lambda: page.keyboard.press("Delete"))
    page.wait_for_url("**ablated=5-1_2-3&removed=4-5_5-5*")

    expected = explanation.ablate([(4, 0), (1, 2)], [3 * 8 + 4, 4 * 8 + 4])
    k = int(explanation.probabilities.argmax())
    after, before = expected.probabilities[k], explanation.probabilities[k]
    shown = page.locator(".prediction .value").first.inner_text().replace("\xa0", " ").removesuffix(" %")
    assert float(shown) == pytest.approx(100 * after, abs=0.06)
    points = page.locator(".effect-points").inner_text().replace("−", "-").removesuffix(" percentage points")
    assert float(points) == pytest.approx(float(shown) - 100 * before, abs=0.06), "the displayed numbers add up"
    expect(page.locator(".effect-what")).to_have_text("2 heads ablated, 2 patches removed")
    expect(page.locator(".cell.ablated")).to_have_count(2)

    changed(page, page.locator("[data-do=restore]").click)
    expect(page.locator(".effect")).to_be_hidden()
    expect(page.locator(".cell.ablated")).to_have_count(0)
    page.locator(".cell").nth(9).click()
    assert shows(number_at(page, 20), explanation.cls_maps[1, 2].flat[20])


def test_maps_and_scores_are_those_of_the_ablated_model_and_the_changed_image(open_page, explanation):
    page = open_page("?image=cat&method=relevance&ablated=4-3&removed=4-4_4-5")
    page.wait_for_selector(f"{EXPLORER}[data-changed][data-scores]")
    ablated = explanation.ablate([(3, 2)], [27, 28])
    target = explanation.target("cat")
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
    expect(page.locator(f"{EXPLORER} .status")).to_contain_text("drag over them, to remove them")
    box = page.locator(".stage.image").bounding_box()
    side = box["width"] / 8
    page.mouse.move(box["x"] + 1.5 * side, box["y"] + 2.5 * side)
    page.mouse.down()
    for column in (2.5, 3.5):
        page.mouse.move(box["x"] + column * side, box["y"] + 2.5 * side)
    page.mouse.up()
    page.wait_for_url("**removed=3-2_3-3_3-4*")


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


def test_a_link_restores_ablations(open_page):
    page = open_page("?image=cat&ablated=5-1_9-9&removed=4-5_4-5_99-1")
    page.wait_for_selector(f"{EXPLORER}[data-changed]")
    expect(page.locator(".effect-what")).to_have_text("1 head ablated, 1 patch removed")
    expect(page.locator(".mark.removed:not([hidden])")).to_have_count(2)  # on the image and on the map
    changed(page, lambda: page.locator(".effect select[name=patch_mode]").select_option("gray"))
    expect(page.locator(".effect-what")).to_have_text("1 head ablated, 1 patch painted gray")
    changed(page, lambda: page.locator(".effect select[name=mode]").select_option("mean"))
    page.wait_for_url("**mode=mean&patch_mode=gray*")


def open_gallery(page):
    """Open the test images and return their shelf."""
    page.locator("input[name=source][value=cifar]").check()
    shelf = page.locator(".shelf[data-source=cifar]")
    expect(shelf.locator(".thumb")).to_have_count(40)
    return shelf


def test_a_test_image_is_chosen_by_class_and_shows_its_label(open_page):
    page = open_page()
    shelf = open_gallery(page)
    shelf.locator("[name=label]").select_option(label="ship")
    first = shelf.locator(".thumb[data-image*='\"index\":8}']")
    expect(first).to_be_visible()
    other_image(page, first.click)
    expect(page.locator(".truth")).to_contain_text("ship")
    page.wait_for_url("**image=cifar*8**")


def test_the_gallery_shows_misclassified_images_with_their_prediction(open_page):
    page = open_page()
    shelf = open_gallery(page)
    shelf.locator("[name=shown]").select_option(label="Confidently wrong")
    caption = re.compile(r"^\w+, image \d+, predicted \w+ with (\d+) %$".replace(" %", "\\s%"))
    expect(shelf.locator(".thumb img").first).to_have_attribute("alt", caption, timeout=300_000)  # 10,000 images
    expect(shelf.locator(".sorting")).to_be_hidden()
    names = [image.get_attribute("alt") for image in shelf.locator(".thumb img").all()]
    percentages = [int(caption.match(name)[1]) for name in names]
    assert percentages == sorted(percentages, reverse=True)
    assert all(name.split(",")[0] != re.search(r"predicted (\w+)", name)[1] for name in names)
    expect(shelf.locator(".predicted").first).to_contain_text(re.search(r"predicted (\w+)", names[0])[1])
    other_image(page, shelf.locator(".thumb").first.click)
    expect(page.locator(".predictions li").first).to_contain_text(re.search(r"predicted (\w+)", names[0])[1])
    expect(page.locator(".truth")).to_contain_text(names[0].split(",")[0])


def test_thumbnails_are_inert_while_images_are_being_classified(open_page):
    page = open_page()
    shelf = open_gallery(page)
    before = [image.get_attribute("alt") for image in shelf.locator(".thumb img").all()]
    held = []

    def hold(route):
        if route.request.post_data_json["fn_name"] == "gallery":
            held.append(route)
        else:
            route.fallback()

    page.route(re.compile("component_server"), hold)
    shelf.locator("[name=shown]").select_option(label="Misclassified")
    expect(shelf.locator(".sorting")).to_be_visible()
    expect(shelf.locator(".thumbs[inert]")).to_have_count(1)
    expect(shelf.locator("[data-page='1']")).to_be_disabled()
    shelf.locator("[name=shown]").select_option(label="All images")
    expect(shelf.locator(".thumbs[inert]")).to_have_count(0)
    expect(shelf.locator("[data-page='1']")).to_be_enabled()
    with page.expect_response(re.compile("component_server")):
        held.pop().continue_()
    assert [image.get_attribute("alt") for image in shelf.locator(".thumb img").all()] == before


def test_the_camera_can_be_closed_and_its_photo_is_explained(open_page):
    page = open_page()
    page.locator("input[name=source][value=upload]").check()
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator(".camera video")).to_be_visible()
    page.get_by_role("button", name="Close the camera").click()
    expect(page.locator(".camera")).to_be_hidden()
    expect(page.get_by_role("button", name="Use the camera")).to_be_focused()
    assert page.locator(".camera video").evaluate("video => video.srcObject === null")
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator(".camera video")).to_be_visible()
    other_image(page, page.get_by_role("button", name="Take photo").click)
    expect(page.locator(".image-note")).to_contain_text("photo.png")
    expect(page.locator(".camera")).to_be_hidden()
    assert page.locator(".camera video").evaluate("video => video.srcObject === null")


def upload(page, name, content):
    page.locator("input[name=source][value=upload]").check()
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "image/png", "buffer": content})


def png(size):
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(buffer, "PNG")
    return buffer.getvalue()


def test_a_page_and_an_image_of_the_gallery_are_reached_by_number(open_page):
    page = open_page("?image=cifar:123")
    shelf = page.locator(".shelf[data-source=cifar]")
    expect(shelf.locator(".thumb[aria-pressed=true]")).to_have_attribute("title", "cat, image 123")  # 123 % 10
    expect(shelf.get_by_label("Page", exact=True)).to_have_value("4")
    shelf.get_by_label("Page", exact=True).fill("250")
    shelf.get_by_label("Page", exact=True).press("Enter")
    expect(shelf.locator(".thumb").last).to_have_attribute("title", "truck, image 9999")
    shelf.get_by_role("button", name="Larger").click()
    other_image(
        page, lambda: (index := shelf.get_by_label("Index of a test image")).fill("5005") or index.press("Enter")
    )
    expect(shelf.locator(".thumb[aria-pressed=true]")).to_have_attribute("title", "dog, image 5005")
    expect(page.locator(".image-note")).to_contain_text("CIFAR-10 test image 5005")
    page.keyboard.press("Escape")
    expect(shelf.get_by_role("button", name="Larger")).to_be_visible()


def test_a_photograph_of_no_class_says_so(open_page):
    page = open_page("?image=chelsea")
    expect(page.locator(".truth")).to_have_text("true label: cat")
    expect(page.locator(".image-note")).to_contain_text("Photograph: Stefan van der Walt, CC0")
    other_image(page, page.get_by_role("button", name="Launch of a Falcon 9 rocket").click)
    expect(page.locator(".truth")).to_have_text("rocket: no such class")
    page.wait_for_url("**image=rocket*")


def test_back_returns_to_the_previous_image_and_its_view(open_page):
    page = open_page("?image=cat&layer=3&head=2")
    page.evaluate("() => { performance.now = () => 1e6 * ++window.calls || (window.calls = 1) * 1e6; }")  # time passes
    for name in ("dog", "Launch of a Falcon 9 rocket"):
        other_image(page, page.get_by_role("button", name=name, exact=True).click)
    page.wait_for_url("**image=rocket*")
    other_image(page, page.go_back)
    expect(page.locator(".truth")).to_have_text("true label: dog")
    page.get_by_role("tab", name="Internals").click()
    page.go_back()
    expect(page.locator(".truth")).to_have_text("true label: dog")
    other_image(page, page.go_back)
    expect(page.locator(".truth")).to_have_text("true label: cat")
    expect(page.locator(".map-title")).to_have_text("Layer 3, head 2")
    other_image(page, page.go_forward)
    expect(page.locator(".truth")).to_have_text("true label: dog")


def test_the_crop_of_an_upload_is_moved_and_survives_a_reload(open_page):
    page = open_page()
    other_image(page, lambda: upload(page, "wide.png", png((120, 60))))
    slider = page.get_by_label("Crop, from left to right")
    expect(page.locator(".crop-box")).to_be_visible()
    slider.focus()
    other_image(page, lambda: page.keyboard.press("Home"))
    note = "wide.png · cropped to a square on the left, resized from 120 × 60 to 32 × 32"
    expect(page.locator(".image-note")).to_have_text(note)
    box = page.locator(".original").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 5)
    other_image(page, page.mouse.up)
    expect(page.locator(".image-note")).to_contain_text("on the right")
    page.reload()
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    expect(page.locator(".image-note")).to_contain_text("wide.png · cropped to a square on the right")


def test_an_uploaded_image_is_explained_and_its_preprocessing_described(open_page):
    page = open_page()
    other_image(page, lambda: upload(page, "wide.png", png((120, 60))))
    expect(page.locator(".image-note")).to_contain_text("cropped to a square, resized from 120 × 60 to 32 × 32")


def test_a_text_file_named_png_is_rejected_and_the_view_stays(open_page):
    page = open_page("?image=cat")
    before = page.locator(".headline").inner_text()
    upload(page, "letter.png", b"Dear reader, this is not an image.")
    expect(page.locator(".status")).to_contain_text("must be a complete PNG, JPEG, WebP, GIF, BMP or TIFF image")
    expect(page.locator(EXPLORER)).to_have_attribute("data-state", "error")
    expect(page.locator(".headline")).to_have_text(before)


def test_a_file_name_never_runs_as_script(open_page):
    page = open_page()
    name = "<img src=x onerror=window.ran=1>${window.ran=1}{{1}}.png"
    other_image(page, lambda: upload(page, name, png((40, 40))))
    expect(page.locator(".image-note")).to_contain_text("onerror")
    assert page.evaluate("window.ran === undefined")


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
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function("width => document.documentElement.clientWidth === width", arg=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


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
