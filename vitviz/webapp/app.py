"""The web page, put together and served.

`build_app` joins the pages to their answers and adds the endpoints for programs; `serve` starts the server on this
machine only, unless told otherwise.
"""

import errno
import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import gradio as gr
from fastapi.responses import JSONResponse
from gradio import routes
from gradio.data_classes import FileDataDict
from gradio.utils import get_upload_folder
from starlette.middleware import Middleware
from starlette.requests import Request

from vitviz.attribution.explanation import explain
from vitviz.attribution.methods import METHODS
from vitviz.webapp import page
from vitviz.webapp.components import color_tables
from vitviz.webapp.images import sample, uploaded
from vitviz.webapp.models import checkpoints, model_named
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.pages.internals import Inside
from vitviz.webapp.pages.train import Train
from vitviz.webapp.server.guard import (
    MOST_UPLOAD_BYTES,
    Guard,
    Uploads,
    forget_secrets,
    further_names,
    make_upload_folder,
    on_a_space,
)
from vitviz.webapp.server.queue import BUSY, share_processors
from vitviz.webapp.server.requests import answering

FIRST_PORT, LAST_PORT = 7860, 7879
MOST_SESSIONS = 200  # of which Gradio keeps a state, though the page has none


def build_app(data: str | None = None, public: bool = False) -> gr.Blocks:
    """Build the page and its endpoints `/explain`, `/checkpoints` and `/methods`.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        public: Whether strangers use it; on a Space they do, whatever is said here.
    """
    public = public or on_a_space()
    if public:
        forget_secrets()
    routes.DEFAULT_TEMP_DIR = tempfile.gettempdir()  # Gradio makes a folder in it, and its own may be another user's
    trainer = Train(data, public=public)
    runs = None if public else trainer.runs
    explorer, inspector = Explore(data, runs, public), Inside(data, runs, public)
    colours = {"colours": color_tables()}
    offered = explorer.catalog() | colours | {"public": public}
    catalogs = {"explore": offered, "train": trainer.catalog() | colours, "inside": offered}
    functions = {"explore": explorer.functions, "train": trainer.functions, "inside": inspector.functions}
    with page.build(catalogs, functions) as app:
        gr.api(explain_image, api_name="explain")
        gr.api(checkpoints, api_name="checkpoints")
        gr.api(list_methods, api_name="methods")
    for block in app.blocks.values():
        block.async_move_resource_to_block_cache = as_it_is  # type: ignore[method-assign]
    return app.queue(default_concurrency_limit=2, max_size=64, api_open=False)


async def as_it_is(path: str | None) -> str | None:
    """Take a file where it lies, in place of Gradio's way: it copies files, and fetches whatever address is named.

    Whether it lies where uploads do is checked by `vitviz.webapp.images.uploaded`.
    """
    return path


def explain_image(
    image: str | FileDataDict, checkpoint: str = "cifar10-ti4", method: str = "average"
) -> dict[str, Any]:
    """Explain an image: probabilities by class, and a map over its patches.

    Args:
        image: The name of a sample ("cat"), or an uploaded file.
        checkpoint: A name that `/checkpoints` lists.
        method: A name that `/methods` lists.

    Returns:
        `probabilities` by class name, `map` (gh rows of gw numbers), and `note`, what became of the image.
    """
    answer: dict[str, Any] = answering(explained)(image, checkpoint, method)
    if "error" in answer:
        raise gr.Error(answer["error"], print_exception=False)
    return answer


def explained(image: str | FileDataDict, checkpoint: str, method: str) -> dict[str, Any]:
    """The answer of `/explain`, as there."""
    share_processors()
    if not (isinstance(image, str) or (isinstance(image, dict) and "path" in image)):
        raise ValueError(f"An image must be the name of a sample or an uploaded file: got {str(image)[:40]!r}.")
    source = sample(image) if isinstance(image, str) else uploaded(str(image["path"]))
    explanation = explain(model_named(checkpoint), source)
    values = explanation.map(method).tolist()
    probabilities = dict(zip(explanation.labels, explanation.probabilities.tolist(), strict=True))
    return {"probabilities": probabilities, "map": values, "note": explanation.image.note}


def list_methods() -> dict[str, str]:
    """List the methods by name, each with what it answers and what it does not."""
    return {name: method.about for name, method in METHODS.items()}


def free_port(host: str, port: int | None) -> int:
    """The wanted port, or the first free one if none is wanted.

    Raises:
        ValueError: If it is in use, or all are.
    """
    for candidate in range(FIRST_PORT, LAST_PORT + 1) if port is None else [port]:
        if is_free(host, candidate) and is_free("127.0.0.1", candidate):  # Gradio asks there, too
            return candidate
    if port is None:
        raise ValueError(
            f"A port from {FIRST_PORT} to {LAST_PORT} must be free: all are in use. Name another with --port."
        )
    raise ValueError(f"The port must be free: {port} on {host} is in use or not allowed. Name another with --port.")


def is_free(host: str, port: int) -> bool:
    """Whether a server can listen there.

    Raises:
        ValueError: If the host is no IPv4 address of this machine, nor a name of one.
    """
    with socket.socket(socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise ValueError(f"The host must be an IPv4 address of this machine: got {host}.") from error
            return False
    return True


def serve(
    app: gr.Blocks,
    host: str | None = None,
    port: int | None = None,
    block: bool = True,
    names: Iterable[str] = (),
) -> str:
    """Start the server.

    Args:
        app: From `build_app`.
        host: Address to listen on; if None, one that only this machine reaches, or on a Space, everyone.
        port: TargetLike port; if None, the first free one from 7860.
        block: Whether to stay until the server ends.
        names: Further names under which it answers, as for `vitviz.webapp.server.guard.further_names`.

    Returns:
        The address of the page.
    """
    host = host or ("0.0.0.0" if on_a_space() else "127.0.0.1")  # noqa: S104 (a Space is public)
    chosen = free_port(host, port)
    own = make_upload_folder()
    os.environ["GRADIO_TEMP_DIR"] = str(own)
    if block and threading.current_thread() is threading.main_thread():
        for ending in {"SIGTERM", "SIGHUP"} & {*signal.Signals.__members__}:
            if signal.getsignal(signal.Signals[ending]) == signal.SIG_DFL:  # nohup wants it to be ignored
                signal.signal(signal.Signals[ending], signal.default_int_handler)  # ends as Ctrl-C does
    try:
        address = launch(app, host, chosen, further_names(names))
        print(f"vitviz is at {address}", flush=True)
        if block:
            app.block_thread()
    finally:
        if block:
            shutil.rmtree(own, ignore_errors=True)
    return address


def launch(app: gr.Blocks, host: str, port: int, names: frozenset[str]) -> str:
    """Launch Gradio's server behind the guard, with nothing switched on that the page does not need.

    Raises:
        ValueError: If another program takes the port in the meantime.
    """
    uploads = Uploads(Path(get_upload_folder()))
    for name in ("no_proxy", "NO_PROXY"):  # Gradio asks its own address whether it is up
        known = filter(None, os.environ.get(name, "").split(","))
        os.environ[name] = ",".join(dict.fromkeys([*known, host, "127.0.0.1", "localhost"]))
    try:
        _, address, _ = app.launch(
            server_name=host,
            server_port=port,
            max_file_size=MOST_UPLOAD_BYTES,  # the guard refuses first, in its own words
            allowed_paths=[],
            state_session_capacity=MOST_SESSIONS,
            share=False,
            show_error=False,
            strict_cors=True,
            quiet=True,
            prevent_thread_lock=True,
            app_kwargs={
                "middleware": [Middleware(Guard, names=names, uploads=uploads)],
                "lifespan": uploads.kept_tidy,
                "exception_handlers": {503: busy},
                "docs_url": None,
                "redoc_url": None,
                "openapi_url": None,
            },
            **page.LAUNCH,
        )
    except OSError as error:
        if error.errno is not None:
            raise
        raise ValueError(
            f"The port must be free: another program took {port} on {host} just now. Start again."
        ) from None
    return str(address)


def busy(request: Request, error: Exception) -> JSONResponse:
    """The answer when the queue of the endpoints is full."""
    return JSONResponse({"detail": BUSY}, 503)
