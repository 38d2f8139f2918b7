"""Perturbation maps: completeness, single patches, and comparison with captum."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from captum import attr

import vitviz
from tests import tiny
from vitviz.attribution import perturbation_maps
from vitviz.attribution.context import BEFORE_BATCH, ForwardContext
from vitviz.attribution.targets import find_target
from vitviz.data.preprocessing import sample_paths

N, GH, GW = tiny.N, tiny.GH, tiny.GW
TARGETS = [3, (3, 7)]


def score(subject, target):
    """The explained function, for captum."""

    def function(images):
        logits = subject.model(images)
        return logits[:, target[0]] - logits[:, target[1]] if isinstance(target, tuple) else logits[:, target]

    return function


@pytest.mark.parametrize("target", TARGETS)
def test_integrated_gradients_sum_to_the_difference_from_the_mean_color_image(target):
    subject = tiny.context(dtype=torch.float64)
    found = perturbation_maps.integrated_gradients(subject, target)
    both = torch.stack([subject.image, torch.zeros_like(subject.image)])
    with torch.no_grad():
        whole, nothing = score(subject, target)(both).tolist()
    assert found.sum() == pytest.approx(whole - nothing, abs=0.02 * max(1, abs(whole - nothing)))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "cat" else pytest.mark.slow) for name in sample_paths()]
)
def test_integrated_gradients_are_complete_in_a_trained_model(name):
    model = vitviz.load("cifar10-ti4")
    found = vitviz.explain(model, sample_paths()[name])
    predicted = find_target(found.context)
    with torch.no_grad():
        nothing = model.network(torch.zeros_like(found.context.image)[None])[0, predicted].item()
    has = found.context.logits[predicted] - nothing
    assert found.map("integrated_gradients").sum() == pytest.approx(has, abs=0.1)


@pytest.mark.parametrize("target", TARGETS)
def test_occlusion_is_the_logit_decrease_of_each_patch_alone(target):
    subject = tiny.context()
    found = perturbation_maps.occlusion(subject, target).reshape(GH, GW)
    for row, column in ((0, 0), (1, 6), (4, 2)):
        changed = subject.image.clone()
        changed[:, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = 0
        with torch.no_grad():
            whole, rest = score(subject, target)(torch.stack([subject.image, changed])).tolist()
        assert found[row, column] == pytest.approx(whole - rest, abs=1e-4)


def test_sum_over_patches_inverts_patches_to_pixels():
    subject = tiny.context()
    numbers = torch.arange(2.0 * N).view(2, N)
    pixels = subject.patches_to_pixels(numbers)
    assert pixels.shape == (2, tiny.H, tiny.W)
    assert pixels[1, 4 * 3, 4 * 2] == N + 3 * GW + 2
    channels = pixels[1].expand(3, -1, -1).numpy()
    np.testing.assert_allclose(subject.sum_over_patches(channels), 48 * numbers[1].numpy())


def test_the_random_map_is_a_permutation_determined_by_the_image():
    one, again, other = tiny.context(seed=0), tiny.context(seed=0), tiny.context(seed=1)
    first = perturbation_maps.random(one, 0)
    assert np.array_equal(first, perturbation_maps.random(again, 5))
    assert not np.array_equal(first, perturbation_maps.random(other, 0))
    np.testing.assert_allclose(np.sort(first), np.arange(1, N + 1) / N, rtol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_gradients_and_occlusion_equal_those_of_captum(target):
    subject = tiny.context("everything")
    function, image = score(subject, target), subject.image[None].clone().requires_grad_()

    saliency = attr.Saliency(function).attribute(image)[0].detach().numpy()
    np.testing.assert_allclose(
        perturbation_maps.input_gradient(subject, target), subject.sum_over_patches(saliency), rtol=1e-4
    )

    features = subject.patches_to_pixels(torch.arange(float(N)).view(1, N)).long().unsqueeze(1).expand(-1, 3, -1, -1)
    with torch.no_grad():
        ablated = attr.FeatureAblation(function).attribute(image.detach(), feature_mask=features)[0, 0]
    expected = ablated.reshape(GH, 4, GW, 4)[:, 0, :, 0].flatten().numpy()
    np.testing.assert_allclose(perturbation_maps.occlusion(subject, target), expected, rtol=0, atol=1e-4)

    attributions = attr.IntegratedGradients(function).attribute(image, n_steps=200, method="riemann_middle")
    expected = subject.sum_over_patches(attributions[0].detach().float().numpy())
    found = perturbation_maps.integrated_gradients(subject, target)
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.01 * np.abs(expected).max())


def test_integrated_gradients_use_more_points_until_they_are_complete(monkeypatch):
    counts = []
    real = perturbation_maps.path_integral
    monkeypatch.setattr(perturbation_maps, "path_integral", lambda *args: counts.append(args[2]) or real(*args))
    subject = tiny.context()
    found = perturbation_maps.integrate_gradients(subject, 3)
    assert counts == list(perturbation_maps.NUM_POINTS[: len(counts)])
    assert (found.num_points, found.is_complete) == (counts[-1], True)
    counts.clear()
    monkeypatch.setattr(perturbation_maps, "COMPLETENESS_TOLERANCE", 0)
    assert not perturbation_maps.integrate_gradients(subject, 3).is_complete
    assert counts == [24, 64, 128, 256]


def test_a_backward_pass_takes_as_many_points_as_their_activations_in_all_layers_allow():
    wide = replace(tiny.CONFIG, img_size=(80, 112), mlp_ratio=64)
    context = ForwardContext(tiny.checkpoint(wide), tiny.images((80, 112), batch=1)[0])
    sizes: list[int] = []
    before = BEFORE_BATCH.set(sizes.append)
    perturbation_maps.path_integral(context, 3, 5)
    BEFORE_BATCH.reset(before)
    assert sizes == [2, 2, 1], "at most 2**23 activations: 6 layers of 561 tokens of 1,152 channels each"


def saturated() -> ForwardContext:
    """A context whose logit changes within a small fraction of the path from the mean-color image."""
    subject = tiny.context()
    with torch.no_grad():
        subject.model.patch_embed.proj.weight.mul_(1e4)
        for block in subject.model.blocks:
            block.attn.qkv.weight.mul_(30)
    return subject


def test_incomplete_integrated_gradients_are_reported():
    subject = saturated()
    found = perturbation_maps.integrate_gradients(subject, 3)
    assert (found.num_points, found.is_complete) == (256, False)
    assert found.residual == pytest.approx(found.values.sum() - found.expected)
    with pytest.warns(UserWarning, match=r"Integrated gradients with 256 points are not complete: the sum is"):
        values = perturbation_maps.integrated_gradients(subject, 3)
    np.testing.assert_array_equal(values, found.values)
    assert subject.notes["integrated_gradients", 3].startswith("not complete: the sum is")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        perturbation_maps.integrated_gradients(tiny.context(), 3)
