"""The page under a path of another host: a reverse proxy at /vit/, also in a frame."""

import pytest
from playwright.sync_api import expect

from benchmarks import page as bench
from benchmarks.page import EXPLORER
from tests.browser.proxy import Proxy

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def proxy(offline_env, test_data_root, tmp_path_factory):
    extra = offline_env | {
        "GRADIO_ROOT_PATH": "/vit",
        "VITVIZ_DATA": str(test_data_root),
        "GRADIO_TEMP_DIR": str(tmp_path_factory.mktemp("uploads")),
    }
    with bench.server(extra, tmp_path_factory.mktemp("work")) as (address, _):
        yield Proxy(address)


@pytest.fixture
def host(proxy):
    """The address of the proxy, which answers /vit/ and /, the page with the frame."""
    with proxy.run() as address:
        yield address


@pytest.mark.parametrize("path", ["vit/", ""], ids=["top", "frame"])
def test_the_page_works_under_a_path(context, proxy, host, path):
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(host + path)
    view = page if path else page.frame_locator("iframe")
    expect(view.locator(f"{EXPLORER}[data-full][data-state=ready]")).to_be_visible()
    view.get_by_role("button", name="ship").click()
    expect(view.locator(f"{EXPLORER} .thumb[aria-pressed=true] img")).to_have_attribute("alt", "ship")
    expect(view.locator(".vitviz-explorer[data-state=ready]")).to_be_visible()
    for name, ready in (("Train", "cifar10-ti4 0"), ("Internals", "cifar10-ti4 samples")):
        view.get_by_role("tab", name=name).click()
        expect(view.locator(f".vitviz-{name.lower()}[data-ready='{ready}'][data-state=ready]")).to_be_visible()
    assert {*proxy.others} <= {"/favicon.ico", "/manifest.json"}  # Gradio links to these of the whole host
    assert errors == []


def test_without_its_modules_the_page_says_so(context, host):
    context.route("**/vitviz/*.js", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{host}vit/")
    sentence = "A script of this page could not be loaded. Check that vitviz is still running, then reload."
    expect(page.get_by_text(sentence)).to_have_count(1)
    page.get_by_role("tab", name="Train").click()
    expect(page.get_by_text(sentence).locator("visible=true")).to_have_count(1)
