"""Masked patch prediction: what is hidden, what is asked, and that it can be learned."""

from dataclasses import replace

import pytest
import torch

from tests import tiny
from vitviz.data import cifar
from vitviz.models.checkpoint import load
from vitviz.models.vit import ViT
from vitviz.runs import training_run
from vitviz.training.config import TrainConfig
from vitviz.training.distributed import Distributed
from vitviz.training.evaluation import images_to_test
from vitviz.training.masked_patches import MaskedPatches, mean_colours


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def test_mean_colours_by_hand():
    levels = torch.zeros(1, 3, 4, 8)  # two patches of 4 x 4
    levels[0, :, :, 4:] = torch.tensor([1.0, 0.5, 0.26]).view(3, 1, 1)
    levels[0, 0, :2, 4:] = 0.76  # the mean of red is 0.88: level 7
    mean, std = (torch.tensor(values).view(1, 3, 1, 1) for values in (cifar.MEAN, cifar.STD))
    assert mean_colours((levels - mean) / std, 4).tolist() == [[0, 7 * 64 + 4 * 8 + 2]]


def test_half_of_the_patches_are_corrupted_and_most_of_those_hidden():
    masked = MaskedPatches(tiny.model())
    patches = torch.arange(200.0 * 35).view(200, 35, 1).expand(-1, -1, tiny.D).clone()  # each is its own number
    corrupted, seen = masked.corrupt(patches)
    hidden = (seen == masked.mask).all(-1)
    changed = (seen != patches).any(-1)
    assert not changed[~corrupted].any()
    assert corrupted.float().mean().item() == pytest.approx(0.5, abs=0.02)
    assert (hidden & corrupted).sum() / corrupted.sum() == pytest.approx(0.8, abs=0.02)
    assert (changed & ~hidden).sum() / corrupted.sum() == pytest.approx(0.1, abs=0.02)
    assert seen[changed & ~hidden][:, 0].frac().abs().max() == 0, "another patch's embedding, as it is"


def test_hidden_patches_do_not_reach_the_guess():
    masked = MaskedPatches(tiny.model()).eval()
    masked.corrupt = lambda patches: (torch.ones(patches.shape[:2], dtype=torch.bool), patches * 0 + masked.mask)
    one, other = tiny.images(seed=1), tiny.images(seed=2)
    truth = mean_colours(one, 4)
    torch.nn.init.normal_(masked.colours.weight)
    with torch.no_grad():
        guesses = []
        masked.colours.register_forward_hook(lambda module, given, found: guesses.append(found))
        masked(one)
        masked(other)
    assert torch.equal(guesses[0], guesses[1]), "nothing of the images is left"
    assert (truth != mean_colours(other, 4)).any()


def test_the_colours_of_a_image_can_be_learned_by_heart():
    masked = MaskedPatches(ViT(replace(tiny.CONFIG, depth=2)))
    optimizer = torch.optim.Adam(masked.parameters(), 3e-3)
    images = tiny.images(batch=2)
    before = masked(images)[0].item()
    for _ in range(100):
        optimizer.zero_grad()
        masked(images)[0].backward()
        optimizer.step()
    assert before > 6, "512 colours: log 512 is 6.2"
    assert masked(images)[0].item() < before / 2


@pytest.mark.usefixtures("no_clock")
def test_a_image_that_is_left_over_counts_as_much_as_the_others(cifar_config, monkeypatch):
    config = TrainConfig(model=cifar_config, objective="masked-patch", device="cpu", num_snapshots=0)
    images = torch.zeros(501, 3, 32, 32, dtype=torch.uint8), torch.zeros(501, dtype=torch.long)
    run = training_run.Run(config, Distributed(), images, images)
    monkeypatch.setattr(
        run.learner.trained, "forward", lambda part: (torch.zeros(()), torch.tensor(float(len(part) == 1)))
    )
    assert run.measured_accuracy() == pytest.approx(1 / 501)


@pytest.mark.usefixtures("no_clock")
@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_training_without_labels_can_be_gone_on_with_by_one_with_labels(
    cifar_folder, cifar_config, tmp_path, monkeypatch
):
    config = TrainConfig(
        model=cifar_config, data=str(cifar_folder), epochs=1, minutes=None, batch_size=25, device="cpu", num_snapshots=0
    )
    training = []
    real = training_run.Run.measured_accuracy

    def watched(run):
        found = real(run)
        training.append(any(part.training for part in run.learner.trained.modules()))
        return found

    monkeypatch.setattr(training_run.Run, "measured_accuracy", watched)
    path = training_run.train(replace(config, objective="masked-patch", output_dir=str(tmp_path / "blind")))
    record = load(path).record
    assert 0 <= record["masked_patch_accuracy"] <= 1
    assert "test_accuracy" not in record
    assert not load(path).network.head.weight.any(), "no label was looked at"
    with pytest.raises(ValueError, match=r"must have learned labels: last learned to guess .* Fine-tune it first"):
        images_to_test(load(path), None, str(cifar_folder))
    assert training[0] is False, "stochastic depth would spoil the measurement"
    tuned = training_run.train(replace(config, init_from=str(path), output_dir=str(tmp_path / "tuned")))
    assert images_to_test(load(tuned), None, str(cifar_folder))
    assert load(tuned).record["train_config"]["init_from"] == "blind", "a path of this machine is nobody's business"
