"""Images and datasets: uploads, the gallery of test images, and the download of CIFAR-10."""

from dataclasses import asdict

from fastapi import APIRouter, UploadFile
from fastapi.responses import StreamingResponse

from vitviz.data.cifar import DataError
from vitviz.webapp.image_sets import CIFAR10
from vitviz.webapp.images import CIFAR_UNAVAILABLE
from vitviz.webapp.schemas import data as types
from vitviz.webapp.server import uploads
from vitviz.webapp.server.calls import Caller, Lines
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


@router.post("/cifar")
async def cifar(request: types.DownloadRequest, call: Caller) -> types.Download:
    """Start or cancel the download of CIFAR-10, and return its state."""
    if call.backend.public:
        raise DataError(CIFAR_UNAVAILABLE)
    download = call.backend.download
    if request.action == "start":
        await call.quick(lambda: download.start(CIFAR10))
    elif request.action == "cancel":
        download.cancel()
    return types.Download(**asdict(download.state()))
