"""Packaging: version, dependency groups and citation are consistent."""

import ast
import gzip
import re
import shutil
import site
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import vitviz
from vitviz.webapp.page import page_names
from vitviz.webapp.server.modules import resolve_imports

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "vitviz" / "webapp" / "static"
FIRST = ["main.js", "App.js", "explore.js"]  # what the page loads to show an image
MAX_FIRST_BYTES = 68_000  # compressed
MAX_WHEEL_BYTES = 16_000_000  # with the checkpoints
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_package_that_is_imported_is_required():
    modules = {
        name.partition(".")[0]
        for path in (ROOT / "vitviz").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [one.name for one in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "")]
        )
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    named = {"pillow" if name == "PIL" else name.replace("_", "-") for name in modules - sys.stdlib_module_names}
    required = {Requirement(line).name for line in (ROOT / "requirements.txt").read_text().splitlines()}
    optional = {
        "anywidget",
        "datasets",
        "pillow-heif",
        "pyarrow",
        "pypdf",
        "traitlets",
        "lightning",
        "timm",
        "transformers",
    }  # imported only where they are installed
    assert named - {"vitviz"} - optional == required - {"tensorboard"}


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
    assert {f"{name}.{kind}" for name in page_names() for kind in ("js", "css")} | {"main.js", "standalone.js"} <= names
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["vitviz.webapp"]
    assert all(any(fnmatch(f"static/{name}", pattern) for pattern in patterns) for name in names)
    assert [path.name for path in STATIC.iterdir() if path.is_dir()] == []


def test_the_modules_of_the_first_page_are_small():
    sizes = {name: len(gzip.compress((STATIC / name).read_bytes())) for name in resolve_imports(FIRST)}
    assert sum(sizes.values()) <= MAX_FIRST_BYTES, sizes


def test_the_front_matter_of_the_readme_is_that_of_a_space():
    front = (ROOT / "README.md").read_text().split("---\n")[1]
    space = yaml.safe_load(front)
    assert {"title", "emoji", "colorFrom", "colorTo", "sdk", "license", "tags", "datasets"} <= space.keys()
    assert len(space["short_description"]) <= 60
    assert (ROOT / space["app_file"]).is_file()
    requirement = next(
        line for line in (ROOT / "requirements.txt").read_text().splitlines() if line.startswith("gradio")
    )
    assert space["sdk_version"] in Requirement(requirement).specifier
    # What depends on the owner: replaced and without its "#", as docs/deploy.md says.
    owned = yaml.safe_load(
        front.replace("# models", "models").replace("# thumbnail", "thumbnail").replace("OWNER", "me")
    )
    assert owned["models"] == ["me/cifar10-ti4"]
    address, path = owned["thumbnail"].split("/resolve/main/")
    assert address == f"https://huggingface.co/spaces/me/{space['title']}"
    assert (ROOT / path).is_file()


def run(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The sdist, and the wheel that was built from it."""
    source, output = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in ("MANIFEST.in", "pyproject.toml", "requirements.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("vitviz", "checkpoints"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    assert "WARNING" not in run([sys.executable, "-m", "build", "--no-isolation", "--outdir", output, source], source)
    (sdist,), (wheel,) = output.glob("*.tar.gz"), output.glob("*.whl")
    return sdist, wheel


@pytest.mark.slow
def test_the_distributions_can_be_published(distributions):
    assert [path.name for path in distributions] == [
        f"vitviz-{vitviz.__version__}.tar.gz",
        f"vitviz-{vitviz.__version__}-py3-none-any.whl",
    ]
    run([sys.executable, "-m", "twine", "check", "--strict", *distributions], ROOT)
    with tarfile.open(distributions[0]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"README.md", "LICENSE", "requirements.txt", "pyproject.toml"} <= names


@pytest.mark.slow
def test_the_wheel_has_every_file_of_the_package_and_the_checkpoints_and_is_small(distributions):
    wheel = distributions[1]
    assert wheel.stat().st_size < MAX_WHEEL_BYTES
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "vitviz").rglob("*") if path.is_file()}
    assert {name for name in package if "__pycache__" not in name} - names == set()
    checkpoints = [
        path for pattern in ("*.safetensors", "*.npz", "SHA256SUMS") for path in (ROOT / "checkpoints").glob(pattern)
    ]
    assert len(checkpoints) >= 4
    assert {f"vitviz/checkpoints/{path.name}" for path in checkpoints} <= names


@pytest.mark.slow
def test_the_installed_command_explains_an_image_with_the_installed_checkpoint(distributions, tmp_path):
    """In an environment that has the wheel, and the other packages from this one."""
    run([sys.executable, "-m", "venv", "--without-pip", "env"], tmp_path)
    (packages,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(
        "\n".join([*site.getsitepackages(), *(path for path in sys.path if "site-packages" in path)])
    )
    python, command = tmp_path / "env" / "bin" / "python", tmp_path / "env" / "bin" / "vitviz"
    run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", distributions[1]],
        tmp_path,
    )
    assert str(packages) in run([python, "-c", "import vitviz; print(vitviz.__file__)"], tmp_path)
    output = run([command, "explain", "cat", "--output", "cat.svg"], tmp_path)
    assert "cat" in output
    assert (tmp_path / "cat.svg").read_text().startswith("<?xml")
    assert all(name in run([command, "--help"], tmp_path) for name in ("app", "train", "explain"))
