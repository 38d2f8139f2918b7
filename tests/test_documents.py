"""Documents: examples run, figures are the recorded ones, options are those of the code."""

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import vitviz
from benchmarks.page import server
from scripts import model_table, options, site_pages
from vitviz.data.preprocessing import sample_paths

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
DOCUMENTS = {
    path.name: path.read_text() for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]
}


def blocks(text, language):
    """Return the fenced blocks of a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [code for name, code in found if name == language]


PYTHON = [  # those of the other documents run when the site is built, tests/test_site.py
    pytest.param(block, id=f"{name} {number}")
    for name, text in DOCUMENTS.items()
    if name not in site_pages.EXECUTED
    for number, block in enumerate(blocks(text, "python"))
]
COMMANDS = sorted(
    {
        line.partition("   #")[0].strip().removeprefix("python -m vitviz ")
        for text in DOCUMENTS.values()
        for block in blocks(text, "")
        for line in block.splitlines()
        if line.startswith("python -m vitviz ")
    }
)


INSTALLERS = sorted(
    {
        line.partition("   #")[0].strip()
        for text in DOCUMENTS.values()
        for block in blocks(text, "")
        for line in block.splitlines()
        if line.startswith(("pip install ", "uv pip install "))
    }
)


def run(words, folder):
    """Run Python in a folder that has the package and the checkpoints."""
    for name in ("vitviz", "checkpoints"):
        if not (folder / name).exists():
            os.symlink(ROOT / name, folder / name)
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False, env=os.environ
    )


@pytest.mark.slow
@pytest.mark.parametrize("block", PYTHON)
def test_python_blocks_run(block, tmp_path):
    if "gradio_client" in block:
        with server(folder=tmp_path) as (address, _):
            done = run(["-c", block.replace("http://127.0.0.1:7860", address)], tmp_path)
        assert done.returncode == 0, done.stderr
        return
    if "timm" in block:
        block = block.replace("pretrained=True", "pretrained=False")  # no network
    if "vitviz.train(" in block:
        if "VITVIZ_DATA" not in os.environ:
            pytest.skip("needs CIFAR-10")
        block = block.replace("epochs=10", "epochs=0.02")
    done = run(["-c", block], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_quick_start_prints_what_the_readme_says(tmp_path):
    example = re.search(r"## Quick start.*?```python\n(.*?)```", README, re.DOTALL)[1]
    promised = re.search(r"prints `(.*?)` and writes a figure", README)[1]
    done = run(["-c", example], tmp_path)
    assert done.stdout.strip() == promised, done.stderr
    assert (tmp_path / "cat.svg").read_text().startswith("<?xml")


def test_commands_in_the_documents_are_found():
    assert len(COMMANDS) >= 8


def test_commands_parse(subtests):
    """Options are checked by typer before --help is reached."""
    for command in COMMANDS:
        with subtests.test(command=command):
            from typer.testing import CliRunner

            from vitviz.cli import app

            words = shlex.split(command.split("   ")[0])
            known = CliRunner().invoke(app, [words[0], "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
            for option in (word for word in words if word.startswith("--")):
                assert re.search(rf"{option}\b", known), (command, option)


@pytest.mark.slow
@pytest.mark.parametrize("command", INSTALLERS)
def test_commands_of_pip_and_uv_parse(command):
    """Arguments before --help are parsed, and nothing is installed."""
    words = shlex.split(command.partition(" && ")[0])
    if words[0] == "uv" and not shutil.which("uv") and not os.environ.get("CI"):
        pytest.skip("uv is not installed: pip install uv")
    program = [sys.executable, "-m", "pip"] if words[0] == "pip" else ["uv"]
    for extra, code in (([], 0), (["--not-an-option"], 2)):
        done = subprocess.run([*program, *words[1:], *extra, "--help"], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr


def test_the_cpu_build_of_torch_is_documented_for_pip_and_uv():
    assert {command.split()[0] for command in INSTALLERS if "https://download.pytorch.org/whl/cpu" in command} == {
        "pip",
        "uv",
    }


def test_every_checkpoint_is_in_the_card_and_bundled_ones_in_the_readme_with_its_recorded_accuracy():
    from vitviz.models import checkpoint
    from vitviz.training.teacher import load_vit_or_convnet

    folder = ROOT / "checkpoints"
    bundled = checkpoint.bundled_checkpoints()
    paths = {path.relative_to(folder).as_posix(): str(path) for path in folder.glob("*/*.safetensors")}
    assert len(bundled) > 1
    assert len(paths) > 1
    rows = dict(re.findall(r"^\| `(.+?)`.*?\| (.*)", (folder / "README.md").read_text(), re.MULTILINE))
    assert set(rows) == {*bundled, *paths}
    for name, row in rows.items():
        record = load_vit_or_convnet(paths.get(name, name)).record
        accuracy = f"{100 * record['test_accuracy']:.2f} %"
        assert row.startswith(f"{record['parameters'] / 1e6:.2f} M |"), name
        assert accuracy in row, name
        if name in bundled:
            assert any(accuracy in line for line in README.splitlines() if f"`{name}`" in line), name


def test_the_samples_are_classified_as_the_readme_says():
    from vitviz.models import checkpoint

    promised = int(re.search(r"each shipped model classifies (\d+) of the 10", " ".join(README.split()))[1])
    assert promised >= 8
    for model in map(vitviz.load, checkpoint.bundled_checkpoints()):
        correct = sum(vitviz.explain(model, path).prediction == name for name, path in sample_paths().items())
        assert correct == promised, model.name


def test_the_curve_of_accuracy_and_minutes_is_that_of_the_table():
    lines = [line.split("|") for line in DOCUMENTS["training.md"].splitlines()]
    rows = {cells[1].strip(" `"): [cell.strip() for cell in cells[2:5]] for cells in lines if len(cells) == 6}
    with (ROOT / "docs" / "accuracy.csv").open(newline="") as file:
        points = list(csv.DictReader(file))
    assert len(points) == 12
    for point in points:
        column = ("10", "30", "90").index(point["minutes"])
        assert rows[point["preset"]][column] == f"{point['accuracy']} %"


def test_the_tables_of_presets_and_options_are_up_to_date():
    for table in (options.presets(), options.options()):
        assert table in DOCUMENTS["training.md"], "run python -m scripts.options"


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 120


def test_links_between_documents_lead_to_files(subtests):
    for name, text in DOCUMENTS.items():
        with subtests.test(name=name):
            folder = ROOT if (ROOT / name).exists() else ROOT / "docs"
            targets = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", text)
            assert [target for target in targets if not (folder / target).exists()] == []


def test_the_table_of_models_is_that_of_the_families_and_each_is_proven():
    from tests.models import families
    from vitviz.models.library_modules import describe_module
    from vitviz.models.pretrained import Pretrained, find_family

    assert model_table.table() in DOCUMENTS["usage.md"]
    titles = model_table.titles_by_library()
    assert model_table.FAMILIES.keys() == set.union(*titles.values())
    proven = {library: set() for library in titles}
    for build in families.BUILDERS.values():
        described = describe_module(build(families.SQUARE))
        proven[described.library].add(described.family.title)
    assert proven == titles
    for title, (example, _) in model_table.FAMILIES.items():
        if example.startswith("timm:"):
            config = {"architecture": example.removeprefix("timm:").partition(".")[0]}
            assert find_family(Pretrained(example, {}, config)).title == title
