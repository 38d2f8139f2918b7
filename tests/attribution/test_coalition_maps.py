"""Shapley values against exact enumeration and captum, the greedy order against brute force, and interruption."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch
from captum import attr

from tests import tiny
from tests.errors import refuses
from vitviz.attribution import coalition_maps
from vitviz.attribution.ablation import ablate
from vitviz.attribution.coalition_maps import draw_coalitions, greedy, shapley
from vitviz.attribution.context import ForwardContext, softmax
from vitviz.attribution.explanation import explain
from vitviz.attribution.targets import find_target
from vitviz.errors import InterruptedMapError

SIX = replace(tiny.CONFIG, img_size=(8, 12))  # 2 x 3 patches


def six_patches(**changes) -> ForwardContext:
    """The context of an image of six patches, in double precision."""
    checkpoint = tiny.checkpoint(replace(SIX, **changes))
    checkpoint.network.double()
    return ForwardContext(checkpoint, tiny.images((8, 12), batch=1)[0].double())


def value(context, patches, target):
    """The target's logit of the network with these patches alone."""
    keep = torch.tensor([sorted(patches)], dtype=torch.long)
    with torch.no_grad():
        if context.config.global_pool == "token":
            logits = context.model(context.image[None], keep)[0]
        else:
            masked = torch.ones(1, 6, dtype=torch.bool)
            masked[0, keep[0]] = False
            logits = context.model(context.mask_patches(masked))[0]
    return float(logits[target[0]] - logits[target[1]] if isinstance(target, tuple) else logits[target])


@pytest.mark.parametrize("target", [3, (3, 7)])
@pytest.mark.parametrize("pool", ["token", "avg"])
def test_shapley_values_of_six_patches_equal_the_mean_over_all_orders(pool, target):
    context = six_patches(global_pool=pool)
    known: dict[frozenset, float] = {}

    def of(patches):
        if patches not in known:
            known[patches] = value(context, patches, target)
        return known[patches]

    expected = np.zeros(6)
    for order in permutations(range(6)):
        for place, patch in enumerate(order):
            expected[patch] += of(frozenset(order[: place + 1])) - of(frozenset(order[:place]))
    found = shapley(context, target)
    np.testing.assert_allclose(found, expected / 720, rtol=0, atol=1e-5)
    assert found.sum() == pytest.approx(of(frozenset(range(6))) - of(frozenset()), abs=1e-5)


def test_shapley_values_equal_those_of_captum_with_the_same_coalitions():
    context = six_patches()
    coalitions, _ = draw_coalitions(6, 40, context.seed)
    ends = [torch.zeros(1, 6), torch.ones(1, 6)]
    sets = iter([*ends, *torch.from_numpy(coalitions).double().split(1)])

    class SameCoalitions(attr.KernelShap):
        def kernel_shap_perturb_generator(self, original_inp, **kwargs):
            yield from sets

    def logit(images):  # captum passes the mask as an image that is 0 where a patch is removed
        kept = [int(i) for i in range(6) if images[0, 0, 4 * (i // 3), 4 * (i % 3)] != 0]
        return torch.tensor([value(context, kept, 3)], dtype=torch.float64)

    features = context.patches_to_pixels(torch.arange(6.0).view(1, 6)).long().unsqueeze(1).expand(-1, 3, -1, -1)
    found = SameCoalitions(logit).attribute(
        torch.ones_like(context.image)[None], feature_mask=features, n_samples=2 + len(coalitions)
    )
    expected = found[0, 0, ::4, ::4].flatten()
    np.testing.assert_allclose(shapley(context, 3, num_coalitions=40), expected, rtol=0, atol=1e-5)


def test_coalitions_are_drawn_in_pairs_with_the_kernel_weights():
    coalitions, weights = draw_coalitions(35, 2048, 7)
    assert coalitions.shape == (2048, 35)
    assert not weights.std()
    np.testing.assert_array_equal(coalitions[:1024], ~coalitions[1024:])
    sizes = np.bincount(coalitions.sum(1), minlength=36)
    assert sizes[0] == sizes[35] == 0
    k = np.arange(1, 35)
    np.testing.assert_allclose(sizes[1:35] / 2048, 1 / (k * (35 - k)) / (1 / (k * (35 - k))).sum(), atol=0.03)
    np.testing.assert_array_equal(draw_coalitions(35, 2048, 7)[0], coalitions)
    assert len(np.unique(draw_coalitions(6, 62, 7)[0], axis=0)) == 62, "all of them"


def test_removed_patches_have_no_shapley_value_and_a_single_one_has_the_difference():
    context = ablate(six_patches(), patches=[1, 4])
    found = shapley(context, 3)
    assert found[[1, 4]].tolist() == [0, 0]
    assert np.count_nonzero(found) == 4
    single = shapley(ablate(six_patches(), patches=[0, 1, 2, 3, 4]), 3)
    assert single[5] == pytest.approx(value(six_patches(), [5], 3) - value(six_patches(), [], 3), abs=1e-5)


@pytest.mark.parametrize("removed", [[], [2]])
def test_the_greedy_order_equals_brute_force(removed):
    context = ablate(six_patches(), patches=removed) if removed else six_patches()
    left, painted, order = [patch for patch in range(6) if patch not in removed], [], []
    while left:
        found = []
        for patch in left:
            image = context.image.clone()
            for row, column in (divmod(one, 3) for one in (*painted, patch)):
                image[:, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = 0
            found.append(softmax(context.predict(image[None]))[0, 3])
        order.append(left[int(np.argmin(found))])
        painted.append(order[-1])
        left.remove(order[-1])
    values = greedy(context, (3, 7))
    assert np.argsort(-values, kind="stable")[: len(order)].tolist() == order
    np.testing.assert_allclose(values[order], 1 - np.arange(len(order)) / len(order), rtol=1e-6)
    assert not values[removed].any()


def test_the_greedy_order_removes_several_patches_a_round():
    context, counts = six_patches(), []
    values = greedy(context, 3, lambda done, total: counts.append((done, total)), max_rounds=3)
    assert sorted(values * 6) == pytest.approx([1, 2, 3, 4, 5, 6])
    assert counts == [(6, 12), (10, 12), (12, 12)]


@pytest.mark.parametrize(("method", "total"), [("shapley", 64), ("greedy", 21)])
def test_an_interrupted_map_is_not_stored(monkeypatch, method, total):
    monkeypatch.setattr(coalition_maps, "BATCH_SIZE", 4)
    found = explain(tiny.checkpoint(SIX), tiny.pixels(8, 12))
    counts = []

    def stop(done, all_passes):
        counts.append((done, all_passes))
        return len(counts) < 3

    with refuses(error=InterruptedMapError, total=total):
        found.map(method, progress=stop)
    assert len(counts) == 3
    assert not found.context.maps
    counts.clear()
    found.map(method, progress=lambda *count: counts.append(count))
    assert counts[-1] == (total, total)
    assert (method, find_target(found.context)) in found.context.maps
