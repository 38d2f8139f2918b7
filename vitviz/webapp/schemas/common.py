"""Types that several pages share."""

from typing import Literal, NotRequired

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
    `family`, `parameters` and `classes`, 0 without head, are those of its network. `source` is the repository or
    library that it is from, empty if vitviz trained it.
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
    source: str


class CifarInfo(TypedDict):
    """CIFAR-10: whether it is available, and otherwise how to get it."""

    available: bool
    classes: list[str]
    message: str


class ModelList(TypedDict):
    """All models that can be explained, the one that the page opens with first, and whether CIFAR-10 is available."""

    models: list[ModelInfo]
    cifar: CifarInfo


class FoundModel(TypedDict):
    """A model in the cache of the Hugging Face Hub; `classes` is None if only its tensors show them."""

    name: str
    family: str
    bytes: int
    classes: int | None


class GridShape(TypedDict):
    """Shape of the attention.

    `aspect` is the width of the image divided by its height, `prefix` the number of tokens before the patches, and
    `distilled` whether the second of them is a distillation token.
    """

    layers: int
    heads: int
    rows: int
    columns: int
    aspect: float
    prefix: int
    classToken: bool
    distilled: NotRequired[bool]
