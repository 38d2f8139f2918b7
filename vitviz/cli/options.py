"""Options that several commands share, the options made from `TrainConfig`, and the progress bar."""

import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from vitviz.errors import ConfigError
from vitviz.models.config import rule
from vitviz.training.config import TrainConfig, parse_value

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

    from vitviz.models.checkpoint import Checkpoint

DATA_HELP = "Directory of the dataset; default: the environment variable VITVIZ_DATA, else data/."
Data = Annotated[str | None, typer.Option("--data", metavar="DIR", help=DATA_HELP)]
AnyData = Annotated[
    str | None,
    typer.Option("--data", metavar="PATH", help=f"{DATA_HELP} Required for folder: an image folder or a zip file."),
]
CHECKPOINT_HELP = (
    "Name in checkpoints/, .safetensors file, folder of a run, timm or transformers, timm:NAME or hf:OWNER/NAME."
)
CheckpointName = Annotated[str, typer.Argument(metavar="CHECKPOINT", help=CHECKPOINT_HELP, show_default=False)]
CheckpointOption = Annotated[str, typer.Option(metavar="CHECKPOINT", help=CHECKPOINT_HELP)]
ImgSize = Annotated[
    str | None,
    typer.Option(metavar="HxW", help="Input size (px), such as 448 or 224x336; positions are interpolated."),
]
Port = Annotated[
    str | None,  # checked with the variables, in the same words
    typer.Option(metavar="PORT", help="Port; default: GRADIO_SERVER_PORT or PORT, else the first free one from 7860."),
]

NO_FLAG = ("model",)  # its fields are set with --set
# First field -> title of the group of options that starts with it, in the order of TrainConfig.
PANELS = {
    "objective": "Objective and initial weights",
    "dataset": "Data and output",
    "epochs": "Budget, batch size and device",
    "optimizer": "Optimization",
    "randaug_num_ops": "Augmentation and regularization",
    "ema_decay": "Averaging, clipping and checkpoints",
}
PIPE_WIDTH = 10_000  # characters
METAVARS = {int: "INTEGER", float: "NUMBER", str: "PATH"}


def parse_size(text: str | None) -> tuple[int, int] | None:
    """Return height and width from "HxW" or "SIDE"."""
    if text is None:
        return None
    sides = text.lower().split("x")
    if len(sides) > 2 or not all(side.isdecimal() for side in sides):
        raise ConfigError("img_size", f"must be HxW in pixels: got {text!r:.40}", "For example 224x336.")
    return int(sides[0]), int(sides[-1])


def load_at(checkpoint: str, img_size: str | None) -> "Checkpoint":
    """Load a model at an input size, and say on standard error what that takes."""
    from vitviz.models import hub
    from vitviz.models.names import cut_size

    model = hub.load(checkpoint, img_size=parse_size(img_size))
    if is_main_process() and (img_size is not None or cut_size(checkpoint)[1]):
        print(hub.describe_cost(model.config), file=sys.stderr)
    return model


def checked_by(annotation: Any) -> Any:
    """Return settings of an option or argument whose value is checked, and refused in the words of `TrainConfig`."""
    adapter = TypeAdapter(annotation)

    def parse(text: Any) -> Any:
        try:
            return adapter.validate_python(text)
        except ValidationError:
            raise typer.BadParameter(f"must be {rule(annotation)}: got {text!r:.80}.") from None

    return {"parser": parse, "metavar": metavar(annotation)}


def with_config_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add one option per field of `TrainConfig` to a command, which receives those in use as keyword arguments.

    The values are passed as text, so that `TrainConfig` alone checks them.
    """
    signature = inspect.signature(command)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    command.__signature__ = signature.replace(parameters=[*own, *config_parameters()])  # type: ignore[attr-defined]
    return command


def config_parameters() -> Iterator[inspect.Parameter]:
    """Generate the parameters of `with_config_options` in the order of `TrainConfig`."""
    hints, panel = get_type_hints(TrainConfig, include_extras=True), ""
    for field in fields(TrainConfig):
        panel = PANELS.get(field.name, panel)
        if field.name in NO_FLAG:
            continue
        has_default = field.default is not MISSING and field.default is not None
        flag = f"--{field.name.replace('_', '-')}"
        is_switch = base_type(hints[field.name]) is bool
        option = typer.Option(
            f"{flag}/--no-{flag[2:]}" if is_switch else flag,
            help=description(hints[field.name]) + (f" Default: {json.dumps(field.default)}." if has_default else ""),
            metavar=metavar(hints[field.name]),
            show_default=False,
            rich_help_panel=panel,
        )
        annotation: Any = Annotated[bool | None, option] if is_switch else Annotated[str | None, option]
        yield inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def metavar(annotation: Any) -> str | None:
    """Return the placeholder of a value in the help: the choices, or the kind of value."""
    kind = base_type(annotation)
    return "|".join(get_args(kind)) if get_origin(kind) is Literal else METAVARS.get(kind)


def base_type(annotation: Any) -> Any:
    """Return the type or Literal of a field without metadata and None."""
    while get_origin(annotation) is not Literal and (options := get_args(annotation)):
        annotation = options[0]
    return annotation


def description(annotation: Any) -> str:
    """Return the description in the metadata of a field."""
    found = [m.description for m in annotation.__metadata__ if isinstance(m, FieldInfo) and m.description]
    return str(found[-1])


def config_values(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `TrainConfig` that were set by options."""
    hints = get_type_hints(TrainConfig, include_extras=True)
    return {
        name: parse_value(value) if base_type(hints[name]) in (int, float) else value
        for name, value in options.items()
        if value is not None
    }


def is_main_process() -> bool:
    """Whether this is the first of torchrun's processes; the others print nothing."""
    return os.environ.get("RANK", "0") == "0"


def table_console() -> "Console":
    """Return a console for tables on standard output, which are cut at the width of a terminal only."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal else Console(width=PIPE_WIDTH)


def progress_bar() -> "Bar":
    """Return a progress bar with ETA on standard error, if that is a terminal; at the end, or by an error, it goes."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not (is_main_process() and console.is_terminal))
