"""The Compare page: every kind of comparison with the library's numbers, reading, keys, links, files and bad input."""

import io
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from playwright.sync_api import expect

import vitviz
from benchmarks import page as bench
from benchmarks.page import EXPLORER, new_context
from tests.browser.explore import choose_option
from tests.browser.layout import check_width
from tests.browser.test_figures import images as images_of
from tests.webapp import runs
from vitviz.attribution import provenance
from vitviz.data import cifar
from vitviz.data.preprocessing import sample_paths
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import create_model
from vitviz.plots.colormaps import COLOR_MAPS
from vitviz.plots.formatting import percent, signed, written
from vitviz.training import timeline

pytestmark = pytest.mark.browser
COMPARE = ".vitviz-compare"
LABELS = ("cat", "dog", "moon")
KINDS = ("image", "model", "snapshot", "method", "class", "head", "ablation")
CANVAS_COLORS = """canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return [...data].filter((_, i) => i % 4 < 3);
}"""


@pytest.fixture(scope="module")
def images():
    """The cat and the dog, explained by the shipped model in Python."""
    model = vitviz.load("cifar10-ti4")
    return [vitviz.explain(model, name) for name in ("cat", "dog")]


@pytest.fixture(scope="module")
def server(offline_env, test_data_root, tmp_path_factory):
    """A server with two runs: one of 4 x 4 patches and two layers, and one of other labels."""
    work = tmp_path_factory.mktemp("work")
    runs.make(work / "runs", "coarse", finished=True)
    folder = runs.make(work / "runs", "moon", finished=True)
    torch.manual_seed(1)
    model = create_model(replace(runs.MODEL, patch_size=4, depth=6, num_heads=6, num_classes=3)).eval()
    checkpoint.save(
        Checkpoint("last", model, LABELS, cifar.MEAN, cifar.STD, {"epochs": 2.0}), folder / "last.safetensors"
    )
    extra = offline_env | {"VITVIZ_DATA": str(test_data_root), "GRADIO_TEMP_DIR": str(work / "uploads")}
    with bench.server(extra, work) as (address, _):
        yield address


@pytest.fixture
def open_comparison(context, server):
    """Return a function that opens the page with a query string; the test fails if a script fails in it."""
    errors = []

    def open_it(query: str = ""):
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{server}?tab=compare{query}")
        page.wait_for_selector(f"{COMPARE}[data-ready='1'][data-state=ready]")
        return page

    yield open_it
    assert errors == []


def stage(page, name: str):
    return page.locator(f"[data-stage={name}]")


def change(page, act) -> None:
    """Act, and wait until the next comparison is shown."""
    number = int(page.locator(COMPARE).get_attribute("data-ready"))
    act()
    page.wait_for_selector(f"{COMPARE}[data-ready='{number + 1}'][data-state=ready]")


def open_picker(page, label: str):
    """Open the choice of an image, and return it."""
    picker = page.locator(f"{COMPARE} details", has=page.get_by_text(label, exact=True))
    picker.locator("summary").click()
    return picker


def choose(page, kind: str) -> None:
    change(page, lambda: choose_option(page, "compare", kind))
    page.wait_for_selector(f"{COMPARE}[data-kind={kind}]")


def select(page, label: str, option: str) -> None:
    change(page, lambda: page.get_by_role("combobox", name=label, exact=True).select_option(label=option))


def point(page, name: str, row: int, column: int, rows: int = 8, columns: int = 8) -> None:
    """Point at a patch of a stage, counted from 1."""
    stage(page, name).scroll_into_view_if_needed()
    box = stage(page, name).bounding_box()
    page.mouse.move(box["x"] + box["width"] * (column - 0.5) / columns, box["y"] + box["height"] * (row - 0.5) / rows)


def colors_of(scale, values):
    """Return the colors (..., 3) of values (...) on the page's light tables, of 256 colors each."""
    low = -scale.limit if scale.kind == "signed" else scale.low
    table = COLOR_MAPS["seq" if scale.kind == "linear" else "div", "light"]
    place = ((values - low) / (scale.limit - low)).clip(0, 1)
    return table[np.floor(255 * place + 0.5).astype(int)]


def expect_comparison(page, found) -> None:
    """Check headline, correlation, colors of the maps and the difference, and predictions."""
    expect(page.locator(f"{COMPARE} h1")).to_have_text(found.headline)
    expect(page.locator(".pair-correlation b")).to_have_text(written(found.rank_correlation, 2))
    for name, scale, values in (
        ("map-a", found.scale, found.maps[0]),
        ("map-b", found.scale, found.maps[1]),
        ("difference", found.difference_scale, found.points),
    ):
        colors = colors_of(scale, np.nan_to_num(values)).reshape(-1, 3).astype(int)
        painted = np.array(stage(page, name).locator("canvas").evaluate(CANVAS_COLORS)).reshape(-1, 3)
        np.testing.assert_allclose(painted, colors, atol=12)  # a step of the color table
    first = page.locator(".pair-predictions tbody tr").first.locator("td")
    best = found.classes[0]
    expect(first).to_have_text([percent(best.a, 1), percent(best.b, 1), signed(best.points, 1)])


def test_two_images_by_one_head(open_comparison, images):
    page = open_comparison("&layer=4&head=2")
    expect_comparison(page, vitviz.compare(*named(images), layer=4, head=2))
    expect(page).to_have_url(re.compile("image=cat.*b.image=dog"))
    picker = open_picker(page, "Image of B")
    change(page, lambda: picker.get_by_role("button", name="ship").click())
    ship = vitviz.explain(vitviz.load("cifar10-ti4"), "ship")
    expect_comparison(page, vitviz.compare(*named([images[0], ship]), layer=4, head=2))
    expect(page).to_have_url(re.compile("b.image=ship"))


def named(explanations):
    """Explanations named as on the page."""
    return [replace(one, name=f"Drawing ({one.origin.name})") for one in explanations]


def test_two_methods_two_classes_and_two_heads(open_comparison, images):
    page, cat = open_comparison("&layer=4&head=2"), images[0]
    choose(page, "method")
    expect_comparison(page, vitviz.compare(cat, cat, method="average", b_options={"method": "relevance"}))
    expect(page.locator(".pair-warning")).to_contain_text("measure different quantities")
    select(page, "Method of B", "Rollout")
    expect_comparison(page, vitviz.compare(cat, cat, method="average", b_options={"method": "rollout"}))
    choose(page, "class")
    select(page, "Class of B", "dog")
    found = vitviz.compare(cat, cat, method="balanced_gradients", target="cat", b_options={"target": "dog"})
    expect_comparison(page, found)
    choose(page, "head")
    select(page, "Layer of B", "6")
    select(page, "Head of B", "1")
    expect_comparison(page, vitviz.compare(cat, cat, layer=4, head=2, b_options={"layer": 5, "head": 0}))
    expect(page).to_have_url(re.compile("compare=head.*b.layer=5&b.head=0"))


def test_before_and_after_an_ablation(open_comparison, images):
    page, cat = open_comparison("&compare=ablation&layer=4&head=mean&b.ablations=heads:4.2"), images[0]
    expect_comparison(page, vitviz.compare(cat, cat.ablate(heads=[(4, 2)]), layer=4))
    page.locator(f"{COMPARE} [data-do=remove]").click()
    point(page, "image-b", 2, 3)
    change(page, lambda: page.mouse.click(*center(page, "image-b", 2, 3)))
    ablated = cat.ablate(heads=[(4, 2)], patches=[10])
    expect_comparison(page, vitviz.compare(cat, ablated, layer=4))
    expect(stage(page, "map-b").locator(".crossed")).to_have_count(1)
    expect(stage(page, "difference").locator(".crossed")).to_have_count(1)
    select(page, "Removed patches", "painted gray")
    gray = cat.ablate(heads=[(4, 2)], patches=[10], patch_mode="gray")
    expect_comparison(page, vitviz.compare(cat, gray, layer=4))
    change(page, lambda: page.get_by_role("button", name="Restore layer 5, head 3").click())
    expect(page).to_have_url(re.compile("b.ablations=patches:10"))
    page.get_by_role("combobox", name="Head to ablate").select_option(label="head 2")
    change(page, lambda: page.locator(f"{COMPARE} [data-do=ablate]").click())
    expect(page).to_have_url(re.compile("b.ablations=heads:0.1"))


def center(page, name: str, row: int, column: int) -> tuple[float, float]:
    box = stage(page, name).bounding_box()
    return box["x"] + box["width"] * (column - 0.5) / 8, box["y"] + box["height"] * (row - 0.5) / 8


def test_an_ablated_head_has_no_map(open_comparison):
    page = open_comparison("&compare=ablation&layer=4&head=2&b.ablations=heads:4.2")
    expect(page.locator(".pair-warning")).to_have_text("Layer 5, head 3 is ablated in B: it has no map there.")
    expect(stage(page, "map-b").locator(".crossed")).to_have_count(64)
    expect(stage(page, "difference")).to_have_count(0)


def test_two_snapshots_of_one_training(open_comparison):
    page = open_comparison("&compare=snapshot&layer=4&head=2")
    held = timeline.read(timeline.find("cifar10-ti4"))
    maps = held.maps(3)[:, 4, 2]
    expect(page.locator(f"{COMPARE} h1")).to_contain_text("epoch 0 against epoch 98.6")
    point(page, "map-a", 3, 4)
    expect(page.locator(f"{COMPARE} .status")).to_have_text(
        f"Row 3, column 4: A {percent(maps[0, 2, 3])}, B {percent(maps[59, 2, 3])}, difference "
        f"{signed(100 * float(maps[59, 2, 3] - maps[0, 2, 3]), 1)} percentage points."
    )
    slider = page.get_by_role("slider", name="Snapshot of A")
    slider.focus()
    change(page, lambda: page.keyboard.press("ArrowRight"))
    expect(page).to_have_url(re.compile("snapshot=1&b.snapshot=59"))
    expect(slider).to_have_attribute("aria-valuetext", f"epoch {held.epoch[1]:.3g}")
    select(page, "Layer", "6")
    expect(page).to_have_url(re.compile("layer=5"))


def test_snapshots_of_a_run(open_comparison):
    page = open_comparison("&compare=snapshot&model=runs/coarse&image=dog")
    expect(page.locator(f"{COMPARE} h1")).to_contain_text("epoch 0 against epoch 1")
    expect(stage(page, "map-a").locator("canvas")).to_have_attribute("width", "4")


def test_a_patch_of_one_image_against_the_tokens_of_the_other(open_comparison, images):
    page = open_comparison("&layer=4&direction=similar&query=19")
    found = vitviz.compare(*named(images), query=19, layer=4, direction="similar")
    expect_comparison(page, found)
    change(page, lambda: page.mouse.click(*center(page, "image-a", 5, 5)))
    expect_comparison(page, vitviz.compare(*named(images), query=36, layer=4, direction="similar"))
    expect(stage(page, "map-a").locator(".query")).to_have_count(1)
    expect(stage(page, "map-b").locator(".query")).to_have_count(0)  # the patch is one of A


def test_a_patch_is_read_on_both_sides(open_comparison, images):
    page = open_comparison("&layer=4&head=2")
    found = vitviz.compare(*images, layer=4, head=2)
    sentence = (
        f"Row 3, column 4: A {percent(found.a.values[2, 3])}, B {percent(found.b.values[2, 3])}, difference "
        f"{signed(float(found.points[2, 3]), 1)} percentage points."
    )
    resting = page.locator(f"{COMPARE} .status").inner_text()
    for name in ("map-a", "map-b", "difference", "image-a", "image-b"):
        point(page, name, 3, 4)
        expect(page.locator(f"{COMPARE} .status")).to_have_text(sentence)
        expect(page.locator(f"{COMPARE} .pair-mark.read")).to_have_count(5)
        page.mouse.move(2, 2)
        expect(page.locator(f"{COMPARE} .pair-mark.read")).to_have_count(0)
        expect(page.locator(f"{COMPARE} .status")).to_have_text(resting)


def test_everything_by_keyboard(open_comparison, images):
    page = open_comparison("&layer=4&head=2")
    page.locator("input[name=compare][value=image]").focus()
    for kind in KINDS[1:]:
        change(page, lambda: page.keyboard.press("ArrowRight"))
        page.wait_for_selector(f"{COMPARE}[data-kind={kind}]")
    change(page, lambda: page.keyboard.press("ArrowRight"))
    page.wait_for_selector(f"{COMPARE}[data-kind=image]")
    stage(page, "map-b").focus()
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"{COMPARE} .status")).to_contain_text("Row 2, column 1: A ")
    expect(page.locator(f"{COMPARE} .voice")).to_contain_text("Row 2, column 1: A ")
    change(page, lambda: page.keyboard.press("Enter"))
    expect(page).to_have_url(re.compile("query=8"))
    expect_comparison(page, vitviz.compare(*named(images), layer=4, head=2, query=8))
    expect(page.locator(f"{COMPARE} .pair-mark.query")).to_have_count(4)
    change(page, lambda: page.keyboard.press("Escape"))
    expect(page).not_to_have_url(re.compile("query="))
    expect(stage(page, "map-a")).to_have_attribute("aria-label", re.compile("largest at row"))
    expect(stage(page, "difference")).to_have_attribute("aria-label", re.compile("^Difference, B minus A: largest at"))


@pytest.mark.parametrize(
    "query",
    [
        "&layer=4&head=2&b.image=ship&query=10",
        "&compare=model&b.model=runs/coarse&layer=1&head=mean",
        "&compare=snapshot&snapshot=3&b.snapshot=29&image=dog&layer=4&head=1",
        "&compare=method&method=average&b.method=rollout",
        "&compare=method&method=average&b.method=attention-head&layer=4&head=2",
        "&compare=class&method=relevance&target=3&b.target=5",
        "&compare=head&layer=0&head=1&b.layer=5&b.head=mean",
        "&compare=ablation&b.ablations=heads:4.2,5.0;patches:10;patch_mode:gray&layer=5&head=mean",
    ],
)
def test_a_link_reopens_the_comparison_in_a_fresh_browser(open_comparison, browser, query):
    page = open_comparison(query)
    headline = page.locator(f"{COMPARE} h1").inner_text()
    painted = stage(page, "map-b").locator("canvas").evaluate(CANVAS_COLORS)
    fresh = new_context(browser)
    try:
        other = fresh.new_page()
        other.goto(page.url)
        other.wait_for_selector(f"{COMPARE}[data-ready='1'][data-state=ready]")
        expect(other.locator(f"{COMPARE} h1")).to_have_text(headline)
        assert stage(other, "map-b").locator("canvas").evaluate(CANVAS_COLORS) == painted
        asked = dict(re.findall(r"([\w.]+)=([^&]*)", query))
        shown = dict(re.findall(r"([\w.]+)=([^&]*)", other.url))
        assert asked.items() <= shown.items()
    finally:
        fresh.close()


def test_back_returns_to_the_last_kind(open_comparison):
    page = open_comparison("&layer=4&head=2")
    headline = page.locator(f"{COMPARE} h1").inner_text()
    choose(page, "method")
    change(page, page.go_back)
    page.wait_for_selector(f"{COMPARE}[data-kind=image]")
    expect(page.locator(f"{COMPARE} h1")).to_have_text(headline)


def test_models_of_other_grids_and_depths_say_what_is_compared(open_comparison):
    page = open_comparison("&compare=model&b.model=runs/coarse&layer=4&head=2")
    notes = page.locator(f"{COMPARE} .pair-warning")
    expect(notes.nth(0)).to_contain_text("The grids differ, 8 × 8 and 4 × 4 patches")
    expect(notes.nth(1)).to_contain_text("6 and 2 layers: layer 5, head 3 of A, layer 2, head 2 of B")
    expect(notes.nth(2)).to_contain_text("65 and 17 tokens: weights are given relative to uniform")
    expect(stage(page, "difference")).to_have_count(0)
    point(page, "map-a", 5, 6)
    expect(page.locator(f"{COMPARE} .status")).to_contain_text("A, row 5, column 6: ")
    expect(page.locator(f"{COMPARE} .status")).to_contain_text("The same place in B, row 3, column 3: ")
    page.mouse.click(*center(page, "map-a", 5, 6))
    page.mouse.move(2, 2)
    expect(page.locator(f"{COMPARE} .status")).to_have_text("The grids differ: the query stays the class token.")
    select(page, "Model of B", "runs/moon")
    expect(notes.nth(0)).to_have_text("The models share 2 classes, which are compared; 8 of A and 1 of B are not.")
    expect(page.locator(".pair-predictions tbody tr")).to_have_count(2)
    expect(stage(page, "difference")).to_have_count(1)


def test_what_is_missing_in_a_link_is_named(open_comparison):
    page = open_comparison("&model=gone&image=nothing&layer=8&b.image=upload")
    status = page.locator(f"{COMPARE} .status")
    for part in (
        "The model of this link, gone,",
        "The image of this link, nothing,",
        "This model has no layer 9, head mean",
        "The image B of this link, upload,",
    ):
        expect(status).to_contain_text(part)
    outside = open_comparison("&compare=head&layer=4&head=2&b.layer=5&b.head=7&query=88").locator(f"{COMPARE} .status")
    for part in ("patches: those outside of it are left out", "This model has no layer 6, head 8"):
        expect(outside).to_contain_text(part)
    expect(page.locator(".pair-correlation b")).to_be_visible()
    lost = open_comparison("&compare=snapshot&model=runs/moon&snapshot=79").locator(f"{COMPARE} .status")
    expect(lost).to_contain_text("The snapshot of this link, 80,")


def test_an_upload_is_compared_and_does_not_travel_in_a_link(open_comparison):
    page = open_comparison("&layer=4&head=2")
    upload = open_picker(page, "Image of B").locator("input[type=file]")
    change(page, lambda: upload.set_input_files(sample_paths()["frog"]))
    expect(page.locator(f"{COMPARE} h1")).to_contain_text("against Upload")
    expect(page).to_have_url(re.compile("b.image=upload"))
    page.reload()
    page.wait_for_selector(f"{COMPARE}[data-ready='1'][data-state=ready]")
    expect(page.locator(f"{COMPARE} h1")).to_contain_text("against Upload")  # from the history of this browser
    text = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"x"}
    page.locator("[data-side=b] input[type=file]").set_input_files(text)
    expect(page.locator(f"{COMPARE} .status")).to_contain_text("The file must be an image: notes.txt is text/plain.")


def test_a_test_image_by_its_index(open_comparison):
    page = open_comparison("&layer=4&head=2")
    open_picker(page, "Image of B")
    index = page.get_by_role("spinbutton", name="Image of B: index of a CIFAR-10 test image")
    index.fill("12")
    change(page, lambda: index.press("Enter"))
    expect(page).to_have_url(re.compile("b.image=test:12"))
    expect(page.locator(f"{COMPARE} h1")).to_contain_text("CIFAR-10 test image 12")
    index.fill("10000")
    index.press("Enter")
    expect(page.locator(f"{COMPARE} .status")).to_contain_text("must be from 0 to 9999")


def test_the_comparison_is_saved_as_shown(open_comparison, images, tmp_path):
    page = open_comparison("&layer=4&head=2")
    found = vitviz.compare(*named(images), layer=4, head=2)
    for ending in ("png", "svg", "pdf", "npz", "csv"):
        page.get_by_role("combobox", name="Format of the file").select_option(label=ending.upper())
        with page.expect_download() as download:
            page.locator(f"{COMPARE} [data-do=save]").click()
        name = download.value.suggested_filename
        assert name == f"vitviz-compare-drawing-cat-drawing-dog-layer-5-head-3.{ending}"
        expect(page.locator(f"{COMPARE} .status")).to_have_text(f"Saved as {name}.")
        path = tmp_path / name
        download.value.save_as(path)
        data = path.read_bytes()
        source = provenance.read(path)
        assert [one.subject.image.name for one in (source, source.b)] == ["cat", "dog"]
        assert (again := vitviz.verify(path)), str(again)
        assert [(one.view.layer, one.view.head) for one in (source, source.b)] == [(4, 2)] * 2
        if ending in ("png", "svg", "pdf"):
            assert {panel.name for panel in source.panels} >= {"map-a", "map-b", "difference"}
        if ending == "svg":
            pixels, _ = images_of(data.decode())["difference"]
            np.testing.assert_array_equal(pixels, colors_of(found.difference_scale, found.points))
            assert "b.image=dog" in data.decode()
        elif ending == "npz":
            np.testing.assert_allclose(np.load(io.BytesIO(data))["difference"], found.difference, atol=1e-6)
        elif ending == "csv":
            assert (pd.read_csv(path, comment="#").quantity == "map B").sum() == 64


def test_the_image_of_explore_is_compared_and_the_page_loads_when_it_is_opened(context, server, request_urls):
    page = context.new_page()
    page.goto(f"{server}?image=ship&layer=3&head=1")
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    assert not any("compare.js" in url for url in request_urls)
    page.get_by_role("tab", name="Compare").click()
    page.wait_for_selector(f"{COMPARE}[data-state=ready]")
    assert any("compare.js" in url for url in request_urls)
    expect(page).to_have_url(re.compile("image=ship.*layer=3.*head=1.*b.image=dog"))
    page.get_by_role("tab", name="Explore").click()
    page.locator(".thumb[title=frog]").click()
    page.wait_for_url(re.compile("image=frog"))
    change(page, lambda: page.get_by_role("tab", name="Compare").click())
    expect(page.locator(f"{COMPARE} h1")).to_contain_text("Drawing (frog)")


@pytest.mark.parametrize("width", [1024, 390])
def test_every_kind_fits_the_screen(open_comparison, width):
    page = open_comparison("&layer=4&head=2")
    page.set_viewport_size({"width": width, "height": 844})
    for kind in KINDS:
        if kind != "image":
            choose(page, kind)
        check_width(page)
        boxes = [stage(page, f"map-{side}").bounding_box() for side in "ab"]
        assert boxes[0]["y"] == pytest.approx(boxes[1]["y"], abs=1)
        assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]


def test_the_class_token_is_swapped_when_its_section_is_opened(open_comparison):
    model = vitviz.load("cifar10-ti4")
    a, b = vitviz.explain(model, ["cat", "truck"])
    page = open_comparison("&image=cat&b.image=truck")
    page.locator(".pair-swap summary").click()
    chart = page.locator("[data-swap=ready] svg")
    found = vitviz.swap_class_token(a, b).probabilities
    last = f"after layer 6: {written(found[-1, model.labels.index('cat')], 2)} and "
    expect(chart).to_have_attribute("aria-label", re.compile(re.escape(last)))
    expect(page.locator(".pair-swap .swap-sentence")).to_contain_text("the class token of B (truck")
    check_width(page)
