"""A captured model on the page, in a saved file and in a notebook: what is known is shown, the rest says why not."""

import re

import pytest
from playwright.sync_api import expect

import vitviz
from benchmarks.page import EXPLORER
from tests import captured
from tests.browser.explore import point, shows
from tests.browser.layout import check_width
from tests.browser.test_homes import WIDGET
from tests.webapp.serving import running
from vitviz.data.preprocessing import sample_paths
from vitviz.plots.document import script

pytestmark = pytest.mark.browser

INSIDE = "Contributions need the inside of the model; of this one only the attention and outputs are known."
READY = f"{EXPLORER}[data-full][data-state=ready]"


@pytest.fixture(scope="module")
def explanations():
    models = {"vit": captured.vit(), "swin": captured.swin()}
    return {name: vitviz.explain(model, sample_paths()["cat"]) for name, model in models.items()}


@pytest.fixture(scope="module")
def server(explanations, tmp_path_factory):
    models = {name: one.context.checkpoint for name, one in explanations.items()}
    with running(tmp_path_factory.mktemp("uploads"), models=models) as client:
        yield f"http://{client.host}/"


@pytest.fixture
def page(context, server):
    errors = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("response", lambda response: errors.append(response.url) if response.status >= 400 else None)
    page.server = server
    yield page
    assert errors == []


def open_model(page, query):
    page.goto(f"{page.server}?image=cat&{query}")
    page.wait_for_selector(READY)


@pytest.mark.parametrize("name", ["vit", "swin"])
def test_explore_says_what_is_not_known_and_paints_patches(page, explanations, name):
    open_model(page, f"model={name}&layer=1&head=1&content=contributions")
    expect(page.locator(".status")).to_have_text(INSIDE)
    expect(page.locator("[data-view=contributions]")).to_have_attribute("title", INSIDE)
    for disabled in ("[data-view=contributions]", "[data-view=features]", "[data-view=patching]", "[data-do=ablate]"):
        expect(page.locator(disabled)).to_be_disabled()
    page.click("[data-do=more-methods]")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    expect(page.locator(".method.waiting")).to_have_count(0)
    methods = explanations[name].methods.items()
    shown = [key for key, method in methods if key != "random" and not method.is_direction]
    expect(page.locator(".method")).to_have_count(len(shown))
    page.click("[data-do=remove]")
    page.locator(".stage.image").click(position={"x": 30, "y": 30})
    expect(page.locator(".effect-what")).to_have_text("1 patch painted gray")
    expect(page.locator("[name=patch_mode] option")).to_have_count(1)


def test_a_layer_of_a_pyramid_has_its_own_heads(page, explanations):
    explanation = explanations["swin"]
    open_model(page, "model=swin")
    cells = page.locator("[role=gridcell]")
    expect(cells.nth(3)).to_have_attribute("aria-label", "Layer 1, head 4, not in this layer")
    cells.nth(3).click()
    expect(page.locator(".headline")).to_have_text("Layer 1 has no head 4")
    cells.nth(4).click()
    point(page, "map", 37, explanation.context.grid)
    assert shows(page.locator(".stage.map .tip b").inner_text(), explanation.attention_map(0, "mean").flat[37])


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_the_other_pages_leave_out_what_is_not_known(page, width, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    open_model(page, "model=vit")
    check_width(page)
    page.get_by_role("tab", name="Internals").click()
    page.wait_for_selector(".vitviz-internals[data-state=ready]")
    expect(page.locator(".vitviz-internals figure")).to_have_count(3)
    expect(page.locator(".vitviz-internals .foot")).to_contain_text("only its attention and outputs are known")
    check_width(page)
    page.get_by_role("tab", name="Learn").click()
    expect(page.locator(".lesson-text")).to_contain_text(re.compile("needs the inside of the model"))
    page.locator(".vitviz-learn nav button").nth(6).click()
    expect(page.locator(".lesson-heads button")).to_have_count(4)
    page.get_by_role("tab", name="Compare").click()
    page.wait_for_selector(".vitviz-compare[data-ready]")
    for kind in ("Models", "Methods", "Layers and heads", "Ablation"):
        before = page.get_attribute(".vitviz-compare", "data-ready")
        page.locator(".pair-kinds label", has_text=kind).first.click()
        page.wait_for_function("n => document.querySelector('.vitviz-compare').dataset.ready !== n", arg=before)
    expect(page.locator("[data-do=ablate]:visible")).to_have_count(0)
    expect(page.locator(".pair-ablation")).to_contain_text("Ablated heads need the inside of the model")


def test_classes_are_taught_to_a_model_whose_features_are_known(page):
    page.goto(f"{page.server}?model=swin&tab=train&task=teach")
    options = page.locator(".vitviz-teach .model select option:disabled")
    expect(options).to_have_text([re.compile("^vit"), re.compile("^swin")])
    expect(page.locator(".vitviz-teach .status")).to_contain_text("Taught classes need the inside of the model")


@pytest.mark.parametrize("name", ["vit", "swin"])
def test_a_saved_file_shows_its_attention(browser, explanations, name, tmp_path):
    explanation = explanations[name]
    explanation.save(tmp_path / "cat.html", layer=0, head=1)
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "cat.html").as_uri())
    page.wait_for_selector(".vitviz-explorer[data-ready][data-full]")
    point(page, "map", 6, explanation.context.grid)
    value = page.locator(".stage.map .tip b").inner_text()
    assert shows(value, explanation.attention_map(0, 1).flat[6])
    expect(page.locator(".saved-with")).to_contain_text(f"{explanation.context.checkpoint.name}, captured")
    page.close()
    assert errors == []


def test_a_widget_shows_its_attention(context, explanations):
    page = context.new_page()
    page.goto("about:blank")
    widget = vitviz.widget(explanations["swin"], layer=0, head=3)
    state = {"layer": widget.layer, "head": widget.head, "patch": widget.patch, "data": widget.data}
    page.evaluate(WIDGET, [script(), state])
    expect(page.locator(".headline")).to_have_text("Layer 1 has no head 4")
    expect(page.locator("[role=gridcell]")).to_have_count(5 * 5)
