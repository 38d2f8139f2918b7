"""Linear probe: scikit-learn as oracle, heads of all families, groups that are held out together."""

from dataclasses import replace

import numpy as np
import PIL.Image
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.preprocessing import StandardScaler

import vitviz
from tests import tiny
from tests.data.folders import write_image_folder, write_zip
from tests.errors import refuses
from vitviz.models import checkpoint
from vitviz.models.accuracy import wilson_interval
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.models.publish import model_card
from vitviz.training import linear_probe
from vitviz.training.evaluation import predict
from vitviz.training.linear_probe import (
    CrossValidation,
    LinearHead,
    compute_features,
    cross_validate,
    fit,
    group_copies,
    with_head,
)

HEADS = {  # what the head reads
    "class token": tiny.CONFIG,
    "no head": replace(tiny.CONFIG, num_classes=0),
    "mean": replace(tiny.CONFIG, global_pool="avg", fc_norm=True, class_token=False),
    "class token and mean": replace(tiny.CONFIG, global_pool="token_avg", reg_tokens=2),
    "attention pooling": replace(tiny.CONFIG, global_pool="map", class_token=False),
    "projection": replace(tiny.CONFIG, head_proj_dim=13),
    "zero shot": replace(tiny.CONFIG, head_proj_dim=13, normalize_head=True, multi_label=True),
    "distilled": replace(tiny.CONFIG, distilled=True),
    **{
        name: ViTConfig((16, 16), 4, 12, 2, 2, num_classes=5, qk_norm=False, architecture=name)
        for name in ("tutorial-notebook", "tutorial-lightning", "tutorial-scratch", "tutorial-scratch-fixed")
    },
}


def draw(classes: int, count: int = 120, width: int = 30, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw features (n, F) of very different scales, one of them constant, and unbalanced labels (n,)."""
    numbers = np.random.default_rng(seed)
    labels = np.minimum(numbers.geometric(0.4, count) - 1, classes - 1)
    labels[:classes] = range(classes)
    centers, scales = numbers.normal(size=(classes, width)), 10.0 ** numbers.uniform(-3, 2, width)
    features = scales * (numbers.normal(size=(count, width)) + 0.7 * centers[labels] + 3)
    features[:, 4] = 0.1
    return torch.from_numpy(features.astype(np.float32)), torch.from_numpy(labels)


def reference(features: torch.Tensor, labels: torch.Tensor, c: float) -> LogisticRegression:
    return LogisticRegression(C=c, class_weight="balanced", tol=1e-10, max_iter=100_000).fit(
        StandardScaler().fit_transform(features.double()), labels
    )


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("c", [0.01, 1.0, 30.0])
def test_the_fit_equals_that_of_scikit_learn_and_its_gradient_is_zero(classes, c):
    features, labels = draw(classes)
    head = fit(features, labels, c)
    scaler = StandardScaler().fit(features.double())
    expected = reference(features, labels, c).decision_function(scaler.transform(features.double()))
    logits = head.logits(features)
    found = logits[:, 1] - logits[:, 0] if classes == 2 else logits
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-3)

    z, weight = scaler.transform(features.double()), head.weight.numpy() * scaler.scale_
    error = logits.softmax(1).numpy() - np.eye(classes)[labels]
    balanced = len(labels) / (classes * np.bincount(labels))[labels]
    gradient = (c / 2 if classes == 2 else c) * (balanced[:, None] * error).T @ z + weight
    assert np.abs(gradient).max() < 1e-5


def test_the_fit_does_not_depend_on_its_start():
    (features, labels), (_, other) = draw(4), draw(4, seed=1)
    head, start = fit(features, labels), fit(features, other, 1.0)
    for near in (start, fit(*draw(3))):  # the second has other classes
        found = fit(features, labels, start=near)
        torch.testing.assert_close(found.logits(features), head.logits(features), rtol=0, atol=1e-3)


@pytest.mark.parametrize("name", HEADS)
def test_logits_are_features_times_head_in_every_family(name, tmp_path):
    config = HEADS[name]
    model = tiny.checkpoint(config) if config.architecture == "vit" else tutorial(config)
    images = torch.from_numpy(np.random.default_rng(3).integers(0, 256, (9, 3, *config.img_size), np.uint8))
    features = compute_features(model, images)
    head = fit(features, torch.arange(9) % 3, 1.0)
    taught = with_head(model, head, ("a", "b", "c"), "taught")
    checkpoint.save(taught, tmp_path / "taught.safetensors")
    for own in (taught, checkpoint.load(tmp_path / "taught.safetensors")):
        error = (predict(own, images) - head.logits(features)).abs()
        terms = features.double().abs() @ head.weight.abs().T + head.bias.abs()  # float32 rounds each of them
        assert (error / terms.clamp_min(1)).max() < 1e-6
        assert own.labels == ("a", "b", "c")
        assert own.is_classifier
    assert features.shape == (9, head.weight.shape[1])
    assert features.dtype == torch.float32

    before, after = model.network.state_dict(), taught.network.state_dict()
    backbone = {name for name in before if before[name].data_ptr() == after[name].data_ptr()}
    assert all(name.startswith("head") for name in after.keys() - backbone)
    last = [name for name in before.keys() - backbone if name.endswith("weight")]
    if last and name != "distilled":  # the model's own head reads the same features
        own = LinearHead(before[last[0]].double(), before[last[0].replace("weight", "bias")].double())
        torch.testing.assert_close(predict(model, images).double(), own.logits(features), rtol=0, atol=2e-6)


def tutorial(config: ViTConfig) -> checkpoint.Checkpoint:
    torch.manual_seed(0)
    network = create_model(config).eval()
    return replace(tiny.checkpoint(), network=network, labels=tuple("abcde"))


def test_features_of_a_distilled_model_are_the_mean_of_both_tokens():
    model = tiny.checkpoint(HEADS["distilled"])
    network, images = model.network, torch.zeros(2, 3, *tiny.CONFIG.img_size, dtype=torch.uint8)
    same = {"head_dist.weight": network.head.weight, "head_dist.bias": network.head.bias}
    network.load_state_dict(network.state_dict() | same)
    logits = compute_features(model, images) @ network.head.weight.T + network.head.bias
    torch.testing.assert_close(predict(model, images), logits.detach())


def test_images_of_a_source_and_near_copies_are_one_group():
    numbers = np.random.default_rng(0)
    features = torch.from_numpy(numbers.normal(size=(2300, 64)).astype(np.float32)) + 5  # in a narrow cone
    sources = [f"file {i}" for i in range(2300)]
    assert len(group_copies(features, sources).unique()) == 2300
    sources[7] = sources[2000]
    features[1200] = features[2000] + 0.02 * features[3]  # a copy of that, in another block
    features[2299] = features[1200] + 0.02 * features[4]
    groups = group_copies(features, sources)
    assert (groups == groups[7]).nonzero().flatten().tolist() == [7, 1200, 2000, 2299]
    assert len(groups.unique()) == 2297
    assert groups.max() == 2296


def test_held_out_predictions_are_those_of_a_fit_without_the_group():
    features, labels = draw(3, 40)
    groups = torch.arange(40) % 8
    found = cross_validate(features, labels, groups, 0.1)
    for train, test in LeaveOneGroupOut().split(features, labels, groups):
        scaler = StandardScaler().fit(features[train].double())
        expected = reference(features[train], labels[train], 0.1).predict_proba(scaler.transform(features[test]))
        np.testing.assert_allclose(found.probabilities[test], expected, atol=1e-4)
    assert found.correct == int((found.probabilities.argmax(1) == labels).sum())
    assert found.total == 40
    assert found.untestable == ()


def test_a_class_with_one_source_stays_in_every_fold():
    features, labels = draw(3, 30)
    groups = torch.arange(30)
    groups[labels == 2] = 1
    groups[labels.tolist().index(0)] = 1
    found = cross_validate(features, labels, groups)
    kept = found.probabilities.isnan().all(1)
    assert found.untestable == (2,)
    assert kept.equal(groups == 1)
    assert found.total == int((~kept).sum())
    alone = cross_validate(features, labels, labels)
    assert (alone.untestable, alone.total, alone.interval) == ((0, 1, 2), 0, (0.0, 1.0))


@pytest.mark.parametrize("seed", range(8))
def test_folds_are_of_whole_groups_and_leave_every_class(seed):
    numbers = np.random.default_rng(seed)
    labels = torch.from_numpy(numbers.permutation(np.repeat(np.arange(12), numbers.integers(2, 30, 12))))
    groups = torch.from_numpy(numbers.integers(0, len(labels), len(labels))).unique(return_inverse=True)[1]
    untestable = [k for k in range(12) if len(groups[labels == k].unique()) == 1]
    folds = linear_probe.assign_folds(labels, groups, untestable)
    assert all(len(folds[groups == group].unique()) == 1 for group in groups.unique())
    assert folds.unique().tolist() == [-1] * bool(untestable) + list(range(10))
    for fold in range(10):
        assert set(labels[folds != fold].tolist()) == set(range(12))
    sizes = folds[folds >= 0].bincount()
    assert sizes.max() < 2 * sizes.min(), "folds must have similar sizes"


def test_planted_wrong_labels_come_first_of_the_likely_mislabeled_images():
    numbers = np.random.default_rng(0)
    truth = torch.arange(300) % 3
    features = 6 * torch.eye(3, 20)[truth] + torch.from_numpy(numbers.normal(size=(300, 20)))
    labels = truth.clone()
    labels[[4, 33, 71]] = torch.tensor([0, 2, 1])
    validation = cross_validate(features, labels, torch.arange(300), 10.0)
    found = linear_probe.find_mislabeled(validation, labels)
    assert {tuple(pair) for pair in found[:3].tolist()} == {(i, int(truth[i])) for i in (4, 33, 71)}
    assert len(found) < 6


def test_images_that_could_not_be_held_out_are_not_called_mislabeled():
    probabilities = torch.tensor(
        [[0.9, 0.1, 0], [0.2, 0.8, 0], [0.1, 0.9, 0], [torch.nan] * 3, [0.8, 0.1, 0.1]]
    ).double()
    labels = torch.tensor([0, 0, 1, 2, 1])
    found = linear_probe.find_mislabeled(CrossValidation(probabilities, labels, (2,), 2, 4, (0, 1)), labels)
    assert found.tolist() == [[4, 0], [1, 1]], "by margin; thresholds are 0.55, 0.5 and none"


def test_the_interval_counts_groups_that_agree_once():
    hits = torch.tensor([1, 1, 0, 1, 1, 0, 1, 1], dtype=torch.bool)
    assert linear_probe.clustered_interval(hits, torch.arange(8)) == pytest.approx(wilson_interval(0.75, 8))
    doubled, pairs = hits.repeat_interleave(4), torch.arange(8).repeat_interleave(4)
    assert linear_probe.clustered_interval(doubled, pairs) == pytest.approx(wilson_interval(0.75, 32 / 31 * 7))
    right = torch.ones(32, dtype=torch.bool)
    assert linear_probe.clustered_interval(right, pairs) == pytest.approx(wilson_interval(1, 8))


def test_cross_validation_is_canceled_before_the_next_fold():
    done = []

    def report(fold: int, count: int) -> None:
        done.append((fold, count))
        if fold == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_validate(*draw(3), torch.arange(120), report=report)
    assert done == [(0, 10), (1, 10), (2, 10)]


def test_the_record_names_backbone_and_images_but_not_the_repository_as_its_own():
    pretrained = {"library": "timm", "family": "ViT", "license": "mit", "repository": "timm/x", "revision": "1a2b"}
    model = replace(tiny.checkpoint(), record={"pretrained": pretrained, "train_config": {"objective": "mae"}})
    features, labels = draw(2, 12, tiny.D)
    found = cross_validate(features, labels, torch.arange(12))
    record = linear_probe.describe_fit(("a", "b"), labels, 0.01, found)
    taught = with_head(model, fit(features, labels), ("a", "b"), "taught", record)
    assert taught.pretrained == {"library": "timm", "family": "ViT", "license": "mit"}
    assert taught.is_classifier
    probe = taught.record["linear_probe"]
    assert probe["backbone"] == {"name": "tiny", "repository": "timm/x", "revision": "1a2b"}
    assert sum(probe["images"].values()) == 12
    assert probe["c"] == 0.01
    assert probe["cross_validation"]["total"] == 12
    assert taught.linear_probe == f"linear probe on timm/x, 12 images, {found.correct} of 12 correct when held out"
    assert f"| head | {taught.linear_probe} |" in model_card(taught, "me/x")
    for other in (
        {},
        {"linear_probe": 3},
        {"linear_probe": {"backbone": []}},
        {"linear_probe": probe | {"images": {"a": "b"}}},
    ):
        assert replace(taught, record=other).linear_probe == ""


@pytest.mark.parametrize(
    "classes", [("a",), ("a", ""), ("a", " "), ("a", "a"), ("a", 3), ("a", "b\n"), ("a", "b" * 101), ("a", "b", "c")]
)
def test_names_of_classes_are_checked(classes):
    head = LinearHead(torch.zeros(2, tiny.D).double(), torch.zeros(2).double())
    with refuses("classes"):
        with_head(tiny.checkpoint(), head, classes, "taught")


def test_infinite_features_are_refused():
    model = tiny.checkpoint()
    model.network.norm.weight.data[0] = torch.inf
    with refuses("features"):
        compute_features(model, torch.zeros(1, 3, *tiny.CONFIG.img_size, dtype=torch.uint8))


def shades(channel: int, count: int) -> list[np.ndarray]:
    """Create images of one color in different brightness, each with noise of its own."""
    images = np.random.default_rng(channel).integers(0, 80, (count, tiny.H, tiny.W, 3)).astype(np.uint8)
    images[..., channel] += np.arange(count, dtype=np.uint8)[:, None, None] + 150
    return list(images)


def test_own_classes_are_taught_from_images_of_any_kind(tmp_path):
    (first, *red), (*green, last), done = shades(0, 5), shades(1, 4), []
    PIL.Image.fromarray(first).save(tmp_path / "first.png")
    classes = {"red": [tmp_path / "first.png", *red], "green": np.stack([*green, last])}
    report = lambda *counts: done.append(counts)  # noqa: E731
    taught = vitviz.linear_probe(tiny.checkpoint(), classes, c=1.0, name="colors", report=report)
    assert (taught.name, taught.labels, done[-1]) == ("colors", ("red", "green"), (9, 9))
    assert [vitviz.explain(taught, image).prediction for image in (first, red[2], last)] == ["red", "red", "green"]
    assert taught.record["linear_probe"]["images"] == {"red": 5, "green": 4}
    assert vitviz.linear_probe(taught, {"a": first, "b": [last]}).labels == ("a", "b")


def test_an_image_folder_is_used_as_a_whole_unless_it_has_test_images(tmp_path):
    whole = write_image_folder(tmp_path / "whole", {"ant": 4, "bee": 3})
    split = write_image_folder(tmp_path / "split", {"train/ant": 2, "train/bee": 3, "test/bee": 2, "test/ant": 4})
    model = tiny.checkpoint()
    for folder, counts in ((whole, (4, 3)), (str(write_zip(whole, tmp_path / "a.zip")), (4, 3)), (split, (2, 3))):
        images = vitviz.linear_probe(model, folder).record["linear_probe"]["images"]
        assert images == dict(zip(("ant", "bee"), counts, strict=True))


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("classes", {"images": {"a": [tiny.pixels()]}}),
        ("classes", {"images": {"a": [tiny.pixels()], "": [tiny.pixels(seed=1)]}}),
        ("classes", {"images": {str(k): [] for k in range(1001)}}),
        ("images", {"images": {"a": [tiny.pixels()], "b": []}}),
        ("images", {"images": {"a": [tiny.pixels()], "b": [tiny.pixels(seed=1), tiny.pixels()]}}),
        ("images", {"images": [tiny.pixels()]}),
        ("c", {"c": 0}),
        ("c", {"c": float("nan")}),
        ("c", {"c": "1"}),
    ],
)
def test_what_cannot_be_taught_is_refused_by_its_field(field, change):
    given = {"images": {"a": [tiny.pixels()], "b": [tiny.pixels(seed=1)]}} | change
    with refuses(field):
        vitviz.linear_probe(tiny.checkpoint(), **given)


@pytest.mark.parametrize("counts", [{}, {"ant": 3}, {"train/ant": 3, "test/ant": 1}])
def test_a_folder_without_two_classes_is_refused(tmp_path, counts):
    with pytest.raises(vitviz.DataError):
        vitviz.linear_probe(tiny.checkpoint(), write_image_folder(tmp_path, counts))


def test_a_probe_is_evaluated_on_folders_and_warns_of_its_training_images(tmp_path):
    whole = write_image_folder(tmp_path / "whole", {"ant": 4, "bee": 3})
    split = write_image_folder(tmp_path / "split", {"train/ant": 2, "train/bee": 3, "test/bee": 2, "test/ant": 4})
    with pytest.warns(UserWarning, match="must not be training images"):
        assert vitviz.evaluate(vitviz.linear_probe(tiny.checkpoint(), whole), whole) == 1
    found = vitviz.evaluate(vitviz.linear_probe(tiny.checkpoint(), split), split)
    assert found.confusion_matrix.sum(1).tolist() == [4, 2]
