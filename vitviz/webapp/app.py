"""The web app: `build_app` builds pages and endpoints; `serve` starts the server, by default for this machine only."""

import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr
from fastapi.responses import JSONResponse
from gradio import http_server, routes
from gradio.utils import get_upload_folder
from starlette.middleware import Middleware
from starlette.routing import Mount

from vitviz.errors import ConfigError
from vitviz.training.config import InferenceDevice
from vitviz.view import Subject
from vitviz.webapp import first_paint, page, preview
from vitviz.webapp.endpoints import Endpoints
from vitviz.webapp.schemas.common import ModelInfo
from vitviz.webapp.server.address import Address, choose_address
from vitviz.webapp.server.deferred import DeferredBackend
from vitviz.webapp.server.guard import MAX_UPLOAD_BYTES, Guard, allowed_hosts, is_space, remove_secrets
from vitviz.webapp.server.modules import API_PREFIX, URL_PREFIX, ModuleFiles, ModulePreload
from vitviz.webapp.server.refusals import BUSY
from vitviz.webapp.server.uploads import Uploads, make_upload_folder

if TYPE_CHECKING:
    from torch import nn

    from vitviz.models.checkpoint import Checkpoint
    from vitviz.webapp.backend import Backend

MAX_SESSIONS = 200  # whose state Gradio stores, although the page has none


def build_app(
    data: str | None = None,
    public: bool = False,
    checkpoint: str | None = None,
    mcp: bool = False,
    device: InferenceDevice = "cpu",
    models: "Mapping[str, Checkpoint | nn.Module] | None" = None,
) -> gr.Blocks:
    """Build the page and its endpoints `/explain`, `/checkpoints` and `/methods`.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        public: Whether anyone may use it: no training, and paths of the server are hidden. Always set on a Space.
        checkpoint: Model that the page opens with, as for `vitviz.load`; None for the first bundled one.
        mcp: Whether the endpoints are also tools of the Model Context Protocol (MCP); not on a public page.
        device: Device that explains images, as for `vitviz.load`.
        models: Models in memory by their names on the page, which opens with the first one; not on a public page.

    Raises:
        CheckpointError: If the model cannot be loaded.
        ConfigError: If MCP or the device is not available, or the name of a model is taken.
    """
    public = public or is_space()
    if public and models:
        raise ConfigError("models", "cannot be in memory on a public page", "Save a checkpoint, and name its file.")
    if mcp:
        check_mcp(public)
    routes.DEFAULT_TEMP_DIR = tempfile.gettempdir()  # the default folder in it may belong to another user

    known = first_paint.read() if checkpoint is None and not models else None

    def load() -> "Backend":
        from vitviz.webapp.backend import Backend

        backend = Backend(data, public, checkpoint, device, models)
        if known is not None:
            backend.explanations.compute(Subject(**known["explained"]["subject"]))
        return backend

    deferred = DeferredBackend(load, known and known["explained"])
    # Describing other models than those of the file takes torch.
    listed, methods = describe(deferred.start().result()) if known is None else (known["models"], known["methods"])
    if public:  # a gated model has been opened with its token
        remove_secrets()
    with page.build(first_paint.catalog(listed, methods, data, public)) as app:
        for name, function in Endpoints(deferred).functions.items():
            # A queued tool would be called through `gradio_client`, which uploads any file of this machine it is given.
            gr.api(function, api_name=name, queue=not mcp)
    app.deferred_backend = deferred
    for block in app.blocks.values():
        block.async_move_resource_to_block_cache = keep_path  # type: ignore[method-assign]
    app.mcp_server = mcp
    return app.queue(default_concurrency_limit=2, max_size=64, api_open=False)


def describe(backend: "Backend") -> tuple[list[ModelInfo], list[dict[str, Any]]]:
    """Return the bundled and opened models, and the attribution methods."""
    from vitviz.attribution.serialize import methods_to_json
    from vitviz.webapp.models import list_models

    models = [model for model in list_models(backend.inputs)["models"] if model["origin"] != "run"]
    return models, methods_to_json()


def check_mcp(public: bool) -> None:
    """Raise ConfigError if MCP is not installed, or the page is public."""
    if public:
        raise ConfigError("mcp", "is not available on a public page", "Start without `public` or without `mcp`.")
    if find_spec("mcp") is None:
        raise ConfigError("mcp", "needs the MCP package of Gradio", "Run: pip install 'gradio[mcp]'")


async def keep_path(path: str | None) -> str | None:
    """Return a file's path unchanged, unlike Gradio, which copies files and downloads URLs.

    `vitviz.webapp.image_lists.upload_path` checks that it is in the upload folder.
    """
    return path


def serve(
    app: gr.Blocks,
    host: str | None = None,
    port: int | str | None = None,
    block: bool = True,
    names: Iterable[str] = (),
    root_path: str | None = None,
) -> str:
    """Start the server, and import what its functions need.

    Args:
        app: From `build_app`.
        host: As for `choose_address`, which raises errors.
        port: As well.
        block: Whether to wait until the server ends; then the process exits, without waiting for computations of
            requests, which can take minutes for a large model.
        names: Additional host names, as for `vitviz.webapp.server.guard.allowed_hosts`.
        root_path: As for `choose_address`.

    Returns:
        The URL of the page.
    """
    address = choose_address(host, port, root_path)
    folder = make_upload_folder()
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    if block and threading.current_thread() is threading.main_thread():
        for name in {"SIGTERM", "SIGHUP"} & {*signal.Signals.__members__}:
            if signal.getsignal(signal.Signals[name]) == signal.SIG_DFL:  # nohup ignores SIGHUP
                signal.signal(signal.Signals[name], signal.default_int_handler)  # shut down as on Ctrl-C
    try:
        url = launch(app, address, allowed_hosts(names))
        try:
            print(f"vitviz is at {url}", flush=True)
            app.deferred_backend.start().result()
            if block:
                app.block_thread()
        except KeyboardInterrupt:  # during the import; `block_thread` handles it
            if not block:
                raise
            app.close(verbose=False)
    finally:
        if block:
            shutil.rmtree(folder, ignore_errors=True)
    if block:
        sys.stdout.flush()
        os._exit(0)
    return url


def launch(app: gr.Blocks, address: Address, names: frozenset[str]) -> str:
    """Launch Gradio's server behind the guard, without features that the page does not need.

    Raises:
        ConfigError: If the installed MCP package does not fit Gradio, or another process takes the port.
    """
    mcp = app.mcp_server
    uploads = Uploads(Path(get_upload_folder()), app.deferred_backend.clean)
    for name in ("no_proxy", "NO_PROXY"):  # Gradio requests its own URL to check that it is up
        hosts = filter(None, os.environ.get(name, "").split(","))
        os.environ[name] = ",".join(dict.fromkeys([*hosts, address.host, "127.0.0.1", "localhost"]))
    http_server.LOCALHOST_NAME = "127.0.0.1"  # it checks ports here, and fails if GRADIO_SERVER_NAME is an IPv6 address
    try:
        _, url, _ = app.launch(
            server_name=address.netloc_host,
            server_port=address.port,
            root_path=address.root_path,
            max_file_size=MAX_UPLOAD_BYTES,  # the guard refuses first, with a clearer message
            allowed_paths=[],
            state_session_capacity=MAX_SESSIONS,
            share=False,
            mcp_server=mcp,
            show_error=False,
            strict_cors=True,
            quiet=True,
            prevent_thread_lock=True,
            app_kwargs={
                "middleware": [
                    Middleware(Guard, names=names, uploads=uploads, mcp=mcp),
                    Middleware(ModulePreload, first=["main.js", "App.js"], pages=page.page_names()),
                    Middleware(preview.LinkPreview),
                ],
                "routes": [
                    preview.route,
                    Mount(API_PREFIX, app.deferred_backend),
                    Mount(URL_PREFIX.rstrip("/"), ModuleFiles()),
                ],
                "lifespan": uploads.clean_regularly,
                "exception_handlers": {503: lambda *_: JSONResponse({"detail": BUSY}, 503)},  # full queue
                **dict.fromkeys(("docs_url", "redoc_url", "openapi_url")),
            },
            **page.LAUNCH,
        )
    except OSError as error:
        if error.errno is not None:
            raise
        problem = f"must be free: another program took {address.port} on {address.host} just now"
        raise ConfigError("port", problem, "Start again.") from None
    if mcp and app.mcp_error:
        app.close(verbose=False)
        raise ConfigError(
            "mcp", f"cannot start with the installed package: {app.mcp_error}", "Run: pip install 'gradio[mcp]'"
        )
    return str(url).replace("[::]", "localhost")
