"""Images of the Explore page in a browser: samples, CIFAR-10, uploads, the camera, and the history of the tab."""

import io
import re

import pytest
from PIL import Image
from playwright.sync_api import expect

from benchmarks.page import EXPLORER
from tests.browser.explore import API, other_image, route_of

pytestmark = pytest.mark.browser


def open_gallery(page):
    """Open the test images and return their shelf."""
    page.locator("input[name=shelf][value=test]").check()
    shelf = page.locator(".shelf[data-shelf=test]")
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
    page.wait_for_url("**image=test:8**")


def test_the_gallery_shows_misclassified_images_with_their_prediction(context, with_runs):
    page = context.new_page()
    page.goto(f"{with_runs}?model=runs/finished")  # a small one: it classifies 10,000 images
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    shelf = open_gallery(page)
    shelf.locator("[name=shown]").select_option(label="Confidently wrong")
    caption = re.compile(r"^\w+, image \d+, predicted \w+ with (\d+) %$".replace(" %", "\\s%"))
    expect(shelf.locator(".thumb img").first).to_have_attribute("alt", caption)
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
        if route_of(route.request) == "data/gallery":
            held.append(route)
        else:
            route.fallback()

    page.route(API, hold)
    shelf.locator("[name=shown]").select_option(label="Misclassified")
    expect(shelf.locator(".sorting")).to_be_visible()
    expect(shelf.locator(".thumbs[inert]")).to_have_count(1)
    expect(shelf.locator("[data-page='1']")).to_be_disabled()
    shelf.locator("[name=shown]").select_option(label="All images")
    expect(shelf.locator(".thumbs[inert]")).to_have_count(0)
    expect(shelf.locator("[data-page='1']")).to_be_enabled()
    held.pop().abort()  # the page has called it off
    assert [image.get_attribute("alt") for image in shelf.locator(".thumb img").all()] == before


def test_the_camera_can_be_closed_and_its_photo_is_explained(open_page):
    page = open_page()
    page.locator("input[name=shelf][value=upload]").check()
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
    page.locator("input[name=shelf][value=upload]").check()
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "image/png", "buffer": content})


def png(size):
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(buffer, "PNG")
    return buffer.getvalue()


def test_a_page_and_an_image_of_the_gallery_are_reached_by_number(open_page):
    page = open_page("?image=test:123")
    shelf = page.locator(".shelf[data-shelf=test]")
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
    page = open_page("?image=cat&layer=2&head=1")
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
    # next to the field, not where the finding is
    expect(page.locator(".shelf .error")).to_contain_text("must be a complete PNG, JPEG, WebP, GIF, BMP or TIFF image")
    expect(page.locator(".summary .error")).to_have_count(0)
    expect(page.locator(".headline")).to_have_text(before)


def test_a_file_name_never_runs_as_script(open_page):
    page = open_page()
    name = "<img src=x onerror=window.ran=1>${window.ran=1}{{1}}.png"
    other_image(page, lambda: upload(page, name, png((40, 40))))
    expect(page.locator(".image-note")).to_contain_text("onerror")
    assert page.evaluate("window.ran === undefined")
