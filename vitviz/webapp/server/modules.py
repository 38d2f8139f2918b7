"""JavaScript modules of the page: the files that Vite builds in `static/`, at `/vitviz/`."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC_DIR = Path(__file__).parents[1] / "static"
URL_PREFIX = "/vitviz/"
API_PREFIX = "/vitviz/api"
IMPORT = re.compile(r"""\b(?:from|import)\s*["']\./([\w-]+\.js)["']""")  # static imports only


class ModuleFiles(StaticFiles):
    """Modules are revalidated at each use, so that a browser never combines two versions."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC_DIR)

    def get_path(self, scope: Scope) -> str:
        """Return the name of the file, also if a proxy serves the page under a path and removes it from requests."""
        return str(scope["path"]).removeprefix(URL_PREFIX)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Serve modules only."""
        if not path.endswith(".js"):
            raise HTTPException(404)
        return await super().get_response(path, scope)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Set the media type, which else depends on the operating system: browsers refuse modules of other types."""
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        if not isinstance(response, NotModifiedResponse):
            response.headers["Content-Type"] = "text/javascript; charset=utf-8"
        return response


class ModulePreload:
    """ASGI middleware that lists modules in a header of the page, so that the browser loads them while Gradio starts.

    Args:
        app: The wrapped application.
        names: The modules that are needed first.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self.app = app
        # Relative to the page, which a proxy may serve under a path.
        self.links = ", ".join(
            f"<{URL_PREFIX.lstrip('/')}{module}>; rel=modulepreload" for module in resolve_imports(names)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""

        async def send_with_links(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Link"] = self.links
            await send(message)

        is_page = scope["type"] == "http" and scope["path"] == "/"
        await self.app(scope, receive, send_with_links if is_page else send)


def resolve_imports(names: Iterable[str]) -> list[str]:
    """Return the modules that exist and all that they import, directly or not."""
    found = [name for name in names if (STATIC_DIR / name).is_file()]
    for name in found:
        imported = IMPORT.findall((STATIC_DIR / name).read_text(encoding="utf-8"))  # also in comments
        found += [other for other in dict.fromkeys(imported) if other not in found and (STATIC_DIR / other).is_file()]
    return found
