"""What the README says is true: its example runs, its figures are the recorded ones."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from vitviz.models import checkpoint

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


@pytest.mark.slow
def test_the_library_example_prints_what_the_readme_says(tmp_path):
    example = re.search(r"## The library\n\n```python\n(.*?)```", README, re.DOTALL)[1]
    promised = re.search(r"prints `(.*?)` and writes a figure", README)[1]
    for folder in ("vitviz", "checkpoints"):
        os.symlink(ROOT / folder, tmp_path / folder)
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == promised
    assert (tmp_path / "cat.svg").read_text().startswith("<?xml")


def test_every_checkpoint_stands_in_the_readme_and_its_card_with_its_recorded_accuracy():
    card = (ROOT / "checkpoints" / "README.md").read_text()
    assert checkpoint.bundled_checkpoints()
    for name in checkpoint.bundled_checkpoints():
        recorded = f"{100 * checkpoint.load(name).record['test_accuracy']:.2f} %"
        for text in (README, card):
            rows = [line for line in text.splitlines() if f"`{name}`" in line]
            assert any(recorded in row for row in rows), (name, recorded)


def test_the_samples_are_named_as_often_as_the_readme_says():
    import vitviz
    from vitviz.data.preprocessing import sample_paths

    promised = int(re.search(r"the shipped model names (\d+) of the ten", " ".join(README.split()))[1])
    assert promised >= 8
    for model in map(vitviz.load, checkpoint.bundled_checkpoints()):
        right = 0
        for name, path in sample_paths().items():
            explanation = vitviz.explain(model, path)
            right += explanation.labels[explanation.probabilities.argmax()] == name
        assert right == promised, model.name
