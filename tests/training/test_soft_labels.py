"""Soft labels: equal to the teacher's predictions during training, repeated in cycles, and refused for other runs."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.training.trainings import create_run, load_weights
from vitviz.data import cifar
from vitviz.data.datasets import CIFAR10
from vitviz.errors import ConfigError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import load
from vitviz.models.config import ConvNetConfig
from vitviz.models.factory import create_model
from vitviz.runs.training_run import train
from vitviz.training import soft_labels
from vitviz.training.sources import load_teacher

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]
MIXED = {"cutmix_prob": 0.5, "mix_until": 1.0}


@pytest.fixture
def teachers(tmp_path) -> list[str]:
    """Two convnets with random weights."""
    paths = []
    for seed in range(2):
        torch.manual_seed(seed)
        network = create_model(ConvNetConfig(embed_dim=4, depth=2)).eval()
        network.init_whitening(torch.randn(50, 3, 32, 32))
        torch.nn.init.normal_(network.head.weight)
        found = checkpoint.Checkpoint(
            "teacher", network, CIFAR10.classes, CIFAR10.mean, CIFAR10.std, {"train_config": {"preset": f"t{seed}"}}
        )
        checkpoint.save(found, path := tmp_path / f"teacher{seed}.safetensors")
        paths.append(str(path))
    return paths


def compute(config, teachers: list[str], path: Path, num_epochs: int = 2, views: int = 1) -> str:
    """Compute soft labels for a run."""
    loaded = [load_teacher(config, CIFAR10, name, torch.device("cpu")) for name in teachers]
    soft_labels.compute(config, CIFAR10, cifar.load("train", config.data), loaded, path, num_epochs, views)
    return str(path)


def compute_of_first(config, teachers: list[str], path: Path, count: int) -> str:
    """Compute soft labels of the first images for one epoch."""
    loaded = [load_teacher(config, CIFAR10, name, torch.device("cpu")) for name in teachers]
    images, labels = cifar.load("train", config.data)
    soft_labels.compute(config, CIFAR10, (images[:count], labels[:count]), loaded, path, 1)
    return str(path)


@pytest.mark.parametrize("change", [{"cutmix_prob": 0.0}, {"alternating_flip": True, "random_erasing_prob": 0.5}])
def test_training_on_them_equals_training_with_the_teacher(config, teachers, tmp_path, change):
    config = replace(config, **MIXED | change)
    path = compute(config, teachers[:1], tmp_path / "soft.safetensors")
    own = {"patch_keep_start": 1.0, "patch_keep_end": 1.0}  # other patches are dropped with soft labels
    first = load_weights(train(replace(config, teacher=teachers[0], **own)))
    second = load_weights(train(replace(config, soft_labels=path, output_dir=f"{config.output_dir}-2", **own)))
    for name, weight in first.items():
        torch.testing.assert_close(second[name], weight, rtol=0, atol=2e-4, msg=name)  # float16
    labels = load_weights(train(replace(config, output_dir=f"{config.output_dir}-3", **own)))
    assert max((labels[name] - weight).abs().max() for name, weight in first.items()) > 2e-3


def test_order_and_augmentation_repeat_in_cycles_and_patch_dropout_does_not(config, teachers, tmp_path, monkeypatch):
    path = compute(config := replace(config, **MIXED), teachers, tmp_path / "soft.safetensors", num_epochs=2)
    run = create_run(replace(config, soft_labels=path, epochs=10))
    seen: list[tuple[torch.Tensor, torch.Tensor]] = []
    run.trainer.model.register_forward_pre_hook(lambda model, args: seen.append(args))
    for epoch in range(3):
        run.completed_epochs, run.batches_done = epoch, 0
        for batch in list(run.batches()):
            run.step(batch)
    images, keep = ([args[i] for args in seen] for i in range(2))
    assert len(images) == 12
    assert all(torch.equal(a, b) for a, b in zip(images[:4], images[8:], strict=True))
    assert not torch.equal(images[0], images[4])
    assert not torch.equal(keep[0], keep[8])


def test_the_mean_over_teachers_and_views_is_stored(config, teachers, tmp_path):
    config = replace(config, **MIXED)
    views = {n: soft_labels.load(compute(config, teachers, tmp_path / f"{n}.safetensors", 1, n)) for n in (1, 2, 6)}
    single = [soft_labels.load(compute(config, [name], tmp_path / f"{i}", 1)) for i, name in enumerate(teachers)]
    mean = sum(one.probabilities.float() for one in single) / 2
    torch.testing.assert_close(views[1].probabilities.float(), mean, rtol=0, atol=1e-3)
    for found in views.values():
        assert found.probabilities.shape == (1, 100, 10)
        torch.testing.assert_close(found.probabilities.float().sum(-1), torch.ones(1, 100), rtol=0, atol=2e-3)
    assert not torch.allclose(views[1].probabilities, views[2].probabilities, atol=1e-3)
    assert not torch.allclose(views[2].probabilities, views[6].probabilities, atol=1e-3)
    image = torch.randn(2, 3, 32, 32)
    networks = [load(name).network for name in teachers]
    mirrored = soft_labels.mean_probabilities(networks, image.flip(-1), 2, False)
    torch.testing.assert_close(soft_labels.mean_probabilities(networks, image, 2, False), mirrored)


def test_a_file_is_continued(config, teachers, tmp_path):
    config = replace(config, **MIXED)
    whole = soft_labels.load(compute(config, teachers, tmp_path / "whole", 3))
    compute(config, teachers, tmp_path / "parts", 1)
    compute(config, teachers, tmp_path / "parts", 3)
    assert torch.equal(soft_labels.load(tmp_path / "parts").probabilities, whole.probabilities)
    assert whole.num_epochs == 3
    assert not torch.equal(whole.probabilities[0], whole.probabilities[1])


def test_the_record_describes_the_teachers(config, teachers, tmp_path):
    config = replace(config, **MIXED)
    path = compute(config, teachers, tmp_path / "soft.safetensors", 2, 2)
    record = load(train(replace(config, soft_labels=path))).record
    names = [entry["name"] for entry in record["teacher"]["teachers"]]
    assert (names, record["teacher"]["views"], record["teacher"]["epochs"]) == (["t0", "t1"], 2, 2)
    assert str(tmp_path) not in str(record)


def test_a_run_with_them_resumes_exactly(config, teachers, tmp_path, lose_process):
    config = replace(config, **MIXED, epochs=3)
    config = replace(config, soft_labels=compute(config, teachers, tmp_path / "soft.safetensors", 2))
    whole = load_weights(train(replace(config, output_dir=f"{config.output_dir}-whole")))
    lose_process(config, 10)
    found = load_weights(train(config, resume=True))
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"seed": 1}, "seed is 0 in .* and 1 here"),
        ({"batch_size": 20}, "batch_size is 25 in .* and 20 here"),
        ({"randaug_num_ops": 2}, "randaug_num_ops is 1 in .* and 2 here"),
        ({"cutmix_prob": 0.25}, r"cutmix_prob is 0\.5 in .* and 0\.25 here"),
        ({"alternating_flip": True}, "alternating_flip is False in .* and True here"),
        ({"max_train_samples": 50}, "num_samples is 100 in .* and 50 here"),
    ],
)
def test_those_of_another_run_are_refused(config, teachers, tmp_path, change, problem):
    config = replace(config, **MIXED)
    path = compute(config, teachers, tmp_path / "soft.safetensors", 1)
    with pytest.raises(ConfigError, match=f"soft_labels must be computed for this training: {problem}") as found:
        train(replace(config, soft_labels=path, **change))
    assert found.value.field == "soft_labels"
    if "max_train_samples" not in change:  # these images are chosen before
        with pytest.raises(ConfigError, match=problem):
            compute(replace(config, **change), teachers, Path(path), 2)


def test_those_of_validation_images_are_refused(config, teachers, tmp_path):
    config = replace(config, **MIXED, max_train_samples=80)
    path = compute_of_first(config, teachers, tmp_path / "soft.safetensors", 80)
    with pytest.raises(ConfigError, match=r"must be computed for this training: val_size is 0 in .* and 20 here"):
        train(replace(config, soft_labels=path, val_size=20))


def test_a_short_batch_that_several_processes_drop_shifts_nothing(config, teachers, tmp_path, monkeypatch):
    config = replace(config, **MIXED, batch_size=33, max_train_samples=None)  # the last batch of 100 images is one
    run = create_run(replace(config, soft_labels=compute(config, teachers, tmp_path / "soft.safetensors", 2)))
    run.distributed.world_size = 2
    steps: list[int] = []

    def step(images, labels, progress, middle, data_step, soft_labels):
        steps.append(data_step)
        return torch.zeros(())

    monkeypatch.setattr(run.trainer, "step", step)
    for epoch in range(3):
        run.completed_epochs, run.batches_done = epoch, 0
        for batch in list(run.batches()):
            run.step(batch)
    assert steps == [0, 1, 2, 4, 5, 6, 0, 1, 2], "as in the file, which has the short batch"


def test_other_teachers_do_not_continue_a_file(config, teachers, tmp_path):
    config = replace(config, **MIXED)
    compute(config, teachers[:1], tmp_path / "soft.safetensors", 1)
    with pytest.raises(ConfigError, match="soft_labels must be computed for this training: teachers is"):
        compute(config, teachers, tmp_path / "soft.safetensors", 2)


@pytest.mark.parametrize("content", [None, b"", b"{}", "teacher", "nan"])
def test_a_file_without_soft_labels_is_refused(config, teachers, tmp_path, content):
    path = tmp_path / "soft.safetensors"
    if content == "teacher":
        path = Path(teachers[0])
    elif content == "nan":
        recipe = {"teachers": [], "views": 1}
        soft_labels.save(soft_labels.SoftLabels(torch.full((1, 100, 10), torch.nan).half(), recipe), path)
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"soft_labels must be a file of soft labels: .* Make one: python -m vitviz"):
        train(replace(config, **MIXED, soft_labels=str(path)))
