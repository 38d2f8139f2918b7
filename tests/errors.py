"""Errors of vitviz are compared by their fields."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from vitviz.errors import VitvizError


@contextmanager
def refuses(field: str = "", error: type[VitvizError] = VitvizError, **others: object) -> Iterator[None]:
    """Assert that an error of vitviz names this field, and has these other attributes."""
    with pytest.raises(error) as caught:
        yield
    assert caught.value.field == field
    assert {name: getattr(caught.value, name) for name in others} == others
