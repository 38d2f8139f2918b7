"""Metrics against Quantus (Hedstrom et al. 2023, JMLR) on the tiny model.

Quantus is not in requirements-dev.txt: it requires opencv-python, which would overwrite opencv-python-headless of
grad-cam. CI installs it without its requirements.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from benchmarks import metrics
from tests import tiny
from vitviz.attribution import faithfulness
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.methods import METHODS

pytestmark = pytest.mark.slow  # importing Quantus takes seconds

N, K, L = tiny.N, tiny.K, tiny.L
OPTIONS = {
    "abs": False, "normalise": False, "return_aggregate": False, "disable_warnings": True, "display_progressbar": False
}  # fmt: skip
TARGET = 3


@pytest.fixture(scope="module")
def quantus():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(
            "quantus", reason="needs pip install --no-deps quantus scikit-image lazy-loader tifffile"
        )


class Masked(nn.Module):
    """The model as a function of a mask over the patches, (B, 1, gh, gw): 1 keeps a patch, 0 paints it."""

    def __init__(self, context: ForwardContext) -> None:
        super().__init__()
        self.context = context
        self.model = context.model

    def forward(self, mask: torch.Tensor) -> torch.Tensor:
        return self.model(self.context.mask_patches(mask.flatten(1) < 0.5))


def masks() -> np.ndarray:
    return np.ones((1, 1, tiny.GH, tiny.GW), np.float32)


def shaped(values: np.ndarray) -> np.ndarray:
    """One image's map as Quantus takes it, (1, 1, gh, gw)."""
    return values.astype(np.float64).reshape(1, 1, tiny.GH, tiny.GW)


@pytest.fixture(params=["relevance", "integrated_gradients"])
def method(request) -> str:
    return request.param


@pytest.fixture
def subject() -> ForwardContext:
    return tiny.context("qk norm")


@pytest.fixture
def values(subject, method) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # integrated gradients of random weights
        return METHODS[method].compute(subject, TARGET)


def test_deletion_is_pixel_flipping(quantus, subject, values):
    metric = quantus.PixelFlipping(features_in_step=5, perturb_baseline=0.0, **OPTIONS)
    (found,) = metric(
        model=Masked(subject).eval(), x_batch=masks(), y_batch=np.array([TARGET]), a_batch=shaped(values), softmax=True
    )
    ranking = faithfulness.ranking_of(values, np.arange(N))
    curve = faithfulness.deletion_curves(subject, ranking[None], TARGET, "mean", steps=7)[0]
    np.testing.assert_allclose(found, curve[1:], rtol=0, atol=1e-5)


@pytest.mark.parametrize("count", [1, 6])
def test_sensitivity_is_the_faithfulness_correlation(quantus, subject, values, count, monkeypatch):
    """Quantus' own `SensitivityN` correlates over images; over random subsets of one image it is this metric."""
    metric = quantus.FaithfulnessCorrelation(nr_runs=50, subset_size=count, perturb_baseline=0.0, **OPTIONS)
    monkeypatch.setattr(np.random, "choice", np.random.default_rng(subject.seed).choice)  # our subsets
    (found,) = metric(
        model=Masked(subject).eval(), x_batch=masks(), y_batch=np.array([TARGET]), a_batch=shaped(values), softmax=False
    )
    expected = metrics.sensitivity(subject, {"x": values}, TARGET, count, n_random=50)["x"]
    assert found == pytest.approx(expected, abs=1e-5)


def explain(context: ForwardContext, name: str):
    """Return a function of Quantus' signature that computes a method's maps of images (B, 3, H, W)."""

    def explained(model: nn.Module, inputs: np.ndarray, targets: np.ndarray, **_: object) -> np.ndarray:
        del model
        maps = []
        for image, target in zip(inputs, targets, strict=True):
            perturbed = ForwardContext(context.checkpoint, torch.from_numpy(image))
            maps.append(repeated(METHODS[name].compute(perturbed, int(target))))
        return np.concatenate(maps)

    return explained


def repeated(values: np.ndarray) -> np.ndarray:
    """One image's map with its values repeated for the pixels, (1, 1, H, W): same correlations and ratios."""
    return shaped(values).repeat(4, 2).repeat(4, 3)


def batch(context: ForwardContext, values: np.ndarray) -> dict:
    return {"x_batch": context.image.numpy()[None], "y_batch": np.array([TARGET]), "a_batch": repeated(values)}


@pytest.mark.parametrize("name", ["relevance", "occlusion"])
def test_max_sensitivity(quantus, subject, name):
    generator = np.random.default_rng(subject.seed)

    def perturb(arr: np.ndarray, indices: object, **_: object) -> np.ndarray:
        noise = generator.uniform(-0.3, 0.3, tuple(subject.image.shape)).astype(np.float32)
        return arr + noise.ravel()

    metric = quantus.MaxSensitivity(nr_samples=4, perturb_func=perturb, **OPTIONS)
    compute = METHODS[name].compute
    (found,) = metric(
        model=subject.model, explain_func=explain(subject, name), **batch(subject, compute(subject, TARGET))
    )
    expected = metrics.max_sensitivity(subject, compute, TARGET, count=4, radius=0.3)
    assert found == pytest.approx(expected, abs=1e-5)
    assert expected > 0.01


@pytest.mark.parametrize("name", ["relevance", "occlusion"])
def test_random_logit(quantus, subject, name):
    classes: list[int] = []
    explained = explain(subject, name)

    def recorded(model: nn.Module, inputs: np.ndarray, targets: np.ndarray, **options: object) -> np.ndarray:
        classes.extend(int(target) for target in targets)
        return explained(model, inputs, targets, **options)

    metric = quantus.RandomLogit(similarity_func=quantus.similarity_func.correlation_spearman, num_classes=K, **OPTIONS)
    compute = METHODS[name].compute
    (found,) = metric(model=subject.model, explain_func=recorded, **batch(subject, compute(subject, TARGET)))
    other = classes[-1]
    assert other != TARGET
    assert found == pytest.approx(metrics.random_logit(subject, compute, TARGET, other), abs=1e-5)


def test_sparseness_and_complexity(quantus, subject, values):
    for metric, ours in ((quantus.Sparseness, metrics.gini), (quantus.Complexity, metrics.entropy)):
        (found,) = metric(**(OPTIONS | {"abs": True}))(
            model=subject.model,
            x_batch=masks(),
            y_batch=np.array([TARGET]),
            a_batch=1000 * shaped(values),  # Quantus adds 1e-7
        )
        assert found == pytest.approx(ours(values), abs=1e-5)


class Stage(nn.Module):
    """One part of a model as Quantus randomizes it: with noise of the same mean and standard deviation."""

    def __init__(self, module: list[nn.Module], generator: list[torch.Generator]) -> None:
        super().__init__()
        self.module, self.generator = module, generator  # lists, so that they are not submodules

    def reset_parameters(self) -> None:
        with torch.no_grad():
            for weight in self.module[0].parameters():
                noise = torch.randn(weight.shape, generator=self.generator[0])
                weight.copy_(weight.mean() + noise * weight.std(correction=0))


class Staged(nn.Module):
    """A model whose stages are the modules that Quantus randomizes, last one first."""

    def __init__(self, context: ForwardContext) -> None:
        super().__init__()
        self.hidden = [context.model]
        generator = torch.Generator().manual_seed(context.seed)
        self.stages = nn.ModuleDict(
            {name: Stage([module], [generator]) for name, module in reversed(context.model.stages())}
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.hidden[0](images)


@pytest.mark.parametrize("name", ["relevance", "rollout"])
def test_the_randomization_test_is_mprt(quantus, subject, name):
    compute = METHODS[name].compute

    def explained(model: Staged, inputs: np.ndarray, targets: np.ndarray, **_: object) -> np.ndarray:
        checkpoint = replace(subject.checkpoint, network=model.hidden[0])
        maps = [
            repeated(compute(ForwardContext(checkpoint, torch.from_numpy(image)), int(target)))
            for image, target in zip(inputs, targets, strict=True)
        ]
        return np.concatenate(maps)

    metric = quantus.MPRT(similarity_func=quantus.similarity_func.correlation_spearman, **OPTIONS)
    found = metric(model=Staged(subject), explain_func=explained, **batch(subject, compute(subject, TARGET)))
    expected = metrics.randomization_test(subject, {name: compute}, TARGET)[name]
    correlations = [value for key, value in found.items() if key != "original"]
    parts = [key.removeprefix("stages.") for key in found if key != "original"]
    assert parts == list(expected)
    np.testing.assert_allclose(np.ravel(correlations), list(expected.values()), rtol=0, atol=1e-5)
