"""What is explained, `Subject`, and what is shown of it, `View`: one set of names for pages, links, requests and files.

Their JSON Schema is the source of the page's types. This module imports neither torch nor Matplotlib, so that the page
is served before they are loaded. Layers, heads, patches and classes count from 0. Whether an index exists depends on
the model, so that is checked where a view is used.
"""

from collections.abc import Sequence
from operator import index
from typing import Annotated, Any, ClassVar, Literal, SupportsIndex

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vitviz.errors import ConfigError, InvalidValueError

Index = Annotated[int, Field(ge=0, strict=True)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Layer = Index | Literal["mean", "pool"]
Head = Index | Literal["mean"]
Direction = Literal["from", "to", "similar"]
Scale = Literal["shared", "uniform", "map"]
Content = Literal["attention", "method", "contributions", "features", "patching"]
AblationMode = Literal["zero", "mean"]
PatchMode = Literal["drop", "gray"]
MAX_NAME = 1000  # characters


class Model(BaseModel):
    """An immutable value whose unknown fields are refused; invalid ones raise ConfigError."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def __init__(self, /, **values: Any) -> None:
        """Validate the fields.

        Raises:
            ConfigError: For the first invalid field.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise config_error(error) from None


class Sample(Model):
    """An image that ships with vitviz."""

    kind: Literal["sample"] = "sample"
    name: Annotated[str, Field(max_length=MAX_NAME)]


class TestImage(Model):
    """A test image of CIFAR-10."""

    __test__: ClassVar[bool] = False  # of pytest

    kind: Literal["test"] = "test"
    index: Index


class RunImage(Model):
    """A test image of the dataset that a run ("runs/NAME") was trained on."""

    kind: Literal["run"] = "run"
    run: Annotated[str, Field(max_length=MAX_NAME)]
    index: Index


class Upload(Model):
    """An uploaded image by the id that the server answered, the SHA-256 of its file.

    Attributes:
        crop: Position of the crop along the longer side, from 0 (left or top) to 1.
    """

    kind: Literal["upload"] = "upload"
    id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    name: Annotated[str, Field(max_length=MAX_NAME)] = ""
    crop: Fraction = 0.5


class Given(Model):
    """An image that a program passed, by the SHA-256 of its file, or of an image in memory of its RGB pixels.

    Attributes:
        width: Of the image, upright, in pixels.
        height: Likewise.
        crop: As for `Upload`.
        name: Name of its file, without its folder; may be empty.
    """

    kind: Literal["given"] = "given"
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]
    crop: Fraction = 0.5
    name: Annotated[str, Field(max_length=MAX_NAME)] = ""


KINDS = ("sample", "test", "run", "upload", "given")
Image = Annotated[Sample | TestImage | RunImage | Upload | Given, Field(discriminator="kind")]


class Ablation(Model):
    """Ablated heads and removed patches.

    Attributes:
        heads: Pairs of layer and head.
        patches: Positions in reading order.
        mode: Output of ablated heads: "zero", or their "mean" over the sample images.
        patch_mode: "drop" leaves the patches' tokens out; "gray" paints the patches in the dataset's mean color.
    """

    heads: tuple[tuple[Index, Index], ...] = ()
    patches: tuple[Index, ...] = ()
    mode: AblationMode = "zero"
    patch_mode: PatchMode = "drop"


class Subject(Model):
    """What is explained: a model, an image, and ablations.

    Attributes:
        model: As for `vitviz.load`, or "runs/NAME".
        snapshot: Of the run's timeline; None for its latest weights.
        image: The image by its kind.
        ablations: In sequence.
    """

    model: Annotated[str, Field(max_length=MAX_NAME)]
    snapshot: Index | None = None
    image: Image
    ablations: tuple[Ablation, ...] = ()


class View(Model):
    """What is shown of an explanation.

    Attributes:
        content: "attention" of `layer` and `head`, the map of `method`, "contributions" to the logit, "features" of the
            tokens, or activation "patching" against the image `other`.
        layer: "mean" over layers; "pool" for attention pooling, which has no query patches.
        head: "mean" over the heads that are not ablated.
        query: The query patches, positions in reading order; empty for the class token.
        direction: What the query attends to ("from"), what attends to it ("to"), or the cosine similarity of its token
            ("similar").
        method: A name in `vitviz.METHODS`, for the content "method".
        target: The explained class and its contrast class, if any; empty for the class predicted before an ablation.
        truth: The true class, which is marked in the prediction.
        scale: "shared" by all heads (and another one by all means), "uniform": in multiples of uniform attention, or
            one per "map".
        smooth: Whether maps are interpolated between the centers of patches.
        outlines: Opacity of the image's outlines on the large map.
        pixels: Whether the map of a method that has one per pixel is shown by pixel.
        foreground: Whether features leave the background out.
        lens: Whether features are what the tuned lens of the model reads from each patch: the probability of the
            target's class.
        other: The second image of activation patching.
    """

    content: Content = "attention"
    layer: Layer = "mean"
    head: Head = "mean"
    query: tuple[Index, ...] = ()
    direction: Direction = "from"
    method: Annotated[str, Field(max_length=MAX_NAME)] | None = None
    target: Annotated[tuple[Index, ...], Field(max_length=2)] = ()
    truth: Index | None = None
    scale: Scale = "shared"
    smooth: bool = False
    outlines: Fraction = 0.6
    pixels: bool = False
    foreground: bool = False
    lens: bool = False
    other: Image | None = None


def check_index(field: str, value: object, count: int, *others: object) -> None:
    """Raise ConfigError for a value that is neither an integer from 0 to `count` - 1 nor one of the `others`."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        is_known = value in others
    else:
        is_known = 0 <= index(value) < count
    if not is_known:
        names = "".join(f" or {one}" for one in others if one is not None)
        raise InvalidValueError(field, f"from 0 to {count - 1}{names}", value)


def config_error(error: ValidationError) -> ConfigError:
    """Return the first error of pydantic as one with a field, the rule and the value; an unknown field is named."""
    return first_error(error.errors(include_url=False))


def first_error(errors: Sequence[Any], skip: int = 0) -> ConfigError:
    """Return the first of pydantic's errors likewise; the first `skip` names of its place are left out."""
    first, *others = errors
    field = field_of(first, skip)
    nested = first.get("ctx", {}).get("error")
    if isinstance(nested, ConfigError):
        return ConfigError(f"{field}.{nested.field}".strip(".")[:80], nested.problem, nested.hint)
    field = field or "request"
    if first["type"] == "extra_forbidden":
        return ConfigError(field, "is not a known field", "Remove it.")
    if first["type"] == "missing":
        return ConfigError(field, "is missing")
    same = [one["msg"].removeprefix("Input should be ") for one in others if field_of(one, skip) == field]  # of a union
    rule = " or ".join([first["msg"], *same])
    return ConfigError(field, f"is invalid, {rule[0].lower()}{rule[1:]}: got {first['input']!r:.60}")


def field_of(error: Any, skip: int) -> str:
    """Return the name of an error's field, without what pydantic appends: an image's kind, or the member of a union."""
    place = [str(part) for part in error["loc"][skip:]]
    names = [part for i, part in enumerate(place) if not (i and place[i - 1] in ("image", "other") and part in KINDS)]
    return ".".join(name for name in names if {"-", "["}.isdisjoint(name))[:80]
