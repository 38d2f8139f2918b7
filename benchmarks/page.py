"""Latency of the page in a browser: server start, painting a chosen image, and redrawing on hover."""

import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.timing import median_and_p95
from vitviz.environment import make_environment

HEADLESS_SHELL = "chromium-headless-shell"  # the same engine without the windows of a browser: half of the work
SYSTEM_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# No sandbox (containers do not support it), no requests to the browser vendor.
BROWSER_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ENVIRONMENT = {"GRADIO_ANALYTICS_ENABLED": "False"}
EXPLORER = ".vitviz-explorer"
VIEWPORT = {"width": 1400, "height": 900}  # px
TIMEOUT = 300  # seconds, for the start of a server and whatever is waited for in a page
STOP_TIMEOUT = 10
SLOW_FRAME = 20  # ms

# Choose a sample image by index and return the time until all heads are painted (ms).
CHOOSE = """
(index) => new Promise((resolve) => {
  const root = document.querySelector(".vitviz-explorer");
  const before = root.dataset.ready;
  const start = performance.now();
  new MutationObserver((_, observer) => {
    if (root.dataset.ready === before) return;
    observer.disconnect();
    resolve(performance.now() - start);
  }).observe(root, { attributes: true, attributeFilter: ["data-ready"] });
  root.querySelectorAll(".thumb")[index].click();
})
"""
# Point at places of the image, in fractions of its sides, and return the script time of each redraw (ms): that of the
# event and of what it schedules before the browser paints.
REDRAWS = """
async (places) => {
  const stage = document.querySelector(".vitviz-explorer .stage.image");
  const { left, top, width, height } = stage.getBoundingClientRect();
  const times = [];
  for (const [x, y] of places) {
    const at = { clientX: left + x * width, clientY: top + y * height };
    const start = performance.now();
    stage.dispatchEvent(new PointerEvent("pointermove", { ...at, bubbles: true, pointerType: "mouse" }));
    for (let i = 0; i < 4; i++) await null;
    times.push(performance.now() - start);
    await new Promise(requestAnimationFrame);
  }
  return times;
}
"""
# Go through the forward pass in motion, 60 moments a second, and return the script time of each frame (ms).
MOTION = """
async () => {
  const slider = document.querySelector(".motion-scrub input");
  const before = performance.getEntriesByName("vitviz:motion").length;
  for (let time = 0; time < Number(slider.max); time += 1 / 60) {
    slider.value = time;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
  return performance.getEntriesByName("vitviz:motion").slice(before).map(({ duration }) => duration);
}
"""


def page(rounds: int = 7, images: int = 30) -> None:
    """Print the start time of the server, and the latency of painting and redrawing in a browser."""
    table = Table("measurement", "median", "95th percentile", "goal")
    imports, answers, paintings = (statistics.median(times) for times in zip(*time_starts(rounds), strict=True))
    table.add_row("import torch, gradio", f"{imports:.2f} s", "", "")
    table.add_row("server start to first HTTP response", f"{answers:.2f} s", "", "")
    table.add_row("relative to import torch, gradio", f"{answers / imports:.2f}", "", "at most 0.8")
    table.add_row("server start to the painted example", f"{paintings:.2f} s", "", "")
    table.add_row("relative to import torch, gradio", f"{paintings / imports:.2f}", "", "at most 1.3")
    with server() as (address, _), browser_page(address) as tab:
        painted = [tab.evaluate(CHOOSE, index) for index in sample_order(tab, images)]
        cpu, redraws = time_redraws(tab)
        tab.goto(f"{address}?tab=learn")
        tab.wait_for_selector(".vitviz-learn[data-settled] .motion[data-beat=patches]")
        frames = tab.evaluate(MOTION)
    table.add_row("choosing an image until all heads are painted", *median_and_p95(painted), "median at most 150 ms")
    table.add_row(
        "redrawing all heads on hover (script time)", *median_and_p95(redraws), "95th percentile at most 4 ms"
    )
    slow = sum(time > SLOW_FRAME for time in frames) / len(frames)
    table.add_row("a frame of the forward pass in motion (script time)", *median_and_p95(frames), "1.5 and 6 ms")
    table.add_row(f"frames over {SLOW_FRAME} ms", f"{100 * slow:.1f} %", "", "at most 1 %")
    table.add_row("CPU time of the main thread per hover, with style and layout", f"{cpu:.1f} ms", "", "")
    Console().print(table)


def time_starts(rounds: int) -> Iterator[tuple[float, float, float]]:
    """Yield the duration of `import torch, gradio`, and of a start to the first response and to the example (s).

    The browser is running already, and requests the page when the server has responded.
    """
    with open_browser() as browser:
        for _ in range(rounds):
            imported = time_command([sys.executable, "-c", "import torch, gradio"])
            tab = new_context(browser, viewport=VIEWPORT).new_page()
            with server() as (address, seconds):
                start = time.perf_counter()
                tab.goto(address, wait_until="commit")
                tab.wait_for_selector(f"{EXPLORER}[data-ready]:not([data-ready=''])")
                yield imported, seconds, seconds + time.perf_counter() - start
            tab.close()


def time_command(command: list[str]) -> float:
    """Run a command and return its duration (s)."""
    start = time.perf_counter()
    subprocess.run(command, check=True, env=make_environment(ENVIRONMENT))
    return time.perf_counter() - start


@contextmanager
def server(environment: dict[str, str] | None = None, folder: Path | None = None) -> Iterator[tuple[str, float]]:
    """Run the page as `run_server` does, and yield its address and the time until its first response (s)."""
    with run_server(environment, folder) as (address, seconds, _):
        yield address, seconds


@contextmanager
def run_server(
    environment: dict[str, str] | None = None, folder: Path | None = None, arguments: Sequence[str] = ()
) -> Iterator[tuple[str, float, subprocess.Popen[bytes]]]:
    """Run the page in a subprocess.

    Args:
        environment: Additional environment variables.
        folder: Working directory, which contains the runs folder; that of this process if None.
        arguments: Additional arguments of the command line.

    Yields:
        Its address, the time until its first response (s), and the process.
    """
    port = unused_port()
    address = f"http://127.0.0.1:{port}/"
    command = [sys.executable, "-m", "vitviz", "app", "--port", str(port), *arguments]
    with tempfile.TemporaryFile() as log:
        start = time.perf_counter()
        variables = make_environment(ENVIRONMENT | (environment or {}))
        process = subprocess.Popen(command, env=variables, stdout=log, stderr=log, cwd=folder)
        try:
            wait_for_response(address, process)
            yield address, time.perf_counter() - start, process
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:  # it computes maps of a large model
                process.kill()
                process.wait()


def unused_port() -> int:
    """Return an unused port chosen by the operating system."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_response(address: str, process: subprocess.Popen[bytes]) -> None:
    """Wait for the first HTTP response of a server.

    Raises:
        RuntimeError: If it exits or does not respond within `TIMEOUT`.
    """
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5) as response:  # noqa: S310 (loopback address)
                if response.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.02)
    raise RuntimeError(f"No response from {address} (exit status of the server: {process.poll()}).")


@contextmanager
def browser_page(address: str, **options: Any) -> Iterator[Any]:
    """Open the page in a headless browser and wait for its example."""
    with open_browser() as browser:
        tab = new_context(browser, viewport=VIEWPORT, **options).new_page()
        tab.goto(address)
        tab.wait_for_selector(f"{EXPLORER}[data-full]:not([data-full=''])")
        yield tab


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start a headless browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise ValueError("This benchmark needs Playwright. Run: pip install playwright") from error

    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        yield browser
        browser.close()


def browser_path(playwright: Any) -> str | None:
    """Return the path of the headless shell, else of Playwright's browser or the system's; None without a browser."""
    if shell := shutil.which(HEADLESS_SHELL):
        return shell
    own = playwright.chromium.executable_path
    if Path(own).exists():
        return str(own)
    return next((path for path in map(shutil.which, SYSTEM_BROWSERS) if path), None)


def launch_browser(playwright: Any, *options: str) -> Any:
    """Start a headless browser with additional command-line options.

    Raises:
        ValueError: If no browser is installed.
    """
    path = browser_path(playwright)
    if path is None:
        raise ValueError(
            "No browser found. Run: playwright install chromium, or install Chromium with your package manager."
        )
    return playwright.chromium.launch(executable_path=path, args=[*BROWSER_OPTIONS, *options, "--headless=new"])


def new_context(browser: Any, **options: Any) -> Any:
    """Open a browser context that waits as long as the slowest machine needs."""
    context = browser.new_context(**options)
    context.set_default_timeout(1000 * TIMEOUT)
    return context


def sample_order(tab: Any, count: int) -> list[int]:
    """Return indices of sample images in turn, never the same twice in a row."""
    pressed = tab.eval_on_selector_all(
        ".thumb", "nodes => nodes.map((node) => node.getAttribute('aria-pressed') === 'true')"
    )
    first = pressed.index(True) + 1
    return [(first + i) % len(pressed) for i in range(count)]


def time_redraws(tab: Any) -> tuple[float, list[float]]:
    """Move the pointer over every patch of the image.

    Returns:
        Mean CPU time of the main thread per hover (ms), which other programs do not change, and the script time of
        each redraw (ms).
    """
    places = [((column + 0.5) / 8, (row + 0.5) / 8) for row in range(8) for column in range(8)]
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = task_time(session)
    times = list(tab.evaluate(REDRAWS, places))
    return (task_time(session) - before) / len(places), times


def task_time(session: Any) -> float:
    """Return the CPU time of the main thread since a session of the developer tools began (ms)."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(1000 * metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
