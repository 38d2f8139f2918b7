"""The tensors of a model in the content of a checkpoint, under any keys."""

import argparse
import re
from collections.abc import Iterator, Mapping
from typing import Any

AVERAGED = r"ema|teacher|averaged"  # keys of weights that are preferred to others of as many tensors
MAX_DEPTH = 6  # of nested dictionaries


def find_state(content: Any) -> dict[str, Any]:
    """Return the tensors of a model by name: the dictionary with the most of them, or averaged weights of as many."""
    found = list(find_states(content))
    most = max((len(state) for _, state in found), default=0)
    averaged = [state for key, state in found if re.search(AVERAGED, key) and 10 * len(state) >= 9 * most]
    return next(iter(averaged + [state for _, state in found if len(state) == most]), {})


def find_states(content: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """Generate the dictionaries of tensors inside a checkpoint, each after its keys."""
    import torch

    if isinstance(content, Mapping) and depth <= MAX_DEPTH:
        state = {str(k): v for k, v in content.items() if isinstance(v, torch.Tensor) and v.is_floating_point()}
        if state:
            yield key, state
        for inner, value in content.items():
            yield from find_states(value, f"{key}.{inner}", depth + 1)


def find_architecture(content: Any) -> str:
    """Return the architecture of timm that a training stored with its weights; empty if it stored none.

    timm's scripts write `arch` and their options `args`, with the name as `model`; DINO's the same as `arch`.
    """
    if not isinstance(content, Mapping):
        return ""
    options = content.get("args")
    options = vars(options) if isinstance(options, argparse.Namespace) else options
    found = [content.get("arch"), *(options.get(key) for key in ("model", "arch") if isinstance(options, Mapping))]
    return next((name for name in found if isinstance(name, str) and re.fullmatch(r"[\w.-]{1,100}", name)), "")
