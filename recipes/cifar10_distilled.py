"""CIFAR-10: a convnet teacher, its soft labels, and a ViT that learns from them. Not part of the package.

    python -m recipes.cifar10_distilled teacher teacher.safetensors
    python -m recipes.cifar10_distilled labels soft.safetensors --teacher teacher.safetensors
    python -m recipes.cifar10_distilled student student.safetensors --labels soft.safetensors \
        --set init_from=cifar10-ti4 lr=0.001 muon_lr=0.001

`--set NAME=VALUE ...` sets fields of the training config, as in `vitviz train`; a student sees the views of its labels.

| step, on two cores of an AMD EPYC (Zen 4), bfloat16 | minutes | test accuracy, one run, seed 0 |
|---|---|---|
| teacher, 20 epochs | 73 | 94.89 % (94.93 % with `--bfloat16`, as shipped) |
| student, 66.8 epochs from `cifar10-ti4`, rates of 0.001, soft labels of the shipped teacher; CutMix to the end, \
weight decay 0.05, label smoothing 0.1 | 100 | 93.33 % (93.25 % before) |

At 90 epochs from scratch, a weight decay of 0.2, no smoothing, and no CutMix in the last 15 % gained 0.97 points on a
GPU (docs/experiments.md); they are the student's settings since.

The shipped `cifar10-ti4` (93.25 %, 176 minutes of two cores of a Zen 5) is the student of an earlier teacher (93.01 %),
trained by the package alone: `python -m vitviz train --minutes 176 --cutmix-prob 1 --teacher TEACHER`. Soft labels save
the teacher's forward pass in each step (0.5 of 1.8 ms per image with a teacher of 2 M parameters).

The teacher is the network of Jordan 2024 (arXiv 2404.00498) for 95 %: whitened 2 x 2 patches, convolutions that start
as identities, BatchNorm with a bias only; SGD with Nesterov momentum, 64 times the learning rate for these biases,
lookahead (Zhang et al. 2019, arXiv 1907.08610), alternating flips. Only the bias of the first layer is missing, images
are shifted by 4 pixels, not 2, and the learning rate starts and ends at zero.

Soft labels: order and augmentation of a step depend on the seed and the step alone. So the teacher's probabilities for
the first epochs are computed once, and the student repeats these epochs in cycles (Shen & Xing 2022, arXiv 2112.01528),
with other patches dropped in each; those of its last 15 % have no CutMix. Labels that are smoothed are so before they
are mixed with the teacher's; in the recorded runs the mixture was.

A student starts from any checkpoint with its network, for example a masked autoencoder (docs/experiments.md). Long
training is done in stages: the student's file is written after each epoch, and `--set init_from=FILE --first-epoch N`
goes on from there, with all options as before but labels of another seed, which are of new views. Only the momentum of
the optimizers is lost. The shipped `cifar10-ti9` (nine layers, 95.04 %) was trained so (checkpoints/README.md). Its
last two runs, of 70 and 75 epochs, have labels of two teachers, which err on different images: the convnet and the
previous student (94.44 and 94.89 %).

Hints (`labels --hints`) are feature maps of the first teacher, which the student's patch tokens learn to predict
(`recipes/hints.py`); within ten minutes they gain about four points, and a student of 94.40 % trained on with
them had 93.87 % (94.17 % without). `--set minutes=M` trains a student by the clock. docs/experiments.md has the
commands and figures.
"""

import argparse
import copy
import itertools
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from recipes.hints import Hints, MapRecorder
from vitviz.data import augmentation
from vitviz.data.datasets import CIFAR10, LabeledImages
from vitviz.errors import ConfigError, VitvizError
from vitviz.malloc import keep_freed_memory
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import create_model
from vitviz.training.config import TrainConfig, apply_overrides, parse_overrides
from vitviz.training.convnet import PATCH, BatchNorm, ConvNet, ConvNetConfig
from vitviz.training.data import TrainingData, augment, epoch_batches, load_training_data, step_seed
from vitviz.training.device import autocast, choose_device, get_hardware_name, use_bfloat16
from vitviz.training.distributed import Distributed
from vitviz.training.evaluation import measure_accuracy
from vitviz.training.initial_weights import load_backbone, load_initial, use_init_model
from vitviz.training.loop import lr_factor, patch_keep_ratio, public_config
from vitviz.training.optim import create_optimizers
from vitviz.training.teacher import load_teacher

# The learning rate of the paper is 10 per 1,024 images, with PyTorch's SGD 10 * 1000 / (1024 * (1 + 1 / 0.15)).
TEACHER = TrainConfig(
    epochs=20,
    batch_size=1000,
    lr=1.27,
    weight_decay=0.0015,
    warmup_fraction=0.23,
    randaug_num_ops=0,
    cutmix_prob=0.0,
    label_smoothing=0.2,
)
STUDENT = TrainConfig(epochs=100, cutmix_prob=1.0, weight_decay=0.2, label_smoothing=0.0)
DATA = ("seed", "val_size", "max_train_samples", "batch_size", "sampler")
# Fields that decide which views the labels of a step are of.
VIEWS = (*DATA, "randaug_num_ops", "randaug_magnitude", "cutmix_prob", "mixup_prob", "random_erasing_prob")
# Fields that the steps read.
COMMON = ("data", "device", "precision", "epochs")
TEACHER_FIELDS = (*COMMON, *DATA, "lr", "weight_decay", "lr_schedule", "warmup_fraction", "label_smoothing")
LABELS_FIELDS = (*COMMON, *VIEWS)
STUDENT_FIELDS = (
    *(*COMMON, *VIEWS, "minutes", "model", "init_from", "optimizer", "lr", "muon_lr", "weight_decay", "layer_decay"),
    *("lr_schedule", "warmup_fraction", "grad_clip_norm", "label_smoothing", "distill_weight", "mix_until"),
    *("patch_keep_start", "patch_keep_end", "patch_dropout_until", "ema_decay"),
)
MOMENTUM = 0.85
BATCHNORM_BIAS_LR = 64  # relative to the other parameters
LOOKAHEAD_STEPS, LOOKAHEAD_DECAY = 5, 0.95**5
TEACHER_FILE = "checkpoints/teachers/cifar10-teacher.safetensors"
NUM_WHITENING_IMAGES, WHITENING_EPS = 5000, 5e-4  # the latter is added to the variances of the components


def init_convnet(network: ConvNet, images: Tensor) -> None:
    """Start convolutions as identities of their first channels, and whiten normalized images (n, 3, H, W).

    The outputs of the first layer over all 2 x 2 patches have variance one and are uncorrelated (section 3.2).
    """
    for name, weight in network.named_parameters():
        if "conv" in name:
            nn.init.dirac_(weight.data[: weight.shape[1]])
    patches = F.unfold(images, PATCH).transpose(1, 2).flatten(0, 1)  # (n * patches, 12)
    variances, components = torch.linalg.eigh(patches.T @ patches / len(patches))
    filters = (components / (variances + WHITENING_EPS).sqrt()).T.view(-1, 3, PATCH, PATCH)
    network.stem.weight.data.copy_(torch.cat([filters, -filters]))
    network.stem.requires_grad_(False)


def alternating_flip(images: Tensor, indices: Tensor, epoch: int, seed: int) -> Tensor:
    """Flip a random half of the images (B, C, H, W) in even epochs and the other half in odd ones (section 3.6).

    A hash of `seed` and an image's index in the dataset, `indices` (B,), decides its half.
    """
    mixed = (indices + seed) * 0x9E3779B1 % 2**32  # Fibonacci hashing (Knuth, TAOCP 3, section 6.4), twice
    mixed = (mixed ^ (mixed >> 15)) * 0x85EBCA77 % 2**32
    flipped = (mixed >> 31) ^ (epoch % 2)  # (B,)
    return torch.where(flipped[:, None, None, None].bool(), images.flip(-1), images)


def create_sgd(network: ConvNet, config: TrainConfig) -> torch.optim.SGD:
    """Create SGD, whose `base_lr` is the peak learning rate; biases of BatchNorm decay as fast as the others."""
    biases = [norm.bias for norm in network.modules() if isinstance(norm, BatchNorm)]
    weights = [p for p in network.parameters() if p.requires_grad and p.ndim > 1]
    groups = [
        {"params": weights, "lr": config.lr, "weight_decay": config.weight_decay},
        {
            "params": biases,
            "lr": config.lr * BATCHNORM_BIAS_LR,
            "weight_decay": config.weight_decay / BATCHNORM_BIAS_LR,
        },
    ]
    optimizer = torch.optim.SGD(groups, momentum=MOMENTUM, nesterov=True)
    for group in optimizer.param_groups:
        group["base_lr"] = group["lr"]
    return optimizer


def epochs_seen(config: TrainConfig, num_samples: int, steps: int) -> float:
    """Return the number of epochs in a number of steps."""
    epochs, batches = divmod(steps, math.ceil(num_samples / config.batch_size))
    return epochs + batches * config.batch_size / num_samples


def steps(config: TrainConfig, num_samples: int, first: int = 0) -> Iterator[tuple[int, int, float, float]]:
    """Generate epoch, position in it, and progress of the budget (0..1) at the start and in the middle of each step."""
    per_epoch = math.ceil(num_samples / config.batch_size)
    start = time.monotonic()
    for step in itertools.count(first):
        epoch, position = divmod(step, per_epoch)
        minutes = (time.monotonic() - start) / 60
        if config.minutes is None:
            before, after = (epochs_seen(config, num_samples, step + i) / (config.epochs or 1) for i in (0, 1))
        else:
            before = after = minutes / config.minutes
        if step and position == 0:
            print(f"epoch {epoch}, {minutes:.1f} minutes", flush=True)
        if before >= 1:
            break
        yield epoch, position, before, (before + min(1.0, after)) / 2


def update(optimizers: list[Any], factor: float, bfloat16: bool, device: torch.device) -> None:
    """Step the optimizers at a fraction of their peak learning rates."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = group["base_lr"] * factor
        with autocast(device, bfloat16):
            optimizer.step()
        optimizer.zero_grad()


def train_teacher(config: TrainConfig, model: ConvNetConfig, data: LabeledImages) -> ConvNet:
    """Train a convnet on images, uint8 (n, 3, H, W), and labels (n,), and return its EMA."""
    images, labels = data
    device, bfloat16 = images.device, use_bfloat16(config.precision, images.device)
    torch.manual_seed(config.seed)
    network = ConvNet(model).to(device)
    init_convnet(network, augmentation.normalize(images[:NUM_WHITENING_IMAGES], CIFAR10.mean, CIFAR10.std))
    ema = copy.deepcopy(network).eval()
    averaged, weights = ([*module.parameters(), *module.buffers()] for module in (ema, network))
    optimizer = create_sgd(network, config)
    for step, (epoch, position, _, middle) in enumerate(steps(config, len(labels))):
        batch = epoch_batches(config, labels, epoch)[position]
        torch.manual_seed(step_seed(config.seed, step))
        flipped = alternating_flip(images[batch], batch, epoch, config.seed)
        inputs = augmentation.random_crop_and_flip(flipped, flip_prob=0.0)
        inputs = augmentation.normalize(inputs, CIFAR10.mean, CIFAR10.std)
        soft_labels = augmentation.one_hot(labels[batch], model.num_classes)
        with autocast(device, bfloat16):
            loss = F.cross_entropy(network(inputs), soft_labels, label_smoothing=config.label_smoothing)
        loss.backward()
        update([optimizer], lr_factor(config, middle), bfloat16, device)
        if step < LOOKAHEAD_STEPS or (step + 1) % LOOKAHEAD_STEPS == 0:
            with torch.no_grad():
                torch._foreach_lerp_(averaged, weights, 1 - LOOKAHEAD_DECAY * middle**3)
                torch._foreach_copy_(weights, averaged)
    return ema


@torch.no_grad()
def compute_labels(config: TrainConfig, teachers: Sequence[nn.Module], data: LabeledImages, mix: bool) -> Tensor:
    """Return log-probabilities of augmented images, float16 (epochs, n, K), for `config.epochs`.

    They are of the teachers' mean probabilities; the second, fourth, ... teacher sees the mirror images.
    """
    images, labels = data
    device, bfloat16 = images.device, use_bfloat16(config.precision, images.device)
    found = []
    for step, (epoch, position, _, _) in enumerate(steps(config, len(labels))):
        batch = epoch_batches(config, labels, epoch)[position]
        torch.manual_seed(step_seed(config.seed, step))
        inputs, _ = augment(config, CIFAR10, images[batch], labels[batch], mix)
        with autocast(device, bfloat16):
            views = itertools.cycle((inputs, inputs.flip(-1)))
            each = [teacher(view).float().log_softmax(-1) for teacher, view in zip(teachers, views, strict=False)]
        found.append((torch.stack(each).logsumexp(0) - math.log(len(each))).half().cpu())
    return torch.cat(found).unflatten(0, (-1, len(labels)))


def train_student(
    config: TrainConfig,
    soft: Sequence[Tensor],
    data: LabeledImages,
    initial: Checkpoint | None = None,
    temperature: float = 1.0,
    first_epoch: int = 0,
    keep_weights: Callable[[Any, int], None] = lambda network, epoch: None,
    maps: Sequence[Tensor] = (),
) -> tuple[Any, float]:
    """Train a ViT on log-probabilities of a teacher, (epochs, n, K), and return its EMA and the epochs it saw.

    At a temperature T both are divided by it and the loss is multiplied by T^2 (Hinton et al. 2015, section 2.1).

    Args:
        config: Its budget are the epochs of all stages, or minutes.
        soft: Log-probabilities of images without CutMix, and with it if it is used.
        data: Images, uint8 (n, 3, H, W), and labels (n,).
        initial: Checkpoint to start from: its backbone, or in a later stage all weights.
        temperature: T.
        first_epoch: First epoch of this stage.
        keep_weights: Called with the EMA and the epochs trained so far after each epoch but the last.
        maps: Feature maps of the teacher for hints, (epochs, n, s * s, C), of the same images as `soft`.
    """
    images, labels = data
    device, bfloat16 = images.device, use_bfloat16(config.precision, images.device)
    torch.manual_seed(config.seed)
    network = create_model(config.model).to(device)
    if initial is not None and first_epoch:
        network.load_state_dict(initial.network.state_dict())
    elif initial is not None:
        load_backbone(network, initial)
    ema = copy.deepcopy(network).eval()
    averaged, weights = (list[Tensor](module.parameters()) for module in (ema, network))
    optimizers = create_optimizers(network, config, Distributed(device.type))
    hints = Hints(network, maps[0].shape[3]) if maps else None
    if hints is not None:
        group = {"params": [*hints.parameters()], "lr": config.lr, "base_lr": config.lr, "weight_decay": 0.0}
        optimizers[-1].add_param_group(group)
    per_epoch = math.ceil(len(labels) / config.batch_size)
    first = first_epoch * per_epoch
    for step, (epoch, position, progress, middle) in enumerate(steps(config, len(labels), first), first):
        if position == 0 and step > first:
            keep_weights(ema, epoch)
        mix = progress < config.mix_until
        part = int(mix) if len(soft) > 1 else 0
        cycle = epoch % len(soft[part])
        batches = epoch_batches(config, labels, cycle)
        batch, start = batches[position], position * config.batch_size
        rows = slice(start, start + len(batch))
        torch.manual_seed(step_seed(config.seed, cycle * per_epoch + position))
        inputs, soft_labels = augment(config, CIFAR10, images[batch], labels[batch], mix)
        targets = soft[part][cycle, rows].to(device).float() / temperature
        torch.manual_seed(step_seed(config.seed, step) + 1)  # other patches are dropped in each cycle
        ratio = patch_keep_ratio(config, progress)
        keep = augmentation.sample_patches(len(batch), config.model.num_patches, ratio, device)
        with autocast(device, bfloat16):
            logits = network(inputs, keep).float()
            of_labels = F.cross_entropy(logits, soft_labels, label_smoothing=config.label_smoothing)
            of_teacher = F.cross_entropy(logits / temperature, targets.softmax(-1)) * temperature**2
            loss = of_labels.lerp(of_teacher, config.distill_weight)
            if hints is not None:
                loss = loss + hints.loss(maps[part][cycle, rows], keep)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), config.grad_clip_norm)
        update(optimizers, lr_factor(config, middle), bfloat16, device)
        taken = step - first
        decay = min(config.ema_decay, (1 + taken) / (10 + taken) if taken else 0.0)
        with torch.no_grad():
            torch._foreach_lerp_(averaged, weights, 1 - decay)
    return ema, config.epochs or epochs_seen(config, len(labels), step + 1)


def save(
    network: Any,
    epochs: float | None,
    path: Path,
    record: dict[str, Any],
    bfloat16: bool,
    test: LabeledImages | None = None,
) -> None:
    """Write a checkpoint, with the accuracy of the weights as written if test or held-out images are given."""
    network = copy.deepcopy(network)
    if bfloat16:
        network.bfloat16().float()
    weights = list(network.parameters())
    record = record | {
        "epochs": epochs,
        "parameters": sum(p.numel() for p in weights),
        "hardware": get_hardware_name(weights[0].device),
    }
    result = Checkpoint(path.stem, network, CIFAR10.classes, CIFAR10.mean, CIFAR10.std, record)
    if test is not None:
        name = "val_accuracy" if record["train_config"]["val_size"] else "test_accuracy"
        record[name] = measure_accuracy(result, *test)
        print(f"{path}: {name} {100 * record[name]:.2f} %")
    if bfloat16:
        network.bfloat16()
    checkpoint.save(result, path)


def configure(base: TrainConfig, overrides: list[str], used: Sequence[str]) -> TrainConfig:
    """Apply overrides, NAME=VALUE.

    Raises:
        ConfigError: If a field is unknown or not used by the step, or a value is invalid.
    """
    own, model = parse_overrides(overrides)
    given = own | {f"model.{name}": value for name, value in model.items()}
    for name, value in given.items():
        if name.partition(".")[0] not in used:
            raise ConfigError(name, f"is not used by this step: got {value}", "Omit it.")
    return apply_overrides(base, overrides)


def new_record(config: TrainConfig, data: TrainingData, **entries: Any) -> dict[str, Any]:
    """Return the training record as it is before training."""
    size = {"dataset": CIFAR10.name, "train_samples": len(data.train[1])}
    return size | {"train_config": public_config(config)} | entries


def run_teacher(options: argparse.Namespace) -> None:
    """Train a convnet and write its checkpoint."""
    config = configure(TEACHER, options.set, TEACHER_FIELDS)
    data = load_training_data(config, choose_device(config.device))
    network = train_teacher(config, ConvNetConfig(embed_dim=options.width), data.train)
    save(network, config.epochs, options.output, new_record(config, data), options.bfloat16, data.eval)


def run_labels(options: argparse.Namespace) -> None:
    """Compute soft labels, and write them with their config and the record of their teachers."""
    config = configure(replace(STUDENT, epochs=14), options.set, LABELS_FIELDS)
    device = choose_device(config.device)
    data = load_training_data(config, device)
    loaded = [load_teacher(replace(config, teacher=path), CIFAR10, device) for path in options.teacher]
    teachers = [teacher for teacher in loaded if teacher is not None]
    networks = [teacher.network for teacher in teachers]
    recorder = MapRecorder(networks[0]) if options.hints else None
    parts = {"mixed": config}
    if config.cutmix_prob or config.mixup_prob:
        parts["unmixed"] = replace(config, epochs=options.unmixed_epochs)
    found = {}
    for name, part in parts.items():
        found[name] = compute_labels(part, networks, data.train, mix=name == "mixed")
        if recorder is not None:
            found[f"{name}_maps"] = recorder.pop(len(data.train[1]))
    record, *others = [teacher.record for teacher in teachers]
    if others:
        members = [record, *others]
        record = {"name": " and ".join(member["name"] for member in members), "members": members}
    metadata = {"teacher": json.dumps(record), "train_config": json.dumps(public_config(config))}
    safetensors.torch.save_file(found, options.output, metadata)


def read_labels(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read the tensors and metadata of labels; ConfigError if `path` is not such a file."""
    try:
        with safetensors.safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
        tensors = safetensors.torch.load_file(path)
    except (OSError, safetensors.SafetensorError):
        tensors, metadata = {}, {}
    if not {"teacher", "train_config"} <= metadata.keys():
        raise ConfigError("--labels", f"must be a file of the step `labels`: got {path}", "Run `labels` first.")
    return tensors, metadata


def run_student(options: argparse.Namespace) -> None:
    """Train a ViT on soft labels, of the same views, and write its checkpoint."""
    tensors, metadata = read_labels(options.labels)
    parts = [name for name in ("unmixed", "mixed") if name in tensors]
    soft = [tensors[name] for name in parts]
    maps = [tensors[f"{name}_maps"] for name in parts if f"{name}_maps" in tensors]
    teacher, label_config = (json.loads(metadata[name]) for name in ("teacher", "train_config"))
    views = {name: label_config[name] for name in VIEWS}
    config = configure(replace(STUDENT, **views), options.set, STUDENT_FIELDS)
    if options.first_epoch and config.minutes is not None:
        raise ConfigError("minutes", "must not be set with `--first-epoch`", "Give the epochs of all stages.")
    for name, value in views.items():
        if (given := getattr(config, name)) != value:
            problem = f"must be that of the labels: got {given}, and they have {value}"
            raise ConfigError(name, problem, "Omit it, or compute labels with it.")
    config = use_init_model(config)
    data = load_training_data(config, choose_device(config.device))
    initial = load_initial(config.init_from, CIFAR10, config.val_size)
    record = new_record(config, data, teacher=teacher)
    keep_weights = partial(save, path=options.output, record=record, bfloat16=options.bfloat16)
    stage = options.temperature, options.first_epoch, keep_weights
    network, epochs = train_student(config, soft, data.train, initial, *stage, maps)
    save(network, epochs, options.output, record, options.bfloat16, data.eval)


def main(words: list[str] | None = None) -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("output", type=Path)
    common.add_argument("--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="as vitviz train")
    rounded = argparse.ArgumentParser(add_help=False)
    rounded.add_argument("--bfloat16", action="store_true", help="round the weights")
    commands = parser.add_subparsers(required=True)
    teacher = commands.add_parser("teacher", parents=[common, rounded])
    teacher.add_argument("--width", type=int, default=128, help="channels of the first block")
    teacher.set_defaults(run=run_teacher)
    labels = commands.add_parser("labels", parents=[common])
    labels.add_argument("--teacher", nargs="+", default=[TEACHER_FILE], help="one or more")
    labels.add_argument("--unmixed-epochs", type=float, default=4, help="epochs without CutMix, for the end")
    labels.add_argument("--hints", action="store_true", help="and feature maps of the first teacher, a convnet")
    labels.set_defaults(run=run_labels)
    student = commands.add_parser("student", parents=[common, rounded])
    student.add_argument("--labels", type=Path, required=True)
    student.add_argument("--first-epoch", type=int, default=0, help="go on with the weights of init_from")
    student.add_argument("--temperature", type=float, default=1.0, help="of its own and the teacher's logits")
    student.set_defaults(run=run_student)
    options = parser.parse_args(words)
    keep_freed_memory()
    try:
        options.run(options)
    except VitvizError as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
