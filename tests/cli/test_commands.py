"""Command line: help, error messages, and the commands that evaluate, explain and probe."""

import io
import json
import pickle
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

import vitviz as package
from tests import tiny
from tests.data.folders import write_image_folder
from vitviz.data import cifar, datasets
from vitviz.errors import CheckpointError
from vitviz.models import checkpoint, hub
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.vit import ViT
from vitviz.runs.process import NO_MEMORY

COMMANDS = (
    "app",
    "train",
    "sweep",
    "evaluate",
    "explain",
    "predict",
    "timeline",
    "probe",
    "convert",
    "export",
    "push",
    "data",
    "lens",
    "list",
)


def test_help_lists_the_commands_without_importing_torch_or_gradio():
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
def test_help_describes_image_folders(vitviz, command):
    assert re.search(r"an image folder or\W+(a )?zip", vitviz(command, "--help")[1])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("train", "--preset", "nonsense"), "--preset must be one of"),
        pytest.param(("data", "check", "--data", "nowhere"), "CIFAR-10 is not in nowhere", marks=pytest.mark.slow),
    ],
    ids=["without torch", "with torch"],
)
def test_an_error_of_the_installed_command_is_one_line(words, sentence):
    done = subprocess.run([sys.executable, "-m", "vitviz", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"vitviz: {sentence}")
    assert done.stderr.count("\n") == 1


def test_memory_that_runs_out_is_one_line(vitviz, monkeypatch, tmp_path, tiny_file):
    def fail(*_, **__):
        raise torch.OutOfMemoryError("Tried to allocate 2 GiB.")

    monkeypatch.setattr(ViT, "forward_with_blocks", fail)
    found = vitviz("explain", "cat", "--checkpoint", tiny_file, "--output", tmp_path / "cat.png")
    assert found == (1, "", f"vitviz: {NO_MEMORY}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("explain", "cat", "--output", "a.png", "--checkpoint", "nonsense"), "Checkpoint 'nonsense' not found"),
        (("evaluate", "../../nonsense"), "Checkpoint '../../nonsense' not found"),
        (
            ("explain", "nowhere.png", "--output", "a.png", "--checkpoint", "TINY"),
            "'nowhere.png': The file does not exist",
        ),
        (
            ("explain", "cat", "--output", "a.gif", "--checkpoint", "TINY"),
            "The file must end in .png, .svg, .pdf, .jpg, .jpeg, .npz, .csv or .html",
        ),
        (
            ("explain", "cat", "--output", "a.png", "--method", "nonsense", "--checkpoint", "TINY"),
            "--method must be an attribution method: got nonsense. Use one of: attention, reverse_attention, average",
        ),
        (
            ("explain", "PICKLE", "--output", "a.png", "--checkpoint", "TINY"),
            "'weights.pt': The file must be a complete PNG, JPEG",
        ),
        (
            ("explain", "cat", "--output", "a.png", "--checkpoint", "PICKLE"),
            "A checkpoint must be a complete .safetensors file",
        ),
        (
            ("evaluate", "TINY", "--data", "nowhere"),
            "The classes of a test set must be those of the model: tiny",
        ),
        (
            ("explain", "cat", "--output", "a.svg", "--layer", "7"),
            "--layer must be from 1 to 6, or mean or pool: got '7'",
        ),
        (("explain", "cat", "--output", "a.svg", "--head", "7"), "--head must be from 1 to 6, or mean: got '7'"),
        (("probe", "nonsense", "--output", "a.png"), "Checkpoint 'nonsense' not found"),
        (("probe", "TINY", "--output", "a.gif"), "The file must end in .png, .svg, .pdf, .jpg, .jpeg or .npz"),
        (
            ("probe", "TINY", "--output", "a.png", "--data", "."),
            "Images of CIFAR-10 have 32 x 32 pixels: the input of this model has 20 x 28",
        ),
        (("probe", "cifar10-ti4", "--output", "a.png", "--data", "nowhere"), "CIFAR-10 is not in nowhere"),
        (("timeline", "nonsense", "--output", "a.gif"), "No timeline found for 'nonsense'"),
        (("timeline", "TINY", "--output", "a.gif"), "No timeline found for "),
        (
            ("timeline", "cifar10-ti4", "--output", "a.png"),
            "The animation file must end in .gif: got 'a.png'",
        ),
        (
            ("timeline", "cifar10-ti4", "--output", "a.gif", "--image", "unicorn"),
            "The timeline has no image 'unicorn'. Use one of: airplane",
        ),
        (("data", "check", "--data", "nowhere"), "CIFAR-10 is not in nowhere"),
        (("train", "--data", "nowhere", "--device", "cpu"), "CIFAR-10 is not in nowhere"),
        (("app", "--port", "0"), "--port must be a number from 1 to 65535: got '0'."),
        (("train", "--preset", "nonsense"), "--preset must be one of cifar10-ti4, cifar10-2min, "),
        (
            ("train", "--epochs", "1", "--minutes", "1"),
            "--epochs and --minutes exclude each other: got 1.0 epochs and 1.0 min",
        ),
        (("train", "--epochs", "-1"), "--epochs must be a number above 0 and below 1,000,000,000, or None: got -1"),
        (("train", "--batch-size", "0"), "--batch-size must be an integer from 2 to 65536: got 0"),
        (("train", "--set", "wings=2"), "wings=2 is not NAME=VALUE with a known name. Use one of: attention, "),
        (("train", "--set", "model.num_heads=5"), "num_heads must divide embed_dim: 192 is not a multiple of 5"),
        (("train", "--network", "resnet"), "--network must be one of cifar10-ti4, "),
        (
            ("sweep", "--vary", "model.num_heads=2,5,6"),
            "--vary contains invalid combinations: model.num_heads=5 (num_heads must",
        ),
        (("sweep",), "--vary must give 2 to 64 combinations: got 1"),
        (("sweep", "--vary", "seed=0,1", "--data", "nowhere"), "CIFAR-10 is not in nowhere"),
        (
            ("sweep", "--resume", "--minutes", "2"),
            "--minutes cannot change when a sweep is resumed. Omit it",
        ),
        (
            ("sweep", "--resume", "--epochs", "0"),
            "--epochs cannot change when a sweep is resumed. Omit it",
        ),
        (
            ("sweep", "--resume", "--output-dir", "grid", "--preset", "cifar10-s4"),
            "--preset cannot change when a sweep is resumed. Omit it",
        ),
        (
            ("sweep", "--resume", "--preset", "cifar10-s4"),
            "The folder of a sweep must contain a valid sweep.json: runs/sweep-",
        ),
        (("sweep", "--resume", "--lr", "1"), "--lr cannot change when a sweep is resumed. Omit it"),
        (("sweep", "--resume", "--dataset", "folder"), "--dataset cannot change when a sweep is resumed."),
        (
            ("sweep", "--dataset", "folder", "--data", "nowhere", "--vary", "seed=0,1"),
            "The dataset must be an image folder or a zip file: nowhere does not exist",
        ),
        (
            ("sweep", "--resume", "--output-dir", "nowhere"),
            "The folder of a sweep must contain a valid sweep.json: nowhere does not",
        ),
        (
            ("train", "--resume"),
            "--output-dir must contain a run to resume: runs/cifar10-ti4 does not. Set",
        ),
        (("train", "--seed", "20261122093000"), "--seed must be an integer from -1000000000 to 1000000000: got 2026"),
        (("train", "--set", "data=5"), "--data must be a non-empty string, or None: got 5"),
        (("train", "--output-dir", ""), "--output-dir must be a non-empty string: got ''"),
        (("train", "--device", "tpu"), "--device must be one of auto, cuda, cpu: got 'tpu'"),
        (
            ("train", "--epochs", "many"),
            "--epochs must be a number above 0 and below 1,000,000,000, or None: got 'many'",
        ),
        (("train", "--lr", "0"), "--lr must be a number above 0 and below 1,000,000,000: got 0"),
        (("train", "--val-size", "1.5"), "--val-size must be an integer of at least 0: got 1.5"),
        (("train", "--freeze-backbone"), "--freeze-backbone needs --init-from: got None. Set --init-from"),
    ],
    ids=lambda value: " ".join(value[:4]) if isinstance(value, tuple) else "",
)
def test_an_error_is_one_line_with_exit_status_1(vitviz, tiny_file, tmp_path, monkeypatch, words, sentence):
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
    ("words", "part"),
    [
        (("train", "--wings", "2"), "--wings"),
        (
            ("evaluate", "cifar10-ti4", "--dataset", "mnist"),
            "--dataset': must be one of cifar10, cifar100, folder, or",
        ),
        (("nonsense",), "nonsense"),
        (("explain", "cat"), "--output"),
        (
            ("probe", "cifar10-ti4", "--output", "a.png", "--num-images", "0"),
            "must be an integer of at least 1: got '0'",
        ),
    ],
)
def test_a_usage_error_has_exit_status_2(vitviz, words, part):
    code, out, err = vitviz(*words)
    assert code == 2
    assert out == ""
    assert "Traceback" not in err
    assert "Usage" in err
    assert part in err


def test_an_unwritable_output_is_reported(vitviz, tiny_file, tmp_path):
    (tmp_path / "file").write_text("in the way")
    code, _, err = vitviz("explain", "cat", "--checkpoint", tiny_file, "--output", tmp_path / "file" / "map.npz")
    assert code == 1
    assert err.startswith("vitviz: System error: ")
    assert "Traceback" not in err


def test_explain_writes_a_figure_or_numbers(vitviz, tiny_file, tmp_path):
    for ending in ("png", "npz"):
        path = tmp_path / "new folder" / f"map.{ending}"
        code, out, err = vitviz("explain", "cat", "--checkpoint", tiny_file, "--output", path, "--method", "rollout")
        assert (code, err) == (0, "")
        assert out.startswith(f"{path}: class ")
        assert out.endswith("%; cropped to 28:20, resized from 96 × 96 to 28 × 20\n")
    with Image.open(tmp_path / "new folder" / "map.png") as image:
        assert image.format == "PNG"
    with np.load(tmp_path / "new folder" / "map.npz") as numbers:
        assert numbers["attention"].shape == (tiny.L, tiny.A, tiny.T, tiny.T)


def test_explain_and_predict_at_another_input_size_say_what_it_takes(vitviz, tiny_file, tmp_path):
    side, numbers, table = 8, tmp_path / "map.npz", tmp_path / "table.csv"
    for words in (["explain", "cat", "-o", numbers], ["predict", "cat", "-o", table]):
        code, _, err = vitviz(*words, "--checkpoint", tiny_file, "--img-size", str(side))
        assert code == 0
        assert err.startswith(f"{side} × {side} px: ")
    with np.load(numbers) as arrays:
        assert arrays["attention"].shape[-1] == 5  # 2 x 2 patches and the class token
    code, _, err = vitviz("explain", "cat", "-o", numbers, "--checkpoint", tiny_file, "--img-size", str(side + 1))
    assert (code, err.startswith("vitviz: img_size must be a multiple of the patch size")) == (1, True)


def test_explain_shows_layer_head_scale_method_and_classes(vitviz, tiny_file, tmp_path):
    def saved(*words):
        path = tmp_path / "x.npz"
        code, _, err = vitviz("explain", "cat", "--checkpoint", tiny_file, "--output", path, *words)
        assert (code, err) == (0, "")
        return np.load(path)

    assert str(saved()["title"]) == "Mean of layers, mean of heads"
    assert str(saved("--layer", "2")["title"]) == "Layer 2, mean of heads"
    assert str(saved("--layer", "2", "--head", "1")["title"]) == "Layer 2, head 1"
    found = saved("--layer", "mean", "--head", "1", "--scale", "uniform")
    assert "limits" not in found
    found = saved("--method", "relevance", "--target", "class 3", "--target", "5")
    assert (str(found["title"]), found["target"].tolist()) == (
        "Relevance for class 3, not class 5",
        ["class 3", "class 5"],
    )
    words = ("explain", "cat", "--checkpoint", tiny_file, "--output", tmp_path / "x.png", "--layer", "pool")
    assert "tiny has no attention pooling" in vitviz(*words)[2]


@pytest.mark.parametrize("ending", ["png", "npz"])
def test_the_target_of_a_symbolic_link_is_written(vitviz, tiny_file, tmp_path, ending):
    link, file = tmp_path / f"link.{ending}", tmp_path / "elsewhere" / "file"
    link.symlink_to(file)
    assert vitviz("explain", "cat", "--checkpoint", tiny_file, "--output", link)[0] == 0
    assert link.is_symlink()
    assert file.stat().st_size > 0


@pytest.mark.parametrize(("encoding", "expected"), [("utf-8", b"x\\udce9.npz: class "), ("ascii", rb"from 96 \xd7 96")])
def test_unprintable_characters_are_escaped(vitviz, tiny_file, tmp_path, monkeypatch, encoding, expected):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding, "strict", write_through=True))
    code, _, err = vitviz("explain", "cat", "--checkpoint", tiny_file, "--output", tmp_path / "x\udce9.npz")
    assert (code, err) == (0, "")
    assert expected in sys.stdout.buffer.getvalue()


def test_stdout_may_be_any_text_stream(vitviz, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert vitviz("explain", "--help")[0] == 0
    assert "--output" in sys.stdout.getvalue()


def test_a_model_trained_without_labels_has_no_prediction(vitviz, tiny_checkpoint, tmp_path):
    unlabeled = replace(tiny_checkpoint, record={"train_config": {"objective": "mae"}})
    checkpoint.save(unlabeled, path := tmp_path / "unlabeled.safetensors")
    code, out, _ = vitviz("explain", "cat", "--checkpoint", path, "--output", tmp_path / "map.npz")
    assert code == 0
    assert out.startswith(f"{tmp_path / 'map.npz'}: no prediction, as it was trained without labels; cropped to 28:20")


def test_the_recorded_accuracy_is_shown_for_the_same_images_only(vitviz, tiny_checkpoint, tmp_path):
    data = write_image_folder(tmp_path / "images", {"ant": 3, "bee": 3})
    info = datasets.load("folder", data, (tiny.H, tiny.W)).info
    classes = ("ant", "bee", *tiny_checkpoint.labels[2:])
    for dataset, mean, recorded in [
        ("folder", info.mean, 0.5),
        ("folder", cifar.MEAN, None),
        ("cifar10", info.mean, None),
    ]:
        record = {"test_accuracy": 0.5, "train_config": {"dataset": dataset}}
        known = replace(tiny_checkpoint, labels=classes, mean=mean, std=info.std, record=record)
        checkpoint.save(known, path := tmp_path / "known.safetensors")
        code, out, _ = vitviz("evaluate", path, "--dataset", "folder", "--data", data, "--json")
        assert code == 0
        assert json.loads(out)["recorded"] == recorded


@pytest.mark.slow
def test_timeline_writes_a_movie(vitviz, tmp_path):
    path = tmp_path / "new folder" / "cat.gif"
    said = f"{path}: 60 snapshots of cat, to epoch 98.6\n"
    assert vitviz("timeline", "cifar10-ti4", "--image", "cat", "--output", path) == (0, said, "")
    with Image.open(path) as image:
        assert (image.format, image.n_frames) == ("GIF", 60)
    assert path.stat().st_size < 3_000_000


@pytest.mark.slow
def test_the_target_is_a_class_name_an_index_or_a_contrast(vitviz, tiny_file, tmp_path):
    words = ("explain", "cat", "--checkpoint", tiny_file, "--method", "relevance", "--output", tmp_path / "map.npz")
    assert vitviz(*words, "--target", "class 4")[0] == 0
    with np.load(tmp_path / "map.npz") as stored:
        four = stored["map"]
    assert vitviz(*words, "--target", "4")[0] == 0
    with np.load(tmp_path / "map.npz") as stored:
        assert np.array_equal(stored["map"], four)
    assert vitviz(*words, "--target", "class 4", "--target", "class 5")[0] == 0
    with np.load(tmp_path / "map.npz") as stored:
        assert np.abs(stored["map"] - four).max() > 1e-6
    code, _, err = vitviz(*words, *("--target", "class 4") * 3)
    assert code == 1
    assert "or two different ones: got" in err
    code, _, err = vitviz(*words, "--target", "unicorn")
    assert code == 1
    assert "target must be a class, from 0 to 10 or one of class 0, class 1" in err


def test_probe_writes_a_figure_or_numbers_over_the_samples(vitviz, tiny_file, tmp_path):
    for ending in ("svg", "npz"):
        path = tmp_path / f"probes.{ending}"
        said = "tiny over the 10 samples (CIFAR-10 has another size)"
        assert vitviz("probe", tiny_file, "--output", path) == (0, f"{path}: {said}\n", "")
    assert said in (tmp_path / "probes.svg").read_text()
    with np.load(tmp_path / "probes.npz") as numbers:
        assert numbers["lens"].shape == (tiny.L + 1, 10, tiny.K)


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_probe_uses_the_test_images_if_available(vitviz, cifar_folder, cifar_config, tmp_path, monkeypatch):
    given = Checkpoint("small", tiny.model(cifar_config), cifar.CLASSES, cifar.MEAN, cifar.STD, {})
    checkpoint.save(given, tmp_path / "small.safetensors")
    words = ("probe", tmp_path / "small.safetensors", "--output", tmp_path / "probes.npz")
    code, out, _ = vitviz(*words, "--data", cifar_folder, "--num-images", "7")
    assert code == 0
    assert out.endswith("small over the first 7 test images of CIFAR-10\n")
    with np.load(tmp_path / "probes.npz") as numbers:
        images = given.normalize(cifar.load("test", cifar_folder)[0][:7])
        np.testing.assert_allclose(numbers["lens"][-1], given.network(images).detach(), rtol=0, atol=1e-4)
    monkeypatch.setenv("VITVIZ_DATA", str(cifar_folder))
    assert vitviz(*words)[1].endswith("small over the first 20 test images of CIFAR-10\n")
    monkeypatch.setenv("VITVIZ_DATA", str(tmp_path / "nowhere"))
    assert vitviz(*words)[1].endswith("small over the 10 samples (CIFAR-10 is not available)\n")


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_checkpoint_is_evaluated_in_words_and_as_json(vitviz, cifar_folder, cifar_config, tmp_path):
    record = {"test_accuracy": 0.75}
    given = Checkpoint("small", tiny.model(cifar_config), cifar.CLASSES, cifar.MEAN, cifar.STD, record)
    checkpoint.save(given, tmp_path / "small.safetensors")
    code, out, _ = vitviz("evaluate", tmp_path / "small.safetensors", "--data", cifar_folder, "--json")
    assert code == 0
    found = json.loads(out)
    assert [row["images"] for row in found["classes"]] == np.bincount(cifar.load("test", cifar_folder)[1]).tolist()
    assert sum(row["correct"] for row in found["classes"]) == found["correct"]
    assert (found["checkpoint"], found["recorded"], found["images"]) == ("small", 0.75, 20)
    assert found["correct"] == round(20 * found["test_accuracy"], 6)
    assert round(20 * found["test_accuracy"], 6) in range(21)
    code, out, _ = vitviz("evaluate", tmp_path / "small.safetensors", "--data", cifar_folder, "-o", tmp_path / "a.json")
    assert code == 0
    assert out.startswith(f"small: {20 * found['test_accuracy']:.0f} of 20 test images; recorded: 15 of 20\n")
    assert out.endswith(f"expected calibration error: {100 * found['calibration_error']:.1f} %\n")
    stored = json.loads((tmp_path / "a.json").read_text())
    assert np.diag(stored["confusion_matrix"]).sum() == found["correct"]
    code, _, err = vitviz("evaluate", "nowhere", "-o", "a.txt")
    assert (code, "must end in .png" in err) == (1, True), "before the model is loaded"


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_data_check_counts_the_images(vitviz, cifar_folder):
    code, out, _ = vitviz("data", "check", "--data", cifar_folder)
    assert code == 0
    assert out == f"CIFAR-10 in {cifar_folder / cifar.BINARY_FOLDER}: 100 training and 20 test images\n"


def test_data_check_lists_the_classes_and_skipped_files_of_a_folder(vitviz, tmp_path):
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
    assert re.search(r"cat/notes\.txt\W+The file must be a complete PNG", out)
    assert "a fifth of each class is held out" in out
    for image in (tmp_path / "pets" / "[red]").iterdir():
        image.unlink()
    code, out, err = vitviz(*words)
    assert code == 1
    assert re.search(r"cat\W+2\W+1\W", out), "the table comes first"
    assert err.startswith("vitviz: A dataset needs at least two classes")


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_data_check_lists_likely_mislabeled_images(vitviz, cifar_folder, tiny_file, tmp_path):
    numbers = np.random.default_rng(0)
    for k, name in enumerate(("red", "green", "blue")):
        (tmp_path / "colors" / name).mkdir(parents=True)
        for number in range(20):
            pixels = numbers.integers(0, 160, (tiny.H, tiny.W, 3))
            pixels[..., (k + (name == "red" and number == 7)) % 3] += 90
            Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / "colors" / name / f"{number}.png")
    words = ("data", "check", "--dataset", "folder", "--data", tmp_path / "colors", "--checkpoint")
    code, out, err = vitviz(*words, tiny_file)
    assert (code, err) == (0, "")
    assert re.search(r"likely mislabeled\W+class\W+prediction\W+probability\W+red/7\.png\W+red\W+green", out)
    assert vitviz(*words, "nowhere")[0] == 1
    code, out, _ = vitviz("data", "check", "--data", cifar_folder, "--checkpoint", tiny_file)
    assert code == 0
    assert re.search(r" of 120 images are likely mislabeled, .* features of tiny;", out)


def test_unknown_words_get_a_suggestion(vitviz, tmp_path, subtests):
    cases = {
        ("explain", "catt", "-o", tmp_path / "a.png"): (1, "Did you mean cat?"),
        ("explain", "cat", "--checkpoint", "cifar10-t4", "-o", tmp_path / "a.png"): (1, "Did you mean cifar10-ti4?"),
        ("train", "--set", "model.dpth=3"): (1, "Did you mean model.depth?"),
        ("train", "--preset", "cifar10-2mn"): (1, "Did you mean cifar10-2min?"),
        ("explan",): (2, "explain"),
        ("evaluate", "cifar10-ti4", "--datset", "cifar10"): (2, "--dataset"),
    }
    for words, (expected, suggestion) in cases.items():
        with subtests.test(words[0]):
            code, _, err = vitviz(*words)
            assert (code, suggestion in err) == (expected, True)


def test_version_help_and_names_are_printed(vitviz):
    assert vitviz("--version")[:2] == (0, f"vitviz {package.__version__}\n")
    for words in (("-h",), ("explain", "-h")):
        code, out, _ = vitviz(*words)
        assert (code, "Usage" in out) == (0, True)
    code, out, _ = vitviz("list")
    assert code == 0
    for name in ("cifar10-ti4", "cat", "chelsea", "relevance", "cifar10-2min"):
        assert re.search(rf"^ {name} ", out, re.MULTILINE)
    assert "chelsea" not in vitviz("list", "methods")[1]


def test_tables_that_are_piped_are_not_cut(vitviz, tmp_path):
    name = "a" * 90
    write_image_folder(tmp_path, {"ant": 3, "bee": 3})
    (tmp_path / "ant").rename(tmp_path / name)
    assert name in vitviz("data", "check", "--dataset", "folder", "--data", tmp_path)[1]


def test_an_interrupted_command_has_exit_status_130(vitviz, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("vitviz.models.hub.load", interrupt)
    assert vitviz("evaluate", "cifar10-ti4")[0] == 130


def test_without_a_network_a_model_of_the_hub_is_refused_at_once(monkeypatch, tmp_path):
    def fail(address, timeout):
        assert timeout <= 5
        raise OSError

    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "localhost")
    monkeypatch.setattr("socket.create_connection", fail)
    with pytest.raises(CheckpointError, match="must be in the cache without a network"):
        hub.load("hf:nobody/never-cached")
