"""The page under a path of another host: nginx at /vit/, also in a frame."""

import json
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from benchmarks import page as bench
from benchmarks.page import EXPLORER
from tests.browser.nginx import run_nginx
from tests.webapp.serving import CAT, Client

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def host(offline_env, test_data_root, tmp_path_factory):
    """The address of nginx, which answers /vit/ and /, the page with the frame."""
    extra = offline_env | {
        "GRADIO_ROOT_PATH": "/vit",
        "VITVIZ_DATA": str(test_data_root),
        "GRADIO_TEMP_DIR": str(tmp_path_factory.mktemp("uploads")),
    }
    with (
        bench.server(extra, tmp_path_factory.mktemp("work")) as (address, _),
        run_nginx(address, tmp_path_factory.mktemp("nginx")) as host,
    ):
        yield host


@pytest.mark.parametrize("path", ["vit/", ""], ids=["top", "frame"])
def test_the_page_works_under_a_path(context, request_urls, host, path):
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
    others = {urlsplit(url).path for url in request_urls if not urlsplit(url).path.startswith("/vit/")}
    frame = set() if path else {"/"}
    assert others - frame <= {"/favicon.ico", "/manifest.json"}  # Gradio links to these of the whole host
    assert errors == []


def test_uploads_endpoints_and_link_previews_work_under_a_path(host):
    client = Client(host)
    prefix = "/vit/gradio_api"
    upload = json.loads(client.upload(CAT, path=f"{prefix}/upload")[1])[0]
    status, text = client.post(f"{prefix}/call/explain", {"data": [upload, "cifar10-ti4", "average"]})
    assert status == 200
    events = client.request("GET", f"{prefix}/call/explain/{json.loads(text)['event_id']}")[2].decode()
    assert '"cat": 0.' in events
    page = client.request("GET", "/vit/")[2].decode()
    assert f'property="og:image" content="{host}vit/vitviz/preview.png"' in page
    assert client.request("GET", "/vit/vitviz/preview.png")[0] == 200


UNAVAILABLE = "A script of this page could not be loaded. Check that vitviz is still running, then reload."


@pytest.mark.parametrize("name", ["main.js", "App.js", "App.css"])
def test_without_the_app_the_page_says_so(context, host, name):
    context.route(f"**/vitviz/{name}", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{host}vit/")
    expect(page.get_by_text(UNAVAILABLE)).to_have_count(1)


def test_without_the_module_of_a_page_its_tab_says_so(context, host):
    context.route("**/vitviz/train.js", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{host}vit/?tab=train")
    expect(page.get_by_text(UNAVAILABLE)).to_be_visible()
    page.get_by_role("tab", name="Learn").click()
    expect(page.get_by_role("tabpanel", name="Learn").locator("h1")).to_be_visible()
    expect(page.get_by_text(UNAVAILABLE)).to_be_hidden()
