"""Models of others in the page: the picker, and models without head or class token, or with a thousand classes."""

import base64
import io
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
import torch
from PIL import Image
from playwright.sync_api import expect

from benchmarks import page as bench
from benchmarks.page import EXPLORER
from tests.browser.explore import choose_option
from tests.browser.layout import check_width
from tests.models import families
from tests.models.two_towers import save_two_towers

pytestmark = pytest.mark.browser

DIALOG = "#explore dialog.models"
NOT_PAINTED = (300, 150)  # px of a canvas whose size was never set
MODELS = {  # in the cache, by repository
    "timm--vit_dino": families.of_timm("vit_small_patch14_reg4_dinov2", num_classes=0),
    "timm--vit_siglip": families.of_timm("vit_base_patch16_siglip_224", num_classes=0),
    "me--thousand": families.of_timm("vit_tiny_patch16_224", num_classes=1000),
}
REVISION = "0123456789" * 4


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache of the Hub with three small random models."""
    folder = tmp_path_factory.mktemp("hub")
    for name, build in MODELS.items():
        snapshot = folder / f"models--{name}" / "snapshots" / REVISION
        torch.manual_seed(0)
        families.save("timm", build(families.SQUARE), snapshot)
        (snapshot / "README.md").write_text("---\nlicense: mit\n---\n")
        (snapshot.parents[1] / "refs").mkdir()
        (snapshot.parents[1] / "refs" / "main").write_text(REVISION)
    return folder


@pytest.fixture(scope="module")
def server(offline_env, cache, tmp_path_factory):
    """The address of a server without network that has this cache."""
    work = tmp_path_factory.mktemp("work")
    extra = {"HF_HUB_CACHE": str(cache), "HF_HUB_OFFLINE": "1", "GRADIO_TEMP_DIR": str(work / "uploads")}
    with bench.server(offline_env | extra | {"VITVIZ_DATA": str(work)}, work) as (address, _):
        yield address


@pytest.fixture
def page(context, server):
    """The page; the test fails if a script fails in it."""
    errors = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server)
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    yield page
    assert errors == []


def choose(page, text, name):
    """Open a model by typing in the picker."""
    page.locator("#explore [data-do=models]").click()
    field = page.locator(f"{DIALOG} input")
    expect(field).to_be_focused()
    field.fill(text)
    expect(page.locator(f"{DIALOG} [role=option][aria-selected=true]")).to_contain_text(name)
    field.press("Enter")
    expect(page.locator(DIALOG)).to_be_hidden()
    expect(page.locator("#explore .model select")).to_have_value(name)
    page.wait_for_selector(f"{EXPLORER}[data-full][data-scores][data-state=ready]")


def test_the_picker_is_searched_and_read_by_keyboard(page):
    page.locator("#explore [data-do=models]").focus()
    page.keyboard.press("Enter")
    field = page.locator(f"{DIALOG} input")
    expect(field).to_be_focused()
    expect(page.locator(f"{DIALOG} dd").first).to_have_text("ViT")
    page.keyboard.type("timm:vit")
    groups = page.locator(f"{DIALOG} [role=option][data-group]")
    expect(groups).to_have_count(3)  # in the cache, suggested, and the text as a name
    page.keyboard.press("ArrowDown")
    marked = page.locator(f"{DIALOG} [aria-selected=true]")
    expect(marked).to_contain_text("timm:vit_siglip")
    assert field.get_attribute("aria-activedescendant") == marked.get_attribute("id")
    field.fill("hf:me/nothing")
    page.keyboard.press("Enter")
    expect(page.locator(f"{DIALOG} [role=status]")).to_contain_text("must be in the cache without a network")
    page.keyboard.press("Escape")
    expect(page.locator("#explore [data-do=models]")).to_be_focused()


def test_the_model_on_screen_is_opened_at_another_input_size(page):
    page.locator("#explore [data-do=models]").click()
    sizes = page.locator(f"{DIALOG} .models-size select")
    expect(sizes.locator("option")).to_contain_text(
        ["as on screen", "16 × 16 px", "48 × 48 px", "64 × 64 px: 257 tokens"]
    )
    sizes.select_option(index=3)
    expect(page.locator(DIALOG)).to_be_hidden()
    expect(page.locator("#explore .model select")).to_have_value("cifar10-ti4@64px")
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    assert "model=cifar10-ti4@64px" in unquote(page.url)
    page.reload()
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    expect(page.locator("#explore .model select")).to_have_value("cifar10-ti4@64px")


def test_a_model_without_head_says_what_it_lacks_on_every_page(page):
    choose(page, "dino", "timm:vit_dino")
    expect(page.locator(".view-tabs [data-view=features]")).to_have_attribute("aria-pressed", "true")
    page.locator(".view-tabs [data-view=attention]").click()
    expect(page.locator(".headless li")).to_have_count(5)
    expect(page.locator(".prediction:visible")).to_have_count(0)
    expect(page.locator(".prediction-column .accuracy")).to_contain_text(
        "no classification head, so it predicts no class"
    )
    expect(page.locator(".methods .hint")).to_have_text(
        "Methods that explain a class need a model with a classification head."
    )
    page.locator(".view-tabs [data-view=attention]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".view-tabs [data-view=features]")).to_be_focused()  # the others need a head
    page.locator(".method", has_text="Rollout").click()
    expect(page.locator(f"{EXPLORER} .headline")).to_contain_text("Rollout: row ")
    expect(page.locator(f"{EXPLORER} .status")).to_contain_text("no classification head")
    page.locator("[data-do=figure]").click()
    page.wait_for_selector("dialog.save[data-preview] img")
    expect(page.locator("dialog.save figcaption")).to_contain_text("Weights: timm/vit_dino at 01234567, license mit.")
    choose_option(page, "save-format", "svg")
    page.wait_for_selector("dialog.save[data-preview]")
    with page.expect_download() as saved:
        page.locator("dialog.save [data-do=save]").click()
    tiles = re.findall(r"data:image/png;base64,([^\"]+)", Path(saved.value.path()).read_text())
    sizes = [Image.open(io.BytesIO(base64.b64decode(png))).size for png in tiles]
    assert len(sizes) > 6
    assert NOT_PAINTED not in sizes
    page.get_by_role("tab", name="Internals").click()
    page.wait_for_selector(".vitviz-internals[data-state=ready]")
    expect(page.locator(".vitviz-internals .foot")).to_contain_text("no classification head: Logit lens.")
    page.locator("#internals [data-do=models]").click()
    expect(page.locator("#internals dialog.models dl")).to_contain_text(REVISION)


def test_a_model_without_class_token_is_explained_and_probed(page):
    choose(page, "siglip", "timm:vit_siglip")
    expect(page.locator(".default-query").first).to_have_text("Mean of patches")
    page.get_by_role("tab", name="Internals").click()
    page.wait_for_selector(".vitviz-internals[data-state=ready]")
    expect(page.locator(".vitviz-internals .foot")).to_contain_text("no class token and no classification head: ")


def test_a_class_among_a_thousand_is_found_by_its_name(page):
    choose(page, "hf:me/thousand", "hf:me/thousand")
    target = page.locator("input[name=target]")
    target.fill("Golden Retr")
    target.press("Enter")
    expect(page.locator(".explain-class[aria-pressed=true] .class-name")).to_have_text("golden retriever")
    expect(target).to_have_value("golden retriever")
    contrast = page.locator("input[name=contrast]")
    contrast.fill("no such class")
    contrast.press("Enter")
    expect(page.locator(f"{EXPLORER} .status")).to_have_text("No class is named no such class.")
    expect(contrast).to_have_value("")
    expect(page.locator(".prediction:visible")).to_have_count(5)


def test_the_picker_fits_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#explore [data-do=models]").click()
    expect(page.locator(f"{DIALOG} dd").first).to_be_visible()
    check_width(page)
    assert page.locator(DIALOG).evaluate("node => node.scrollWidth <= node.clientWidth")


def test_words_become_the_classes_and_are_compared_with_the_patches(page, tmp_path):
    save_two_towers("CLIP", tmp_path / "clip")
    choose(page, str(tmp_path / "clip"), "clip")
    field = page.get_by_label("Words", exact=True)
    field.fill("a cat, a dog\na photo")
    field.press("Enter")
    expect(page.locator("#explore .model select")).to_have_value("words: a cat, a dog, a photo")
    page.wait_for_selector(f"{EXPLORER}.shows-method[data-methods][data-state=ready]")
    expect(page.locator("#explore .bar-text .unit")).to_contain_text("cosine similarity of text and patch")
    ticks = page.locator("#explore .bar .tick").all_inner_texts()
    assert (ticks[0], ticks[-1]) == ("−1.00", "+1.00")
    expect(field).to_have_value("a cat\na dog\na photo")
    expect(page.locator("#explore .prediction:not([hidden]) .class-name")).to_have_count(3)
    assert "words" in unquote(page.url)
    field.fill("a cat")
    field.press("Enter")
    expect(page.locator("#explore")).to_contain_text("must be at least 2 texts")
