"""Entry points called in any mode of PyTorch: the numbers are equal, and the caller's state is as before."""

import os
import random
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import matplotlib
import numpy as np
import pytest
import timm
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import vitviz
from tests import tiny
from vitviz.attribution.methods import METHODS
from vitviz.data.preprocessing import sample_paths
from vitviz.models.modes import own_modes
from vitviz.training.evaluation import measure_accuracy

K = 3


@contextmanager
def default_dtype() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


MODES: dict[str, AbstractContextManager] = {
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "inference mode": torch.inference_mode,
    "no grad": torch.no_grad,
    "float64": default_dtype,
    "another device": lambda: torch.device("meta"),
}


@pytest.fixture(scope="module")
def module() -> torch.nn.Module:
    """Return a ViT of timm in training mode, with a frozen patch embedding."""
    torch.manual_seed(0)
    made = timm.models.VisionTransformer(img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=2, num_classes=K)
    made.patch_embed.requires_grad_(False)
    return made.train()


@pytest.fixture(scope="module")
def images() -> torch.Tensor:
    return torch.tensor(np.stack([tiny.pixels(32, 32, seed=k) for k in range(2)])).movedim(3, 1)


def entry_points(module, images, folder) -> dict:
    """Return the entry points by name: functions that return numbers."""
    model = vitviz.load(module, device="cpu")
    explain = lambda: vitviz.explain(model, images)  # noqa: E731 - anew, as maps are cached

    def watch() -> np.ndarray:
        with vitviz.watch(module, images, output_dir=folder / f"{len(list(folder.iterdir()))}") as recorder:
            recorder(1, 0.5)
        return recorder.recorder.snapshots[-1]["probabilities"]

    methods = ("relevance", "rollout", "attn_lrp", "integrated_gradients", "occlusion", "value_weighted", "average")
    return {
        "load": lambda: vitviz.explain(vitviz.load(module, device="cpu"), "cat").logits,
        "explain": lambda: np.stack([one.logits for one in vitviz.explain(module, images)]),
        "map": lambda: np.stack([explain()[0].map(name) for name in methods if name in METHODS]),
        "score": lambda: np.array(explain()[0].score("relevance").deletion),
        "ablate": lambda: explain()[0].ablate(heads=[(0, 1)], patches=[3], mode="mean").logits,
        "contributions": lambda: explain()[0].contributions().heads,
        "pca": lambda: np.abs(explain()[0].pca().rgb),
        "compare": lambda: vitviz.compare(*explain(), method="rollout").difference,
        "patch_activations": lambda: vitviz.patch_activations(*explain(), (0, 1)).recovered,
        "probe": lambda: vitviz.probe(model, images).cka,
        "evaluate": lambda: np.array(measure_accuracy(model, images, torch.tensor([0, 1], device="cpu"))),
        "figure": lambda: np.array(explain()[0].figure(layer=0).get_size_inches()),
        "watch": watch,
    }


def state(module) -> dict:
    """Return what an entry point must not change."""
    return {
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "dtype": torch.get_default_dtype(),
        "device": torch.get_default_device(),
        "threads": torch.get_num_threads(),
        "random": (torch.get_rng_state().tolist(), np.random.get_state()[1].tolist(), random.getstate()),
        "rcParams": dict(matplotlib.rcParams),
        "filters": list(warnings.filters),
        "training": [one.training for one in module.modules()],
        "requires_grad": [(one.requires_grad, one.grad) for one in module.parameters()],
    }


def test_entry_points_work_in_every_mode_and_leave_the_state_of_the_caller(module, images, tmp_path, subtests):
    entries = entry_points(module, images, tmp_path)
    expected = {name: call() for name, call in entries.items()}
    for mode, enter in MODES.items():
        for name, call in entries.items():
            with subtests.test(mode=mode, entry=name), enter():
                before = state(module)
                found = call()
                after = state(module)
                np.testing.assert_allclose(found, expected[name], rtol=1e-5, atol=1e-6)
                assert [key for key in before if before[key] != after[key]] == []


def test_models_made_in_inference_mode_have_gradients(images, module):
    expected = vitviz.explain(module, images[0]).map("relevance")
    with torch.inference_mode():
        torch.manual_seed(0)
        made = timm.models.VisionTransformer(
            img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=2, num_classes=K
        )
        loaded = vitviz.load("cifar10-ti4", device="cpu", precision="bfloat16")
    np.testing.assert_allclose(vitviz.explain(made, images[0]).map("relevance"), expected, rtol=1e-5, atol=1e-6)
    assert vitviz.explain(loaded, "cat").map("relevance").max() > 0


def test_threads_of_a_caller_with_another_default_dtype_do_not_disturb_each_other():
    entered, leave = threading.Barrier(2, timeout=60), threading.Event()

    def first() -> None:
        with own_modes():
            entered.wait()
            leave.wait(60)

    with default_dtype():
        thread = threading.Thread(target=first)
        thread.start()
        with own_modes():
            entered.wait()
            leave.set()
            thread.join()
            assert torch.get_default_dtype() == torch.float32
        assert torch.get_default_dtype() == torch.float64


CODE = """
import os, vitviz
vitviz.explain(vitviz.load("cifar10-ti4"), "cat").figure()
import matplotlib
print(os.environ["MPLBACKEND"], matplotlib.rcParams["backend"])
"""


@pytest.mark.parametrize(("backend", "found"), [("missing", "agg"), ("svg", "svg")])
def test_figures_need_no_backend_of_the_environment(backend, found):
    env = os.environ | {"MPLBACKEND": backend}
    done = subprocess.run([sys.executable, "-c", CODE], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [backend, found]


class WithoutDouble(TorchDispatchMode):
    """Double precision fails, as on GPUs that have none."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        for one in found if isinstance(found, tuple | list) else [found]:
            if isinstance(one, torch.Tensor) and one.dtype in (torch.float64, torch.complex128):
                raise TypeError(f"{function} computes in double precision")
        return found


def test_explaining_needs_no_double_precision():
    model = tiny.checkpoint()
    with WithoutDouble():
        ex, other = (vitviz.explain(model, path) for path in (sample_paths()["cat"], sample_paths()["dog"]))
        for method in METHODS.keys() - {"text_similarity"}:
            ex.map(method)
        ex.score("relevance")
        ex.contributions()
        ex.pca(1)
        assert np.isfinite(ex.ablate([(1, 1)], [3]).logits).all()
        vitviz.patch_activations(ex, other)
        with pytest.raises(TypeError):
            torch.ones(1).double()
