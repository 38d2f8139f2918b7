"""The command line: help at once, one sentence for each refusal, and the commands that look and measure."""

import io
import json
import pickle
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from tests import tiny
from tests.data.folders import fill
from vitviz.data import cifar, datasets
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint

COMMANDS = ("app", "train", "sweep", "evaluate", "explain", "timeline", "probe", "data")


def test_help_names_the_commands_and_needs_neither_torch_nor_gradio():
    code = (
        "import sys\nfrom vitviz import cli\nsys.argv = ['vitviz', '--help']\n"
        "try:\n    cli.main()\nfinally:\n"
        "    heavy = {'torch', 'torchvision', 'gradio', 'matplotlib', 'numpy', 'PIL'} & set(sys.modules)\n"
        "    print('heavy:', sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "heavy: []" in done.stdout
    for command in COMMANDS:
        assert command in done.stdout


def test_every_command_has_its_own_help(vitviz):
    for command in COMMANDS:
        code, out, _ = vitviz(command, "--help")
        assert code == 0
        assert command in out


@pytest.mark.parametrize("command", ["train", "sweep", "evaluate"])
def test_help_tells_that_images_of_ones_own_must_be_named(vitviz, command):
    assert "Your own images must be named" in vitviz(command, "--help")[1]


def test_a_refusal_of_the_installed_command_is_one_sentence(tmp_path):
    command = [sys.executable, "-m", "vitviz", "data", "check", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"vitviz: CIFAR-10 is not in {tmp_path}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("explain", "cat", "--out", "a.png", "--checkpoint", "nonsense"), "Checkpoint 'nonsense' not found"),
        (("evaluate", "../../nonsense"), "Checkpoint '../../nonsense' not found"),
        (("explain", "nowhere.png", "--out", "a.png", "--checkpoint", "TINY"), "'nowhere.png': The file does not exist"),
        (
            ("explain", "cat", "--out", "a.gif", "--checkpoint", "TINY"),
            "The file must end in .png, .svg, .pdf, .html or .npz",
        ),
        (
            ("explain", "cat", "--out", "a.png", "--method", "nonsense", "--checkpoint", "TINY"),
            "There is no method 'nonsense'. Use one of: attention, reverse_attention, average",
        ),
        (("explain", "PICKLE", "--out", "a.png", "--checkpoint", "TINY"), "The file must be a whole PNG, JPEG"),
        (
            ("explain", "cat", "--out", "a.png", "--checkpoint", "PICKLE"),
            "A checkpoint must be a complete .safetensors file",
        ),
        (
            ("evaluate", "TINY", "--data", "nowhere"),
            "A model can be tested on classes that it knows: tiny",
        ),
        (("probe", "nonsense", "--out", "a.png"), "Checkpoint 'nonsense' not found"),
        (("probe", "TINY", "--out", "a.gif"), "The file must end in .png, .svg, .pdf, .html or .npz"),
        (
            ("probe", "TINY", "--out", "a.png", "--data", "."),
            "Images of CIFAR-10 have 32 x 32 pixels: this model sees",
        ),
        (("probe", "cifar10-ti4", "--out", "a.png", "--data", "nowhere"), "CIFAR-10 is not in nowhere"),
        (("timeline", "nonsense", "--out", "a.gif"), "There is no timeline of 'nonsense'"),
        (("timeline", "TINY", "--out", "a.gif"), "There is no timeline of "),
        (("timeline", "cifar10-ti4", "--out", "a.png"), "A movie's file must end in .gif or .mp4: got 'a.png'"),
        (
            ("timeline", "cifar10-ti4", "--out", "a.gif", "--image", "unicorn"),
            "There is no image 'unicorn' in this timeline. Use one of: airplane",
        ),
        (("data", "check", "--data", "nowhere"), "CIFAR-10 is not in nowhere"),
        (("train", "--data", "nowhere", "--device", "cpu"), "CIFAR-10 is not in nowhere"),
        (("train", "--preset", "nonsense"), "There is no preset 'nonsense'. Use one of: cifar10-ti4"),
        (("train", "--epochs", "1", "--minutes", "1"), "Give one of epochs and minutes"),
        (("train", "--epochs", "-1"), "epochs must be a finite number above 0 and below 1,000,000,000: got -1.0"),
        (("train", "--batch-size", "0"), "batch_size must be a whole number from 2 to 65536: got 0"),
        (("train", "--set", "wings=2"), "A setting is NAME=VALUE with a known name: got 'wings=2'"),
        (("train", "--set", "model.num_heads=5"), "heads must divide width: 192 is not a multiple of 5"),
        (("train", "--network", "resnet"), "There is no preset 'resnet'"),
        (
            ("sweep", "--vary", "model.num_heads=2,5,6"),
            "Each combination must fit. These do not: model.num_heads=5 (heads must",
        ),
        (("sweep",), "A sweep has 2 to 64 combinations: got 1"),
        (("sweep", "--vary", "seed=0,1", "--data", "nowhere"), "CIFAR-10 is not in nowhere"),
        (("sweep", "--resume", "--minutes", "2"), "A sweep goes on as it began: got --minutes. Leave that out"),
        (("sweep", "--resume", "--epochs", "0"), "A sweep goes on as it began: got --epochs. Leave that out"),
        (
            ("sweep", "--resume", "--out", "grid", "--preset", "cifar10-s4"),
            "A sweep goes on as it began: got --preset. Leave that out",
        ),
        (("sweep", "--resume", "--preset", "cifar10-s4"), "The folder of a sweep must hold a sweep.json: runs/sweep-"),
        (("sweep", "--resume", "--dataset", "folder"), "A sweep goes on as it began: got --dataset. Leave that out"),
        (
            ("sweep", "--dataset", "folder", "--data", "nowhere", "--vary", "seed=0,1"),
            "There must be a folder or a zip",
        ),
        (("sweep", "--resume", "--out", "nowhere"), "The folder of a sweep must hold a sweep.json: nowhere has none"),
        (
            ("train", "--resume"),
            "There is no run to go on with in runs/cifar10-ti4. Name its folder with",
        ),
        (("train", "--seed", "20261122093000"), "seed must be a whole number, at most 1,000,000,000 in size: got 2026"),
        (("train", "--set", "data=5"), "data must be the path of a folder: got 5"),
        (("train", "--out", ""), "out must be the path of a folder: got ''"),
    ],
    ids=lambda value: " ".join(value[:4]) if isinstance(value, tuple) else "",
)
def test_a_refusal_is_one_sentence_and_status_one(vitviz, tiny_file, tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights.pt").write_bytes(pickle.dumps({"weights": [1.0]}))
    known = {"TINY": tiny_file, "PICKLE": tmp_path / "weights.pt"}
    before = set(tmp_path.iterdir())
    code, out, err = vitviz(*(known.get(word, word) for word in words))
    assert code == 1
    assert out == ""
    lines = [line for line in err.splitlines() if line.strip()]
    assert lines[-1].startswith(f"vitviz: {sentence}")
    assert "Traceback" not in err
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        ("train", "--device", "tpu"),
        ("train", "--epochs", "many"),
        ("nonsense",),
        ("explain", "cat"),
        ("probe", "cifar10-ti4", "--out", "a.png", "--max-train-samples", "0"),
        ("app", "--port", "0"),
    ],
)
def test_a_word_that_is_no_option_is_refused_with_status_two(vitviz, words):
    code, out, err = vitviz(*words)
    assert code == 2
    assert out == ""
    assert "Traceback" not in err
    assert "Usage" in err


def test_a_folder_that_may_not_be_written_is_said_in_a_sentence(vitviz, tiny_file, tmp_path):
    (tmp_path / "file").write_text("in the way")
    code, _, err = vitviz("explain", "cat", "--checkpoint", tiny_file, "--out", tmp_path / "file" / "map.npz")
    assert code == 1
    assert err.startswith("vitviz: The system refused: ")
    assert "Traceback" not in err


def test_a_sample_is_explained_as_a_figure_and_as_numbers(vitviz, tiny_file, tmp_path):
    for ending in ("png", "npz"):
        path = tmp_path / "new folder" / f"map.{ending}"
        code, out, err = vitviz("explain", "cat", "--checkpoint", tiny_file, "--out", path, "--method", "rollout")
        assert (code, err) == (0, "")
        assert out.startswith(f"{path}: class ")
        assert out.endswith("%; cropped to 28:20, shrunk from 96 × 96 to 28 × 20\n")
    with Image.open(tmp_path / "new folder" / "map.png") as image:
        assert image.format == "PNG"
    with np.load(tmp_path / "new folder" / "map.npz") as numbers:
        assert numbers["attention"].shape == (tiny.L, tiny.A, tiny.T, tiny.T)


@pytest.mark.parametrize("ending", ["png", "npz"])
def test_a_link_stays_and_what_it_leads_to_is_written(vitviz, tiny_file, tmp_path, ending):
    link, file = tmp_path / f"link.{ending}", tmp_path / "elsewhere" / "file"
    link.symlink_to(file)
    assert vitviz("explain", "cat", "--checkpoint", tiny_file, "--out", link)[0] == 0
    assert link.is_symlink()
    assert file.stat().st_size > 0


@pytest.mark.parametrize(("encoding", "said"), [("utf-8", b"x\\udce9.npz: class "), ("ascii", rb"from 96 \xd7 96")])
def test_what_the_terminal_cannot_write_is_escaped(vitviz, tiny_file, tmp_path, monkeypatch, encoding, said):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding, "strict", write_through=True))
    code, _, err = vitviz("explain", "cat", "--checkpoint", tiny_file, "--out", tmp_path / "x\udce9.npz")
    assert (code, err) == (0, "")
    assert said in sys.stdout.buffer.getvalue()


def test_an_output_that_is_no_terminals_is_written_to_as_it_is(vitviz, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert vitviz("explain", "--help")[0] == 0
    assert "--out" in sys.stdout.getvalue()


def test_no_class_is_told_of_a_model_that_learned_without_labels(vitviz, tiny_checkpoint, tmp_path):
    blind = replace(tiny_checkpoint, record={"train_config": {"objective": "masked-patch"}})
    checkpoint.save(blind, path := tmp_path / "blind.safetensors")
    code, out, _ = vitviz("explain", "cat", "--checkpoint", path, "--out", tmp_path / "map.npz")
    assert code == 0
    assert out.startswith(f"{tmp_path / 'map.npz'}: no class, as it learned without labels; cropped to 28:20")


def test_an_accuracy_on_other_images_stands_beside_no_recorded_one(vitviz, tiny_checkpoint, tmp_path):
    data = fill(tmp_path / "images", {"ant": 3, "bee": 3})
    about = datasets.load("folder", data, (tiny.H, tiny.W)).info
    classes = ("ant", "bee", *tiny_checkpoint.labels[2:])
    for dataset, mean, recorded in [
        ("folder", about.mean, 0.5),
        ("folder", cifar.MEAN, None),
        ("cifar10", about.mean, None),
    ]:
        record = {"test_accuracy": 0.5, "train_config": {"dataset": dataset}}
        known = replace(tiny_checkpoint, num_classes=classes, mean=mean, std=about.std, record=record)
        checkpoint.save(known, path := tmp_path / "known.safetensors")
        code, out, _ = vitviz("evaluate", path, "--dataset", "folder", "--data", data, "--json")
        assert code == 0
        assert json.loads(out)["recorded"] == recorded


@pytest.mark.slow
def test_a_timeline_becomes_a_movie(vitviz, tmp_path):
    path = tmp_path / "new folder" / "cat.gif"
    said = f"{path}: 60 moments of cat, to epoch 98.6\n"
    assert vitviz("timeline", "cifar10-ti4", "--image", "cat", "--out", path) == (0, said, "")
    with Image.open(path) as image:
        assert (image.format, image.n_frames) == ("GIF", 60)
    assert path.stat().st_size < 3_000_000


@pytest.mark.slow
def test_a_class_can_be_explained_by_name_and_position_or_rather_than_another(vitviz, tiny_file, tmp_path):
    words = ("explain", "cat", "--checkpoint", tiny_file, "--method", "relevance", "--out", tmp_path / "map.npz")
    assert vitviz(*words, "--target", "class 4")[0] == 0
    with np.load(tmp_path / "map.npz") as stored:
        four = stored["relevance"]
    assert vitviz(*words, "--target", "4")[0] == 0
    with np.load(tmp_path / "map.npz") as stored:
        assert np.array_equal(stored["relevance"], four)
    assert vitviz(*words, "--target", "class 4", "--target", "class 5")[0] == 0
    with np.load(tmp_path / "map.npz") as stored:
        assert np.abs(stored["relevance"] - four).max() > 1e-6
    code, _, err = vitviz(*words, *("--target", "class 4") * 3)
    assert code == 1
    assert "or two different ones: got" in err
    code, _, err = vitviz(*words, "--target", "unicorn")
    assert code == 1
    assert "target must be a class, 0 to 10 or one of class 0, class 1" in err


def test_a_model_is_probed_over_the_samples_as_a_figure_and_as_numbers(vitviz, tiny_file, tmp_path):
    for ending in ("html", "npz"):
        path = tmp_path / f"probes.{ending}"
        said = "tiny over the 10 samples (CIFAR-10 is of another size)"
        assert vitviz("probe", tiny_file, "--out", path) == (0, f"{path}: {said}\n", "")
    assert said in (tmp_path / "probes.html").read_text()
    with np.load(tmp_path / "probes.npz") as numbers:
        assert numbers["lens"].shape == (tiny.L + 1, 10, tiny.K)


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_model_is_probed_over_the_test_images_where_they_are(
    vitviz, cifar_folder, cifar_config, tmp_path, monkeypatch
):
    given = Checkpoint("small", tiny.model(cifar_config), cifar.CLASSES, cifar.MEAN, cifar.STD, {})
    checkpoint.save(given, tmp_path / "small.safetensors")
    words = ("probe", tmp_path / "small.safetensors", "--out", tmp_path / "probes.npz")
    code, out, _ = vitviz(*words, "--data", cifar_folder, "--max-train-samples", "7")
    assert code == 0
    assert out.endswith("small over the first 7 test images of CIFAR-10\n")
    with np.load(tmp_path / "probes.npz") as numbers:
        images = given.normalize(cifar.load("test", cifar_folder)[0][:7])
        np.testing.assert_allclose(numbers["lens"][-1], given.model(images).detach(), rtol=0, atol=1e-4)
    monkeypatch.setenv("VITVIZ_DATA", str(cifar_folder))
    assert vitviz(*words)[1].endswith("small over the first 20 test images of CIFAR-10\n")
    monkeypatch.setenv("VITVIZ_DATA", str(tmp_path / "nowhere"))
    assert vitviz(*words)[1].endswith("small over the 10 samples (CIFAR-10 is not here)\n")


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_checkpoint_is_evaluated_in_words_and_as_json(vitviz, cifar_folder, cifar_config, tmp_path):
    record = {"test_accuracy": 0.75}
    given = Checkpoint("small", tiny.model(cifar_config), cifar.CLASSES, cifar.MEAN, cifar.STD, record)
    checkpoint.save(given, tmp_path / "small.safetensors")
    code, out, _ = vitviz("evaluate", tmp_path / "small.safetensors", "--data", cifar_folder, "--json")
    assert code == 0
    found = json.loads(out)
    assert found.keys() == {"checkpoint", "test_accuracy", "recorded"}
    assert (found["checkpoint"], found["recorded"]) == ("small", 0.75)
    assert round(20 * found["test_accuracy"], 6) in range(21)
    code, out, _ = vitviz("evaluate", tmp_path / "small.safetensors", "--data", cifar_folder)
    assert code == 0
    assert out == f"small: {100 * found['test_accuracy']:.2f} % of 20 test images (recorded: 75.00 %)\n"


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_data_set_that_is_there_is_counted(vitviz, cifar_folder):
    code, out, _ = vitviz("data", "check", "--data", cifar_folder)
    assert code == 0
    assert out == f"CIFAR-10 in {cifar_folder / cifar.BINARY_FOLDER}: 100 training and 20 test images\n"


def test_a_folder_of_images_is_told_as_a_table_and_refused_after_it(vitviz, tmp_path):
    for name in ("[red]", "cat"):
        (tmp_path / "pets" / name).mkdir(parents=True)
        for number in range(3):
            Image.new("RGB", (8, 8)).save(tmp_path / "pets" / name / f"{number}.png")
    (tmp_path / "pets" / "cat" / "notes.txt").write_text("hello")
    (tmp_path / "pets" / "cat" / "\x1b]0;owned\x07.txt").write_text("hello")
    words = ("data", "check", "--dataset", "folder", "--data", tmp_path / "pets")
    code, out, err = vitviz(*words)
    assert (code, err) == (0, "")
    assert re.search(r"\[red\]\W+2\W+1\W", out)
    assert "cat/?]0;owned?.txt" in out
    assert re.search(r"cat/notes\.txt\W+The file must be a whole PNG", out)
    assert "a fifth of each class is put aside" in out
    for image in (tmp_path / "pets" / "[red]").iterdir():
        image.unlink()
    code, out, err = vitviz(*words)
    assert code == 1
    assert re.search(r"cat\W+2\W+1\W", out), "the table comes first"
    assert err.startswith("vitviz: A data set needs at least two classes with images")
