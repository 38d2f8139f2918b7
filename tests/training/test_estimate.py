"""Estimates of a training run: arithmetic by hand; measured steps only for their range, without a clock."""

import itertools
from dataclasses import replace

import pytest
import torch

from tests import tiny
from tests.errors import refuses
from vitviz.training import device
from vitviz.training import estimate as module
from vitviz.training.config import TrainConfig
from vitviz.training.estimate import (
    estimate_run,
    estimate_seconds_left,
    mean_keep_ratio,
    measure_seconds,
)


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
    """A machine that needs 1 ms per image with patch dropout, 2 ms with all patches, and 3 s for all snapshots."""
    monkeypatch.setattr(module, "measure_seconds", lambda config, device: (0.001, 0.002, 3.0))


@pytest.mark.usefixtures("clock")
def test_a_budget_in_epochs_gives_the_duration(config):
    found = estimate_run(config)
    steps = 5 * 2000 * (0.8 * 0.001 + 0.2 * 0.002)
    evaluation = 5 * 2 * 1000 * 0.3 * 0.002 + 3
    assert found.seconds == pytest.approx(steps + evaluation + 10_000 * 0.3 * 0.002)
    assert found.epochs == 5
    assert found.images_per_second == pytest.approx(10_000 / (steps + evaluation))
    assert found.tokens == 17
    assert found.parameters == sum(weight.numel() for weight in tiny.model(config.model).parameters())
    assert "thread" in found.device


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("max_train_samples", "val_size", "num_train", "used"),
    [(None, 0, 600, 600), (None, 100, 600, 500), (300, 100, 600, 300)],
)
def test_the_number_of_images_is_that_of_the_dataset_at_most(config, max_train_samples, val_size, num_train, used):
    found = estimate_run(replace(config, max_train_samples=max_train_samples, val_size=val_size), num_train=num_train)
    assert found.images_per_second == estimate_run(replace(config, max_train_samples=used)).images_per_second


@pytest.mark.usefixtures("clock")
def test_a_budget_in_minutes_gives_the_number_of_epochs(config):
    found = estimate_run(replace(config, epochs=None, minutes=10))
    assert found.seconds == pytest.approx(600 + 10_000 * 0.3 * 0.002)
    early, late = 2000 * 0.001 + 1.2, 2000 * 0.002 + 1.2  # seconds of an epoch
    assert found.epochs == pytest.approx(597 * (0.8 / early + 0.2 / late))
    rare = estimate_run(replace(config, epochs=None, minutes=10, checkpoint_every_epochs=100))
    assert rare.epochs > found.epochs


def test_the_time_left_follows_from_the_time_so_far_and_the_patches_that_are_still_dropped(config):
    config = replace(config, patch_keep_start=0.25, patch_keep_end=0.75, patch_dropout_until=0.5)
    assert mean_keep_ratio(config, 0.25) == pytest.approx(0.375)
    assert mean_keep_ratio(config, 0.5) == pytest.approx(0.5)
    assert mean_keep_ratio(config, 1.0) == pytest.approx(0.75)
    assert estimate_seconds_left(config, 0.5, 100.0) == pytest.approx(200), "all patches take twice as long as half"
    assert estimate_seconds_left(config, 1.0, 100.0) == 0
    assert estimate_seconds_left(replace(config, patch_dropout_until=0.0), 0.25, 100.0) == pytest.approx(300)
    assert estimate_seconds_left(replace(config, epochs=None, minutes=5), 0.5, 100.0) == 200
    assert estimate_seconds_left(replace(config, epochs=None, minutes=5), 0.9, 301.0) == 0


def test_the_time_left_of_a_run_with_one_patch_and_of_one_that_drops_none(config):
    one = replace(config, patch_keep_start=0.0, patch_keep_end=0.0, patch_dropout_until=0.5)
    assert mean_keep_ratio(one, 0.25) == pytest.approx(1 / config.model.num_patches)
    masked = TrainConfig(objective="mae", epochs=2)
    assert estimate_seconds_left(masked, 0.25, 100.0) == pytest.approx(300)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"objective": "mae", "patch_keep_start": 1.0},
        {"init_from": "a.safetensors", "freeze_backbone": True},
        {"teacher": "a.safetensors"},
    ],
)
def test_measuring_needs_no_files_and_keeps_the_random_state(config, changes, monkeypatch):
    monkeypatch.setattr(module, "MIN_SECONDS", 0.0)
    seeds: list[int] = []
    real = module.TrainingLoop.__init__

    def watched(loop, *args, **kwargs):
        real(loop, *args, **kwargs)
        seeds.append(torch.initial_seed())

    monkeypatch.setattr(module.TrainingLoop, "__init__", watched)
    torch.manual_seed(before := 5)
    measured = measure_seconds(replace(config, seed=before + 1, **changes), torch.device("cpu"))
    assert all(0 < seconds < 10 for seconds in measured)
    assert seeds == [before + 1]
    assert torch.initial_seed() == before


def test_batches_grow_until_a_call_is_long_enough_or_a_batch_is_full(config, monkeypatch):
    sizes: list[int] = []
    monkeypatch.setattr(module, "run_backward", lambda loop, batch, progress: sizes.append(len(batch)))
    slow = itertools.cycle([50, 50, 1, 2])  # other programs run at times
    data = module.random_data(config, torch.device("cpu"))
    loop = module.TrainingLoop(config, module.Distributed(), data)
    monkeypatch.setattr(device, "time_call", lambda call, where: call() or 0.005 * sizes[-1] * next(slow))
    assert module.time_per_image(loop, 1.0) == pytest.approx(0.005)
    assert list(dict.fromkeys(sizes)) == [8, 32], "32 images take 0.16 s"
    sizes.clear()
    monkeypatch.setattr(module, "MIN_SECONDS", 100.0)
    module.time_per_image(loop, 1.0)
    assert sizes[-1] == 100, "the batch size"


def test_a_network_that_does_not_fit_into_memory_is_refused(config, monkeypatch):
    def fail(loop, progress):
        raise MemoryError

    threads = torch.get_num_threads()
    monkeypatch.setattr(module, "time_per_image", fail)
    with refuses("model.embed_dim"):
        estimate_run(config)
    monkeypatch.setattr(module, "TrainingLoop", lambda *args, **kwargs: pytest.fail("built"))
    with refuses("model.embed_dim"):
        estimate_run(replace(config, model=replace(config.model, embed_dim=8160, depth=128, mlp_ratio=64.0)))
    assert torch.get_num_threads() == threads
