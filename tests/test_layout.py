"""Layout of the package: direction of imports, banned calls, and errors that are read as fields, not as text."""

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "vitviz"
# Each layer may import from those before it.
LAYERS = ["base", "data", "models", "view", "training", "runs", "plots", "attribution", "webapp", "top"]
BASE = {"errors", "files", "environment", "malloc"}
TOP = {"cli", "__main__", "evaluation", "tensorboard", "notebook"}
INDEPENDENT = {
    ("attribution", "training"),
    ("attribution", "runs"),
    ("plots", "models"),
    ("plots", "training"),
    ("plots", "runs"),
}
FILES = sorted(PACKAGE.rglob("*.py"))


def layer(parts: tuple[str, ...]) -> str | None:
    """Return the layer of a module `vitviz.<parts>`; None for the package itself, the public API."""
    if not parts or parts == ("__init__",):
        return None
    return "base" if parts[0] in BASE else "top" if parts[0] in TOP else parts[0]


def imports(path: Path) -> set[str]:
    """Return the full names of all modules a file imports at any level; `from a import b` yields a and a.b."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def calls(path: Path) -> set[str]:
    """Return the source of every called function in a file."""
    return {ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)}


def relative(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def layer_of(path: Path) -> str | None:
    return layer(path.relative_to(PACKAGE).with_suffix("").parts)


def test_every_file_belongs_to_a_known_layer():
    assert {layer_of(path) for path in FILES} == {None, *LAYERS}


def test_the_distribution_contains_every_package():
    packages = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {".".join(path.parent.relative_to(PACKAGE.parent).parts) for path in FILES}
    assert set(packages) == folders | {"vitviz.checkpoints"}


def offenders(find: Callable[[Path], Iterable[str]]) -> dict[str, list[str]]:
    """Return what a check finds in the files of the package, by file."""
    found = {relative(path): sorted(find(path)) for path in FILES}
    return {name: faults for name, faults in found.items() if faults}


def imports_of_higher_layers(path: Path) -> Iterator[str]:
    own = layer_of(path)
    if own is None:
        return
    for module in imports(path):
        package, *parts = module.split(".")
        if package != "vitviz" or not parts:
            continue
        other = layer(tuple(parts))
        if other not in LAYERS:
            continue  # a public name of the package itself
        if LAYERS.index(other) > LAYERS.index(own) or (own, other) in INDEPENDENT:
            yield module


def test_imports_point_in_one_direction():
    assert offenders(imports_of_higher_layers) == {}


def test_only_webapp_imports_gradio_and_plots_do_not_import_torch():
    importers = {"gradio": {"webapp", "top"}, "torch": {None, *LAYERS} - {"plots"}, "typer": {"top"}}

    def find(path):
        roots = {module.split(".")[0] for module in imports(path)}
        return {root for root in roots & importers.keys() if layer_of(path) not in importers[root]}

    assert offenders(find) == {}


def test_only_models_and_training_access_the_parts_of_a_block():
    parts = {"attn", "qkv", "proj", "norm1", "norm2", "ls1", "ls2", "patch_embed", "pos_embed"}

    def find(path):
        if layer_of(path) in ("models", "training"):
            return set()
        return parts & {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}

    assert offenders(find) == {}


def test_only_the_command_convert_reads_pickles():
    """In a process of its own, by torch's weights-only loader; never the page or `vitviz.load`."""
    users = {"vitviz.models.pickles": "models/conversion.py", "vitviz.models.conversion": "cli/models.py"}

    def find(path):
        for module, user in users.items():
            if relative(path) != user and path != PACKAGE.parent / f"{module.replace('.', '/')}.py":
                yield from (name for name in imports(path) if name.startswith(module))

    assert offenders(find) == {}
    assert 'torch.load(file, map_location="cpu", weights_only=True)' in (PACKAGE / "models/pickles.py").read_text()


def test_nothing_unpickles_evaluates_or_starts_a_shell():
    modules = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "yaml"}
    functions = {"eval", "exec", "compile", "__import__", "torch.load", "os.system", "os.popen", "yaml.load"}
    arguments = r"shell\s*=\s*True|allow_pickle\s*=\s*True|weights_only\s*=\s*False"

    def find(path):
        yield from modules & {module.split(".")[0] for module in imports(path)}
        yield from (functions & calls(path)) - ({"torch.load"} if relative(path) == "models/pickles.py" else set())
        yield from re.findall(arguments, path.read_text())

    assert offenders(find) == {}


def test_the_checks_detect_what_they_ban(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(
        "def f():\n    from vitviz import webapp\n    import pickle, torch\n    torch.load('x'); eval('1')\n"
    )
    assert {"vitviz.webapp", "pickle", "torch"} <= imports(path)
    assert {"torch.load", "eval"} <= calls(path)
    assert layer(("webapp", "app")) == "webapp"
    assert layer(("cli",)) == layer(("__main__",)) == "top"


# Errors are read as fields: their text may be shown, but not searched, split or edited.


def scopes(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield the scopes in which a name is an exception, with the name: handlers, and functions with an annotation."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield node, node.name
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if argument.annotation and re.search(r"Error|Exception", ast.unparse(argument.annotation)):
                    yield node, argument.arg


def text_uses(source: str) -> list[str]:
    """Return the expressions of a source that search, split or edit the text of an exception."""
    found = []
    for scope, name in scopes(ast.parse(source)):
        texts = {f"str({name})", f"repr({name})", f"f'{{{name}}}'", f"{name}.args", f"{name}.args[0]"}
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and ast.unparse(node.value) in texts:
                texts |= {ast.unparse(target) for target in node.targets}
            elif isinstance(node, ast.NamedExpr) and ast.unparse(node.value) in texts:
                texts |= {ast.unparse(node), f"({ast.unparse(node)})", ast.unparse(node.target)}
        for node in ast.walk(scope):
            used: list[ast.expr] = []
            if isinstance(node, ast.Compare):
                used = [node.left, *node.comparators]
            elif isinstance(node, ast.Attribute):
                used = [node.value]
            elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
                used = [*node.args, *(keyword.value for keyword in node.keywords)]
            elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == f"{name}.args":
                found.append(ast.unparse(node))
            if any(ast.unparse(expression) in texts for expression in used):
                found.append(ast.unparse(node))
    return found


def test_no_code_reads_the_text_of_an_error():
    assert offenders(lambda path: text_uses(path.read_text())) == {}


READING = [
    "'CUDA' in str(error)",
    "str(error) == 'x'",
    "str(error).replace('a', 'b')",
    "str(error).partition(':')",
    "f'{error}'.split()",
    "re.search('x', str(error))",
    "re.match(r'(.*):', string=str(error))",
    "error.args[0]",
    "text = str(error); text.startswith('x')",
    "(text := str(error)).lower()",
]
SHOWING = ["print(error)", "raise Refusal(str(error))", "f'{path}: {error}'", "error.field == 'lr'", "str(error)[:80]"]


def test_reading_the_text_of_an_error_is_told_from_showing_it():
    in_handler = "try:\n    f()\nexcept OSError as error:\n    {}\n".format
    in_function = "def f(error: Exception) -> None:\n    {}\n".format
    assert [statement for statement in READING if not text_uses(in_handler(statement))] == []
    assert [statement for statement in READING if not text_uses(in_function(statement))] == []
    assert [statement for statement in SHOWING if text_uses(in_handler(statement))] == []
