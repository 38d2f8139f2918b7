"""One process, or the several that `torchrun` started: who am I, and what do we agree on.

Every process holds the whole training set and takes its slice of each batch; gradients are averaged, so that all take
the same step (data parallelism). With one process nothing here costs anything.
"""

import os
from types import TracebackType

import torch
import torch.distributed as dist
from torch import Tensor, nn


def choose_device(wanted: str, index: int = 0) -> torch.device:
    """Turn "auto", "cuda" or "cpu" into a device; `index` counts the processes of this machine.

    Raises:
        ValueError: If a GPU is wanted and there is none for this process.
    """
    if wanted == "cpu" or (wanted == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if index >= torch.cuda.device_count():
        raise ValueError(
            f"device cuda needs a GPU for each process: there are {torch.cuda.device_count()}, and this is process "
            f"{index + 1}. Use --device cpu, or fewer processes."
        )
    return torch.device("cuda", index)


class Team:
    """The processes that train together; a context manager that joins and leaves their group.

    Args:
        wanted: "auto", "cuda" or "cpu", where each of them trains.
    """

    def __init__(self, wanted: str = "cpu") -> None:
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self.device = choose_device(wanted, int(os.environ.get("LOCAL_RANK", "0")))

    def __enter__(self) -> "Team":
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
        if self.size > 1:
            dist.init_process_group("nccl" if self.device.type == "cuda" else "gloo")
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
        shared = torch.tensor(number, dtype=torch.float64, device=self.device)
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
