"""Link previews: the page's own title, description and image in place of Gradio's."""

import html
import re
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.responses import FileResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vitviz.webapp.server.modules import URL_PREFIX

TITLE = "vitviz"
DESCRIPTION = "See what a Vision Transformer attends to: every layer and head, in the browser."
IMAGE = Path(__file__).parent / "preview.png"
IMAGE_SIZE = (1200, 630)  # px
IMAGE_URL = f"{URL_PREFIX}{IMAGE.name}"

TAG = re.compile(r"""<meta\s+(?:property="og:|name="twitter:|name="description")[^>]*>\s*""")
ROOT = re.compile(r'"root":\s*"(https?://[^"\\<>]+)"')  # in Gradio's config: the URL of the page
CHARSET = '<meta charset="utf-8" />'

route = Route(IMAGE_URL, lambda request: FileResponse(IMAGE, headers={"Cache-Control": "max-age=86400"}))


class LinkPreview:
    """ASGI middleware that replaces the tags of link previews in the page.

    Args:
        app: The wrapped application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        start: Message = {}
        body = b""

        async def send_replaced(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body", False):
                return
            headers = MutableHeaders(scope=start)
            if "content-encoding" not in headers and headers.get("content-type", "").startswith("text/html"):
                body = replace_tags(body.decode()).encode()
                headers["content-length"] = str(len(body))
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, send_replaced)


def replace_tags(page: str) -> str:
    """Return the HTML of the page with the tags of this project instead of Gradio's."""
    root = ROOT.search(page)
    tags = {
        'name="description"': DESCRIPTION,
        'property="og:type"': "website",
        'property="og:site_name"': TITLE,
        'property="og:title"': TITLE,
        'property="og:description"': DESCRIPTION,
        'name="twitter:card"': "summary_large_image",
        'name="twitter:title"': TITLE,
        'name="twitter:description"': DESCRIPTION,
    }
    if root is not None:  # images of previews need an absolute URL
        url = root[1].rstrip("/") + IMAGE_URL
        sizes = {'property="og:image:width"': str(IMAGE_SIZE[0]), 'property="og:image:height"': str(IMAGE_SIZE[1])}
        tags |= {'property="og:image"': url, **sizes, 'name="twitter:image"': url}
    own = "".join(f'<meta {name} content="{html.escape(value)}" />' for name, value in tags.items())
    return TAG.sub("", page).replace(CHARSET, CHARSET + own, 1)
