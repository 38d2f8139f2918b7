"""The command line: trainings and sweeps, begun, stopped and gone on with."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from tests import tiny
from vitviz.cli.training import resolve_config
from vitviz.models import checkpoint
from vitviz.runs.run_folder import write_config
from vitviz.training.config import TrainConfig
from vitviz.training.presets import PRESETS

SMALL_DATA = "from vitviz import cli; from vitviz.data import cifar; cifar.RECORDS = 20; "  # as in `cifar_folder`


@pytest.mark.slow
def test_a_model_is_fine_tuned_on_a_folder_and_evaluated_by_its_checkpoint_alone(vitviz, tiny_file, tmp_path):
    for level, name in enumerate(("dark", "light")):
        (tmp_path / "images" / name).mkdir(parents=True)
        for number in range(5):
            Image.new("L", (30, 30), 200 * level + number).save(tmp_path / "images" / name / f"{number}.png")
    words = [
        "train",
        "--init-from",
        tiny_file,
        "--freeze-backbone",
        "--dataset",
        "folder",
        "--data",
        tmp_path / "images",
    ]
    words += ["--epochs", "2", "--batch-size", "4", "--out", tmp_path / "run", "--device", "cpu"]
    code, out, err = vitviz(*words, "--set", "model.img_size=[24, 24]")
    assert code == 0, err
    result = checkpoint.load(tmp_path / "run" / "last.safetensors")
    assert (result.labels, result.network.config.grid_size, result.network.config.depth) == (
        ("dark", "light"),
        (6, 6),
        tiny.L,
    )
    code, again, _ = vitviz("evaluate", tmp_path / "run" / "last.safetensors", "--data", tmp_path / "images")
    assert code == 0
    assert re.search(r"of 2 test images", again)
    assert again.split(": ")[1].split(" %")[0] == out.split("test_accuracy ")[1].split(" %")[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
@pytest.mark.parametrize("name", sorted(PRESETS))
def test_each_preset_trains_a_few_steps_and_is_gone_on_with(vitviz, cifar_folder, tmp_path, name):
    run = tmp_path / "run"
    small = ["model.depth=2", "model.embed_dim=24", "model.num_heads=2", "model.mlp_ratio=1.67", "num_snapshots=2"]
    words = ["train", "--preset", name, "--data", cifar_folder, "--out", run, "--device", "cpu", "--batch-size", "50"]
    words += [word for setting in small for word in ("--set", setting)]
    code, out, _ = vitviz(*words, "--epochs", "1")
    assert code == 0
    assert re.fullmatch(rf"{run}/last\.safetensors: test_accuracy \d+\.\d\d %\n", out)
    code, _, err = vitviz(*words, "--epochs", "1")
    assert code == 1
    assert "A run folder must be new" in err
    code, _, err = vitviz("train", "--resume", "--out", run, "--data", cifar_folder)
    assert code == 1
    assert "is finished: there is nothing to resume" in err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_teacher_is_trained_and_teaches_and_is_measured_but_not_explained(vitviz, cifar_folder, tmp_path):
    teacher = tmp_path / "teacher" / "last.safetensors"
    few = ["--data", cifar_folder, "--device", "cpu", "--batch-size", "50", "--epochs", "1"]
    code, out, _ = vitviz(
        "train", "--preset", "cifar10-teacher", *few, "--set", "model.embed_dim=8", "--out", teacher.parent
    )
    assert code == 0
    measured = re.search(r"test_accuracy (\d+\.\d\d) %", out)[1]
    code, out, _ = vitviz("evaluate", teacher, "--data", cifar_folder)
    assert code == 0
    assert f"{measured} %" in out
    small = [word for setting in ("depth=1", "width=24", "heads=2") for word in ("--set", f"model.{setting}")]
    code, out, _ = vitviz("train", *few, *small, "--out", tmp_path / "run", "--teacher", teacher)
    assert code == 0
    code, _, err = vitviz("explain", "cat", "--checkpoint", teacher, "--out", tmp_path / "cat.svg")
    assert code == 1
    assert "Only attention can be looked at" in err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_ctrl_c_saves_and_tells_how_to_go_on(cifar_folder, tmp_path):
    run = tmp_path / "my run"
    words = ["train", "--data", cifar_folder, "--out", run, "--device", "cpu", "--batch-size", "2", "--epochs", "1e6"]
    for setting in ("model.depth=1", "model.embed_dim=24", "model.num_heads=2", "model.mlp_ratio=0.34"):
        words += ["--set", setting]
    command = [sys.executable, "-c", SMALL_DATA + "cli.main()", *map(str, words)]
    training = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        while not (run / "last.safetensors").exists():
            assert training.poll() is None, training.stderr.read()
        training.send_signal(signal.SIGINT)
        _, err = training.communicate(timeout=300)
    finally:
        training.kill()
        training.wait()
    assert training.returncode == 1
    assert f"nothing is lost. Go on with: python -m vitviz train --resume --out '{run}'\n" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["train", "sweep"])
@pytest.mark.parametrize("name", ["my first", "läuf", ".first"])
def test_a_name_that_the_page_will_not_list_is_told(vitviz, tmp_path, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    words = [command, "--data", "nowhere", *(["--vary", "seed=0,1"] if command == "sweep" else [])]
    with pytest.warns(UserWarning, match=rf"^The page will not list runs/{name}\. The name of a run may have 1 to 64 "):
        vitviz(*words, "--out", f"runs/{name}")
    vitviz(*words, "--out", "runs/first")  # a warning would be an error
    vitviz(*words, "--out", f"elsewhere/{name}")


def test_a_run_that_was_moved_goes_on_where_it_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moved = Path("runs/cifar10-ti4")
    moved.mkdir(parents=True)
    write_config(TrainConfig(output_dir="runs/first"), moved)
    assert resolve_config(None, None, True, {}).folder == moved


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_sweep_tells_in_whole_sentences_why_runs_failed(vitviz, cifar_folder, tmp_path):
    words = (
        "sweep",
        "--data",
        cifar_folder,
        "--out",
        tmp_path / "g [bold]",
        "--vary",
        "init_from=nope,nada",
        "--epochs",
        "1",
    )
    code, out, err = vitviz(*words, "--set", "batch_size=50", "--set", "device=cpu")
    assert code == 1
    assert out.count("failed") == 2
    assert "g [bold]-startnope" in out, "a name is no markup"
    for name in ("nope", "nada"):
        assert f"g [bold]-start{name}: Checkpoint {name!r} not found. Use a bundled one" in err


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_sweep_prints_a_row_for_each_run_and_goes_on(vitviz, cifar_folder, tmp_path):
    words = ["sweep", "--vary", "model.depth=1,2", "--data", cifar_folder, "--out", tmp_path / "grid", "--epochs", "1"]
    small = [
        "model.embed_dim=24",
        "model.num_heads=2",
        "model.mlp_ratio=0.34",
        "batch_size=50",
        "num_snapshots=0",
        "device=cpu",
    ]
    code, out, _ = vitviz(*words, *(word for setting in small for word in ("--set", setting)))
    assert code == 0
    rows = [line.split() for line in out.splitlines() if "grid-depth" in line]
    assert [row[1] for row in rows] == ["grid-depth1", "grid-depth2"]
    assert all(row[-2] == "%" for row in rows)
    assert (tmp_path / "grid-depth2" / "last.safetensors").exists()
    code, again, _ = vitviz("sweep", "--resume", "--out", tmp_path / "grid")
    assert code == 0
    assert [line for line in again.splitlines() if "grid-depth" in line] == [
        line for line in out.splitlines() if "grid-depth" in line
    ]
    code, _, err = vitviz(*words)
    assert code == 1
    assert "The folder of a sweep must be new" in err


def test_a_sweep_on_several_processes_is_refused_by_each_before_anything_is_written(vitviz, tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    code, _, err = vitviz("sweep", "--vary", "seed=0,1", "--out", tmp_path / "grid")
    assert code == 1
    assert err == "vitviz: A sweep is the work of one process: torchrun started 2. Use: python -m vitviz sweep.\n"
    assert not (tmp_path / "grid").exists()


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_tensorboard_is_noted_when_wanted_and_its_absence_is_said(vitviz, cifar_folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    words = ("train", "--data", cifar_folder, "--out", tmp_path / "run", "--log", "tensorboard")
    code, _, err = vitviz(*words)
    assert code == 1
    assert "--log tensorboard needs TensorBoard: it is not installed. pip install tensorboard" in err
    assert not (tmp_path / "run").exists()

    noted = []

    class Writer:
        def __init__(self, folder, purge_step):
            assert folder == str(tmp_path / "run" / "tensorboard")
            noted.append(("begun", purge_step))

        def __enter__(self):
            return self

        def __exit__(self, *given):
            noted.append("closed")

        def add_scalar(self, name, value, global_step):
            noted.append((name, global_step))

    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", SimpleNamespace(SummaryWriter=Writer))
    small = (
        "--set",
        "model.depth=1",
        "--set",
        "model.embed_dim=24",
        "--set",
        "model.num_heads=2",
        "--batch-size",
        "50",
    )
    code, _, _ = vitviz(*words, *small, "--data", "nowhere")
    assert (code, noted) == (1, []), "a training that is refused leaves no log"
    code, _, _ = vitviz(*words, *small, "--epochs", "1", "--device", "cpu")
    assert code == 0
    assert noted[0] == ("begun", noted[1][1]), "what was noted from there on before is hidden"
    assert {("loss", 1000), ("accuracy", 1000), ("train_accuracy", 1000), ("learning_rate", 1000)} <= set(noted)
    assert noted[-1] == "closed"
