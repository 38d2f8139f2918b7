"""Deletion and insertion: end points, a linear model whose best ranking is known, and an independent loop."""

import re
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.ndimage import gaussian_filter

from benchmarks import metrics
from tests import tiny
from tests.errors import refuses
from vitviz.attribution import faithfulness
from vitviz.attribution.ablation import ablate
from vitviz.attribution.context import ForwardContext, softmax
from vitviz.attribution.methods import METHODS
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.vit import Transformer

N, GH, GW, K = tiny.N, tiny.GH, tiny.GW, tiny.K


class Linear(Transformer):
    """Two logits: 0, and the sum over the kept patches of their mean times a weight."""

    def __init__(self, weights: torch.Tensor) -> None:
        super().__init__()
        self.config, self.weights = tiny.CONFIG, weights

    def forward(self, images, keep=None, interventions=None):
        means = images.mean(1).unflatten(1, (GH, 4)).unflatten(3, (GW, 4)).mean((2, 4)).flatten(1)  # (B, N)
        parts = means * self.weights
        if keep is not None:
            parts = parts.gather(1, keep)
        return torch.stack([torch.zeros(len(images)), parts.sum(1)], 1)


@pytest.fixture
def linear() -> tuple[ForwardContext, np.ndarray]:
    """A context of the linear model, and the true contribution of each patch."""
    generator = torch.Generator().manual_seed(0)
    weights, image = torch.randn(N, generator=generator), tiny.images(batch=1)[0]
    checkpoint = Checkpoint("linear", Linear(weights), ("no", "yes"), (0.5,) * 3, (0.25,) * 3, {})
    subject = ForwardContext(checkpoint, image)
    means = image.mean(0).unflatten(0, (GH, 4)).unflatten(2, (GW, 4)).mean((1, 3)).flatten()
    return subject, (4 * means * weights).numpy()


def test_deletion_steps_go_from_none_to_all_and_are_symmetric(subtests):
    for steps in (1, 4, 16, 7):
        for patches in (35, 64, 3):
            with subtests.test(steps=steps, patches=patches):
                found = faithfulness.deletion_steps(patches, steps)
                assert len(found) == steps + (0 if patches % 2 == 1 and steps % 2 == 0 else 1)
                assert (found[0], found[-1]) == (0, patches)
                assert (found + found[::-1] == patches).all()
                assert all(a <= b for a, b in pairwise(found))


def test_rankings_start_with_the_largest_value_and_break_ties_at_random():
    shuffled = np.array([4, 0, 3, 1, 2])
    assert faithfulness.ranking_of(np.array([1.0, 3.5, 1.5, 3.0, 2.0]), shuffled).tolist() == [1, 3, 4, 2, 0]
    assert faithfulness.ranking_of(np.array([1.0, 3.0, 1.0, 3.0, 2.0]), shuffled).tolist() == [3, 1, 4, 0, 2]
    assert faithfulness.ranking_of(np.zeros(5), shuffled).tolist() == shuffled.tolist()


def test_the_area_under_a_curve_by_hand():
    assert faithfulness.area_under_curve(np.array([1.0, 0.0])) == 0.5
    assert faithfulness.area_under_curve(np.array([1.0, 1.0, 0.0, 0.0])) == 0.5
    assert faithfulness.area_under_curve(np.array([0.2] * 9)) == pytest.approx(0.2)


@pytest.mark.parametrize("baseline", faithfulness.BASELINES)
def test_every_curve_starts_at_the_image_and_ends_at_the_baseline(baseline):
    subject = tiny.context()
    rankings = np.stack([np.random.default_rng(seed).permutation(N) for seed in range(3)])
    curves = faithfulness.deletion_curves(subject, rankings, 4, baseline)
    probabilities = torch.from_numpy(subject.logits).softmax(0)
    assert curves[:, 0].tolist() == pytest.approx([probabilities[4].item()] * 3, abs=1e-5)
    assert np.ptp(curves[:, -1]) < 1e-6
    assert np.ptp(curves[:, 5]) > 1e-4


@pytest.mark.parametrize(("size", "radius"), [((20, 28), 7), ((8, 64), 7)])
def test_blur_is_that_of_scipy(size, radius):
    image = tiny.images(size, batch=1)[0]
    expected = gaussian_filter(image.numpy(), max(size) / 8, axes=(1, 2), mode="mirror", radius=radius)
    np.testing.assert_allclose(faithfulness.blur(image), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("baseline", ["mean", "blur", "drop"])
def test_curves_equal_a_loop_over_single_images(baseline):
    subject = tiny.context("qk norm")
    ranking = np.random.default_rng(7).permutation(N)
    found = faithfulness.deletion_curves(subject, ranking[None], 2, baseline, steps=5)[0]
    for point, count in zip(found, faithfulness.deletion_steps(N, 5), strict=True):
        image, keep = subject.image.clone(), None
        if baseline == "drop":
            keep = torch.tensor([sorted(set(range(N)) - set(ranking[:count].tolist()))], dtype=torch.long)
        replacement = faithfulness.blur(image) if baseline == "blur" else torch.zeros_like(image)
        for patch in ranking[:count] if baseline != "drop" else ():
            row, column = 4 * (patch // GW), 4 * (patch % GW)
            image[:, row : row + 4, column : column + 4] = replacement[:, row : row + 4, column : column + 4]
        with torch.no_grad():
            expected = subject.model(image[None], keep).softmax(1)[0, 2].item()
        assert point == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("baseline", ["mean", "drop"])
def test_the_true_contributions_of_a_linear_model_are_the_best_ranking(linear, baseline):
    subject, contributions = linear
    report = faithfulness.score(subject, {"true": contributions, "reverse": -contributions}, 1, baseline, steps=N)
    baseline_scores = report.random_baseline
    assert len(baseline_scores) == faithfulness.N_RANDOM
    assert report.scores["true"].deletion < min(found.deletion for found in baseline_scores)
    assert report.scores["true"].insertion > max(found.insertion for found in baseline_scores)
    assert report.scores["true"].gap == pytest.approx(-report.scores["reverse"].gap)
    rankings = np.stack([np.random.default_rng(seed).permutation(N) for seed in range(500)])
    best = faithfulness.deletion_curves(
        subject, faithfulness.ranking_of(contributions, np.arange(N))[None], 1, baseline, N
    )[0]
    assert (best <= faithfulness.deletion_curves(subject, rankings, 1, baseline, N).min(0) + 1e-6).all(), (
        "at each point"
    )


def test_insertion_puts_patches_back(linear):
    subject, contributions = linear
    ranking = faithfulness.ranking_of(contributions, np.arange(N))
    points = []
    for count in faithfulness.deletion_steps(N):
        hidden = torch.ones(1, N, dtype=torch.bool)
        hidden[0, ranking[:count].tolist()] = False
        points.append(softmax(subject.predict(subject.mask_patches(hidden)))[0, 1])
    expected = faithfulness.area_under_curve(np.array(points))
    assert faithfulness.score(subject, {"true": contributions}, 1).scores["true"].insertion == pytest.approx(expected)


def test_the_random_baseline_matches_independent_random_rankings(linear):
    subject, _ = linear
    baseline = faithfulness.score(subject, {}, 1, n_random=200).random_baseline
    assert len(baseline) == 200
    assert sum(found.gap for found in baseline) == pytest.approx(0, abs=1e-9), "each ranking comes with its reverse"
    rankings = np.stack([np.random.default_rng(seed).permutation(N) for seed in range(300)])
    areas = [
        faithfulness.area_under_curve(curve) for curve in faithfulness.deletion_curves(subject, rankings, 1, "mean")
    ]
    std = np.std(areas)
    assert np.mean([found.deletion for found in baseline]) == pytest.approx(np.mean(areas), abs=4 * std / 200**0.5)
    assert np.std([found.deletion for found in baseline]) == pytest.approx(std, rel=0.3)


def test_sensitivity_of_the_true_contributions_is_one_and_of_their_negatives_minus_one(linear):
    subject, contributions = linear
    maps = {"true": contributions, "opposite": -contributions, "nothing": np.zeros(N, np.float32)}
    for count in (1, 7, 20):
        found = metrics.sensitivity(subject, maps, 1, count)
        assert found == pytest.approx({"true": 1, "opposite": -1, "nothing": 0}, abs=1e-4)
    for count in (0, N):
        with refuses("count"):
            metrics.sensitivity(subject, maps, 1, count)


def test_rank_correlation_by_hand():
    assert faithfulness.ranks_of(np.array([10.0, 30.0, 10.0, 20.0])).tolist() == [0.5, 3, 0.5, 2]
    assert faithfulness.rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 100.0, 101.0])) == pytest.approx(1)
    assert faithfulness.rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])) == pytest.approx(-1)
    assert faithfulness.rank_correlation(np.zeros(3), np.array([3.0, 2.0, 1.0])) == 0


def test_randomized_weights_change_the_maps_of_the_model_but_not_random_ones():
    subject = tiny.context()
    before = {name: weight.clone() for name, weight in subject.model.state_dict().items()}
    methods = {name: METHODS[name].compute for name in ("relevance", "random", "average")}
    found = metrics.randomization_test(subject, methods, 3)
    assert list(found["relevance"]) == ["head", *(f"block {layer}" for layer in range(tiny.L, 0, -1))]
    assert abs(found["relevance"]["block 1"]) < 0.9
    assert all(torch.equal(weight, before[name]) for name, weight in subject.model.state_dict().items())
    assert list(found["random"].values()) == pytest.approx([1.0] * (tiny.L + 1))
    assert found["average"]["head"] == pytest.approx(1), "attention does not depend on the classification head"


def test_randomization_keeps_the_ablation():
    subject = ablate(tiny.context(), heads=[(2, 1)], patches=[4, 30])
    seen = []

    def record(context, target):
        seen.append((context.kept_tokens.sum(), context.ablated_heads))
        return METHODS["random"].compute(context, target)

    metrics.randomization_test(subject, {"random": record}, 3)
    assert len(seen) == tiny.L + 2
    assert set(seen) == {(tiny.T - 2, ((2, 1),))}


def test_the_head_of_the_randomization_has_everything_after_the_blocks():
    model = tiny.model(replace(tiny.CONFIG, global_pool="map", head_proj_dim=12))
    modules = {id(weight) for weight in model.stages()[0][1].parameters()}
    after = (model.attn_pool, model.head_proj, model.head)
    assert modules == {id(weight) for module in after for weight in module.parameters()}
    distilled = tiny.model(replace(tiny.CONFIG, distilled=True))
    assert any(weight is distilled.head_dist.weight for weight in distilled.stages()[0][1].parameters())


@pytest.mark.parametrize("variant", ["mean of patches", "no class token"])
def test_mean_pooling_does_not_support_the_drop_baseline(variant):
    subject = tiny.context(variant)
    assert list(faithfulness.baselines_for(subject.config)) == ["mean", "blur", "road"]
    assert list(faithfulness.baselines_for(tiny.context().config)) == ["mean", "blur", "road", "drop"]
    with pytest.raises(ValueError, match=r"needs a head that reads the class token: that of tiny .* Use mean or blur"):
        faithfulness.score(subject, {"x": np.arange(N)}, 0, "drop")
    for baseline in faithfulness.baselines_for(subject.config):
        assert np.isfinite(faithfulness.score(subject, {"x": np.arange(N)}, 0, baseline).scores["x"].gap)


def test_maps_may_have_one_or_two_dimensions():
    subject, values = tiny.context(), np.random.default_rng(3).random(N).astype(np.float32)
    for one, other in (
        (faithfulness.score(subject, {"x": found}, 2), metrics.sensitivity(subject, {"x": found}, 2, 3))
        for found in (values, values.reshape(tiny.GH, GW))
    ):
        assert one.scores["x"].deletion == pytest.approx(
            faithfulness.score(subject, {"x": values}, 2).scores["x"].deletion
        )
        assert other == metrics.sensitivity(subject, {"x": values}, 2, 3)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"maps": {"x": np.zeros(N - 1)}}, f"one finite number for each of {N} patches: x has {N - 1}"),
        ({"maps": {"x": np.full(N, np.nan)}}, f"one finite number for each of {N} patches: x has 0"),
        ({"n_random": 3}, "n_random even and at least 2: got 16 and 3"),
        ({"steps": 2.5}, "steps must be an integer of at least 1"),
        ({"steps": 0}, "steps must be an integer of at least 1, n_random even and at least 2: got 0 and 20"),
    ],
)
def test_invalid_arguments_of_scores_are_refused(wrong, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        faithfulness.score(tiny.context(), **({"maps": {"x": np.zeros(N)}, "target": 0} | wrong))


@pytest.mark.parametrize("target", [-1, 99, (2, 99), "cat"])
def test_unknown_classes_are_refused(target):
    with refuses("target"):
        faithfulness.score(tiny.context(), {"x": np.zeros(N)}, target)
    with refuses("target"):
        metrics.sensitivity(tiny.context(), {"x": np.zeros(N)}, target, 3)


def test_random_numbers_are_seeded_by_the_image(monkeypatch):
    seeds = []
    numbers, noise = np.random.default_rng, torch.Generator()
    seeded = SimpleNamespace(manual_seed=lambda seed: seeds.append(seed) or noise)
    monkeypatch.setattr(np.random, "default_rng", lambda seed: seeds.append(seed) or numbers(seed))
    monkeypatch.setattr(torch, "Generator", lambda: seeded)
    one, again, other = (ForwardContext(tiny.checkpoint(), tiny.images(batch=1, seed=seed)[0]) for seed in (0, 0, 1))
    assert one.seed == again.seed != other.seed
    seeds.clear()
    for subject in (one, other):
        faithfulness.score(subject, {"x": np.zeros(N)}, 0)
        metrics.sensitivity(subject, {"x": np.zeros(N)}, 0, 3)
        metrics.randomization_test(subject, {}, 0)
    assert seeds == [one.seed] * 3 + [other.seed] * 3


def test_an_unknown_baseline_is_refused():
    with refuses("baseline"):
        faithfulness.deletion_curves(tiny.context(), np.arange(N)[None], 0, "black")
