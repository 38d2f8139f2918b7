"""Watching a training of any loop: run folder, timeline, adapters, and that the training is never disturbed."""

import json
import math
import os
import sys
import warnings
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import timm
import torch
from torch import nn

import vitviz
from tests.errors import refuses
from tests.models.families import SQUARE, A, K, L, of_timm, of_transformers
from vitviz.data import preprocessing
from vitviz.errors import CheckpointError, ImageError
from vitviz.models import checkpoint
from vitviz.runs import run_folder
from vitviz.runs.store import Runs
from vitviz.runs.watch import MAX_SNAPSHOTS, lightning_callback, transformers_callback
from vitviz.training import timeline
from vitviz.training.loop import patch_keep_ratio
from vitviz.webapp.trainings import AUGMENTATION, Trainings

CLASSES = [f"class {k}" for k in range(K)]


@pytest.fixture
def module():
    torch.manual_seed(0)
    return of_timm("vit_tiny_patch16_224")(SQUARE).train()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "runs" / "mine"


def images(count):
    return torch.arange(count * 3 * 32 * 32, dtype=torch.int64).remainder(251).to(torch.uint8).view(count, 3, *SQUARE)


def train(module, watch, steps=3):
    """Take steps of SGD with dropout's random numbers; return the weights."""
    optimizer = torch.optim.SGD(module.parameters(), 0.1)
    torch.manual_seed(1)
    for step in range(steps):
        loss = module(torch.randn(4, 3, *SQUARE)).logsumexp(-1).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        watch(step + 1, loss.item(), lr=0.1)
    return torch.cat([weight.flatten() for weight in module.parameters()]).detach()


def test_the_page_claims_nothing_about_the_augmentation_of_another_loop(module, folder):
    with vitviz.watch(module, images(2), epochs=4, output_dir=folder, labels=CLASSES) as watch:
        config = watch.config
    assert patch_keep_ratio(config, 0.1) == 1
    assert not any(getattr(config, name) for name in AUGMENTATION)


def test_a_watched_training_is_a_run_of_the_page(module, folder):
    runs = Runs(folder.parent)
    with vitviz.watch(module, images(2), epochs=4, output_dir=folder, labels=CLASSES) as watch:
        train(module, watch, 2)
        watch(3, 0.5, lr=0.1, images_per_second=80, accuracy=0.25)
        running = runs.find("mine")
        with pytest.raises(ValueError, match="The run mine belongs to another program"):
            runs.stop("mine")
    assert (running.state, running.progress, running.epoch, running.epochs) == ("training", 0.75, 3, 4)
    assert runs.find("mine").state == "finished"
    assert Trainings(root=folder.parent).lists().runs[0].preset == "watch"
    with pytest.raises(ValueError, match="The run mine belongs to another program"):
        runs.resume("mine")
    lines = [json.loads(line) for line in (folder / run_folder.METRICS).read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3]
    assert (lines[2]["loss"], lines[2]["learning_rate"], lines[2]["accuracy"]) == (0.5, 0.1, 0.25)
    recorded = timeline.read(folder / run_folder.TIMELINE)
    assert recorded.cls_attention.shape == (4, 2, L, A, 17)
    assert (recorded.epoch.tolist(), recorded.classes, recorded.names) == (
        [0, 1, 2, 3],
        CLASSES,
        ["image 1", "image 2"],
    )
    assert (recorded.images == images(2).permute(0, 2, 3, 1).numpy()).all()


def test_a_snapshot_equals_the_logits_and_attention_of_the_module(module, folder):
    with vitviz.watch(module, images(2), output_dir=folder) as watch:
        train(module, watch, 1)
        recorded = timeline.read(folder / run_folder.TIMELINE)
    mean, std = (torch.tensor(module.pretrained_cfg[name])[:, None, None] for name in ("mean", "std"))
    with torch.no_grad():
        expected = module.eval()((images(2) / 255 - mean) / std).softmax(-1)
    np.testing.assert_allclose(recorded.probabilities[1], expected, atol=1e-5)
    assert np.abs(recorded.probabilities[1] - recorded.probabilities[0]).max() > 1e-4
    opened = checkpoint.load(folder / run_folder.LAST)
    assert torch.equal(opened.network.state_dict()["head.weight"], module.head.weight)


def test_the_training_takes_the_same_steps_as_without(folder):
    def run(watched):
        torch.manual_seed(0)
        module = of_timm("vit_tiny_patch16_224", proj_drop_rate=0.1)(SQUARE).train()
        if not watched:
            return train(module, lambda *_, **__: None)
        with vitviz.watch(module, images(1), output_dir=folder) as watch:
            weights = train(module, watch)
        assert module.training
        assert all(weight.grad is None for weight in module.parameters())
        return weights

    assert torch.equal(run(watched=True), run(watched=False))


def test_every_thins_the_snapshots_but_not_the_metrics(module, folder):
    with vitviz.watch(module, images(1), every=2, output_dir=folder) as watch:
        for epoch in range(1, 6):
            watch(epoch, 1.0)
    assert timeline.read(folder / run_folder.TIMELINE).epoch.tolist() == [0, 2, 4]
    assert len((folder / run_folder.METRICS).read_text().splitlines()) == 5


def test_a_long_training_keeps_a_bounded_number_of_snapshots(module, folder, monkeypatch):
    monkeypatch.setattr("vitviz.runs.watch.MAX_SNAPSHOTS", 4)
    with vitviz.watch(module, images(1), output_dir=folder) as watch:
        for epoch in range(1, 11):
            watch(epoch, 1.0)
    assert timeline.read(folder / run_folder.TIMELINE).epoch.tolist() == [0, 4, 8]
    assert MAX_SNAPSHOTS > 4


@pytest.mark.parametrize("wrap", [torch.compile, nn.DataParallel], ids=["compile", "parallel"])
def test_wrapped_modules_are_unwrapped(module, folder, wrap):
    with vitviz.watch(wrap(module), images(1), output_dir=folder) as watch:
        watch(1, 1.0)
    assert timeline.read(folder / run_folder.TIMELINE).epoch.tolist() == [0, 1]


def test_images_are_files_arrays_or_the_samples(module, folder):
    cat = preprocessing.sample_paths()["cat"]
    with vitviz.watch(module, [cat, np.zeros((9, 9, 3), np.uint8)], output_dir=folder):
        pass
    assert timeline.read(folder / run_folder.TIMELINE).names == ["cat", "image"]
    with vitviz.watch(module, output_dir=folder.with_name("samples")) as watch:
        assert watch.recorder.names == list(preprocessing.sample_paths())


def test_a_module_without_attention_is_refused_in_a_sentence(folder):
    with pytest.raises(CheckpointError):
        vitviz.watch(nn.Sequential(nn.Linear(3, 3)), images(1), output_dir=folder)
    with pytest.raises(CheckpointError):
        vitviz.watch(timm.create_model("resnet10t", num_classes=2), images(1), output_dir=folder)
    assert not folder.exists()


def test_bad_arguments_are_refused(module, folder):
    for name in ("every", "epochs"):
        with refuses(name):
            vitviz.watch(module, images(1), output_dir=folder, **{name: 0})
    with pytest.raises(ValueError, match="images must contain at least one image"):
        vitviz.watch(module, [], output_dir=folder)
    with pytest.raises(ImageError):
        vitviz.watch(module, torch.zeros(1, 5, 8, 8), output_dir=folder)
    assert not folder.exists()


def test_a_folder_with_a_run_is_refused(module, folder):
    with vitviz.watch(module, images(1), output_dir=folder):
        pass
    with refuses("output_dir"):
        vitviz.watch(module, images(1), output_dir=folder)
    assert Runs(folder.parent).find("mine").state == "finished"


def test_whatever_goes_wrong_is_one_warning_and_the_training_continues(module, folder, monkeypatch):
    def fail(*_):
        raise RuntimeError("out of memory")

    watch = vitviz.watch(module, images(1), output_dir=folder)
    monkeypatch.setattr("vitviz.runs.watch.hub.load", fail)
    with pytest.warns(UserWarning, match="the training continues: .*out of memory") as caught:
        watch(1, 1.0)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watch(2, 1.0)
        watch.close()
    assert Runs(folder.parent).find("mine").state == "failed"


def test_an_error_of_the_training_is_recorded_and_passed_on(module, folder):
    with pytest.raises(KeyError), vitviz.watch(module, images(1), output_dir=folder):
        raise KeyError("labels")
    run = Runs(folder.parent).find("mine")
    assert (run.state, run.message) == ("failed", "Internal error: KeyError: 'labels'")
    with pytest.raises(ValueError, match="Stop or resume it there"):
        Runs(folder.parent).resume("mine")


def test_only_the_main_process_records(module, folder, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    with vitviz.watch(module, images(1), output_dir=folder) as watch:
        watch(1, 1.0)
    assert not folder.exists()


def test_the_callback_of_transformers_records_each_log(folder):
    from transformers import TrainerControl, TrainerState, TrainingArguments  # noqa: F401
    from transformers.trainer_callback import CallbackHandler

    model = of_transformers("ViTForImageClassification", "ViTConfig", num_labels=K)(SQUARE)
    callback = transformers_callback(images=images(1), output_dir=folder)
    handler = CallbackHandler([callback], model, None, None, None)
    state, control = TrainerState(num_train_epochs=2), TrainerControl()
    handler.on_train_begin(None, state, control)
    for epoch in (0.5, 1.0):
        state.epoch = epoch
        handler.on_log(None, state, control, {"loss": 2.0, "learning_rate": 1e-3})
        handler.on_log(None, state, control, {"eval_loss": 2.0})
    handler.on_train_end(None, state, control)
    assert timeline.read(folder / run_folder.TIMELINE).epoch.tolist() == [0, 0.5, 1]
    run = Runs(folder.parent).find("mine")
    assert (run.state, run.progress, run.epochs) == ("finished", 0.5, 2)


@pytest.fixture
def lightning(monkeypatch):
    """A stand-in for Lightning: the base class of its callbacks."""
    package = ModuleType("lightning.pytorch")
    package.Callback = type("Callback", (), {})
    monkeypatch.setitem(sys.modules, "lightning", ModuleType("lightning"))
    monkeypatch.setitem(sys.modules, "lightning.pytorch", package)


@pytest.mark.usefixtures("lightning")
def test_the_callback_of_lightning_records_each_epoch(module, folder):
    trainer = SimpleNamespace(
        max_epochs=2,
        current_epoch=0,
        callback_metrics={"train_loss": torch.tensor(1.5), "val_acc": torch.tensor(0.5)},
        optimizers=[torch.optim.SGD(module.parameters(), 0.1)],
    )
    callback, owner = lightning_callback("vit", images=images(1), output_dir=folder), SimpleNamespace(vit=module)
    callback.on_train_start(trainer, owner)
    callback.on_train_epoch_end(trainer, owner)
    callback.on_train_end(trainer, owner)
    (line,) = (folder / run_folder.METRICS).read_text().splitlines()
    found = json.loads(line)
    assert (found["epoch"], found["loss"], found["accuracy"], found["learning_rate"]) == (1, 1.5, 0.5, 0.1)
    assert timeline.read(folder / run_folder.TIMELINE).epoch.tolist() == [0, 1]


@pytest.mark.usefixtures("lightning")
def test_an_adapter_warns_once_about_a_module_without_attention(folder):
    callback, owner = lightning_callback(output_dir=folder), SimpleNamespace(model=nn.Linear(3, 3))
    with pytest.warns(UserWarning, match="records nothing, the training continues: The model must run on images"):
        callback.on_train_start(SimpleNamespace(max_epochs=None), owner)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        callback.on_train_epoch_end(None, owner)
        callback.on_train_end(None, owner)


def test_the_benchmark_compares_watched_epochs_with_plain_ones(monkeypatch, capsys):
    from benchmarks import callback

    monkeypatch.setattr(callback, "BATCH_SIZE", 2)
    durations = iter([9, 9, 9, 10, 10, 1, 20, 20, 2, 30, 30, 3])  # plain, watched, call; the first epochs do not count
    real = callback.time_call
    monkeypatch.setattr(callback, "time_call", lambda function: real(function) and next(durations))
    monkeypatch.setenv("COLUMNS", "120")
    callback.callback(steps=1, rounds=3)
    rows = [
        [cell.strip() for cell in line.split("│")[1:3]] for line in capsys.readouterr().out.splitlines() if "│" in line
    ]
    assert [value for _, value in rows] == ["20000 ms", "2000 ms", f"{2 / (20 * callback.EPOCH):.2%}", "1.100 ×"]


def test_metrics_are_recorded_as_they_are(module, folder):
    with vitviz.watch(module, images(1), output_dir=folder, epochs=4) as watch:
        watch(1.0, math.nan, lr=0.1)
        watch(2.0, math.inf, accuracy=0.5)
        watch(3.0)
        with pytest.warns(UserWarning, match="epoch 1 after 3") as caught:
            watch(1.0, 2.0)
        assert caught[0].filename == __file__
        watch(0.5, 2.0)  # said once
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert math.isnan(lines[0]["loss"])
    assert [line["loss"] for line in lines[1:]] == [math.inf, None, 2.0, 2.0]
    assert [line["learning_rate"] for line in lines] == [0.1, None, None, None, None]
    assert [line["accuracy"] for line in lines] == [None, 0.5, None, None, None]
    assert len(Runs(folder.parent).metrics("mine")[0]) == 5


def test_two_in_one_second_have_folders_of_their_own(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with vitviz.watch(module, images(1)) as one, vitviz.watch(module, images(1)) as other:
        assert one.config.output_dir != other.config.output_dir
    assert {info.state for info in Runs().all()} == {"finished"}


def test_where_warnings_are_errors_the_training_continues(module, folder, monkeypatch):
    watch = vitviz.watch(module, images(1), output_dir=folder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watch(2, 1.0)
        watch(1, 1.0)
        monkeypatch.setattr("vitviz.runs.watch.hub.load", lambda *_: 1 / 0)
        watch(2, 1.0)
    assert Runs(folder.parent).find("mine").state == "failed"


def test_a_forked_process_does_not_record(module, folder):
    with vitviz.watch(module, images(1), output_dir=folder) as watch:
        if not (child := os.fork()):
            watch(1, 1.0)
            watch.close()
            os._exit(0)
        os.waitpid(child, 0)
        watch(2, 1.0)
    assert [line["epoch"] for line in Runs(folder.parent).metrics("mine")[0]] == [2.0]


def test_a_pipe_in_the_folder_is_refused_at_once(module, folder):
    folder.mkdir(parents=True)
    os.mkfifo(folder / "process.json")
    with pytest.raises(OSError, match="Not a regular file"):
        vitviz.watch(module, images(1), output_dir=folder)
