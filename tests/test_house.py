"""The house: imports go down the list of rooms, heavy or foreign things stay out of where they do not belong."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "vitviz"
ROOMS = [
    "data",
    "models",
    "training",
    "runs",
    "plots",
    "attribution",
    "webapp",
    "top",
]  # each may import from those before it
TOP = {"cli", "__main__"}
APART = {
    ("attribution", "training"),
    ("attribution", "runs"),
    ("plots", "models"),
    ("plots", "training"),
    ("plots", "runs"),
}
FILES = sorted(PACKAGE.rglob("*.py"))


def room(parts: tuple[str, ...]) -> str | None:
    """The room of a module `vitviz.<parts>`; None for the package itself, which only hands out names."""
    if not parts or parts == ("__init__",):
        return None
    return "top" if parts[0] in TOP else parts[0]


def imported(path: Path) -> set[str]:
    """Full names of all modules that a file imports, anywhere in it; `from a import b` counts as a and a.b."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_every_file_stands_in_a_known_room():
    places = {room(path.relative_to(PACKAGE).with_suffix("").parts) for path in FILES}
    assert places == {None, *ROOMS}


def test_an_installed_vitviz_has_every_folder_of_the_package():
    packages = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {".".join(path.parent.relative_to(PACKAGE.parent).parts) for path in FILES}
    assert set(packages) == folders | {"vitviz.checkpoints"}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_go_one_way_only(path):
    own = room(path.relative_to(PACKAGE).with_suffix("").parts)
    if own is None:
        return
    for module in imported(path):
        parts = tuple(module.split("."))
        if parts[0] != "vitviz" or len(parts) == 1:
            continue
        other = room(parts[1:])
        if other not in ROOMS:
            continue  # a public name of the package itself
        assert ROOMS.index(other) <= ROOMS.index(own), f"{name(path)} imports {module}, which stands below it"
        assert (own, other) not in APART, f"{name(path)} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_gradio_stays_in_the_ui_and_figures_know_no_torch(path):
    own = room(path.relative_to(PACKAGE).with_suffix("").parts)
    roots = {module.split(".")[0] for module in imported(path)}
    if own not in ("webapp", "top"):
        assert "gradio" not in roots
    if own == "plots":
        assert "torch" not in roots
    if own != "top":
        assert "typer" not in roots


def calls(path: Path) -> set[str]:
    """What a file calls, as written."""
    return {ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_nothing_unpickles_evaluates_or_opens_a_shell(path):
    assert not {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "yaml"} & {
        module.split(".")[0] for module in imported(path)
    }
    assert not {"eval", "exec", "compile", "__import__", "torch.load", "os.system", "os.popen", "yaml.load"} & calls(
        path
    )
    assert not re.search(r"shell\s*=\s*True|allow_pickle\s*=\s*True|weights_only\s*=\s*False", path.read_text())


def test_the_checks_see_what_they_look_for(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(
        "def f():\n    from vitviz import webapp\n    import pickle, torch\n    torch.load('x'); eval('1')\n"
    )
    assert {"vitviz.webapp", "pickle", "torch"} <= imported(path)
    assert {"torch.load", "eval"} <= calls(path)
    assert room(("webapp", "app")) == "webapp"
    assert room(("cli",)) == room(("__main__",)) == "top"
