"""JavaScript modules and styles of the page: the files that Vite builds in `static/`, at `/vitviz/`."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from starlette.datastructures import MutableHeaders, QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC_DIR = Path(__file__).parents[1] / "static"
URL_PREFIX = "/vitviz/"
API_PREFIX = "/vitviz/api"
MEDIA_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
IMPORT = re.compile(r"""\b(?:from|import)\s*["']\./([\w.-]+\.js)["']""")  # static imports only


class ModuleFiles(StaticFiles):
    """Files are revalidated at each use, so that a browser never combines two versions."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC_DIR)

    def get_path(self, scope: Scope) -> str:
        """Return the name of the file, also if a proxy serves the page under a path and removes it from requests."""
        return str(scope["path"]).removeprefix(URL_PREFIX)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Serve modules and styles only."""
        if not path.endswith(tuple(MEDIA_TYPES)):
            raise HTTPException(404)
        return await super().get_response(path, scope)

    def file_response(self, full_path: Any, *args: Any, **kwargs: Any) -> Response:
        """Set the media type, which depends on the operating system otherwise; browsers refuse other ones."""
        response = super().file_response(full_path, *args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        if not isinstance(response, NotModifiedResponse):
            response.headers["Content-Type"] = MEDIA_TYPES[Path(full_path).suffix]
        return response


class ModulePreload:
    """ASGI middleware that lists files in a header of the page, so that the browser loads them while Gradio starts.

    Args:
        app: The wrapped application.
        first: The modules that every page needs.
        pages: Names of the pages; that of the query string is preloaded, by default the first.
    """

    def __init__(self, app: ASGIApp, first: Sequence[str], pages: Sequence[str]) -> None:
        self.app = app
        self.links = {page: preload_links([*first, f"{page}.js"]) for page in pages}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        tab = QueryParams(scope.get("query_string", b"")).get("tab", "")

        async def send_with_links(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Link"] = self.links.get(tab, next(iter(self.links.values())))
            await send(message)

        is_page = scope["type"] == "http" and scope["path"] == "/"
        await self.app(scope, receive, send_with_links if is_page else send)


def preload_links(names: Iterable[str]) -> str:
    """Return the header for modules with all that they import, and their styles.

    URLs are relative to the page, which a proxy may serve under a path.
    """
    folder, modules = URL_PREFIX.lstrip("/"), resolve_imports(names)
    styles = [name for module in modules if (STATIC_DIR / (name := f"{Path(module).stem}.css")).is_file()]
    links = [f"<{folder}{module}>; rel=modulepreload" for module in modules]
    return ", ".join(links + [f"<{folder}{name}>; rel=preload; as=style; crossorigin" for name in styles])


def resolve_imports(names: Iterable[str]) -> list[str]:
    """Return the modules that exist and all that they import, directly or not."""
    found = [name for name in names if (STATIC_DIR / name).is_file()]
    for name in found:
        imported = IMPORT.findall((STATIC_DIR / name).read_text(encoding="utf-8"))  # also in comments
        found += [other for other in dict.fromkeys(imported) if other not in found and (STATIC_DIR / other).is_file()]
    return found
