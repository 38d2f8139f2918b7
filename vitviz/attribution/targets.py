"""Targets: the class that is explained, by index or name, and the class that it is contrasted with, if any."""

from collections.abc import Sequence

import numpy as np

from vitviz.attribution.context import ForwardContext, Target
from vitviz.attribution.methods import METHODS
from vitviz.errors import ConfigError, InvalidValueError
from vitviz.models.labels import distinct_names, find_class

TargetLike = int | str | Sequence[int | str]  # a class by index or name, or a class and the one to contrast it with


def find_target(context: ForwardContext, target: TargetLike | None = None) -> Target:
    """Return the index of a class, or indices of a class and its contrast; of the predicted class for None.

    Of a model without head, class-agnostic methods alone are supported, and the index is 0.

    Raises:
        ConfigError: If a class does not exist, or both are equal.
    """
    if target is None:
        return int(context.logits.argmax()) if context.config.num_classes else 0
    if isinstance(target, str) or not isinstance(target, Sequence):
        return class_index(context, target)
    found = [class_index(context, one) for one in target]
    if len(found) == 1:
        return found[0]
    if len(found) != 2 or found[0] == found[1]:
        raise InvalidValueError("target", "a class, or two different ones", target)
    return found[0], found[1]


def class_index(context: ForwardContext, name: int | str) -> int:
    """Return the index of a class by its index or name; ConfigError if there is none, or several."""
    labels = list(context.checkpoint.labels)
    if isinstance(name, str) and (found := find_class(labels, name)) is not None:
        return found
    count = max(1, len(labels))  # of a model without head, 0 stands for all
    if isinstance(name, int | np.integer) and not isinstance(name, bool) and 0 <= name < count:
        return int(name)
    known = ", ".join(labels[:10]) + (" ..." if len(labels) > 10 else "")
    raise InvalidValueError("target", f"a class, from 0 to {len(labels) - 1} or one of {known}", name)


def target_names(context: ForwardContext, target: Target) -> list[str]:
    """Return the names of a target, or of it and its contrast, each of one class."""
    names = distinct_names(list(context.checkpoint.labels))
    return [names[k] for k in (target if isinstance(target, tuple) else (target,))] if names else []


def method_target(context: ForwardContext, method: str, target: TargetLike | None = None) -> Target:
    """Return the target of a method; ConfigError for an unknown method, or one that the model does not support."""
    check_method(method)
    if METHODS[method].of_blocks:
        context.require_blocks(f"the method {method}")
    name = context.checkpoint.name
    if METHODS[method].class_specific and not context.config.num_classes:
        problem = f"must not be {method}, which explains a class: {name} has no classification head"
        raise ConfigError("method", problem, "Use average.")
    if METHODS[method].of_texts and not context.checkpoint.has_texts:
        problem = f"must not be {method}, which compares patches with texts: the classes of {name} are none"
        raise ConfigError("method", problem, "Load a model such as CLIP with `classes`.")
    return find_target(context, target)


def check_method(method: object) -> None:
    """Raise ConfigError for an unknown method."""
    if not isinstance(method, str) or method not in METHODS:
        problem = f"must be an attribution method: got {method!s:.40}"
        raise ConfigError("method", problem, f"Use one of: {', '.join(METHODS)}.")
