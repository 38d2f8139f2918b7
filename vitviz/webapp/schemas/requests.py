"""All functions of the server that the pages call, with the types of their argument and result."""

from typing_extensions import TypedDict

from vitviz.attribution.provenance import Provenance
from vitviz.webapp.schemas.common import (
    DownloadInfo,
    Empty,
    FigureFile,
    FoundModels,
    ModelFacts,
    ModelList,
    ModelRequest,
    OpenInfo,
    OpenRequest,
    Refusal,
    Vector,
)
from vitviz.webapp.schemas.explore import (
    AblateReply,
    AblateRequest,
    CifarDownloadRequest,
    CodeReply,
    CodeRequest,
    ExplainReply,
    ExplainRequest,
    FigureRequest,
    GalleryProgress,
    GalleryProgressRequest,
    GalleryReply,
    GalleryRequest,
    KeyRequest,
    MethodsReply,
    MethodsRequest,
    OnRequestReply,
    OnRequestRequest,
    RowsRequest,
    ScoresReply,
    TargetRequest,
)
from vitviz.webapp.schemas.internals import ProbeFigureRequest, ProbesReply, ProbesRequest
from vitviz.webapp.schemas.learn import (
    LessonFlipReply,
    LessonHeadReply,
    LessonHeadRequest,
    LessonPatchReply,
    LessonPatchRequest,
    LessonRemoveRequest,
    LessonReply,
    LessonTrainingReply,
    LessonTrainingRequest,
)
from vitviz.webapp.schemas.train import (
    CheckReply,
    ConfigRequest,
    DatasetRequest,
    EstimateReply,
    FileReply,
    FormRequest,
    NameRequest,
    PollReply,
    PollRequest,
    RenameRequest,
    RunLists,
    SurveyReply,
    TrainCatalog,
    UploadedReply,
    UploadRequest,
)
from vitviz.webapp.schemas.views import (
    ContributionsReply,
    FeaturesReply,
    FeaturesRequest,
    NearestReply,
    NearestRequest,
    PatchedHeads,
    PatchedTokens,
    PatchingRequest,
    PatchTokensRequest,
    PixelMapReply,
    PixelMapRequest,
    SimilarityReply,
    SimilarityRequest,
    TaskProgress,
    TaskRequest,
)


class Requests(TypedDict):
    """Server functions by name: argument and response. None means that the key has expired."""

    explain: tuple[ExplainRequest, ExplainReply | Refusal]
    attention: tuple[KeyRequest, str | Refusal | None]
    rows: tuple[RowsRequest, str | Refusal | None]
    methods: tuple[MethodsRequest, MethodsReply | Refusal | None]
    scores: tuple[TargetRequest, ScoresReply | Refusal | None]
    contributions: tuple[TargetRequest, ContributionsReply | Refusal | None]
    map_on_request: tuple[OnRequestRequest, OnRequestReply | Refusal | None]
    pixel_map: tuple[PixelMapRequest, PixelMapReply | Refusal | None]
    features: tuple[FeaturesRequest, FeaturesReply | Refusal | None]
    similarity: tuple[SimilarityRequest, SimilarityReply | Refusal | None]
    nearest: tuple[NearestRequest, NearestReply | Refusal | None]
    patch_heads: tuple[PatchingRequest, PatchedHeads | Refusal | None]
    patch_tokens: tuple[PatchTokensRequest, PatchedTokens | Refusal | None]
    task_progress: tuple[TaskRequest, TaskProgress | Refusal]
    ablate: tuple[AblateRequest, AblateReply | Refusal | None]
    figure: tuple[FigureRequest, FigureFile | Refusal | None]
    code: tuple[CodeRequest, CodeReply | Refusal | None]
    provenance: tuple[CodeRequest, Provenance | Refusal | None]
    gallery: tuple[GalleryRequest, GalleryReply | Refusal]
    gallery_progress: tuple[GalleryProgressRequest, GalleryProgress | Refusal]
    cifar_download: tuple[CifarDownloadRequest, DownloadInfo | Refusal]
    list_models: tuple[Empty, ModelList | Refusal]
    find_models: tuple[Empty, FoundModels | Refusal]
    open_model: tuple[OpenRequest, OpenInfo | Refusal]
    model_facts: tuple[ModelRequest, ModelFacts | Refusal]
    probes: tuple[ProbesRequest, ProbesReply | Refusal]
    probe_figure: tuple[ProbeFigureRequest, FigureFile | Refusal]
    lesson: tuple[KeyRequest, LessonReply | Refusal | None]
    lesson_head: tuple[LessonHeadRequest, LessonHeadReply | Refusal | None]
    lesson_patch: tuple[LessonPatchRequest, LessonPatchReply | Refusal | None]
    lesson_remove: tuple[LessonRemoveRequest, Vector | Refusal | None]
    lesson_flip: tuple[KeyRequest, LessonFlipReply | Refusal | None]
    lesson_training: tuple[LessonTrainingRequest, LessonTrainingReply | Refusal | None]
    train_catalog: tuple[Empty, TrainCatalog | Refusal]
    check: tuple[FormRequest, CheckReply | Refusal]
    estimate: tuple[ConfigRequest, EstimateReply | Refusal]
    start: tuple[FormRequest, RunLists | Refusal]
    resume: tuple[NameRequest, RunLists | Refusal]
    resume_sweep: tuple[NameRequest, RunLists | Refusal]
    stop: tuple[NameRequest, RunLists | Refusal]
    rename: tuple[RenameRequest, RunLists | Refusal]
    delete: tuple[NameRequest, RunLists | Refusal]
    download: tuple[NameRequest, FileReply | Refusal]
    poll: tuple[PollRequest, PollReply | Refusal]
    download_data: tuple[DatasetRequest, RunLists | Refusal]
    cancel_download: tuple[Empty, RunLists | Refusal]
    upload_images: tuple[UploadRequest, UploadedReply | Refusal]
    delete_images: tuple[NameRequest, RunLists | Refusal]
    survey: tuple[ConfigRequest, SurveyReply | Refusal]
