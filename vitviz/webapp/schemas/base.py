"""What requests and replies of all resources have in common. Requests are `vitviz.view.Model`: unknown fields fail."""

from pydantic import BaseModel, ConfigDict

from vitviz.view import Model

Vector = list[float]
Matrix = list[Vector]
Array3 = list[Matrix]
Array4 = list[Array3]


class Reply(BaseModel):
    """What the server answers."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)


class Empty(Model):
    """A request that needs nothing else."""


class SavedFile(Reply):
    """A file to save, as a data URL."""

    src: str


class Progress(Reply):
    """A line of a stream before its last one.

    Attributes:
        done: Steps done.
        total: Of all; 0 while unknown.
        waiting: Why it has not started yet; empty once it has.
    """

    done: int
    total: int
    waiting: str
