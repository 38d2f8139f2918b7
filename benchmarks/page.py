"""The page in a real browser: how fast it starts, paints a chosen image and redraws under the pointer."""

import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.timing import spread
from vitviz.data.environment import environment

SYSTEM_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# A quiet browser: no sandbox (containers have none), no calls to its maker.
BROWSER_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
QUIET = {"GRADIO_ANALYTICS_ENABLED": "False"}
EXPLORER = ".vitviz-explorer"
START_LIMIT = 120  # seconds after which a server that does not answer is given up

# Choose a sample image and return the milliseconds until all its heads are painted.
CHOOSE = """
(place) => new Promise((resolve) => {
  const root = document.querySelector(".vitviz-explorer");
  const before = root.dataset.ready;
  const start = performance.now();
  new MutationObserver((_, observer) => {
    if (root.dataset.ready === before) return;
    observer.disconnect();
    resolve(performance.now() - start);
  }).observe(root, { attributes: true, attributeFilter: ["data-ready"] });
  root.querySelectorAll(".thumb")[place].click();
})
"""
REDRAWS = """() => performance.getEntriesByName("vitviz:redraw").map((entry) => entry.duration)"""


def page(rounds: int = 5, images: int = 30) -> None:
    """Print how fast the server starts, and how fast the page paints and redraws in a real browser."""
    table = Table("what", "median", "95th percentile", "goal")
    imports, answers = [], []
    for _ in range(rounds):
        imports.append(seconds_of([sys.executable, "-c", "import torch, gradio"]))
        with server() as (_, seconds):
            answers.append(seconds)
    ratio = statistics.median(answers) / statistics.median(imports)
    table.add_row("import torch, gradio", f"{statistics.median(imports):.2f} s", "", "")
    table.add_row("start to first HTTP answer", f"{statistics.median(answers):.2f} s", "", "")
    table.add_row("ratio of the two", f"{ratio:.2f}", "", "at most 1.4")
    with server() as (address, _), browser_page(address) as tab:
        painted = [tab.evaluate(CHOOSE, place) for place in sample_order(tab, images)]
        redraws = hover(tab)
    table.add_row("image chosen to all heads painted", *spread(painted), "median at most 150 ms")
    table.add_row("redraw of all heads on hover (script)", *spread(redraws), "95th percentile at most 4 ms")
    Console().print(table)


def seconds_of(command: list[str]) -> float:
    """Run a command and return how long it took (s)."""
    start = time.perf_counter()
    subprocess.run(command, check=True, env=environment(QUIET))
    return time.perf_counter() - start


@contextmanager
def server(added: dict[str, str] | None = None, folder: Path | None = None) -> Iterator[tuple[str, float]]:
    """Start the page in a process of its own; gives its address and the seconds until it answered, and ends it.

    Args:
        added: Variables beside this process's own.
        folder: The working folder, where runs go; this process's if None.
    """
    port = unused_port()
    address = f"http://127.0.0.1:{port}/"
    command = [sys.executable, "-m", "vitviz", "app", "--port", str(port)]
    with tempfile.TemporaryFile() as log:
        start = time.perf_counter()
        around = environment(QUIET | (added or {}))
        process = subprocess.Popen(command, env=around, stdout=log, stderr=log, cwd=folder)
        try:
            wait_for_answer(address, process)
            yield address, time.perf_counter() - start
        finally:
            process.terminate()
            process.wait()


def unused_port() -> int:
    """A port that the system has just chosen: servers started at the same moment do not get the same one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_answer(address: str, process: subprocess.Popen[bytes]) -> None:
    """Ask until the server answers over HTTP.

    Raises:
        RuntimeError: If it ended, or did not answer in time.
    """
    deadline = time.monotonic() + START_LIMIT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 (our own loopback address)
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.02)
    raise RuntimeError(f"The page did not answer at {address} (process status {process.poll()}).")


@contextmanager
def browser_page(address: str, **options: Any) -> Iterator[Any]:
    """A tab of a headless browser that shows the page with its finished example."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise ValueError("bench app needs Playwright: it is not installed. Run: pip install playwright") from error

    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        tab = browser.new_page(viewport={"width": 1400, "height": 900}, **options)
        tab.set_default_timeout(1000 * START_LIMIT)
        tab.goto(address)
        tab.wait_for_selector(f"{EXPLORER}[data-full]:not([data-full=''])")
        yield tab
        browser.close()


def browser_path(playwright: Any) -> str | None:
    """Playwright's own browser if it is installed, else the system's; None without any."""
    own = playwright.chromium.executable_path
    if Path(own).exists():
        return str(own)
    return next((path for path in map(shutil.which, SYSTEM_BROWSERS) if path), None)


def launch_browser(playwright: Any, *options: str) -> Any:
    """Start a headless browser, with further command line options.

    Raises:
        ValueError: If there is none on this machine.
    """
    path = browser_path(playwright)
    if path is None:
        raise ValueError(
            "A browser is needed: there is none. Run `playwright install chromium`, or install your system's."
        )
    return playwright.chromium.launch(executable_path=path, args=[*BROWSER_OPTIONS, *options, "--headless=new"])


def sample_order(tab: Any, count: int) -> list[int]:
    """Places of sample images in turn, never the same twice in a row."""
    pressed = tab.eval_on_selector_all(
        ".thumb", "nodes => nodes.map((node) => node.getAttribute('aria-pressed') === 'true')"
    )
    first = pressed.index(True) + 1
    return [(first + i) % len(pressed) for i in range(count)]


def hover(tab: Any) -> list[float]:
    """Move the pointer over every patch of the image; returns the script time of each redraw (ms)."""
    box = tab.locator(f"{EXPLORER} .stage.image").bounding_box()
    tab.evaluate("performance.clearMeasures('vitviz:redraw')")
    for row in range(8):
        for column in range(8):
            tab.mouse.move(box["x"] + box["width"] * (column + 0.5) / 8, box["y"] + box["height"] * (row + 0.5) / 8)
            tab.evaluate("() => new Promise(requestAnimationFrame)")
    return list(tab.evaluate(REDRAWS))
