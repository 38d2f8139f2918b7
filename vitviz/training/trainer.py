"""Images and labels -> a network that learns from them, step by step, and the running average of its weights.

It knows how a step is taken: variation, loss, optimizers. What to learn from, and how much of the budget is spent by
then, is told by `loop`; run folders and clocks are none of its business.
"""

import copy
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.data import augmentation
from vitviz.data.datasets import CIFAR10, DatasetInfo, LabeledImages
from vitviz.models import checkpoint
from vitviz.models.config import ConvNetConfig
from vitviz.models.factory import create_model
from vitviz.models.vit import ViT
from vitviz.training import distillation, optim
from vitviz.training.config import TrainConfig, TrainingError
from vitviz.training.data import check_val_overlap, vary
from vitviz.training.device import is_bfloat16_faster, mixed_precision
from vitviz.training.distributed import Distributed
from vitviz.training.finetuning import freeze, load_backbone
from vitviz.training.masked_patches import MaskedPatches
from vitviz.training.schedule import patch_keep_ratio, schedule


@dataclass(frozen=True)
class State:
    """A training between two steps.

    Attributes:
        average: The running average of the weights, by name.
        weights: The weights themselves.
        optimizers: For each optimizer, for the position of each parameter, its tensors by name.
        counters: How far it is.
        teacher: What the record tells of its teacher; None without one.
    """

    average: dict[str, Tensor]
    weights: dict[str, Tensor]
    optimizers: list[dict[int, dict[str, Tensor]]]
    counters: dict[str, float]
    teacher: dict[str, Any] | None


class Trainer:
    """A network, its teacher if it has one, its optimizers, and the running average of its weights.

    Args:
        config: The recipe; its seed, which is set here, makes the first weights.
        distributed: The processes that learn together.
        about: The data set that the images are of.
        begins: Whether to take over the weights of `config.init_from`, if it names any; a saved state has its own, and
            outlives that checkpoint.

    Raises:
        ValueError: If start or teacher do not fit.
    """

    def __init__(
        self, config: TrainConfig, distributed: Distributed, about: DatasetInfo = CIFAR10, begins: bool = True
    ) -> None:
        self.config, self.distributed, self.device, self.about = config, distributed, distributed.device, about
        torch.manual_seed(config.seed)
        self.model = create_model(config.model).to(self.device)
        if begins and config.init_from is not None:
            source = checkpoint.load(config.init_from)
            check_val_overlap(config, about, source, "start")
            load_backbone(self.model, source)
        if config.freeze_backbone:
            freeze(self.model)
        self.teacher = distillation.load_teacher(config, about, self.device)
        self.average = copy.deepcopy(self.model).eval()
        self.trained: nn.Module = self.model  # with what only the objective needs
        if config.objective == "masked-patch":
            self.trained = MaskedPatches(cast(ViT, self.model), about.mean, about.std).to(self.device)
        self.optimizers = optim.create_optimizers(self.trained, config, distributed)
        self.bfloat16 = bool(distributed.broadcast(is_bfloat16_faster(self.device))[0])
        self.step_count = 0
        self.network: Callable[..., Any] = distributed.wrap_ddp(self.trained)
        self.compiled: Callable[..., Any] = self.network  # for all patches
        self.vary = vary
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")

    def prepare(self, parts: Iterable[LabeledImages]) -> None:
        """On a GPU compile what a step calls, if the recipe says so, for parts of batches of these sizes."""
        if self.device.type == "cuda" and self.config.compile:
            self.compile(parts)

    def compile(self, parts: Iterable[LabeledImages]) -> None:
        """Compile the augmentation and, for all patches, the network.

        While patches are dropped their number changes again and again: the network is not compiled for each.

        Raises:
            TrainingError: If that fails.
        """
        from torch._dynamo.exc import TorchDynamoException  # takes its time to import

        torch.compiler.reset()  # it compiles a function a few times only, and the runs of a sweep share them
        self.compiled, self.vary = torch.compile(self.network, dynamic=False), torch.compile(vary, dynamic=False)
        if self.teacher is not None:
            self.teacher.network.compile(dynamic=False)
        phases = {0.0, self.config.mix_until, self.config.patch_dropout_until}
        try:
            for share, (images, labels) in itertools.product(phases, parts):
                self.objective(images, labels, min(share, 1.0)).backward()
        except TorchDynamoException as error:
            reason = str(error).strip().partition("\n")[0]
            raise TrainingError(
                f"The network must compile for this GPU: {reason}. Leave that out with --set compile=false."
            ) from error
        self.trained.zero_grad()

    def step(self, images: Tensor, labels: Tensor, share: float, middle: float, weight: float = 1.0) -> Tensor:
        """Take a step.

        Args:
            images: This process's part of a batch, uint8 (B, 3, H, W).
            labels: (B,).
            share: Of the budget that is spent.
            middle: The share that is spent in the middle of the step, which sets the rate.
            weight: Of this part beside those of the other processes.

        Returns:
            Its loss, in nats, which a GPU may still be working on.
        """
        torch.manual_seed((self.config.seed * 1_000_003 + self.step_count) * 1009 + self.distributed.rank)
        loss = self.objective(images, labels, share) * weight
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained.parameters(), self.config.grad_clip_norm)
        self.set_rates(lr_factor(self.config, middle))
        self.update()
        self.trained.zero_grad()
        self.blend()
        self.step_count += 1
        return loss.detach()

    def objective(self, images: Tensor, labels: Tensor, share: float) -> Tensor:
        """The loss on uint8 images (B, 3, H, W) with labels (B,), varied anew, at a share of the budget; in nats."""
        images, targets = self.vary(self.config, self.about, images, labels, share < self.config.mix_until)
        with mixed_precision(self.device, self.bfloat16):
            return self.loss_of(images, targets, patch_keep_ratio(self.config, share))

    def loss_of(self, images: Tensor, targets: Tensor, kept: float) -> Tensor:
        """The loss on normalised images (B, 3, H, W), of whose patches this share is kept, and targets (B, K)."""
        config = self.config
        if config.objective == "masked-patch":
            return self.compiled(images)[0]
        if self.teacher is not None:
            targets = distillation.distillation_targets(self.teacher.network, images, targets, config.distill_weight)
        keep = None
        if not isinstance(config.model, ConvNetConfig):
            keep = augmentation.sample_patches(len(images), config.model.num_patches, kept, self.device)
        network = self.compiled if keep is None else self.network
        return F.cross_entropy(network(images, keep), targets, label_smoothing=config.label_smoothing)

    def set_rates(self, height: float) -> None:
        """Set the learning rates to this part of their peaks."""
        for chosen in self.optimizers:
            for group in chosen.param_groups:
                group["lr"] = group["base_lr"] * height

    def update(self) -> None:
        """Change the weights by their gradients."""
        for chosen in self.optimizers:
            with mixed_precision(self.device, self.bfloat16):  # the products of Muon
                chosen.step()

    @torch.no_grad()
    def blend(self) -> None:
        """Update the running average; its memory begins empty and grows from a few steps to the full length.

        As `torch.optim.swa_utils.AveragedModel` does, which makes a GPU wait at every step to count them.
        """
        grown = (1 + self.step_count) / (10 + self.step_count) if self.step_count else 0.0
        old: list[Tensor] = list(self.average.parameters())
        new: list[Tensor] = list(self.model.parameters())
        torch._foreach_lerp_(old, new, 1 - min(self.config.ema_decay, grown))

    @property
    def rate(self) -> float:
        """The learning rate of the first optimizer."""
        return self.optimizers[0].param_groups[0]["lr"]

    def state(self, counters: dict[str, float]) -> TrainerState:
        """All that decides how the training goes on; what `loop` counted is given."""
        weights = dict(self.trained.state_dict())
        states = [chosen.state_dict()["state"] for chosen in self.optimizers]
        counters = counters | {"step_count": self.step_count, "bfloat16": self.bfloat16}
        return TrainerState(self.average.state_dict(), weights, states, counters, distillation.describe_teacher(self.teacher))

    def restore(self, saved: TrainerState) -> None:
        """Go on from a saved state."""
        self.trained.load_state_dict(saved.weights)
        self.average.load_state_dict(saved.average)
        for chosen, state in zip(self.optimizers, saved.optimizers, strict=True):
            chosen.load_state_dict({"state": state, "param_groups": chosen.state_dict()["param_groups"]})
        self.step_count, self.bfloat16 = int(saved.counters["step_count"]), bool(saved.counters["bfloat16"])
