"""Command line: options of train and sweep; start, stop and resume."""

import re
import signal
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from PIL import Image

from tests import tiny
from tests.data.folders import write_image_folder
from vitviz.cli.options import NO_FLAG, PANELS, base_type, config_values
from vitviz.cli.training import resolve_config
from vitviz.models import checkpoint
from vitviz.runs import training_run
from vitviz.runs.run_folder import write_config
from vitviz.runs.store import Runs
from vitviz.training.config import UNUSED_BY, TrainConfig
from vitviz.training.presets import PRESETS, get_preset

NAMES = [field.name for field in fields(TrainConfig) if field.name not in NO_FLAG]
SMALL_DATA = "from vitviz import cli; from vitviz.data import cifar; cifar.RECORDS = 20; "  # as in `cifar_folder`


@pytest.mark.parametrize("command", ["train", "sweep"])
def test_every_field_of_the_config_has_a_documented_option(vitviz, command):
    code, out, _ = vitviz(command, "--help")
    assert code == 0
    assert NO_FLAG == ("model",)
    for name in ("preset", "network", "set", "resume", *NAMES):
        assert re.search(rf"--{name.replace('_', '-')}\W+\S", out), name
    for panel in PANELS.values():
        assert panel in out


def test_options_are_converted_by_the_types_of_the_fields():
    options = dict.fromkeys(NAMES)
    assert config_values(options) == {}
    given = {"minutes": "2", "seed": "-3", "data": "5", "lr": "1e-3", "compile": False, "device": "cpu"}
    assert config_values(options | given) == {
        "minutes": 2,
        "seed": -3,
        "data": "5",
        "lr": 1e-3,
        "compile": False,
        "device": "cpu",
    }
    assert config_values(options | {"epochs": "0.5"}) == {"epochs": 0.5}


def words_that_change(name: str) -> list[str]:
    """Return the option of a field with a value other than its default."""
    kind, flag = base_type(get_type_hints(TrainConfig, include_extras=True)[name]), f"--{name.replace('_', '-')}"
    if kind is bool:
        return [flag.replace("--", "--no-")] if getattr(TrainConfig(), name) else [flag]
    return [flag, {int: "6", float: "0.25", str: "cifar10-ti4"}.get(kind) or get_args(kind)[-1]]


def test_every_option_reaches_the_config(subtests, vitviz, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    configs = []

    def train(config, report, resume, restart):
        configs.append(config)
        raise ValueError("trained")

    monkeypatch.setattr(training_run, "train", train)
    needs = {name: ["--objective", "mae"] for name in UNUSED_BY["classify"]}
    needs["freeze_backbone"] = ["--init-from", "cifar10-ti4"]
    for name in NAMES:
        option, *value = words_that_change(name)
        setting = f"{name}={value[0] if value else str(not option.startswith('--no-')).lower()}"
        for words in ([option, *value], ["--set", setting]):
            with subtests.test(words=words):
                configs.clear()
                code, _, err = vitviz("train", "--batch-size", "3", *needs.get(name, []), *words)
                assert code == 1
                assert err.endswith("vitviz: trained\n")
                assert getattr(configs[0], name) != getattr(TrainConfig(), name)


@pytest.mark.slow
def test_a_model_is_fine_tuned_on_an_image_folder_and_evaluated(vitviz, tiny_file, tmp_path):
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
    words += ["--epochs", "2", "--batch-size", "4", "--output-dir", tmp_path / "run", "--device", "cpu"]
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
    assert f": {out.split('test_accuracy ')[1].strip()} test images" in again


def test_a_linear_probe_is_a_finished_run_that_explains_and_is_listed(vitviz, tiny_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    images = write_image_folder(tmp_path / "images", {"ant": 12, "bee": 12})
    words = ("train", "--linear-probe", "--init-from", tiny_file, "--data", images)
    code, out, err = vitviz(*words)
    assert code == 0, err
    assert re.fullmatch(r"runs/\S+/last.safetensors: linear probe on tiny, 24 images(, .* held out)?\n", out)
    (run,) = Runs("runs").all()
    assert (run.name, run.state, run.config["init_from"], run.config["dataset"]) == (
        *("linear-probe", "finished"),
        str(tiny_file),
        "folder",
    )
    probe = "runs/linear-probe/last.safetensors"
    assert vitviz("explain", images / "ant" / "3.png", "--checkpoint", probe, "-o", "x.csv")[0] == 0
    code, out, err = vitviz(*words)
    assert (code, "must be new" in err) == (1, True)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--epochs", ("--epochs", "3")),
        ("--dataset", ("--dataset", "cifar10")),
        ("--no-compile", ("--no-compile",)),
        ("--preset", ("--preset", "cifar10-2min")),
        ("--set", ("--set", "model.depth=3")),
        ("--resume", ("--resume",)),
        ("--tensorboard", ("--tensorboard",)),
        ("--init-from", ()),
    ],
)
def test_options_that_a_linear_probe_does_not_use_are_refused(vitviz, tmp_path, option, words):
    code, _, err = vitviz("train", "--linear-probe", "--data", tmp_path, *words)
    assert code == 1
    assert err.startswith(f"vitviz: {option.replace('--no-', '--')} ")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_trains_a_few_steps(vitviz, cifar_folder, tmp_path, name):
    run = tmp_path / "run"
    small = ["model.depth=2", "model.embed_dim=24", "model.num_heads=2", "model.mlp_ratio=1.67", "num_snapshots=2"]
    words = [
        "train",
        "--preset",
        name,
        "--data",
        cifar_folder,
        "--output-dir",
        run,
        "--device",
        "cpu",
        "--batch-size",
        "50",
    ]
    words += [word for setting in small for word in ("--set", setting)]
    code, out, _ = vitviz(*words, "--epochs", "1")
    assert code == 0
    result = r"reconstruction_loss \d\.\d+" if get_preset(name).objective == "mae" else r"test_accuracy \d+ of 20"
    assert re.fullmatch(rf"{run}/last\.safetensors: {result}\n", out)
    code, _, err = vitviz(*words, "--epochs", "1")
    assert code == 1
    assert "The run folder must be new" in err
    code, _, err = vitviz("train", "--resume", "--output-dir", run, "--data", cifar_folder)
    assert code == 1
    assert "is finished: there is nothing to resume" in err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_ctrl_c_saves_and_prints_how_to_resume(cifar_folder, tmp_path):
    run = tmp_path / "my run"
    words = [
        "train",
        "--data",
        cifar_folder,
        "--output-dir",
        run,
        "--device",
        "cpu",
        "--batch-size",
        "2",
        "--epochs",
        "1e6",
    ]
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
    assert training.returncode == 130
    assert f"the state is saved. Resume with: python -m vitviz train --resume --output-dir '{run}'\n" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["train", "sweep"])
@pytest.mark.parametrize("name", ["my first", "läuf", ".first"])
def test_a_name_that_the_page_cannot_list_is_warned_about(vitviz, tmp_path, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    words = [command, "--data", "nowhere", *(["--vary", "seed=0,1"] if command == "sweep" else [])]
    with pytest.warns(UserWarning, match=rf"^The page will not list runs/{name}: name must have 1 to 64 "):
        vitviz(*words, "--output-dir", f"runs/{name}")
    vitviz(*words, "--output-dir", "runs/first")  # a warning would be an error
    vitviz(*words, "--output-dir", f"elsewhere/{name}")


def test_a_moved_run_resumes_in_its_new_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moved = Path("runs/cifar10-ti4")
    moved.mkdir(parents=True)
    write_config(TrainConfig(output_dir="runs/first"), moved)
    assert resolve_config(None, None, True, {}, {}).folder == moved


@pytest.mark.parametrize("given", [{"minutes": 3}, {"minutes": 3, "init_from": "cifar10-ti4"}])
def test_a_run_is_resumed_by_its_own_command_or_by_its_folder(tmp_path, given):
    values = {"output_dir": str(tmp_path / "run"), **given}
    config = resolve_config("cifar10-2min", None, False, values, {})
    write_config(config, config.folder)
    assert resolve_config("cifar10-2min", None, True, values, {}) == config
    assert resolve_config(None, None, True, {"output_dir": values["output_dir"]}, {}) == config
    assert resolve_config("cifar10-s4", None, True, values, {}) != config, (
        "another preset is compared when it is resumed"
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_sweep_prints_the_errors_of_failed_runs(vitviz, cifar_folder, tmp_path):
    words = (
        "sweep",
        "--data",
        cifar_folder,
        "--output-dir",
        tmp_path / "g [bold]",
        "--vary",
        "init_from=nope,nada",
        "--epochs",
        "1",
    )
    code, out, err = vitviz(*words, "--set", "batch_size=50", "--set", "device=cpu")
    assert code == 1
    assert out.count("failed") == 2
    assert "g [bold]-initfromnope" in out, "names are not parsed as markup"
    for name in ("nope", "nada"):
        assert f"g [bold]-initfrom{name}: Checkpoint {name!r} not found. Use a bundled one" in err


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_sweep_prints_one_row_per_run_and_resumes(vitviz, cifar_folder, tmp_path):
    words = [
        "sweep",
        "--vary",
        "model.depth=1,2",
        "--data",
        cifar_folder,
        "--output-dir",
        tmp_path / "grid",
        "--epochs",
        "1",
    ]
    small = [
        "model.embed_dim=24",
        "model.num_heads=2",
        "model.mlp_ratio=0.34",
        "batch_size=50",
        "num_snapshots=0",
        "device=cpu",
    ]
    code, out, err = vitviz(*words, *(word for setting in small for word in ("--set", setting)))
    assert code == 0, err
    assert code == 0
    rows = [line.split() for line in out.splitlines() if "grid-depth" in line]
    assert [row[1] for row in rows] == ["grid-depth1", "grid-depth2"]
    assert all(row[-3:-1] == ["of", "20"] for row in rows)
    assert (tmp_path / "grid-depth2" / "last.safetensors").exists()
    code, again, _ = vitviz("sweep", "--resume", "--output-dir", tmp_path / "grid")
    assert code == 0
    assert [line for line in again.splitlines() if "grid-depth" in line] == [
        line for line in out.splitlines() if "grid-depth" in line
    ]
    code, _, err = vitviz(*words)
    assert code == 1
    assert "--output-dir must be a new folder" in err


@pytest.mark.parametrize("words", [("--output-dir", "x"), ("--set", "output_dir=x")])
def test_a_run_folder_is_set_by_its_option_or_as_a_field(vitviz, monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    for command in ("train", "sweep"):
        code, _, err = vitviz(command, "--resume", *words)
        assert (code, "x" in err, "cifar10-ti4" in err) == (1, True, False), err


def test_a_sweep_rejects_several_processes(vitviz, tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    code, _, err = vitviz("sweep", "--vary", "seed=0,1", "--output-dir", tmp_path / "grid")
    assert code == 1
    assert err == "vitviz: A sweep needs a single process: torchrun started 2. Use: python -m vitviz sweep.\n"
    assert not (tmp_path / "grid").exists()
