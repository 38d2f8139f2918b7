"""The documentation site in a browser: light and dark, wide and narrow, without a request to another host."""

import functools
import http.server
import threading
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.layout import check_width, resize

pytestmark = pytest.mark.browser


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Print nothing."""


@pytest.fixture(scope="module")
def site_address(site):
    handler = functools.partial(Handler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_a_phone_and_a_desktop_and_stays_on_its_host(context, site, site_address, request_urls, scheme):
    tab = context.new_page()
    tab.emulate_media(color_scheme=scheme)
    problems = []
    tab.on("console", lambda message: message.type in ("error", "warning") and problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    for path in sorted(site.glob("*.html")):
        if path.name == "404.html":
            continue
        tab.goto(f"{site_address}/{path.name}")
        for width in (1400, 390):
            resize(tab, width, 900)
            expect(tab.locator("h1")).to_be_visible()
            check_width(tab)
    assert tab.locator("body").get_attribute("data-md-color-scheme") == {"light": "default", "dark": "slate"}[scheme]
    assert problems == []
    assert {urlsplit(url).hostname for url in request_urls if not url.startswith(("data:", "blob:"))} == {"127.0.0.1"}


def test_the_search_opens_a_method(context, site_address):
    tab = context.new_page()
    tab.goto(f"{site_address}/index.html")
    tab.get_by_role("textbox", name="Search").click()
    expect(tab.locator(".md-search-result__meta")).to_have_text("Type to start searching")  # the index is loaded
    tab.get_by_role("textbox", name="Search").press_sequentially("rollout")  # searches on keyup
    result = tab.locator(".md-search-result__link", has_text="Rollout").first
    expect(result).to_be_visible()
    result.click()
    expect(tab.locator("article")).to_contain_text("Rollout")


def test_the_gallery_contains_the_explorer(context, site_address):
    tab = context.new_page()
    tab.goto(f"{site_address}/gallery.html")
    tab.locator(".explorer iframe").scroll_into_view_if_needed()
    explorer = tab.frame_locator(".explorer iframe")
    expect(explorer.locator("h1, h2").first).to_contain_text("Layer 5, head 2")
