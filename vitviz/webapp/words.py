"""Words of a visitor as the classes of a model that compares images with texts.

The text encoder of the last model stays in memory. On a public page the names of such models tell nothing of the words,
as servers log addresses, and nothing is downloaded.
"""

import secrets
from collections.abc import Callable

from vitviz.errors import ConfigError
from vitviz.models import zero_shot
from vitviz.models.hub_cache import progress_bar
from vitviz.webapp.inputs import Inputs
from vitviz.webapp.model_info import describe_model
from vitviz.webapp.schemas.common import ModelInfo
from vitviz.webapp.schemas.models import WordsRequest

MAX_TEXTS, MAX_VISITOR_TEXTS = 200, 20
MAX_CHARACTERS = 300  # of a text; encoders read at most 77 tokens
MAX_TITLE = 60  # characters


def open_words(inputs: Inputs, request: WordsRequest, report: Callable[[int, int], None]) -> ModelInfo:
    """Add a model whose classes are the texts of a request to those that can be chosen, and describe it.

    Args:
        inputs: Models.
        request: Model and texts.
        report: Called with the bytes that have arrived of a download, and of all; an exception from it ends the work.

    Raises:
        ValueError: If the model has no text encoder, or the texts are not two or more short and different ones.
    """
    texts, limit = request.classes, MAX_VISITOR_TEXTS if inputs.public else MAX_TEXTS
    if len(texts) > limit:
        raise ConfigError("classes", f"must be at most {limit} texts on this page: got {len(texts):,}")
    if long := next((text for text in texts if len(text) > MAX_CHARACTERS or not text.isprintable()), None):
        raise ConfigError(
            "classes", f"must be texts of at most {MAX_CHARACTERS} printable characters: got {long!r:.40}"
        )
    base = inputs.model(request.model, "model")
    model = zero_shot.with_classes(base, texts, offline=inputs.public, progress=progress_bar(report))
    title = ", ".join(texts)
    title = title if len(title) <= MAX_TITLE else f"{title[:MAX_TITLE]}…"
    name = f"{len(texts)} words {secrets.token_hex(4)}" if inputs.public else f"words: {title}"
    return describe_model(inputs.opener.models.add(model, name))
