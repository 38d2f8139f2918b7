"""Names, labels and metadata from untrusted files are shown as text and never run in the page."""

import pytest
from playwright.sync_api import expect

from benchmarks.page import EXPLORER
from tests import tiny
from tests.browser.explore import choose_option
from tests.hostile import images
from tests.webapp.serving import running
from vitviz.data.preprocessing import sample_paths
from vitviz.models import checkpoint

pytestmark = pytest.mark.browser

SCRIPTS = [
    "<img src=x onerror=window.__pwned=1>",
    "<script>window.__pwned=1</script>",
    "${window.__pwned=1}",
    "{{window.__pwned=1}}",
    '" onmouseover="window.__pwned=1',
    "javascript:window.__pwned=1",
    "</textarea><svg onload=window.__pwned=1>",
]


def untouched(page):
    """Whether no script ran and no foreign element became part of the page."""
    return page.evaluate(
        """() => window.__pwned === undefined
          && !document.querySelector('img[src="x"], [onerror], [onmouseover], .vitviz-explorer script, svg[onload]')"""
    )


@pytest.fixture
def complaints():
    """Errors in scripts, and violations of the Content-Security-Policy."""
    return []


@pytest.fixture
def watched(open_page, complaints):
    """Open the page and record the browser's complaints from then on."""

    def open_with(query=""):
        page = open_page(query)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        return page

    return open_with


def test_the_page_complies_with_its_own_policy(context, address, complaints):
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    answer = page.goto(address)
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    for tab in page.get_by_role("tab").all():
        tab.click()
        expect(page.get_by_role("tabpanel").locator("visible=true").first).to_be_visible()
    assert complaints == []


def test_the_policy_blocks_requests_to_other_hosts(watched, complaints):
    page = watched()
    assert page.evaluate("() => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'stopped')") == "stopped"
    page.evaluate(
        "() => { const image = new Image(); image.src = 'http://127.0.0.1:9/x.png'; document.body.append(image); }"
    )
    page.wait_for_function("() => document.querySelector('img[src*=\"127.0.0.1:9\"]')")
    expect(page.locator("body")).to_be_visible()
    assert any("Content Security Policy" in one for one in complaints)


def choose(page, name, content):
    page.get_by_role("tab", name="Explore").click()
    choose_option(page, "shelf", "upload")
    page.set_input_files("input[type=file]", {"name": name, "mimeType": "image/png", "buffer": content})


# What Chromium logs of a refusal.
REFUSED = "Failed to load resource: the server responded with a status of 400 (Bad Request)"


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_name_of_an_accepted_and_of_a_refused_image_is_text(watched, name, complaints):
    page = watched()
    before = page.get_attribute(EXPLORER, "data-ready")
    choose(page, f"{name}.png", sample_paths()["cat"].read_bytes())
    page.wait_for_function(
        "([root, before]) => document.querySelector(root).dataset.ready !== before", arg=[EXPLORER, before]
    )
    assert untouched(page)
    choose(page, f"{name}.png", f"no image {name}".encode())
    page.wait_for_selector(f"{EXPLORER} .status.error")
    assert untouched(page)
    assert complaints == [REFUSED]


def test_metadata_of_an_image_is_never_shown(watched, complaints):
    page = watched()
    for name, content in images.accepted():
        if "script" in name or "HTML" in name:
            before = page.get_attribute(EXPLORER, "data-ready")
            choose(page, "image.png", content)
            page.wait_for_function(
                "([root, before]) => document.querySelector(root).dataset.ready !== before", arg=[EXPLORER, before]
            )
            assert untouched(page)
            assert "__pwned" not in page.content()
    assert complaints == []


def test_names_of_a_checkpoint_and_its_classes_are_text(context, tmp_path, monkeypatch):
    """A model whose file name, class names and record contain scripts."""
    one = tiny.checkpoint()
    classes = tuple(SCRIPTS[k % len(SCRIPTS)] + str(k) for k in range(tiny.K))
    hostile = checkpoint.Checkpoint(
        "x", one.network, classes, one.mean, one.std, {"preset": SCRIPTS[0], "test_accuracy": 0.5}
    )
    (folder := tmp_path / "checkpoints").mkdir()
    checkpoint.save(hostile, folder / f"{SCRIPTS[0]}.safetensors")
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", folder)
    with running(tmp_path / "uploads") as client:
        page = context.new_page()
        page.goto(f"http://{client.host}/")
        page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
        expect(page.locator(".predictions li").first).to_contain_text("window.__pwned=1")
        assert untouched(page)
        page.get_by_role("tab", name="Internals").click()
        expect(page.get_by_role("tabpanel").locator("visible=true").first).to_be_visible()
        assert untouched(page)
        page.close()


def test_the_check_detects_a_script_that_runs(watched):
    page = watched()
    page.evaluate("() => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=window.__pwned=1>')")
    page.wait_for_function("() => window.__pwned === 1")
    assert not untouched(page)
