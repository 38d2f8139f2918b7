"""Knowledge distillation: targets, checks of the teacher, and that the student learns its predictions."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn
from vitviz.training.distillation import distillation_targets
from vitviz.training.sources import check_same_teacher, load_sources

from tests.training.trainings import create_run
from vitviz.data.datasets import CIFAR10
from vitviz.errors import ConfigError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import load
from vitviz.models.config import ConvNetConfig
from vitviz.models.factory import create_model
from vitviz.runs.training_run import train
from vitviz.training.presets import get_preset

CONVNET = ConvNetConfig(embed_dim=4, depth=2)
pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]


@pytest.fixture
def teacher(config) -> str:
    """A convnet that was trained for one epoch."""
    changes = {"patch_keep_start": 1.0, "patch_keep_end": 1.0, "num_snapshots": 0}
    output_dir = f"{config.output_dir}-teacher"
    return str(train(replace(config, model=CONVNET, epochs=1, preset="teacher", output_dir=output_dir, **changes)))


def test_targets_are_a_weighted_mean_of_labels_and_teacher():
    images, targets = torch.zeros(2, 3, 4, 4), torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    network = nn.Module()
    network.forward = lambda images: torch.tensor([[0.0, 3.0]]).log().clamp(min=-100).expand(len(images), 2)
    found = distillation_targets(network, images, targets, 0.25)
    torch.testing.assert_close(found, torch.tensor([[0.75, 0.25], [0.375, 0.625]]))
    assert torch.equal(distillation_targets(network, images, targets, 0.0), targets)


def test_with_weight_one_the_student_learns_the_predictions_of_the_teacher(config, monkeypatch, teacher):
    changes = {
        "cutmix_prob": 0.0,
        "label_smoothing": 0.0,
        "patch_keep_start": 1.0,
        "patch_keep_end": 1.0,
        "warmup_fraction": 0.0,
        "muon_lr": 0.01,
        "lr": 0.01,
        "ema_decay": 0.0,
    }
    run = create_run(replace(config, teacher=teacher, distill_weight=1.0, **changes))
    always_4 = torch.tensor([-9.0] * 4 + [9.0] + [-9.0] * 5)
    monkeypatch.setattr(run.trainer.teacher.network, "forward", lambda images: always_4.expand(len(images), -1))
    for _ in range(20):
        run.step(torch.arange(20))
    predicted = run.trainer.model.eval()(run.result({}).normalize(run.images[:20])).argmax(1)
    assert (predicted == 4).all()
    assert not (run.labels[:20] == 4).all()


def test_the_teacher_is_not_trained(config, teacher):
    run = create_run(replace(config, teacher=teacher))
    before = {name: weight.clone() for name, weight in run.trainer.teacher.network.state_dict().items()}
    run.step(torch.arange(20))
    assert all(torch.equal(weight, before[name]) for name, weight in run.trainer.teacher.network.state_dict().items())
    assert not run.trainer.teacher.network.training
    assert all(weight.grad is None for weight in run.trainer.teacher.network.parameters())


def test_teacher_and_student_get_the_same_augmented_images(config, teacher, monkeypatch):
    run = create_run(replace(config, teacher=teacher, patch_keep_start=1.0, patch_keep_end=1.0))
    inputs = []
    real = run.trainer.teacher.network.forward
    monkeypatch.setattr(run.trainer.teacher.network, "forward", lambda images: inputs.append(images) or real(images))
    run.trainer.model.register_forward_pre_hook(lambda model, args: inputs.append(args[0]))
    run.step(torch.arange(20))
    assert inputs[0] is inputs[1]


def test_the_record_describes_the_teacher_without_its_path(config, teacher):
    record = load(train(replace(config, teacher=teacher, epochs=1))).record
    expected = {name: load(teacher).record[name] for name in ("test_accuracy", "parameters", "epochs", "seconds")}
    assert record["teacher"] == expected | {"name": "teacher", "architecture": "convnet"}
    assert record["train_config"]["distill_weight"] == 0.9
    assert config.output_dir not in str(record)
    assert load(teacher).record["teacher"] is None


def test_a_vision_transformer_can_be_a_teacher(config):
    first = train(replace(config, epochs=1, output_dir=f"{config.output_dir}-first"))
    record = load(train(replace(config, teacher=str(first), epochs=1))).record
    assert record["teacher"]["architecture"] == "vit"


@pytest.mark.parametrize("change", ["classes", "mean", "size"])
def test_a_teacher_of_other_images_is_refused(config, teacher, tmp_path, change):
    known = load(teacher)
    other = {
        "classes": {"labels": known.labels[::-1]},
        "mean": {"mean": (0.5, 0.5, 0.5)},
        "size": {"network": create_model(replace(CONVNET, img_size=(16, 16)))},
    }[change]
    checkpoint.save(replace(known, **other), path := tmp_path / "other.safetensors")
    message = "teacher must be trained on the same images at the same size: other was not"
    with pytest.raises(ConfigError, match=message) as found:
        load_sources(replace(config, teacher=str(path)), CIFAR10, 100, torch.device("cpu"))
    assert found.value.field == "teacher"


def test_a_teacher_that_was_trained_on_validation_images_is_refused(config, teacher):
    message = r"teacher must not be trained on validation images: val_size is 30 here and was 0 for last\. Train it"
    with pytest.raises(ConfigError, match=message) as found:
        train(replace(config, teacher=teacher, val_size=30))
    assert found.value.field == "teacher"


@pytest.mark.parametrize(("val_size", "allowed"), [(30, True), (40, True), (29, False), ("all", False), (None, False)])
def test_the_validation_split_of_the_teacher_must_be_at_least_as_large(config, teacher, tmp_path, val_size, allowed):
    known = load(teacher)
    changed = replace(known, record=known.record | {"train_config": {"val_size": val_size}})
    checkpoint.save(changed, path := tmp_path / "teacher.safetensors")
    with nullcontext() if allowed else pytest.raises(ConfigError, match="must not be trained on validation images"):
        assert load_sources(replace(config, teacher=str(path), val_size=30), CIFAR10, 100, torch.device("cpu"))[1]


def test_a_teacher_that_is_not_a_classifier_is_refused(config):
    masked = train(replace(config, objective="masked-patch", epochs=1, output_dir=f"{config.output_dir}-masked"))
    with pytest.raises(ConfigError, match="teacher must be a classifier: last was trained without labels"):
        train(replace(config, teacher=str(masked)))


def test_a_run_resumes_exactly_when_the_checkpoint_of_its_teacher_has_moved(config, teacher, tmp_path, lose_process):
    config = replace(config, teacher=teacher)
    whole = load(train(replace(config, output_dir=f"{config.output_dir}-whole"))).network.state_dict()
    lose_process(config, 6)
    moved = Path(teacher).rename(tmp_path / "moved.safetensors")
    found = load(train(replace(config, teacher=str(moved)), resume=True)).network.state_dict()
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.parametrize(
    ("before", "now"), [("teacher", None), (None, "teacher"), ("teacher", "a different teacher with the same name")]
)
def test_a_run_cannot_be_resumed_with_another_teacher_or_without(config, teacher, tmp_path, lose_process, before, now):
    known = load(teacher)
    other = tmp_path / "other.safetensors"
    checkpoint.save(replace(known, record=known.record | {"test_accuracy": 0.99}), other)
    paths = {None: None, "teacher": teacher, "a different teacher with the same name": str(other)}
    lose_process(replace(config, teacher=paths[before]), 6)
    message = rf"teacher must match the resumed run: {before} in .*, got {now}\. Pass the same teacher"
    with pytest.raises(ConfigError, match=message):
        train(replace(config, teacher=paths[now]), resume=True)
    assert load(train(replace(config, teacher=paths[before]), resume=True)).record["epochs"] == 2.0


def test_an_invalid_teacher_in_a_record_is_reported_as_another_teacher(tmp_path):
    with pytest.raises(ConfigError, match=r"teacher must match the resumed run: a duck in .*, got None\. Pass"):
        check_same_teacher("a duck", None, tmp_path)


def test_a_missing_teacher_is_refused_before_the_run_folder_is_used(config, teacher):
    with pytest.raises(ValueError, match="no-such-teacher"):
        train(replace(config, teacher="no-such-teacher"))
    train(replace(config, teacher=teacher, epochs=1))


def test_the_teacher_preset_trains_a_convnet(config):
    small = replace(
        get_preset("cifar10-teacher"),
        model=CONVNET,
        epochs=1,
        minutes=None,
        batch_size=25,
        data=config.data,
        output_dir=config.output_dir,
    )
    result = load(train(small))
    assert result.record["steps"] == 4
    assert result.network.config == CONVNET
    assert not (config.folder / "timeline.npz").exists()
    init_from = str(config.folder / "last.safetensors")
    tuned = load(train(replace(small, init_from=init_from, output_dir=f"{config.output_dir}-2")))
    assert tuned.record["steps"] == 4


@pytest.mark.parametrize("change", [{"patch_keep_start": 0.5}, {"num_snapshots": 2}])
def test_a_convnet_has_neither_patch_dropout_nor_a_timeline(change):
    with pytest.raises(ConfigError, match=r"convnet has neither patches nor attention.* Use the preset cifar10-teach"):
        replace(get_preset("cifar10-teacher"), **change)
