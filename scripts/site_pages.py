"""Hooks of MkDocs that make the pages of the documentation site; `mkdocs.yml` names them.

Documents outside docs/ become pages without being copied. The Python blocks of `EXECUTED` pages run when the site is
built, and what they print and write follows them. Formulas in LaTeX become MathML, which needs no script and no font.
"""

import contextlib
import functools
import html
import io
import json
import posixpath
import re
import runpy
import tempfile
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "checkpoints/README.md": "checkpoints.md",
}
DOWNLOADS = ["CITATION.cff"]
EXECUTED = ("guide.md", "gallery.md", "methods.md")
FILE_NAME = re.compile(r"(?<=\[)(?:docs/)?[\w-]+\.md(?=\]\(([^)#]+))")
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
METHOD = re.compile(r"^<!-- method: (\w+) -->$", re.MULTILINE)
FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)
METHODS_TABLE = "<!-- methods -->"
GLOSSARY = "<!-- glossary -->"
PAPER = re.compile(r"\[([^]]+)\]\((https://arxiv\.org/abs/[^)]+)\)")
GAPS = {  # section of docs/faithfulness.md -> how patches are removed, in its last columns
    "Patches masked": ["mean color"],
    "Other ways of removing patches": ["blur", "ROAD", "tokens dropped"],
    "Methods on request": ["mean color, 100 images"],
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents that are outside docs/."""
    for source, uri in [*PAGES.items(), *zip(DOWNLOADS, DOWNLOADS, strict=True)]:
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Adapt links, describe methods, and run the Python blocks of a page."""
    uri = page.file.src_uri
    source = next((source for source, target in PAGES.items() if target == uri), f"docs/{uri}")
    folder = posixpath.dirname(source)
    markdown = FILE_NAME.sub(lambda name: title_of(ROOT / folder / name[1]), markdown)
    markdown = LINK.sub(lambda link: site_path(link[1], folder), markdown)
    if uri == "methods.md":
        markdown = METHOD.sub(lambda mark: describe_method(mark[1]), markdown)
        markdown = markdown.replace(METHODS_TABLE, methods_table())
    if uri == "glossary.md":
        markdown = markdown.replace(GLOSSARY, glossary())
    if uri in EXECUTED:
        markdown = PYTHON.sub(lambda block: with_results(block, config, files), markdown)
    return markdown


def on_page_content(html_text: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace formulas in LaTeX by MathML."""
    return FORMULA.sub(lambda found: mathml(html.unescape(found[2]), found[1]), html_text)


def glossary() -> str:
    """Return the words of the page's help and lesson, with their symbols and formulas."""
    entries = json.loads((ROOT / "frontend" / "src" / "text" / "glossary.json").read_text())
    found = []
    for entry in sorted(entries, key=lambda entry: str(entry["term"]).lower()):
        formula = f" `{entry['formula']}`" if "formula" in entry else ""
        found.append(f"**{entry['term']}.** {entry['meaning']}{formula}")
    return "\n\n".join(found)


def site_path(link: str, folder: str) -> str:
    """Return the path in the site of a link from a document in a folder of the repository."""
    target = posixpath.normpath(posixpath.join(folder, link))
    if target in DOWNLOADS or target in PAGES:
        return PAGES.get(target, target)
    return target.removeprefix("docs/") if target.startswith("docs/") else link


def title_of(document: Path) -> str:
    """Return the first heading of a document, which the site shows in links in place of its file name."""
    text = FRONT_MATTER.sub("", document.read_text())
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1] if found else document.name


def mathml(latex: str, tag: str) -> str:
    """Return a formula as MathML in a <div> or <span>, which the search leaves out."""
    formula = convert(latex.strip(), display="block" if tag == "div" else "inline")
    return f'<{tag} class="formula" data-search-exclude>{formula}</{tag}>'


def with_results(block: re.Match[str], config: MkDocsConfig, files: Files) -> str:
    """Return a Python block followed by what it prints and by the figures and pages that it writes."""
    printed, written = execute(block[1])
    parts = [block[0]]
    if printed:
        parts.append(f"```text\n{printed.rstrip()}\n```")
    for name, content in written.items():
        uri = f"figures/{name}"
        if uri in files.src_uris:
            raise ValueError(f"{uri} is written twice")
        files.append(File.generated(config, uri, content=content))
        text = caption(block.string[: block.start()])
        if name.endswith(".html"):
            frame = f'<iframe src="{uri}" title="{html.escape(text)}" loading="lazy"></iframe>'
            parts.append(f'<div class="explorer">{frame}</div>')
        else:
            parts.append(f"[![{text}]({uri}){{ .figure loading=lazy }}]({uri})")
    return "\n\n".join(parts)


def caption(before: str) -> str:
    """Return the last paragraph of a text without its markup: the description of the figure that follows."""
    paragraph = " ".join(before.rstrip().rpartition("\n\n")[2].split())
    return re.sub(r"[`*]|\]\([^)]*\)|[\[\]]", "", paragraph)


@functools.cache
def execute(code: str) -> tuple[str, dict[str, bytes]]:
    """Run a Python block in an empty folder; return what it prints, and the files that it writes by name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
        script = Path(folder, "block.py")
        script.write_text(code)
        with contextlib.chdir(folder):
            runpy.run_path(str(script))
        script.unlink()
        return printed.getvalue(), {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def describe_method(name: str) -> str:
    """Return what a method shows, its source, and its scores."""
    from vitviz.attribution.methods import METHODS

    method = METHODS[name]
    source = method.source
    for paper, address in PAPER.findall((ROOT / "docs" / "methods.md").read_text()):
        source = source.replace(paper, f"[{paper}]({address})")
    facts = [f"`{name}`", *traits(name), source]
    gaps = [f"{gap} ({removal})" for removal, gap in gaps_of(method.title).items()]
    scores = f"\n\nGap: {', '.join(gaps)}." if gaps else ""
    return f"{' · '.join(facts)}\n\n{method.about}{scores}"


def traits(name: str) -> list[str]:
    """Return how a method's map is to be read: class, unit and cost."""
    from vitviz.attribution.methods import METHODS

    method = METHODS[name]
    units = {"weights": "attention weights", "logits": "signed, in logits", "relative": "relative to the largest patch"}
    units |= {"cosine": "signed, a cosine"}
    found = ["class-specific" if method.class_specific else "class-agnostic", units[method.unit]]
    return found + ["per pixel, too"] * (method.pixels is not None) + ["on request"] * method.on_request


def methods_table() -> str:
    """Return a table of all methods with their gaps."""
    from vitviz.attribution.methods import METHODS

    rows = [
        "| method | name | class-specific | unit | gap, mean color | gap, tokens dropped |",
        "|---|---|---|---|---|---|",
    ]
    for name, method in METHODS.items():
        gaps = gaps_of(method.title)
        masked = gaps.get("mean color") or "".join(f"{gap} (100 images)" for gap in gaps.values())
        anchor = re.sub(r"[^\w]+", "-", method.title.lower())
        cells = [
            f"[{method.title}](#{anchor})",
            f"`{name}`",
            "yes" if method.class_specific else "",
            method.unit,
            masked,
        ]
        rows.append(f"| {' | '.join([*cells, gaps.get('tokens dropped', '')])} |")
    return "\n".join(rows)


@functools.cache
def gaps_of(title: str) -> dict[str, str]:
    """Return the gaps of a method in docs/faithfulness.md by the way of removing patches."""
    found: dict[str, str] = {}
    for section in (ROOT / "docs" / "faithfulness.md").read_text().split("\n### ")[1:]:
        removals = next((names for start, names in GAPS.items() if section.startswith(start)), [])
        row = re.search(rf"^\| {re.escape(title)} \| (.+) \|$", section, re.MULTILINE)
        if removals and row:
            found |= zip(removals, row[1].split(" | ")[-len(removals) :], strict=True)
    return found
