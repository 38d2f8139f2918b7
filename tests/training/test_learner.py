"""What a learner does in its steps: rates, patches, average, and that it learns."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests.training.trainings import weights, whole_run
from vitviz.models.checkpoint import load
from vitviz.runs.training_run import Run, train
from vitviz.training import trainer
from vitviz.training.config import TrainConfig
from vitviz.training.evaluation import accuracy
from vitviz.training.schedule import patches_kept, schedule

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]


@pytest.mark.slow
def test_one_batch_can_be_learned_by_heart(config, monkeypatch):
    monkeypatch.setattr(trainer.augment, "shift_and_flip", lambda images: images)  # of noise nothing would be left
    plain = {
        "cutmix": 0.0,
        "label_smoothing": 0.0,
        "patch_keep_start": 1.0,
        "patch_keep_end": 1.0,
        "warmup_fraction": 0.0,
    }
    run = whole_run(replace(config, ema_decay=0.0, muon_lr=0.01, lr=0.01, **plain))
    batch = torch.arange(10)
    for _ in range(80):
        run.step(batch)
    result = run.result({})
    assert accuracy(result, run.images[batch], run.labels[batch]) == 1.0
    assert accuracy(result, run.images[50:], run.labels[50:]) < 0.5, "the others are noise"


@pytest.mark.parametrize(
    ("kind", "rates"),
    [("linear", [0, 0.5, 1, 0.5, 0]), ("cosine", [0, 0.5, 1, 0.5, 0]), ("constant", [0, 0.5, 1, 1, 1])],
)
def test_the_rate_climbs_straight_and_then_goes_as_it_is_told(kind, rates):
    config = TrainConfig(lr_schedule=kind, warmup_fraction=0.2)
    assert [schedule(config, share) for share in (0, 0.1, 0.2, 0.6, 1)] == pytest.approx(rates)
    assert schedule(replace(config, warmup_fraction=0.0), 0) == 1


def test_a_cosine_falls_slowly_at_both_ends():
    config = TrainConfig(lr_schedule="cosine", warmup_fraction=0.0)
    assert [schedule(config, share) for share in (1 / 3, 2 / 3)] == pytest.approx([0.75, 0.25])


def test_the_rates_of_a_run_follow_the_schedule(config, monkeypatch):
    rates = []
    real = Run.step

    def watched(run, batch):
        real(run, batch)
        rates.append([group["lr"] for chosen in run.learner.optimizers for group in chosen.param_groups])

    monkeypatch.setattr(Run, "step", watched)
    train(replace(config, muon_lr=0.01, lr=0.02, warmup_fraction=0.25, num_snapshots=0))
    muon, adamw = {tuple(step) for step in zip(*[r[:4] for r in rates], strict=True)}, [r[-1] for r in rates]
    expected = np.array([3, 9, 11, 9, 7, 5, 3, 1]) / 12  # in the middle of each step
    assert len(muon) == 1
    assert next(iter(muon)) == pytest.approx(0.01 * expected)
    assert adamw == pytest.approx(0.02 * expected)


@pytest.mark.parametrize("epochs", [1, 0.5])
def test_a_single_step_learns(config, epochs):
    config = replace(config, max_train_samples=25, epochs=epochs, num_snapshots=0)
    first = whole_run(config).learner.model.state_dict()
    path = train(config)
    assert load(path).record["steps"] == 1
    assert not torch.equal(weights(path)["head.weight"], first["head.weight"])


def test_patches_kept_climb_steadily_and_then_are_all():
    config = TrainConfig(patch_keep_start=0.3, patch_keep_end=0.5, patch_dropout_until=0.8)
    shares = (0, 0.4, 0.7999999, 0.8, 1)
    assert [patches_kept(config, share) for share in shares] == pytest.approx([0.3, 0.4, 0.5, 1, 1], abs=1e-6)


def test_the_network_is_given_the_patches_that_are_kept(config, monkeypatch):
    given = []
    real = trainer.ViT.forward
    monkeypatch.setattr(
        trainer.ViT, "forward", lambda model, images, keep=None: given.append(keep) or real(model, images, keep)
    )
    run = whole_run(replace(config, patch_keep_start=0.25, patch_keep_end=0.5, patch_dropout_until=0.8))
    for share in (0, 0.4, 0.9):
        run.share = share
        run.step(torch.arange(25))
    assert [None if keep is None else tuple(keep.shape) for keep in given] == [(25, 4), (25, 6), None]


def test_the_average_starts_close_to_the_weights_and_grows_slow(config):
    run = whole_run(replace(config, ema_decay=0.9, warmup_fraction=0.0))
    torch.nn.init.ones_(run.learner.model.head.bias)
    for step, moved in [(0, 1.0), (1, 9 / 11), (10_000, 0.1)]:  # decay (1 + 1) / (10 + 1) at step 1, then 0.9
        torch.nn.init.zeros_(run.learner.average.head.bias)
        run.learner.step_count = step
        run.learner.blend()
        torch.testing.assert_close(run.learner.average.head.bias, torch.full((10,), moved), rtol=0, atol=1e-6)


def test_the_average_is_that_of_torch(config):
    run = whole_run(replace(config, ema_decay=0.3, warmup_fraction=0.0))
    expected = AveragedModel(run.learner.model)
    for decay in (0.0, 2 / 11, 3 / 12, 0.3, 0.3):
        expected.multi_avg_fn = get_ema_multi_avg_fn(decay)
        run.step(torch.arange(25))
        expected.update_parameters(run.learner.model)
    assert not torch.equal(run.learner.average.head.weight, run.learner.model.head.weight)
    for name, weight in expected.module.state_dict().items():
        assert torch.equal(run.learner.average.state_dict()[name], weight), name


def test_accuracy_by_hand(cifar_folder, cifar_config, config):
    result = whole_run(config).result({})
    with torch.no_grad():
        result.network.head.bias.copy_(torch.eye(10)[3])  # a fresh head has no weights: it always says 3
    images = torch.zeros(7, 3, 32, 32, dtype=torch.uint8)
    done = []
    assert accuracy(result, images, torch.tensor([3, 3, 0, 1, 2, 3, 9]), batch_size=3, report=done.append) == 3 / 7
    assert done == [3, 3, 1]
