"""Knowledge distillation: soft labels, checks of the teacher, and that the student learns its predictions."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from tests.errors import refuses
from tests.training.trainings import create_run
from vitviz.data.datasets import CIFAR10
from vitviz.errors import CheckpointError, ConfigError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint, load
from vitviz.models.factory import create_model
from vitviz.runs.training_run import train
from vitviz.training.convnet import ConvNet, ConvNetConfig
from vitviz.training.teacher import Teacher, check_same_teacher, load_teacher

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]
CONVNET = ConvNetConfig(embed_dim=4, depth=2)


def save_teacher(path, network=None, **changes) -> str:
    """Write the checkpoint of a teacher of CIFAR-10, by default a convnet."""
    network = (ConvNet(CONVNET) if network is None else network).eval()
    known = Checkpoint("x", network, CIFAR10.classes, CIFAR10.mean, CIFAR10.std, {"test_accuracy": 0.5})
    path.parent.mkdir(exist_ok=True)
    checkpoint.save(replace(known, **changes), path)
    return str(path)


@pytest.fixture
def teacher(tmp_path) -> str:
    """A convnet, as in a run folder."""
    torch.manual_seed(0)
    return save_teacher(tmp_path / "convnet" / "last.safetensors")


def test_labels_are_mixed_with_the_probabilities_of_the_teacher():
    images, labels = torch.zeros(2, 3, 4, 4), torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    network = nn.Module()
    network.forward = lambda images: torch.tensor([[0.0, 3.0]]).log().clamp(min=-100).expand(len(images), 2)
    mixed = Teacher(network, {}).mix(images, labels, 0.25)
    torch.testing.assert_close(mixed, torch.tensor([[0.75, 0.25], [0.375, 0.625]]))
    assert torch.equal(Teacher(network, {}).mix(images, labels, 0.0), labels)


def test_with_weight_one_the_student_learns_the_predictions_of_the_teacher(config, monkeypatch, teacher):
    full = {"patch_keep_start": 1.0, "patch_keep_end": 1.0, "cutmix_prob": 0.0, "label_smoothing": 0.0}
    fast = {"warmup_fraction": 0.0, "muon_lr": 0.01, "lr": 0.01, "ema_decay": 0.0}
    run = create_run(replace(config, teacher=teacher, distill_weight=1.0, **full, **fast))
    always_4 = torch.tensor([-9.0] * 4 + [9.0] + [-9.0] * 5)
    monkeypatch.setattr(run.teacher.network, "forward", lambda images: always_4.expand(len(images), -1))
    for _ in range(20):
        run.step(torch.arange(20))
    predicted = run.model.eval()(run.result({}).normalize(run.images[:20])).argmax(1)
    assert (predicted == 4).all()
    assert not (run.labels[:20] == 4).all()


def test_the_teacher_gets_the_augmented_images_of_the_student_and_is_not_trained(config, teacher, monkeypatch):
    run = create_run(replace(config, teacher=teacher, patch_keep_start=1.0, patch_keep_end=1.0))
    network, inputs = run.teacher.network, []
    before, real = {name: weight.clone() for name, weight in network.state_dict().items()}, network.forward
    monkeypatch.setattr(network, "forward", lambda images: inputs.append(images) or real(images))
    run.model.register_forward_pre_hook(lambda model, args: inputs.append(args[0]))
    run.step(torch.arange(20))
    assert inputs[0] is inputs[1]
    assert all(torch.equal(weight, before[name]) for name, weight in network.state_dict().items())
    assert not network.training
    assert all(weight.grad is None for weight in network.parameters())


@pytest.mark.parametrize("architecture", ["convnet", "vit"])
def test_the_record_describes_the_teacher_without_its_path(config, teacher, tmp_path, architecture):
    if architecture == "vit":
        teacher = save_teacher(tmp_path / "vit.safetensors", create_model(config.model))
    record = load(train(replace(config, teacher=teacher, epochs=1))).record
    assert record["teacher"] == {"name": architecture, "architecture": architecture, "test_accuracy": 0.5}
    assert record["train_config"]["distill_weight"] == 0.9
    assert str(tmp_path) not in str(record)
    assert load(train(replace(config, epochs=1, output_dir=f"{config.output_dir}-2"))).record["teacher"] is None


REFUSED = {
    "classes": {"labels": CIFAR10.classes[::-1]},
    "mean": {"mean": (0.5, 0.5, 0.5)},
    "size": {"network": ConvNet(replace(CONVNET, img_size=(16, 16)))},
    "without labels": {"record": {"train_config": {"objective": "mae"}}},
    "no validation split": {"record": {}},
    "a smaller validation split": {"record": {"train_config": {"val_size": 29}}},
    "an invalid validation split": {"record": {"train_config": {"val_size": "all"}}},
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_teacher_that_does_not_fit_is_refused(config, tmp_path, name):
    teacher = save_teacher(tmp_path / "other.safetensors", **REFUSED[name])
    val_size = 30 if "split" in name else 0
    with pytest.raises(ConfigError) as found:
        train(replace(config, teacher=teacher, val_size=val_size))
    assert found.value.field == "teacher"
    assert not (config.folder / "last.safetensors").exists()


@pytest.mark.parametrize("val_size", [30, 40])
def test_the_validation_split_of_the_teacher_may_be_larger(config, tmp_path, val_size):
    path = save_teacher(tmp_path / "teacher.safetensors", record={"train_config": {"val_size": val_size}})
    assert load_teacher(replace(config, teacher=path, val_size=30), CIFAR10, torch.device("cpu"))


def test_a_missing_teacher_is_refused(config):
    with pytest.raises(CheckpointError, match="no-such-teacher"):
        train(replace(config, teacher="no-such-teacher"))


def test_a_run_resumes_exactly_when_the_checkpoint_of_its_teacher_has_moved(config, teacher, tmp_path, lose_process):
    config = replace(config, teacher=teacher)
    whole = load(train(replace(config, output_dir=f"{config.output_dir}-whole"))).network.state_dict()
    lose_process(config, 6)
    (tmp_path / "convnet" / "last.safetensors").rename(moved := tmp_path / "moved.safetensors")
    found = load(train(replace(config, teacher=str(moved)), resume=True)).network.state_dict()
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.parametrize(("before", "now"), [("teacher", None), (None, "teacher"), ("teacher", "other")])
def test_a_run_cannot_be_resumed_with_another_teacher_or_without(config, teacher, tmp_path, lose_process, before, now):
    other = save_teacher(tmp_path / "other.safetensors", record={"test_accuracy": 0.99})
    paths = {None: None, "teacher": teacher, "other": other}
    lose_process(replace(config, teacher=paths[before]), 6)
    with pytest.raises(ConfigError) as found:
        train(replace(config, teacher=paths[now]), resume=True)
    assert found.value.field == "teacher"
    assert load(train(replace(config, teacher=paths[before]), resume=True)).record["epochs"] == 2.0


def test_an_invalid_teacher_in_a_record_is_reported_as_another_teacher(tmp_path):
    with refuses("teacher"):
        check_same_teacher("a duck", None, tmp_path)
