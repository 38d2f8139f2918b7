"""Firefox and WebKitGTK as users have them: Playwright drives only its own builds of them.

Firefox answers WebDriver BiDi, and WebKit the protocol of its inspector, which unlike its WebDriver reports errors.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from benchmarks.page import TIMEOUT, unused_port


def find_firefox() -> str | None:
    """Return the path of Firefox; None without one."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


def find_webkit() -> str | None:
    """Return the path of WebKitGTK's MiniBrowser; None without it, or without a virtual screen for it."""
    found = [*Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser"), Path("/usr/libexec/webkit2gtk-4.1/MiniBrowser")]
    return next((str(path) for path in found if path.exists() and shutil.which("xvfb-run")), None)


def wait_for(find: Callable[[], Any], what: str) -> Any:
    """Call a function until its value is true, and return the value."""
    deadline = time.monotonic() + TIMEOUT
    while not (found := find()):
        assert time.monotonic() < deadline, f"{what}: not within {TIMEOUT} s"
        time.sleep(0.1)
    return found


class Tab:
    """A page in a browser.

    Attributes:
        socket: Connection to the browser.
        errors: What scripts threw or logged as an error until the last call.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.errors: list[str] = []

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression: a boolean, number or string."""
        raise NotImplementedError

    def wait_for_selector(self, selector: str) -> None:
        """Wait until an element matches."""
        wait_for(lambda: self.evaluate(f"document.querySelector({json.dumps(selector)}) !== null"), selector)


class FirefoxTab(Tab):
    """A page in Firefox."""

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self.socket.send(json.dumps({"id": 1, "method": method, "params": params}))
        while "id" not in (message := json.loads(self.socket.recv(TIMEOUT))):
            if message["method"] == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(message["params"]["text"])
        assert message["type"] == "success", message
        return message["result"]

    def open(self, url: str) -> None:
        """Open a page; its errors are recorded from the start."""
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        target = {"context": self.context}
        found = self.call("script.evaluate", expression=expression, target=target, awaitPromise=False)
        return found["result"].get("value")


class WebKitTab(Tab):
    """A page in WebKit."""

    target = None

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command to the page, again if the page moves to another process, and return its result."""
        sent = None
        while True:
            if self.target and sent != self.target:
                message = json.dumps({"id": 1, "method": method, "params": params})
                outer = {"targetId": self.target, "message": message}
                self.socket.send(json.dumps({"id": 2, "method": "Target.sendMessageToTarget", "params": outer}))
                sent = self.target
            event = json.loads(self.socket.recv(TIMEOUT))
            given = event.get("params", {})
            match event.get("method"):
                case "Target.targetCreated" if not given["targetInfo"].get("isProvisional"):
                    self.target = given["targetInfo"]["targetId"]
                case "Target.didCommitProvisionalTarget":
                    self.target = given["newTargetId"]
                case "Target.dispatchMessageFromTarget":
                    message = json.loads(given["message"])
                    if message.get("method") == "Console.messageAdded":
                        logged = message["params"]["message"]
                        if logged["level"] == "error":
                            self.errors.append(logged["text"])
                    elif message.get("id") == 1 and given["targetId"] == self.target:
                        assert "result" in message, message
                        return message["result"]

    def evaluate(self, expression: str) -> Any:
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")


@contextmanager
def firefox(url: str, folder: Path) -> Iterator[FirefoxTab]:
    """Open a page in Firefox, with its profile in an empty folder."""
    command = [find_firefox(), "--headless", "--no-remote", "--profile", folder, "--remote-debugging-port=0"]
    address = folder / "WebDriverBiDiServer.json"
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        given = json.loads(wait_for(lambda: address.exists() and address.read_text(), "Firefox"))
        with connect(
            f"ws://{given['ws_host']}:{given['ws_port']}/session", max_size=None, open_timeout=TIMEOUT
        ) as socket:
            tab = FirefoxTab(socket)
            tab.open(url)
            yield tab
    finally:
        process.kill()
        process.wait()


@contextmanager
def webkit(url: str, folder: Path) -> Iterator[WebKitTab]:
    """Open a page in WebKit, on a virtual screen and with its caches in a folder."""
    inspector = f"127.0.0.1:{unused_port()}"
    variables = {
        "WEBKIT_INSPECTOR_HTTP_SERVER": inspector,
        "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",  # containers do not support it; the pages are this project's
        "HOME": str(folder),
        "XDG_RUNTIME_DIR": str(folder),
    }
    command = ["xvfb-run", "--auto-servernum", find_webkit(), "--private", "--enable-developer-extras=true", url]

    def find_socket() -> str | None:
        try:
            with urllib.request.urlopen(f"http://{inspector}/", timeout=5) as answer:
                found = re.search(r"/socket/\d+/\d+/WebPage", answer.read().decode())
        except OSError:
            return None
        return found and found[0]

    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, env=os.environ | variables, stdout=log, stderr=log, start_new_session=True)
        try:
            with connect(
                f"ws://{inspector}{wait_for(find_socket, 'WebKit')}", max_size=None, open_timeout=TIMEOUT
            ) as socket:
                tab = WebKitTab(socket)
                tab.call("Console.enable")
                yield tab
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # xvfb-run, its screen and the browser
            process.wait()
