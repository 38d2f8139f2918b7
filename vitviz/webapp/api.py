"""The routes of the page, at `/vitviz/api/`: a FastAPI application, mounted in Gradio's. It imports torch."""

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from vitviz.webapp.routes import data, explanations, lessons, models, runs, teaching
from vitviz.webapp.server.modules import API_PREFIX
from vitviz.webapp.server.refusals import Refusal

if TYPE_CHECKING:
    from vitviz.webapp.backend import Backend

ROUTERS = (explanations, lessons, models, data, runs, teaching)
REFUSALS: dict[int | str, dict[str, Any]] = {"4XX": {"model": Refusal}, "5XX": {"model": Refusal}}


def create(backend: "Backend") -> FastAPI:
    """Create the application."""
    app = FastAPI(title="vitviz", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.backend, app.state.public = backend, backend.public
    for module in ROUTERS:
        app.include_router(module.router, prefix=API_PREFIX, responses=REFUSALS)
    return app
