"""Models: which there are, what is known of them, and opening others."""

from base64 import b64encode

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from vitviz.attribution import file_formats, provenance
from vitviz.errors import CheckpointError, ConfigError
from vitviz.models import hub_cache, rounding
from vitviz.models.checkpoint import available_memory, count_parameters
from vitviz.models.suggested import SUGGESTED
from vitviz.plots import probe_table
from vitviz.webapp import probes as model_probes
from vitviz.webapp import saved_files, snapshots, words
from vitviz.webapp.explanations import head_means
from vitviz.webapp.model_info import facts, other_sizes
from vitviz.webapp.models import bundled_models, list_models
from vitviz.webapp.schemas import models as types
from vitviz.webapp.schemas.base import Empty, SavedFile
from vitviz.webapp.server.calls import Call, Caller, Lines
from vitviz.webapp.server.refusals import RefusingRoute

MAX_PARAMETERS = 8_000_000  # of a model that is sent to a browser

router = APIRouter(prefix="/models", route_class=RefusingRoute)


@router.post("")
async def models(request: Empty, call: Caller) -> types.Models:
    """List the models, and whether CIFAR-10 is available."""
    inputs = call.backend.inputs
    return await call.quick(lambda: types.Models(**list_models(inputs)))


@router.post("/hub")
async def hub_models(request: Empty, call: Caller) -> types.HubModels:
    """List models of the Hugging Face Hub: those in the cache, and suggested ones."""
    check_private(call)
    from huggingface_hub import constants

    def find() -> types.HubModels:
        return types.HubModels(
            models=hub_cache.list_cached(),
            suggested=[
                types.Suggestion(**{name: getattr(one, name) for name in types.Suggestion.model_fields})
                for one in SUGGESTED
            ],
            cache=constants.HF_HUB_CACHE,
            free_memory=available_memory(),
        )

    return await call.quick(find)


@router.post("/open")
async def open_model(request: types.OpenRequest, call: Caller) -> types.OpenState:
    """Open a model, or cancel that; return the state."""
    check_private(call)
    opener = call.backend.inputs.opener
    if request.action == "start":
        await call.quick(lambda: opener.start(request.name.strip()))
    elif request.action == "cancel":
        opener.cancel()
    return opener.state


@router.post("/words", response_model=types.OpenedModel, response_class=Lines)
async def open_words(request: types.WordsRequest, call: Caller) -> StreamingResponse:
    """Make texts the classes of a model, and add the result to those that can be chosen."""
    inputs, report = call.backend.inputs, call.job.report
    found = call.many_passes(lambda: types.OpenedModel(info=words.open_words(inputs, request, report)))
    return await call.stream(found)


@router.post("/weights")
async def weights(request: types.ModelRequest, call: Caller) -> types.ModelFile:
    """Return a small model for the browser; on a public page one that ships with vitviz."""
    inputs = call.backend.inputs

    def pack() -> types.ModelFile:
        model = inputs.model(request.model, "model")
        if inputs.public and request.model not in bundled_models():
            raise ConfigError("model", f"must ship with vitviz on a public page: got {request.model[:80]!r}")
        if count_parameters(model.config) > MAX_PARAMETERS:
            raise ConfigError("model", f"must have at most {MAX_PARAMETERS:,} parameters for the browser")
        return types.ModelFile(file=b64encode(rounding.to_file(model, "float32", head_means(model))).decode())

    return await call.one_pass(pack)


@router.post("/facts")
async def model_facts(request: types.ModelRequest, call: Caller) -> types.Facts:
    """Return what is known of a model."""
    inputs = call.backend.inputs

    def describe() -> types.Facts:
        model = inputs.model(request.model, "model")
        opened = inputs.opener.models
        sizes = [] if inputs.public else other_sizes(model, opened.requested.get(model.name))
        return types.Facts(facts=facts(model, opened.sizes.get(model.name)), sizes=sizes)

    return await call.one_pass(describe, inputs.must_load(request.model))


@router.post("/probes", response_model=types.Probes, response_class=Lines)
async def probes(request: types.ProbesRequest, call: Caller) -> StreamingResponse:
    """Probe a model."""

    async def compute() -> types.Probes:
        found = await call.backend.probes.find(request, call)
        return await call.quick(lambda: model_probes.to_reply(found))

    return await call.stream(compute())


@router.post("/probe-file")
async def probe_file(request: types.ProbeFileRequest, call: Caller) -> SavedFile:
    """Return the table or the arrays of a figure of the probes."""
    if request.probe not in probe_table.FIGURES:
        raise ConfigError("probe", f"must be one of {', '.join(probe_table.FIGURES)}: got {request.probe[:40]!r}")
    found = (await call.backend.probes.find(request, call)).probes

    def save() -> SavedFile:
        if request.format == "csv":
            table = probe_table.to_csv(found.arrays, request.probe).encode()
            content = provenance.embed(table, ".csv", found.provenance)
        else:
            arrays = {name: found.arrays[name] for name in probe_table.FIGURES[request.probe]}
            content = file_formats.npz_bytes(arrays, found.provenance)
        return SavedFile(src=saved_files.data_url(content, request.format))

    return await call.quick(save)


@router.post("/snapshots")
async def model_snapshots(request: types.ModelRequest, call: Caller) -> types.Snapshots:
    """List the snapshots and probe images of a training."""
    return await call.quick(lambda: snapshots.list_snapshots(call.backend.timelines, request.model))


def check_private(call: Call) -> None:
    """Refuse to open models on a public page."""
    if call.backend.public:
        raise CheckpointError("Models cannot be opened on a public page", "Run vitviz on your own computer.")
