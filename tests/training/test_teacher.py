"""Learning from a teacher: what its word counts, whom it may teach, and that the learner learns it."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from tests.training.trainings import whole_run
from vitviz.data.datasets import CIFAR10
from vitviz.models import checkpoint
from vitviz.models.checkpoint import load
from vitviz.models.config import ViTConfig
from vitviz.models.factory import build
from vitviz.runs.training_run import train
from vitviz.training.config import TrainConfig
from vitviz.training.distillation import check_same, distillation_targets, load_teacher
from vitviz.training.presets import preset

CONVNET = ViTConfig(architecture="convnet", embed_dim=4, depth=2, num_heads=1)
pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]


@pytest.fixture
def teacher(config) -> str:
    """A convnet that was trained for one pass."""
    whole = {"patch_keep_start": 1.0, "patch_keep_end": 1.0, "snapshots": 0}
    out = f"{config.output_dir}-teacher"
    return str(train(replace(config, model=CONVNET, epochs=1, preset="teacher", output_dir=out, **whole)))


def test_its_word_is_a_share_of_each_target():
    images, targets = torch.zeros(2, 3, 4, 4), torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    says = nn.Module()
    says.forward = lambda images: torch.tensor([[0.0, 3.0]]).log().clamp(min=-100).expand(len(images), 2)
    found = distillation_targets(says, images, targets, 0.25)
    torch.testing.assert_close(found, torch.tensor([[0.75, 0.25], [0.375, 0.625]]))
    assert torch.equal(distillation_targets(says, images, targets, 0.0), targets)


def test_a_learner_believes_a_teacher_whose_word_is_all(config, monkeypatch, teacher):
    plain = {
        "cutmix": 0.0,
        "label_smoothing": 0.0,
        "patch_keep_start": 1.0,
        "patch_keep_end": 1.0,
        "warmup_fraction": 0.0,
    }
    rates = {"muon_lr": 0.01, "lr": 0.01, "ema_decay": 0.0}
    run = whole_run(replace(config, teacher=teacher, distill_weight=1.0, **plain, **rates))
    always = torch.tensor([-9.0] * 4 + [9.0] + [-9.0] * 5)
    monkeypatch.setattr(run.learner.teacher.network, "forward", lambda images: always.expand(len(images), -1))
    for _ in range(20):
        run.step(torch.arange(20))
    named = run.learner.model.eval()(run.result({}).normalize(run.images[:20])).argmax(1)
    assert (named == 4).all()
    assert not (run.labels[:20] == 4).all()


def test_the_teacher_itself_learns_nothing(config, teacher):
    run = whole_run(replace(config, teacher=teacher))
    before = {name: weight.clone() for name, weight in run.learner.teacher.network.state_dict().items()}
    run.step(torch.arange(20))
    assert all(torch.equal(weight, before[name]) for name, weight in run.learner.teacher.network.state_dict().items())
    assert not run.learner.teacher.network.training
    assert all(weight.grad is None for weight in run.learner.teacher.network.parameters())


def test_the_teacher_sees_the_images_as_the_learner_does(config, teacher, monkeypatch):
    run = whole_run(replace(config, teacher=teacher, patch_keep_start=1.0, patch_keep_end=1.0))
    seen = []
    real = run.learner.teacher.network.forward
    monkeypatch.setattr(run.learner.teacher.network, "forward", lambda images: seen.append(images) or real(images))
    run.learner.model.register_forward_pre_hook(lambda model, given: seen.append(given[0]))
    run.step(torch.arange(20))
    assert seen[0] is seen[1]


def test_the_record_tells_of_the_teacher_and_of_no_path(config, teacher):
    record = load(train(replace(config, teacher=teacher, epochs=1))).record
    known = load(teacher).record
    told = {name: known[name] for name in ("test_accuracy", "parameters", "epochs", "seconds")}
    assert record["teacher"] == told | {"name": "teacher", "architecture": "convnet"}
    assert record["train_config"]["distill_weight"] == 0.9
    assert config.output_dir not in str(record)
    assert load(teacher).record["teacher"] is None


def test_a_vision_transformer_can_teach_as_well(config):
    first = train(replace(config, epochs=1, output_dir=f"{config.output_dir}-first"))
    record = load(train(replace(config, teacher=str(first), epochs=1))).record
    assert record["teacher"]["architecture"] == "vit"


@pytest.mark.parametrize("change", ["classes", "mean", "size"])
def test_a_teacher_of_other_images_is_refused(config, teacher, tmp_path, change):
    known = load(teacher)
    other = {
        "classes": {"labels": known.labels[::-1]},
        "mean": {"mean": (0.5, 0.5, 0.5)},
        "size": {"model": build(replace(CONVNET, img_size=(16, 16)))},
    }[change]
    checkpoint.save(replace(known, **other), path := tmp_path / "other.safetensors")
    with pytest.raises(ValueError, match="A teacher must have learned from the same images: other knows others"):
        load_teacher(replace(config, teacher=str(path)), CIFAR10, torch.device("cpu"))


def test_a_teacher_that_saw_what_is_held_out_is_refused(config, teacher):
    sentence = r"must not have seen what is held out: 30 images here, 0 when last was trained\. Train it with the same"
    with pytest.raises(ValueError, match=sentence):
        train(replace(config, teacher=teacher, val_size=30))


@pytest.mark.parametrize(("kept", "good"), [(30, True), (40, True), (29, False), ("all", False), (None, False)])
def test_a_teacher_may_know_less_than_the_learner_but_not_more(config, teacher, tmp_path, kept, good):
    known = load(teacher)
    held = replace(known, record=known.record | {"train_config": {"val_size": kept}})
    checkpoint.save(held, path := tmp_path / "held.safetensors")
    with nullcontext() if good else pytest.raises(ValueError, match="must not have seen what is held out"):
        assert load_teacher(replace(config, teacher=str(path), val_size=30), CIFAR10, torch.device("cpu"))


def test_a_teacher_that_knows_no_labels_is_refused(config):
    blind = train(replace(config, objective="masked-patch", epochs=1, output_dir=f"{config.output_dir}-blind"))
    with pytest.raises(ValueError, match="A teacher must know the labels: last learned without them"):
        train(replace(config, teacher=str(blind)))


def test_a_training_goes_on_the_same_when_its_teacher_has_moved(config, teacher, tmp_path, lose_process):
    config = replace(config, teacher=teacher)
    whole = load(train(replace(config, output_dir=f"{config.output_dir}-whole"))).model.state_dict()
    lose_process(config, 6)
    moved = Path(teacher).rename(tmp_path / "moved.safetensors")
    found = load(train(replace(config, teacher=str(moved)), resume=True)).model.state_dict()
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.parametrize(("begun", "gone_on"), [("teacher", None), (None, "teacher"), ("teacher", "another of this")])
def test_a_run_does_not_go_on_with_another_teacher_or_none(config, teacher, tmp_path, lose_process, begun, gone_on):
    known = load(teacher)
    other = tmp_path / "other.safetensors"
    checkpoint.save(replace(known, record=known.record | {"test_accuracy": 0.99}), other)
    files = {None: None, "teacher": teacher, "another of this": str(other)}
    lose_process(replace(config, teacher=files[begun]), 6)
    sentence = rf"A run goes on with the teacher that it began with: {begun} in .* and {gone_on}.* here\. Name that one"
    with pytest.raises(ValueError, match=sentence):
        train(replace(config, teacher=files[gone_on]), resume=True)
    assert load(train(replace(config, teacher=files[begun]), resume=True)).record["epochs"] == 2.0


def test_a_record_that_tells_nonsense_of_a_teacher_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"began with: a duck in .* and None here\. Name that one with --teacher"):
        check_same("a duck", None, tmp_path)


def test_a_teacher_that_is_not_there_is_refused_and_the_folder_can_be_used(config, teacher):
    with pytest.raises(ValueError, match="There is no checkpoint 'nobody'"):
        train(replace(config, teacher="nobody"))
    train(replace(config, teacher=teacher, epochs=1))


def test_a_convnet_is_trained_by_its_own_recipe(config):
    given = preset("cifar10-teacher")
    small = replace(
        given, model=CONVNET, epochs=1, minutes=None, batch_size=25, data=config.data, output_dir=config.output_dir
    )
    result = load(train(small))
    assert result.record["steps"] == 4
    assert result.network.config == CONVNET
    assert not (config.folder / "timeline.npz").exists()
    again = load(
        train(replace(small, init_from=str(config.folder / "last.safetensors"), output_dir=f"{config.output_dir}-2"))
    )
    assert again.record["steps"] == 4


def test_a_teacher_is_of_no_use_without_labels():
    with pytest.raises(ValueError, match="A teacher says what an image shows: leave it out where labels are not"):
        TrainConfig(teacher="cifar10-ti4", objective="masked-patch")


@pytest.mark.parametrize("change", [{"patch_keep_start": 0.5}, {"snapshots": 2}])
def test_a_convnet_has_no_patches_to_drop_and_no_timeline(change):
    with pytest.raises(
        ValueError, match=r"no patches to drop and no attention to follow.* Use the preset cifar10-teac"
    ):
        replace(preset("cifar10-teacher"), **change)
