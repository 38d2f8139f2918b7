"""Data parallelism over the processes that `torchrun` starts, on one or more machines.

In a training every process holds the whole training set and computes its shard of each batch; gradients are averaged,
so that all processes take the same step. Elsewhere each process computes its shard of the images. With one process
every method is a no-op.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from textwrap import shorten
from types import TracebackType
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from vitviz.errors import TrainingError
from vitviz.training.device import choose_device

Item = TypeVar("Item")
Result = TypeVar("Result")
Items = TypeVar("Items", Tensor, list[Any])
ATTEMPT = "TORCHELASTIC_RESTART_COUNT"  # number of restarts by torchrun
PROBE_SECONDS = 1.0  # a closed connection fails within milliseconds


class Distributed:
    """Group of all processes; a context manager that initializes and destroys it.

    Args:
        device: The `device` of a training config: "auto", "cuda" or "cpu".

    Attributes:
        world_size: Number of processes.
        rank: Index of this process.
        device: Device of this process.
    """

    def __init__(self, device: str = "cpu") -> None:
        self.world_size = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self.device = choose_device(device, int(os.environ.get("LOCAL_RANK", "0")))

    def __enter__(self) -> "Distributed":
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
        if self.world_size > 1:
            try:
                self.init_process_group()
            except RuntimeError as error:
                raise TrainingError(
                    f"All {self.world_size} processes must connect to each other: process {self.rank + 1} failed with "
                    f"{type(error).__name__}: {shorten(str(error), 200, placeholder=' ...')}. Start them again."
                ) from error
        return self

    def init_process_group(self) -> None:
        """Join the process group of this attempt; torchrun's store still holds the addresses of earlier attempts."""
        store, rank, world_size = next(rendezvous("env://"))
        attempt = PrefixStore(os.environ.get(ATTEMPT, "0"), store)
        backend = "cpu:gloo,cuda:nccl" if self.device.type == "cuda" else "gloo"
        dist.init_process_group(backend, store=attempt, rank=rank, world_size=world_size)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.world_size == 1:
            return
        lost = isinstance(error, dist.DistError) or (type(error) is RuntimeError and has_lost_process())
        dist.destroy_process_group()
        if lost:
            raise TrainingError(
                "All processes must keep running: another one ended; its output has the reason. Start them again."
            ) from error

    @property
    def is_main_process(self) -> bool:
        """Whether this is rank 0, which keeps the clock and writes the files."""
        return self.rank == 0

    def shard(self, batch: Items) -> Items:
        """Return this process's elements of a batch (B,) or a list."""
        return batch[self.rank :: self.world_size]

    def broadcast(self, *numbers: float) -> list[float]:
        """Return the numbers of rank 0."""
        if self.world_size == 1:
            return list(numbers)
        shared = torch.tensor(numbers, dtype=torch.float64)  # on the CPU, which needs no GPU synchronization
        dist.broadcast(shared, src=0)
        return shared.tolist()

    def all_reduce_max(self, *numbers: float) -> list[float]:
        """Return the maximum of each number over the processes."""
        return self.all_reduce(numbers, dist.ReduceOp.MAX)

    def all_reduce_mean(self, number: float) -> float:
        """Return the mean of a number over the processes; NaN if it is NaN in one of them."""
        return self.all_reduce((number,), dist.ReduceOp.SUM)[0] / self.world_size

    def all_reduce(self, numbers: Sequence[float], operation: dist.ReduceOp.RedOpType) -> list[float]:
        """Reduce each number over the processes."""
        if self.world_size == 1:
            return list(numbers)
        shared = torch.tensor(numbers, dtype=torch.float64)  # on the CPU, which needs no GPU synchronization
        dist.all_reduce(shared, operation)
        return shared.tolist()

    def wrap_ddp(self, model: nn.Module) -> nn.Module:
        """Wrap a model in `DistributedDataParallel`, which averages gradients over the processes."""
        return model if self.world_size == 1 else DistributedDataParallel(model, gradient_as_bucket_view=True)

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Apply a function to the items of the main process, each process to its shard, and return all results."""
        if self.world_size == 1:
            return [function(item) for item in items]
        shared = [list(items)]
        dist.broadcast_object_list(shared, src=0)
        own = [function(item) for item in self.shard(shared[0])]
        shards: list[list[Result]] = [[]] * self.world_size
        dist.all_gather_object(shards, own)
        return [shards[i % self.world_size][i // self.world_size] for i in range(len(shared[0]))]

    def sync_gradients(self, model: Any, is_due: bool) -> AbstractContextManager[None]:
        """Return a context in which the backward pass of a wrapped model averages gradients, or only adds its own."""
        return nullcontext() if is_due or self.world_size == 1 else model.no_sync()

    def map_sharded(self, function: Callable[[Tensor], Tensor], items: Tensor) -> Tensor:
        """Apply a function to equal items (n, ...) of all processes, each to its shard, and gather the results.

        The function must treat items independently and keep their shape.
        """
        if self.world_size == 1:
            return function(items)
        results = torch.zeros_like(items, memory_format=torch.contiguous_format)  # NCCL rejects transposed tensors
        own = slice(self.rank, None, self.world_size)
        if len(items[own]):
            results[own] = function(items[own])
        dist.all_reduce(results)  # the shards of other processes are zero here
        return results


def has_lost_process() -> bool:
    """Return whether another process of the group has ended.

    Gloo raises a plain `RuntimeError` for a closed connection. A small reduction on the CPU distinguishes it from an
    error of this process: it fails at once if a connection is closed, and waits if all processes are still running.
    """
    try:
        work = dist.all_reduce(torch.zeros(1), async_op=True)
        end = time.monotonic() + PROBE_SECONDS
        while not work.is_completed():
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        work.wait()
    except RuntimeError:
        return True
    return False
