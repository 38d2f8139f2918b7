"""The training loop: data, step, schedule, EMA, log, snapshot, save, resume.

A step is augmentation, loss, backward pass, optimizer step and EMA update. The training set is one uint8 tensor, on the
device or mapped from a file, whose pages are read while the step before is computed. The result is the exponential
moving average (EMA) of the weights at the end. Under `torchrun` every process trains on its shard of each batch; the
main process keeps the clock and writes the files.

Sampling and augmentation of step n depend only on the seed and n, so a resumed run takes the same steps.
"""

import copy
import itertools
import math
import platform
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from textwrap import shorten
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Protocol, cast

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from vitviz.data import augmentation
from vitviz.data.datasets import LabeledImages
from vitviz.data.hub_datasets import public_name
from vitviz.errors import TrainingError, TrainingStopped
from vitviz.models.checkpoint import DECODER_PREFIX, Checkpoint
from vitviz.models.config import STRICT
from vitviz.models.factory import create_model
from vitviz.models.mae import Decoder, MaskedAutoencoder, freeze_head, reconstruct_images
from vitviz.models.vit import Transformer, ViT, set_fused_attn
from vitviz.training import optim
from vitviz.training.alarms import Alarm, first_of_kind, measure_signals
from vitviz.training.config import Fraction, TrainConfig
from vitviz.training.data import TrainingData, augment, balanced_weights, epoch_batches, read_ahead, step_seed
from vitviz.training.device import autocast, get_hardware_name, is_fused_attention_faster, use_bfloat16
from vitviz.training.distributed import Distributed
from vitviz.training.evaluation import NUM_EVAL_SAMPLES, measure_accuracy, measure_reconstruction
from vitviz.training.initial_weights import freeze_backbone, load_backbone, run_name
from vitviz.training.onednn import OneDNN, is_onednn_faster
from vitviz.training.signals import StopRequest
from vitviz.training.teacher import Teacher
from vitviz.training.timeline import Timeline, TimelineRecorder, create_recorder

LOG_INTERVAL = 2.0  # seconds; reading the loss synchronizes with the device
EVAL_INTERVAL = 20.0  # seconds between evaluations within an epoch
EVAL_FRACTION = 1 / 30  # of the duration between them, in long runs
LOWER_RATES = "Use lower learning rates; a state that was saved before is kept."
Metric = Annotated[float, Field(allow_inf_nan=True)] | None  # of another training loop as it reports it
Time = Annotated[float, Field(ge=0, lt=10**15)]


@dataclass(frozen=True)
class Progress:
    """Progress of a training run: one line of `metrics.jsonl`. What another training loop does not report is None."""

    __pydantic_config__: ClassVar[Any] = STRICT

    progress: Fraction = 0.0  # used fraction of the budget
    epoch: Time = 0.0  # epochs trained so far
    seconds: Time = 0.0  # training time so far, interruptions excluded
    loss: Metric = None  # mean loss since the previous line (nats)
    learning_rate: Metric = None  # learning rate of the first optimizer
    images_per_second: Metric = None  # throughput since this process started or resumed the run
    accuracy: Metric = None  # of the EMA weights on the first evaluation images, at ends of epochs and in between
    train_accuracy: Metric = None  # the same on the first training images, without augmentation, at ends of epochs
    # At a snapshot, of the weights without averaging; see `vitviz.training.alarms.Signals`.
    entropy: Metric = None  # of the attention divided by that of uniform attention, mean over the heads
    distance: Metric = None  # mean attention distance (px), mean over the heads
    min_distance: Metric = None  # of the head with the smallest one
    sink_share: Metric = None  # largest of all heads
    token_norm: Metric = None  # median after the last block
    alarms: tuple[Alarm, ...] = ()  # of kinds that have had none since this process started or resumed the run


@dataclass(frozen=True)
class State:
    """State of a training run between two steps, from which it resumes exactly."""

    ema: dict[str, Tensor]  # EMA of the weights, by name in the checkpoint
    weights: dict[str, Tensor]  # weights of the training module, by name
    optimizers: list[dict[int, dict[str, Tensor]]]  # state of each: tensors by name, by position of the parameter
    step_count: int
    seconds: float
    bfloat16: bool
    fused_attn: bool
    onednn: bool
    teacher: object  # its entry in the record; None without one
    timeline: Timeline | None = None  # None without a file


class Output(Protocol):
    """Where the main process writes; each method returns the seconds it waited for disk space."""

    def log(self, progress: Progress) -> float:
        """Append a line to the metrics."""

    def save_timeline(self, timeline: TimelineRecorder, compress: bool = False) -> float:
        """Write the timeline."""

    def save(self, result: Checkpoint, state: State | None) -> float:
        """Write the checkpoint, with the training state unless training is finished."""


def lr_factor(config: TrainConfig, progress: float) -> float:
    """Return the learning rate relative to its peak at a progress, 0..1: linear warmup, then `config.lr_schedule`."""
    if progress < config.warmup_fraction:
        return progress / config.warmup_fraction
    left = (1 - progress) / (1 - config.warmup_fraction)
    return {"linear": left, "cosine": 0.5 - 0.5 * math.cos(math.pi * left), "constant": 1.0}[config.lr_schedule]


def patch_keep_ratio(config: TrainConfig, progress: float) -> float:
    """Return the fraction of patches kept at a progress, 0..1: linear until `config.patch_dropout_until`, then 1."""
    if progress >= config.patch_dropout_until:
        return 1.0
    start, end = config.patch_keep_start, config.patch_keep_end
    return start + (end - start) * progress / config.patch_dropout_until


def choose_kernels(config: TrainConfig, distributed: Distributed) -> tuple[bool, bool, bool]:
    """Return whether products are in bfloat16, attention is fused, and linear layers are computed by oneDNN.

    The main process measures what is faster.
    """
    bfloat16 = fused = onednn = False
    if distributed.is_main_process:
        bfloat16, fused = use_bfloat16(config.precision, distributed.device), config.attention == "fused"
        if config.attention == "auto":
            shape = config.model, config.batch_size // distributed.world_size
            ratio = patch_keep_ratio(config, 0.5) if config.objective == "classify" else 1 - config.mask_ratio
            fused = is_fused_attention_faster(*shape, ratio, bfloat16, distributed.device)
        onednn = not bfloat16 and distributed.device.type == "cpu" and is_onednn_faster()
    bfloat16, fused, onednn = map(bool, distributed.broadcast(bfloat16, fused, onednn))
    return bfloat16, fused, onednn


class TrainingLoop:
    """A training run in progress.

    Args:
        config: Training config; its seed determines the initial weights.
        distributed: Process group.
        data: Images of the run.
        initial: Checkpoint whose backbone has the initial weights; None for random weights, or for a resumed run.
        teacher: Teacher for knowledge distillation.
        state: State of the run to resume.
        output: Where to write; None in processes that write nothing.

    Attributes:
        model: The network.
        training_module: The network, or the network with the parameters that only the objective has.
        ema_module: EMA of `training_module`, in eval mode.
        bfloat16: Whether matrix products are in bfloat16.
        fused_attn: Whether attention is computed by the fused kernel.
        onednn: Whether linear layers are computed by oneDNN.
        step_count: Number of steps taken.
        progress: Used fraction of the budget, 0..1, by the clock of the main process.

    Raises:
        ConfigError: If the network of `initial` is another one.
        CheckpointError: If `state` has other tensors than the modules and the optimizers.
    """

    def __init__(
        self,
        config: TrainConfig,
        distributed: Distributed,
        data: TrainingData,
        initial: Checkpoint | None = None,
        teacher: Teacher | None = None,
        state: State | None = None,
        output: Output | None = None,
    ) -> None:
        self.config, self.distributed, self.device = config, distributed, distributed.device
        self.info, self.eval_set, (self.images, self.labels) = data.info, data.eval, data.train
        self.teacher, self.output = teacher, output
        saved = None if state is None else (state.bfloat16, state.fused_attn, state.onednn)
        self.bfloat16, self.fused_attn, self.onednn = saved or choose_kernels(config, distributed)
        torch.manual_seed(config.seed)
        self.model = create_model(config.model).to(self.device)
        if initial is not None:
            load_backbone(self.model, initial)
        if config.freeze_backbone:
            freeze_backbone(self.model)
        self.training_module: nn.Module = self.model
        if config.decoder is not None:
            freeze_head(self.model)
            decoder = Decoder(config.model, config.decoder).to(self.device)
            self.training_module = MaskedAutoencoder(cast(ViT, self.model), decoder)
        set_fused_attn(self.training_module, self.fused_attn)
        self.ema_module = copy.deepcopy(self.training_module).eval()
        self.optimizers = optim.create_optimizers(self.training_module, config, distributed)
        self.wrapped: Callable[..., Any] = distributed.wrap_ddp(self.training_module)
        self.compiled: Callable[..., Any] = self.wrapped  # used for all patches
        self.augment = augment
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        self.timeline = create_recorder(config, self.info, self.eval_set)
        self.class_weights = None
        if config.class_weight == "balanced":
            self.class_weights = balanced_weights(self.labels, config.model.num_classes).to(self.device)
        short = len(self.labels) % config.global_batch_size  # dropped if some process would have no image of it
        self.samples_per_epoch = len(self.labels) - (short if short < distributed.world_size else 0)
        self.step_count, self.progress, self.resumed_seconds = 0, 0.0, 0.0
        self.loss, self.losses = float("nan"), list[Tensor]()  # the last one logged, and those of the steps since
        self.signals, self.alarmed = dict[str, Any](), set[str]()  # to be logged next; kinds of alarms so far
        self.start_time, self.last_logged = time.monotonic(), -math.inf  # log the first step immediately
        self.last_evaluated = self.start_time
        if state is not None:
            self.restore(state)
        self.resumed_images = self.images_seen

    @property
    def ema_model(self) -> Transformer:
        """EMA of the network, in eval mode, a part of `ema_module`."""
        return self.ema_module.vit if isinstance(self.ema_module, MaskedAutoencoder) else self.ema_module

    # --- the loop ---

    def run(self, stop: StopRequest) -> Iterator[Progress]:
        """Train until the budget is used or a stop is requested.

        Yields:
            Progress, about every `LOG_INTERVAL` seconds, at snapshots, and after the epochs that are evaluated.
        """
        if self.device.type == "cuda" and self.config.compile:
            self.compile()  # before the clock starts
        self.start_time = self.last_evaluated = time.monotonic()
        if self.step_count == 0 and self.timeline.is_due(0.0):
            self.record_snapshot()
        while self.progress < 1:
            for batch in read_ahead(self.images, self.batches()):
                self.step(batch)
                # Only the clock of the main process counts.
                clock = self.read_clock() if self.distributed.is_main_process else (0.0, False, False)
                self.progress, log_due, eval_due, stopping = self.distributed.all_reduce_max(*clock, stop.requested)
                if is_recorded := self.timeline.is_due(self.progress):
                    self.record_snapshot()
                if stopping and self.progress < 1 and not self.is_epoch_end:  # at the end there is nothing to resume
                    self.save_and_stop()
                if log_due or eval_due or (is_recorded and not self.is_epoch_end):
                    yield self.log("evaluation" if eval_due else "none")
                if self.progress >= 1:
                    break
            if self.progress >= 1 or self.completed_epochs % self.config.checkpoint_every_epochs == 0:
                yield self.log("both")
                self.save({})
            if stopping and self.progress < 1:
                self.save_and_stop()

    def read_clock(self) -> tuple[float, bool, bool]:
        """Return the used fraction of the budget, and whether to log, and to evaluate within an epoch."""
        progress, now = self.used_budget(), time.monotonic()
        interval = max(EVAL_INTERVAL, EVAL_FRACTION * self.seconds / max(progress, 1e-9))
        is_eval_due = now - self.last_evaluated > interval and progress < 1 and not self.is_epoch_end
        return progress, now - self.last_logged > LOG_INTERVAL, is_eval_due

    def finish(self) -> None:
        """Evaluate the result and write the final checkpoint, without the training state."""
        if self.distributed.is_main_process:
            if self.timeline.snapshots and self.output is not None:
                self.output.save_timeline(self.timeline, compress=True)
            seconds = round(self.seconds, 1)  # without the evaluation
            results = {**self.evaluate(), "eval_samples": len(self.eval_set[1]), "seconds": seconds}
            self.save(results, finished=True)
        self.distributed.broadcast(0.0)  # the others wait for the checkpoint

    # --- data ---

    def batches(self) -> list[Tensor]:
        """Return the remaining batches of this epoch: indices (B,) of images, the same in all processes."""
        batches = epoch_batches(self.config, self.labels, self.completed_epochs)
        return list(batches[self.step_count % self.steps_per_epoch : self.steps_per_epoch])

    def load(self, batch: Tensor) -> LabeledImages:
        """Return the images and labels with indices (B,), on the device."""
        return self.images[batch].to(self.device), self.labels[batch].to(self.device)

    @property
    def steps_per_epoch(self) -> int:
        """Steps of an epoch."""
        return math.ceil(self.samples_per_epoch / self.config.global_batch_size)

    @property
    def completed_epochs(self) -> int:
        """Number of completed epochs, the index of the present one."""
        return self.step_count // self.steps_per_epoch

    @property
    def is_epoch_end(self) -> bool:
        """Whether no batch of the epoch is left."""
        return self.step_count % self.steps_per_epoch == 0

    @property
    def images_seen(self) -> int:
        """Images trained on so far."""
        position = self.step_count % self.steps_per_epoch
        return self.completed_epochs * self.samples_per_epoch + position * self.config.global_batch_size

    # --- step ---

    def step(self, batch: Tensor) -> None:
        """Take one step on the images with indices (B,).

        Every process augments the whole batch, with the same draws, and trains on its shard: the result does not
        depend on the number of processes, but for draws within the network (dropout).
        """
        torch.manual_seed(step_seed(self.config.seed, self.data_step))
        loss = self.backward(*self.load(batch), self.progress)
        self.set_lr(lr_factor(self.config, self.mid_step_progress(batch)))
        self.update_weights()
        self.training_module.zero_grad()
        self.losses.append(loss)  # a GPU may still be computing it
        self.step_count += 1

    @property
    def data_step(self) -> int:
        """Step that determines the draws of the augmentation; it counts batches that are dropped, too."""
        all_batches = math.ceil(len(self.labels) / self.config.global_batch_size)
        return self.completed_epochs * all_batches + self.step_count % self.steps_per_epoch

    def backward(self, images: Tensor, labels: Tensor, progress: float) -> Tensor:
        """Compute the gradients of a batch, uint8 (B, 3, H, W) with labels (B,), which is augmented before.

        They are accumulated over `grad_accum_steps` parts of this process's shard, which need less memory.

        Returns:
            The loss of the shard.
        """
        config, shard = self.config, self.distributed.shard
        images, soft_labels = self.augment(config, self.info, images, labels, progress < config.mix_until)  # (B, K)
        B, N, noise, keep = len(images), config.model.num_patches, None, None
        if config.objective == "mae":
            noise = torch.rand(B, N, device=self.device)
        else:
            keep = augmentation.sample_patches(B, N, patch_keep_ratio(config, progress), self.device)
        if self.distributed.world_size > 1:
            torch.manual_seed(step_seed(config.seed, self.step_count) + self.distributed.rank)
        values = (images, soft_labels, noise, keep)
        parts = [itertools.repeat(None) if v is None else shard(v).chunk(config.grad_accum_steps) for v in values]
        total, left = torch.zeros((), device=self.device), len(shard(labels))
        for part in zip(*parts, strict=False):
            weight = len(part[0]) * self.distributed.world_size / len(labels)  # shards and parts may differ by 1
            left -= len(part[0])
            with self.distributed.sync_gradients(self.wrapped, is_due=not left):
                loss = self.compute_loss(*part) * weight
                loss.backward()
            total += loss.detach()
        return total

    def compute_loss(
        self, images: Tensor, soft_labels: Tensor, noise: Tensor | None = None, keep: Tensor | None = None
    ) -> Tensor:
        """Return the loss of augmented images (B, 3, H, W) with soft labels (B, K); others as drawn by `backward`."""
        config = self.config
        with autocast(self.device, self.bfloat16), OneDNN() if self.onednn else nullcontext():
            if noise is not None:
                return self.compiled(images, noise, config.mask_ratio)
            if self.teacher is not None:
                soft_labels = self.teacher.mix(images, soft_labels, config.distill_weight)
            network = self.compiled if keep is None else self.wrapped
            logits = network(images, keep)
            return F.cross_entropy(logits, soft_labels, self.class_weights, label_smoothing=config.label_smoothing)

    def update_weights(self) -> None:
        """Update the weights from their gradients, and the EMA."""
        torch.nn.utils.clip_grad_norm_(self.training_module.parameters(), self.config.grad_clip_norm)
        for optimizer in self.optimizers:
            with autocast(self.device, self.bfloat16):  # for the products of Muon
                optimizer.step()
        self.update_ema()

    def compile(self) -> None:
        """Compile the augmentation and, for all patches, the network, for the batches of the run.

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
        sizes = {len(batch): batch for batch in self.batches()}
        try:
            for progress, batch in itertools.product(phases, sizes.values()):
                self.backward(*self.load(batch), min(progress, 1.0))
        except TorchDynamoException as error:
            raise TrainingError(
                "The network must compile for this GPU: torch.compile failed with "
                f"{type(error).__name__}: {shorten(str(error), 200, placeholder=' ...')}. Turn compile off."
            ) from error
        self.training_module.zero_grad()

    # --- schedule ---

    @property
    def seconds(self) -> float:
        """Training time so far, interruptions excluded."""
        return self.resumed_seconds + time.monotonic() - self.start_time

    @property
    def epoch(self) -> float:
        """Epochs trained so far."""
        return self.images_seen / len(self.labels)

    def used_budget(self) -> float:
        """Return the used fraction of the budget, 0..1."""
        epochs, minutes = self.config.epochs or 1, self.config.minutes
        return min(1.0, self.epoch / epochs if minutes is None else self.seconds / (60 * minutes))

    def mid_step_progress(self, batch: Tensor) -> float:
        """Return the progress in the middle of a step, so that a run of a single step has a learning rate above 0.

        With a budget in minutes it is the progress at the start of the step, whose duration is not known yet.
        """
        if self.config.epochs is None:
            return self.progress
        end = (self.images_seen + len(batch)) / (len(self.labels) * self.config.epochs)
        return (self.progress + min(1.0, end)) / 2

    @property
    def lr(self) -> float:
        """Learning rate of the first optimizer; with layer decay that of its last layer."""
        return max(group["lr"] for group in self.optimizers[0].param_groups)

    def set_lr(self, factor: float) -> None:
        """Set the learning rates to this fraction of their peaks."""
        for group in itertools.chain.from_iterable(optimizer.param_groups for optimizer in self.optimizers):
            group["lr"] = group["base_lr"] * factor

    # --- EMA ---

    @torch.no_grad()
    def update_ema(self) -> None:
        """Update the EMA, whose decay grows from 0 at the first step to `config.ema_decay`.

        It equals `torch.optim.swa_utils.AveragedModel`, whose step counter synchronizes with the GPU at every step.
        """
        modules = self.ema_module, self.training_module
        averaged, weights = (list[Tensor](module.parameters()) for module in modules)
        warmup = (1 + self.step_count) / (10 + self.step_count) if self.step_count else 0.0
        torch._foreach_lerp_(averaged, weights, 1 - min(self.config.ema_decay, warmup))

    # --- log and snapshot ---

    def log(self, evaluate: Literal["none", "evaluation", "both"] = "none") -> Progress:
        """Append a line to the metrics; of a classification with accuracy on images of the sets to `evaluate`.

        Args:
            evaluate: Neither, the evaluation set, or both it and the training set.

        Raises:
            TrainingError: If the loss is NaN or infinite.
        """
        if self.losses:
            losses = torch.stack(self.losses).tolist()
            self.losses.clear()
            self.loss = self.distributed.all_reduce_mean(sum(losses) / len(losses))
            if not math.isfinite(self.loss):
                finite = len(list(itertools.takewhile(math.isfinite, losses[:-1])))
                step = self.step_count - len(losses) + 1 + finite
                where = f"step {step}, epoch {step / self.steps_per_epoch:.2f}"
                raise TrainingError(f"The loss is {self.loss} at {where}.", LOWER_RATES)
        sets = [self.eval_set, (self.images, self.labels)][: ("none", "evaluation", "both").index(evaluate)]
        is_measured = self.distributed.is_main_process and self.config.objective == "classify"
        subsets = [(x[:NUM_EVAL_SAMPLES], y[:NUM_EVAL_SAMPLES]) for x, y in sets if is_measured]
        accuracies = [measure_accuracy(self.result({}), x, y) for x, y in subsets]
        self.last_logged = time.monotonic()
        self.last_evaluated = self.last_logged if sets else self.last_evaluated
        images, seconds = self.images_seen - self.resumed_images, self.seconds - self.resumed_seconds
        speed = images / seconds if images else self.images_seen / self.seconds
        measured: dict[str, Any] = dict(zip(("accuracy", "train_accuracy"), accuracies, strict=False)) | self.signals
        progress = Progress(self.progress, self.epoch, self.seconds, self.loss, self.lr, speed, **measured)
        self.signals = {}
        if self.output is not None:
            self.start_time += self.output.log(progress)
        return progress

    def record_snapshot(self) -> None:
        """Record a snapshot of the EMA model and write the timeline; measure the signals of the model."""
        images, mask = self.timeline.images, self.timeline.mask
        reconstruction = None if mask is None else reconstruct_images(self.result({}), images, mask)
        self.timeline.record(self.ema_model, self.epoch, self.seconds, reconstruction)
        if self.output is not None:
            self.start_time += self.output.save_timeline(self.timeline)
        if self.distributed.is_main_process:
            found = measure_signals(self.model, self.timeline.inputs)
            new = first_of_kind(found.alarms(self.epoch), self.alarmed)
            self.signals = {**found.summary(), "alarms": (*self.signals.get("alarms", ()), *new)}

    # --- save and resume ---

    def save_and_stop(self) -> NoReturn:
        """Save the state and raise `TrainingStopped`."""
        if self.losses:  # the metrics end at the saved state
            self.log()
        self.save({})
        raise TrainingStopped(
            f"Stopped at epoch {self.epoch:.1f}, {100 * self.progress:.0f} % of the budget; the state is saved. Resume "
            f"with: python -m vitviz train --resume --output-dir {shlex.quote(str(self.config.folder))}"
        )

    def save(self, results: dict[str, Any], finished: bool = False) -> None:
        """Write the checkpoint, with the training state unless training is finished.

        Raises:
            TrainingError: If a weight is NaN or infinite.
        """
        if self.output is None:
            return
        if not all(weight.isfinite().all() for weight in self.ema_module.parameters()):
            raise TrainingError(f"A weight is NaN or infinite after step {self.step_count}.", LOWER_RATES)
        state = None if finished else self.get_state()
        self.start_time += self.output.save(self.result(self.record() | results), state)

    def get_state(self) -> State:
        """Return the state from which the run resumes exactly."""
        return State(
            ema=self.result({}).tensors,
            weights=dict(self.training_module.state_dict()),
            optimizers=[optimizer.state_dict()["state"] for optimizer in self.optimizers],
            step_count=self.step_count,
            seconds=self.seconds,
            bfloat16=self.bfloat16,
            fused_attn=self.fused_attn,
            onednn=self.onednn,
            teacher=self.teacher.record if self.teacher else None,
        )

    def restore(self, state: State) -> None:
        """Restore a state returned by `get_state`.

        Raises:
            CheckpointError: If it has other tensors than the modules and the optimizers.
        """
        optim.check_same_tensors("weights", state.weights, self.training_module.state_dict())
        self.training_module.load_state_dict(state.weights)
        optim.check_same_tensors("ema", state.ema, self.result({}).tensors)
        ema = state.ema
        if self.ema_module is not self.ema_model:
            ema = {name if name.startswith(DECODER_PREFIX) else f"vit.{name}": w for name, w in ema.items()}
        self.ema_module.load_state_dict(ema)
        optim.load_states(self.optimizers, state.optimizers, has_stepped=state.step_count > 0)
        self.step_count, self.resumed_seconds = state.step_count, state.seconds
        self.progress = self.used_budget()
        if self.config.num_snapshots:
            self.timeline.restore(state.timeline, self.epoch, self.progress)

    def result(self, record: dict[str, Any]) -> Checkpoint:
        """Return the EMA model as a checkpoint."""
        name, info, decoder = self.config.folder.name, self.info, getattr(self.ema_module, "decoder", None)
        return Checkpoint(name, self.ema_model, info.classes, info.mean, info.std, record, decoder=decoder)

    def evaluate(self) -> dict[str, float]:
        """Return accuracy, or reconstruction loss, of the EMA weights on the whole evaluation set, by its name."""
        images, labels = self.eval_set
        if self.config.objective == "mae":
            return {"reconstruction_loss": measure_reconstruction(self.result({}), images, self.config.mask_ratio)}
        name = "val_accuracy" if self.config.val_size else "test_accuracy"
        return {name: measure_accuracy(self.result({}), images, labels)}

    def record(self) -> dict[str, Any]:
        """Return the training record for the checkpoint's metadata, without local paths."""
        return {
            "dataset": self.info.name,
            "dataset_fingerprint": self.info.fingerprint,
            "train_samples": len(self.labels),
            "epochs": round(self.epoch, 2),
            "steps": self.step_count,
            "seconds": round(self.seconds, 1),
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "hardware": get_hardware_name(self.device),
            "processes": self.distributed.world_size,
            "precision": "bfloat16" if self.bfloat16 else "float32",
            "attention": "fused" if self.fused_attn else "explicit",
            "linear": "onednn" if self.onednn else "default",
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {"python": platform.python_version(), "torch": torch.__version__},
            "train_config": public_config(self.config),
            "teacher": self.teacher.record if self.teacher else None,
        }


def public_config(config: TrainConfig) -> dict[str, Any]:
    """Return the fields of a config for the training record: without network and teacher, and without local paths."""
    private = ("model", "data", "output_dir", "teacher")
    found = {name: value for name, value in asdict(config).items() if name not in private}
    init_from = run_name(config.init_from) if config.init_from else None
    return found | {"dataset": public_name(config.dataset), "init_from": init_from}
