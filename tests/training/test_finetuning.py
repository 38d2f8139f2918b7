"""Fine-tuning: a new head on a trained backbone, for other images, classes and sizes."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from timm.layers import resample_abs_pos_embed

from tests import tiny
from tests.errors import refuses
from tests.training.trainings import create_run
from vitviz import explain
from vitviz.data.image_cache import compute_mean_std
from vitviz.errors import TrainingStopped
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint, load
from vitviz.models.layers import interpolate_pos_embed
from vitviz.runs import training_run
from vitviz.training import timeline
from vitviz.training.config import TrainConfig
from vitviz.training.data import TrainingData, load_training_data
from vitviz.training.evaluation import load_test_set, measure_accuracy
from vitviz.training.initial_weights import check_val_overlap, use_init_model
from vitviz.training.loop import TrainingLoop

CLASSES = ("bars", "dots", "plain")
pytestmark = pytest.mark.usefixtures("no_clock")


@pytest.fixture
def shapes(tmp_path) -> Path:
    """An image folder with thirty images of each of three patterns, with noise."""
    rng = np.random.default_rng(0)
    for name in CLASSES:
        (tmp_path / "shapes" / name).mkdir(parents=True)
        for number in range(30):
            pixels = rng.integers(0, 120, (24, 32, 3), np.uint8)
            if name == "bars":
                pixels[:, ::2] += 120
            if name == "dots":
                pixels[::4, ::4] += 130
            Image.fromarray(pixels).save(tmp_path / "shapes" / name / f"{number}.png")
    return tmp_path / "shapes"


@pytest.fixture
def backbone(tmp_path) -> Path:
    """A checkpoint with eleven classes, for images of 20 x 28 pixels."""
    path = tmp_path / "backbone.safetensors"
    checkpoint.save(tiny.checkpoint(), path)
    return path


@pytest.fixture
def config(shapes, backbone, tmp_path) -> TrainConfig:
    return TrainConfig(
        model=replace(tiny.CONFIG, drop_path_rate=0.1),
        dataset="folder",
        init_from=str(backbone),
        data=str(shapes),
        output_dir=str(tmp_path / "run"),
        epochs=4,
        minutes=None,
        batch_size=12,
        device="cpu",
        randaug_num_ops=0,
        cutmix_prob=0.0,
        patch_keep_start=1.0,
        patch_keep_end=1.0,
        num_snapshots=3,
        lr=5e-3,
    )


@pytest.mark.slow
def test_fine_tuning_beats_chance_and_the_result_has_the_new_classes(config, shapes):
    path = training_run.train(config)
    result = load(path)
    assert result.labels == CLASSES
    assert result.network.config.num_classes == 3
    assert result.record["dataset"] == "image folder"
    assert result.record["test_accuracy"] > 0.8, "chance is a third"
    images, labels, recorded = load_test_set(result, None, str(shapes))
    assert measure_accuracy(result, images, labels) == recorded == result.record["test_accuracy"]
    assert (result.mean, result.std) == compute_mean_std(load_training_data(config, torch.device("cpu")).train[0])
    explanation = explain(result, str(shapes / "bars" / "3.png"))
    assert explanation.labels == list(CLASSES)
    assert explanation.probabilities.shape == (3,)
    assert explanation.map("relevance", target="dots").shape == (tiny.GH, tiny.GW)
    found = timeline.read(timeline.find(path))
    assert (found.names, found.classes) == (list(CLASSES), list(CLASSES))
    assert found.images.shape == (3, tiny.H, tiny.W, 3)
    assert found.probabilities.shape == (3, 3, 3)


@pytest.mark.parametrize("optimizer", ["muon", pytest.param("adam", marks=pytest.mark.slow)])
def test_a_frozen_backbone_is_unchanged_and_the_head_is_trained(config, backbone, optimizer):
    path = training_run.train(replace(config, freeze_backbone=True, optimizer=optimizer, weight_decay=0.1))
    before, after = load(backbone).network.state_dict(), load(path).network.state_dict()
    assert all(torch.equal(after[name], before[name]) for name in before if not name.startswith("head."))
    assert after["head.weight"].abs().max() > 0.01
    assert load(path).record["test_accuracy"] > 0.5


def test_a_backbone_that_is_not_frozen_is_trained(config, backbone):
    after = load(training_run.train(replace(config, epochs=1))).network.state_dict()
    before = load(backbone).network.state_dict()
    assert all(not torch.equal(after[name], before[name]) for name in before if "weight" in name)


def test_a_frozen_backbone_has_no_gradients(config):
    data = load_training_data(config, torch.device("cpu"))
    run = create_run(replace(config, freeze_backbone=True), data)
    run.backward(*run.load(torch.arange(12)), progress=0.0)
    assert {name for name, parameter in run.model.named_parameters() if parameter.grad is not None} == {
        "head.weight",
        "head.bias",
    }
    assert sum(len(group["params"]) for optimizer in run.optimizers for group in optimizer.param_groups) == 2
    assert not run.model.training, "no stochastic depth in a frozen backbone"


def train_until_stopped(config, monkeypatch) -> None:
    """Train, and stop after the first step."""
    real = TrainingLoop.record_snapshot

    def stop(run):
        real(run)
        if run.step_count > 0:
            run.save_and_stop()

    with monkeypatch.context() as patch:
        patch.setattr(TrainingLoop, "record_snapshot", stop)
        with pytest.raises(TrainingStopped):
            training_run.train(config)


def test_a_run_resumes_without_the_checkpoint_it_was_initialized_from(config, backbone, monkeypatch):
    config = replace(config, epochs=1)
    train_until_stopped(config, monkeypatch)
    backbone.unlink()
    assert load(training_run.train(config, resume=True)).record["epochs"] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("number", r"number of images is 72 in .*, got 74\. Set `data` to the original images, or choose"),
        ("classes", r"classes is \('bars', 'dots', 'plain'\) in .*, got \('bars', 'dots', 'new', 'plain'\)\."),
        ("mean", r"mean is \(0\.\d+, .*\) in .*, got \(0\.\d+, .*\)\."),
    ],
)
def test_a_run_cannot_be_resumed_with_other_images(config, shapes, monkeypatch, change, message):
    config = replace(config, epochs=1)
    train_until_stopped(config, monkeypatch)
    saved = (config.folder / "last.safetensors").read_bytes()
    first = shapes / "bars" / "0.png"
    place = {"number": shapes / "bars", "classes": shapes / "new", "mean": shapes / "bars"}[change]
    place.mkdir(exist_ok=True)
    with Image.open(first) as image:
        for number in range(30) if change == "mean" else (100, 101, 102):
            image.point(lambda level: 255 - level).save(place / f"{number}.png")
    with pytest.raises(ValueError, match="The images of a run cannot change when it is resumed: " + message):
        training_run.train(config, resume=True)
    assert (config.folder / "last.safetensors").read_bytes() == saved


@pytest.mark.slow
def test_a_frozen_run_resumes_exactly(config, monkeypatch):
    config = replace(config, freeze_backbone=True, epochs=2)
    whole = load(training_run.train(replace(config, output_dir=f"{config.output_dir}-whole"))).network.state_dict()
    train_until_stopped(config, monkeypatch)
    found = load(training_run.train(config, resume=True)).network.state_dict()
    assert all(torch.equal(found[name], whole[name]) for name in whole)


def test_position_embeddings_are_interpolated_for_another_image_size(config, backbone):
    model = replace(config.model, img_size=(32, 24))
    data = load_training_data(replace(config, model=model), torch.device("cpu"))
    given = replace(config, model=replace(model, num_classes=3))
    run = create_run(given, data)
    before = load(backbone).network.pos_embed
    expected = resample_abs_pos_embed(before, [8, 6], [tiny.GH, tiny.GW], num_prefix_tokens=1)
    torch.testing.assert_close(run.model.pos_embed, expected)
    assert torch.equal(run.model.pos_embed[:, 0], before[:, 0]), "the class token is not on the grid"
    assert load(training_run.train(replace(config, model=model, epochs=1))).network.config.img_size == (32, 24)


def test_interpolation_keeps_slopes_and_axes():
    rows, columns = torch.meshgrid(torch.arange(4.0), torch.arange(6.0), indexing="ij")
    plane = torch.stack([rows, columns], -1).flatten(0, 1)  # (N, 2)
    positions = torch.cat([torch.full((2, 2), 9.0), plane])[None]
    larger = interpolate_pos_embed(positions, 2, (4, 6), (8, 18))
    assert torch.equal(larger[0, :2], positions[0, :2])
    grid = larger[0, 2:].view(8, 18, 2)
    torch.testing.assert_close(grid[2:6, 3, 0], torch.tensor([0.75, 1.25, 1.75, 2.25]), rtol=0, atol=0.08)
    assert (grid[:, 1:, 1] - grid[:, :-1, 1])[:, 4:13].mean().item() == pytest.approx(1 / 3, abs=0.01)
    assert interpolate_pos_embed(positions, 2, (4, 6), (4, 6)) is positions


def test_the_model_of_init_from_is_used_except_for_its_classes(config):
    found = use_init_model(replace(config, model=TrainConfig().model))
    assert found.model == replace(tiny.CONFIG, num_classes=10)
    assert use_init_model(TrainConfig()) == TrainConfig()


@pytest.mark.parametrize("name", ["depth", "patch_size"])
def test_another_network_than_that_of_init_from_is_refused(config, name):
    data = load_training_data(config, torch.device("cpu"))
    with refuses(f"model.{name}"):
        create_run(replace(config, model=replace(config.model, **{name: 2})), data)


@pytest.fixture
def data(config) -> TrainingData:
    return load_training_data(config, torch.device("cpu"))


@pytest.fixture
def source(data) -> Checkpoint:
    """A checkpoint with the classes and statistics of the dataset."""
    known, info = tiny.checkpoint(replace(tiny.CONFIG, num_classes=3)), data.info
    return replace(known, labels=info.classes, mean=info.mean, std=info.std)


@pytest.mark.parametrize(("val_size", "allowed"), [(9, False), (None, False), (10, True)])
def test_initial_weights_trained_on_validation_images_are_refused(config, backbone, data, source, val_size, allowed):
    checkpoint.save(replace(source, record={"train_config": {"val_size": val_size}}), backbone)
    config = replace(config, val_size=10, model=replace(config.model, num_classes=3))
    with nullcontext() if allowed else refuses("init_from"):
        create_run(config, data)


def test_initial_weights_of_other_classes_or_without_a_validation_split_are_allowed(data, source):
    other = replace(source, labels=("a", "b", "c"))
    check_val_overlap("init_from", other, data.info, 10)
    check_val_overlap("init_from", source, data.info, 0)


def test_initial_weights_of_the_same_classes_at_another_size_cause_a_warning(data, source):
    other = replace(source, mean=(0.1, 0.2, 0.3))
    with pytest.warns(UserWarning, match=r"init_from must not be .* tiny was trained on the same classes, possibly on"):
        check_val_overlap("init_from", other, data.info, 10)


def test_initial_weights_that_were_fine_tuned_themselves_cause_a_warning(data, source):
    source = replace(source, record={"train_config": {"val_size": 10, "init_from": "first"}})
    with pytest.warns(UserWarning, match=r"init_from must not be .* tiny was initialized from first, possibly trained"):
        check_val_overlap("init_from", source, data.info, 10)


def test_a_test_set_with_other_classes_is_refused(source, shapes, tmp_path):
    result = replace(source, record={"train_config": {"dataset": "folder"}, "test_accuracy": 0.5})
    assert load_test_set(result, None, str(shapes))[2] == 0.5
    with pytest.raises(ValueError, match=r"has bars, dots, plain, and CIFAR-10 has airplane, .* Choose another"):
        load_test_set(result, "cifar10", None)
    fewer = tmp_path / "fewer"
    fewer.mkdir()
    for name in ("plain", "dots"):
        (shapes / name).rename(fewer / name)
    _, labels, recorded = load_test_set(result, None, str(fewer))
    assert set(labels.tolist()) == {1, 2}, "positions in the labels of the model"
    assert recorded is None
    (fewer / "plain").rename(fewer / "stripes")
    with pytest.raises(ValueError, match="this dataset has dots, stripes"):
        load_test_set(result, None, str(fewer))


def test_a_validation_split_of_all_images_is_refused(config):
    with refuses("val_size"):
        training_run.train(replace(config, val_size=71))


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["classify", "mae"])
def test_an_image_folder_can_be_trained_on_from_random_weights(config, objective):
    record = load(
        training_run.train(replace(config, init_from=None, epochs=1, objective=objective, val_size=10))
    ).record
    assert record["train_samples"] == 62
