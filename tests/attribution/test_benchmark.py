"""Output of the faithfulness benchmark."""

from dataclasses import replace

import pytest
from PIL import Image

from benchmarks import faithfulness, metrics
from tests import tiny
from vitviz.attribution.methods import METHODS
from vitviz.errors import DataError
from vitviz.models.checkpoint import save


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_an_interrupted_benchmark_reports_the_images_so_far(tmp_path, cifar_folder, cifar_config, monkeypatch, capsys):
    monkeypatch.setattr(faithfulness, "RANDOMIZED", 1)
    monkeypatch.setattr(faithfulness, "MEASURED", 1)
    path = tmp_path / "small.safetensors"
    save(tiny.checkpoint(cifar_config), path)
    faithfulness.run(str(path), str(cifar_folder), num_images=2)
    expected = capsys.readouterr().out
    calls = []
    real = metrics.sensitivity

    def stopping(*arguments):
        calls.append(arguments)
        if len(calls) == 5:  # in the third image: one and then four of the sixteen patches of each image are removed
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(faithfulness, "sensitivity", stopping)
    faithfulness.run(str(path), str(cifar_folder), num_images=4)
    assert "2 test images" in expected
    assert capsys.readouterr().out == expected


def use_few_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test four methods of the tiny model, and the expensive measures on the first image only."""
    monkeypatch.setattr(faithfulness, "MEASURED", 1)
    monkeypatch.setattr(faithfulness, "RANDOMIZED", 1)
    monkeypatch.setattr(faithfulness, "load", lambda name: tiny.checkpoint())
    few = {key: METHODS[key] for key in ("attention", "relevance", "occlusion", "random")}
    monkeypatch.setattr(faithfulness, "methods_for", lambda config: few)


def folder(path, count: int = 3):
    (path / "deep").mkdir(parents=True)
    for index in range(count):
        Image.fromarray(tiny.pixels(40, 60, seed=index)).save(path / "deep" / f"{index}.png")
    (path / "notes.txt").write_text("not an image")
    return path


@pytest.mark.slow
def test_a_folder_of_images_is_measured(tmp_path, monkeypatch, capsys):
    use_few_methods(monkeypatch)
    data, output = folder(tmp_path / "images"), tmp_path / "results.jsonl"
    faithfulness.run("tiny", str(data), 3)
    expected = capsys.readouterr().out
    assert "3 images of images, tiny" in expected
    assert "SaCo" in expected
    assert "fraction" in expected
    faithfulness.run("tiny", str(data), 2, output=output)
    capsys.readouterr()
    lines = output.read_text().splitlines()
    assert len(lines) == 3
    with pytest.raises(ValueError, match="--output must be of the same model, images and methods"):
        faithfulness.run("tiny", str(data), 3, output=output)


@pytest.mark.slow
def test_an_interrupted_file_is_continued(tmp_path, monkeypatch, capsys):
    use_few_methods(monkeypatch)
    data, output = str(folder(tmp_path / "images", 2)), tmp_path / "results.jsonl"
    faithfulness.run("tiny", data, 2, output=output)
    complete, expected = output.read_text(), capsys.readouterr().out
    output.write_text(complete[:-50])  # the last line was cut off
    faithfulness.run("tiny", data, 2, output=output)
    assert output.read_text() == complete
    assert capsys.readouterr().out == expected
    added = []
    monkeypatch.setattr(faithfulness.Results, "add", lambda *arguments: added.append(arguments))
    faithfulness.run("tiny", data, 2, output=output)
    assert not added, "all images are in the file"


def test_models_without_head_and_folders_without_images_are_refused(tmp_path, monkeypatch):
    headless = tiny.checkpoint(replace(tiny.CONFIG, num_classes=0))
    with pytest.raises(ValueError, match="tiny has no classification head that was trained on labels"):
        faithfulness.Results(headless)
    monkeypatch.setattr(faithfulness, "load", lambda name: tiny.checkpoint())
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="The folder must hold CIFAR-10 or images"):
        faithfulness.run("tiny", str(tmp_path / "empty"), 1)
    with pytest.raises(DataError):
        faithfulness.run("tiny", str(tmp_path / "missing"), 1)


def test_infinite_values_are_left_out_and_counted():
    assert faithfulness.interval([1.0, 3.0], 2) == "2.000 ± 1.960"
    assert faithfulness.interval([1.0, 3.0], 3) == "2.000 ± 1.960 (n = 2)"  # one image has no value
    assert faithfulness.interval([True, False, True], 3) == "2 of 3"
    assert faithfulness.interval([1.0, float("inf"), 3.0], 3) == "2.000 ± 1.960 (n = 2)"
    assert faithfulness.interval([float("inf")], 1) == "not finite"
