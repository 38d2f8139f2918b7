"""What a program gives as images -> the images one by one: names, batches and iterables."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from PIL import Image

from vitviz.data import cifar
from vitviz.data.arrays import is_array, is_tensor
from vitviz.data.preprocessing import (
    DEFAULT_RESIZE,
    ImageLike,
    PreprocessedImage,
    Resize,
    preprocess,
    to_tensor,
)
from vitviz.data.samples import example_paths
from vitviz.errors import ImageError, did_you_mean

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")
Images = ImageLike | Iterable[ImageLike]


def split_batch(images: Images) -> list[ImageLike] | None:
    """Return the images of a list, tuple, generator, or array or tensor with a batch dimension; None for one image.

    Raises:
        ImageError: For a set or a mapping, whose order is not that of images.
    """
    if is_array(images):
        return list(cast(Any, images)) if cast(Any, images).ndim == 4 else None
    if isinstance(images, str | bytes | os.PathLike | Image.Image) or hasattr(images, "read"):
        return None
    if isinstance(images, Set | Mapping):
        raise ImageError(f"Images must have an order: got a {type(images).__name__}.", "Use a list.")
    return list(images) if isinstance(images, Iterable) else None


def as_batch(images: Images) -> list[ImageLike]:
    """Return the images of a batch, or a single image as one of size 1."""
    batch = split_batch(images)
    return [cast(ImageLike, images)] if batch is None else batch


def read_image(
    image: ImageLike, size: tuple[int, int], crop: float = 0.5, resize: Resize = DEFAULT_RESIZE
) -> PreprocessedImage:
    """Read and preprocess an image, arguments as for `preprocess`; it may also be a name as for `parse_name`.

    A tensor of the input's size is taken as it is: a model's own preprocessing has made it.
    """
    if is_tensor(image) and cast("Tensor", image).shape[-2:] == size:
        resize = DEFAULT_RESIZE
    kind, name = parse_name(image)
    if kind == "test":
        image = cifar.load("test")[0][int(name)].permute(1, 2, 0).numpy()
    if isinstance(image, str) and not kind and not os.path.exists(image):
        near = did_you_mean(image, example_paths())
        raise ImageError("The file does not exist.", near or "Check the path.", image[:200])
    return preprocess(example_paths()[name] if kind == "sample" else image, size, crop, resize)


def read_each(images: Sequence[ImageLike], read: Callable[[ImageLike], T]) -> list[T]:
    """Return what `read` makes of each image; an error names one of several by its number."""
    found = []
    for number, image in enumerate(images, 1):
        try:
            found.append(read(image))
        except ImageError as error:
            number_of = f"image {number} of {len(images)}" if len(images) > 1 else ""
            raise ImageError(error.problem, error.hint, error.file or number_of) from None
    return found


def read_batch(images: Sequence[ImageLike], size: tuple[int, int], resize: Resize = DEFAULT_RESIZE) -> "Tensor":
    """Return images as the input of a model before normalization, uint8 (B, 3, H, W); B may be 0.

    Raises:
        ImageError: If an image is not accepted.
    """
    import torch

    pixels = read_each(images, lambda image: to_tensor(read_image(image, size, resize=resize).model_input))
    return torch.stack(pixels) if pixels else torch.empty(0, 3, *size, dtype=torch.uint8)


def parse_name(image: object) -> tuple[Literal["sample", "test", ""], str]:
    """Return the kind of image that a name stands for, and its name or index; empty for anything but such a name.

    Names are those of the images that ship with vitviz, and "cifar:17" for a test image of CIFAR-10; files come first.
    """
    if not isinstance(image, str) or os.path.exists(image):  # unlike Path.exists, never raises
        return "", ""
    if re.fullmatch(r"cifar:\d{1,4}", image):
        return "test", image.removeprefix("cifar:")
    return ("sample", image) if image in example_paths() else ("", "")
