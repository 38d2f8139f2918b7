"""Captured attention equals that of converted models, of the modules' own formulas, and of windows by brute force."""

import copy
import json
import math

import numpy as np
import pytest
import timm
import torch
import torch.nn.functional as F
import torchvision
import transformers
from timm.models._hub import save_for_hf
from torch import nn

import vitviz
from tests.errors import refuses
from tests.models import families
from vitviz.errors import CapturedModelError, CheckpointError
from vitviz.models import captured_vit, originals
from vitviz.models.capture import SOFTMAX, capture
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.library_modules import describe_module
from vitviz.models.placement import place

D, A, P, K = 24, 3, 8, 5


class Attention(nn.Module):
    """Attention written in one of the ways that people write it."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.qkv, self.proj = kind, nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.mha = nn.MultiheadAttention(D, A, batch_first=kind != "batch second")

    def forward(self, x):
        if self.kind in ("mha", "mha weights"):
            return self.mha(x, x, x, need_weights=self.kind == "mha weights")[0]
        if self.kind == "batch second":
            return self.mha(x.transpose(0, 1), x.transpose(0, 1), x.transpose(0, 1))[0].transpose(0, 1)
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, A, -1).permute(2, 0, 3, 1, 4)  # (B, A, T, d)
        if self.kind == "einsum":
            weights = torch.einsum("bhid,bhjd->bhij", q, k).div(math.sqrt(D // A)).softmax(dim=-1)
            x = torch.einsum("bhij,bhjd->bhid", weights, v)
        elif self.kind == "heads first":
            weights = F.softmax(q.transpose(0, 1) @ k.transpose(0, 1).mT * (D // A) ** -0.5, -1)
            x = (F.dropout(weights, 0.5, self.training) @ v.transpose(0, 1)).transpose(0, 1)
        else:
            x = F.scaled_dot_product_attention(q, k, v)
        return self.proj(x.transpose(1, 2).flatten(2))

    def reference(self, x):
        """Return the weights, (B, A, T, T), by the formula."""
        is_own = self.kind in ("sdpa", "einsum", "heads first")
        weight, bias = (self.qkv.weight, self.qkv.bias) if is_own else (self.mha.in_proj_weight, self.mha.in_proj_bias)
        q, k, _ = F.linear(x, weight, bias).view(*x.shape[:2], 3, A, -1).permute(2, 0, 3, 1, 4)
        return (q @ k.mT / math.sqrt(D // A)).softmax(-1)


class StudentViT(nn.Module):
    """A student's ViT: `layout` says in which order its tokens stand."""

    def __init__(self, kind="sdpa", layout="class first", depth=2):
        super().__init__()
        self.layout, self.embed = layout, nn.Conv2d(3, D, P, P)
        self.cls_token = nn.Parameter(torch.randn(1, 1, D))
        self.blocks = nn.ModuleList(Attention(kind) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(D), nn.Linear(D, K)
        self.seen = []

    def forward(self, x):
        x = self.embed(x)
        if self.layout == "blocks":
            x = x.unflatten(2, (-1, 2)).unflatten(4, (-1, 2)).transpose(3, 4)  # blocks of 2 x 2, as of Qwen3-VL
        x = (x.mT if self.layout == "transposed" else x).flatten(2).mT  # (B, N, D)
        token = self.cls_token.expand(len(x), -1, -1)
        if self.layout == "class first":
            x = torch.cat([token, x], 1)
        elif self.layout == "class last":
            x = torch.cat([x, token], 1)
        for block in self.blocks:
            self.seen.append(x)
            x = x + block(self.norm(x))
        read = {"class first": 0, "class last": -1}.get(self.layout)
        return self.head(self.norm(x.mean(1) if read is None else x[:, read]))


def module_of(**options):
    """Return a student's ViT in double precision."""
    torch.manual_seed(0)
    return StudentViT(**options).double().eval()


def checkpoint_of(network):
    """Return a checkpoint of a network with the statistics of ImageNet."""
    return Checkpoint("x", network, tuple("abcde"[: network.config.num_classes]), (0.5,) * 3, (0.5,) * 3, {})


@pytest.fixture
def double_softmax(monkeypatch):
    """Transformers computes the softmax in float32; here it keeps the dtype."""
    double = lambda x, dim, dtype=None, **options: x.softmax(dim)  # noqa: E731
    monkeypatch.setattr(F, "softmax", double)
    monkeypatch.setattr("vitviz.models.capture.SOFTMAX", {*SOFTMAX, double})


@pytest.mark.parametrize("name", families.BUILDERS)
def test_captured_attention_equals_that_of_the_converted_model(name, double_softmax):
    module = families.build(name)
    timm.layers.set_fused_attn(True)
    pixels = families.images(families.SQUARE)
    options = {"noise": torch.arange(16).expand(2, -1).double()} if name == "ViT-MAE" else {}
    converted = vitviz.load(module, check=False).network.forward_with_attention(pixels, "full")
    arranged = originals.arrange(pixels, describe_module(module))
    found = [one.weights for one in capture(module, *arranged, **options).attention]
    torch.testing.assert_close(torch.stack(found[: families.L]), converted.attention.double(), rtol=0, atol=1e-6)
    if converted.pool_attention is not None:
        expected = converted.pool_attention.double()[..., -found[-1].shape[-1] :]  # without prefix tokens
        pooled = found[-1].view(expected.shape)
        torch.testing.assert_close(pooled, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["sdpa", "einsum", "heads first", "mha", "mha weights", "batch second"])
def test_attention_of_every_kind_is_captured_with_its_gradient(kind):
    module = module_of(kind=kind)
    pixels = torch.randn(2, 3, 32, 40, dtype=torch.float64)
    network, _ = captured_vit.wrap(module, (32, 40))
    module.seen.clear()
    logits = module(pixels)
    output = network.forward_with_blocks(pixels, "full")
    expected = [block.reference(module.norm(x)) for block, x in zip(module.blocks, module.seen, strict=True)]
    torch.testing.assert_close(output.logits, logits, rtol=0, atol=1e-12)
    torch.testing.assert_close(
        torch.stack([one.weights for one in output.blocks]), torch.stack(expected), rtol=0, atol=1e-10
    )
    assert network.config.has_gradients
    (grad,) = torch.autograd.grad(output.logits[0, 1], output.blocks[1].weights)
    last = module.blocks[1]
    values = (
        last.qkv(module.norm(module.seen[1]))
        if kind in ("sdpa", "einsum", "heads first")
        else F.linear(module.norm(module.seen[1]), last.mha.in_proj_weight, last.mha.in_proj_bias)
    ).chunk(3, -1)[2]
    weights = expected[1].detach().requires_grad_()
    x = (weights @ values.unflatten(-1, (A, -1)).transpose(1, 2)).transpose(1, 2).flatten(2)
    proj = last.proj if kind in ("sdpa", "einsum", "heads first") else last.mha.out_proj
    logit = module.head(module.norm((module.seen[1] + proj(x))[:, 0]))[0, 1]
    torch.testing.assert_close(grad, torch.autograd.grad(logit, weights)[0], rtol=0, atol=1e-10)


class RegistersFirst(StudentViT):
    """A ViT with two registers before the class token."""

    def __init__(self):
        super().__init__()
        self.registers = nn.Parameter(torch.randn(1, 2, D))

    def forward(self, x):
        x = self.embed(x).flatten(2).mT
        prefix = torch.cat([self.registers, self.cls_token], 1).expand(len(x), -1, -1)
        x = torch.cat([prefix, x], 1)
        for block in self.blocks:
            x = x + block(self.norm(x))
        return self.head(self.norm(x[:, 2]))


def test_the_class_token_is_the_prefix_token_that_the_head_reads():
    torch.manual_seed(0)
    module, pixels = RegistersFirst().double().eval(), torch.randn(1, 3, 32, 48, dtype=torch.float64)
    network, _ = captured_vit.wrap(module, (32, 48))
    config = network.config
    assert (config.class_token, config.reg_tokens, config.global_pool) == (True, 2, "token")
    order = torch.tensor([2, 0, 1, *range(3, 27)])
    found = network.forward_with_attention(pixels, "full").attention[:, 0].double()
    expected = torch.stack([one.weights[0][:, order][:, :, order] for one in capture(module, pixels).attention])
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


class Reordered(StudentViT):
    """A ViT whose later layers see the tokens in another order, or fewer of them."""

    def __init__(self, order, back=True):
        super().__init__(layout="no class")
        self.order, self.back = order, back

    def forward(self, x):
        x = self.embed(x).flatten(2).mT
        for layer, block in enumerate(self.blocks):
            order = self.order if layer else torch.arange(x.shape[1])
            x = x[:, order] if layer else x
            x = x + block(self.norm(x))
            x = x[:, order.argsort()] if layer and self.back else x
        return self.head(self.norm(x.mean(1)))


@pytest.mark.parametrize(
    "order", [torch.arange(24).flip(0), torch.arange(24).view(4, 6).T.flatten(), torch.arange(24).roll(5)]
)
def test_every_layer_is_placed_by_what_it_sees(order):
    torch.manual_seed(0)
    module, pixels = Reordered(order).double().eval(), torch.randn(1, 3, 32, 48, dtype=torch.float64)
    raw = [one.weights[0] for one in capture(module, pixels).attention]
    found = captured_vit.wrap(module, (32, 48))[0].forward_with_attention(pixels, "full").attention[:, 0].double()
    torch.testing.assert_close(found[0], raw[0], rtol=0, atol=1e-6)
    back = order.argsort()
    torch.testing.assert_close(found[1], raw[1][:, back][:, :, back], rtol=0, atol=1e-6)


class Dilated(StudentViT):
    """A ViT whose windows have each second token of a row and each second row."""

    index = torch.arange(64).view(4, 2, 4, 2).permute(1, 3, 0, 2).reshape(4, 16)  # (W, Q)

    def forward(self, x):
        x = self.embed(x).flatten(2).mT
        for block in self.blocks:
            windows = x[:, self.index].flatten(0, 1)  # (B W, Q, D)
            mixed = block(self.norm(windows)).unflatten(0, (len(x), 4)).flatten(1, 2)
            x = x + mixed[:, self.index.flatten().argsort()]
        return self.head(self.norm(x.mean(1)))


def test_dilated_windows_are_not_taken_for_a_coarser_grid():
    torch.manual_seed(0)
    module, pixels = Dilated(layout="no class").double().eval(), torch.randn(1, 3, 64, 64, dtype=torch.float64)
    raw = [one.weights for one in capture(module, pixels).attention]  # (W, A, Q, Q)
    found = captured_vit.wrap(module, (64, 64))[0].forward_with_attention(pixels, "full").attention[:, 0].double()
    expected = torch.zeros(2, A, 64, 64, dtype=torch.float64)
    for layer, weights in enumerate(raw):
        for window, one in zip(Dilated.index, weights, strict=True):
            expected[layer][:, window[:, None], window] = one
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kept", [[*range(0, 24, 2)], [0, 1, 2, 6, 7, 8]])
def test_a_layer_of_fewer_tokens_is_not_shown_as_a_coarser_grid(kept):
    torch.manual_seed(0)
    network, notes = captured_vit.wrap(Reordered(torch.tensor(kept), back=False).double().eval(), (32, 48))
    assert network.config.depth == 1
    assert any("of 2 attention layers 1 are shown" in note for note in notes)


def test_a_row_without_keys_has_no_attention():
    query = torch.randn(1, 1, 3, 4)
    mask = torch.tensor([[True, True, True], [False, False, False], [True, False, False]])

    class Masked(nn.Module):
        def forward(self, x):
            return F.scaled_dot_product_attention(x, x, x, mask)

    found = capture(Masked(), query)
    torch.testing.assert_close(found.output, Masked()(query))
    assert found.attention[0].weights[0, 0, 1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("grid", [(4, 6), (2, 2)])
@pytest.mark.parametrize("layout", ["class last", "transposed", "no class", "blocks"])
def test_tokens_are_placed_on_the_image_whatever_their_order(layout, grid):
    module, size = module_of(layout=layout), (grid[0] * P, grid[1] * P)
    network, _ = captured_vit.wrap(module, size)
    pixels = torch.randn(1, 3, *size, dtype=torch.float64)
    module.seen.clear()
    module(pixels)
    weights = module.blocks[0].reference(module.norm(module.seen[0]))[0]
    cells = torch.arange(grid[0] * grid[1]).view(grid)
    order = {
        "class last": torch.tensor([cells.numel(), *range(cells.numel())]),
        "transposed": cells.T.flatten().argsort(),
        "no class": cells.flatten(),
        "blocks": cells.view(grid[0] // 2, 2, grid[1] // 2, 2).transpose(1, 2).flatten().argsort(),
    }[layout]
    found = network.forward_with_attention(pixels, "full").attention[0, 0]
    torch.testing.assert_close(found.double(), weights[:, order][:, :, order], rtol=0, atol=1e-6)
    assert network.config.class_token == (layout == "class last")
    assert network.config.global_pool == ("token" if layout == "class last" else "avg")


@pytest.mark.parametrize(
    "name", ["timm ViT", "timm sbb ViT", "timm distilled DeiT", "timm SigLIP", "ViT", "DINOv2", "timm DeiT-III"]
)
def test_maps_of_a_captured_model_equal_those_of_the_converted_one(name):
    module = families.build(name, dtype=torch.float32)
    converted = vitviz.load(module, check=False)
    captured = checkpoint_of(captured_vit.wrap(module)[0])
    for field in ("class_token", "distilled", "reg_tokens", "global_pool", "num_classes", "grid_size"):
        assert getattr(captured.config, field) == getattr(converted.config, field), field
    image = np.random.default_rng(0).integers(0, 255, (32, 32, 3), np.uint8)
    ours, other = (vitviz.explain(checkpoint_of(one.network), image) for one in (captured, converted))
    assert ours.methods.keys() == {name for name in other.methods if not vitviz.METHODS[name].of_blocks}
    for method in ours.methods:
        np.testing.assert_allclose(ours.map(method), other.map(method), rtol=1e-3, atol=1e-5, err_msg=method)
    if converted.config.num_classes:
        assert ours.score("rollout").gap == pytest.approx(other.score("rollout").gap, abs=1e-5)


def swin():
    """Return a small Swin of torchvision: windows of 4 x 4 on 8 x 8 and 4 x 4 tokens, shifted in every second block."""
    torch.manual_seed(0)
    return torchvision.models.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=K).double().eval()


def test_shifted_windows_are_unfolded_as_by_brute_force():
    module, pixels = swin(), torch.randn(1, 3, 32, 32, dtype=torch.float64)
    placements = place(module, (32, 32))
    raw = [one.weights for one in capture(module, pixels).attention]
    for number, (size, shift) in enumerate([(8, 0), (8, 2), (4, 0), (4, 0)]):
        cells = torch.arange(size**2).view(size, size).roll((-shift, -shift), (0, 1))
        windows = cells.unfold(0, 4, 4).unfold(1, 4, 4).reshape(-1, 16)  # (W, 16)
        placed = placements[number]
        assert placed.grid == (size, size)
        assert placed.queries.tolist() == windows.tolist()
        own = captured_vit.Layer(placed, raw[number].shape[1], 0, placed.grid)
        full, _ = own(raw[number], 1)
        expected = torch.zeros(raw[number].shape[1], size**2, size**2, dtype=torch.float64)
        for window, weights in zip(windows, raw[number], strict=True):
            expected[:, window[:, None], window] = weights
        torch.testing.assert_close(full[0], expected, rtol=0, atol=1e-12)


def test_windows_and_dilated_windows_of_maxvit_are_unfolded_as_by_brute_force():
    torch.manual_seed(0)
    options = {"input_size": (64, 64), "stem_channels": 8, "partition_size": 4, "head_dim": 8, "num_classes": K}
    module = torchvision.models.MaxVit(
        **options, block_channels=[16, 24], block_layers=[1, 1], stochastic_depth_prob=0
    ).eval()
    placements = place(module, (64, 64))
    for number, (size, is_dilated) in enumerate([(16, False), (16, True), (8, False), (8, True)]):
        cells = torch.arange(size**2)
        split = cells.view(4, size // 4, 4, size // 4) if is_dilated else cells.view(size // 4, 4, size // 4, 4)
        windows = split.permute(1, 3, 0, 2) if is_dilated else split.transpose(1, 2)
        assert placements[number].grid == (size, size)
        assert placements[number].queries.tolist() == windows.reshape(-1, 16).tolist()
    assert vitviz.load(module, img_size=64).config.grid_size == (16, 16)


@pytest.mark.parametrize(
    "embed",
    [
        lambda: nn.Conv2d(3, D, 10, 8, padding=1),
        lambda: nn.Conv2d(3, D, 5, 8, padding=1, dilation=2),
        lambda: nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.MaxPool2d(3, 2, 1), nn.GELU(), nn.Conv2d(8, D, 3, 2, 1)),
        lambda: nn.Sequential(nn.Conv2d(3, D, 7, 4, 3), nn.AvgPool2d(3, 2, 1), nn.Conv2d(D, D, 3, padding="same")),
        lambda: nn.Sequential(nn.Unfold(12, stride=8, padding=2), nn.Unflatten(2, (4, 6)), nn.Conv2d(432, D, 1)),
    ],
    ids=["overlapping", "dilated", "stem", "pooling", "unfold"],
)
def test_overlapping_patches_are_placed_on_their_own_cell(embed):
    torch.manual_seed(0)
    module = StudentViT(layout="no class")
    module.embed = embed()
    pixels = torch.randn(1, 3, 32, 48)
    (raw, *_), (placed, *_) = capture(module, pixels).attention, place(module.eval(), (32, 48))
    assert placed.grid == (4, 6)
    assert placed.queries.tolist() == [list(range(24))]
    found = captured_vit.wrap(module, (32, 48))[0].forward_with_attention(pixels, "full").attention[0]
    torch.testing.assert_close(found, raw.weights, rtol=0, atol=1e-6)


def test_a_pyramid_is_shown_on_one_grid():
    network, notes = captured_vit.wrap(swin(), (32, 32))
    config = network.config
    assert (config.grid_size, config.depth, config.num_heads, config.has_gradients) == ((8, 8), 4, 4, False)
    attention = network.forward_with_attention(torch.randn(2, 3, 32, 32, dtype=torch.float64), "full").attention
    assert attention[:2, :, 2:].isnan().all(), "heads that the first layers lack"
    present = torch.cat([attention[:2, :, :2].flatten(), attention[2:].flatten()])
    assert not present.isnan().any()
    torch.testing.assert_close(attention[2:].sum(-1), torch.ones(2, 2, 4, 64), rtol=0, atol=1e-6)
    coarse = attention[2, 0, 0].view(4, 2, 4, 2, 4, 2, 4, 2)
    assert (coarse == coarse[:, :1, :, :1, :, :1, :, :1]).all(), "each cell of 4 x 4 has the same value in 2 x 2 cells"
    assert any("8 x 8" in note for note in notes)


def test_a_finer_layer_sums_over_keys_and_averages_over_queries():
    raw = capture(swin(), torch.randn(1, 3, 32, 32, dtype=torch.float64)).attention[1].weights
    placed = place(swin(), (32, 32))[1]
    fine, _ = captured_vit.Layer(placed, 2, 0, (8, 8))(raw, 1)
    coarse, _ = captured_vit.Layer(placed, 2, 0, (4, 4))(raw, 1)
    blocks = fine.view(1, 2, 4, 2, 4, 2, 4, 2, 4, 2).sum((7, 9)).mean((3, 5)).view(1, 2, 16, 16)
    torch.testing.assert_close(coarse, blocks, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("build", "shown", "pools"),
    [
        (
            lambda: timm.create_model("cait_xxs24_224", img_size=32, patch_size=8, embed_dim=24, depth=2, num_heads=3),
            2,
            True,
        ),
        (
            lambda: timm.create_model(
                "samvit_base_patch16_224",
                img_size=64,
                patch_size=8,
                embed_dim=24,
                depth=2,
                num_heads=3,
                window_size=4,
                global_attn_indexes=(1,),
            ),
            2,
            False,
        ),
        (
            lambda: nn.Sequential(
                nn.Conv2d(3, D, 8, 8),
                nn.Flatten(2),
                Transpose(),
                nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 4, batch_first=True), 2),
                Mean(),
            ),
            2,
            False,
        ),
    ],
    ids=["CaiT", "SAM ViT", "TransformerEncoder"],
)
def test_modules_of_other_libraries_are_explained(build, shown, pools):
    torch.manual_seed(0)
    model = vitviz.load(build(), img_size=None)
    found = vitviz.explain(model, "cat")
    assert found.attention.shape[0] == shown
    assert (found.context.pool_attention is not None) == pools
    sums = found.attention.sum(-1)
    np.testing.assert_allclose(sums[~np.isnan(sums)], 1, atol=1e-5)
    expected = model.network.module(found.context.image[None]).detach().numpy()[0]
    np.testing.assert_allclose(found.context.output.logits[0].numpy(), expected, atol=1e-5)
    assert found.map("rollout").shape == model.config.grid_size
    for refused in (found.features, lambda: found.ablate(heads=[(0, 0)]), lambda: found.ablate(patches=[0])):
        with refuses("model", CapturedModelError):
            refused()


@pytest.mark.parametrize(
    "name",
    [
        *("qwen3_vit_88m", "qwen3_vit_88m_merge", "gemma4_vit_167m", "deepseek_vit_412m"),
        *("naflexvit_base_patch16_gap", "naflexvit_base_patch16_map", "naflexvit_base_patch16_siglip"),
    ],
)
@torch.no_grad()
def test_encoders_of_vision_language_models_are_captured(name):
    torch.manual_seed(0)
    sizes = {"embed_dim": 24, "depth": 2, "num_heads": 2, "patch_size": 8, "img_size": 48}
    module = timm.create_model(name, num_classes=K, **sizes).eval()
    for weight in module.parameters():
        nn.init.normal_(weight, std=0.2)
    model = vitviz.load(module, img_size=(48, 48))
    pixels, own = torch.randn(1, 3, 48, 48), []
    for part, layer in module.named_modules():
        if part.endswith("attn.attn_drop"):
            layer.register_forward_hook(lambda layer, args, output: own.append(output))
        if hasattr(layer, "fused_attn"):
            layer.fused_attn = False
    logits = module(pixels)
    found = model.network.forward_with_attention(pixels, "full")
    torch.testing.assert_close(found.attention, torch.stack(own[:2]), rtol=0, atol=1e-6)
    torch.testing.assert_close(model.network(pixels), logits, rtol=0, atol=1e-5)
    assert model.config.is_captured
    assert model.config.grid_size == (6, 6)
    assert vitviz.explain(model, "cat").map("rollout").shape == (6, 6)


class Transpose(nn.Module):
    def forward(self, x):
        return x.mT


class Mean(nn.Module):
    def forward(self, x):
        return x.mean(1)


def test_nothing_of_the_module_changes():
    module = StudentViT("heads first").train()
    module.norm.eval()
    module.register_forward_hook(lambda *args: None)
    before, state = copy.deepcopy(module.state_dict()), torch.get_rng_state()
    hooks = [(len(part._forward_hooks), len(part._forward_pre_hooks), part.training) for part in module.modules()]
    one, other = (capture(module, torch.ones(1, 3, 32, 32)).attention[0].weights for _ in range(2))
    vitviz.load(module, img_size=(32, 32))
    assert torch.equal(one, other), "dropout is off"
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert [
        (len(part._forward_hooks), len(part._forward_pre_hooks), part.training) for part in module.modules()
    ] == hooks
    assert all(weight.grad is None for weight in module.parameters())


class TwoInputs(StudentViT):
    def forward(self, x, y):
        return super().forward(x + y)


class Gray(StudentViT):
    def forward(self, x):
        return super().forward(F.conv2d(x, torch.ones(3, 1, 1, 1)))


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: nn.Linear(2, 2), "images"),
        (TwoInputs, "images"),
        (Gray, "images"),
        (lambda: torchvision.models.resnet18(num_classes=3), "module"),
        (lambda: timm.create_model("xcit_nano_12_p16_224", depth=1), "module"),
    ],
    ids=["no images", "two inputs", "one channel", "no attention", "channel attention"],
)
def test_a_module_without_attention_on_the_image_is_refused(build, field):
    with refuses(field, CheckpointError):
        vitviz.load(build())


def test_a_module_without_parameters_is_explained():
    class Fixed(nn.Module):
        def forward(self, images):
            x = F.unfold(images, 8, stride=8).mT[:, None]
            return F.scaled_dot_product_attention(x, x, x).mean((1, 2))[:, :K]

    assert vitviz.explain(vitviz.load(Fixed(), img_size=32), "cat").attention.shape == (1, 1, 16, 16)


def test_a_compiled_or_wrapped_module_is_run_inside():
    module = StudentViT().eval()
    expected = capture(module, torch.ones(1, 3, 32, 32)).attention
    found = capture(nn.DataParallel(module), torch.ones(1, 3, 32, 32)).attention
    assert torch.equal(found[0].weights, expected[0].weights)
    assert [one.module for one in found] == ["blocks.0", "blocks.1"]


def test_weights_that_are_no_matrix_of_patches_are_drawn():
    layer = nn.TransformerEncoderLayer(16, 2, batch_first=True)
    figure = capture(layer, torch.randn(1, 5, 16)).figure()
    assert figure.axes[0].images[0].get_array().shape == (5, 5)


def test_a_saved_model_of_another_family_runs_in_its_library(tmp_path):
    sizes = {"embed_dim": 24, "depths": (1, 1), "num_heads": (2, 4), "window_size": 4}
    options = {"img_size": 32, "patch_size": 4, **sizes}
    module = timm.create_model("swin_tiny_patch4_window7_224", num_classes=K, **options).eval()
    save_for_hf(module, tmp_path / "swin", model_args=options, safe_serialization=True)
    config = transformers.SwinConfig(image_size=32, num_labels=K, **sizes)
    other = transformers.SwinForImageClassification(config).eval()
    other.save_pretrained(tmp_path / "hf")
    for name, expected in (("swin", module), ("hf", lambda pixels: other(pixels).logits)):
        model = vitviz.load(tmp_path / name, device="cpu")
        pixels = torch.randn(1, 3, 32, 32)
        torch.testing.assert_close(model.network(pixels), expected(pixels), rtol=0, atol=1e-5)
        assert (model.name, model.config.is_captured, len(model.labels), model.config.depth) == (name, True, K, 2)
        assert "swin" in model.family


def test_a_model_of_another_family_without_all_weights_is_refused_by_name(tmp_path):
    config = transformers.SwinConfig(image_size=32, embed_dim=24, depths=[1], num_heads=[2], window_size=4)
    transformers.SwinModel(config).save_pretrained(tmp_path)
    described = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(described | {"depths": [2]}))
    with refuses("family", CheckpointError):
        vitviz.load(tmp_path)
