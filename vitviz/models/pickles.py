"""Weights in pickles (.pth, .pt, .bin, .ckpt) -> .safetensors, read in a process of its own.

The process uses torch's weights-only loader, which builds tensors and containers and calls nothing else, and has limits
of memory, time and written bytes. `python -m vitviz.models.pickles IN OUT` is that process.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from vitviz.models.checkpoint import CheckpointError

SUFFIXES = (".pth", ".pt", ".bin", ".ckpt", ".pth.tar")
NESTED = (
    "state_dict_ema",
    "model_ema",
    "ema",
    "state_dict",
    "teacher",
    "model",
    "module",
    "net",
)  # first that is there
PREFIXES = ("module.", "_orig_mod.", "model.")
ARCHITECTURE = "architecture"  # metadata of the file that is written
SECONDS = 600
MEMORY, PER_BYTE = 12 * 2**30, 4  # address space (bytes), and that per byte of the file
INVALID, NO_TENSORS = 3, 4  # exit status


def is_pickle(path: Path) -> bool:
    """Whether a file has an ending of `torch.save`."""
    return path.name.endswith(SUFFIXES) and path.is_file()


def to_safetensors(source: Path, out: Path) -> None:
    """Write the floating-point tensors of a pickle as .safetensors, with the names of the model's state_dict.

    Raises:
        CheckpointError: If the file has other objects than tensors and containers, is damaged, or has no tensors.
    """
    command = [sys.executable, "-P", "-m", "vitviz.models.pickles", str(source.resolve()), str(out.resolve())]
    try:
        # The folder of the package, and nothing else of the user's, is on the path.
        done = subprocess.run(  # noqa: S603 - this module
            command, cwd=Path(__file__).parents[2], env={"PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        status = done.returncode
    except subprocess.TimeoutExpired:
        status = -1
    if status == 0:
        return
    out.unlink(missing_ok=True)
    if status == NO_TENSORS:
        raise CheckpointError(f"A pickle must have the tensors of a model: {source.name!r} has none that vitviz finds")
    if status == INVALID:
        raise CheckpointError(
            f"A pickle must hold tensors alone and be complete: {source.name!r} holds other objects or is damaged",
            "Open it with the program that wrote it and save its state_dict.",
        )
    raise CheckpointError(
        f"A pickle must be read within {SECONDS} s and {MEMORY / 2**30:.0f} GiB: {source.name!r} was not",
        "Save its state_dict as .safetensors with the program that wrote it.",
    )


def find_state(content: Any) -> dict[str, Any]:
    """Return the tensors of a checkpoint by name, from the first known key that has any, without prefixes."""
    import torch

    for inner in (*nested(content), content):
        if isinstance(inner, Mapping):
            state = {str(k): v for k, v in inner.items() if isinstance(v, torch.Tensor) and v.is_floating_point()}
            if state:
                return strip(state)
    return {}


def nested(content: Any) -> Iterator[Any]:
    """Generate the state_dicts inside a checkpoint, those of averaged weights first."""
    if isinstance(content, Mapping):
        for key in NESTED:
            if isinstance(content.get(key), Mapping):
                yield from nested(content[key])
                yield content[key]


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


def strip(state: dict[str, Any]) -> dict[str, Any]:
    """Remove a prefix that all names have."""
    for prefix in PREFIXES:
        if all(name.startswith(prefix) for name in state):
            return strip({name.removeprefix(prefix): tensor for name, tensor in state.items()})
    return state


def limit(size: int) -> None:
    """Limit this process, where the system can: address space, processor time and size of written files."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, value in (
        (resource.RLIMIT_AS, MEMORY + PER_BYTE * size),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, 4 * size + 2**20),  # float16 becomes no larger, but a pickle may be compressed
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        lower = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with suppress(OSError, ValueError):  # a system without this limit
            resource.setrlimit(kind, (lower, lower))


def main(source: str, out: str) -> int:
    """Read a pickle and write its tensors; returns the exit status."""
    import safetensors.torch
    import torch

    limit(Path(source).stat().st_size)
    torch.serialization.add_safe_globals([argparse.Namespace])  # the options of a training, which are not used
    try:
        content = torch.load(source, map_location="cpu", weights_only=True)
        state = {name: tensor.to_dense().contiguous().clone() for name, tensor in find_state(content).items()}
    except Exception:  # whatever a damaged or hostile file makes the loader raise
        return INVALID
    if not state:
        return NO_TENSORS
    safetensors.torch.save_file(state, out, {ARCHITECTURE: find_architecture(content)})
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
