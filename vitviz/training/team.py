"""One process, or the several that `torchrun` started: who am I, and what do we agree on.

Every process holds the whole training set and takes its slice of each batch; gradients are averaged, so that all take
the same step (data parallelism). With one process nothing here costs anything.
"""

import os
from types import TracebackType

import torch
import torch.distributed as dist
from torch import Tensor, nn


class Team:
    """The processes that train together; a context manager that joins and leaves their group."""

    def __init__(self) -> None:
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self.local_rank = int(os.environ.get("LOCAL_RANK", "0"))

    def __enter__(self) -> "Team":
        if self.size > 1:
            dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.size > 1:
            dist.destroy_process_group()

    @property
    def leads(self) -> bool:
        """Whether this process keeps the time and writes the files."""
        return self.rank == 0

    def slice(self, batch: Tensor) -> Tensor:
        """This process's part of a batch (B,)."""
        return batch[self.rank :: self.size]

    def agree(self, number: float) -> float:
        """The first process's number, for all."""
        if self.size == 1:
            return number
        shared = torch.tensor(number, dtype=torch.float64)
        shared = shared.cuda() if torch.cuda.is_available() else shared
        dist.broadcast(shared, src=0)
        return shared.item()

    def average_gradients(self, model: nn.Module) -> None:
        """Replace each gradient by its mean over the processes, in one exchange."""
        if self.size == 1:
            return
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        flat = torch.cat([g.flatten() for g in gradients])
        dist.all_reduce(flat)
        parts = (flat / self.size).split([g.numel() for g in gradients])
        torch._foreach_copy_(gradients, [part.view_as(g) for part, g in zip(parts, gradients, strict=True)])
