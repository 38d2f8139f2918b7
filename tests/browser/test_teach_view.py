"""Teach your own classes in a browser: by files, samples, camera and keys, and what is kept of them."""

import random

import pytest
from PIL import Image
from playwright.sync_api import expect

from benchmarks.page import EXPLORER
from tests.browser.layout import check_width, resize
from vitviz.data.samples import photo_paths
from vitviz.models import checkpoint

pytestmark = pytest.mark.browser

TEACH = ".vitviz-teach"


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """Folders of three objects with five crops of their photographs each."""
    root, draw = tmp_path_factory.mktemp("objects"), random.Random(0)
    for name in ("chelsea", "coffee", "rocket"):
        photo = Image.open(photo_paths()[name]).convert("RGB")
        (root / name).mkdir()
        for k in range(5):
            side = draw.uniform(0.6, 0.9) * min(photo.size)
            left, top = draw.uniform(0, photo.width - side), draw.uniform(0, photo.height - side)
            crop = photo.crop((int(left), int(top), int(left + side), int(top + side)))
            crop.resize((200, 200)).save(root / name / f"{name}-{k}.jpg")
    return root


def open_teach(context, address, query=""):
    page = context.new_page()
    page.goto(f"{address}?tab=train&task=teach{query}")
    page.wait_for_selector(TEACH)
    return page


def settled(page):
    """Wait until the classes are fitted and validated, and the image in front is explained by the fit."""
    page.wait_for_selector(f"{TEACH}[data-state=ready][data-validated][data-evidence]")


def files(folder):
    return sorted(map(str, folder.iterdir()))


def choose(page, group, value):
    page.locator(f"input[name={group}][value={value}]").check()


def row(page, k):
    return page.locator(".own-class").nth(k)


def images(page, k):
    return row(page, k).locator(".example")


def try_samples(context, address):
    page = open_teach(context, address)
    page.get_by_role("button", name="Try with the samples").click()
    settled(page)
    return page


def test_three_classes_are_taught_from_files_and_opened_in_explore(context, address, objects):
    page = context.new_page()
    page.goto(f"{address}?tab=train")
    page.get_by_role("radio", name="Teach your own classes").check()
    page.wait_for_selector(TEACH)
    assert "task=teach" in page.url
    choose(page, "teach-source", "upload")
    names = sorted(folder.name for folder in objects.iterdir())
    for k, name in enumerate(names):
        if k == 2:
            page.get_by_role("button", name="Add class").click()
        page.get_by_label(f"Name of class {k + 1}").fill(name)
        page.get_by_label(f"Name of class {k + 1}").press("Enter")
        page.get_by_label("Choose images or a zip").set_input_files(files(objects / name))
        expect(images(page, k)).to_have_count(5)
    settled(page)
    expect(page.locator("h1:visible")).to_have_text("3 classes, 15 images: 15 of 15 right when held out")
    expect(page.locator(".bars .best .class-name")).to_have_text(names[-1])
    values = page.locator(".parts .part b").all_inner_texts()
    numbers = [float(text.replace("−", "-")) for text in values]
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.03)
    shown = page.locator(".bars .best .value").inner_text()
    page.get_by_role("button", name="Open in Explore").click()
    page.wait_for_selector(f"{EXPLORER}[data-scores][data-state=ready]")
    expect(page.locator(".prediction .class-name").first).to_have_text(names[-1])
    expect(page.locator(".prediction .value").first).to_have_text(shown)
    expect(page.locator("#explore .model select")).to_have_value("taught: My classes")
    page.go_back()
    expect(page.locator(TEACH)).to_be_visible()
    expect(images(page, 2)).to_have_count(5)


def test_a_folder_of_classes_is_taught_at_once(context, address, objects):
    page = open_teach(context, address)
    page.set_input_files("input[webkitdirectory]", str(objects))
    settled(page)
    expect(page.locator("h1:visible")).to_have_text("3 classes, 15 images: 15 of 15 right when held out")
    page.locator("[data-do=undo]").click()
    expect(page.locator(".welcome")).to_be_hidden()  # the image in front stays
    expect(page.get_by_label("Name of class 1")).to_have_value("Class 1")


def test_images_are_moved_and_removed_by_keys(context, address):
    page = try_samples(context, address)
    images(page, 0).first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("3")
    expect(images(page, 2)).to_have_count(5)
    settled(page)
    images(page, 2).first.focus()
    page.keyboard.press("Delete")
    expect(images(page, 2)).to_have_count(4)
    expect(images(page, 2).first).to_be_focused()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(images(page, 0)).to_have_count(2)
    choose(page, "teach-source", "sample")
    page.locator("select[name=target]").select_option("-1")
    page.get_by_role("button", name="frog").click()
    expect(page.locator(".front-image .small")).to_have_text("In no class: only predicted")
    page.locator("select[name=move]").select_option(index=3)
    page.locator("[data-do=move]").click()
    expect(images(page, 3)).to_have_count(3)


def test_the_camera_is_predicted_and_recorded(context, address):
    page = open_teach(context, address)
    page.get_by_role("button", name="Open the camera").click()
    page.get_by_role("button", name="Take 10").click()
    expect(images(page, 0)).to_have_count(10)
    page.get_by_role("button", name="2: add new images to Class 2").click()
    page.get_by_role("button", name="Hold to record").focus()
    page.keyboard.down("Space")
    expect(images(page, 1).nth(2)).to_be_attached()
    page.keyboard.up("Space")
    expect(page.locator(".bars li")).to_have_count(2)
    expect(page.locator(".optimistic")).to_be_visible()  # one recording of each class
    page.get_by_role("button", name="Close", exact=True).click()
    settled(page)
    assert page.locator(".camera-box video").evaluate("video => video.srcObject") is None


BAD_FILES = {
    "no image": ("notes.txt", b"text", "The file must be an image: notes.txt"),
    "no picture inside": ("x.png", b"text", "PNG, JPEG"),
    "no zip": ("x.zip", b"text", "x.zip is not a zip"),
}


def test_what_cannot_be_taught_is_said_and_what_was_taught_stays(context, address, subtests):
    page = try_samples(context, address)
    headline = page.locator("h1:visible").inner_text()
    choose(page, "teach-source", "upload")
    for name, (file, content, words) in BAD_FILES.items():
        with subtests.test(name):
            page.get_by_label("Choose images or a zip").set_input_files(
                {"name": file, "mimeType": "image/png" if file.endswith("png") else "text/plain", "buffer": content}
            )
            expect(page.locator(f"{TEACH} .status.error")).to_contain_text(words)
            expect(page.locator("h1:visible")).to_have_text(headline)
    page.get_by_label("Name of class 1").fill("person")
    page.get_by_label("Name of class 1").press("Enter")
    expect(page.locator(f"{TEACH} .status.error")).to_contain_text("Two classes cannot have one name")
    expect(page.get_by_label("Name of class 1")).to_have_value("cat")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("NotAllowedError", "access was denied"),
        ("NotReadableError", "in use"),
        ("NotFoundError", "No camera was found"),
    ],
)
def test_a_camera_that_does_not_open_is_said_with_its_reason(context, address, error, words):
    context.add_init_script(
        f"navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', '{error}'))"
    )
    page = open_teach(context, address)
    page.get_by_role("button", name="Open the camera").click()
    expect(page.locator(f"{TEACH} .status.error")).to_contain_text(words)


def test_saved_images_are_taught_again(context, train_server):
    address = train_server[0]
    page = try_samples(context, address)
    expect(page.locator(".keep-row .warn")).to_contain_text("Not saved")
    page.locator("[data-do=save-images]").click()
    expect(page.locator(f"{TEACH} .status")).to_contain_text("My-classes")
    path = page.locator(f"{TEACH} .status").inner_text().partition("Saved as ")[2].partition(". Drop")[0]
    expect(page.locator(".keep-row")).to_contain_text("The images are saved.")
    with page.expect_download() as download:
        page.locator("[data-do=save-model]").click()
    assert download.value.suggested_filename == "my-classes.safetensors"
    assert checkpoint.load(download.value.path()).labels == ("cat", "person", "vehicle", "hoofed")
    page = open_teach(context, address)
    choose(page, "teach-source", "upload")
    page.get_by_label("Choose images or a zip").set_input_files(path)
    settled(page)
    expect(page.locator("h1:visible")).to_contain_text("4 classes, 10 images")


def test_nothing_moves_when_images_arrive(context, address):
    page = open_teach(context, address)
    places = [".own-classes .keys", ".sources .choice", ".keep-row"]
    tops = lambda: [page.locator(f"{TEACH} {place}").first.bounding_box()["y"] for place in places]  # noqa: E731
    page.get_by_role("button", name="Try with the samples").click()
    settled(page)
    before = tops()
    page.locator("[data-do=add-class]").click()
    images(page, 2).first.click()
    settled(page)
    assert tops() == before
    for width in (1400, 1024, 390):
        resize(page, width)
        check_width(page)
