"""Activation patching against hooks in timm's models with the same weights."""

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from tests.errors import refuses
from tests.models import families
from tests.tutorials import TUTORIALS, network
from vitviz.attribution.ablation import ablate
from vitviz.attribution.activation_patching import patch_contexts
from vitviz.attribution.context import ForwardContext
from vitviz.data import cifar
from vitviz.models.checkpoint import Checkpoint

L, A, T = tiny.L, tiny.A, tiny.T


def module_of(block: torch.nn.Module, part: str) -> tuple[torch.nn.Module, bool]:
    """Return the module whose input (True) or output is the part's activation in a block of timm."""
    if part == "heads":
        norm = getattr(block.attn, "norm", None)
        return (block.attn.proj if norm is None else norm), True
    return (block.drop_path2 if part == "mlp" else block), False


def run(model: torch.nn.Module, image: torch.Tensor, part: str, layer: int, change) -> torch.Tensor:
    """Return the logits with an activation changed by a function of it, by a hook."""
    module, is_input = module_of(model.blocks[layer], part)
    if is_input:
        hook = module.register_forward_pre_hook(lambda module, inputs: (change(inputs[0]),))
    else:
        hook = module.register_forward_hook(lambda module, inputs, output: change(output))
    with torch.no_grad():
        logits = model(image[None])[0]
    hook.remove()
    return logits


@pytest.mark.parametrize("part", ["heads", "mlp", "tokens"])
@pytest.mark.parametrize("name", ["timm ViT", "timm DeiT-III", "timm sbb ViT", "timm EVA-02 base"])
def test_patching_equals_hooks_in_timm(name, part):
    model = families.build(name)
    checkpoint = vitviz.load(model, device="cpu")
    source, corrupted = families.images(families.SQUARE)
    found = patch_contexts(ForwardContext(checkpoint, source), ForwardContext(checkpoint, corrupted), (1, 3), part)
    with torch.no_grad():
        before, after = (
            float(model(image[None])[0] @ torch.tensor([0, -1.0, 0, 1, 0]).double()) for image in (corrupted, source)
        )
    assert (found.logit, found.corrupted_logit) == pytest.approx((-after, -before), abs=1e-5)
    width = families.D // families.A
    for layer in range(families.L):
        stored: list[torch.Tensor] = []
        run(model, source, part, layer, lambda values, kept=stored: kept.append(values) or values)
        count = {"heads": families.A, "mlp": 1, "tokens": stored[0].shape[1]}[part]
        for chosen in range(count):
            cells = {
                "heads": np.s_[..., chosen * width : (chosen + 1) * width], "mlp": np.s_[:], "tokens": np.s_[:, chosen]
            }[part]  # fmt: skip

            def change(values: torch.Tensor) -> torch.Tensor:
                values = values.clone()
                values[cells] = stored[0][cells]  # noqa: B023
                return values

            logits = run(model, corrupted, part, layer, change)
            expected = (before + float(logits[1] - logits[3])) / (before - after)
            value = found.recovered[layer] if part == "mlp" else found.recovered[layer, chosen]
            assert value == pytest.approx(expected, abs=1e-5), (layer, chosen)


def pair(variant: str = "plain") -> tuple[ForwardContext, ForwardContext]:
    checkpoint = tiny.checkpoint(tiny.VARIANTS[variant])
    source, corrupted = tiny.images(batch=2)
    return ForwardContext(checkpoint, source), ForwardContext(checkpoint, corrupted)


@pytest.mark.parametrize("variant", tiny.VARIANTS)
def test_shapes_and_the_tokens_that_carry_everything(variant):
    source, corrupted = pair(variant)
    tokens = tiny.VARIANTS[variant].num_tokens
    shapes = {part: patch_contexts(source, corrupted, 2, part).recovered.shape for part in ("heads", "mlp", "tokens")}
    assert shapes == {"heads": (L, A), "mlp": (L,), "tokens": (L, tokens)}
    last = patch_contexts(source, corrupted, 2, "tokens").recovered[-1]
    if tiny.VARIANTS[variant].global_pool == "token":
        assert last[0] == pytest.approx(1, abs=1e-5), "the head reads the class token"
        assert np.abs(last[1:]).max() < 1e-5, "and nothing else"


@pytest.mark.parametrize("name", TUTORIALS)
def test_the_last_class_token_of_a_tutorial_network_carries_everything(name):
    checkpoint = Checkpoint(name, network(name), tuple("abcdefg"), cifar.MEAN, cifar.STD, {})
    source, corrupted = (ForwardContext(checkpoint, image) for image in tiny.images((12, 20), 2))
    found = patch_contexts(source, corrupted, 2, "tokens").recovered
    assert found[-1, 0] == pytest.approx(1, abs=1e-5)
    assert np.abs(found[-1, 1:]).max() < 1e-5
    assert np.abs(patch_contexts(source, corrupted, 2, "mlp").recovered).max() > 1e-3


def test_ablated_heads_stay_ablated_and_removed_patches_count_as_zero():
    source, corrupted = pair()
    source, corrupted = (ablate(one, heads=[(2, 1)], patches=[4, 30]) for one in (source, corrupted))
    assert patch_contexts(source, corrupted, 1).recovered[2, 1] == pytest.approx(0, abs=1e-6), "both are zero"
    found = patch_contexts(source, corrupted, 1, "tokens").recovered
    assert found.shape == (L, T)
    assert not found[:, [5, 31]].any()
    assert found[:-1, 6:30].all()


def test_the_default_target_is_the_difference_of_both_predictions():
    model = tiny.checkpoint()
    one, other = (vitviz.explain(model, tiny.pixels(seed=seed)) for seed in (0, 5))
    classes = [int(each.logits.argmax()) for each in (one, other)]
    found = vitviz.patch_activations(one, other)
    assert found.target == (tuple(classes) if classes[0] != classes[1] else classes[0])
    assert vitviz.patch_activations(one, other, "class 3").target == 3
    assert vitviz.patch_activations(one, other, (3, 1)).logit == pytest.approx(one.logits[3] - one.logits[1], abs=1e-5)


def test_progress_is_reported_and_an_exception_stops():
    done: list[tuple[int, int]] = []
    patch_contexts(*pair(), 1, "heads", lambda *counts: done.append(counts))
    assert done == [(A * layer, A * L) for layer in range(1, L + 1)]

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        patch_contexts(*pair(), 1, "heads", stop)


def test_images_that_cannot_be_patched_are_refused():
    source, corrupted = pair()
    for call, sentence in (
        (lambda: patch_contexts(source, source, 1), "different logits of the target: choose another image"),
        (lambda: patch_contexts(source, pair("qk norm")[1], 1), "explained by the same model: got tiny"),
        (lambda: patch_contexts(source, ablate(corrupted, patches=[3]), 1), "other patches are removed in one of them"),
    ):
        with pytest.raises(ValueError, match=sentence):
            call()
    with refuses("part"):
        patch_contexts(source, corrupted, 1, "keys")


def test_the_target_is_the_given_one_or_contrasts_both_predictions():
    cat, dog = vitviz.explain(vitviz.load("cifar10-ti4"), ["cat", "dog"])
    assert vitviz.patch_activations(cat, dog, layers=[5]).target == (3, 5)
    assert vitviz.patch_activations(cat, dog, 4, layers=[5]).target == 4


def test_other_arguments_than_explanations_are_refused():
    one = vitviz.explain(tiny.checkpoint(), tiny.pixels())
    for name, call in (
        ("a", lambda: vitviz.patch_activations("cat.png", one)),
        ("b", lambda: vitviz.patch_activations(one, "cat.png")),
        ("others", lambda: one.pca(others=["cat.png"])),
        ("other", lambda: one.similarity(other="cat.png")),
    ):
        with pytest.raises(ValueError, match=f"^{name} must be an explanation"):
            call()


def test_chosen_layers_are_rows_of_all_layers():
    source, corrupted = pair()
    whole, counts = patch_contexts(source, corrupted, 3, "tokens"), []
    found = patch_contexts(source, corrupted, 3, "tokens", lambda *count: counts.append(count), layers=[4, 1])
    np.testing.assert_allclose(found.recovered, whole.recovered[[4, 1]], rtol=0, atol=1e-6)
    assert counts[-1] == (2 * T, 2 * T)
    with refuses("layer"):
        patch_contexts(source, corrupted, 3, layers=[L])
