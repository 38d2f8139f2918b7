"""Fine-tuning: a new head on a body that has learned, for other images, of other classes and another size."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from timm.layers import resample_abs_pos_embed

from tests import tiny
from vitviz import explain
from vitviz.data import datasets
from vitviz.models import checkpoint
from vitviz.models.checkpoint import load
from vitviz.runs import timeline, training_run
from vitviz.training.config import TrainConfig, TrainingError
from vitviz.training.data import check_val_overlap, load_training_data
from vitviz.training.evaluation import measure_accuracy, load_test_set
from vitviz.training.finetuning import interpolate_pos_embed, use_init_model

CLASSES = ("bars", "dots", "plain")
pytestmark = pytest.mark.usefixtures("no_clock")


@pytest.fixture
def shapes(tmp_path) -> Path:
    """A folder of thirty images of each of three patterns, in noise."""
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
def body(tmp_path) -> Path:
    """A checkpoint of eleven classes, for images of 20 x 28 pixels."""
    path = tmp_path / "body.safetensors"
    checkpoint.save(tiny.checkpoint(), path)
    return path


@pytest.fixture
def config(shapes, body, tmp_path) -> TrainConfig:
    return TrainConfig(
        preset="fine",
        model=replace(tiny.CONFIG, drop_path_rate=0.1),
        dataset="folder",
        init_from=str(body),
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
def test_fine_tuning_beats_chance_and_its_result_knows_its_classes(config, shapes):
    path = training_run.train(config)
    result = load(path)
    assert result.labels == CLASSES
    assert result.network.config.num_classes == 3
    assert result.record["dataset"] == "image folder"
    assert result.record["test_accuracy"] > 0.8, "chance is a third"
    images, labels, recorded = load_test_set(result, None, str(shapes))
    assert measure_accuracy(result, images, labels) == recorded == result.record["test_accuracy"]
    assert (result.mean, result.std) == datasets.compute_mean_std(
        load_training_data(config, torch.device("cpu")).training[0]
    )
    explanation = explain(result, str(shapes / "bars" / "3.png"))
    assert explanation.labels == list(CLASSES)
    assert explanation.probabilities.shape == (3,)
    assert explanation.map("relevance", target="dots").shape == (tiny.GH, tiny.GW)
    found = timeline.read(timeline.find(path))
    assert (found.names, found.classes) == (list(CLASSES), list(CLASSES))
    assert found.images.shape == (3, tiny.H, tiny.W, 3)
    assert found.probabilities.shape == (3, 3, 3)


@pytest.mark.parametrize("optimizer", ["muon", pytest.param("adam", marks=pytest.mark.slow)])
def test_a_frozen_body_keeps_every_bit_and_the_head_learns(config, body, optimizer):
    path = training_run.train(replace(config, freeze_backbone=True, optimizer=optimizer, weight_decay=0.1))
    before, after = load(body).network.state_dict(), load(path).network.state_dict()
    assert all(torch.equal(after[name], before[name]) for name in before if not name.startswith("head."))
    assert after["head.weight"].abs().max() > 0.01
    assert load(path).record["test_accuracy"] > 0.5


def test_a_body_that_is_not_frozen_moves(config, body):
    after = load(training_run.train(replace(config, epochs=1))).model.state_dict()
    before = load(body).network.state_dict()
    assert all(not torch.equal(after[name], before[name]) for name in before if "weight" in name)


def test_a_frozen_body_needs_no_gradients(config):
    data = load_training_data(config, torch.device("cpu"))
    run = training_run.TrainingRun(
        replace(config, freeze_backbone=True),
        training_run.Distributed(),
        data.train,
        data.eval,
        data.info,
    )
    run.trainer.compute_loss(*run.shard(torch.arange(12)), share=0.0).backward()
    assert {name for name, parameter in run.trainer.model.named_parameters() if parameter.grad is not None} == {
        "head.weight",
        "head.bias",
    }
    assert sum(len(group["params"]) for chosen in run.trainer.optimizers for group in chosen.param_groups) == 2
    assert not run.trainer.model.training, "a frozen body drops nothing out"


def stopped(config, monkeypatch) -> None:
    """Train, with a stop in the middle."""
    real = training_run.TrainingRun.record_snapshot

    def stopping(run):
        real(run)
        if run.trainer.step_count > 0:
            run.pause()

    with monkeypatch.context() as patch:
        patch.setattr(training_run.TrainingRun, "record_snapshot", stopping)
        with pytest.raises(TrainingError, match="Stopped at epoch"):
            training_run.train(config)


def test_a_training_goes_on_though_the_checkpoint_it_began_with_is_gone(config, body, monkeypatch):
    config = replace(config, epochs=1)
    stopped(config, monkeypatch)
    body.unlink()
    assert load(training_run.train(config, resume=True)).record["epochs"] == 1.0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("number", r"got number 74, and .* has 72\. Name those with --data, or another run"),
        ("classes", r"got classes \('bars', 'dots', 'new', 'plain'\), and .* has \('bars', 'dots', 'plain'\)\."),
        ("mean", r"got mean \(0\.\d+, .*\), and .* has \(0\.\d+, .*\)\."),
    ],
)
def test_a_run_does_not_go_on_with_other_images(config, shapes, monkeypatch, change, sentence):
    config = replace(config, epochs=1)
    stopped(config, monkeypatch)
    saved = (config.folder / "last.safetensors").read_bytes()
    first = shapes / "bars" / "0.png"
    place = {"number": shapes / "bars", "classes": shapes / "new", "mean": shapes / "bars"}[change]
    place.mkdir(exist_ok=True)
    with Image.open(first) as image:
        for number in range(30) if change == "mean" else (100, 101, 102):
            image.point(lambda level: 255 - level).save(place / f"{number}.png")
    with pytest.raises(ValueError, match="The images must be those that the run began with: " + sentence):
        training_run.train(config, resume=True)
    assert (config.folder / "last.safetensors").read_bytes() == saved


@pytest.mark.slow
def test_a_frozen_training_that_was_stopped_ends_with_the_same_weights(config, monkeypatch):
    config = replace(config, freeze_backbone=True, epochs=2)
    whole = load(training_run.train(replace(config, output_dir=f"{config.output_dir}-whole"))).model.state_dict()
    stopped(config, monkeypatch)
    found = load(training_run.train(config, resume=True)).model.state_dict()
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.slow
def test_another_size_gets_the_positions_interpolated(config, body):
    model = replace(config.model, img_size=(32, 24))
    data = load_training_data(replace(config, model=model), torch.device("cpu"))
    given = replace(config, model=replace(model, num_classes=3))
    run = training_run.TrainingRun(given, training_run.Distributed(), data.train, data.eval, data.info)
    before = load(body).network.pos_embed
    expected = resample_abs_pos_embed(before, [8, 6], [tiny.GH, tiny.GW], num_prefix_tokens=1)
    torch.testing.assert_close(run.trainer.model.pos_embed, expected)
    assert torch.equal(run.trainer.model.pos_embed[:, 0], before[:, 0]), "the class token has no place"
    assert load(training_run.train(replace(config, model=model, epochs=1))).model.config.img_size == (32, 24)


def test_interpolated_positions_keep_a_slope_and_their_axes():
    rows, columns = torch.meshgrid(torch.arange(4.0), torch.arange(6.0), indexing="ij")
    plane = torch.stack([rows, columns], -1).flatten(0, 1)  # (N, 2)
    positions = torch.cat([torch.full((2, 2), 9.0), plane])[None]
    larger = interpolate_pos_embed(positions, 2, (4, 6), (8, 18))
    assert torch.equal(larger[0, :2], positions[0, :2])
    grid = larger[0, 2:].view(8, 18, 2)
    torch.testing.assert_close(grid[2:6, 3, 0], torch.tensor([0.75, 1.25, 1.75, 2.25]), rtol=0, atol=0.08)
    assert (grid[:, 1:, 1] - grid[:, :-1, 1])[:, 4:13].mean().item() == pytest.approx(1 / 3, abs=0.01)
    assert interpolate_pos_embed(positions, 2, (4, 6), (4, 6)) is positions


def test_the_network_of_the_start_is_taken_over_but_for_its_head(config):
    found = use_init_model(replace(config, model=TrainConfig().model))
    assert found.network == replace(tiny.CONFIG, num_classes=10)
    assert use_init_model(TrainConfig()) == TrainConfig()


@pytest.mark.parametrize("changes", [{"start": None}, {"objective": "masked-patch"}])
def test_frozen_asks_for_a_body_and_labels(config, changes):
    with pytest.raises(ValueError, match="frozen needs a body that has learned, and labels"):
        replace(config, freeze_backbone=True, **changes)
    with pytest.raises(ValueError, match="frozen must be true or false: got 'yes'"):
        replace(config, freeze_backbone="yes")
    with pytest.raises(ValueError, match="dataset must be one of cifar10, cifar100, folder: got 'mnist'"):
        replace(config, dataset="mnist")


@pytest.fixture
def supply(config):
    """What a training with some images held out is given, and a checkpoint of the same data set."""
    given = load_training_data(config, torch.device("cpu"))
    source, about = tiny.checkpoint(replace(tiny.CONFIG, num_classes=3)), given.about
    return given, replace(source, num_classes=about.classes, mean=about.mean, std=about.std)


@pytest.mark.parametrize(("val_size", "good"), [(9, False), (None, False), (10, True)])
def test_a_start_that_saw_what_is_held_out_is_refused(config, body, supply, val_size, good):
    given, known = supply
    checkpoint.save(replace(known, record={"train_config": {"val_size": val_size}}), body)
    config = replace(config, val_size=10, model=replace(config.model, num_classes=3))
    sentence = rf"A start must not have seen what is held out: 10 images here, {val_size} when body was trained\. Train"
    with nullcontext() if good else pytest.raises(ValueError, match=sentence):
        training_run.TrainingRun(config, training_run.Distributed(), given.training, given.measured, given.about)


def test_a_start_of_other_images_may_have_seen_them_all(config, body, supply):
    given, known = supply
    check_val_overlap(replace(config, val_size=10), given.about, replace(known, labels=("a", "b", "c")), "start")
    check_val_overlap(config, given.about, known, "start")


def test_of_a_start_of_the_same_classes_in_another_size_it_cannot_be_told(config, supply):
    given, known = supply
    with pytest.warns(UserWarning, match=r"A start must not have seen .* learned the same classes, from these images"):
        check_val_overlap(replace(config, val_size=10), given.about, replace(known, mean=(0.1, 0.2, 0.3)), "start")


def test_what_a_start_itself_began_with_may_have_seen_what_is_held_out(config, supply):
    given, known = supply
    known = replace(known, record={"train_config": {"val_size": 10, "init_from": "all-of-it"}})
    with pytest.warns(UserWarning, match="A start must not have seen .* tiny began with all-of-it, which may have"):
        check_val_overlap(replace(config, val_size=10), given.about, known, "start")


@pytest.mark.slow
def test_other_classes_cannot_be_tested_on(config, shapes, tmp_path):
    result = load(training_run.train(replace(config, epochs=1)))
    with pytest.raises(ValueError, match=r"knows bars, dots, plain, and CIFAR-10 has airplane, .* Choose another"):
        load_test_set(result, "cifar10", None)
    fewer = tmp_path / "fewer"
    fewer.mkdir()
    for name in ("plain", "dots"):
        (shapes / name).rename(fewer / name)
    _, labels, recorded = load_test_set(result, None, str(fewer))
    assert set(labels.tolist()) == {1, 2}, "as the model counts them"
    assert recorded is None
    (fewer / "plain").rename(fewer / "stripes")
    with pytest.raises(ValueError, match="this folder has dots, stripes"):
        load_test_set(result, None, str(fewer))


def test_more_cannot_be_held_out_than_there_is(config):
    with pytest.raises(ValueError, match=r"val_size must leave images to train on: of 72 it takes 71\."):
        training_run.train(replace(config, val_size=71))


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["classify", "masked-patch"])
def test_a_folder_can_be_trained_on_from_nothing(config, objective):
    record = load(
        training_run.train(replace(config, init_from=None, epochs=1, objective=objective, val_size=10))
    ).record
    assert record["images"] == 62
