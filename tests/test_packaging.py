"""Packaging: version, dependency groups and citation are consistent."""

import gzip
import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import vitviz
from vitviz.webapp.server.modules import resolve_imports

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "vitviz" / "webapp" / "static"
PAGES = ["explore.js", "compare.js", "train.js", "internals.js", "learn.js", "masthead.js"]
MAX_PAGE_BYTES = 150_000  # compressed modules of all tabs, without those loaded on demand
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_dev_group_and_requirements_dev_name_the_same_packages():
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    assert lines[0] == "-r requirements.txt"
    assert sorted(lines[1:]) == sorted(PROJECT["dependency-groups"]["dev"])


def test_version_is_the_same_in_package_changelog_and_citation():
    citation = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    newest = re.search(r"^## (\d\S*) ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert vitviz.__version__ == citation == newest


def test_the_type_marker_ships():
    assert (ROOT / "vitviz" / "py.typed").is_file()
    assert "py.typed" in PROJECT["tool"]["setuptools"]["package-data"]["vitviz"]


def test_the_build_of_the_front_end_ships():
    names = {path.name for path in STATIC.iterdir() if path.is_file()}
    assert {"explore.js", "compare.js", "train.js", "internals.js", "learn.js", "masthead.js", "standalone.js"} <= names
    assert {"explore.css", "compare.css", "train.css", "internals.css", "learn.css"} <= names
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["vitviz.webapp"]
    assert all(any(fnmatch(f"static/{name}", pattern) for pattern in patterns) for name in names)
    assert [path.name for path in STATIC.iterdir() if path.is_dir()] == []


def test_the_modules_of_the_page_are_small():
    sizes = {name: len(gzip.compress((STATIC / name).read_bytes())) for name in resolve_imports(PAGES)}
    assert sum(sizes.values()) <= MAX_PAGE_BYTES, sizes


def test_the_dockerfile_copies_what_exists_and_starts_the_page_as_another_user():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    sources = [name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]]
    assert {"app.py", "vitviz", "checkpoints", "requirements.txt"} <= set(sources)
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    for name in sources:
        assert (ROOT / name).exists()
        assert f"!{name}" in allowed
    user, command = lines.index("USER vitviz"), lines.index('CMD ["python", "app.py", "--public"]')
    assert user < command
    assert any(line.startswith("HEALTHCHECK") for line in lines)
