"""Server functions of the views of Explore: contributions to a logit, and features of tokens."""

from collections.abc import Callable
from typing import Any

from vitviz.data.encoding import to_base64
from vitviz.webapp.schemas.views import ContributionsReply
from vitviz.webapp.server.cache import ExplanationCache
from vitviz.webapp.server.requests import Json, parse_target


class Views:
    """Server functions of the views.

    `explanations` is the cache of the page.
    """

    def __init__(self, explanations: ExplanationCache) -> None:
        self.explanations = explanations

    @property
    def functions(self) -> list[Callable[[Json], Any]]:
        """The functions that take less than a second, by name."""
        return [self.contributions]

    def contributions(self, request: Json) -> ContributionsReply | None:
        """Return the direct contributions to a logit; None if the key has expired.

        Args:
            request: `key`, and `target`, one or two class indices; empty for the predicted class.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        found = explanation.contributions(parse_target(request))
        return {
            "embedding": found.embedding,
            "heads": to_base64(found.heads.astype("<f4")),
            "attentionBias": found.attention_bias.tolist(),
            "mlp": found.mlp.tolist(),
            "bias": found.bias,
            "logit": found.logit,
        }
