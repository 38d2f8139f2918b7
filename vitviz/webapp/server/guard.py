"""Access control of the server: host names, origins, paths, body sizes and security headers."""

import asyncio
import ipaddress
import logging
import os
import re
import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vitviz.data.preprocessing import MAX_UPLOAD_BYTES as MAX_IMAGE_BYTES
from vitviz.runs.process import DISK_FULL
from vitviz.webapp.server import modules
from vitviz.webapp.server import uploads as limits
from vitviz.webapp.server.refusals import DISK_IS_FULL, Refusal, RequestRefusedError, generic_error
from vitviz.webapp.server.uploads import Uploads

log = logging.getLogger(__name__)

# Of `gradio_client`, and of the page: images, and zips of images.
UPLOADS = ("/gradio_api/upload", *(f"{modules.API_PREFIX}/data/{name}" for name in ("uploads", "folders")))
MAX_UPLOAD_BYTES = MAX_IMAGE_BYTES + 2**16  # one image and its multipart framing
MAX_SET_BYTES = 2**20  # of a request that names all images of taught classes
MAX_REQUEST_BYTES = 2**15  # of any other request; the page's own have some hundred bytes

SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY", re.IGNORECASE)
HOST = re.compile(r"([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?")  # a name or an address, and a port
ENDPOINTS = ("explain", "checkpoints", "methods")  # of the public API

# Paths that the page and `gradio_client` request; one that ends in "/" includes all below it.
API = ["app_id", "cancel", "custom_component/", "heartbeat/", "info", "login_check"]
API += ["queue/", "reset", "startup-events", "theme.css", "upload", "upload_progress"]
API += [f"call/{version}{name}/" for name in ENDPOINTS for version in ("", "v2/")]
PATHS = ["/assets/", "/config", "/favicon.ico", "/manifest.json", "/robots.txt", "/static/", "/svelte/", "/theme.css"]
PATHS += [modules.URL_PREFIX]
PATHS += [f"/gradio_api/{name}" for name in API]
MCP = "/gradio_api/mcp"  # the tools, with --mcp

# Gradio compiles the page's scripts in the browser, hence "unsafe-inline" and "unsafe-eval". Nothing is loaded from,
# sent to or framed by another site.
POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
    "worker-src": "'self' blob:",  # of the model in the browser
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' data: blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'self'",
}
SPACE_FRAMES = "'self' https://huggingface.co https://*.hf.space"  # sites that embed a Space


def is_space() -> bool:
    """Whether this process is a public Hugging Face Space."""
    return "SPACE_ID" in os.environ


def remove_secrets() -> None:
    """Remove variables that look like secrets from the environment: the page needs none, so none can leak."""
    for name in filter(SECRET.search, [*os.environ]):
        del os.environ[name]


def machine_names() -> frozenset[str]:
    """Return the host names of this machine."""
    name = socket.gethostname().lower()
    return frozenset({"localhost", name, f"{name}.local"})


def allowed_hosts(hosts: Iterable[str] = ()) -> frozenset[str]:
    """Return the host names of proxies: the Space's, those given, and those in VITVIZ_HOSTS.

    Raises:
        ValueError: If one is not a host name.
    """
    names = [*hosts, *os.environ.get("VITVIZ_HOSTS", "").split(","), os.environ.get("SPACE_HOST", "")]
    return frozenset(normalize_host(name.strip()) for name in names if name.strip())


def normalize_host(text: str) -> str:
    """Return a host name as browsers send it: lower case, IDNA-encoded, without port.

    Raises:
        ValueError: If it is not a host name.

    Example:
        >>> normalize_host("Bücher.example:8443")
        'xn--bcher-kva.example'
    """
    with suppress(UnicodeError):  # empty or too long labels
        if HOST.fullmatch(text) and (name := parse_host(text).encode("idna").decode()):
            return name
    raise ValueError(
        f"An allowed host must be a host name such as vit.example.org: got {text[:80]!r}. Leave out scheme and path."
    )


def parse_host(netloc: str) -> str:
    """Return the host of "host:port" in lower case, without the brackets of IPv6; empty if it is invalid."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_address(name: str) -> bool:
    """Whether a host is an IP address. DNS rebinding can point a foreign name to this server, but not an address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_known_path(path: str, mcp: bool = False) -> bool:
    """Whether a path may be requested; `mcp` adds that of the MCP tools."""
    plain = path.rstrip("/")
    return (
        not plain
        or (mcp and plain == MCP)
        or any(plain == p.rstrip("/") or (p.endswith("/") and path.startswith(p)) for p in PATHS)
    )


def content_security_policy() -> str:
    """Return the Content-Security-Policy."""
    parts = POLICY | ({"frame-ancestors": SPACE_FRAMES} if is_space() else {})
    return "; ".join(f"{name} {value}" for name, value in parts.items())


class Guard:
    """ASGI middleware that accepts only requests the page makes and refuses others with a sentence.

    It refuses unknown host names, other origins, paths the page does not need, and bodies too large or too slow.

    Args:
        app: The wrapped application.
        names: Host names in addition to those of this machine, from `allowed_hosts`.
        uploads: The upload folder, whose size is tracked.
        mcp: Whether the MCP tools may be requested.
    """

    def __init__(self, app: ASGIApp, names: frozenset[str], uploads: Uploads, mcp: bool = False) -> None:
        self.app, self.names, self.uploads, self.mcp = app, names, uploads, mcp
        self.headers = {
            "Content-Security-Policy": content_security_policy(),
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
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
            await self.app(scope, self.limit_body(scope, receive), send_guarded)
        except RequestRefusedError as refusal:
            response: Response = PlainTextResponse(refusal.sentence, refusal.status, {"Connection": "close"})
            if scope["path"].startswith(f"{modules.API_PREFIX}/"):
                content = Refusal(problem=refusal.sentence, error=refusal.sentence).model_dump()
                response = JSONResponse(content, refusal.status, {"Connection": "close"})
            error: Exception = refusal
        except Exception as unexpected:
            sentence, status = DISK_IS_FULL, 507
            if not isinstance(unexpected, OSError) or unexpected.errno not in DISK_FULL:
                (sentence, reference), status = generic_error(), 500
                log.exception("Request failed, reference %s", reference)
            response, error = JSONResponse({"detail": sentence}, status), unexpected
        else:
            return
        if started:
            raise error
        await response(scope, receive, send_guarded)

    def check(self, scope: Scope) -> None:
        """Check the head of a request.

        Raises:
            RequestRefusedError: If host, origin, path, size or content type is not allowed.
        """
        headers, path = Headers(scope=scope), scope["path"]
        host = parse_host(headers.get("host", ""))
        if host not in machine_names() | self.names and not is_address(host):
            raise RequestRefusedError(400, "This host name is not allowed. Run: vitviz app --allow-host NAME")
        if "origin" in headers and not self.is_same_origin(headers["origin"], headers["host"]):
            raise RequestRefusedError(403, "Pages of other sites may not use this server.")
        # Browsers send it with every request, and Origin not with GET. A link to the page is a navigation.
        is_link = headers.get("sec-fetch-mode") == "navigate" and not path.strip("/") and scope["method"] == "GET"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_link:
            raise RequestRefusedError(403, "Pages of other sites may not use this server.")
        # Gradio's parameter for other pages.
        if not is_known_path(path, self.mcp) or b"page" in parse_qs(scope["query_string"]):
            raise RequestRefusedError(404, "Not found.")
        if path.startswith(modules.URL_PREFIX):
            method = "POST" if path.startswith(f"{modules.API_PREFIX}/") else "GET"
            if scope["method"] != method:
                raise RequestRefusedError(405, f"Only {method} is allowed here.")
        if is_upload(scope) and scope["method"] == "POST" and self.uploads.is_full:
            raise RequestRefusedError(503, "The upload storage of the server is full. Try again later.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > max_bytes(scope):
            raise RequestRefusedError(413, too_large(scope))
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if not is_upload(scope) and kind.startswith("multipart/"):
            # Other endpoints do not delete them.
            raise RequestRefusedError(415, "Files are accepted by the upload endpoint only.")
        # Another site's page can send other types of content without asking.
        if path.startswith(f"{modules.API_PREFIX}/") and not is_upload(scope) and kind != "application/json":
            raise RequestRefusedError(415, "The content type must be application/json.")

    def is_same_origin(self, origin: str, host: str) -> bool:
        """Whether a page of this origin is served by this server: its origin is the request's host or a proxy's name.

        A proxy may send another host name than its visitors.
        """
        scheme, _, netloc = origin.partition("://")
        return scheme in ("http", "https") and (netloc.lower() == host.lower() or parse_host(netloc) in self.names)

    def limit_body(self, scope: Scope, receive: Receive) -> Receive:
        """Limit size and time of a request's body."""
        deadline = time.monotonic() + limits.MAX_BODY_SECONDS
        received, is_complete = 0, False

        async def receive_limited() -> Message:
            nonlocal received, is_complete
            if is_complete:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                raise RequestRefusedError(408, "The request took too long to arrive. Try again.") from None
            arrived = len(message.get("body", b""))
            received += arrived
            is_complete = not message.get("more_body", False)
            if is_upload(scope):
                self.uploads.bytes += arrived
            if received > max_bytes(scope):
                raise RequestRefusedError(413, too_large(scope))
            return message

        return receive_limited


def is_upload(scope: Scope) -> bool:
    """Whether a request is for an upload endpoint."""
    return scope["path"].rstrip("/") in UPLOADS


def max_bytes(scope: Scope) -> int:
    """Return the maximum size of a request's body."""
    if is_upload(scope):
        return MAX_UPLOAD_BYTES
    return MAX_SET_BYTES if scope["path"].startswith(f"{modules.API_PREFIX}/teaching/") else MAX_REQUEST_BYTES


def too_large(scope: Scope) -> str:
    """Return the message for a body that is too large."""
    if is_upload(scope):
        return (
            f"An upload may have at most {MAX_IMAGE_BYTES // 2**20} MiB. Save the image smaller, for example as JPEG."
        )
    return f"A request may have at most {max_bytes(scope) // 2**10} KiB."
