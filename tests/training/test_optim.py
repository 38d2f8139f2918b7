"""Muon: orthogonal updates of a known size, independent of the batching; and the optimizer of each parameter."""

from dataclasses import replace

import numpy as np
import pytest
import timm
import torch
from timm.optim import param_groups_layer_decay
from torch import nn

from tests import tiny
from tests.errors import refuses
from vitviz.models.config import ViTConfig
from vitviz.models.vit import ViT
from vitviz.training.config import TrainConfig
from vitviz.training.distributed import Distributed
from vitviz.training.optim import Muon, create_optimizers, load_states, orthogonalize


def gaussian(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def take_steps(named: dict[str, torch.Tensor], gradients: dict[str, torch.Tensor], steps: int = 1, **settings) -> dict:
    """Return the weights after steps along these gradients."""
    weights = {name: nn.Parameter(value.clone()) for name, value in named.items()}
    optimizer = Muon(weights.items(), **{"lr": 0.1, "distributed": Distributed()} | settings)
    for _ in range(steps):
        for name, weight in weights.items():
            weight.grad = gradients[name].clone()
        optimizer.step()
    return {name: weight.detach() for name, weight in weights.items()}


@pytest.mark.parametrize("shape", [(4, 6, 6), (3, 5, 40), (2, 1, 7)])
def test_singular_values_move_close_to_one(shape):
    values = torch.linalg.svdvals(orthogonalize(gaussian(*shape), steps=10))
    assert values.min() > 0.6
    assert values.max() < 1.3
    typical = torch.linalg.svdvals(orthogonalize(gaussian(3, 18, 40)))  # five steps, as in training
    assert typical.min() > 0.6
    assert typical.max() < 1.3


def test_singular_vectors_are_kept():
    matrix = gaussian(1, 5, 9)
    u, _, vh = torch.linalg.svd(matrix, full_matrices=False)
    rotated = u.mT @ orthogonalize(matrix) @ vh.mT
    torch.testing.assert_close(rotated, torch.diag_embed(rotated.diagonal(dim1=1, dim2=2)), rtol=0, atol=1e-4)
    assert (rotated.diagonal(dim1=1, dim2=2) > 0).all()


def test_the_update_is_independent_of_the_scale_of_the_gradient():
    matrix = gaussian(2, 5, 9)
    torch.testing.assert_close(orthogonalize(1e-3 * matrix), orthogonalize(matrix), rtol=0, atol=1e-3)


def test_a_zero_gradient_gives_a_zero_update():
    assert not orthogonalize(torch.zeros(2, 5, 9)).any()


def test_bfloat16_products_give_nearly_the_same_float32_update():
    matrix = gaussian(4, 24, 60)
    with torch.autocast("cpu", torch.bfloat16):
        found = orthogonalize(matrix)
    assert found.dtype == matrix.dtype
    assert not torch.equal(found, orthogonalize(matrix)), "the products are in bfloat16"
    torch.testing.assert_close(found, orthogonalize(matrix), rtol=0, atol=0.03)


def test_stacked_matrices_are_updated_like_single_ones():
    names = {
        f"{i}.{kind}": gaussian(*shape, seed=i) for i in range(3) for kind, shape in (("fc1", (9, 5)), ("fc2", (5, 9)))
    }
    gradients = {name: gaussian(*value.shape, seed=10 + i) for i, (name, value) in enumerate(names.items())}
    together = take_steps(names, gradients, steps=3)
    for name, value in names.items():
        alone = take_steps({name: value}, gradients, steps=3)[name]
        torch.testing.assert_close(together[name], alone, rtol=0, atol=1e-5)


def test_a_tall_matrix_is_updated_like_its_transpose():
    weight, gradient = gaussian(9, 5), gaussian(9, 5, seed=1)
    tall = take_steps({"w": weight}, {"w": gradient})["w"]
    wide = take_steps({"w": weight.mT.contiguous()}, {"w": gradient.mT.contiguous()})["w"]
    torch.testing.assert_close(tall, wide.mT, rtol=0, atol=1e-5)


def test_queries_keys_and_values_are_three_matrices():
    weight, gradient = gaussian(18, 6), gaussian(18, 6, seed=1)
    gradient[6:12] *= 100  # large gradients of keys must not scale down queries and values
    joint = take_steps({"attn.qkv.weight": weight}, {"attn.qkv.weight": gradient})["attn.qkv.weight"]
    for part in range(3):
        piece = slice(6 * part, 6 * part + 6)
        alone = take_steps({"w": weight[piece]}, {"w": gradient[piece]})["w"]
        torch.testing.assert_close(joint[piece], alone, rtol=0, atol=1e-5)
    whole = take_steps({"w": weight}, {"w": gradient})["w"]
    assert (whole - joint).abs().max() > 1e-3


def test_a_convolution_is_updated_like_the_matrix_of_its_filters():
    weight, gradient = gaussian(6, 2, 3, 3), gaussian(6, 2, 3, 3, seed=1)
    flat = take_steps({"w": weight.flatten(1)}, {"w": gradient.flatten(1)})["w"]
    assert torch.equal(take_steps({"w": weight}, {"w": gradient})["w"], flat.view_as(weight))


def test_a_step_by_hand():
    # For a 1 x 1 matrix only the sign of the gradient matters, and the step has size 0.2 * sqrt(1).
    x = 1.0
    for _ in range(5):
        x = 3.4445 * x - 4.7750 * x**3 + 2.0315 * x**5
    found = take_steps({"w": torch.tensor([[3.0]])}, {"w": torch.tensor([[-7.0]])}, lr=0.5, weight_decay=0.1)[
        "w"
    ].item()
    assert found == pytest.approx(3.0 * (1 - 0.5 * 0.1) + 0.5 * 0.2 * x, rel=1e-4)


@pytest.mark.parametrize("shape", [(24, 24), (40, 24), (24, 40)])
def test_a_single_matrix_is_updated_like_by_torch_optim_muon(shape):
    start, gradients = gaussian(*shape), [gaussian(*shape, seed=1 + i) for i in range(4)]
    weight, reference = nn.Parameter(start.clone()), nn.Parameter(start.clone())
    settings = {"lr": 0.1, "momentum": 0.95, "weight_decay": 0.1}
    optimizers = (
        (weight, Muon([("w", weight)], distributed=Distributed(), **settings)),
        (reference, torch.optim.Muon([reference], nesterov=True, adjust_lr_fn="match_rms_adamw", **settings)),
    )
    for parameter, optimizer in optimizers:
        for gradient in gradients:
            parameter.grad = gradient.clone()
            optimizer.step()
    distance = (reference - start).norm()
    assert distance > 1
    assert (weight - reference).norm() < 0.02 * distance, "PyTorch's products are in bfloat16"


def test_the_step_size_is_proportional_to_the_root_of_the_longer_side():
    small = take_steps({"w": torch.zeros(2, 4)}, {"w": gaussian(2, 4)})["w"].norm()
    large = take_steps({"w": torch.zeros(2, 16)}, {"w": gaussian(2, 16)})["w"].norm()
    assert small.item() == pytest.approx(0.1 * 0.2 * 4**0.5 * 2**0.5, rel=0.3)
    assert large.item() == pytest.approx(0.1 * 0.2 * 16**0.5 * 2**0.5, rel=0.3)


def test_momentum_averages_previous_gradients():
    weight, first, second = torch.zeros(1, 2), torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    parameter = nn.Parameter(weight.clone())
    optimizer = Muon([("w", parameter)], lr=1.0, distributed=Distributed(), momentum=0.5)
    for gradient in (first, second):
        before = parameter.detach().clone()
        parameter.grad = gradient.clone()
        optimizer.step()
    # Momentum (0.5, 0), then (0.25, 0.5); Nesterov averages it with the gradient: (0.125, 0.75).
    move = before - parameter.detach()
    assert (move[0, 0] / move[0, 1]).item() == pytest.approx(0.125 / 0.75, rel=1e-4)


@pytest.mark.parametrize("name", ["plain", "everything"])
def test_every_parameter_has_exactly_one_optimizer(name):
    model = ViT(tiny.VARIANTS[name])
    muon, adamw = create_optimizers(model, TrainConfig(muon_lr=0.01, lr=0.02, weight_decay=0.05), Distributed())
    names = {id(p): n for n, p in model.named_parameters()}
    inside = [names[id(p)] for group in muon.param_groups for p in group["params"]]
    rest = [names[id(p)] for group in adamw.param_groups for p in group["params"]]
    assert sorted(inside + rest) == sorted(names.values())
    assert len(inside) == 4 * tiny.L
    assert all(n.startswith("blocks.") and n.endswith("weight") for n in inside)
    assert {"head.weight", "pos_embed", "cls_token", "patch_embed.proj.weight", "norm.weight"} <= set(rest)
    decays = {names[id(p)]: group["weight_decay"] for group in adamw.param_groups for p in group["params"]}
    assert decays["head.weight"] == 0.05
    assert decays["head.bias"] == decays["norm.weight"] == decays["blocks.0.mlp.fc1.bias"] == 0
    assert {group["base_lr"] for group in muon.param_groups} == {0.01}
    assert {group["base_lr"] for group in adamw.param_groups} == {0.02}


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
@pytest.mark.parametrize("global_pool", ["token", "avg"])
def test_layer_decay_has_the_factors_of_timm(optimizer, global_pool):
    settings = {"img_size": 32, "patch_size": 8, "embed_dim": 24, "depth": 3, "num_heads": 2, "reg_tokens": 2}
    reference = timm.models.VisionTransformer(**settings, global_pool=global_pool, num_classes=10, pre_norm=True)
    groups = param_groups_layer_decay(reference, weight_decay=0.05, layer_decay=0.65)
    names = {id(p): n for n, p in reference.named_parameters()}
    expected = {names[id(p)]: group["lr_scale"] for group in groups for p in group["params"]}
    config = TrainConfig(model=ViTConfig(depth=3), optimizer=optimizer, layer_decay=0.65, lr=0.5, muon_lr=0.5)
    found = {
        names[id(p)]: group["base_lr"] / 0.5
        for one in create_optimizers(reference, config, Distributed())
        for group in one.param_groups
        for p in group["params"]
    }
    assert found == pytest.approx(expected)
    assert len(set(found.values())) == 5


def test_optimizers_have_saved_states_only_after_a_step():
    optimizers = create_optimizers(tiny.model(), TrainConfig(), Distributed())
    load_states(optimizers, [], has_stepped=False)
    with refuses("optimizers"):
        load_states(optimizers, [], has_stepped=True)


def test_queries_keys_and_values_of_a_network_are_split():
    muon, _ = create_optimizers(ViT(replace(tiny.CONFIG, depth=2)), TrainConfig(), Distributed())
    pieces = {tuple(group["params"][0].shape): group["pieces"] for group in muon.param_groups}
    assert pieces == {(54, 18): 3, (18, 18): 1, (40, 18): 1, (18, 40): 1}
