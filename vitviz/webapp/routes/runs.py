"""Runs and sweeps: the form, changes, and what has changed since the last poll."""

from collections.abc import Callable

from fastapi import APIRouter

from vitviz.webapp.schemas import runs as types
from vitviz.webapp.schemas.base import Empty, SavedFile
from vitviz.webapp.server.calls import Call, Caller, PrivateCaller
from vitviz.webapp.server.refusals import RefusingRoute
from vitviz.webapp.training_form import about_form

router = APIRouter(prefix="/runs", route_class=RefusingRoute)


@router.post("/catalog")
async def catalog(request: Empty, call: Caller) -> types.TrainCatalog:
    """Return what the form offers, the bundled timelines, and the hardware."""
    return await call.quick(call.backend.trainings.catalog)


@router.post("/poll")
async def poll(request: types.PollRequest, call: Caller) -> types.PollReply:
    """Return what has changed; on a public page only timelines of bundled checkpoints."""
    return await call.quick(lambda: call.backend.trainings.poll(request))


@router.post("/reconstruct")
async def reconstruct(request: types.ReconstructionRequest, call: Caller) -> types.Reconstruction:
    """Predict masked patches of a probe image."""
    return await call.one_pass(lambda: call.backend.trainings.timelines.reconstruct(request))


@router.post("/check")
async def check(request: types.FormRequest, call: PrivateCaller) -> types.AcceptedForm:
    """Validate the form."""
    return await call.quick(lambda: call.backend.trainings.check(request))


@router.post("/estimate")
async def estimate(request: types.ConfigRequest, call: PrivateCaller) -> types.EstimateReply:
    """Estimate a training on this machine."""
    return await call.many_passes(lambda: call.backend.trainings.estimate(request))


@router.post("/start")
async def start(request: types.FormRequest, call: PrivateCaller) -> types.RunLists:
    """Start a run or a sweep."""
    return await change(call, lambda: call.backend.trainings.start(request))


@router.post("/resume")
async def resume(request: types.NameRequest, call: PrivateCaller) -> types.RunLists:
    """Resume a run or a sweep."""
    return await change(call, lambda: call.backend.trainings.resume(request.name))


@router.post("/stop")
async def stop(request: types.NameRequest, call: PrivateCaller) -> types.RunLists:
    """Request a run or a sweep to save and stop."""
    return await change(call, lambda: call.backend.trainings.runs.stop(request.name))


@router.post("/rename")
async def rename(request: types.RenameRequest, call: PrivateCaller) -> types.RunLists:
    """Rename a run."""
    return await change(call, lambda: call.backend.trainings.runs.rename(request.name, request.new))


@router.post("/delete")
async def delete(request: types.NameRequest, call: PrivateCaller) -> types.RunLists:
    """Delete a run with all its files, or a sweep without its runs."""
    return await change(call, lambda: call.backend.trainings.runs.delete(request.name))


@router.post("/download")
async def download(request: types.NameRequest, call: PrivateCaller) -> SavedFile:
    """Return the checkpoint of a run without its training state."""
    return await call.quick(lambda: call.backend.trainings.download(request.name))


async def change(call: Call, function: Callable[[], object]) -> types.RunLists:
    """Return the lists after a change."""

    def compute() -> types.RunLists:
        with about_form():
            function()
        return call.backend.trainings.lists()

    return await call.quick(compute)
