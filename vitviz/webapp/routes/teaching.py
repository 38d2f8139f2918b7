"""Classes that a visitor teaches: fit a head, validate it, and keep what was taught."""

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from vitviz.webapp.schemas import teaching as types
from vitviz.webapp.schemas.base import SavedFile
from vitviz.webapp.schemas.models import ModelRequest, OpenedModel
from vitviz.webapp.server.calls import Caller, Lines, PrivateCaller
from vitviz.webapp.server.refusals import RefusingRoute

router = APIRouter(prefix="/teaching", route_class=RefusingRoute)


@router.post("/fit", response_model=types.Fitted, response_class=Lines)
async def fit(request: types.FitRequest, call: Caller) -> StreamingResponse:
    """Fit a head to the classes, and return the name of the model that has it."""
    teaching = call.backend.teaching

    async def compute() -> types.Fitted:
        is_slow = await call.quick(lambda: teaching.is_slow(request))
        run = call.many_passes if is_slow else call.one_pass
        return await run(lambda: teaching.fit(request, call.job.report))

    return await call.stream(compute())


@router.post("/validation", response_model=types.CrossValidation, response_class=Lines)
async def validation(request: ModelRequest, call: Caller) -> StreamingResponse:
    """Cross-validate a fitted model."""
    teaching = call.backend.teaching
    return await call.stream(call.many_passes(lambda: teaching.validate(request.model, call.job.report)))


@router.post("/neighbors")
async def neighbors(request: types.NeighborsRequest, call: Caller) -> types.Neighbors:
    """Return the training images that are most similar to an image."""
    return await call.one_pass(lambda: call.backend.teaching.neighbors(request.model, request.image))


@router.post("/open")
async def open_model(request: types.TaughtRequest, call: Caller) -> OpenedModel:
    """Add a fitted model to those that can be chosen."""
    return await call.quick(lambda: OpenedModel(info=call.backend.teaching.open(request.model, request.name)))


@router.post("/file")
async def file(request: ModelRequest, call: Caller) -> SavedFile:
    """Return the checkpoint of a fitted model."""
    return await call.quick(lambda: call.backend.teaching.file(request.model))


@router.post("/set")
async def save_set(request: types.SetRequest, call: PrivateCaller) -> types.SavedSet:
    """Store the images in the data folder."""
    return await call.many_passes(lambda: call.backend.teaching.save_set(request))
