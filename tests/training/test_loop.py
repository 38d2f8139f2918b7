"""Training steps: learning rates, patch dropout, precision, EMA, and that the network learns."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from sklearn.utils.class_weight import compute_class_weight
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests.errors import refuses
from tests.training.trainings import create_run, load_weights
from vitviz.data import datasets
from vitviz.data.augmentation import one_hot
from vitviz.data.datasets import CIFAR10, Dataset
from vitviz.models.checkpoint import load
from vitviz.runs.training_run import train
from vitviz.training import device, loop
from vitviz.training.config import TrainConfig
from vitviz.training.data import balanced_weights, epoch_batches, load_training_data
from vitviz.training.evaluation import measure_accuracy
from vitviz.training.loop import TrainingLoop, lr_factor, patch_keep_ratio

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]
UNREGULARIZED = {
    "cutmix_prob": 0.0,
    "label_smoothing": 0.0,
    "patch_keep_start": 1.0,
    "patch_keep_end": 1.0,
    "warmup_fraction": 0.0,
}


@pytest.mark.slow
def test_a_batch_can_be_overfitted(config, monkeypatch):
    monkeypatch.setattr(loop.augmentation, "random_crop_and_flip", lambda images, **options: images)  # images are noise
    run = create_run(replace(config, ema_decay=0.0, muon_lr=0.01, lr=0.01, **UNREGULARIZED))
    batch = torch.arange(10)
    for _ in range(80):
        run.step(batch)
    result = run.result({})
    assert measure_accuracy(result, run.images[batch], run.labels[batch]) == 1.0
    assert measure_accuracy(result, run.images[50:], run.labels[50:]) < 0.5, "the other images are noise"


@pytest.mark.parametrize(
    ("lr_schedule", "factors"),
    [("linear", [0, 0.5, 1, 0.5, 0]), ("cosine", [0, 0.5, 1, 0.5, 0]), ("constant", [0, 0.5, 1, 1, 1])],
)
def test_the_learning_rate_warms_up_linearly_and_then_follows_the_schedule(lr_schedule, factors):
    config = TrainConfig(lr_schedule=lr_schedule, warmup_fraction=0.2)
    assert [lr_factor(config, progress) for progress in (0, 0.1, 0.2, 0.6, 1)] == pytest.approx(factors)
    assert lr_factor(replace(config, warmup_fraction=0.0), 0) == 1


def test_a_cosine_schedule_is_flat_at_both_ends():
    config = TrainConfig(lr_schedule="cosine", warmup_fraction=0.0)
    assert [lr_factor(config, progress) for progress in (1 / 3, 2 / 3)] == pytest.approx([0.75, 0.25])


def test_the_learning_rates_of_a_run_follow_the_schedule(config, monkeypatch):
    rates = []
    real = TrainingLoop.step

    def watched(run, batch):
        real(run, batch)
        rates.append([group["lr"] for optimizer in run.optimizers for group in optimizer.param_groups])

    monkeypatch.setattr(TrainingLoop, "step", watched)
    train(replace(config, muon_lr=0.01, lr=0.02, warmup_fraction=0.25, num_snapshots=0))
    muon, adamw = {tuple(step) for step in zip(*[r[:4] for r in rates], strict=True)}, [r[-1] for r in rates]
    expected = np.array([3, 9, 11, 9, 7, 5, 3, 1]) / 12  # in the middle of each step
    assert len(muon) == 1
    assert next(iter(muon)) == pytest.approx(0.01 * expected)
    assert adamw == pytest.approx(0.02 * expected)


@pytest.mark.parametrize("epochs", [1, 0.5])
def test_a_run_of_one_step_changes_the_weights(config, epochs):
    config = replace(config, max_train_samples=25, epochs=epochs, num_snapshots=0)
    first = create_run(config).model.state_dict()
    path = train(config)
    assert load(path).record["steps"] == 1
    assert not torch.equal(load_weights(path)["head.weight"], first["head.weight"])


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_accumulated_gradients_equal_those_of_the_large_batch(config, class_weight):
    config = replace(config, grad_clip_norm=0.5, class_weight=class_weight)
    whole, parts = create_run(config), create_run(replace(config, batch_size=5, grad_accum_steps=5))
    assert [len(batch) for batch in parts.batches()] == [25] * 4
    for batch in whole.batches():
        whole.step(batch)
        parts.step(batch)
    assert sum(parts.losses).item() == pytest.approx(sum(whole.losses).item(), rel=1e-6)
    assert (parts.step_count, parts.images_seen) == (whole.step_count, whole.images_seen) == (4, 100)
    for one, other in zip(whole.model.parameters(), parts.model.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=2e-5)


def test_balanced_class_weights_equal_those_of_scikit_learn():
    labels = torch.tensor([0, 0, 0, 2, 2, 3, 0, 0, 0, 0])
    expected = compute_class_weight("balanced", classes=np.array([0, 2, 3]), y=labels.numpy())
    weights = balanced_weights(labels, num_classes=5)
    assert weights[[0, 2, 3]].tolist() == pytest.approx(expected.tolist())
    assert len(weights) == 5
    assert weights[labels].mean() == pytest.approx(1)


def test_the_loss_of_a_class_is_weighted(config):
    config = replace(config, class_weight="balanced", cutmix_prob=0, label_smoothing=0, num_snapshots=0)
    run, images = create_run(config), torch.randn(6, 3, 32, 32)
    labels = run.labels[:6]
    with torch.no_grad():
        found = run.compute_loss(images, one_hot(labels, 10))
        losses = F.cross_entropy(run.model(images), labels, reduction="none")
    assert found.item() == pytest.approx((losses * balanced_weights(run.labels)[labels]).mean().item(), rel=1e-5)


def test_the_balanced_sampler_draws_classes_equally_and_epochs_anew(config):
    labels = torch.tensor([0] * 900 + [1] * 90 + [4] * 10)
    config = replace(config, sampler="balanced")
    drawn = [torch.cat(epoch_batches(config, labels, epoch)) for epoch in (0, 1, 0)]
    assert labels[drawn[0]].bincount().tolist() == pytest.approx([333, 333, 0, 0, 333], abs=60)
    assert torch.equal(drawn[0], drawn[2])
    assert not torch.equal(drawn[0], drawn[1])
    assert len(drawn[0].unique()) < len(labels)


def test_the_patch_keep_ratio_grows_linearly_and_is_then_one():
    config = TrainConfig(patch_keep_start=0.3, patch_keep_end=0.5, patch_dropout_until=0.8)
    ratios = [patch_keep_ratio(config, progress) for progress in (0, 0.4, 0.7999999, 0.8, 1)]
    assert ratios == pytest.approx([0.3, 0.4, 0.5, 1, 1], abs=1e-6)


def test_the_network_gets_the_patches_that_are_kept(config, monkeypatch):
    kept = []
    real = loop.ViT.forward
    monkeypatch.setattr(
        loop.ViT, "forward", lambda model, images, keep=None: kept.append(keep) or real(model, images, keep)
    )
    run = create_run(replace(config, patch_keep_start=0.25, patch_keep_end=0.5, patch_dropout_until=0.8))
    for progress in (0, 0.4, 0.9):
        run.progress = progress
        run.step(torch.arange(25))
    assert [None if keep is None else tuple(keep.shape) for keep in kept] == [(25, 4), (25, 6), None]


@pytest.mark.parametrize("faster", [True, False])
@pytest.mark.parametrize("precision", ["auto", "float32", "bfloat16"])
def test_the_precision_is_that_of_the_config_or_the_faster_one(config, monkeypatch, precision, faster):
    monkeypatch.setattr(device, "is_bfloat16_faster", lambda device: faster)
    dtypes = []
    run = create_run(replace(config, precision=precision, num_snapshots=0))
    run.model.blocks[0].mlp.fc1.register_forward_hook(lambda module, args, output: dtypes.append(output.dtype))
    run.step(torch.arange(25))
    expected = {"auto": "bfloat16" if faster else "float32"}.get(precision, precision)
    assert dtypes == [getattr(torch, expected)]
    record = run.record()
    assert record["precision"] == expected
    assert record["train_config"]["precision"] == precision


@pytest.mark.parametrize("faster", [True, False])
@pytest.mark.parametrize("attention", ["auto", "explicit", "fused"])
def test_the_attention_is_that_of_the_config_or_the_faster_one_and_that_of_the_record_on_resume(
    config, monkeypatch, lose_process, attention, faster
):
    config = replace(config, attention=attention, num_snapshots=0)
    monkeypatch.setattr(loop, "is_fused_attention_faster", lambda *shape: faster)
    lose_process(config, 5)
    monkeypatch.setattr(loop, "is_fused_attention_faster", lambda *shape: not faster)
    kernels, real = [], F.scaled_dot_product_attention
    monkeypatch.setattr(
        F, "scaled_dot_product_attention", lambda *args, **options: kernels.append(1) or real(*args, **options)
    )
    record = load(train(config, resume=True)).record
    expected = {"auto": "fused" if faster else "explicit"}.get(attention, attention)
    assert record["attention"] == expected
    assert bool(kernels) == (expected == "fused")
    assert record["train_config"]["attention"] == attention


def test_the_ema_starts_at_the_weights_and_its_decay_grows(config):
    run = create_run(replace(config, ema_decay=0.9, warmup_fraction=0.0))
    torch.nn.init.ones_(run.model.head.bias)
    for step, moved in [(0, 1.0), (1, 9 / 11), (10_000, 0.1)]:  # decay (1 + 1) / (10 + 1) at step 1, then 0.9
        torch.nn.init.zeros_(run.ema_model.head.bias)
        run.step_count = step
        run.update_ema()
        torch.testing.assert_close(run.ema_model.head.bias, torch.full((10,), moved), rtol=0, atol=1e-6)


def test_the_ema_equals_that_of_torch(config):
    run = create_run(replace(config, ema_decay=0.3, warmup_fraction=0.0))
    expected = AveragedModel(run.model)
    for decay in (0.0, 2 / 11, 3 / 12, 0.3, 0.3):
        expected.multi_avg_fn = get_ema_multi_avg_fn(decay)
        run.step(torch.arange(25))
        expected.update_parameters(run.model)
    assert not torch.equal(run.ema_model.head.weight, run.model.head.weight)
    for name, weight in expected.module.state_dict().items():
        assert torch.equal(run.ema_model.state_dict()[name], weight), name


def test_accuracy_by_hand(config):
    result = create_run(config).result({})
    with torch.no_grad():
        result.network.head.bias.copy_(torch.eye(10)[3])  # the weights of a new head are zero: it always predicts 3
    images = torch.zeros(7, 3, 32, 32, dtype=torch.uint8)
    done = []
    labels = torch.tensor([3, 3, 0, 1, 2, 3, 9])
    assert measure_accuracy(result, images, labels, batch_size=3, report=done.append) == 3 / 7
    assert done == [3, 3, 1]


# --- sizes of the dataset ---


def fake_dataset(monkeypatch, num_train: int) -> None:
    """Replace the dataset by one of `num_train` training images, which share memory."""
    images, labels = torch.zeros(1, 3, 32, 32, dtype=torch.uint8), torch.zeros(1, dtype=torch.long)
    train_set = images.expand(num_train, -1, -1, -1), labels.expand(num_train)
    loaded = Dataset(CIFAR10, {"train": train_set, "test": (images, labels)})
    monkeypatch.setattr(datasets, "load", lambda *args, **kwargs: loaded)


@pytest.mark.parametrize(
    ("changes", "used"),
    [
        ({"max_train_samples": 60_000}, 60_000),
        ({"max_train_samples": 50_001, "val_size": 5000}, 50_001),
        ({"val_size": 30_000}, 30_000),
        ({"max_train_samples": 80_000}, 60_000),
        ({}, 60_000),
    ],
)
def test_sizes_are_limited_by_the_dataset_and_not_by_that_of_cifar(monkeypatch, changes, used):
    fake_dataset(monkeypatch, 60_000)
    data = load_training_data(TrainConfig(dataset="folder", **changes), torch.device("cpu"))
    assert len(data.train[0]) == len(data.train[1]) == used
    assert len(data.eval[1]) == changes.get("val_size", 1)


@pytest.mark.parametrize(
    ("val_size", "batch_size", "field"), [(71, 2, "val_size"), (100, 2, "val_size"), (60, 13, "batch_size")]
)
def test_a_validation_split_that_leaves_too_few_images_is_refused(monkeypatch, val_size, batch_size, field):
    fake_dataset(monkeypatch, 72)
    config = TrainConfig(dataset="folder", val_size=val_size, batch_size=batch_size)
    with refuses(field):
        load_training_data(config, torch.device("cpu"))


def test_a_dataset_smaller_than_a_batch_is_one_batch(monkeypatch):
    fake_dataset(monkeypatch, 72)
    data = load_training_data(TrainConfig(dataset="folder", batch_size=256), torch.device("cpu"))
    assert len(data.train[1]) == 72
