"""A saved file that holds its model and a static site, without a server of vitviz and without a network."""

import base64
import gzip
import io
import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import expect

import vitviz
from benchmarks.browser import served
from benchmarks.page import EXPLORER, new_context
from tests import engine as engines_of_node
from tests.browser.engines import find_firefox, find_webkit, firefox, wait_for, webkit
from tests.browser.explore import choose_option, shows, tile
from tests.browser.layout import check_width
from tests.webapp import runs
from tests.webapp.test_engine import CALLS, differences, explain
from vitviz.attribution import image_statistics, lesson
from vitviz.data import cifar
from vitviz.data.encoding import to_base64
from vitviz.data.preprocessing import sample_paths
from vitviz.data.samples import example_paths
from vitviz.models import checkpoint, rounding
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import create_model
from vitviz.plots.formatting import percent, signed
from vitviz.webapp.server.modules import STATIC_DIR
from vitviz.webapp.site import write_site

pytestmark = pytest.mark.browser

READY = f"{EXPLORER}[data-ready][data-full][data-state=ready]"
ABLATED = f"{EXPLORER}[data-state=ready] .before:not([hidden])"
COMPARE = ".vitviz-compare"
PAGES = {
    "compare": f"{COMPARE}[data-state=ready]",
    "internals": ".vitviz-internals[data-ready][data-state=ready]",
    "learn": ".vitviz-learn[data-settled][data-state=ready]",
}
MODEL = re.compile(r'(<script type="text/plain" id="vitviz-model">)([^<]+)')
# Give a file, in base64, to the field for files.
CHOOSE = """(() => {
  const [name, type, text] = %s;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const given = new DataTransfer();
  given.items.add(new File([bytes], name, { type }));
  const field = document.querySelector("input[type=file]");
  field.files = given.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
})()"""
# The pixels of the model input on screen, as a list in JSON.
PIXELS = """(() => {
  const canvas = document.querySelector(".stage.image canvas");
  return JSON.stringify([...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data]);
})()"""
REMOVE = """(() => {
  document.querySelector("[data-do=remove]").click();
  const stage = document.querySelector(".stage.image");
  const { left, top, width, height } = stage.getBoundingClientRect();
  stage.dispatchEvent(new MouseEvent("click", {
    clientX: left + width * 0.56, clientY: top + height * 0.56, bubbles: true,
  }));
  return true;
})()"""
REMOVED = 36  # by the click


@pytest.fixture(scope="module")
def model():
    return vitviz.load("cifar10-ti4")


@pytest.fixture(scope="module")
def rounded(model):
    """The library's explanation of the cat with the weights of the file."""
    return vitviz.explain(rounding.rounded(model), sample_paths()["cat"])


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "cat.html"
    replace(vitviz.explain(model, sample_paths()["cat"]), name="cat").save(path, model=True)
    return path


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, ["cifar10-ti4"])
    with served(folder) as address:
        yield folder, address


@pytest.fixture
def tab(context):
    """A page, and what went wrong in it."""
    page, log = context.new_page(), []
    page.on("pageerror", lambda error: log.append(str(error)))
    page.on("console", lambda message: message.type == "error" and log.append(message.text))
    return page, log


def top_probability(page):
    return page.locator(".predictions li .value").first.inner_text()


def test_a_file_with_its_model_is_at_most_5_mb_and_states_its_weights(saved, model):
    content = saved.read_text()
    assert len(content.encode()) <= 5_000_000
    assert "'wasm-unsafe-eval'; worker-src blob:" in content
    assert "'unsafe-eval'" not in content
    assert f"SHA-256 {vitviz.models.weights.weights_sha256(model.network)[:16]}" in content
    assert "float16" in content


def test_heads_and_patches_are_ablated_in_the_file_as_by_the_library(tab, saved, rounded):
    page, log = tab
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    assert shows(top_probability(page), rounded.probabilities.max())
    tile(page, 5, 0).click()
    page.click("[data-do=ablate]")
    page.wait_for_selector(ABLATED)
    assert shows(top_probability(page), rounded.ablate(heads=[(5, 0)]).probabilities.max())
    page.evaluate(REMOVE)
    expected = rounded.ablate(heads=[(5, 0)], patches=[REMOVED]).probabilities.max()
    wait_for(lambda: shows(top_probability(page), expected), "the removed patch")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    assert log == []


def test_own_images_are_explained_in_the_file_as_by_the_library(tab, saved, rounded, tmp_path):
    image = Image.fromarray(np.random.default_rng(0).integers(0, 256, (90, 120, 3), np.uint8))
    image.save(tmp_path / "noise.png")
    page, log = tab
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    choose_option(page, "shelf", "upload")
    page.set_input_files("input[type=file]", tmp_path / "noise.png")
    expect(page.locator(".image-note")).to_contain_text("noise.png")
    own = vitviz.explain(rounded.context.checkpoint, tmp_path / "noise.png")
    np.testing.assert_array_equal(pixels_of(page.evaluate(PIXELS)), np.asarray(own.image.model_input))
    assert shows(top_probability(page), own.probabilities.max())
    page.locator(".crop input[type=range]").fill("0")
    left = vitviz.explain(rounded.context.checkpoint, tmp_path / "noise.png", crop=0)
    wait_for(lambda: np.array_equal(pixels_of(page.evaluate(PIXELS)), left.image.model_input), "the crop")
    choose_option(page, "shelf", "sample")
    page.locator(".thumb").click()
    expect(page.locator(".image-note")).not_to_contain_text("noise.png")
    assert shows(top_probability(page), rounded.probabilities.max())
    assert log == []


def test_what_the_camera_sees_is_explained_frame_by_frame(tab, saved):
    page, log = tab
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    choose_option(page, "shelf", "upload")
    page.click("[data-do=camera]")
    expect(page.locator(".image-note")).to_contain_text("Camera")
    first = page.evaluate(PIXELS)
    wait_for(lambda: page.evaluate(PIXELS) != first, "another frame")
    page.click("[data-do=close-camera]")
    assert log == []


def test_without_webassembly_the_file_computes_in_javascript(context, saved, rounded):
    context.add_init_script("delete globalThis.WebAssembly")
    page = context.new_page()
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    page.evaluate(REMOVE)
    page.wait_for_selector(ABLATED)
    expected = rounded.ablate(patches=[REMOVED]).probabilities.max()
    wait_for(lambda: shows(top_probability(page), expected), "the removed patch")


def test_a_damaged_model_is_said_and_the_stored_explanation_stays(context, saved, rounded, tmp_path):
    content = saved.read_text()
    (tmp_path / "cut.html").write_text(MODEL.sub(lambda found: found[1] + found[2][:4000], content))
    page = context.new_page()
    page.goto((tmp_path / "cut.html").as_uri())
    page.wait_for_selector(f"{EXPLORER}[data-ready][data-state=ready]")
    page.evaluate(REMOVE)
    expect(page.locator(".status")).to_contain_text("damaged")
    assert shows(top_probability(page), rounded.probabilities.max())


DROP = """([kind, text]) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], `${kind}.png`, { type: "image/png" }));
  document.body.dispatchEvent(
    kind === "paste"
      ? new ClipboardEvent(kind, { clipboardData: files, bubbles: true })
      : new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }),
  );
}"""


def test_images_are_dropped_and_pasted_into_the_file(tab, saved, rounded):
    page, log = tab
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    for kind, name in (("drop", "dog"), ("paste", "ship")):
        content = sample_paths()[name].read_bytes()
        page.evaluate(DROP, [kind, base64.b64encode(content).decode()])
        expect(page.locator(".image-note")).to_contain_text(f"{kind}.png")
        own = vitviz.explain(rounded.context.checkpoint, io.BytesIO(content))
        assert shows(top_probability(page), own.probabilities.max())
    assert log == []


def test_the_file_is_used_by_keys_and_says_what_it_shows(tab, saved, rounded):
    page, log = tab
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    voice = page.locator(".voice")
    page.locator(".stage.image").focus()
    page.keyboard.press("ArrowRight")
    expect(voice).to_contain_text("row 4, column 5")
    page.keyboard.press("Delete")
    page.wait_for_selector(ABLATED)
    removed = rounded.ablate(patches=[28])
    wait_for(lambda: shows(top_probability(page), removed.probabilities.max()), "the removed patch")
    expect(voice).to_contain_text("Row 4, column 5 is removed")
    page.click("[data-do=remove]")
    page.locator(".stage.image").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(voice).to_contain_text("Row 4, column 6. Mean of layers, mean of heads: the class token")
    tile(page, 5, 0).click()
    page.keyboard.press("x")
    both = removed.ablate(heads=[(5, 0)]).probabilities.max()
    wait_for(lambda: shows(top_probability(page), both), "the ablated head")
    expect(voice).to_contain_text("ablated")
    assert log == []


def test_where_workers_are_forbidden_a_sentence_says_so(context, saved, rounded):
    context.add_init_script("globalThis.Worker = class { constructor() { throw new Error('forbidden') } }")
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(saved.as_uri())
    page.wait_for_selector(f"{EXPLORER}[data-ready][data-state=ready]")
    page.evaluate(REMOVE)
    expect(page.locator(".status.error")).to_contain_text("The model stopped")
    assert shows(top_probability(page), rounded.probabilities.max())
    assert errors == []


def test_a_model_without_classes_offers_nothing_that_needs_a_server(tab, tmp_path):
    headless = engines_of_node.checkpoint(engines_of_node.FAMILIES["without head"])
    vitviz.explain(headless, sample_paths()["cat"]).save(tmp_path / "headless.html", model=True)
    page, log = tab
    page.goto((tmp_path / "headless.html").as_uri())
    page.wait_for_selector(READY)
    expect(page.locator(".prediction-column")).to_contain_text("has no classification head")
    expect(page.get_by_text("Most similar images")).to_be_hidden()
    expect(page.get_by_text("Teach it your classes")).to_be_hidden()
    expect(page.locator(".status.error")).to_have_count(0)
    assert log == []


@pytest.mark.parametrize("name", ["notes.txt", "cut.jpg", "cut.png"])
def test_what_is_no_image_is_refused_by_a_sentence(tab, saved, rounded, tmp_path, name):
    content = sample_paths()["cat"].read_bytes()[:3000] if name == "cut.png" else b"\xff\xd8 no image"
    (tmp_path / name).write_bytes(content)
    page, _ = tab
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    choose_option(page, "shelf", "upload")
    page.set_input_files("input[type=file]", tmp_path / name)
    expect(page.locator(".status.error")).to_contain_text("image")
    assert shows(top_probability(page), rounded.probabilities.max())


@pytest.mark.slow
def test_a_photograph_of_54_megapixels_is_explained(tab, saved, tmp_path):
    ramp = np.linspace(0, 255, 9000).astype(np.uint8)
    Image.fromarray(np.broadcast_to(ramp[None, :, None], (6000, 9000, 3)).copy()).save(tmp_path / "large.jpg")
    page, log = tab
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    choose_option(page, "shelf", "upload")
    page.set_input_files("input[type=file]", tmp_path / "large.jpg")
    expect(page.locator(".image-note")).to_contain_text("9000 × 6000")
    row = pixels_of(page.evaluate(PIXELS))[16, :, 0].astype(int)
    assert (np.diff(row) > 0).all()
    assert log == []


def test_a_site_shows_its_example_before_the_weights_are_there(context, site, request_urls):
    _, address = site
    held = []
    context.route("**/models/*.bin", lambda route: held.append(route))  # noqa: PLW0108 (its signature is read)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(f"{EXPLORER}[data-ready][data-state=ready]")
    wait_for(lambda: page.evaluate("true") and held, "a request of the weights")
    assert top_probability(page).endswith("%")
    page.evaluate(REMOVE)
    for route in held:
        route.continue_()
    page.wait_for_selector(ABLATED)
    assert all(url.startswith((address, "blob:", "data:")) for url in request_urls)


def test_weights_that_were_damaged_on_the_way_are_loaded_again(browser, site, tmp_path):
    folder = tmp_path / "site"
    shutil.copytree(site[0], folder)
    [weights] = (folder / "models").glob("*.bin")
    content = weights.read_bytes()
    weights.write_bytes(content[:1000] + bytes(1000) + content[2000:])
    context = new_context(browser, viewport={"width": 1400, "height": 900})  # with a cache: URLs are not recorded
    page = context.new_page()
    with served(folder) as address:
        page.goto(address)
        page.wait_for_selector(f"{EXPLORER}[data-ready][data-state=ready]")
        page.evaluate(REMOVE)
        expect(page.locator(".status.error")).to_contain_text("or are damaged")
        weights.write_bytes(content)
        page.locator(".stage.image").click()
        page.wait_for_selector(ABLATED)
    context.close()


def test_the_first_load_of_a_site_is_at_most_2_3_mb_compressed(context, site):
    _, address = site
    sizes = {}
    page = context.new_page()
    page.on(
        "requestfinished", lambda request: sizes.update({request.url: len(gzip.compress(request.response().body()))})
    )
    page.goto(address)
    page.wait_for_selector(READY)
    assert 1_500_000 < sum(sizes.values()) <= 2_300_000, sizes


@pytest.mark.parametrize("tab_name", ["compare", "internals", "learn"])
def test_the_other_pages_of_a_site_open_without_an_error(tab, site, tab_name):
    page, log = tab
    page.goto(f"{site[1]}?tab={tab_name}")
    page.wait_for_selector(PAGES[tab_name])
    page.set_viewport_size({"width": 390, "height": 800})
    check_width(page)
    assert log == []


def check_comparison(page, kind, found):
    """Show a kind of comparison, and check its headline and first prediction with those of the library."""
    choose_option(page, "compare", kind)
    expect(page.locator(f"{COMPARE} h1")).to_have_text(found.headline)
    best = found.classes[0]
    cells = page.locator(".pair-predictions tbody tr").first.locator("td")
    expect(cells).to_have_text([percent(best.a, 1), percent(best.b, 1), signed(best.points, 1)])


def test_comparisons_in_the_file_are_those_of_the_library(tab, saved, rounded, tmp_path):
    page, log = tab
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    page.get_by_role("tab", name="Compare").click()
    page.wait_for_selector(PAGES["compare"])
    view = {"layer": 4, "head": 1}
    check_comparison(page, "ablation", vitviz.compare(rounded, rounded.ablate(heads=[(3, 1)]), **view))
    check_comparison(page, "head", vitviz.compare(rounded, rounded, **view, b_options={"head": 2}))
    second = int(rounded.probabilities.argsort()[-2])
    by_class = {"method": "balanced_gradients"}
    check_comparison(page, "class", vitviz.compare(rounded, rounded, **by_class, b_options={"target": second}))
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (90, 120, 3), np.uint8)).save(tmp_path / "noise.png")
    own = replace(vitviz.explain(rounded.context.checkpoint, tmp_path / "noise.png"), name="Upload")
    choose_option(page, "compare", "image")
    page.get_by_label("Image of B: upload a file").set_input_files(tmp_path / "noise.png")
    named = replace(rounded, name="cat")
    check_comparison(page, "image", vitviz.compare(named, own, **by_class))
    page.locator(".pair-swap summary").click()
    page.wait_for_selector("[data-swap=ready]")
    assert log == []


def test_a_site_compares_two_images_and_two_models_as_the_library(tab, model, tmp_path):
    torch.manual_seed(1)
    network = create_model(replace(runs.MODEL, patch_size=8, depth=4, num_heads=2, num_classes=10)).eval()
    other = Checkpoint("coarse", network, model.labels, cifar.MEAN, cifar.STD, {})
    checkpoint.save(other, tmp_path / "coarse.safetensors")
    write_site(tmp_path / "site", ["cifar10-ti4", str(tmp_path / "coarse.safetensors")])
    rounded = [rounding.rounded(one, "int8") for one in (model, other)]
    cat, dog, coarse = (
        vitviz.explain(one, name) for one, name in ((rounded[0], "cat"), (rounded[0], "dog"), (rounded[1], "cat"))
    )
    page, log = tab
    with served(tmp_path / "site") as address:
        page.goto(f"{address}?tab=compare&layer=4&head=1")
        page.wait_for_selector(PAGES["compare"])
        named = [replace(one, name=f"Drawing ({name})") for one, name in ((cat, "cat"), (dog, "dog"))]
        check_comparison(page, "image", vitviz.compare(*named, layer=4, head=1))
        found = vitviz.compare(cat, coarse, layer=4, head=1, b_options={"layer": 3})
        assert found.difference is None
        check_comparison(page, "model", found)
    assert log == []


def test_a_lesson_in_the_file_has_the_numbers_of_the_library(tab, saved, rounded, tmp_path):
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (90, 120, 3), np.uint8)).save(tmp_path / "noise.png")
    own = vitviz.explain(rounded.context.checkpoint, tmp_path / "noise.png")
    page, log = tab
    page.goto(saved.as_uri())
    page.wait_for_selector(READY)
    page.get_by_role("tab", name="Learn").click()
    page.wait_for_selector(PAGES["learn"])
    for found, name in ((rounded, "cat"), (own, "noise.png")):
        if found is own:
            page.get_by_label("Upload an image").set_input_files(tmp_path / "noise.png")
        page.get_by_role("button", name="Logits and softmax").last.click()
        best = percent(found.probabilities.max(), 1)
        expect(page.locator(".vitviz-learn .lesson-figure")).to_contain_text(best), name
    for step in page.locator(".vitviz-learn nav button").all():
        step.click()
        page.wait_for_selector(PAGES["learn"])
    figure = page.locator(".vitviz-learn .lesson-figure")
    page.get_by_role("button", name="The same query for every image?").click()
    stored = image_statistics.load(vitviz.load("cifar10-ti4"))
    fixed = lesson.mean_query(own.context, stored.factors)
    expect(figure).to_contain_text(f"Mean query: {own.labels[fixed.probabilities.argmax()]}")
    expect(figure).to_contain_text(percent(stored.kept, 1))
    page.get_by_role("button", name="When does the class token decide?").click()
    page.get_by_label("Upload a second image").set_input_files(sample_paths()["dog"])
    swapped = vitviz.swap_class_token(own, vitviz.explain(own.context.checkpoint, "dog"))
    dogs = swapped.probabilities[:, own.labels.index("dog")]
    first = dogs[np.argmax(dogs > swapped.probabilities[:, own.probabilities.argmax()])]
    expect(figure.locator(".swap-sentence")).to_contain_text(f"(dog {percent(first, 1)})")
    page.get_by_role("button", name="Attention is not explanation").click()
    page.locator(".vitviz-learn .lesson-stage").click(position={"x": 4, "y": 4})
    page.get_by_role("button", name="Give up and compare").click()
    expect(page.locator(".lesson-flips")).to_contain_text("Best known")
    assert log == []


def test_a_link_to_an_image_of_a_site_opens_it_and_nothing_can_be_trained_there(tab, site):
    page, log = tab
    page.goto(f"{site[1]}?image=dog&tab=train")
    page.wait_for_selector(READY)
    expect(page.locator("[role=tab]")).to_have_count(4)
    expect(page.locator(".thumb[aria-pressed=true]")).to_have_attribute("title", "dog")
    assert log == []


@pytest.fixture(params=["Firefox", "WebKit"])
def engine(request):
    open_tab, path = {"Firefox": (firefox, find_firefox()), "WebKit": (webkit, find_webkit())}[request.param]
    if not path:
        pytest.skip(f"no {request.param}")
    return open_tab


# Answer calls of the engine about an image, and keep the replies as JSON.
ANSWER = """(async () => {
  const { openModel } = await import("./openModel.js");
  const [image, calls] = await (await fetch("calls.json")).json();
  const file = await (await fetch("model.bin")).arrayBuffer();
  const engine = openModel(file, null, { request: async () => ({ image }) }, "model");
  const subject = { model: "model", snapshot: null, image: { kind: "sample", name: "cat" }, ablations: [] };
  const { signal } = new AbortController();
  const replies = [];
  for (const [route, of] of calls) replies.push(await engine.request(route, { subject, ...of }, signal, () => {}));
  const list = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
  document.body.textContent = JSON.stringify(replies, list);
})().catch((error) => { document.body.textContent = error; });"""


@pytest.mark.parametrize("family", ["plain", "mean"])
def test_every_method_in_firefox_and_webkit_equals_the_library(engine, family, tmp_path):
    checkpoint = engines_of_node.checkpoint(engines_of_node.FAMILIES[family])
    explanation = explain(checkpoint, torch.zeros(0), [])
    image = {"pixels": to_base64(np.asarray(explanation.image.model_input))}
    folder = tmp_path / "site"
    shutil.copytree(STATIC_DIR, folder)
    (folder / "model.bin").write_bytes(rounding.to_file(checkpoint, "float32"))
    (folder / "calls.json").write_text(json.dumps([image, CALLS]))
    (folder / "answer.js").write_text(ANSWER)
    (folder / "index.html").write_text(
        "<!doctype html><link rel=icon href=data:,><body></body><script src=answer.js></script>"
    )
    read = "document.body.textContent"
    with served(folder) as address, engine(address, tmp_path) as tab:
        text = wait_for(lambda: tab.evaluate("document.body !== null") and tab.evaluate(read), "the replies")
        assert text.startswith("["), text
        assert not {key: value for key, value in differences(explanation, json.loads(text)).items() if value > 1e-4}
        assert tab.errors == []


@pytest.mark.parametrize("home", ["file", "site"])
def test_firefox_and_webkit_explain_compare_and_teach_in_the_file_and_on_the_site(
    engine, home, saved, site, rounded, tmp_path
):
    with engine(saved.as_uri() if home == "file" else site[1], tmp_path) as tab:
        tab.wait_for_selector(READY)
        tab.evaluate(REMOVE)
        tab.wait_for_selector(ABLATED)
        if home == "file":
            expected = rounded.ablate(patches=[REMOVED]).probabilities.max()
            read = "document.querySelector('.predictions li .value').innerText"
            wait_for(lambda: shows(tab.evaluate(read), expected), "the removed patch")
        for number, name in ((1, "compare"), (-1, "learn")):
            tab.evaluate(f"[...document.querySelectorAll('[role=tablist] [role=tab]')].at({number}).click() ?? true")
            tab.wait_for_selector(PAGES[name])
        assert tab.errors == []


def images():
    """Image files of several formats by name and type: of all that browsers decode in their own way."""
    photo = Image.open(example_paths()["chelsea"]).convert("RGB").resize((160, 120))
    alpha = photo.copy()
    alpha.putalpha(Image.linear_gradient("L").resize(photo.size))
    exif = Image.Exif()
    exif[0x0112] = 6
    kinds = {
        "jpeg": (photo, "JPEG", {"quality": 90}),
        "turned.jpeg": (photo, "JPEG", {"quality": 95, "subsampling": 0, "exif": exif}),
        "gray.jpeg": (photo.convert("L"), "JPEG", {}),
        "webp": (alpha, "WEBP", {"lossless": True}),
        "gif": (photo.quantize(64), "GIF", {}),
        "bmp": (photo, "BMP", {}),
        "png": (alpha, "PNG", {}),
    }
    for name, (image, form, options) in kinds.items():
        buffer = io.BytesIO()
        image.save(buffer, form, **options)
        yield f"a.{name}", f"image/{name.rpartition('.')[2]}", buffer.getvalue()


LARGEST = {"jpeg": 0, "gif": 0, "bmp": 0, "png": 0, "webp": 2}  # difference of a model input, of 255; docs/static.md


def pixels_of(text):
    return np.array(json.loads(text), np.uint8).reshape(32, 32, 4)[..., :3]


@pytest.mark.parametrize("name", ["Chromium", "Firefox", "WebKit"])
def test_browsers_decode_images_as_pillow_up_to_rounding(name, saved, model, tab, tmp_path):
    found = {}

    note = "document.querySelector('.image-note').textContent"

    def measure(page):
        page.wait_for_selector(READY)
        page.evaluate("(() => { document.querySelector('input[name=shelf][value=upload]').click(); return true; })()")
        page.wait_for_selector("input[type=file]")
        for file, kind, content in images():
            page.evaluate(CHOOSE % json.dumps([file, kind, base64.b64encode(content).decode()]))
            wait_for(lambda name=file: name in page.evaluate(note), file)
            expected = np.asarray(vitviz.explain(model, io.BytesIO(content)).image.model_input).astype(int)
            found[file] = int(np.abs(pixels_of(page.evaluate(PIXELS)) - expected).max())

    if name == "Chromium":
        tab[0].goto(saved.as_uri())
        measure(tab[0])
    else:
        open_tab, path = (firefox, find_firefox()) if name == "Firefox" else (webkit, find_webkit())
        if not path:
            pytest.skip(f"no {name}")
        with open_tab(saved.as_uri(), tmp_path) as opened:
            measure(opened)
    assert all(value <= LARGEST[file.rpartition(".")[2]] for file, value in found.items()), found
