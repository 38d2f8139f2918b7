"""A running server whose connections are recorded, and a browser restricted to it."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

import vitviz
from benchmarks import page as bench
from benchmarks.page import TIMEOUT, new_context
from tests.webapp import runs
from vitviz.data import cifar
from vitviz.data.preprocessing import sample_paths

GUARD = Path(__file__).parent / "guard"
expect.set_options(timeout=1000 * TIMEOUT)  # CI machines are slow
# Chromium's fake camera: an animated test pattern
FAKE_CAMERA_ARGS = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")


@pytest.fixture(scope="session")
def connection_log(tmp_path_factory):
    """The file in which the server process records every external host that it tries to connect to."""
    return tmp_path_factory.mktemp("connections") / "connections.log"


@pytest.fixture(scope="session")
def offline_env(connection_log):
    """Environment variables that make Python log and block external connections."""
    path = os.pathsep.join([str(GUARD), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {"PYTHONPATH": path, "VITVIZ_TEST_CONNECTIONS": str(connection_log)}


@pytest.fixture(scope="session")
def test_data_root(tmp_path_factory):
    """A data folder whose test set is noise with labels 0, 1, ... 9, 0, 1, ..."""
    root = tmp_path_factory.mktemp("data")
    folder = root / cifar.BINARY_FOLDER
    folder.mkdir()
    records = np.random.default_rng(0).integers(0, 256, (cifar.RECORDS, 1 + cifar.PIXELS), np.uint8)
    records[:, 0] = np.arange(cifar.RECORDS) % 10
    (folder / "test_batch.bin").write_bytes(records.tobytes())
    return root


@pytest.fixture(scope="session")
def serve(offline_env, tmp_path_factory):
    """Return a context manager that runs a server with a data folder, in a new folder or in one with runs."""

    def run(data, work=None):
        extra = {"VITVIZ_DATA": str(data), "GRADIO_TEMP_DIR": str(tmp_path_factory.mktemp("uploads"))}
        return bench.server(offline_env | extra, work or tmp_path_factory.mktemp("work"))

    return run


@pytest.fixture(scope="session")
def address(serve, test_data_root):
    with serve(test_data_root) as (address, _):
        yield address


@pytest.fixture(scope="session")
def with_runs(serve, test_data_root, tmp_path_factory):
    """The address of a server with a finished and a stopped run."""
    work = tmp_path_factory.mktemp("work")
    runs.make(work / "runs", "finished", finished=True)
    runs.make(work / "runs", "stopped")
    with serve(test_data_root, work) as (address, _):
        yield address


@pytest.fixture(scope="session")
def train_data_root(test_data_root, tmp_path_factory):
    """A data folder whose training batches are all copies of the test batch."""
    root = tmp_path_factory.mktemp("training")
    folder = root / cifar.BINARY_FOLDER
    folder.mkdir()
    for names in cifar.BINARY_FILES.values():
        for name in names:
            os.link(test_data_root / cifar.BINARY_FOLDER / "test_batch.bin", folder / name)
    return root


@pytest.fixture(scope="session")
def form_address(serve, train_data_root):
    """The address of a server with training images, whose folder of runs stays empty."""
    with serve(train_data_root) as (address, _):
        yield address


@pytest.fixture
def train_server(offline_env, train_data_root, tmp_path):
    """The address of a separate server without runs, and its folder of runs."""
    extra = offline_env | {"VITVIZ_DATA": str(train_data_root), "GRADIO_TEMP_DIR": str(tmp_path / "uploads")}
    with bench.server(extra, tmp_path) as (address, _):
        yield address, tmp_path / "runs"


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        if not bench.browser_path(playwright) and not os.environ.get("CI"):
            pytest.skip("no browser: run `playwright install chromium`, or install your system's chromium")
        browser = bench.launch_browser(playwright, *FAKE_CAMERA_ARGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def explanation():
    """The cat, explained by the shipped model in Python."""
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


@pytest.fixture
def request_urls():
    """The URLs of all HTTP requests of the page."""
    return []


@pytest.fixture
def context(browser, request_urls):
    context = new_context(browser, viewport={"width": 1400, "height": 900}, reduced_motion="reduce")

    def record_and_filter(route):
        request_urls.append(route.request.url)
        if urlsplit(route.request.url).hostname in ("127.0.0.1", None):  # files and blobs have no host
            route.continue_()
        else:
            route.abort()

    context.route("**/*", record_and_filter)
    yield context
    context.close()


@pytest.fixture
def open_page(context, address):
    """Return a function that opens the page with a query string and waits until its first image is explained."""

    def open_with(query=""):
        page = context.new_page()
        page.goto(address + query)
        page.wait_for_selector(f"{bench.EXPLORER}[data-full][data-state=ready]")
        return page

    return open_with
