"""The Internals page in a browser: the page shows what the library measured."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

import vitviz
from benchmarks import page as bench
from benchmarks.page import EXPLORER
from tests.browser.explore import choose_option
from tests.browser.layout import check_width, resize
from tests.webapp import runs
from vitviz.attribution.probes import probe
from vitviz.data import preprocessing
from vitviz.models import checkpoint
from vitviz.models.factory import create_model

pytestmark = pytest.mark.browser

INTERNALS = ".vitviz-internals"
PROBES_ROUTE = "**/vitviz/api/models/probes"
PROBES = (
    *("filters", "positions", "distance", "effective", "divergence", "norms", "lens", "cosine", "cka", "sinks"),
    *("heads", "decision"),
)


@pytest.fixture(scope="module")
def found():
    return probe(vitviz.load("cifar10-ti4"), preprocessing.load_samples((32, 32)))


@pytest.fixture(scope="module")
def with_large(offline_env, test_data_root, tmp_path_factory):
    """The address of a server with a second model of larger images, runs/large."""
    work = tmp_path_factory.mktemp("work")
    last = runs.make(work / "runs", "large", finished=True, snapshots=0) / "last.safetensors"
    large = create_model(replace(runs.MODEL, img_size=(96, 96))).eval()
    checkpoint.save(replace(checkpoint.load(last), network=large), last)
    extra = offline_env | {
        "VITVIZ_DATA": str(test_data_root),
        "GRADIO_TEMP_DIR": str(tmp_path_factory.mktemp("uploads")),
    }
    with bench.server(extra, work) as (address, _):
        yield address


@pytest.fixture
def open_internals(open_page):
    """Open the Internals tab and wait for all figures."""

    def open_with(query=""):
        page = open_page(query)
        page.get_by_role("tab", name="Internals").click()
        page.wait_for_selector(f"{INTERNALS}[data-ready='cifar10-ti4 samples'][data-state=ready]")
        return page

    return open_with


def line(page, name):
    return page.locator(f"[data-probe={name}] .line")


def numbers(text):
    """All numbers of a line, as written, with a true minus sign."""
    return [float(number.replace("\u2212", "-")) for number in re.findall(r"\u2212?\d+(?:\.\d+)?", text)]


def walk(page, name, *keys):
    """Focus a figure, press keys and return its line."""
    page.locator(f"[data-probe={name}] .stage").focus()
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator(f"[data-probe={name}]")).not_to_have_attribute("data-read", "-1")
    return line(page, name).inner_text()


def requested(urls):
    """The routes that were requested."""
    return [url.partition("/vitviz/api/")[2] for url in urls if "/vitviz/api/" in url]


def test_nothing_is_measured_before_the_page_is_shown(open_page, request_urls):
    page = open_page()
    expect(page.get_by_role("tab")).to_have_text(["Explore", "Compare", "Train", "Internals", "Learn"])
    expect(page.locator(INTERNALS)).to_have_count(0)
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    before = len(requested(request_urls))
    page.get_by_role("tab", name="Internals").click()
    page.wait_for_selector(f"{INTERNALS}[data-ready]")
    assert sorted(requested(request_urls)[before:]) == ["models", "models/probes"]
    expect(page.locator(".foot .over")).to_have_text("cifar10-ti4 over the 10 sample images.")


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (2400, 1200)])  # the second one is zoomed
def test_every_dot_shows_its_value(open_internals, found, width, height):
    page = open_internals()
    resize(page, width, height)
    for name, values, digits in (("distance", found.distance, 1), ("effective", found.effective_tokens, 1)):
        for layer, head in ((0, 0), (3, 2), (5, 5)):
            dot = page.locator(f"[data-probe={name}] .dot[data-layer='{layer}'][data-head='{head}']")
            dot.scroll_into_view_if_needed()
            box = dot.bounding_box()
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            expect(line(page, name)).to_contain_text(f"Layer {layer + 1}, head {head + 1}: ")
            shown = numbers(line(page, name).inner_text())[2]
            assert abs(shown - values[layer, head]) <= 0.5001 * 10**-digits
            mark = page.locator(f"[data-probe={name}] .mark.round:visible").bounding_box()
            assert abs(mark["x"] + mark["width"] / 2 - box["x"] - box["width"] / 2) < 2
    expect(page.locator("[data-probe=distance] .halo")).to_contain_text(f"{found.uniform_distance:.1f}")


def test_the_keys_read_every_kind_of_figure(open_internals, found):
    page = open_internals()
    right = "ArrowRight"
    assert numbers(walk(page, "filters", right, right))[:2] == [2, pytest.approx(100 * found.explained[1], abs=0.051)]
    row, column, other_row, other_column, cosine = numbers(walk(page, "positions", right, right, "ArrowDown"))
    expected = found.position_similarity[int(row) - 1, int(column) - 1, int(other_row) - 1, int(other_column) - 1]
    assert (row, column, other_row, other_column) == (4, 4, 5, 5)
    assert cosine == pytest.approx(expected, abs=0.00501)
    layer, one, other, nats = numbers(walk(page, "divergence", right, right, f"Shift+{right}"))
    assert (layer, one, other) == (2, 1, 3)
    assert nats == pytest.approx(found.head_divergence[1, 0, 2], abs=0.00501)
    layer, row, column, cosine = numbers(walk(page, "cosine", right, right, f"Shift+{right}", "ArrowUp"))
    assert (layer, row, column) == (5, 8, 2)
    assert cosine == pytest.approx(found.class_token_cosine[5, 7, 1], abs=0.00501)
    assert numbers(walk(page, "cka", right, right, right))[-1] == pytest.approx(found.cka[0, 2], abs=0.00501)


def test_norms_and_predictions_are_read_by_layer(open_internals, found):
    page = open_internals()
    norms = numbers(walk(page, "norms", *["ArrowRight"] * 3))
    patches = found.norms[2, 1:]
    expected = [found.norms[2, 0], np.median(patches), patches.min(), patches.max(), found.longest[2]]
    np.testing.assert_allclose(norms[1:6], expected, atol=0.0501)
    assert norms[6] == pytest.approx(100 * found.outliers[2, 1:].mean(), abs=0.0501)
    lens = numbers(walk(page, "lens", *["ArrowRight"] * 4))
    np.testing.assert_allclose(lens, [3, 100 * found.final_agreement[3], 100 * found.final_probability[3]], atol=0.0501)
    page.keyboard.press("Escape")
    expect(line(page, "lens")).to_contain_text("have their final prediction")
    expect(page.locator("[data-probe=lens]")).to_have_attribute("data-read", "-1")


def test_what_heads_look_for_is_read_and_opened(open_internals, found):
    page = open_internals()
    assert found.head_images >= 128  # shipped with the model
    head = numbers(walk(page, "heads", "ArrowRight", "ArrowRight", "ArrowDown"))  # layer 2, head 2
    shares = [*found.head_shares[1, 1], found.image_specific[1, 1]]
    np.testing.assert_allclose(head, [2, 2, *(100 * float(share) for share in shares)], atol=0.501)
    decision = numbers(walk(page, "decision", *["ArrowRight"] * 6))
    expected = [5, 100 * found.follows_patches[5], 100 * found.follows_class_token[5]]
    np.testing.assert_allclose(decision, expected, atol=0.501)
    walk(page, "heads", "ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".map-title")).to_have_text("Layer 1, head 1")
    parts = page.locator("[data-parts=ready] b")
    expect(parts).to_have_count(5)
    score, *others = (float(text.replace("−", "-")) for text in parts.all_inner_texts())
    assert sum(others) == pytest.approx(score, abs=0.0251)  # each has two digits
    page.locator(".score-parts summary").click()
    expect(page).not_to_have_url(re.compile("scores="))


def test_each_figure_has_a_title_a_finding_and_a_caption(open_internals):
    page = open_internals()
    expect(page.locator("figure[data-probe]")).to_have_count(len(PROBES))
    for name in PROBES:
        figure = page.locator(f"[data-probe={name}]")
        expect(figure.locator("figcaption")).to_contain_text("How to read it.")
        expect(figure.locator(".question")).to_contain_text("?")
        expect(figure.locator(".line")).to_contain_text(re.compile("[0-9]"))
        expect(figure).to_have_accessible_name(figure.locator("h2").inner_text())
        expect(figure.locator(".stage")).to_have_accessible_name(figure.locator("h2").inner_text())
        expect(figure.locator(".stage")).to_have_accessible_description(re.compile("^Keys: arrows read the values"))


def test_a_click_on_a_dot_opens_its_head_in_explore(open_internals):
    page = open_internals("?image=dog&layer=0&head=0")
    page.evaluate("window.isSamePage = true")
    dot = page.locator("[data-probe=effective] .dot[data-layer='3'][data-head='2']")
    dot.hover()
    dot.click(force=True)  # the mark is on it
    expect(page.locator("[role=tab][aria-selected=true]")).to_have_text("Explore")
    expect(page.locator(".map-title")).to_have_text("Layer 4, head 3")
    expect(page).to_have_url(re.compile("image=dog&layer=3&head=2"))
    assert page.evaluate("window.isSamePage && scrollY === 0")
    page.go_back()
    expect(page.locator("[role=tab][aria-selected=true]")).to_have_text("Internals")
    walk(page, "distance", "ArrowRight", "ArrowRight")  # layer 2, head 1
    page.keyboard.press("Enter")
    expect(page.locator(".map-title")).to_have_text("Layer 2, head 1")


def test_a_dot_of_another_model_opens_its_head_with_that_model(context, with_large):
    page = context.new_page()
    page.goto(f"{with_large}?image=dog")
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    page.get_by_role("tab", name="Internals").click()
    page.wait_for_selector(f"{INTERNALS}[data-ready][data-state=ready]")
    page.locator(f"{INTERNALS} .model select").select_option("runs/large")
    page.wait_for_selector(f"{INTERNALS}[data-ready='runs/large samples'][data-state=ready]")
    walk(page, "distance", "ArrowRight", "ArrowDown")  # layer 1, head 2
    page.keyboard.press("Enter")
    expect(page.locator(".map-title")).to_have_text("Layer 1, head 2")
    expect(page.locator("#explore .model select")).to_have_value("runs/large")
    expect(page).to_have_url(re.compile("model=runs/large&image=dog&layer=0&head=1"))


def test_a_figure_is_saved_as_a_drawing_and_as_numbers(open_internals, found):
    page = open_internals()
    figure = page.locator("[data-probe=distance]")
    figure.locator("summary").click()
    with page.expect_download() as download:
        figure.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == "vitviz-cifar10-ti4-distance.svg"
    assert "Attention distance" in download.value.path().read_text()
    with page.expect_download() as download:
        figure.get_by_role("button", name="CSV").click()
    numbers = np.loadtxt(download.value.path(), delimiter=",", skiprows=2)
    assert np.allclose(numbers[:, 2].reshape(6, 6), found.distance)
    expect(figure.get_by_role("status")).to_have_text("Saved as vitviz-cifar10-ti4-distance.csv.")


def test_a_figure_is_copied_as_an_image(context, address):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}?tab=internals")
    page.wait_for_selector(f"{INTERNALS}[data-ready][data-state=ready]")
    page.locator("[data-probe=cka] summary").click()
    page.locator("[data-probe=cka]").get_by_role("button", name="Copy").click()
    expect(page.locator("[data-probe=cka]").get_by_role("status")).to_have_text("Copied as PNG.")
    assert page.evaluate("navigator.clipboard.read().then(([item]) => item.types)") == ["image/png"]


def test_the_address_keeps_the_figure(open_internals):
    page = open_internals()
    assert "figure=" not in page.url
    page.locator("[data-probe=norms]").evaluate("node => node.scrollIntoView()")
    expect(page).to_have_url(re.compile("figure=effective"))  # the first of its row
    page.locator("[data-probe=norms] .stage").focus()
    expect(page).to_have_url(re.compile("figure=norms"))
    page.reload()
    page.wait_for_selector(f"{INTERNALS}[data-ready][data-state=ready]")
    expect(page.locator("[data-probe=norms] h2")).to_be_in_viewport()
    expect(page.get_by_role("heading", name="Model internals")).not_to_be_in_viewport()


def test_a_response_during_another_tab_is_drawn_when_the_tab_is_shown(context, address):
    page = context.new_page()
    held = []
    page.route(PROBES_ROUTE, lambda route: held.append(route))  # noqa: PLW0108 (it reads the signature)
    page.goto(address)
    with page.expect_request(PROBES_ROUTE):
        page.get_by_role("tab", name="Internals").click()
    page.get_by_role("tab", name="Train").click()
    expect(page.locator(INTERNALS)).to_be_hidden()
    held.pop().continue_()
    page.wait_for_selector(f"{INTERNALS}[data-ready]", state="attached")
    page.get_by_role("tab", name="Internals").click()
    expect(page.locator("[data-probe=cka] svg")).to_be_visible()
    assert page.locator("[data-probe=norms] svg").first.bounding_box()["width"] > 200


def test_test_images_replace_the_samples(open_internals):
    page = open_internals()
    before = line(page, "distance").inner_text()
    page.locator("input[name=images][value=test]").check()
    page.wait_for_selector(f"{INTERNALS}[data-ready='cifar10-ti4 test'][data-state=ready]")
    expect(page.locator(".foot .over")).to_have_text("cifar10-ti4 over the first 500 test images of CIFAR-10.")
    expect(line(page, "distance")).not_to_have_text(before)
    page.reload()
    page.wait_for_selector(f"{INTERNALS}[data-ready='cifar10-ti4 test'][data-state=ready]")


def test_an_error_is_shown_and_the_figures_stay(open_internals):
    page = open_internals()
    before = line(page, "cka").inner_text()
    page.route(PROBES_ROUTE, lambda route: route.fulfill(status=400, json={"error": "CIFAR-10 is gone."}))
    page.locator("input[name=images][value=test]").click()  # not check(): the error resets it
    page.wait_for_selector(f"{INTERNALS}[data-state=error]")
    expect(page.locator(f"{INTERNALS} .status")).to_have_text("CIFAR-10 is gone.")
    expect(line(page, "cka")).to_have_text(before)
    expect(page.locator("input[name=images][value=samples]")).to_be_checked()


def test_nothing_is_wider_than_the_page(open_internals):
    page = open_internals()
    for width in (1400, 1024, 700, 390):
        resize(page, width)
        check_width(page)


def test_dark_and_light_repaint_the_figures(open_internals):
    page = open_internals("?__theme=light")
    pixel = "n => String([...n.getContext('2d').getImageData(0, 0, 1, 1).data])"
    canvas = "[data-probe=divergence] canvas"
    light = page.eval_on_selector(canvas, pixel)
    page.get_by_role("button", name="Switch to dark colors").click()
    page.wait_for_function(
        f"([selector, before]) => ({pixel})(document.querySelector(selector)) !== before", arg=[canvas, light]
    )


def test_explore_is_unchanged_after_visiting_another_tab(open_internals):
    page = open_internals("?image=dog")
    page.get_by_role("tab", name="Explore").click()
    expect(page.locator(EXPLORER)).to_be_visible()
    expect(page.locator(".headline")).to_contain_text("the class token attends most to row")
    expect(page.locator("#explore .model select")).to_be_visible()
    expect(page.locator("#internals .model select")).to_be_hidden()


def test_back_changes_the_tab_and_keeps_the_view_in_the_address(open_page):
    page = open_page("?image=dog&layer=1&head=0")
    chosen = page.locator("#pages [role=tab][aria-selected=true]")
    pressed = page.locator(".thumb[aria-pressed=true]")
    for name in ("Train", "Explore"):
        page.get_by_role("tab", name=name).click()
        expect(chosen).to_have_text(name)
    page.get_by_role("button", name="ship", exact=True).click()
    expect(page).to_have_url(re.compile("image=ship"))
    for name in ("Explore", "Train", "Explore"):  # from ship to dog, then through the tabs
        page.go_back()
        expect(chosen).to_have_text(name)
        expect(page).to_have_url(re.compile("image=dog&layer=1&head=0"))
    expect(pressed).to_have_accessible_name("dog")
    assert "tab=" not in page.url
    page.reload()
    expect(pressed).to_have_accessible_name("dog")


def test_shortcuts_of_the_browser_are_not_handled(open_internals):
    page = open_internals()
    taken = """(stage, held) => {
      const event = new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true, cancelable: true, ...held });
      stage.dispatchEvent(event);
      return event.defaultPrevented;
    }"""
    for held in ("altKey", "ctrlKey", "metaKey"):
        assert not page.eval_on_selector("[data-probe=lens] .stage", taken, {held: True})
        expect(page.locator("[data-probe=lens]")).to_have_attribute("data-read", "-1")
    assert page.eval_on_selector("[data-probe=lens] .stage", taken, {})


def test_a_chosen_model_that_does_not_fit_the_test_images_is_shown_over_the_samples(context, with_large):
    page = context.new_page()
    page.goto(f"{with_large}?tab=internals&images=test")
    page.wait_for_selector(f"{INTERNALS}[data-ready='cifar10-ti4 test'][data-state=ready]")
    page.locator(f"{INTERNALS} .model select").select_option("runs/large")
    page.wait_for_selector(f"{INTERNALS}[data-ready='runs/large samples'][data-state=ready]")
    status = page.locator(f"{INTERNALS} .status")
    expect(status).to_contain_text("must be samples for an input of 96 × 96 px")
    expect(page.locator("input[name=images][value=samples]")).to_be_checked()
    expect(page).to_have_url(re.compile("model=runs/large$"))


def test_images_that_fail_are_not_written_to_the_address(context, with_large):
    page = context.new_page()
    page.goto(f"{with_large}?tab=internals&model=runs/large")
    page.wait_for_selector(f"{INTERNALS}[data-ready='runs/large samples'][data-state=ready]")
    before = page.url
    choose_option(page, "images", "test")
    page.wait_for_selector(f"{INTERNALS}[data-state=error]")
    expect(page.locator(f"{INTERNALS} .status")).to_contain_text("Use the sample images.")
    expect(page.locator("input[name=images][value=samples]")).to_be_checked()
    assert page.url == before


def test_a_model_that_does_not_fit_the_test_images_opens_over_the_samples(context, with_large):
    page = context.new_page()
    page.goto(f"{with_large}?tab=internals&model=runs/large&images=test")
    page.wait_for_selector(f"{INTERNALS}[data-ready='runs/large samples'][data-state=ready]")
    expect(page.locator(f"{INTERNALS} .status")).to_contain_text("Use the sample images.")
    expect(page.locator("input[name=images][value=samples]")).to_be_checked()
    expect(page).not_to_have_url(re.compile("max_train_samples="))


def test_a_failed_request_can_be_retried(context, address):
    page = context.new_page()
    down = [True]

    page.route(PROBES_ROUTE, lambda route: route.abort() if down else route.fallback())
    page.route("**/vitviz/api/models", lambda route: None)  # without its response the page does not retry
    page.goto(f"{address}?tab=internals")
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    expect(page.locator(f"{INTERNALS} .status")).to_contain_text("The server did not respond.")
    expect(page.locator("figure[data-probe]").first).to_be_hidden()
    down.clear()
    again.click()
    page.wait_for_selector(f"{INTERNALS}[data-ready='cifar10-ti4 samples'][data-state=ready]")
    expect(again).to_be_hidden()
    expect(page.locator("[data-probe=filters] .stage")).to_be_focused()


def test_reading_a_figure_does_not_change_its_layout(open_internals):
    page = open_internals()
    heights = """(stage) => {
      const line = stage.closest("figure").querySelector(".line");
      const press = (key) => stage.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      const found = [line.clientHeight];
      for (let i = 0; i < 42; i++) {
        press(i % 7 ? "ArrowRight" : "ArrowDown");
        found.push(line.clientHeight);
      }
      return found;
    }"""
    for width in (1400, 768, 390, 320):
        resize(page, width)
        for name in PROBES:
            found = page.eval_on_selector(f"[data-probe={name}] .stage", heights)
            assert len(set(found)) == 1, (width, name)


def test_no_dot_overlaps_the_label_of_uniform_attention(context, address):
    page = context.new_page()

    def near_uniform(route):
        response = route.fetch()
        line = json.loads(response.text().splitlines()[-1])
        measured = line["reply"]
        uniform = measured["uniform_distance"]
        measured["distance"] = [[uniform * (0.94 + 0.03 * head) for head in range(6)]] * 6
        route.fulfill(response=response, body=json.dumps(line) + "\n")

    page.route(PROBES_ROUTE, near_uniform)
    page.goto(f"{address}?tab=internals")
    page.wait_for_selector(f"{INTERNALS}[data-ready][data-state=ready]")
    label = page.locator("[data-probe=distance] .halo").bounding_box()
    tops = [dot.bounding_box()["y"] for dot in page.locator("[data-probe=distance] .dot").all()]
    assert label["y"] + label["height"] <= min(tops) + 1
