"""Packaging: version, dependency groups and citation are consistent."""

import re
import tomllib
from pathlib import Path

import vitviz

ROOT = Path(__file__).parents[1]
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
