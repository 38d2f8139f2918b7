"""Masked patch prediction: corruption, targets, and that colors can be learned."""

from dataclasses import replace

import pytest
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests import tiny
from tests.training.trainings import create_run
from vitviz.data import cifar
from vitviz.data.datasets import CIFAR10
from vitviz.errors import DataError
from vitviz.models.checkpoint import load
from vitviz.models.vit import ViT
from vitviz.runs import training_run
from vitviz.training.config import TrainConfig
from vitviz.training.data import TrainingData
from vitviz.training.distributed import Distributed
from vitviz.training.evaluation import load_test_set
from vitviz.training.loop import TrainingLoop
from vitviz.training.masked_patches import MaskedPatches, mean_colors


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def test_mean_colors_by_hand():
    levels = torch.zeros(1, 3, 4, 8)  # two patches of 4 x 4
    levels[0, :, :, 4:] = torch.tensor([1.0, 0.5, 0.26]).view(3, 1, 1)
    levels[0, 0, :2, 4:] = 0.76  # the mean of red is 0.88: level 7
    mean, std = (torch.tensor(values).view(1, 3, 1, 1) for values in (cifar.MEAN, cifar.STD))
    assert mean_colors((levels - mean) / std, 4).tolist() == [[0, 7 * 64 + 4 * 8 + 2]]


def test_half_of_the_patches_are_corrupted_and_most_of_those_masked():
    masked = MaskedPatches(tiny.model())
    patches = torch.arange(200.0 * 35).view(200, 35, 1).expand(-1, -1, tiny.D).clone()  # each has its own value
    corrupted, result = masked.corrupt(patches)
    is_mask = (result == masked.mask_token).all(-1)
    changed = (result != patches).any(-1)
    assert not changed[~corrupted].any()
    assert corrupted.float().mean().item() == pytest.approx(0.5, abs=0.02)
    assert (is_mask & corrupted).sum() / corrupted.sum() == pytest.approx(0.8, abs=0.02)
    assert (changed & ~is_mask).sum() / corrupted.sum() == pytest.approx(0.1, abs=0.02)
    assert result[changed & ~is_mask][:, 0].frac().abs().max() == 0, "the unchanged embedding of another patch"


def test_masked_patches_do_not_influence_the_prediction():
    masked = MaskedPatches(tiny.model()).eval()
    masked.corrupt = lambda patches: (torch.ones(patches.shape[:2], dtype=torch.bool), patches * 0 + masked.mask_token)
    first, second = tiny.images(seed=1), tiny.images(seed=2)
    torch.nn.init.normal_(masked.color_head.weight)
    outputs = []
    masked.color_head.register_forward_hook(lambda module, args, output: outputs.append(output))
    with torch.no_grad():
        masked(first)
        masked(second)
    assert torch.equal(outputs[0], outputs[1]), "all patches are masked"
    assert (mean_colors(first, 4) != mean_colors(second, 4)).any()


def test_the_colors_of_an_image_can_be_overfitted():
    masked = MaskedPatches(ViT(replace(tiny.CONFIG, depth=2)))
    optimizer = torch.optim.Adam(masked.parameters(), 3e-3)
    images = tiny.images(batch=2)
    before = masked(images)[0].item()
    for _ in range(100):
        optimizer.zero_grad()
        masked(images)[0].backward()
        optimizer.step()
    assert before > 6, "512 colors: log 512 is 6.2"
    assert masked(images)[0].item() < before / 2


@pytest.fixture
def config(config) -> TrainConfig:
    return replace(config, objective="masked-patch", epochs=1, num_snapshots=0)


@pytest.mark.usefixtures("no_clock")
@pytest.mark.parametrize(
    "changes", [{}, {"global_pool": "map"}, {"distilled": True}, {"head_proj_dim": 12}, {"fc_norm": True}]
)
def test_every_trained_parameter_gets_a_gradient(changes):
    module = MaskedPatches(tiny.model(replace(tiny.CONFIG, **changes)))
    module(tiny.images())[0].backward()
    unused = [name for name, weight in module.named_parameters() if weight.requires_grad and weight.grad is None]
    assert unused == [], "DistributedDataParallel would wait for them"


def test_each_image_has_the_same_weight_in_the_accuracy(config, monkeypatch):
    images = torch.zeros(501, 3, 32, 32, dtype=torch.uint8), torch.zeros(501, dtype=torch.long)
    run = TrainingLoop(config, Distributed(), TrainingData(CIFAR10, images, images))
    only_last_batch = lambda batch: (torch.zeros(()), torch.tensor(float(len(batch) == 1)))  # noqa: E731
    monkeypatch.setattr(run.ema_module, "forward", only_last_batch)
    assert run.final_accuracy() == pytest.approx(1 / 501)


@pytest.mark.usefixtures("no_clock")
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_the_accuracy_is_that_of_the_ema_of_all_parameters(config):
    run = create_run(replace(config, ema_decay=0.3, warmup_fraction=0.0))
    expected = AveragedModel(run.training_module)
    for decay in (0.0, 2 / 11, 3 / 12):
        expected.multi_avg_fn = get_ema_multi_avg_fn(decay)
        run.step(torch.arange(25))
        expected.update_parameters(run.training_module)
    assert not torch.equal(expected.module.mask_token, run.training_module.mask_token)
    assert not torch.equal(expected.module.color_head.weight, run.training_module.color_head.weight)
    for name, weight in expected.module.state_dict().items():
        assert torch.equal(run.ema_module.state_dict()[name], weight), name
    assert run.ema_model is run.ema_module.vit
    accuracies = []
    for measure in (run.final_accuracy, lambda: expected.module.eval().measure_accuracy(run.eval_set[0])):
        torch.manual_seed(0)  # of the corrupted patches
        accuracies.append(measure())
    assert accuracies[0] == accuracies[1]
    assert not any(module.training for module in run.ema_module.modules()), "no stochastic depth"
    with torch.no_grad():
        run.ema_module.color_head.bias.fill_(-torch.inf)
        run.ema_module.color_head.bias[0] = 0  # always predicts black
    images = torch.zeros_like(run.eval_set[0])
    assert run.ema_module.measure_accuracy(images) == 1
    assert run.training_module.measure_accuracy(images) < 1, "its own color head is unchanged"


@pytest.mark.usefixtures("no_clock")
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_lost_run_resumes_with_the_ema_of_all_parameters(config, lose_process, monkeypatch):
    states = []
    real = TrainingLoop.final_accuracy

    def watched(run):
        states.append({name: weight.clone() for name, weight in run.ema_module.state_dict().items()})
        return real(run)

    monkeypatch.setattr(TrainingLoop, "final_accuracy", watched)
    config = replace(config, epochs=2, ema_decay=0.3)
    training_run.train(replace(config, output_dir=f"{config.output_dir}-whole"))
    lose_process(config, 6)
    training_run.train(config, resume=True)
    whole, resumed = states
    assert {"mask_token", "color_head.weight", "color_head.bias"} <= whole.keys()
    assert all(torch.equal(resumed[name], weight) for name, weight in whole.items())


@pytest.mark.usefixtures("no_clock")
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_classifier_can_be_fine_tuned_from_a_masked_patch_checkpoint(config):
    path = training_run.train(replace(config, output_dir=f"{config.output_dir}-masked"))
    record = load(path).record
    assert 0 <= record["masked_patch_accuracy"] <= 1
    assert "test_accuracy" not in record
    assert not load(path).network.head.weight.any(), "the classification head is not trained"
    with pytest.raises(DataError, match=r"must be a classifier .*: last was trained without labels\. Fine-tune it"):
        load_test_set(load(path), None, config.data)
    tuned = training_run.train(replace(config, objective="classify", init_from=str(path)))
    assert load_test_set(load(tuned), None, config.data)
    assert load(tuned).record["train_config"]["init_from"] == "run-masked", "the name of the run, not its path"
