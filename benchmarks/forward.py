"""Cost of attention: forward passes with class-token rows or full attention, compared with a plain one."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from rich.console import Console
from rich.table import Table
from torch import Tensor

from benchmarks.timing import time_interleaved
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.faithfulness import score
from vitviz.attribution.methods import Method, methods_for
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.hub import load
from vitviz.models.layers import attend
from vitviz.models.vit import Transformer


def explain(name: str) -> None:
    """Print the cost of attention and of each method relative to a plain forward pass, and that of installed peers."""
    checkpoint = load(name)
    model = checkpoint.network
    config = model.config
    out = Console()
    table = Table("batch", "plain forward", "with class-token rows", "ratio", "with full attention", "ratio")
    for batch, rounds in ((1, 100), (64, 12)):
        plain, rows, full = forward_times(model, batch, rounds)
        cells = (f"{plain:.2f} ms", f"{rows:.2f} ms", f"{rows / plain:.3f}", f"{full:.2f} ms", f"{full / plain:.3f}")
        table.add_row(str(batch), *cells)
    out.print(table)
    explicit, fused = attention_step(config.num_heads, config.num_tokens, config.embed_dim // config.num_heads)
    out.print(
        f"Attention of {config.num_tokens} tokens, forward and backward, batch 64: explicit {explicit:.1f} ms, "
        f"fused {fused:.1f} ms, fused / explicit {fused / explicit:.2f}"
    )
    out.print(method_table(checkpoint))
    out.print(peer_table(checkpoint))


def method_table(checkpoint: Checkpoint) -> Table:
    """Measure the cost of each method for one image, including forward passes, relative to one forward pass."""
    torch.manual_seed(0)
    image = torch.randn(3, *checkpoint.network.config.img_size)
    plain = ForwardContext(checkpoint, image)
    methods = methods_for(checkpoint.network.config).values()
    calls: list[Callable[[], Any]] = [lambda: plain.predict(image[None])]
    calls += [partial(compute_maps, checkpoint, image, method) for method in methods]
    forward, *times = time_interleaved(calls, 20)
    maps = maps_of(plain, *methods)
    combined: list[Callable[[], Any]] = [
        lambda: compute_maps(checkpoint, image, *methods),
        lambda: score(plain, maps, 0),
    ]
    names = [*(method.title for method in methods), "All maps", "Scores of all maps, one baseline"]
    table = Table("method, batch 1", "time", "forward passes")
    for name, time in zip(names, times + time_interleaved(combined, 6), strict=True):
        table.add_row(name, f"{time:.1f} ms", f"{time / forward:.1f}")
    return table


def compute_maps(checkpoint: Checkpoint, image: Tensor, *methods: Method) -> Any:
    """Compute methods' maps with a new context."""
    return maps_of(ForwardContext(checkpoint, image), *methods)


def maps_of(context: ForwardContext, *methods: Method) -> dict[str, Any]:
    """Compute methods' maps of an image for class 0, by title."""
    return {method.title: method.compute(context, 0) for method in methods}


def peer_table(checkpoint: Checkpoint) -> Table:
    """Compare the time to get attention of all layers and heads from networks of this size with installed peers."""
    config = checkpoint.network.config
    table = Table("attention of all layers and heads", "batch 1", "ratio to vitviz", "batch 64", "ratio to vitviz")
    own: dict[str, Callable[[Tensor], Any]] = {
        "vitviz, class-token rows": lambda images: checkpoint.network.forward_with_attention(images, "cls"),
        "vitviz, full": lambda images: checkpoint.network.forward_with_attention(images, "full"),
    }
    calls = own | peers(config)
    columns = []
    for batch, rounds in ((1, 60), (64, 8)):
        images = torch.randn(batch, 3, *config.img_size)
        with torch.inference_mode():
            columns.append(time_interleaved([partial(call, images) for call in calls.values()], rounds))
    for name, *times in zip(calls, *columns, strict=True):
        cells = [
            cell for t, column in zip(times, columns, strict=True) for cell in (f"{t:.2f} ms", f"{t / column[0]:.2f}")
        ]
        table.add_row(name, *cells)
    return table


def peers(config: ViTConfig) -> dict[str, Callable[[Tensor], Any]]:
    """Return functions that get attention from installed peers, in networks of this size with random weights."""
    found: dict[str, Callable[[Tensor], Any]] = {}
    side, ratio = config.img_size[0], config.mlp_ratio
    if config.img_size != (side, side):
        return found  # they support square images only
    with suppress(ImportError):
        import timm.layers
        from timm.models.vision_transformer import VisionTransformer
        from timm.utils import AttentionExtract

        before = timm.layers.use_fused_attn()
        timm.layers.set_fused_attn(False)  # read when a network is created
        network = VisionTransformer(
            img_size=side,
            patch_size=config.patch_size,
            embed_dim=config.embed_dim,
            depth=config.depth,
            num_heads=config.num_heads,
            mlp_ratio=ratio,
            num_classes=config.num_classes,
            qk_norm=config.qk_norm,
            qkv_bias=config.qkv_bias,
        )
        timm.layers.set_fused_attn(bool(before))
        found["timm, AttentionExtract"] = AttentionExtract(network.eval(), method="fx")  # stops at the last softmax
        found["timm, AttentionExtract by hooks"] = AttentionExtract(network, method="hook")
    with suppress(ImportError):
        from transformers import ViTConfig as OtherConfig
        from transformers import ViTForImageClassification

        other = OtherConfig(
            image_size=side,
            patch_size=config.patch_size,
            hidden_size=config.embed_dim,
            num_hidden_layers=config.depth,
            num_attention_heads=config.num_heads,
            intermediate_size=config.mlp_hidden_dim,
            num_labels=config.num_classes,
            attn_implementation="eager",
        )
        eager = ViTForImageClassification(other).eval()
        found["Hugging Face, eager"] = lambda images: eager(images, output_attentions=True).attentions
    with suppress(ImportError):
        from vit_pytorch import ViT as OtherViT
        from vit_pytorch.recorder import Recorder

        found["vit-pytorch, Recorder"] = Recorder(
            OtherViT(
                image_size=side,
                patch_size=config.patch_size,
                num_classes=config.num_classes,
                dim=config.embed_dim,
                depth=config.depth,
                heads=config.num_heads,
                mlp_dim=config.mlp_hidden_dim,
                dim_head=config.embed_dim // config.num_heads,
            ).eval()
        )
    return found


@torch.inference_mode()
def forward_times(model: Transformer, batch: int, rounds: int) -> list[float]:
    """Time a plain forward pass, one with class-token rows and one with full attention (ms)."""
    images = torch.randn(batch, 3, *model.config.img_size)
    calls = [
        lambda: model(images),
        lambda: model.forward_with_attention(images, "cls"),
        lambda: model.forward_with_attention(images, "full"),
    ]
    return time_interleaved(calls, rounds)


def attention_step(heads: int, tokens: int, width: int) -> tuple[float, float]:
    """Time the attention of a training step: explicit product and fused kernel (ms)."""
    q, k, v = (torch.randn(64, heads, tokens, width, requires_grad=True) for _ in range(3))

    def backward(attention: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
        attention(q, k, v).sum().backward()

    explicit, fused = time_interleaved(
        [
            lambda: backward(lambda q, k, v: attend(q, k, v, "full")[0]),
            lambda: backward(F.scaled_dot_product_attention),
        ],
        15,
    )
    return explicit, fused
