"""A checkpoint and an image -> an `Explanation`: prediction, attention, maps, scores, ablations, figures and files.

One forward pass provides the attention; each view is computed from it. Matplotlib is imported when a figure is drawn,
so that the page starts without it.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args, overload

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from vitviz.attribution import file_formats, tables, view_maps
from vitviz.attribution.ablation import ablate, describe_ablations, mean_head_outputs
from vitviz.attribution.activation_patching import ActivationPatching, Part, patch_contexts
from vitviz.attribution.class_token import ClassTokenSwap, swap_contexts
from vitviz.attribution.coalition_maps import Progress
from vitviz.attribution.context import ForwardContext, Target, forward_batch
from vitviz.attribution.contributions import Contributions, contributions
from vitviz.attribution.faithfulness import Baseline, MethodScore, method_score, score
from vitviz.attribution.features import PatchBasis, PatchPCA, fit_basis, patch_pca, similarity, token_features
from vitviz.attribution.file_formats import Output
from vitviz.attribution.methods import METHODS, Method, methods_for
from vitviz.attribution.provenance import provenance
from vitviz.attribution.targets import TargetLike, find_target, method_target
from vitviz.data.images import Images, parse_name, read_each, read_image, split_batch
from vitviz.data.preprocessing import ImageLike, PreprocessedImage, file_name, load_samples, to_tensor
from vitviz.errors import ConfigError, ImageError, InvalidValueError
from vitviz.models import hub
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.labels import ClassName
from vitviz.models.modes import own_modes
from vitviz.plots.scales import is_flat
from vitviz.view import (
    Ablation,
    AblationMode,
    Direction,
    Given,
    Head,
    Layer,
    PatchMode,
    Sample,
    TestImage,
    View,
)
from vitviz.view import Image as Origin

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float32]
WHITE = (255, 255, 255)
NOTEBOOK_HEIGHT = 760  # px of the explorer in a notebook


@dataclass(frozen=True)
class Explanation:
    """The prediction and the attention of a model for one image.

    Attributes:
        context: The forward pass that everything is computed from.
        image: The image and the model input.
        origin: The image by its kind: a sample, a test image, or one that was given.
        name: Name of the image, for figures.
        original: The explanation before the ablation; None without one.
        ablations: The ablations, in order.
    """

    context: ForwardContext
    image: PreprocessedImage
    origin: Origin
    name: str = ""
    original: "Explanation | None" = None
    ablations: tuple[Ablation, ...] = ()

    @property
    def labels(self) -> list[str]:
        """Names of the K classes."""
        return list(self.context.checkpoint.labels)

    @property
    def prediction(self) -> str:
        """Name of the most probable class, which as a target means that class alone.

        Raises:
            ValueError: If the model was trained without labels.
        """
        if not self.context.checkpoint.is_classifier:
            checkpoint = self.context.checkpoint
            raise ValueError(f"{checkpoint.name} predicts no class: it {checkpoint.why_no_prediction}.")
        best = int(self.logits.argmax())
        return ClassName(self.labels[best], best)

    @property
    def logits(self) -> Array:
        """Logits of all classes, (K,)."""
        return self.context.logits

    @property
    def probabilities(self) -> Array:
        """Probabilities of all classes, (K,), of sum 1."""
        return self.context.probabilities(self.context.logits)

    @property
    def attention(self) -> Array:
        """Attention weights after the softmax, (L, A, T, T); queries before keys, each row sums to 1. Read-only.

        Rows and columns of removed patches are 0, ablated heads NaN.

        Raises:
            ValueError: If it is too large to be held in memory at once; `attention_maps` works.
        """
        return self.context.attention

    @property
    def methods(self) -> dict[str, Method]:
        """The attribution methods that this model supports, but those that `map` computes on request only."""
        return methods_for(self.context.config, self.context.holds_attention, self.context.checkpoint.has_texts)

    @property
    def cls_attention(self) -> Array:
        """Attention of the class token to all tokens in each head, (L, A, T); ValueError without class token."""
        if not self.context.config.class_token:
            raise ValueError(f"{self.context.checkpoint.name} has no class token. Use attention_maps().")
        return view_maps.default_rows(self.context)

    @property
    def cls_maps(self) -> Array:
        """Attention of the class token to the patches in each head, (L, A, gh, gw); errors as `cls_attention`."""
        return view_maps.over_patches(self.context, self.cls_attention)

    @property
    def average(self) -> Array:
        """Mean of `cls_maps` over layers and heads, (gh, gw); without class token the mean over all patches."""
        return self.map("average")

    def target(self, target: TargetLike | None = None) -> Target:
        """Return the index of a class, or indices of a class and its contrast; of the predicted class for None.

        Raises:
            ConfigError: If a class does not exist, its name is that of several classes, or both are equal.
        """
        return find_target(self.context, target)

    @own_modes()
    def map(
        self,
        method: str,
        target: TargetLike | None = None,
        pixels: bool = False,
        progress: Progress | None = None,
    ) -> Array:
        """Compute the map of an attribution method.

        Args:
            method: A name in `METHODS`; the docstring of its function defines the values.
            target: The class that a class-specific method explains, by index or name, or two of them: a class and the
                one that it is contrasted with. None for the predicted class. Class-agnostic methods ignore it.
            pixels: Whether to return the contribution of each pixel of the model input instead, in logits, of
                "balanced_gradients" or "attn_lrp", or of "input_gradient" the sum over the colors of the absolute
                gradient.
            progress: For the methods on request: called with the forward passes done and in total; returning False
                interrupts the method.

        Returns:
            (gh, gw); by pixel (H, W).

        Raises:
            ConfigError: If the method or class does not exist, the model has no classification head to explain, or
                the method has no map per pixel.
            InterruptedMapError: If `progress` returns False; nothing is stored.
        """
        key = method, method_target(self.context, method, target)
        if pixels:
            if (compute := METHODS[method].pixels) is None:
                known = ", ".join(name for name, one in METHODS.items() if one.pixels)
                raise InvalidValueError("method", f"one with a map per pixel, {known}", method)
            return compute(self.context, key[1])
        if key not in self.context.maps:
            options = {"progress": progress} if METHODS[method].on_request else {}
            self.context.maps[key] = METHODS[method].compute(self.context, key[1], **options)
        return self.context.maps[key].reshape(self.context.grid).copy()

    @own_modes()
    def contributions(self, target: TargetLike | None = None) -> Contributions:
        """Decompose the logit of a class, or the difference of two, into what embedding, heads and MLPs contributed.

        The contributions of all tokens in all heads, MLPs, biases and the embedding sum to the logit. They show
        which parts write the prediction into the tokens that the classification head reads, not what an image region
        caused: early heads also act through later layers, where their effect is counted.

        Args:
            target: As for `map`.

        Raises:
            ValueError: If the class does not exist, or the model has no classification head.
        """
        return contributions(self.context, find_target(self.context, target) if self.context.config.num_classes else 0)

    @own_modes()
    def score(
        self, method: str, target: TargetLike | None = None, baseline: Baseline = "mean", greedy: bool = False
    ) -> MethodScore:
        """Measure the faithfulness of a method's map by deletion and insertion, next to random rankings.

        Args:
            method: A name in `METHODS`.
            target: As for `map`; for a contrast, the probability of the first class is measured.
            baseline: Replacement of removed patches: "mean" color, "blur", "road" imputation, or "drop" their tokens.
            greedy: Whether to score the greedy order of removal, too, with the baseline "mean" alone; it takes about
                2,000 forward passes for 64 patches, once for each class.

        Raises:
            ValueError: If the method, class or baseline does not exist, the map is flat and ranks no patches, or the
                greedy is requested with a baseline other than "mean".
        """
        if greedy and baseline != "mean":
            raise ValueError(
                f"greedy needs the baseline mean, as its order paints patches in this color: got {baseline!s:.40}."
            )
        chosen, values = find_target(self.context, target), self.map(method, target)
        if is_flat(values):
            raise ValueError(f"The map of {method} has no score: it gives all patches the same value.")
        label = chosen[0] if isinstance(chosen, tuple) else chosen
        maps = {method: values} | ({"greedy": self.map("greedy", target)} if greedy else {})
        return method_score(score(self.context, maps, label, baseline), method)

    @own_modes()
    def features(self, layer: int | None = None) -> Array:
        """Return the tokens after a block, counted from 0, by default the last, (T, D); zeros for removed patches."""
        return token_features(self.context, layer)

    @own_modes()
    def pca(
        self,
        layer: int | None = None,
        remove_background: bool = False,
        others: Sequence["Explanation"] = (),
        basis: PatchBasis | None = None,
    ) -> PatchPCA:
        """Return the patch tokens along their principal components, as RGB; see `vitviz.attribution.features`.

        Args:
            layer: From 0; None for that of the basis, else the last one.
            remove_background: Whether to leave out the patches on the border's side of the first component.
            others: Explanations of other images by the same model, whose patches are in the computation, too.
            basis: Components that were computed before, such as `basis` of the result for other images; None to compute
                them.

        Raises:
            ConfigError: If a basis is given with what it is computed from.
            ValueError: If the layer does not exist, fewer than three patches are left, or the models differ.
        """
        if basis is not None and (remove_background or others):
            name = "others" if others else "remove_background"
            raise ConfigError(name, "cannot be combined with `basis`, which was computed before", "Leave one out.")
        if basis is None:
            contexts = [self.context, *(context_of("others", one) for one in others)]
            basis = fit_basis(contexts, layer, remove_background)
        return patch_pca(self.context, basis, layer)

    @own_modes()
    def similarity(
        self, layer: int | None = None, patch: int | None = None, other: "Explanation | None" = None
    ) -> Array:
        """Return the cosine similarity of the token of a patch with all patch tokens, -1..1, (gh, gw).

        Args:
            layer: From 0; None for the last one.
            patch: Position in reading order from 0; None for the class token.
            other: An explanation of another image by the same model, whose patches are compared; None for this image.

        Raises:
            ValueError: If the patch or layer does not exist, or the models differ.
        """
        found = similarity(self.context, layer, patch, None if other is None else context_of("other", other))
        return found.reshape(self.context.grid)

    @own_modes()
    def ablate(
        self,
        heads: Collection[Sequence[int]] = (),
        patches: Collection[int] = (),
        mode: AblationMode = "zero",
        patch_mode: PatchMode = "drop",
        head_means: Tensor | None = None,
    ) -> "Explanation":
        """Explain the same image with heads ablated and patches removed.

        The result is an independent explanation: its maps, scores and further ablations refer to the ablated model and
        the changed image.

        Args:
            heads: Heads to ablate, as (layer, head) from 0.
            patches: Patches to remove, positions in reading order from 0.
            mode: Output of ablated heads: "zero", or their "mean" over reference images.
            patch_mode: "drop" leaves the patches' tokens out; "gray" paints the patches in the dataset's mean color.
            head_means: Means of the heads' outputs for mode "mean", (L, A, d), as from
                `vitviz.attribution.ablation.mean_head_outputs`; None for those of the sample images.

        Raises:
            ValueError: If a head or patch does not exist, nothing would be left, or a mode is unknown.
        """
        if mode not in get_args(AblationMode):
            raise InvalidValueError("mode", "zero or mean", mode)
        checkpoint = self.context.checkpoint
        if mode == "zero" or not heads:
            head_means = None
        elif head_means is None:
            head_means = mean_head_outputs(
                checkpoint, load_samples(checkpoint.network.config.img_size, checkpoint.resize)
            )
        context = ablate(self.context, heads, patches, patch_mode, head_means)
        color = WHITE if patch_mode == "drop" else tuple(round(255 * value) for value in checkpoint.mean)
        model_input = paint_patches(self.image.model_input, self.context.grid, patches, color)
        ablation = Ablation(
            heads=tuple(dict.fromkeys((int(layer), int(head)) for layer, head in heads)),
            patches=tuple(dict.fromkeys(map(int, patches))),
            mode=mode,
            patch_mode=patch_mode,
        )
        return replace(
            self,
            context=context,
            image=replace(self.image, model_input=model_input),
            original=self.original or self,
            ablations=(*self.ablations, ablation),
        )

    def attention_maps(self, query: Sequence[int] = (), direction: str = "from") -> Array:
        """Return what some patches attend to, or what attends to them, in each head.

        Args:
            query: Positions in reading order from 0; the mean over several, without removed ones; empty for the class
                token, or for all patches in a model without one.
            direction: "from" selects rows of the attention, "to" its columns.

        Returns:
            (L, A, gh, gw). Rows are attention weights; columns have no fixed sum; 0 if the whole query is removed.

        Raises:
            ValueError: If a patch is outside the grid or the direction is unknown.
        """
        return view_maps.over_patches(self.context, view_maps.query_rows(self.context, query, direction))

    def attention_map(
        self,
        layer: Layer = "mean",
        head: Head = "mean",
        query: int | Sequence[int] = (),
        direction: Direction = "from",
    ) -> Array:
        """Return the map of one head, or of a mean over the heads that are not ablated, as it is on the page.

        Args:
            layer: From 0; "mean" over layers; "pool" for attention pooling, where query and direction have no effect.
            head: From 0; "mean" over heads.
            query: The query patch or patches, as for `attention_maps`.
            direction: As for `attention_maps`.

        Returns:
            (gh, gw); 0 for an ablated head.

        Raises:
            ConfigError: If a layer, head or patch does not exist, or the direction is unknown.
        """
        view = view_maps.create_view(self, layer=layer, head=head, query=query, direction=direction)
        return view_maps.attention_map(self.context, view)

    def figure(self, *, width: float = 7.0, **view: Any) -> "Figure":
        """Draw the image, a map, and the attention of all layers and heads, in a style for papers.

        Args:
            width: Of the figure, 1 to 40 inches; below 5, the heads are below the map.
            view: Fields of `vitviz.View`: `layer`, `head`, `query`, `direction`, `method`, `target`, `scale`, `smooth`
                and `pixels`. The target may be a class by its name, the query a single patch.

        Raises:
            ConfigError: If a layer, head, patch, method, class or choice does not exist, or for a field of `View` that
                is not drawn.
        """
        from vitviz.attribution import figure

        return figure.draw(self, view, width)

    def save(self, path: Output, *, model: bool = False, **view: Any) -> Path | Output:
        """Write a view in the format given by the file's ending, with its provenance, and return the path.

        Args:
            path: The file, or a file object, which gets a PNG if it has no name.

                - .png, .svg, .pdf, .jpg: the `figure`.
                - .html: the explorer in one file that opens offline: all maps, with pointer and keys as on the page.
                  Its attention has 16 bits a weight, in large models 8 bits relative to the largest weight of each row.
                - .npz: the arrays of the view (`vitviz.attribution.tables.arrays`); the maps of all methods,
                  `method_NAME` (gh, gw), for the classes `target`; `logits` (K,); `attention` (L, A, T, T) unless it is
                  too large; the model input as `image` (H, W, 3); and as texts `checkpoint`, `note` (the preprocessing)
                  and `changes` (the ablation).
                - .csv: the numbers of the view, one a line; layers, heads, rows and columns count from 1.
            model: Whether a .html file holds the model, too: other images, ablations, Compare and Learn in the browser.
                Its weights are rounded to float16, and with them the file's numbers are computed.
            view: Fields of `vitviz.View`, as for `figure`.

        Raises:
            CapturedModelError: If a captured model should be in the file.
            ConfigError: As of `figure`; or for a model in another file than .html.
            ValueError: If the file has another ending.
        """
        from vitviz.attribution.serialize import document

        if model and not str(getattr(path, "name", path)).lower().endswith(".html"):
            raise ConfigError("model", "can be in a .html file only", "Leave it out, or save another file.")
        chosen = view_maps.create_view(self, **view)
        return file_formats.save(
            path,
            figure=lambda: self.figure(**view),
            arrays=lambda: tables.file_arrays(self, chosen),
            rows=lambda: tables.rows(self, chosen, tables.arrays(self, chosen)),
            document=lambda: document(self, chosen, model=model),
            provenance=lambda panels: provenance(self, chosen, panels, numbers=bool(panels)),
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str | bytes]:
        """Show the explorer in a notebook; where HTML is not displayed, the figure or its text."""
        from vitviz.attribution.serialize import document
        from vitviz.plots.document import frame

        return {
            "text/html": frame(document(self, complete=False), NOTEBOOK_HEIGHT),
            "image/png": file_formats.figure_bytes(self.figure(layer=self.context.config.depth - 1), ".png"),
            "text/plain": repr(self),
        }

    def __repr__(self) -> str:
        classifier = self.context.checkpoint.is_classifier
        best = f"{self.prediction}, {100 * self.probabilities.max():.1f} %" if classifier else "no prediction"
        changes = describe_ablations(self.ablations)
        details = ", ".join(filter(None, (best, changes)))
        return f"<Explanation of {self.name or 'an image'} by {self.context.checkpoint.name}: {details}>"


@overload
def explain(
    model: Checkpoint | nn.Module, image: list[ImageLike], crop: float = 0.5, normalized: bool = False
) -> list[Explanation]: ...
@overload
def explain(
    model: Checkpoint | nn.Module, image: ImageLike, crop: float = 0.5, normalized: bool = False
) -> Explanation: ...
@own_modes()
def explain(
    model: Checkpoint | nn.Module, image: Images, crop: float = 0.5, normalized: bool = False
) -> Explanation | list[Explanation]:
    """Predict an image, or a batch of them in one forward pass, and return its explanation.

    Args:
        model: From `vitviz.load`, or a module that it takes.
        image: A path, a file object, the name of an image that ships with vitviz ("cat"), "cifar:17" for a test image
            of CIFAR-10, a PIL image, an array or a tensor, of floats in 0..1, of integers or of 8 bits; or a list,
            tuple, generator, array or tensor (B, 3, H, W) of them. The image is cropped and resized to the model's
            input size; `Explanation.image.note` describes how, and what was assumed about the range of its values. A
            tensor of the input's size is taken as it is.
        crop: Position of the crop along the longer side, from 0 (left or top) to 1; 0.5 is the center.
        normalized: Whether the image is a tensor (3, H, W) of the input's size, or a batch of them, that is normalized
            with the mean and standard deviation of the model.

    Returns:
        An `Explanation`, or a list of them for a batch.

    Raises:
        vitviz.ImageError: If the image cannot be read.
        vitviz.DataError: If CIFAR-10 is not available.
        vitviz.CheckpointError: If the logits are not finite, or a module runs no attention that lies on the image.
        ValueError: If the first argument is not a model, its network has no attention, or `crop` is out of range.
    """
    checkpoint = hub.as_checkpoint(model)
    batch = split_batch(image)
    images = [cast(ImageLike, image)] if batch is None else batch
    explained = read_each(images, lambda one: prepare(checkpoint, one, crop, normalized))
    forward_batch([one.context for one in explained])
    for one in explained:
        _ = one.logits  # fails here, not later, for networks whose logits overflow
    return explained[0] if batch is None else explained


def prepare(checkpoint: Checkpoint, image: ImageLike, crop: float, normalized: bool) -> Explanation:
    """Return the explanation of an image, arguments as for `explain`, before its forward pass."""
    size = checkpoint.config.img_size
    if normalized:
        pixels, values = denormalize(checkpoint, image)
        read = read_image(pixels, size)
        read = replace(read, note=f"normalized by the caller, {read.note}")
    else:
        read = read_image(image, size, crop, checkpoint.resize)
        values = checkpoint.normalize(to_tensor(read.model_input)[None])[0]
    return Explanation(ForwardContext(checkpoint, values), read, find_origin(image, read, crop))


def denormalize(checkpoint: Checkpoint, image: object) -> tuple[Tensor, Tensor]:
    """Return a normalized image as pixels, uint8 (3, H, W), and in the dtype and on the device of the model."""
    size = checkpoint.config.img_size
    if not (isinstance(image, Tensor) and image.is_floating_point() and image.shape == (3, *size)):
        got = f"{image.dtype} of shape {tuple(image.shape)}" if isinstance(image, Tensor) else type(image).__name__
        raise ImageError(f"A normalized image must be a tensor of floats, (3, {size[0]}, {size[1]}): got {got}.")
    if not image.isfinite().all():
        raise ImageError("A normalized image must be finite: got NaN or infinity.")
    mean, std = (torch.tensor(values).view(3, 1, 1) for values in (checkpoint.mean, checkpoint.std))
    pixels = 255 * (image.detach().cpu().float() * std + mean)
    weight = checkpoint.weight
    return pixels.clamp(0, 255).round().byte(), image.detach().to(weight.device, weight.dtype)


@own_modes()
def patch_activations(
    a: Explanation,
    b: Explanation,
    target: TargetLike | None = None,
    part: Part = "heads",
    report: Callable[[int, int], None] = lambda done, total: None,
    layers: Sequence[int] | None = None,
) -> ActivationPatching:
    """Replace one activation at a time in the forward pass of an image by that of another image.

    Args:
        a: The image whose activations are inserted.
        b: The image in whose forward pass they are inserted, explained by the same model.
        target: The class, or the class and its contrast, whose logit is measured; None for the prediction of A against
            that of B, or the prediction of A if both are equal.
        part: "heads" for the outputs of heads, (L, A); "mlp" for those of MLPs, (L,); "tokens" for single tokens after
            each block, (L, T).
        report: Called with the number of forward passes done and of all passes; it may raise to stop.
        layers: The layers whose activations are replaced, from 0, L of them; None for all.

    Raises:
        ValueError: If a class, part or layer does not exist, the models or their grids differ, other patches are
            removed, or both images have the same logit.
    """
    contexts = context_of("a", a), context_of("b", b)
    if not contexts[0].config.num_classes:
        raise ValueError(
            f"Activation patching measures a logit: {a.context.checkpoint.name} has no classification head."
        )
    chosen = find_target(contexts[0], target)
    if target is None and (contrast := int(b.logits.argmax())) != chosen:
        chosen = int(a.logits.argmax()), contrast
    return patch_contexts(*contexts, chosen, part, report, layers)


def patched_pair(
    a: Explanation, b: Explanation, view: View, report: Callable[[int, int], None] = lambda done, total: None
) -> tables.PatchedPair:
    """Compute activation patching between two images, as a view shows it; arguments as for `patch_activations`."""
    target = (view.target[0], view.target[1]) if len(view.target) == 2 else view.target[0] if view.target else None
    found = [patch_activations(a, b, target, part, report) for part in ("heads", "mlp")]
    if isinstance(view.layer, int) and view.head == "mean":
        found.append(patch_activations(a, b, target, "tokens", report, (view.layer,)))
    return tables.PatchedPair(*found)


@own_modes()
def swap_class_token(a: Explanation, b: Explanation) -> ClassTokenSwap:
    """Replace the class token of an image by that of another one after each layer: when does it decide?

    The output is that of the patches of `a` as long as the class token has not decided, and that of `b` afterwards.
    Heads and patches of `a` stay ablated and removed. With a distillation token, both are replaced.

    Args:
        a: The image whose patches stay.
        b: The image whose class token is inserted, explained by the same model.

    Raises:
        CapturedModelError: If the model is captured.
        ValueError: If the models differ, or their head reads other tokens than the class token.
    """
    return swap_contexts(context_of("a", a), context_of("b", b))


def context_of(name: str, value: object) -> ForwardContext:
    """Return the context of an explanation; ValueError for an argument that is not one."""
    if not isinstance(value, Explanation):
        raise ValueError(f"{name} must be an explanation from vitviz.explain: got {str(value)[:40]!r}.")
    return value.context


def find_origin(image: ImageLike, read: PreprocessedImage, crop: float) -> Origin:
    """Return the image of `explain` by its kind."""
    kind, name = parse_name(image)
    if kind == "test":
        return TestImage(index=int(name))
    if kind == "sample":
        return Sample(name=name)
    return Given(sha256=read.sha256, width=read.width, height=read.height, crop=crop, name=file_name(image))


def paint_patches(
    image: Image.Image, grid: tuple[int, int], patches: Collection[int], color: tuple[int, ...]
) -> Image.Image:
    """Return a copy of an image with patches of its grid (gh, gw) in one color."""
    image, (rows, columns) = image.copy(), grid
    height, width = image.height // rows, image.width // columns
    for row, column in (divmod(int(patch), columns) for patch in patches):
        image.paste(color, (column * width, row * height, (column + 1) * width, (row + 1) * height))
    return image
