"""Suggestions for words that are not known."""

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question with the most similar of the known words; empty if none is similar.

    Example:
        >>> did_you_mean("catt", ["cat", "dog"])
        'Did you mean cat?'
    """
    near = difflib.get_close_matches(word, list(known), 1)
    return f"Did you mean {near[0]}?" if near else ""
