"""Previews of copied links: title, description and image of this project."""

import io
import re
from html.parser import HTMLParser

from PIL import Image

from tests.webapp.serving import IGNORE_PANDAS_WARNINGS
from vitviz.webapp import preview
from vitviz.webapp.preview import replace_tags

pytestmark = IGNORE_PANDAS_WARNINGS


class Tags(HTMLParser):
    """Content of the meta tags by property or name, in order."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "meta" and "content" in values:
            self.found.append((values.get("property") or values.get("name"), values["content"]))


def test_a_link_is_previewed_with_the_projects_title_description_and_image(client):
    status, headers, body = client.request("GET", "/?image=dog&layer=2")
    assert (status, int(headers["Content-Length"])) == (200, len(body))
    page = body.decode()
    found = Tags(page).found
    kinds = [name for name, _ in found if name and name.startswith(("og:", "twitter:"))]
    assert len(kinds) == len(set(kinds)), "no tag is there twice"
    tags = dict(found)
    assert tags["og:title"] == tags["twitter:title"] == "vitviz"
    assert tags["og:description"] == tags["description"] == preview.DESCRIPTION
    assert not re.search(r"<meta[^>]*(Gradio|gradio\.app|gradio-app|teamGradio)", page)
    assert "og:url" not in tags, "a link holds the view in its query string"
    assert tags["og:image"] == tags["twitter:image"] == f"http://{client.host}/vitviz/preview.png"


def test_behind_a_proxy_the_image_has_the_public_address(client):
    forwarded = {"Host": "vitviz.example", "X-Forwarded-Proto": "https"}
    tags = dict(Tags(client.request("GET", "/", forwarded)[2].decode()).found)
    assert tags["og:image"] == tags["twitter:image"] == "https://vitviz.example/vitviz/preview.png"
    assert tags["twitter:card"] == "summary_large_image"


def test_the_image_of_the_preview_is_served(client):
    status, headers, body = client.request("GET", "/vitviz/preview.png")
    assert (status, headers["Content-Type"]) == (200, "image/png")
    with Image.open(io.BytesIO(body)) as image:
        assert image.size == preview.IMAGE_SIZE
    assert len(body) <= 100_000


def test_other_responses_are_unchanged(client):
    assert "og:title" not in client.request("GET", "/config")[2].decode()
    assert client.request("HEAD", "/")[0] in (200, 405)


def test_a_page_without_an_address_has_no_image():
    page = '<head><meta charset="utf-8" /><meta\n property="og:image"\n content="https://gradio.app/x.png"\n/></head>'
    replaced = replace_tags(page)
    assert "gradio" not in replaced
    assert "og:image" not in replaced
    assert replaced.startswith('<head><meta charset="utf-8" /><meta name="description"')
