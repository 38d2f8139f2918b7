"""Weights in pickles (.pth, .pt, .bin, .ckpt) -> .safetensors, read in a separate process.

The process uses torch's weights-only loader, which builds tensors and containers and calls nothing else, and has limits
of memory, time and written bytes. `python -m vitviz.models.pickles IN OUT` is that process.
"""

import argparse
import collections
import pathlib
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from vitviz.errors import CheckpointError
from vitviz.models.states import find_architecture, find_state

SUFFIXES = (".pth", ".pt", ".bin", ".ckpt", ".pkl", ".tar")
ARCHITECTURE = "architecture"  # metadata of the file that is written
SECONDS, BYTES_PER_SECOND = 30, 2**25  # of processor time, and more for a large file
PATIENCE = 1 if sys.platform == "win32" else 10  # times as long on a busy machine, where the processor time is limited
MEMORY, PER_BYTE = 2 * 2**30, 2  # data (bytes), and that per byte of the file
MAX_TENSORS = 20_000
INVALID, NO_TENSORS, TOO_LARGE = 3, 4, 5  # exit status


def is_pickle(path: Path) -> bool:
    """Whether a file has an ending of `torch.save`."""
    return path.name.endswith(SUFFIXES) and path.is_file()


def to_safetensors(file: Path, out: Path) -> None:
    """Write the floating-point tensors of a pickle as .safetensors, with the names of the model's state_dict.

    Raises:
        CheckpointError: If the file has other objects than tensors and containers, is damaged, or has no tensors.
    """
    command = [sys.executable, "-P", "-m", "vitviz.models.pickles", str(file.resolve()), str(out.resolve())]
    size = file.stat().st_size
    seconds = SECONDS + size / BYTES_PER_SECOND
    try:
        # The folder of the package, and nothing else of the user's, is on the path.
        done = subprocess.run(  # noqa: S603 - this module
            command, cwd=Path(__file__).parents[2], env={"PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True, timeout=PATIENCE * seconds, check=False,
        )  # fmt: skip
        status, refused = done.returncode, done.stdout.decode(errors="replace")[:200].strip()
    except subprocess.TimeoutExpired:
        status, refused = -1, ""
    if status == 0:
        return
    out.unlink(missing_ok=True)
    if status == NO_TENSORS:
        raise CheckpointError(f"A pickle must have the tensors of a model: {file.name!r} has none that vitviz finds")
    if status == INVALID:
        raise CheckpointError(
            f"A pickle must hold tensors alone and be complete: {file.name!r} holds other objects or is damaged"
            f"{f' ({refused})' if refused else ''}",
            "Open it with the program that wrote it and save its state_dict.",
        )
    raise CheckpointError(
        f"A pickle must be read within {seconds:.3g} s and {(MEMORY + PER_BYTE * size) / 2**30:.3g} GiB, and have at "
        f"most {MAX_TENSORS:,} tensors, no larger than the file: {file.name!r} was not",
        "Save its state_dict as .safetensors with the program that wrote it.",
    )


def limit(size: int) -> None:
    """Limit this process, where the system can: further data, processor time and size of written files."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):  # not Linux
        used = resource.getpagesize() * int(Path("/proc/self/statm").read_text().split()[5])
        set_limit(resource.RLIMIT_DATA, used + MEMORY + PER_BYTE * size)
    set_limit(resource.RLIMIT_CPU, SECONDS + size // BYTES_PER_SECOND)
    set_limit(resource.RLIMIT_FSIZE, 4 * size + 2**20)  # float16 becomes no larger, but a pickle may be compressed
    set_limit(resource.RLIMIT_CORE, 0)


def set_limit(kind: int, value: int) -> None:
    """Lower one limit of this process, unless it is lower already."""
    import resource

    hard = resource.getrlimit(kind)[1]
    lower = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with suppress(OSError, ValueError):  # a system without this limit
        resource.setrlimit(kind, (int(lower), int(lower)))


def allow_records() -> None:
    """Let the loader build what trainings store next to weights: options, paths and numbers, without their code."""
    import numpy as np
    import torch

    scalar: Any = np.float64(1).__reduce__()[0]
    dtypes = [type(np.dtype(name)) for name in ("float64", "float32", "float16", "int64", "int32", "bool")]
    paths = [pathlib.PosixPath, pathlib.PurePosixPath]
    torch.serialization.add_safe_globals(
        [argparse.Namespace, collections.defaultdict, scalar, np.dtype, *dtypes, *paths]
    )


def refused_classes(file: str) -> str:
    """Return the names of the classes that the loader refuses; empty if the file is damaged."""
    import torch

    try:
        found = torch.serialization.get_unsafe_globals_in_checkpoint(file)
    except Exception:  # not a file of torch.save
        return ""
    return ", ".join(ascii(name)[1:-1] for name in sorted(found)[:5])


def main(file: str, out: str) -> int:
    """Read a pickle and write its tensors; returns the exit status."""
    import safetensors.torch
    import torch

    size = Path(file).stat().st_size
    allow_records()
    limit(size)
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
        state = find_state(content)
        # A view of few bytes, or a sparse tensor, can have any number of elements.
        total = sum(tensor.numel() * tensor.itemsize for tensor in state.values())
        if len(state) > MAX_TENSORS or total > PER_BYTE * size + 2**20:
            return TOO_LARGE
        state = {name: tensor.to_dense().contiguous().clone() for name, tensor in state.items()}
    except MemoryError:
        return TOO_LARGE
    except Exception:  # whatever a damaged or hostile file makes the loader raise
        print(refused_classes(file))
        return INVALID
    if not state:
        return NO_TENSORS
    safetensors.torch.save_file(state, out, {ARCHITECTURE: find_architecture(content)})
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
