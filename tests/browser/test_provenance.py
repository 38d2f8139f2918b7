"""Files that the page saves: the provenance of what is on screen, and hashes of the pixels that readers decode."""

import base64
import hashlib
import io
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import vitviz
from benchmarks.page import new_context
from tests.browser.test_save_dialog import SAVE, choose, open_dialog, saved
from vitviz.attribution import provenance
from vitviz.data import metadata
from vitviz.models.weights import weights_sha256
from vitviz.view import Ablation, Sample, View

pytestmark = pytest.mark.browser
SVG = "{http://www.w3.org/2000/svg}"


def save(page, ending, folder):
    open_dialog(page)
    choose(page, "view", ending)
    path = folder / f"saved.{ending}"
    saved(page).save_as(path)
    return path


def svg_images(path):
    """Return the images in an SVG file by id, RGBA."""
    found = {}
    for element in ElementTree.parse(path).iter(f"{SVG}image"):
        data = base64.b64decode(element.get("href").partition(",")[2])
        found[element.get("id")] = np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))
    return found


def panel_pixels(pixels, panel):
    """Return a copy of the part of a figure, RGBA, in the rectangle of a panel."""
    left, top, right, bottom = (int(side * pixels.shape[1 - k % 2] + 0.5) for k, side in enumerate(panel.rectangle))
    return pixels[top:bottom, left:right].copy()


def sha256(pixels):
    return hashlib.sha256(pixels.tobytes()).hexdigest()


def test_all_files_of_a_view_have_its_provenance(open_page, tmp_path):
    page = open_page("?image=dog&layer=4&head=1&ablations=heads:3.2,4.0&scale=map")
    found = {
        ending: provenance.read(save(page, ending, tmp_path)) for ending in ("svg", "png", "pdf", "npz", "csv", "html")
    }
    model = vitviz.load("cifar10-ti4")
    for ending, one in found.items():
        assert one.vitviz == vitviz.__version__
        assert one.model.sha256 == weights_sha256(model.network)
        assert one.subject.model == "cifar10-ti4"
        assert one.subject.image == Sample(name="dog")
        assert one.subject.ablations == (Ablation(heads=((3, 2), (4, 0))),)
        assert (one.view.content, one.view.layer, one.view.head, one.view.scale) == ("attention", 4, 1, "map")
        assert "explanation.attention_map(layer=4, head=1)" in one.code
        assert bool(one.panels) == (ending in ("svg", "png", "pdf"))
        assert one.model_copy(update={"panels": (), "numbers": {}}) == found["csv"]
        assert bool(one.numbers) == bool(one.panels)
        again = vitviz.verify(tmp_path / f"saved.{ending}")
        assert again, str(again)
    names = {panel.name for panel in found["svg"].panels}
    assert {"image", "map", "head-1-1", "head-6-6"} <= names
    assert names == {panel.name for panel in found["png"].panels} == {panel.name for panel in found["pdf"].panels}


@pytest.mark.parametrize("query", ["layer=4&head=1", "method=relevance&image=dog", "smooth=true&scale=uniform"])
def test_hashes_are_those_of_the_decoded_pixels(open_page, query, tmp_path):
    page = open_page(f"?{query}")
    svg, png = save(page, "svg", tmp_path), save(page, "png", tmp_path)
    images = svg_images(svg)
    panels = provenance.read(svg).panels
    assert [panel.sha256 for panel in panels] == [sha256(images[panel.name]) for panel in panels]
    assert [panel.sha256 for panel in panels] == provenance.panel_hashes(svg.read_bytes(), ".svg", panels)
    whole = np.asarray(Image.open(png).convert("RGBA"))
    for panel in provenance.read(png).panels:
        part = panel_pixels(whole, panel)
        assert panel.sha256 == sha256(part)
        part[0, 0, 0] ^= 1
        assert panel.sha256 != sha256(part)
    shown = next(panel for panel in provenance.read(png).panels if panel.name == "map")
    assert shown.colormap == ("div" if "uniform" in query else "seq")
    assert shown.limits[0] < shown.limits[1]


@pytest.mark.parametrize(
    ("query", "name"),
    [("layer=4&head=1", "map"), ("layer=2&head=mean&scale=uniform", "head-3-2"), ("method=relevance&image=dog", "map")],
)
def test_colors_are_those_of_the_numbers(open_page, query, name, tmp_path):
    page = open_page(f"?{query}")
    for ending in ("svg", "png"):
        path = save(page, ending, tmp_path)
        assert (found := vitviz.verify(path)), str(found)
        stated = provenance.read(path)
        panels = [one if one.name != name else stretched(one) for one in stated.panels]
        path.write_bytes(replace_text(path, stated.model_copy(update={"panels": tuple(panels)}).to_json()))
        found = f"the colors of {name!r} are not those of its numbers" in str(vitviz.verify(path))
        assert found == (ending == "svg" or name != "map")  # outlines lie over the large map of a PNG


def stretched(panel):
    """Return a panel with another upper end of its scale."""
    low, high = panel.limits
    return panel.model_copy(update={"limits": (low, 1.2 * high)})


def replace_text(path, text):
    """Return a file with another provenance."""
    content = path.read_bytes()
    if path.suffix == ".svg":
        return metadata.embed(re.sub(rb"<metadata.*?</metadata>", b"", content, flags=re.DOTALL), ".svg", text)
    with Image.open(path) as image:
        buffer = io.BytesIO()
        image.save(buffer, "png")
    return metadata.embed(buffer.getvalue(), ".png", text)


def test_the_pixels_of_a_pdf_are_compared(open_page, tmp_path):
    path = save(open_page("?layer=4&head=1"), "pdf", tmp_path)
    found = vitviz.verify(path)
    assert found, str(found)
    assert "panels" in str(found)
    stated = provenance.read(path)
    panels = (stated.panels[0].model_copy(update={"sha256": "0" * 64}), *stated.panels[1:])
    path.write_bytes(metadata.embed(path.read_bytes(), ".pdf", stated.model_copy(update={"panels": panels}).to_json()))
    assert f"the pixels of {panels[0].name!r} have changed" in str(vitviz.verify(path))


@pytest.mark.skipif(shutil.which("pdfimages") is None, reason="pdfimages of Poppler is not installed")
def test_hashes_of_a_pdf_are_those_of_its_images(open_page, tmp_path):
    path = save(open_page("?layer=4&head=1"), "pdf", tmp_path)
    subprocess.run(["pdfimages", "-png", path, tmp_path / "part"], check=True)
    decoded = {sha256(np.asarray(Image.open(part).convert("RGBA"))) for part in tmp_path.glob("part-*.png")}
    assert {panel.sha256 for panel in provenance.read(path).panels} <= decoded


def test_a_figure_of_a_saved_file_has_the_view_that_is_shown_there(open_page, browser, tmp_path):
    page = open_page("?image=cat&layer=4&head=1")
    html = save(page, "html", tmp_path)
    stored = provenance.read(html)
    offline = new_context(browser, viewport={"width": 1400, "height": 900}, reduced_motion="reduce").new_page()
    offline.goto(html.as_uri())
    offline.wait_for_selector("[data-state=ready]")
    same = provenance.read(save(offline, "svg", tmp_path))
    assert same.model_copy(update={"panels": ()}) == stored
    offline.locator(".matrix .cell").nth(7 + 3).click()
    other = provenance.read(save(offline, "png", tmp_path))
    assert other.view == View(layer=1, head=3, target=stored.view.target, truth=stored.view.truth)
    assert other.code is None
    assert other.model == stored.model
    assert all(panel.sha256 for panel in other.panels)
    offline.close()


def test_a_figure_is_saved_even_if_the_server_has_gone(open_page, context, tmp_path):
    page = open_page("?image=cat")
    open_dialog(page)
    context.set_offline(True)
    choose(page, "view", "svg")
    page.wait_for_selector(f"{SAVE}[data-preview]")
    path = Path(saved(page).path())
    assert b"<metadata" not in path.read_bytes()
