"""Trainer: training steps of a network, and the exponential moving average (EMA) of its weights.

A step is augmentation, loss, backward pass, optimizer step and EMA update. `vitviz.runs.training_run` chooses the
images, keeps the clock and writes the files.
"""

import copy
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.data import augmentation
from vitviz.data.datasets import CIFAR10, DatasetInfo, LabeledImages
from vitviz.errors import CheckpointError, TrainingError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import create_model
from vitviz.models.vit import Transformer, ViT
from vitviz.training import optim
from vitviz.training.config import TrainConfig
from vitviz.training.data import augment, step_seed
from vitviz.training.device import autocast, use_bfloat16
from vitviz.training.distributed import Distributed
from vitviz.training.initial_weights import freeze_backbone, load_backbone
from vitviz.training.masked_patches import MaskedPatches
from vitviz.training.schedule import lr_factor, patch_keep_ratio
from vitviz.training.teacher import Teacher


@dataclass(frozen=True)
class TrainerState:
    """State of a training run between two steps, from which it resumes exactly."""

    ema_model: dict[str, Tensor]  # EMA of the network's weights, by name
    ema_extra: dict[str, Tensor]  # EMA of the parameters that only the objective has, by name
    weights: dict[str, Tensor]  # weights of the training module, by name
    optimizers: list[dict[int, dict[str, Tensor]]]  # state of each: tensors by name, by position of the parameter
    counters: dict[str, float]  # steps, epochs, seconds and other progress, by name
    teacher: dict[str, Any] | None  # entry of the teacher in the record; None without one


class Trainer:
    """Network, optimizers, EMA and optional teacher.

    Args:
        config: Training config; its seed determines the initial weights.
        distributed: Process group.
        info: Dataset of the images.
        init: Checkpoint whose backbone has the initial weights; None for random weights, or for a resumed run.
        teacher: Teacher for knowledge distillation.

    Attributes:
        model: The network.
        training_module: The network, or the network with the parameters that only the objective has.
        ema_module: EMA of `training_module`, in eval mode.
        ema_model: EMA of `model`, a part of `ema_module`.
        bfloat16: Whether matrix products are in bfloat16.
        step_count: Number of steps taken.

    Raises:
        ConfigError: If the network of `init` is another one.
    """

    def __init__(
        self,
        config: TrainConfig,
        distributed: Distributed,
        info: DatasetInfo = CIFAR10,
        init: Checkpoint | None = None,
        teacher: Teacher | None = None,
    ) -> None:
        self.config, self.distributed, self.device, self.info = config, distributed, distributed.device, info
        self.teacher = teacher
        torch.manual_seed(config.seed)
        self.model = create_model(config.model).to(self.device)
        if init is not None:
            load_backbone(self.model, init)
        if config.freeze_backbone:
            freeze_backbone(self.model)
        self.training_module: nn.Module = self.model
        if config.objective == "masked-patch":
            self.training_module = MaskedPatches(cast(ViT, self.model), info.mean, info.std).to(self.device)
        self.ema_module = copy.deepcopy(self.training_module).eval()
        self.optimizers = optim.create_optimizers(self.training_module, config, distributed)
        self.bfloat16 = bool(distributed.broadcast(use_bfloat16(config.precision, self.device))[0])
        self.step_count = 0
        self.wrapped: Callable[..., Any] = distributed.wrap_ddp(self.training_module)
        self.compiled: Callable[..., Any] = self.wrapped  # used for all patches
        self.augment = augment
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")

    @property
    def ema_model(self) -> Transformer:
        """EMA of the network, in eval mode."""
        return self.ema_module.vit if isinstance(self.ema_module, MaskedPatches) else self.ema_module

    @property
    def lr(self) -> float:
        """Learning rate of the first optimizer."""
        return self.optimizers[0].param_groups[0]["lr"]

    def compile_if_enabled(self, batches: Iterable[LabeledImages]) -> None:
        """Compile on a GPU if the config enables it, for batches of these sizes."""
        if self.device.type == "cuda" and self.config.compile:
            self.compile(batches)

    def compile(self, batches: Iterable[LabeledImages]) -> None:
        """Compile the augmentation and, for all patches, the network.

        With patch dropout the number of patches changes during the run, so those steps are not compiled.

        Raises:
            TrainingError: If compilation fails.
        """
        from torch._dynamo.exc import TorchDynamoException  # slow to import

        torch.compiler.reset()  # dynamo limits recompilations of a function, and the runs of a sweep share them
        self.compiled = torch.compile(self.wrapped, dynamic=False)
        self.augment = torch.compile(augment, dynamic=False)
        if self.teacher is not None:
            self.teacher.network.compile(dynamic=False)
        phases = {0.0, self.config.mix_until, self.config.patch_dropout_until}
        try:
            for progress, (images, labels) in itertools.product(phases, batches):
                self.compute_loss(images, labels, min(progress, 1.0)).backward()
        except TorchDynamoException as error:
            raise TrainingError(
                "The network must compile for this GPU: torch.compile failed with "
                f"{type(error).__name__}: {shorten(str(error), 200, placeholder=' ...')}. Turn compile off."
            ) from error
        self.training_module.zero_grad()

    def step(
        self,
        images: Tensor,
        labels: Tensor,
        progress: float,
        mid_step_progress: float,
        data_step: int,
    ) -> Tensor:
        """Take one step.

        Every process augments the whole batch, with the same draws, and trains on its shard: the result does not
        depend on the number of processes, but for draws within the network (dropout, masked patches).

        Args:
            images: The batch, the same in all processes, uint8 (B, 3, H, W).
            labels: (B,).
            progress: Used fraction of the budget, 0..1.
            mid_step_progress: Progress in the middle of the step, which sets the learning rate.
            data_step: Step whose augmentation is used.

        Returns:
            Loss of this process's shard (nats), weighted by its size; a GPU may still be computing it.
        """
        torch.manual_seed(step_seed(self.config.seed, data_step))
        weight = len(self.distributed.shard(labels)) * self.distributed.world_size / len(labels)  # they may differ by 1
        loss = self.compute_loss(images, labels, progress) * weight
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.training_module.parameters(), self.config.grad_clip_norm)
        self.set_lr(lr_factor(self.config, mid_step_progress))
        self.step_optimizers()
        self.training_module.zero_grad()
        self.update_ema()
        self.step_count += 1
        return loss.detach()

    def compute_loss(self, images: Tensor, labels: Tensor, progress: float) -> Tensor:
        """Augment a batch, uint8 (B, 3, H, W) with labels (B,), and return the loss of this process's shard (nats)."""
        config, shard = self.config, self.distributed.shard
        images, targets = self.augment(config, self.info, images, labels, progress < config.mix_until)
        seed = step_seed(config.seed, self.step_count)
        keep = None
        if config.objective == "classify":
            ratio = patch_keep_ratio(config, progress)
            keep = augmentation.sample_patches(len(images), config.model.num_patches, ratio, self.device)
        if self.distributed.world_size > 1:
            images, targets, keep = shard(images), shard(targets), None if keep is None else shard(keep)
            torch.manual_seed(seed + self.distributed.rank)
        with autocast(self.device, self.bfloat16):
            return self.forward_loss(images, targets, keep)

    def forward_loss(self, images: Tensor, targets: Tensor, keep: Tensor | None) -> Tensor:
        """Return the loss of normalized images (B, 3, H, W) with targets (B, K), with the patches `keep` (B, n)."""
        config = self.config
        if config.objective == "masked-patch":
            return self.compiled(images)[0]
        if self.teacher is not None:
            targets = self.teacher.mix(images, targets, config.distill_weight)
        network = self.compiled if keep is None else self.wrapped
        return F.cross_entropy(network(images, keep), targets, label_smoothing=config.label_smoothing)

    def set_lr(self, factor: float) -> None:
        """Set the learning rates to this fraction of their peaks."""
        for group in itertools.chain.from_iterable(optimizer.param_groups for optimizer in self.optimizers):
            group["lr"] = group["base_lr"] * factor

    def step_optimizers(self) -> None:
        """Update the weights from their gradients."""
        for optimizer in self.optimizers:
            with autocast(self.device, self.bfloat16):  # for the products of Muon
                optimizer.step()

    @torch.no_grad()
    def update_ema(self) -> None:
        """Update the EMA, whose decay grows from 0 at the first step to `config.ema_decay`.

        It equals `torch.optim.swa_utils.AveragedModel`, whose step counter synchronizes with the GPU at every step.
        """
        modules = self.ema_module, self.training_module
        averaged, weights = (list[Tensor](module.parameters()) for module in modules)
        warmup = (1 + self.step_count) / (10 + self.step_count) if self.step_count else 0.0
        torch._foreach_lerp_(averaged, weights, 1 - min(self.config.ema_decay, warmup))

    def get_state(self, counters: dict[str, float]) -> TrainerState:
        """Return the state from which the run resumes exactly; `counters` are those of the caller."""
        ema_extra = {}
        if self.ema_module is not self.ema_model:
            ema_extra = {n: w for n, w in self.ema_module.state_dict().items() if not n.startswith("vit.")}
        optimizers = [optimizer.state_dict()["state"] for optimizer in self.optimizers]
        return TrainerState(
            self.ema_model.state_dict(),
            ema_extra,
            dict(self.training_module.state_dict()),
            optimizers,
            counters | {"step_count": self.step_count, "bfloat16": self.bfloat16},
            self.teacher.record if self.teacher else None,
        )

    def load_state(self, state: TrainerState) -> None:
        """Restore a state returned by `get_state`.

        Raises:
            CheckpointError: If it has other tensors than the modules and the optimizers.
        """
        extra = {n: w for n, w in self.ema_module.state_dict().items() if not n.startswith("vit.")}
        if self.ema_module is not self.ema_model:
            check_same_tensors("ema_extra", state.ema_extra, extra)
        check_same_tensors("weights", state.weights, self.training_module.state_dict())
        if len(state.optimizers) != (len(self.optimizers) if state.counters["step_count"] else 0):
            raise CheckpointError("The saved state must have the tensors of all optimizers", field="optimizers")
        for optimizer, tensors in zip(self.optimizers, state.optimizers, strict=False):
            for index, found in tensors.items():
                check_same_tensors(f"optimizer {index}", found, optim.state_of(optimizer, index))
        self.training_module.load_state_dict(state.weights)
        self.ema_model.load_state_dict(state.ema_model)
        if self.ema_module is not self.ema_model:
            ema_model = {f"vit.{name}": weight for name, weight in state.ema_model.items()}
            self.ema_module.load_state_dict(ema_model | state.ema_extra)
        for optimizer, tensors in zip(self.optimizers, state.optimizers, strict=False):
            optimizer.load_state_dict({"state": tensors, "param_groups": optimizer.state_dict()["param_groups"]})
        self.step_count, self.bfloat16 = int(state.counters["step_count"]), bool(state.counters["bfloat16"])


def check_same_tensors(kind: str, found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    """Raise CheckpointError for the first tensor of a saved state that differs in name, shape or dtype."""
    hint = "Train again from the start with --restart."
    for name in sorted(expected.keys() | found.keys()):
        if name not in found or name not in expected:
            problem = "is missing" if name in expected else "is unexpected"
            raise CheckpointError(
                f"The saved state must have the tensors of the run: {kind} {name:.80} {problem}", hint
            )
        (shape, dtype), (other, kept) = ((list(one[name].shape), one[name].dtype) for one in (expected, found))
        if (shape, dtype) != (other, kept):
            problem = (
                f"The saved state of {kind} {name:.80} must be {dtype} of shape {shape}: got {kept} of {other!s:.80}"
            )
            raise CheckpointError(problem, hint, name)
