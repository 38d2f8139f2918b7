"""The convolutional teacher: a file with a convnet is a teacher only; and the recipe that trains it and a student."""

import copy
import itertools
from dataclasses import replace
from typing import Any

import pytest
import safetensors.torch
import torch
from torch import nn
from torchvision.transforms.v2 import Lambda

import vitviz
from recipes import cifar10_distilled as recipe
from recipes import hints
from tests import tiny
from vitviz.data import cifar
from vitviz.data.datasets import CIFAR10
from vitviz.errors import CheckpointError, ConfigError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.training.convnet import ConvNet, ConvNetConfig, load_convnet
from vitviz.training.evaluation import measure_accuracy

CONFIG = ConvNetConfig(img_size=(20, 28), embed_dim=6, depth=3, num_classes=tiny.K)


@pytest.fixture
def network() -> ConvNet:
    torch.manual_seed(0)
    network = ConvNet(CONFIG).eval()
    recipe.init_convnet(network, torch.randn(50, 3, 20, 28))
    return network


def test_number_of_parameters_by_hand(network):
    stem = 24 * 3 * 2 * 2
    first = 6 * 24 * 9 + 6 * 6 * 9
    second, third = 18 * 6 * 9 + 18 * 18 * 9, 18 * 18 * 9 + 18 * 18 * 9
    norms, head = 6 + 6 + 18 + 18 + 18 + 18, 11 * 18
    assert sum(p.numel() for p in network.parameters()) == stem + first + second + third + norms + head


def test_each_block_halves_the_image_and_the_logits_do_not_depend_on_the_batch(network):
    shapes, images = [], tiny.images()
    for block in network.blocks:
        block.register_forward_hook(lambda block, inputs, output: shapes.append(tuple(output.shape)))
    logits = network(images)
    assert shapes == [(8, 6, 9, 13), (8, 18, 4, 6), (8, 18, 2, 3)]
    torch.testing.assert_close(logits, torch.cat([network(image[None]) for image in images]), rtol=0, atol=1e-4)
    assert logits.std(0).min() > 1e-4, "images must differ"


def test_the_file_of_a_convnet_is_loaded_as_a_teacher_and_refused_as_a_model(network, tmp_path):
    path = tmp_path / "teacher.safetensors"
    checkpoint.save(Checkpoint("x", network, tuple("abcdefghijk"), (0.5, 0.5, 0.5), (0.2, 0.2, 0.2), {}), path)
    images = tiny.images()
    assert torch.equal(load_convnet(path).network(images), network(images))
    for load in (vitviz.load, checkpoint.load):
        with pytest.raises(CheckpointError, match="must be a Vision Transformer: it is a convnet") as found:
            load(path)
        assert found.value.field == "config.architecture"
    checkpoint.save(tiny.checkpoint(), path)
    with pytest.raises(CheckpointError) as found:
        load_convnet(path)
    assert found.value.field == "config"


@pytest.mark.parametrize(
    "changes", [{"depth": 5}, {"embed_dim": 0}, {"img_size": (20,)}, {"architecture": "vit"}], ids=str
)
def test_an_invalid_config_is_refused(changes):
    with pytest.raises(ConfigError) as found:
        replace(CONFIG, **changes)
    assert found.value.field == next(iter(changes))


def test_the_shipped_teacher_is_loaded():
    teacher = load_convnet("checkpoints/teachers/cifar10-teacher.safetensors")
    assert sum(p.numel() for p in teacher.network.parameters()) == 4_604_704
    assert teacher.record["test_accuracy"] > 0.94


# --- the recipe ---


def test_convolutions_start_as_identities_and_the_first_layer_whitens_patches(network):
    colors = torch.randn(3, 3)
    images = torch.einsum("bchw,dc->bdhw", torch.randn(200, 3, 12, 16), colors)  # correlated channels
    recipe.init_convnet(network, images)
    x = torch.randn(2, 6, 9, 13)
    torch.testing.assert_close(network.blocks[1].conv1(x)[:, :6], x)
    outputs = network.stem(images)[:, :12].transpose(0, 1).flatten(1)  # (12, n)
    torch.testing.assert_close(outputs @ outputs.T / outputs.shape[1], torch.eye(12), rtol=0, atol=0.1)
    torch.testing.assert_close(network.stem(images)[:, 12:], -network.stem(images)[:, :12])


def test_alternating_flips_show_both_orientations_in_consecutive_epochs():
    indices = torch.arange(1000)
    images = torch.arange(2.0).expand(1000, 1, 1, 2)
    first, second = (recipe.alternating_flip(images, indices, epoch, 7) for epoch in (0, 1))
    assert torch.equal(first, second.flip(-1))
    assert 400 < (first[:, 0, 0, 0] == 1).sum() < 600
    assert torch.equal(first[:10], recipe.alternating_flip(images[:10], indices[:10], 0, 7))
    assert not torch.equal(first, recipe.alternating_flip(images, indices, 0, 8))


def test_sgd_raises_the_learning_rate_of_batchnorm_biases_and_decays_them_as_fast(network):
    weights, biases = recipe.create_sgd(network, replace(recipe.TEACHER, lr=0.5, weight_decay=0.01)).param_groups
    assert (len(weights["params"]), len(biases["params"])) == (7, 6)  # without the first layer, which is frozen
    assert (weights["base_lr"], biases["base_lr"]) == (0.5, 32.0)
    assert biases["base_lr"] * biases["weight_decay"] == pytest.approx(0.005)


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_student_learns_from_the_soft_labels_of_a_teacher(cifar_folder, cifar_config):
    data = cifar.load("train", cifar_folder)
    short = {"epochs": 2.6, "batch_size": 30, "precision": "float32"}
    teacher = recipe.train_teacher(replace(recipe.TEACHER, **short), ConvNetConfig(embed_dim=4, depth=2), data)
    student = replace(recipe.STUDENT, model=cifar_config, **short)
    soft = [recipe.compute_labels(replace(student, epochs=2 - mix), [teacher], data, mix) for mix in (False, True)]
    assert [part.shape for part in soft] == [(2, 100, 10), (1, 100, 10)]
    torch.testing.assert_close(soft[0].float().exp().sum(-1), torch.ones(2, 100), rtol=0, atol=5e-3)
    assert not torch.equal(soft[0][0], soft[1][0])
    (first, epochs), (again, _) = (recipe.train_student(student, soft, data) for _ in range(2))
    uniform, _ = recipe.train_student(student, [torch.zeros_like(part) for part in soft], data)
    softer, _ = recipe.train_student(student, soft, data, temperature=3.0)
    assert epochs == 2.6
    assert torch.equal(first.head.weight, again.head.weight)
    assert not torch.equal(first.head.weight, uniform.head.weight)
    assert not torch.equal(first.head.weight, softer.head.weight)
    kept: dict[int, Checkpoint] = {}

    def keep_weights(network: Any, epoch: int) -> None:
        kept[epoch] = replace(tiny.checkpoint(), network=copy.deepcopy(network))

    recipe.train_student(student, soft, data, keep_weights=keep_weights)
    assert list(kept) == [1, 2]
    still = replace(student, lr=1e-9, muon_lr=1e-9)
    stage = kept.pop(2)
    later, _ = recipe.train_student(still, soft, data, stage, first_epoch=2, keep_weights=keep_weights)
    torch.testing.assert_close(later.head.weight, stage.network.head.weight)
    assert list(kept) == [1], "the last stage has no other epoch"


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_soft_labels_of_two_teachers_are_of_their_mean_probabilities_one_of_mirror_images(cifar_folder):
    data, config = cifar.load("train", cifar_folder), replace(recipe.STUDENT, epochs=1, precision="float32")
    first, second = (nn.Sequential(nn.Flatten(), nn.Linear(3 * 32 * 32, 10)) for _ in range(2))
    mirrored = nn.Sequential(Lambda(lambda images: images.flip(-1)), second)
    alone = [recipe.compute_labels(config, [teacher], data, mix=True).float().exp() for teacher in (first, mirrored)]
    both = recipe.compute_labels(config, [first, second], data, mix=True).float().exp()
    torch.testing.assert_close(both, sum(alone) / 2, rtol=0, atol=1e-3)
    assert (alone[0] - alone[1]).abs().max() > 0.01, "the teachers must differ"


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_student_has_the_network_that_it_starts_from(cifar_folder, cifar_config, tmp_path, capsys):
    teacher, labels, initial, student = (tmp_path / f"{name}.safetensors" for name in "tlis")
    network = ConvNet(ConvNetConfig(embed_dim=4, depth=2))
    checkpoint.save(Checkpoint("t", network, CIFAR10.classes, CIFAR10.mean, CIFAR10.std, {}), teacher)
    network = create_model(replace(cifar_config, depth=3))
    checkpoint.save(Checkpoint("i", network, CIFAR10.classes, CIFAR10.mean, CIFAR10.std, {}), initial)
    common = ["--set", f"data={cifar_folder}", "epochs=1"]
    recipe.main([*map(str, ["labels", labels, "--teacher", teacher, initial]), *common, "batch_size=50"])
    learn = [*map(str, ["student", student, "--labels", labels]), *common, f"init_from={initial}"]
    recipe.main([*learn, "lr=1e-9", "muon_lr=1e-9"])
    written = vitviz.load(student)
    assert written.record["teacher"] == {
        "name": "t and i",
        "members": [{"name": "t", "architecture": "convnet"}, {"name": "i", "architecture": "vit"}],
    }
    assert (written.train_config["init_from"], written.train_config["epochs"]) == ("i", 1)
    assert written.record["train_samples"] == 100
    found, expected = written.network.state_dict(), network.state_dict()
    assert found.keys() == expected.keys()
    torch.testing.assert_close(found["blocks.2.attn.qkv.weight"], expected["blocks.2.attn.qkv.weight"])
    assert written.train_config["batch_size"] == 50, "of the labels"
    with pytest.raises(SystemExit):
        recipe.main([*learn, "seed=1"])
    assert "seed must be that of the labels: got 1, and they have 0." in capsys.readouterr().err
    with pytest.raises(SystemExit):
        recipe.main([*learn, "num_snapshots=3"])
    assert "num_snapshots is not used by this step: got 3" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_all_steps_hold_out_the_same_images(cifar_folder, tmp_path, capsys):
    teacher, labels, student = (str(tmp_path / f"{name}.safetensors") for name in "tls")
    common = ["--set", f"data={cifar_folder}", "epochs=1", "batch_size=20", "val_size=20"]
    recipe.main(["teacher", teacher, "--width", "4", *common])
    recipe.main(["labels", labels, "--teacher", teacher, *common, "cutmix_prob=0"])
    recipe.main(["student", student, "--labels", labels, *common, "model.embed_dim=6", "model.depth=2"])
    images, targets = (part[-20:] for part in cifar.load("train", cifar_folder))
    written = vitviz.load(student)
    assert written.record["val_accuracy"] == measure_accuracy(written, images, targets)
    assert "test_accuracy" not in written.record
    assert written.record["train_samples"] == 80
    with pytest.raises(SystemExit):
        recipe.main(["labels", labels, "--teacher", teacher, *common, "val_size=30"])
    assert "teacher must not be trained on validation images" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_student_with_hints_trains_for_minutes(cifar_folder, tmp_path, capsys):
    teacher, labels, student = (str(tmp_path / f"{name}.safetensors") for name in "tls")
    common = ["--set", f"data={cifar_folder}", "batch_size=20", "precision=float32"]
    unmixed = [*common, "epochs=2", "cutmix_prob=0"]
    recipe.main(["teacher", teacher, "--width", "4", *common, "epochs=1"])
    recipe.main(["labels", labels, "--teacher", teacher, "--hints", *unmixed])
    learn = ["student", student, "--labels", labels, *common, "model.embed_dim=6", "minutes=0.02"]
    recipe.main([*learn, "model.depth=2"])
    record = vitviz.load(student).record
    assert record["epochs"] > 0
    assert record["epochs"] * 5 == pytest.approx(round(record["epochs"] * 5)), "5 batches in an epoch"
    refused = {
        "teacher must be a convnet": ["labels", labels, "--teacher", student, "--hints", *unmixed],
        "minutes is not used by this step": ["labels", labels, "--teacher", teacher, *common, "minutes=1"],
        "muon_lr is not used by this step: got 0.1": ["teacher", teacher, *common, "muon_lr=0.1"],
        "model.img_size is not used by this step": ["teacher", teacher, *common, "model.img_size=[8, 8]"],
        "minutes must not be set with `--first-epoch`": [*learn, "--first-epoch", "1"],
        "--labels must be a file of the step `labels`: got": ["student", student, "--labels", teacher],
        "--labels must be a file of the step `labels`: got missing": ["student", student, "--labels", "missing"],
        "model.depth must be at least 2 with hints: got 1": [*learn, "model.depth=1"],
    }
    for sentence, words in refused.items():
        with pytest.raises(SystemExit):
            recipe.main(words)
        assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("keep", [None, torch.tensor([[3, 0], [1, 2]])], ids=["all patches", "some patches"])
def test_hints_are_the_squared_error_of_an_interpolated_map(keep):
    torch.manual_seed(0)
    network = create_model(ViTConfig(img_size=(8, 8), embed_dim=6, depth=3, num_heads=2))  # 2 x 2 patches
    maps = torch.randn(2, 9, 5)
    module = hints.Hints(network, 5)
    network(torch.randn(2, 3, 8, 8), keep)
    expected = maps[:, [0, 2, 6, 8]]  # patches are at the corners of the map
    if keep is not None:
        expected = expected[torch.arange(2)[:, None], keep]
    loss = module.loss(maps, keep)
    torch.testing.assert_close(loss, expected.square().mean())  # the layer starts at zero
    loss.backward()
    assert module.layer.weight.grad.abs().max() > 0


def test_recorded_maps_are_principal_components_of_standardized_channels(monkeypatch):
    torch.manual_seed(0)
    monkeypatch.setattr(hints, "NUM_COMPONENTS", 4)
    network = ConvNet(ConvNetConfig(img_size=(9, 9), embed_dim=2, depth=2)).eval()  # 2 channels of 4 x 4 pixels
    recorder = hints.MapRecorder(network)
    outputs: list[torch.Tensor] = []
    network.blocks[0].register_forward_hook(lambda block, inputs, output: outputs.append(output))
    with torch.no_grad():
        for _ in range(6):
            network(torch.randn(20, 3, 9, 9))
    maps = recorder.pop(60)
    assert maps.shape == (2, 60, 16, 2)
    first = maps[0, :20].float().flatten(0, 1)
    torch.testing.assert_close(first.mean(0), torch.zeros(2), rtol=0, atol=0.02)
    torch.testing.assert_close(first.square().mean(), torch.tensor(1.0), rtol=0.02, atol=0)
    assert (first[:, 0] * first[:, 1]).mean().abs() < 0.02
    pixels = torch.cat(outputs).flatten(2).mT.flatten(0, 1)
    standardized = (pixels - pixels[:320].mean(0)) / (pixels[:320].std(0) + hints.EPS)
    norms = maps.float().flatten(0, 2).norm(dim=1)
    torch.testing.assert_close(norms, standardized.norm(dim=1), rtol=0.05, atol=0.02)  # a rotation
    with torch.no_grad():
        network(torch.randn(3, 3, 9, 9))
    assert recorder.pop(3).shape == (1, 3, 16, 2), "only those since"
    _, components = hints.principal_components(torch.randn(50, 7))
    assert components.shape == (7, 4)


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_a_student_learns_from_the_maps_of_the_images_that_it_sees(cifar_folder, cifar_config, tmp_path):
    teacher, labels = tmp_path / "t.safetensors", tmp_path / "l.safetensors"
    checkpoint.save(
        Checkpoint("t", ConvNet(ConvNetConfig(embed_dim=4)), CIFAR10.classes, CIFAR10.mean, CIFAR10.std, {}), teacher
    )
    changes = [f"data={cifar_folder}", "epochs=2", "batch_size=20", "precision=float32"]
    words = ["labels", labels, "--teacher", teacher, "--hints", "--unmixed-epochs", 1]
    recipe.main([*map(str, words), "--set", *changes])
    found = safetensors.torch.load_file(labels)
    assert {name: part.shape[:2] for name, part in found.items()} == {
        "mixed": (2, 100),
        "mixed_maps": (2, 100),
        "unmixed": (1, 100),
        "unmixed_maps": (1, 100),
    }
    assert found["mixed_maps"].shape[2:] == (49, 12)
    config = replace(recipe.STUDENT, model=cifar_config, epochs=2, batch_size=20, precision="float32")
    soft, maps = ([found[f"{name}{suffix}"] for name in ("unmixed", "mixed")] for suffix in ("", "_maps"))
    data = cifar.load("train", cifar_folder)
    given = {
        "hints": maps,
        "none": [],
        "other unmixed": [maps[0].flip(1), maps[1]],
        "other mixed": [maps[0], maps[1].flip(1)],
    }
    weights = {
        name: recipe.train_student(config, soft, data, maps=some)[0].blocks[0].attn.qkv.weight
        for name, some in given.items()
    }
    for (first, one), (second, other) in itertools.combinations(weights.items(), 2):
        assert not torch.equal(one, other), f"{first} and {second}"


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_the_command_writes_a_teacher_that_the_package_loads(cifar_folder, tmp_path):
    path = tmp_path / "teacher.safetensors"
    changes = [f"data={cifar_folder}", "epochs=1", "batch_size=50"]
    recipe.main(["teacher", str(path), "--width", "4", "--bfloat16", "--set", *changes])
    found = load_convnet(path)
    assert found.labels == CIFAR10.classes
    test = cifar.load("test", cifar_folder)
    assert found.record["test_accuracy"] == measure_accuracy(found, *test), "of the rounded weights"
    assert found.train_config["cutmix_prob"] == 0
