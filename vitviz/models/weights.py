"""Identity of weights: SHA-256 of a network's tensors, and of the files that they were read from.

Both are computed when they are first needed, and then known.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from torch import nn

Rounding = Literal["float32", "float16", "int8"]  # of a file for the browser, see `vitviz.models.rounding`
FileState = tuple[int, int, int]  # size (bytes), modification time (ns), inode
TensorStates = tuple[tuple[int, int], ...]  # address and number of changes of each tensor
KNOWN: "WeakKeyDictionary[nn.Module, tuple[TensorStates, str]]" = WeakKeyDictionary()


@dataclass(frozen=True)
class WeightFile:
    """A file that weights were read from.

    Attributes:
        path: The file.
        state: Its state before it was read.
    """

    path: Path
    state: FileState

    @classmethod
    def of(cls, path: Path) -> "WeightFile":
        """Describe a file that is going to be read."""
        return cls(path, file_state(path))

    @property
    def sha256(self) -> str | None:
        """SHA-256 of the file; None if it has changed since the weights were read."""
        return file_sha256(self)


def file_state(path: Path) -> FileState:
    """Return what differs after a file was written or replaced."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


@lru_cache(maxsize=64)
def file_sha256(file: WeightFile) -> str | None:
    """Return `WeightFile.sha256`."""
    try:
        with file.path.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        return digest if file_state(file.path) == file.state else None
    except OSError:
        return None


def weights_sha256(network: "nn.Module") -> str:
    """Return the SHA-256 of the weights of a network.

    It is that of all tensors in the order of their names, each as the line "NAME DTYPE SHAPE" ("head.bias float32 10";
    sizes are separated by commas) and its little-endian bytes in C order. So it does not depend on the file format, the
    order of the tensors or the device.
    """
    tensors = network.state_dict()
    # Training changes tensors in place, moving a network replaces them; both are seen here.
    states = tuple((x.data_ptr(), 0 if x.is_inference() else x._version) for x in tensors.values())
    known, digest = KNOWN.get(network, (None, ""))
    if known != states:
        digest = hash_tensors(network)
        KNOWN[network] = states, digest
    return digest


def hash_tensors(network: "nn.Module") -> str:
    """Return `weights_sha256`, computed."""
    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        dtype, shape = str(tensor.dtype).removeprefix("torch."), ",".join(map(str, tensor.shape))
        digest.update(f"{name} {dtype} {shape}\n".encode())
        digest.update(tensor.detach().cpu().reshape(-1).contiguous().view(torch.uint8).numpy())
    return digest.hexdigest()
