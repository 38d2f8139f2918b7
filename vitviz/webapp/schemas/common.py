"""Types that several pages share."""

from typing import Annotated, Literal, NotRequired

from annotated_types import Len
from typing_extensions import TypeAliasType, TypedDict

Pair = Annotated[list[int], Len(2, 2)]
Vector = list[float]
Matrix = list[Vector]
Array3 = list[Matrix]
Array4 = list[Array3]
SettingValue = TypeAliasType("SettingValue", float | str | bool | None)
RunState = TypeAliasType("RunState", Literal["training", "stopping", "stopped", "finished", "interrupted", "failed"])


class Refusal(TypedDict):
    """Response to a request that was not served; `busy` if it can be repeated."""

    error: str
    busy: NotRequired[bool]


class Empty(TypedDict):
    """Argument of functions that need none."""


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

    `dataset` is the name of the dataset it was trained on, if its test images can be listed and are not CIFAR-10.
    """

    name: str
    dataset: str | None
    layers: int
    heads: int
    accuracy: float | None
    eval_samples: int | None
    measured_on: str
    is_classifier: bool


class CifarInfo(TypedDict):
    """CIFAR-10: whether it is available, and otherwise how to get it."""

    available: bool
    classes: list[str]
    message: str


class ModelList(TypedDict):
    """Response of `list_models`."""

    checkpoints: list[ModelInfo]
    cifar: CifarInfo


class GridShape(TypedDict):
    """Shape of the attention; `aspect` is the width of the image divided by its height."""

    layers: int
    heads: int
    rows: int
    columns: int
    aspect: float
    prefix: int
    classToken: bool


class FigureFile(TypedDict):
    """A file to save: its name, and its content as a data URL."""

    name: str
    src: str


class DownloadInfo(TypedDict):
    """State of the download of a dataset."""

    dataset: str
    running: bool
    progress: float
    message: str
