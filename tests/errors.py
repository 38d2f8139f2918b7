"""Errors of vitviz are compared by their fields."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from vitviz.errors import VitvizError


@contextmanager
def refuses(field: str) -> Iterator[None]:
    """Assert that an error of vitviz names this field."""
    with pytest.raises(VitvizError) as caught:
        yield
    assert caught.value.field == field
