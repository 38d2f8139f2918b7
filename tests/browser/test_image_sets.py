"""Several images at once in Explore: chosen, dropped, on one scale, and saved."""

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests import tiny
from tests.browser.explore import choose_option
from vitviz.attribution import provenance
from vitviz.attribution.explanation import explain
from vitviz.models.checkpoint import load

pytestmark = pytest.mark.browser

STRIP = ".image-set"


def wait_for(page, count):
    """Wait until the maps of a number of images are painted."""
    page.wait_for_selector(f"{STRIP}[data-images='{count}'][aria-busy=false]")
    return page.locator(f"{STRIP} .set-tile")


def colors(page, tile):
    """Return the pixels of a tile's map, (gh, gw, 4)."""
    found = page.locator(f"[data-panel=set-{tile}]").evaluate(
        "(one) => [one.height, one.width, ...one.getContext('2d').getImageData(0, 0, one.width, one.height).data]"
    )
    return np.array(found[2:], np.uint8).reshape(*found[:2], 4)


def test_one_head_is_shown_over_several_images_and_saved_with_their_provenance(open_page, tmp_path):
    page = open_page()
    page.locator("[data-do=set]").click()
    tiles = wait_for(page, 6)
    expect(tiles.first.locator(".pair")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(f"{STRIP} .set-title")).to_contain_text("Layer 5, head 2")
    page.locator(f"{STRIP} [data-do=add]").click()
    page.locator(".thumb[data-image*='\"ship\"']").click()
    wait_for(page, 7)
    page.locator(f"{STRIP} [data-do=add]").click()
    for _ in range(4):
        tiles.nth(1).locator(".set-remove").click(force=True)
    tiles = wait_for(page, 3)
    page.locator("[role=gridcell]").nth(7 * 2 + 0).click()
    expect(page.locator(f"{STRIP} .set-title")).to_contain_text("Layer 3, head 1")
    wait_for(page, 3)
    model = load("cifar10-ti4")
    explained = explain(model, ["cat", "dog", "ship"])
    maps = [one.attention_map(2, 0) for one in explained]
    for k, values in enumerate(maps):  # the darkest pixel of one scale is the largest weight
        brightness = colors(page, k)[..., :3].astype(int).sum(-1)
        assert brightness.ravel()[values.argmax()] == brightness.min()
    page.locator("[data-do=figure]").click()
    choose_option(page, "save-content", "images")
    page.wait_for_selector("dialog.save[data-preview*=images]")
    with page.expect_download() as download:
        page.locator("[data-do=save]").click()
    assert download.value.suggested_filename.startswith("vitviz-cifar10-ti4-3-images-layer-3-head-1")
    download.value.save_as(path := tmp_path / "sheet.png")
    found = provenance.read(path)
    assert [one.sha256 for one in (found.image, *found.others)] == [one.image.sha256 for one in explained]
    assert Image.open(path).width > 2000
    tiles.nth(2).locator(".pair").click()
    page.wait_for_url("**image=ship**")
    page.locator(f"{STRIP} [data-do=close-set]").click()
    expect(page.locator(STRIP)).to_have_count(0)


def test_several_files_are_shown_as_a_set_and_a_bad_one_is_named(open_page, tmp_path):
    page = open_page()
    files = [tmp_path / name for name in ("a.png", "b.png", "bad.png")]
    for seed, file in enumerate(files):
        Image.fromarray(tiny.pixels(32, 32, seed=seed)).save(file)
    files[2].write_bytes(b"no image")
    page.locator("input[name=shelf][value=upload]").check()
    page.locator(".shelf[data-shelf=upload] input[type=file]").set_input_files(files)
    tiles = wait_for(page, 2)
    expect(tiles.nth(1).locator(".set-name")).to_have_text("b.png")
    expect(page.locator(".status")).to_contain_text("bad.png: ")
    page.locator("[data-view=features]").click()
    expect(page.locator(f"{STRIP} .set-note")).to_contain_text("PCA over the patches of 2 images")
    assert len(np.unique(colors(page, 0).reshape(-1, 4), axis=0)) > 8
