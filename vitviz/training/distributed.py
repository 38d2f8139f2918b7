"""One process, or the several that `torchrun` started: who am I, and what do we agree on.

Every process holds the whole training set and takes its slice of each batch; gradients are averaged, so that all take
the same step (data parallelism). With one process nothing here costs anything.
"""

import os
from collections.abc import Callable, Sequence
from types import TracebackType

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from vitviz.training.config import TrainingError
from vitviz.training.device import choose_device

ATTEMPT = "TORCHELASTIC_RESTART_COUNT"  # how often torchrun has started all anew


class Distributed:
    """The processes that train together; a context manager that joins and leaves their group.

    Args:
        wanted: "auto", "cuda" or "cpu", where each of them trains.
    """

    def __init__(self, wanted: str = "cpu") -> None:
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self.device = choose_device(wanted, int(os.environ.get("LOCAL_RANK", "0")))

    def __enter__(self) -> "Distributed":
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
        if self.size > 1:
            try:
                self.join()
            except RuntimeError as error:
                reason = str(error).strip().partition("\n")[0]
                raise TrainingError(
                    f"All processes of a training must find one another: {reason}. Start them again; with --resume, "
                    "if it had begun."
                ) from None
        return self

    def join(self) -> None:
        """Join the group of this attempt; the store of torchrun still holds the addresses of those before."""
        store, rank, size = next(rendezvous("env://"))
        attempt = PrefixStore(os.environ.get(ATTEMPT, "0"), store)
        backend = "cpu:gloo,cuda:nccl" if self.device.type == "cuda" else "gloo"
        dist.init_process_group(backend, store=attempt, rank=rank, world_size=size)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.size > 1:
            dist.destroy_process_group()
            if isinstance(error, dist.DistError) or (isinstance(error, RuntimeError) and "gloo" in str(error)):
                raise TrainingError(
                    "All processes of a training must live: another one ended, and says why. Go on with --resume."
                ) from None

    @property
    def leads(self) -> bool:
        """Whether this process keeps the time and writes the files."""
        return self.rank == 0

    def slice(self, batch: Tensor) -> Tensor:
        """This process's part of a batch (B,)."""
        return batch[self.rank :: self.size]

    def agree(self, *numbers: float) -> list[float]:
        """The first process's numbers, for all."""
        if self.size == 1:
            return list(numbers)
        shared = torch.tensor(numbers, dtype=torch.float64)  # on the CPU: no GPU has to be waited for
        dist.broadcast(shared, src=0)
        return shared.tolist()

    def largest(self, *numbers: float) -> list[float]:
        """The largest of each of these numbers over the processes, for all."""
        return self.reduced(numbers, dist.ReduceOp.MAX)

    def mean(self, number: float) -> float:
        """The mean of this number over the processes, for all; no number if one of them is none."""
        return self.reduced((number,), dist.ReduceOp.SUM)[0] / self.size

    def reduced(self, numbers: Sequence[float], how: dist.ReduceOp.RedOpType) -> list[float]:
        """These numbers of all processes, reduced to one of each, for all."""
        if self.size == 1:
            return list(numbers)
        shared = torch.tensor(numbers, dtype=torch.float64)  # on the CPU: no GPU has to be waited for
        dist.all_reduce(shared, how)
        return shared.tolist()

    def share(self, model: nn.Module) -> nn.Module:
        """The same network, whose gradients become their mean over the processes."""
        return model if self.size == 1 else DistributedDataParallel(model, gradient_as_bucket_view=True)

    def divide(self, work: Callable[[Tensor], Tensor], items: Tensor) -> Tensor:
        """Do `work`, which treats each of the items (n, ...) by itself and keeps its shape: each process its part."""
        if self.size == 1:
            return work(items)
        done = torch.zeros_like(items, memory_format=torch.contiguous_format)  # transposed ones NCCL refuses
        mine = slice(self.rank, None, self.size)
        if len(items[mine]):
            done[mine] = work(items[mine])
        dist.all_reduce(done)  # the parts of the others are zero here
        return done
