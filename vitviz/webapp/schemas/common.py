"""Types that several pages share."""

from typing import Literal

from typing_extensions import TypedDict


class ColorTable(TypedDict):
    """256 RGB triples in base64 for values from 0 (`seq`) and around 0 (`div`)."""

    seq: str
    div: str


class ColorTables(TypedDict):
    """Color tables by theme."""

    light: ColorTable
    dark: ColorTable


class NamedImage(TypedDict):
    """An image as a data URL."""

    name: str
    src: str


class Photo(NamedImage):
    """A photograph that ships with vitviz."""

    title: str


class ModelInfo(TypedDict):
    """A model that can be explained; `accuracy` is that on the `eval_samples` `measured_on` images, if recorded.

    `dataset` is the name of the dataset it was trained on, if its test images can be listed and are not CIFAR-10;
    `family`, `parameters` and `classes`, 0 without head, are those of its network. `pretrained` is the repository or
    library that the weights are from, empty if vitviz trained them. `linear_probe` says what a taught head was fitted
    to, empty for other models. Of a `captured` model only attention and outputs are known. `compares_texts` says
    whether texts can become its classes.
    """

    name: str
    origin: Literal["shipped", "run", "opened"]
    family: str
    parameters: int
    classes: int
    dataset: str | None
    layers: int
    heads: int
    accuracy: float | None
    eval_samples: int | None
    measured_on: str
    is_classifier: bool
    compares_texts: bool
    pretrained: str
    linear_probe: str
    captured: bool


class CifarInfo(TypedDict):
    """CIFAR-10: whether it is available, and otherwise how to get it."""

    available: bool
    classes: list[str]
    message: str


class ModelList(TypedDict):
    """All models that can be explained, the one that the page opens with first, and whether CIFAR-10 is available."""

    models: list[ModelInfo]
    cifar: CifarInfo


class Shape(TypedDict):
    """Shape of the attention: L layers of A heads, and the grid of patches.

    `aspect` is the width of the image divided by its height, `prefix` the number of tokens before the patches,
    `class_token` whether the first of them is a class token, and `distilled` whether the second of them is a
    distillation token. `layer_heads` are the heads of each layer, fewer in some of a pyramid; of a `captured` model
    only attention and outputs are known.
    """

    layers: int
    heads: int
    rows: int
    columns: int
    aspect: float
    prefix: int
    class_token: bool
    distilled: bool
    layer_heads: list[int]
    captured: bool
