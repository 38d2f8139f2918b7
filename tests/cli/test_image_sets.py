"""Command line: all images of a folder or zip, explained and predicted."""

import csv
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import vitviz as library
from tests import tiny
from tests.training.test_distributed import run_processes
from vitviz.attribution import image_sets, provenance
from vitviz.models import checkpoint

PROCESS = """
from vitviz import cli, evaluation
from vitviz.attribution import image_sets

image_sets.BATCH_SIZE = 2
evaluation.max_batch_size = lambda config: 3
cli.main()
"""


@pytest.fixture
def photos(tmp_path):
    """A folder with images, two of one name, in a folder and with capitals, and files that are no images."""
    folder = tmp_path / "photos"
    (folder / "pets").mkdir(parents=True)
    for seed, name in enumerate(("a.png", "a.bmp", "pets/B.PNG")):
        Image.fromarray(tiny.pixels(40, 50, seed=seed)).save(folder / name)
    (folder / "bad.jpg").write_bytes(b"no image")
    (folder / "notes.txt").write_text("no image, and not meant to be one")
    return folder


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def times(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*") if path.suffix in (".npz", ".png")}


def test_explain_writes_figures_arrays_contact_sheet_and_predictions_of_a_folder(vitviz, photos, tiny_file):
    output = photos / "out"
    words = ("explain", photos, "--output", output, "--checkpoint", tiny_file, "--layer", 2, "--head", 1)
    code, out, err = vitviz(*words)
    assert (code, err.split(":")[0], len(err.splitlines())) == (1, "bad.jpg", 1)
    assert out == f"{output}: 3 images; a.png is a-2\n"
    files = {path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()}
    stems = ("a", "a-2", "pets/B")
    assert files == {f"{stem}{end}" for stem in stems for end in (".png", ".npz")} | {
        "contact_sheet.png",
        "predictions.csv",
    }
    model = library.load(tiny_file)
    images = {"a.bmp": "a", "a.png": "a-2", "pets/B.PNG": "pets/B"}
    rows = table(output / "predictions.csv")
    assert [row["image"] for row in rows] == list(images)
    for row, (name, stem) in zip(rows, images.items(), strict=True):
        ex = library.explain(model, photos / name)
        with np.load(output / f"{stem}.npz") as arrays:
            np.testing.assert_allclose(arrays["map"], ex.attention_map(1, 0), rtol=0, atol=1e-6)
        best = np.argsort(-ex.probabilities)[:2]
        assert [row["class_1"], row["class_2"]] == [ex.labels[k] for k in best]
        assert float(row["probability_2"]) == pytest.approx(ex.probabilities[best[1]], abs=1e-6)
    found = provenance.read(output / "contact_sheet.png")
    assert (found.view.layer, found.view.head) == (1, 0)
    expected = [provenance.read(output / f"{stem}.npz").image for stem in stems]
    assert [found.image, *found.others] == expected
    before = times(output)
    assert vitviz(*words)[1] == f"{output}: 3 images; 3 kept as they were; a.png is a-2\n"
    assert {name for name, time in times(output).items() if time != before[name]} == {"contact_sheet.png"}


def test_files_of_another_image_or_view_are_written_again(vitviz, photos, tiny_file, tmp_path):
    (photos / "bad.jpg").unlink()
    words = ("explain", photos, "--output", tmp_path / "out", "--checkpoint", tiny_file)
    assert vitviz(*words)[:2] == (0, f"{tmp_path / 'out'}: 3 images; a.png is a-2\n")
    Image.fromarray(tiny.pixels(seed=9)).save(photos / "a.png")
    (tmp_path / "out" / "pets" / "B.png").write_bytes(b"interrupted")
    assert "1 kept as they were" in vitviz(*words)[1]
    assert "kept" not in vitviz(*words, "--method", "relevance")[1]


def test_many_images_have_several_contact_sheets_on_one_scale(vitviz, photos, tiny_file, tmp_path, monkeypatch):
    monkeypatch.setattr(image_sets, "PER_SHEET", 2)
    scales = []
    draw = image_sets.draw_contact_sheet
    monkeypatch.setattr(
        image_sets, "draw_contact_sheet", lambda tiles, scale, *rest: scales.append(scale) or draw(tiles, scale, *rest)
    )
    packed = tmp_path / "photos.zip"
    with zipfile.ZipFile(packed, "w") as file:
        for path in photos.rglob("*.*"):
            file.write(path, path.relative_to(photos))
    vitviz("explain", packed, "--output", tmp_path / "out", "--checkpoint", tiny_file, "--method", "balanced_gradients")
    assert {path.name for path in (tmp_path / "out").glob("contact*")} == {"contact_sheet-1.png", "contact_sheet-2.png"}
    largest = []
    for path in (tmp_path / "out").rglob("*.npz"):
        with np.load(path) as arrays:
            largest.append(np.abs(arrays["map"]).max())
    assert [scale.limit for scale in scales] == [pytest.approx(max(largest))] * 2


def test_predict_writes_the_most_probable_classes(vitviz, photos, tiny_file, tmp_path):
    path = tmp_path / "x.csv"
    code, out, err = vitviz("predict", photos, "--output", path, "--checkpoint", tiny_file, "--top", 3)
    assert (code, out, err.split(":")[0]) == (1, f"{path}: 3 images\n", "bad.jpg")
    model, rows = library.load(tiny_file), table(path)
    assert [row["image"] for row in rows] == ["a.bmp", "a.png", "pets/B.PNG"]
    for row in rows:
        ex = library.explain(model, photos / row["image"])
        assert row["class_1"] == ex.prediction
        expected = np.sort(ex.probabilities)[::-1][:3]
        assert [float(row[f"probability_{k}"]) for k in (1, 2, 3)] == pytest.approx(expected.tolist(), abs=1e-6)
    assert vitviz("predict", "cat", "--output", path, "--checkpoint", tiny_file)[0] == 0
    assert [(row["image"], row["class_1"]) for row in table(path)] == [
        ("cat", library.explain(model, "cat").prediction)
    ]


def test_what_cannot_be_explained_or_predicted_is_refused(vitviz, photos, tiny_file, tiny_checkpoint, tmp_path):
    unlabeled = replace(tiny_checkpoint, record={"train_config": {"objective": "mae"}})
    checkpoint.save(unlabeled, headless := tmp_path / "unlabeled.safetensors")
    (empty := tmp_path / "empty").mkdir()
    cases = {
        ("explain", photos, "-o", photos, "--checkpoint", tiny_file): "output must not be the folder of the images",
        ("explain", empty, "-o", tmp_path / "out"): "A folder of images must have files that end in .png",
        ("explain", photos, "-o", tmp_path / "out", "--layer", "9"): "layer must be from 1 to ",
        ("explain", photos, "-o", tmp_path / "out", "--method", "x"): "method must be",
        ("predict", photos, "-o", tmp_path / "x.npz"): "output must be a file that ends in .csv",
        ("predict", photos, "-o", tmp_path / "x.csv", "--checkpoint", headless): "predicts no class: it was trained",
        ("predict", tmp_path / "none.png", "-o", tmp_path / "x.csv"): "The file does not exist",
    }
    for words, sentence in cases.items():
        code, _, err = vitviz(*words)
        assert (code, sentence in err) == (1, True), (words, err)
    assert not (tmp_path / "out").exists()
    assert vitviz("explain", photos, "-o", tmp_path / "out", "--checkpoint", headless)[0] == 1  # for bad.jpg alone
    assert (tmp_path / "out" / "contact_sheet.png").exists()
    assert not (tmp_path / "out" / "predictions.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["explain", "predict", "evaluate"])
def test_two_processes_write_what_one_writes(photos, tiny_file, tmp_path, command):
    for seed, label in enumerate(8 * library.load(tiny_file).labels[:2]):
        (folder := tmp_path / "labeled" / label).mkdir(parents=True, exist_ok=True)
        Image.fromarray(tiny.pixels(seed=seed)).save(folder / f"{seed}.png")
    written = {}
    for count in (1, 2):
        output = tmp_path / f"{count}"
        words = {
            "explain": ("explain", photos, "-o", output, "--checkpoint", tiny_file),
            "predict": ("predict", photos, "-o", output / "x.csv", "--checkpoint", tiny_file),
            "evaluate": (
                "evaluate",
                tiny_file,
                "--dataset",
                "folder",
                "--data",
                folder.parent,
                "-o",
                output / "x.json",
            ),
        }[command]
        output.mkdir()
        printed = run_processes(count, PROCESS, *words)
        written[count] = {path.relative_to(output): path.read_bytes() for path in output.rglob("*.*")}
        assert [bool(out) for out in printed] == [True, False][:count], "the main process alone reports"
    assert written[1] == written[2]
    assert len(written[1]) == {"explain": 8, "predict": 1, "evaluate": 1}[command]
