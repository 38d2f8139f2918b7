"""What stands between the network and the page: whom the server answers, what it takes in, and what it says of itself.

`Guard` refuses requests under foreign names, from foreign pages, for paths that the page does not need, and bodies that
are too large or too slow; every answer carries headers that bind the browser to this server. `Uploads` keeps the folder
of uploaded files small and young.
"""

import asyncio
import ipaddress
import logging
import os
import re
import shutil
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vitviz.data.preprocessing import MOST_BYTES
from vitviz.webapp.server.requests import generic_error

log = logging.getLogger(__name__)

UPLOAD = "/gradio_api/upload"
MOST_UPLOAD_BYTES = MOST_BYTES + 2**16  # one image and the frame around it
MOST_REQUEST_BYTES = 2**15  # of any other request; the page's own questions have some hundred
MOST_BODY_SECONDS = 120.0
MOST_STORED_BYTES = 2**30
FILE_BYTES = 2**13  # that a file and its folder take on a disk beside what they hold
UPLOAD_AGE = 3300  # s; with TIDY_EVERY, nothing is kept for an hour
TIDY_EVERY = 60  # s
FOLDER_PREFIX = "vitviz-uploads-"

SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY", re.IGNORECASE)
HOST = re.compile(r"([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?")  # a name or an address, and a port
ENDPOINTS = ("explain", "checkpoints", "methods")  # for programs

# What the page and `gradio_client` ask for; a path that ends in "/" stands for all below it.
PATHS = (
    "/assets/",
    "/config",
    "/favicon.ico",
    "/manifest.json",
    "/robots.txt",
    "/static/",
    "/svelte/",
    "/theme.css",
    "/gradio_api/app_id",
    *(f"/gradio_api/call/{version}{name}/" for name in ENDPOINTS for version in ("", "v2/")),
    "/gradio_api/cancel",
    "/gradio_api/component_server",
    "/gradio_api/custom_component/",
    "/gradio_api/heartbeat/",
    "/gradio_api/info",
    "/gradio_api/login_check",
    "/gradio_api/mcp/",
    "/gradio_api/queue/",
    "/gradio_api/reset",
    "/gradio_api/startup-events",
    "/gradio_api/theme.css",
    "/gradio_api/upload_progress",
    UPLOAD,
)

# Gradio compiles the page's scripts in the browser, hence the two "unsafe" words. What remains: nothing is loaded from,
# sent to or framed by another site.
POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' data: blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'self'",
}
SPACE_FRAMES = "'self' https://huggingface.co https://*.hf.space"  # who shows a Space in a frame


class Refusal(Exception):  # noqa: N818 (no error of ours: the sender's)
    """A request that is not answered: the status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


def on_a_space() -> bool:
    """Whether this runs as a public Hugging Face Space."""
    return "SPACE_ID" in os.environ


def forget_secrets() -> None:
    """Take what looks like a secret out of the environment: the page needs none, so that none can leak."""
    for name in filter(SECRET.search, [*os.environ]):
        del os.environ[name]


def own_names() -> frozenset[str]:
    """The names of this machine."""
    name = socket.gethostname().lower()
    return frozenset({"localhost", name, f"{name}.local"})


def further_names(named: Iterable[str] = ()) -> frozenset[str]:
    """The names under which a proxy shows this server: the Space's, those given, and those in VITVIZ_HOSTS.

    Raises:
        ValueError: If one is no host's name.
    """
    names = [*named, *os.environ.get("VITVIZ_HOSTS", "").split(","), os.environ.get("SPACE_HOST", "")]
    return frozenset(host_name(name.strip()) for name in names if name.strip())


def host_name(word: str) -> str:
    """A host's name as browsers send it, of one with a port perhaps, or with letters of any alphabet.

    Raises:
        ValueError: If it is none.

    Example:
        >>> host_name("Bücher.example:8443")
        'xn--bcher-kva.example'
    """
    with suppress(UnicodeError):  # of parts that are empty or too long
        if HOST.fullmatch(word) and (name := name_in(word).encode("idna").decode()):
            return name
    raise ValueError(
        f"A name to answer under must be a host's, such as vit.example.org: got {word[:80]!r}. Leave out scheme "
        "and path."
    )


def name_in(netloc: str) -> str:
    """The host's name in "name:port", in small letters, without the brackets of IPv6; empty if there is none."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_address(name: str) -> bool:
    """Whether a host is written as an address. A foreign name can be led to this server, a foreign address cannot."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_known(path: str) -> bool:
    """Whether the page or a program may ask for a path."""
    plain = path.rstrip("/")
    return not plain or any(plain == p.rstrip("/") or (p.endswith("/") and path.startswith(p)) for p in PATHS)


def policy() -> str:
    """The Content-Security-Policy."""
    parts = POLICY | ({"frame-ancestors": SPACE_FRAMES} if on_a_space() else {})
    return "; ".join(f"{name} {value}" for name, value in parts.items())


class Uploads:
    """The folder of uploaded files, whose age and size are bounded.

    Args:
        folder: Where Gradio puts uploads.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bytes = 0  # as last counted, and what came since

    @property
    def full(self) -> bool:
        """Whether nothing more is taken in for now."""
        return self.bytes > MOST_STORED_BYTES

    def tidy(self) -> None:
        """Remove files that are too old and folders that are empty, and count what remains."""
        stored = 0
        for place, _, names in os.walk(self.folder, topdown=False):
            # A file that is still arriving lies in the folder itself; one that was cut off stays there.
            most = MOST_BODY_SECONDS if Path(place) == self.folder else UPLOAD_AGE
            for file in (Path(place, name) for name in names):
                with suppress(OSError):  # it is gone, or not ours to remove
                    status = file.lstat()
                    if time.time() - status.st_ctime > most:
                        file.unlink()
                    else:
                        stored += status.st_size + FILE_BYTES
            if Path(place) != self.folder:
                with suppress(OSError):  # it is not empty
                    os.rmdir(place)
        self.bytes = stored

    @asynccontextmanager
    async def kept_tidy(self, _: object) -> AsyncIterator[None]:
        """Tidy up now and then, while the server runs."""

        async def repeat() -> None:
            while True:
                await asyncio.to_thread(self.tidy)
                await asyncio.sleep(TIDY_EVERY)

        task = asyncio.create_task(repeat())
        try:
            yield
        finally:
            task.cancel()


def make_upload_folder() -> Path:
    """A new folder for the uploads of this process, in `GRADIO_TEMP_DIR` if that is set; nothing else there is ours.

    Those of processes that are gone are removed.
    """
    place = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir())
    place = place.parent if place.name.startswith(FOLDER_PREFIX) else place  # of a server before, in this process
    place.mkdir(parents=True, exist_ok=True)
    for left in place.glob(f"{FOLDER_PREFIX}*"):
        number = left.name.removeprefix(FOLDER_PREFIX).partition("-")[0]
        if number.isdecimal() and not alive(int(number)) and left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-", dir=place))


def alive(process: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


class Guard:
    """Lets only those requests through that the page makes, and says so in one sentence to all others.

    Args:
        app: What answers them.
        names: Under which it answers beside those of this machine, from `further_names`.
        uploads: Where uploads are counted.
    """

    def __init__(self, app: ASGIApp, names: frozenset[str], uploads: Uploads) -> None:
        self.app, self.names, self.uploads = app, names, uploads
        self.headers = {
            "Content-Security-Policy": policy(),
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; the protocol of ASGI."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        try:
            self.check(scope)
            await self.app(scope, self.bounded(scope, receive), send_guarded)
        except Refusal as refusal:
            answer: Response = PlainTextResponse(refusal.sentence, refusal.status, {"Connection": "close"})
            error: Exception = refusal
        except Exception as unforeseen:
            sentence, reference = generic_error()
            log.exception("Request %s failed", reference)
            answer, error = JSONResponse({"detail": sentence}, 500), unforeseen
        else:
            return
        if started:
            raise error
        await answer(scope, receive, send_guarded)

    def check(self, scope: Scope) -> None:
        """Refuse what its head alone rules out.

        Raises:
            Refusal: If it does.
        """
        headers, path = Headers(scope=scope), scope["path"]
        if not self.knows(name_in(headers.get("host", ""))):
            raise Refusal(400, "vitviz does not answer under this name. Allow it with --allow-host NAME at the start.")
        if "origin" in headers and not self.is_ours(headers["origin"], headers["host"]):
            raise Refusal(403, "A page of another site may not use this server.")
        if not is_known(path) or b"page" in parse_qs(scope["query_string"]):  # Gradio's own word for other pages
            raise Refusal(404, "There is nothing here.")
        is_upload = path.rstrip("/") == UPLOAD
        if is_upload and scope["method"] == "POST" and self.uploads.full:
            raise Refusal(503, "The server holds as many images as it can. Try again later.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > most_bytes(scope):
            raise Refusal(413, too_large(scope))
        if not is_upload and headers.get("content-type", "").strip().lower().startswith("multipart/"):
            raise Refusal(415, "Files are taken at the address for uploads only.")  # elsewhere nobody tidies them up

    def knows(self, name: str) -> bool:
        """Whether the server answers under this name. Bare addresses are fine: see `is_address`."""
        return name in own_names() | self.names or is_address(name)

    def is_ours(self, origin: str, host: str) -> bool:
        """Whether a page of this origin is this server's own: of the host and port that it asks, or of a further name.

        A proxy may ask under another name than its visitors.
        """
        scheme, _, place = origin.partition("://")
        return scheme in ("http", "https") and (place.lower() == host.lower() or name_in(place) in self.names)

    def bounded(self, scope: Scope, receive: Receive) -> Receive:
        """Receive a request's body within its limits of size and time."""
        deadline = time.monotonic() + MOST_BODY_SECONDS
        received, whole = 0, False

        async def receive_bounded() -> Message:
            nonlocal received, whole
            if whole:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                raise Refusal(408, "The request took too long to arrive. Try again.") from None
            arrived = len(message.get("body", b""))
            received += arrived
            whole = not message.get("more_body", False)
            if scope["path"].rstrip("/") == UPLOAD:
                self.uploads.bytes += arrived
            if received > most_bytes(scope):
                raise Refusal(413, too_large(scope))
            return message

        return receive_bounded


def most_bytes(scope: Scope) -> int:
    """How large the body of a request may be."""
    return MOST_UPLOAD_BYTES if scope["path"].rstrip("/") == UPLOAD else MOST_REQUEST_BYTES


def too_large(scope: Scope) -> str:
    """The sentence for a body that is too large."""
    if most_bytes(scope) == MOST_UPLOAD_BYTES:
        return (
            f"An uploaded file may have at most {MOST_BYTES // 2**20} MiB. Save an image smaller, as JPEG for example."
        )
    return f"A request may have at most {MOST_REQUEST_BYTES // 2**10} KiB."
