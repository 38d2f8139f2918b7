"""What attention costs: a forward pass with the class token's rows, or with all of it, beside a plain one."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from rich.console import Console
from rich.table import Table
from torch import Tensor

from vitviz.bench.timing import alternate
from vitviz.model.architectures import Network
from vitviz.model.checkpoint import load
from vitviz.model.vit import attend


def explain(name: str) -> None:
    """Print what the class-token maps of all layers and heads cost beside a plain forward pass."""
    model = load(name).model
    config = model.config
    table = Table("batch", "plain forward", "with class-token rows", "ratio", "with full attention", "ratio")
    for batch, rounds in ((1, 100), (64, 12)):
        plain, rows, full = forward_times(model, batch, rounds)
        cells = (f"{plain:.2f} ms", f"{rows:.2f} ms", f"{rows / plain:.3f}", f"{full:.2f} ms", f"{full / plain:.3f}")
        table.add_row(str(batch), *cells)
    out = Console()
    out.print(table)
    explicit, fused = attention_step(config.heads, config.tokens, config.width // config.heads)
    out.print(
        f"Attention of {config.tokens} tokens, forward and backward, batch 64: explicit {explicit:.1f} ms, "
        f"fused {fused:.1f} ms, fused / explicit {fused / explicit:.2f}"
    )


@torch.inference_mode()
def forward_times(model: Network, batch: int, rounds: int) -> list[float]:
    """Time a plain forward pass, one with the class token's rows and one with all attention (ms)."""
    images = torch.randn(batch, 3, *model.config.image_size)
    calls = [lambda: model(images), lambda: model.trace(images, "rows"), lambda: model.trace(images, "full")]
    return alternate(calls, rounds)


def attention_step(heads: int, tokens: int, width: int) -> tuple[float, float]:
    """Time a training step's attention: the explicit product and the fused kernel (ms)."""
    q, k, v = (torch.randn(64, heads, tokens, width, requires_grad=True) for _ in range(3))

    def run(mix: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
        mix(q, k, v).sum().backward()

    explicit, fused = alternate(
        [
            lambda: run(lambda q, k, v: attend(q, k, v, "full")[0]),
            lambda: run(F.scaled_dot_product_attention),
        ],
        15,
    )
    return explicit, fused
