"""The notebook for a course: its saved outputs, and its execution with a short training."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from vitviz.data import cifar
from vitviz.errors import DataError

ROOT = Path(__file__).parents[1]
PATH = ROOT / "docs" / "lesson.ipynb"
WORDS = ROOT / "frontend" / "src" / "text" / "lesson.json"
MAX_BYTES = 600_000


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def has_cifar() -> bool:
    try:
        return bool(cifar.find())
    except DataError:
        return False


def test_the_saved_outputs_are_those_of_one_execution_from_top_to_bottom():
    notebook = nbformat.read(PATH, 4)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert {output.output_type for output in outputs} == {"stream", "display_data"}
    assert {output.name for output in outputs if output.output_type == "stream"} == {"stdout"}  # no warnings
    assert PATH.stat().st_size < MAX_BYTES


def test_each_question_of_the_notebook_has_an_answer():
    cells = [cell.source for cell in nbformat.read(PATH, 4).cells if cell.cell_type == "markdown"]
    questions = [cell for cell in cells if "**Question.**" in cell]
    assert len(questions) == 8
    assert all(cell.endswith("</details>") and "<summary>Answer</summary>" in cell for cell in questions)


def test_the_notebook_names_steps_of_learn():
    titles = [step["title"] for step in json.loads(WORDS.read_text())["steps"]]
    named = re.findall(r"In Learn: \*(.*?)\*\.", PATH.read_text())
    assert len(named) == 5
    assert [name for name in named if name not in titles] == []


@pytest.mark.slow
@pytest.mark.skipif(not has_cifar(), reason="needs CIFAR-10")
def test_the_notebook_runs_with_a_short_training(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("VITVIZ_DATA", str(cifar.find().parent))
    monkeypatch.setenv("VITVIZ_LESSON_MINUTES", "0.1")
    monkeypatch.delenv("MPLBACKEND", raising=False)  # which commands of other tests set
    notebook = nbformat.read(PATH, 4)
    saved = [len(cell.outputs) for cell in code_cells(notebook)]
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=900, kernel_name="python3", resources=resources).execute()
    cells = code_cells(notebook)
    printed = [[output for output in cell.outputs if output.get("name") != "stderr"] for cell in cells]
    assert [bool(outputs) for outputs in printed] == [bool(count) for count in saved]
    assert "cifar10-ti4: 1,803,850 parameters, test accuracy 93.25%, 10 of 10" in str(cells)
    assert (tmp_path / "runs" / "lesson" / "last.safetensors").exists()
