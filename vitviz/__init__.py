"""vitviz shows what a Vision Transformer attends to.

Public names are imported on first use, so that `python -m vitviz --help` starts quickly.

Example:
    >>> import vitviz
    >>> model = vitviz.load("cifar10-ti4")
    >>> vitviz.explain(model, "vitviz/data/samples/cat.png").prediction
    'cat'
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

if TYPE_CHECKING:
    from torch import Tensor, nn

    from vitviz.attribution.comparison import compare
    from vitviz.attribution.contact_sheet import contact_sheet
    from vitviz.attribution.explanation import Explanation, explain, patch_activations, swap_class_token
    from vitviz.attribution.head_factors import HeadFactors
    from vitviz.attribution.methods import METHODS
    from vitviz.attribution.probes import Probes
    from vitviz.attribution.tuned_lens import TunedLens
    from vitviz.attribution.verification import Verification
    from vitviz.data.images import Images
    from vitviz.data.preprocessing import ImageLike
    from vitviz.errors import CheckpointError, ConfigError, DataError, ImageError, TrainingError, VitvizError
    from vitviz.evaluation import Evaluation
    from vitviz.models.capture import capture
    from vitviz.models.checkpoint import Checkpoint
    from vitviz.models.config import ViTConfig
    from vitviz.models.labels import Labels
    from vitviz.models.mae import reconstruct
    from vitviz.notebook import ExplorerWidget
    from vitviz.runs.watch import watch
    from vitviz.training.config import TrainConfig
    from vitviz.training.linear_probe import linear_probe
    from vitviz.training.loop import Progress
    from vitviz.training.presets import PRESETS
    from vitviz.view import Subject, View

__version__ = "0.2.0"
__all__ = [
    "METHODS",
    "PRESETS",
    "Checkpoint",
    "CheckpointError",
    "ConfigError",
    "DataError",
    "Explanation",
    "ImageError",
    "Subject",
    "TrainConfig",
    "TrainingError",
    "ViTConfig",
    "View",
    "VitvizError",
    "app",
    "capture",
    "compare",
    "contact_sheet",
    "evaluate",
    "explain",
    "head_factors",
    "linear_probe",
    "load",
    "patch_activations",
    "probe",
    "reconstruct",
    "swap_class_token",
    "train",
    "tuned_lens",
    "verify",
    "watch",
    "widget",
]
MODULES = {
    "METHODS": "vitviz.attribution.methods",
    "PRESETS": "vitviz.training.presets",
    "Checkpoint": "vitviz.models.checkpoint",
    "CheckpointError": "vitviz.errors",
    "ConfigError": "vitviz.errors",
    "DataError": "vitviz.errors",
    "Explanation": "vitviz.attribution.explanation",
    "ImageError": "vitviz.errors",
    "Subject": "vitviz.view",
    "TrainConfig": "vitviz.training.config",
    "TrainingError": "vitviz.errors",
    "View": "vitviz.view",
    "ViTConfig": "vitviz.models.config",
    "VitvizError": "vitviz.errors",
    "capture": "vitviz.models.capture",
    "compare": "vitviz.attribution.comparison",
    "contact_sheet": "vitviz.attribution.contact_sheet",
    "explain": "vitviz.attribution.explanation",
    "linear_probe": "vitviz.training.linear_probe",
    "patch_activations": "vitviz.attribution.explanation",
    "reconstruct": "vitviz.models.mae",
    "swap_class_token": "vitviz.attribution.explanation",
    "watch": "vitviz.runs.watch",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in MODULES:
        raise AttributeError(f"module 'vitviz' has no attribute {name!r}")
    return getattr(import_module(MODULES[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*__all__, "__version__"])


def load(
    name: "str | Path | nn.Module | Mapping[str, Any]",
    device: str = "auto",
    precision: str = "auto",
    labels: "Labels | None" = None,
    img_size: tuple[int, int] | int | None = None,
    *,
    like: Any = None,
    processor: Any = None,
    mean: tuple[float, float, float] | None = None,
    std: tuple[float, float, float] | None = None,
    check: bool = True,
    classes: Sequence[str] | None = None,
) -> "Checkpoint":
    """Load a checkpoint, a ViT of timm or transformers, or any module with attention, in evaluation mode.

    Args:
        name: Name of a bundled checkpoint; path of a .safetensors file, or of a folder of a training ("runs/NAME"), or
            as timm and transformers save it; "timm:NAME", "hf:OWNER/NAME" or an address on the Hugging Face Hub; an
            adapter of PEFT; a module; or, with `like`, a state_dict or a file of one. A module that cannot be
            converted, of any library or your own, is copied and run as it is, with its attention captured.
        device: "auto" (a GPU with CUDA if there is one), "cuda", "mps" (Apple's GPU) or "cpu".
        precision: "float32" or "bfloat16"; "auto" is float32, or the dtype of a module.
        labels: Names of the K classes in order, by index in a mapping, or in a text file with one per line; None for
            those of the model's files.
        img_size: Height and width of the input (px), or one side of a square, multiples of the patch size; position
            embeddings are interpolated. None for the size in the name ("NAME@448px") or in the model's files.
        like: For weights without config.json, the model that they belong to: "timm:NAME", "hf:OWNER/NAME", a folder, a
            module or a config of transformers; for an adapter of PEFT its base model, if it names none.
        processor: Image processor of transformers, or a folder with its file; None for that of the model's files.
        mean: Mean of each color channel, in 0..1; None for that of the model's files.
        std: Standard deviation of each color channel, in 0..1; None for that of the model's files.
        check: Compare the outputs with those of timm or transformers, if installed, of a model of at most 100 M
            parameters, and refuse one that computes something else, or run it as it is if it is a module.
            `Checkpoint.notes` lists what was assumed.
        classes: Texts that become the classes of CLIP, SigLIP or a relative, whose text encoder transformers runs once.

    Raises:
        CheckpointError: If the model does not exist, is not of a family that vitviz knows, or is invalid.
        ConfigError: If the device or precision is not available.
    """
    import torch

    from vitviz.errors import ConfigError
    from vitviz.models import hub, zero_shot
    from vitviz.models.modes import own_modes
    from vitviz.models.weights_like import load_like
    from vitviz.training.config import InferenceDevice
    from vitviz.training.device import choose_device

    dtypes = {"auto": torch.float32, "float32": torch.float32, "bfloat16": torch.bfloat16}
    for field, value, known in (("device", device, get_args(InferenceDevice)), ("precision", precision, dtypes)):
        if not isinstance(value, str) or value not in known:
            raise ConfigError(field, f"must be one of {', '.join(known)}: got {value!r:.40}")
    keeps_dtype = precision == "auto" and isinstance(name, torch.nn.Module)
    with own_modes():
        options = {"check": check, "processor": processor, "mean": mean, "std": std}
        if classes is not None:
            model = zero_shot.load(name, classes, labels, like, img_size=img_size, **options)
        elif isinstance(name, Mapping) or (like is not None and isinstance(name, str | Path)):
            model = load_like(name, like, labels, img_size, **options)
        else:
            model = hub.load(name, labels, img_size, base=like, **options)
        model.network.to(choose_device(device), None if keeps_dtype else dtypes[precision])
    return model


def train(
    config: "TrainConfig", resume: bool = False, report: "Callable[[Progress], None]" = lambda progress: None
) -> "Checkpoint":
    """Train a model in its run folder and return it.

    Args:
        config: Model, data, budget and hyperparameters.
        resume: Resume from the state in the run folder, if there is one.
        report: Called with the `Progress` about every two seconds, and with accuracies after epochs, such as
            `vitviz.tensorboard.TensorBoard(config)`; an exception from it ends the training.

    Returns:
        The checkpoint with the final averaged weights, on the CPU; its file is `last.safetensors` in `config.folder`.

    Raises:
        ConfigError: If the config does not fit the machine or the data.
        DataError: If the dataset is missing or invalid.
        TrainingError: If training diverges, runs out of memory or is interrupted.
    """
    from dataclasses import replace

    from vitviz.runs import run_folder, training_run

    path = training_run.train(config, report, resume)
    return replace(run_folder.load(path), name=config.folder.name)


def evaluate(
    model: "Checkpoint | nn.Module", data: str | Path | None = None, dataset: str | None = None
) -> "Evaluation":
    """Measure the top-1 accuracy of a model on a test set, in 0..1.

    The result is a number, and has the accuracy of each class, the confusion matrix and the calibration.

    Args:
        model: From `load` or `train`, or a module that `load` takes.
        data: Directory of the dataset; by default `VITVIZ_DATA` or `data/`.
        dataset: "cifar10", "cifar100", "folder" or "hf:OWNER/NAME"; by default the dataset the model was trained on.

    Example:
        >>> found = vitviz.evaluate(model, "pets", "folder")  # doctest: +SKIP
        >>> print(f"{found:.1%}", found.class_accuracy, found.calibration_error)  # doctest: +SKIP
        >>> found.save("pets.svg")  # doctest: +SKIP

    Raises:
        DataError: If the dataset is missing or has other classes, or the model is not a classifier.
    """
    from vitviz import evaluation
    from vitviz.models.hub import as_checkpoint
    from vitviz.training.evaluation import load_test_set

    checkpoint = as_checkpoint(model)
    images, labels, _ = load_test_set(checkpoint, dataset, None if data is None else str(data))
    return evaluation.evaluate(checkpoint, images, labels)


def probe(model: "Checkpoint | nn.Module", images: "Images | None" = None) -> "Probes":
    """Measure the internals of a model: filters, attention distance and entropy, token norms, logit lens and more.

    Args:
        model: From `load` or `train`, or a module that `load` takes.
        images: An image or a batch of them, as for `explain`; by default the bundled samples.

    Raises:
        ImageError: If an image cannot be read.
        DataError: If CIFAR-10 is not available.
        ValueError: If the model has no attention or fewer than 4 patches, `images` is empty, or an image does not fit
            into memory.
    """
    from vitviz.attribution import probes
    from vitviz.data.preprocessing import load_samples
    from vitviz.models.hub import as_checkpoint

    checkpoint = as_checkpoint(model)
    size, resize = checkpoint.config.img_size, checkpoint.resize
    return probes.probe(checkpoint, load_samples(size, resize) if images is None else read_images(checkpoint, images))


def head_factors(
    model: "Checkpoint | nn.Module",
    images: "Images",
    report: Callable[[int, int], None] = lambda done, total: None,
) -> "HeadFactors":
    """Split the attention scores of each head by position and content: does it look for a place or a thing?

    The definition is in `vitviz.attribution.head_factors`; what the query of the class token has of its own in an image
    is in `image_specific`.

    Args:
        model: From `load` or `train`, or a module that `load` takes.
        images: A batch of images, as for `explain`; 128 or more, as content looks like position in few.
        report: Called with the number of forward passes done and of all passes; it may raise to stop.

    Raises:
        CapturedModelError: If the model is captured.
        ImageError: If an image cannot be read.
        ValueError: If there are fewer than two images, or the model adds a relative position bias to its scores.
    """
    from vitviz.attribution import head_factors as module
    from vitviz.models.hub import as_checkpoint

    checkpoint = as_checkpoint(model)
    return module.head_factors(checkpoint, read_images(checkpoint, images), report)


def tuned_lens(
    model: "Checkpoint | nn.Module",
    images: "Images | None" = None,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> "TunedLens":
    """Return what each patch already knows of the prediction after each layer: a probe of the patch tokens.

    The definition is in `vitviz.attribution.tuned_lens`; `maps(explanation)` are the probabilities of a class, (L + 1,
    gh, gw), `accuracy` and `localization` measure each layer. An accurate probe need not tell what is where.

    Args:
        model: A classifier, from `load` or `train`, or a module that `load` takes.
        images: A batch of training images, as for `explain`, better 2,500 or more: the lens is fit on four in five, and
            measured on the others. By default it is read: from the file next to that of the model (`vitviz lens`), or
            what the page has fit.
        report: Called with the number of images done and of all; it may raise to stop.

    Raises:
        CapturedModelError: If the model is captured.
        ImageError: If an image cannot be read.
        ValueError: If the model predicts no class, there are fewer than 10 images, or there is no file.
    """
    from vitviz.attribution import tuned_lens as module
    from vitviz.models.hub import as_checkpoint

    checkpoint = as_checkpoint(model)
    if images is None:
        return module.require_lens(checkpoint)
    return module.fit(checkpoint, read_images(checkpoint, images), report=report)


def verify(
    file: str | Path, image: "ImageLike | None" = None, model: "Checkpoint | nn.Module | None" = None
) -> "Verification":
    """Compute what a saved file shows again, and compare: is it what its provenance states?

    The numbers are compared up to rounding, the pixels of the maps of a PNG or SVG file by their hashes; weights,
    preprocessing and image, too. This finds accidents and careless edits, not a forger who writes the whole file anew.

    Args:
        file: A .png, .svg, .pdf, .npz, .csv or .html file of the page or of `Explanation.save`.
        image: The image, as for `explain`; by default the one that the file names, or a file next to it with its hash.
        model: From `load`, or a module that it takes; by default the one that the file names.

    Returns:
        Its truth value: equal. `differences` lists what differs, and by how much; `unchecked` is why the file cannot be
        checked, if so.
    """
    from vitviz.attribution import verification
    from vitviz.models import hub

    given = None if model is None else hub.as_checkpoint(model)
    return verification.verify(file, image, given, load=hub.load)


def read_images(checkpoint: "Checkpoint", images: "Images") -> "Tensor":
    """Return images at the input size of a model, uint8 (B, 3, H, W)."""
    from vitviz.data.images import as_batch, read_batch

    return read_batch(as_batch(images), checkpoint.config.img_size, checkpoint.resize)


def app(
    models: "Mapping[str, Checkpoint | nn.Module] | None" = None,
    data: str | Path | None = None,
    host: str | None = None,
    port: int | None = None,
    device: str = "cpu",
    block: bool = True,
) -> str:
    """Start the web page, on this machine only unless `host` is another address.

    Args:
        models: Models in memory by their names on the page, which opens with the first one: from `load` or `train`, or
            modules that `load` takes.
        data: Directory of the datasets; by default `VITVIZ_DATA` or `data/`.
        host: Address to listen on; by default `GRADIO_SERVER_NAME`, else this machine.
        port: By default `GRADIO_SERVER_PORT`, else the first free one from 7860.
        device: Device that explains images, as for `load`; given models stay where they are.
        block: Whether to wait until the server is stopped, which ends the process; False returns at once.

    Returns:
        The URL of the page.

    Raises:
        CheckpointError: If a module runs no attention that lies on the image.
        ConfigError: If the address, port or device is not available, or the name of a model is taken.
    """
    from vitviz.webapp.app import build_app, serve

    page = build_app(None if data is None else str(data), device=cast(Any, device), models=models)
    return serve(page, host, port, block)


def widget(explanation: "Explanation", layer: int | None = None, head: int | None = None) -> "ExplorerWidget":
    """Show the explorer as a widget, whose `layer`, `head` and `patch` can be read and set from Python.

    An explanation displays itself without this, as the last expression of a cell; then its state stays in the browser.

    Args:
        explanation: From `explain`.
        layer: Layer of the large map, from 0; None for the mean over layers.
        head: Head of the large map, from 0; None for the mean over heads.

    Raises:
        ImportError: If anywidget is not installed.
        ValueError: If the layer or head does not exist.
    """
    try:
        from vitviz.notebook import ExplorerWidget
    except ModuleNotFoundError as error:
        if error.name != "anywidget":
            raise
        raise ImportError("vitviz.widget needs anywidget: run `pip install anywidget`.") from None
    return ExplorerWidget(explanation, layer, head)
