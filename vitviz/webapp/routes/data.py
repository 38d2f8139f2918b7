"""Images and datasets: uploads, the gallery of test images, the download of CIFAR, and image folders."""

from dataclasses import asdict

from fastapi import APIRouter, UploadFile
from fastapi.responses import StreamingResponse

from vitviz.errors import DataError
from vitviz.webapp.image_lists import CIFAR_UNAVAILABLE
from vitviz.webapp.routes.runs import change
from vitviz.webapp.schemas import data as types
from vitviz.webapp.schemas import runs
from vitviz.webapp.server import uploads
from vitviz.webapp.server.calls import Caller, Lines, PrivateCaller
from vitviz.webapp.server.refusals import RefusingRoute, about

router = APIRouter(prefix="/data", route_class=RefusingRoute)


@router.post("/uploads")
async def upload(file: UploadFile, call: Caller) -> types.Uploaded:
    """Store an image for at most an hour."""
    content = await file.read()
    with about("file"):
        return types.Uploaded(id=await call.quick(lambda: uploads.keep(content)))


@router.post("/gallery", response_model=types.Gallery, response_class=Lines)
async def gallery(request: types.GalleryRequest, call: Caller) -> StreamingResponse:
    """Return one page of test images; a model may have to predict all of them first."""

    async def compute() -> types.Gallery:
        found = call.backend.gallery
        if await call.quick(lambda: found.is_quick(request)):
            return await call.quick(lambda: found.page(request))
        return await call.many_passes(lambda: found.page(request, call.job.report))

    return await call.stream(compute())


@router.post("/download")
async def download(request: types.DownloadRequest, call: Caller) -> types.Download:
    """Start or cancel the download of a dataset, and return its state."""
    if call.backend.public:
        raise DataError(CIFAR_UNAVAILABLE)
    found = call.backend.trainings.datasets.download
    if request.action == "start":
        await call.quick(lambda: found.start(request.dataset))
    elif request.action == "cancel":
        found.cancel()
    return types.Download(**asdict(found.state()))


@router.post("/folders")
async def upload_folder(file: UploadFile, call: PrivateCaller) -> runs.UploadedFolder:
    """Store a zip of labeled images in the data folder."""
    content, trainings = await file.read(), call.backend.trainings

    def store() -> runs.UploadedFolder:
        with about("file"):
            name = trainings.datasets.upload(content, file.filename or "")
        return runs.UploadedFolder(**dict(trainings.lists()), uploaded=name)

    return await call.many_passes(store)


@router.post("/folders/survey", response_model=runs.SurveyReply, response_class=Lines)
async def survey(request: runs.ConfigRequest, call: PrivateCaller) -> StreamingResponse:
    """Count the images of the image folder of a form."""
    return await call.stream(call.many_passes(lambda: call.backend.trainings.survey(request, call.job.report)))


@router.post("/folders/delete")
async def delete_folder(request: runs.NameRequest, call: PrivateCaller) -> runs.RunLists:
    """Delete a zip of images."""
    return await change(call, lambda: call.backend.trainings.delete_images(request.name))
