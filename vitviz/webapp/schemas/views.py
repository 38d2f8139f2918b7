"""Types of the views of Explore: contributions to a logit, and features of tokens."""

from typing_extensions import TypedDict

from vitviz.webapp.schemas.common import Vector


class ContributionsReply(TypedDict):
    """Direct contributions to a logit, which sum to `logit`; `heads` is base64 of float32 (L, A, T)."""

    embedding: float
    heads: str
    attentionBias: Vector
    mlp: Vector
    bias: float
    logit: float
