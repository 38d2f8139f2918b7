"""What a training will take: the arithmetic by hand, the measuring only in kind, for a test has no clock."""

from dataclasses import replace

import pytest
import torch

from tests import tiny
from vitviz.models.factory import create_model
from vitviz.training import estimate as module
from vitviz.training.config import TrainConfig
from vitviz.training.estimate import calibrate, estimate, mean_work, memory, seconds_left, work
from vitviz.training.presets import PRESETS, preset


@pytest.fixture
def config(cifar_config) -> TrainConfig:
    return TrainConfig(
        model=cifar_config,
        device="cpu",
        epochs=5,
        minutes=None,
        max_train_samples=2000,
        batch_size=100,
        patch_dropout_until=0.8,
    )


@pytest.fixture
def clock(monkeypatch):
    """A machine that needs 1 ms for an image while patches are dropped, and 2 ms with all."""
    monkeypatch.setattr(module, "calibrate", lambda config, device: (0.001, 0.002))
    monkeypatch.setattr(module, "memory_of", lambda device: 2**34)


@pytest.mark.usefixtures("clock")
def test_a_budget_in_epochs_gives_seconds(config):
    found = estimate(config)
    steps = 5 * 2000 * (0.8 * 0.001 + 0.2 * 0.002)
    watched = 5 * 2 * 1000 * 0.3 * 0.002
    assert found.seconds == pytest.approx(steps + watched + 10_000 * 0.3 * 0.002)
    assert found.epochs == 5
    assert found.images_per_second == pytest.approx(10_000 / (steps + watched))
    assert found.tokens == 17
    assert found.parameters == sum(weight.numel() for weight in tiny.model(config.model).parameters())
    assert "thread" in found.device


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("images", "val_size", "available", "used"), [(None, 0, 600, 600), (None, 100, 600, 500), (300, 100, 600, 300)]
)
def test_no_more_images_are_counted_than_there_are(config, images, val_size, available, used):
    found = estimate(replace(config, max_train_samples=images, val_size=val_size), available=available)
    assert found.images_per_second == estimate(replace(config, max_train_samples=used)).images_per_second


@pytest.mark.usefixtures("clock")
def test_the_memory_of_few_images_is_less(config):
    few, many = (
        estimate(replace(config, max_train_samples=None), available=n, tested=n // 5).memory for n in (100, 1100)
    )
    assert many - few == 1200 * 3 * 32 * 32


@pytest.mark.usefixtures("clock")
def test_a_budget_in_minutes_gives_the_epochs_that_take_as_long(config):
    whole = estimate(replace(config, epochs=None, minutes=10))
    assert whole.seconds == pytest.approx(600 + 10_000 * 0.3 * 0.002)
    early, late = 2000 * 0.001 + 1.2, 2000 * 0.002 + 1.2  # seconds of an epoch
    assert whole.epochs == pytest.approx(600 * (0.8 / early + 0.2 / late))
    rare = estimate(replace(config, epochs=None, minutes=10, checkpoint_every_epochs=100))
    assert rare.epochs > whole.epochs


def test_beside_a_training_nothing_is_measured_and_its_speed_is_converted(config, monkeypatch):
    monkeypatch.setattr(module, "calibrate", lambda *given: pytest.fail("measured"))
    same = estimate(replace(config, checkpoint_every_epochs=10_000), (config, 500.0, 1.0))
    assert same.images_per_second == pytest.approx(500, rel=0.01)
    deeper = replace(config, model=replace(config.model, depth=4), checkpoint_every_epochs=10_000)
    assert 200 < estimate(deeper, (config, 500.0, 1.0)).images_per_second < 300
    larger = replace(config, model=replace(config.model, depth=40))
    for one, other in ((config, larger), (larger, config), (config, preset("cifar10-teacher"))):
        with pytest.raises(ValueError, match="the network that trains now is of quite another kind or size"):
            estimate(one, (other, 500.0, 1.0))


def test_what_is_left_is_told_by_the_work_that_is_left(config):
    half = replace(config, patch_keep_start=0.25, patch_keep_end=0.75, patch_dropout_until=0.5)
    assert mean_work(half, 0.5) == pytest.approx(work(half.model, 0.5))
    assert mean_work(half, 0.25) == pytest.approx(work(half.model, 0.375))
    assert mean_work(half) == pytest.approx((work(half.model, 0.5) + work(half.model, 1.0)) / 2)
    late = work(half.model, 1.0) / work(half.model, 0.5)  # so much longer takes the second half
    assert seconds_left(half, 0.5, 100.0) == pytest.approx(100 * late)
    assert seconds_left(half, 1.0, 100.0) == 0
    assert seconds_left(replace(half, epochs=None, minutes=5), 0.5, 100.0) == 200
    fast = estimate(replace(half, checkpoint_every_epochs=10_000), (half, 500.0, 0.5)).images_per_second
    assert fast < 0.8 * estimate(replace(half, checkpoint_every_epochs=10_000), (half, 500.0, 1.0)).images_per_second


def test_work_grows_with_tokens_and_depth(config):
    model = config.model
    by_hand = 2 * (17 * 24 * (4 * 24 + 2 * 40) + 2 * 17 * 17 * 24) + 17 * 24 * 3 * 64
    assert work(model, 1.0) == by_hand
    assert work(model, 0.5) < 0.55 * by_hand
    assert work(replace(model, patch_size=4), 1.0) > 3 * by_hand


TEACHER = preset("cifar10-teacher")
OTHER = replace(TEACHER, model=replace(TEACHER.model, img_size=(64, 48), patch_size=5, mlp_ratio=64))


@pytest.mark.parametrize(
    "known",
    [*PRESETS.values(), TEACHER, OTHER],
    ids=lambda known: f"{known.preset} in patches of {known.network.patch_size}",
)
def test_memory_counts_what_the_backward_pass_keeps(known):
    config = replace(known, batch_size=16, images=100)
    model = create_model(config.model).train()
    own = {weight.untyped_storage().data_ptr() for weight in model.parameters()}
    kept: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        model(torch.randn(16, 3, *config.model.img_size))
    found = sum(tensor.untyped_storage().nbytes() for place, tensor in kept.items() if place not in own)
    assert memory(config) - memory(replace(config, batch_size=2)) == pytest.approx(found * 14 / 16, rel=0.35)


def test_a_training_that_does_not_fit_into_memory_is_refused(config, monkeypatch):
    monkeypatch.setattr(module, "memory_of", lambda device: 2**20)
    with pytest.raises(ValueError, match=r"must fit into memory: this one needs about 0\.\d GB, and there are 0\.0\."):
        estimate(config)


@pytest.mark.parametrize("change", [{}, {"objective": "masked-patch"}, {"start": "a.safetensors", "frozen": True}])
def test_a_few_steps_tell_the_speed_and_leave_the_random_numbers_alone(config, change, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.0)
    seeds: list[int] = []
    real = module.Trainer.__init__

    def watched(learner, *given, **named):
        real(learner, *given, **named)
        seeds.append(torch.initial_seed())

    monkeypatch.setattr(module.Trainer, "__init__", watched)
    torch.manual_seed(before := 5)
    dropped, whole = calibrate(replace(config, seed=before + 1, **change), torch.device("cpu"))
    assert 0 < dropped < 10
    assert 0 < whole < 10
    assert seeds == [before + 1]
    assert torch.initial_seed() == before
