"""The documentation site: pages, formulas, figures, links, and no resource from another host."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import vitviz
from scripts import site_pages

ROOT = Path(__file__).parents[1]
RESOURCES = {
    ("script", "src"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
    ("object", "data"),
}
LOADED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch", "manifest"}
CSS_URL = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


class Document(HTMLParser):
    """Anchors, links and resources of an HTML file."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.resources = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        values = {name: value or "" for name, value in attrs}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link" and LOADED_LINKS & set(values.get("rel", "").split()):
            self.resources.append(values["href"])
        self.resources += [value for name, value in values.items() if (tag, name) in RESOURCES]
        self.resources += css_urls(values.get("style", ""))


def css_urls(text):
    return [first or second for first, second in CSS_URL.findall(text)]


@pytest.fixture(scope="module")
def documents(site):
    """All pages of the site by file; `figures/` has what the pages' code wrote."""
    return {path: Document(path) for path in site.rglob("*.html")}


def is_external(address):
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def test_links_between_documents_become_links_between_pages():
    assert site_pages.site_path("docs/usage.md", "") == "usage.md"
    assert site_pages.site_path("SECURITY.md", "") == "security.md"
    assert site_pages.site_path("../README.md", "docs") == "index.md"
    assert site_pages.site_path("training.md", "docs") == "training.md"
    assert site_pages.site_path("docs/cat.gif", "") == "cat.gif"
    assert site_pages.site_path("absent.md", "") == "absent.md"
    assert site_pages.title_of(ROOT / "README.md") == "vitviz", "not a comment of the front matter"
    assert site_pages.title_of(ROOT / "docs" / "usage.md") == "Usage"


def test_a_block_is_run_in_a_folder_of_its_own_and_its_output_returned():
    printed, written = site_pages.execute("print(1 + 1)\nopen('a.txt', 'w').write('x')")
    assert (printed, written) == ("2\n", {"a.txt": b"x"})
    with pytest.raises(ZeroDivisionError):
        site_pages.execute("1 / 0")


def test_a_figure_is_described_by_the_paragraph_before_its_code():
    assert site_pages.caption("# A\n\nOne.\n\nThe `map` of\n[all](x.md) *heads*.\n\n") == "The map of all heads."


def test_every_method_has_a_section_with_a_formula_and_its_scores():
    sections = (ROOT / "docs" / "methods.md").read_text().split("\n### ")[1:]
    found = {site_pages.METHOD.search(section)[1]: section for section in sections}
    assert found.keys() == vitviz.METHODS.keys()
    for name, section in found.items():
        assert section.startswith(vitviz.METHODS[name].title + "\n")
        assert "\n$$" in section
        text = site_pages.describe_method(name)
        assert vitviz.METHODS[name].about in text
        if not vitviz.METHODS[name].of_texts:  # no shipped model has it
            assert re.search(r"Gap: -?0\.\d{3} ± 0\.\d{3}", text), name
    assert set(site_pages.gaps_of("Rollout")) == {"mean color", "blur", "ROAD", "tokens dropped"}
    assert site_pages.gaps_of("Rollout")["mean color"] == "0.248 ± 0.015"


@pytest.mark.slow
def test_the_site_has_a_page_for_every_document(site):
    pages = {path.relative_to(site).as_posix() for path in site.glob("*.html")}
    documents = {path.name for path in ROOT.glob("docs/*.md")} | set(site_pages.PAGES.values())
    assert pages == {name.replace(".md", ".html") for name in documents} | {"404.html"}
    for name in pages - {"404.html"}:
        assert "<h1" in (site / name).read_text(), name


@pytest.mark.slow
def test_nothing_is_loaded_from_another_host(site, documents):
    found = {(path.name, name) for path, document in documents.items() for name in document.resources}
    assert len(found) > 100
    for path in site.rglob("*.css"):
        found |= {(path.name, name) for name in css_urls(path.read_text())}
    for path in documents:
        for style in re.findall(r"<style[^>]*>(.*?)</style>", path.read_text(), re.DOTALL):
            found |= {(path.name, name) for name in css_urls(style)}
    assert [entry for entry in found if is_external(entry[1])] == []


@pytest.mark.slow
def test_links_and_resources_of_the_site_exist(site, documents):
    checked = 0
    for path, document in documents.items():
        for address in document.links + document.resources:
            parts = urlsplit(address)
            if is_external(address) or parts.scheme == "data":
                continue
            relative = unquote(parts.path)
            target = site / relative.lstrip("/") if relative.startswith("/") else (path.parent / relative).resolve()
            target = path if not relative else target / "index.html" if target.is_dir() else target
            assert target.is_file(), (path.name, address)
            if parts.fragment and target in documents and not parts.fragment.startswith("__"):
                assert unquote(parts.fragment) in documents[target].ids, (path.name, address)
            checked += 1
    assert checked > 1000


@pytest.mark.slow
def test_the_api_reference_has_every_public_name(site, documents):
    ids = documents[site / "api.html"].ids
    assert [name for name in vitviz.__all__ if f"vitviz.{name}" not in ids] == []
    methods = [name for name, value in vars(vitviz.Explanation).items() if callable(value) and not name.startswith("_")]
    assert len(methods) > 10
    assert [name for name in methods if f"vitviz.Explanation.{name}" not in ids] == []


@pytest.mark.slow
def test_figures_are_drawn_and_output_is_printed_by_the_code_of_the_pages(site, documents):
    gallery = documents[site / "gallery.html"].resources
    for block in site_pages.PYTHON.findall((ROOT / "docs" / "gallery.md").read_text()):
        name = re.search(r'"(\w+\.(?:png|html|gif))"', block)[1]
        assert f"figures/{name}" in gallery
        assert (site / "figures" / name).stat().st_size > 10_000
    guide = (site / "guide.html").read_text()
    assert "&lt;Explanation of an image by cifar10-ti4: cat, 83.4 %&gt;" in guide


@pytest.mark.slow
def test_formulas_are_mathml(site):
    page = (site / "methods.html").read_text()
    assert page.count('display="block"') == len(vitviz.METHODS)
    assert "arithmatex" not in page
    assert "\\frac" not in page


@pytest.mark.slow
def test_the_search_finds_methods_and_functions(site):
    index = json.loads((site / "search" / "search_index.json").read_text())
    titles = {re.sub(r"<[^>]+>", "", entry["title"]).strip() for entry in index["docs"]}
    assert {"Rollout", "Quick start", "A classroom"} <= titles
    assert any(title.endswith("patch_activations") for title in titles)
