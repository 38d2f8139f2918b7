"""Saved figures show what is on screen: the pixels of all maps, ticks, headline and text, as SVG, PNG and PDF."""

import base64
import io
import json
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

import vitviz
from benchmarks.page import EXPLORER, new_context
from tests.browser.explore import API, route_of
from tests.browser.test_save_dialog import choose, open_dialog, saved
from vitviz.data.preprocessing import sample_paths

pytestmark = pytest.mark.browser

STATES = {
    "head": "layer=4&head=1",
    "pinned patch": "layer=4&head=1&query=26",
    "uniform scale": "layer=4&head=1&scale=uniform",
    "smoothed": "layer=4&head=1&smooth=true",
    "method": "method=rollout",
    "method for a class, with contrast": "image=dog&method=relevance&target=5,3",
    "ablated heads": "layer=4&head=2&ablations=heads:3.2,4.0",
    "mean ablation and patches painted gray": "image=dog&layer=3&head=0&ablations=heads:3.2,4.0;"
    "patches:27,28;mode:mean;patch_mode:gray&method=relevance&target=5,3",
    "dropped patches": "layer=4&head=1&ablations=patches:27,28",
    "attended by": "layer=3&head=2&direction=to",
    "several pinned patches": "layer=5&head=0&query=9,20,48",
    "means": "layer=mean&head=mean",
    "one scale per map": "layer=4&head=1&scale=map",
}
SVG = "{http://www.w3.org/2000/svg}"
READ = """(canvas) => [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data]"""
ACCENT = "#0b5cad"
NAMES = ["猫 (cat)", "κ → b", "≥ 2 × 3 − 1"]


def screen_pixels(canvas):
    """Return the colors of a canvas with one pixel per patch, (N, 3)."""
    return np.array(canvas.evaluate(READ)).reshape(-1, 4)[:, :3]


def images(svg):
    """Return the pixels of each named image of a figure, (H, W, 3), and whether it is enlarged without smoothing."""
    found = {}
    for node in ET.fromstring(svg).iter(f"{SVG}image"):
        content = base64.b64decode(node.get("href").split(",")[1])
        pixels = np.array(Image.open(io.BytesIO(content)).convert("RGB"))
        found[node.get("id")] = pixels, node.get("style") == "image-rendering: pixelated"
    return found


def texts(svg):
    return [node.text for node in ET.fromstring(svg).iter(f"{SVG}text")]


def count_rings(svg):
    rings = [node for node in ET.fromstring(svg).iter() if node.get("stroke") == ACCENT]
    return sum(node.get("d").count("M") if node.tag == f"{SVG}path" else node.tag == f"{SVG}rect" for node in rings)


def wait_for_state(page, query):
    page.wait_for_function(
        """([root, needsMethod]) => {
          const { state, ready, full, methods } = document.querySelector(root).dataset;
          return state === "ready" && ready && full === ready && (!needsMethod || methods);
        }""",
        arg=[EXPLORER, "method=" in query],
    )


def file_of(page, ending, content=None):
    open_dialog(page)
    choose(page, content, ending)
    page.wait_for_selector("dialog.save[data-preview]")
    with open(saved(page).path(), "rb") as file:
        return file.read()


@pytest.mark.parametrize("query", STATES.values(), ids=STATES)
def test_a_saved_figure_has_the_maps_scale_and_marks_of_the_screen(open_page, query):
    page = open_page(f"?{query}")
    wait_for_state(page, query)
    shown = {"map": screen_pixels(page.locator(".stage.map canvas.values"))}
    for row in page.locator(".matrix-row[data-layer]").all():
        layer = row.get_attribute("data-layer")
        for cell in row.locator("[role=gridcell]:not(.ablated)").all():
            name = f"head-{int(layer) + 1 if layer.isdecimal() else layer}-{cell.get_attribute('data-head')}"
            shown[name] = screen_pixels(cell.locator("canvas"))
    ticks = page.locator(".bar .tick").all_inner_texts()
    headline = page.locator(".headline").inner_text()
    frames = page.locator(".query-frames path").evaluate_all("(nodes) => nodes.map((node) => node.getAttribute('d'))")
    framed = page.locator(".mark.query:visible").count() + sum(path.count("M") for path in frames)
    chosen = page.locator(".cell[aria-selected=true], .method[aria-pressed=true]").count() * ("method" not in query)
    asked = page.locator(".class-token[aria-pressed=true]").count()

    svg = file_of(page, "svg").decode()
    found = images(svg)
    assert len(shown) >= 48
    for name, colors in shown.items():
        pixels, is_pixelated = found[name]
        np.testing.assert_array_equal(pixels.reshape(-1, 3), colors, err_msg=name)
        assert is_pixelated == ("smooth" not in query)
    assert set(ticks) <= set(texts(svg))
    assert headline in " ".join(texts(svg))
    assert count_rings(svg) == framed + chosen + asked


def test_each_map_of_a_png_has_the_colors_of_the_screen(open_page):
    page = open_page("?image=cat&layer=4&head=1")
    shown = screen_pixels(page.locator(".stage.map canvas.values"))
    svg, png = file_of(page, "svg", "map"), Image.open(io.BytesIO(file_of(page, "png", "map")))
    assert png.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    assert png.text["vitviz"]
    root = ET.fromstring(svg)
    (box,) = (node for node in root.iter(f"{SVG}image") if node.get("id") == "map")
    zoom = png.width / float(root.get("width"))
    left, top, width, height = (zoom * float(box.get(name)) for name in ("x", "y", "width", "height"))
    colors = np.array(png.convert("RGB"))
    # Above the lower edge of each patch, where outlines are rare: most patches have their color there.
    at = [
        (int(top + (row + 0.9) * height / 8), int(left + (column + 0.1) * width / 8))
        for row in range(8)
        for column in range(8)
    ]
    equal = [np.array_equal(colors[place], color) for place, color in zip(at, shown, strict=True)]
    assert sum(equal) > 55


@pytest.mark.parametrize("content", ["view", "matrix"])
def test_a_phone_in_the_dark_saves_the_same_figure(open_page, browser, address, content):
    query = "?image=cat&layer=4&head=1&query=26"
    desktop = file_of(open_page(query), "svg", content)
    context = new_context(browser, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.goto(f"{address}{query}&__theme=dark")
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    phone = file_of(page, "svg", content)
    context.close()
    assert texts(phone) == texts(desktop)
    one, other = images(phone), images(desktop)
    assert one.keys() == other.keys()
    for name, (pixels, _) in one.items():
        np.testing.assert_array_equal(pixels, other[name][0])
    assert ET.fromstring(phone).attrib == ET.fromstring(desktop).attrib


def name_classes(page):
    """Let the server's model have other names of classes."""

    def respond(route):
        if route_of(route.request) != "explanations":
            return route.fallback()
        response = route.fetch()
        return route.fulfill(response=response, body=response.text().replace('"cat"', json.dumps(NAMES[0])))

    page.route(API, respond)


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="pdftotext (poppler-utils) is not installed")
def test_a_pdf_has_all_characters_as_text(open_page, tmp_path):
    page = open_page("?image=dog")
    name_classes(page)
    page.locator(".thumb[title*=cat], .thumb[aria-label*=cat]").first.click()
    page.wait_for_function(f"() => document.querySelector('{EXPLORER} .class-name').textContent === '{NAMES[0]}'")
    path = tmp_path / "figure.pdf"
    path.write_bytes(file_of(page, "pdf"))
    text = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True).stdout
    assert NAMES[0] in text
    assert "resized from 96 × 96 to 32 × 32" in text
    assert "≥" in text
    assert b"<vitviz:provenance>" in path.read_bytes()


def test_a_saved_file_saves_figures_without_a_server(browser, tmp_path):
    explanation = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])
    explanation.save(tmp_path / "cat.html", layer=5, head=2)
    context = new_context(browser, viewport={"width": 1400, "height": 900}, offline=True)
    page = context.new_page()
    page.goto((tmp_path / "cat.html").as_uri())
    page.wait_for_selector(f"{EXPLORER}[data-ready][data-full]")
    shown = screen_pixels(page.locator(".stage.map canvas.values"))
    svg = file_of(page, "svg").decode()
    np.testing.assert_array_equal(images(svg)["map"][0].reshape(-1, 3), shown)
    assert Image.open(io.BytesIO(file_of(page, "png"))).width == 3500
    offered = page.locator("dialog.save input[name=save-format]").evaluate_all(
        "nodes => nodes.map((node) => node.value)"
    )
    assert offered == ["png", "svg"]
    context.close()
