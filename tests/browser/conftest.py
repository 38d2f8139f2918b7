"""A running server whose connections are recorded, and a browser restricted to it."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

from benchmarks import page as bench
from vitviz.data import cifar

GUARD = Path(__file__).parent / "guard"
expect.set_options(timeout=60_000)  # like the default timeout of a context: CPUs may be busy
CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")  # a moving test image


@pytest.fixture(scope="session")
def connections(tmp_path_factory):
    """The file in which the server process records every external host that it tries to reach."""
    return tmp_path_factory.mktemp("connections") / "notes.txt"


@pytest.fixture(scope="session")
def guarded(connections):
    """An environment in which Python records and refuses external connections."""
    path = os.pathsep.join([str(GUARD), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {"PYTHONPATH": path, "VITVIZ_TEST_CONNECTIONS": str(connections)}


@pytest.fixture(scope="session")
def test_images(tmp_path_factory):
    """A data folder whose test set is noise with labels 0, 1, ... 9, 0, 1, ..."""
    root = tmp_path_factory.mktemp("data")
    folder = root / cifar.BINARY_FOLDER
    folder.mkdir()
    records = np.random.default_rng(0).integers(0, 256, (cifar.RECORDS, 1 + cifar.PIXELS), np.uint8)
    records[:, 0] = np.arange(cifar.RECORDS) % 10
    (folder / "test_batch.bin").write_bytes(records.tobytes())
    return root


@pytest.fixture(scope="session")
def address(guarded, test_images, tmp_path_factory):
    extra = guarded | {"VITVIZ_DATA": str(test_images), "GRADIO_TEMP_DIR": str(tmp_path_factory.mktemp("uploads"))}
    with bench.server(extra, tmp_path_factory.mktemp("work")) as (address, _):
        yield address


@pytest.fixture(scope="session")
def training_images(test_images, tmp_path_factory):
    """A data folder that also contains a training set of noise."""
    root = tmp_path_factory.mktemp("training")
    folder = root / cifar.BINARY_FOLDER
    folder.mkdir()
    for names in cifar.BINARY_FILES.values():
        for name in names:
            os.link(test_images / cifar.BINARY_FOLDER / "test_batch.bin", folder / name)
    return root


@pytest.fixture
def trainer(guarded, training_images, tmp_path):
    """The address of a separate server without runs, and its folder of runs."""
    extra = guarded | {"VITVIZ_DATA": str(training_images), "GRADIO_TEMP_DIR": str(tmp_path / "uploads")}
    with bench.server(extra, tmp_path) as (address, _):
        yield address, tmp_path / "runs"


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        if not bench.browser_path(playwright) and not os.environ.get("CI"):
            pytest.skip("no browser: run `playwright install chromium`, or install your system's chromium")
        browser = bench.launch_browser(playwright, *CAMERA)
        yield browser
        browser.close()


@pytest.fixture
def requests():
    """The URLs of all requests of the page."""
    return []


@pytest.fixture
def context(browser, requests):
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(60_000)

    def watch(route):
        requests.append(route.request.url)
        if urlsplit(route.request.url).hostname == "127.0.0.1":
            route.continue_()
        else:
            route.abort()

    context.route("**/*", watch)
    yield context
    context.close()


@pytest.fixture
def open_page(context, address):
    """Open the page with a query string and wait until its first image is explained."""

    def open_with(query=""):
        page = context.new_page()
        page.goto(address + query)
        page.wait_for_selector(f"{bench.EXPLORER}[data-full][data-state=ready]")
        return page

    return open_with
