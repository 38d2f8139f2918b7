"""Metrics of maps: hand values, a linear model with a known answer, and imputation against another solver."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import vitviz
from benchmarks import metrics
from tests import tiny
from tests.attribution.test_faithfulness import linear  # noqa: F401  # a fixture
from vitviz.attribution import faithfulness, imputation
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.methods import METHODS

N, H, W = tiny.N, tiny.H, tiny.W


def constant(values: np.ndarray):
    """A method whose map is always the same."""
    return lambda context, target: values.astype(np.float32)


@pytest.mark.parametrize("groups", [2, 5, N, 100])
def test_saco_of_the_true_contributions_of_a_linear_model_is_one(linear, groups):  # noqa: F811
    subject, contributions = linear
    assert metrics.saco(subject, constant(contributions), 1, groups) == pytest.approx(1)
    assert metrics.saco(subject, constant(-contributions), 1, groups) == pytest.approx(-1)
    assert metrics.saco(subject, constant(np.full(N, 0.3)), 1, groups) == 0


def test_saco_equals_a_loop_over_pairs_of_groups():
    subject, values = tiny.context(), np.random.default_rng(1).standard_normal(N).astype(np.float32)
    order = np.argsort(-values)
    groups = [order[start : start + 7] for start in range(0, N, 7)]
    probability = lambda image: subject.model(image[None]).softmax(1)[0, 4].item()  # noqa: E731
    with torch.no_grad():
        drops = []
        for group in groups:
            image = subject.image.clone()
            for row, column in (divmod(int(patch), tiny.GW) for patch in group):
                image[:, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = 0
            drops.append(probability(subject.image) - probability(image))
    total = weights = 0.0
    for i in range(5):
        for j in range(i + 1, 5):
            weight = float(values[groups[i]].sum() - values[groups[j]].sum())
            total += weight if drops[i] >= drops[j] else -weight
            weights += abs(weight)
    assert metrics.saco(subject, constant(values), 4, groups=5) == pytest.approx(total / weights, abs=1e-5)


def test_completeness_of_the_contributions_of_a_linear_model_is_exact(linear):  # noqa: F811
    subject, contributions = linear  # four times the parts of the logit
    assert metrics.completeness(subject, constant(contributions / 4), 1) == pytest.approx(0, abs=1e-4)
    assert metrics.completeness(subject, constant(contributions), 1) == pytest.approx(3, abs=1e-3)


def test_integrated_gradients_are_complete_and_half_of_them_are_not():
    subject = tiny.context("qk norm")
    compute = METHODS["integrated_gradients"].compute
    assert metrics.completeness(subject, compute, (2, 7)) < 0.05
    half = lambda context, target: compute(context, target) / 2  # noqa: E731
    assert metrics.completeness(subject, half, (2, 7)) == pytest.approx(0.5, abs=0.05)


def test_the_random_logit_of_a_class_agnostic_map_is_one():
    subject = tiny.context()
    assert metrics.random_logit(subject, METHODS["rollout"].compute, 3) == pytest.approx(1)
    by_class = lambda context, target: np.arange(N) * (1 if target == 3 else -1)  # noqa: E731
    assert metrics.random_logit(subject, by_class, 3) == pytest.approx(-1)
    first = lambda context, target: np.arange(N) * (1 if target[0] == 3 else -1)  # noqa: E731
    assert metrics.random_logit(subject, first, (3, 5)) == pytest.approx(-1), "the contrast is kept"
    classes = []
    metrics.random_logit(subject, lambda context, target: classes.append(target) or np.arange(N), (3, 5))
    assert classes[0] == (3, 5)
    assert classes[1][0] not in (3, 5)
    assert classes[1][1] == 5


def test_max_sensitivity_by_hand():
    subject = tiny.context()
    maps = iter([np.array([3.0, 4.0]), np.array([3.0, 4.5]), np.array([2.0, 4.0]), np.array([3.0, 4.0])])
    found = metrics.max_sensitivity(subject, lambda context, target: next(maps), 0, count=3)
    assert found == pytest.approx(1 / 5)
    images = []
    metrics.max_sensitivity(subject, lambda context, target: images.append(context.image) or np.ones(2), 0, 2, 0.1)
    assert all(0.09 < (image - subject.image).abs().max() <= 0.1 + 1e-6 for image in images[1:])
    assert not torch.equal(images[1], images[2])
    assert metrics.max_sensitivity(subject, constant(np.zeros(2)), 0) == 0


def test_sparseness_and_complexity_by_hand():
    assert metrics.gini(np.full((2, 3), -0.7)) == pytest.approx(0)
    assert metrics.gini(np.array([0, 0, 0, 5.0])) == pytest.approx(0.75)
    assert metrics.gini(np.array([1.0, -3.0])) == pytest.approx(0.25)
    assert metrics.gini(np.zeros(4)) == 0
    assert metrics.entropy(np.full(8, 0.2)) == pytest.approx(np.log(8))
    assert metrics.entropy(np.array([0, -2.0, 0])) == 0
    assert metrics.entropy(np.array([1.0, -3.0])) == pytest.approx(-0.25 * np.log(0.25) - 0.75 * np.log(0.75))
    assert metrics.entropy(np.zeros(4)) == pytest.approx(np.log(4))


def test_scores_of_a_model_without_head_are_refused():
    found = vitviz.explain(tiny.checkpoint(replace(tiny.CONFIG, num_classes=0)), tiny.pixels())
    rollout = METHODS["rollout"].compute
    for call in (lambda: found.score("rollout"), lambda: metrics.saco(found.context, rollout, 0)):
        with pytest.raises(ValueError, match="measured on a probability: tiny has no classification head"):
            call()


# Imputation


def holes(count: int = 4) -> torch.Tensor:
    """Masks over the pixels with more and more removed patches, (n, H, W)."""
    ranking = np.random.default_rng(0).permutation(N)
    subject = tiny.context()
    patches = torch.zeros(count, N, dtype=torch.bool)
    for row in range(count):
        patches[row, ranking[: (row + 1) * N // (count + 1)].tolist()] = True
    return subject.patches_to_pixels(patches)


def test_imputation_solves_the_linear_system():
    image, masks = tiny.context().image, holes()
    found = imputation.impute(image, masks)
    weights = np.array(imputation.WEIGHTS)
    for mask, filled in zip(masks.numpy(), found.numpy(), strict=True):
        np.testing.assert_array_equal(filled[:, ~mask], image.numpy()[:, ~mask])
        for y, x in np.argwhere(mask):
            total = np.zeros(3)
            scale = 0.0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if 0 <= y + dy < H and 0 <= x + dx < W:
                        total += weights[dy + 1, dx + 1] * filled[:, y + dy, x + dx]
                        scale += weights[dy + 1, dx + 1]
            np.testing.assert_allclose(filled[:, y, x], total / scale, rtol=0, atol=1e-3)


@pytest.mark.slow
def test_imputation_equals_that_of_grad_cam():
    road = pytest.importorskip("pytorch_grad_cam.metrics.road")
    sparse = pytest.importorskip("scipy.sparse.linalg")
    image, masks = tiny.context().image, holes()
    for mask, filled in zip(masks, imputation.impute(image, masks), strict=True):
        matrix, right = road.NoisyLinearImputer.setup_sparse_system(
            1.0 - mask.float().numpy(), image.numpy(), road.neighbors_weights
        )
        solution = sparse.spsolve(matrix.tocsc(), right)  # (pixels, 3)
        np.testing.assert_allclose(filled[:, mask].T, solution, rtol=0, atol=1e-3)


def test_an_image_without_known_pixels_becomes_the_mean_color():
    image = tiny.context().image
    assert not imputation.impute(image, torch.ones(1, H, W, dtype=torch.bool)).any()
    assert torch.equal(imputation.impute(image, torch.zeros(2, H, W, dtype=torch.bool)), image.expand(2, -1, -1, -1))


def test_noise_is_small_seeded_and_in_removed_pixels_only():
    image, masks = tiny.context().image, holes(1)
    plain, one, again, other = (
        imputation.impute(image, masks),
        *(imputation.impute_noisy(image, masks, seed) for seed in (1, 1, 2)),
    )
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
    difference = (one - plain)[:, :, masks[0]]
    assert difference.std().item() == pytest.approx(imputation.NOISE, rel=0.1)
    assert torch.equal(one[:, :, ~masks[0]], plain[:, :, ~masks[0]])


def test_the_road_baseline_is_a_deletion_with_imputed_patches():
    subject = tiny.context()
    ranking = np.random.default_rng(7).permutation(N)
    found = faithfulness.deletion_curves(subject, ranking[None], 2, "road", steps=5)[0]
    for point, count in zip(found[1:-1], faithfulness.deletion_steps(N, 5)[1:-1], strict=True):
        removed = torch.zeros(1, N, dtype=torch.bool)
        removed[0, ranking[:count].tolist()] = True
        pixels = subject.patches_to_pixels(removed)
        image = imputation.impute_noisy(subject.image, pixels, subject.seed)
        expected = ForwardContext(subject.checkpoint, image[0]).logits
        assert point == pytest.approx(np.exp(expected[2]) / np.exp(expected).sum(), abs=1e-5)
