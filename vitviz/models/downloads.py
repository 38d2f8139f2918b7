"""Downloads from the Hugging Face Hub into its cache."""

import socket
import urllib.request
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from vitviz.errors import CheckpointError
from vitviz.models.image_encoder import PartialDownload, is_composed
from vitviz.models.model_files import (
    ADAPTER,
    ADAPTER_WEIGHTS,
    CARD,
    CONFIG,
    INDEX,
    OPEN_CLIP,
    PROCESSOR_FILES,
    WEIGHTS,
    find_config,
    find_weights,
    read_config,
    read_index,
    weight_files,
)
from vitviz.models.names import parse_repository, similar_names

CONNECT_SECONDS = 3.0
KNOWN = (  # suggested for a name that does not exist, like those of timm
    *("google/vit-base-patch16-224", "openai/clip-vit-base-patch32", "facebook/dinov2-with-registers-small"),
)


def fetch(name: str, offline: bool = False, progress: type | None = None, has_text: bool = False) -> tuple[str, Path]:
    """Download a model of the Hub, unless it is in the cache.

    Args:
        name: As for `vitviz.load`.
        offline: As for `vitviz.load`.
        progress: Progress bar instead of that of huggingface_hub: a class derived from tqdm.
        has_text: Whether to download all files of a model with more than an image encoder.

    Returns:
        Its repository, and the folder in the cache, whose name is the revision.
    """
    from huggingface_hub import constants

    repository, revision = parse_repository(name)
    offline = offline or constants.HF_HUB_OFFLINE or not is_reachable()
    get = partial(download, repository, revision=revision, offline=offline, progress=progress)
    config = get(CONFIG, optional=True) or get(OPEN_CLIP, optional=True)
    if config is None and (adapter := get(ADAPTER, optional=True)) is not None:
        get(ADAPTER_WEIGHTS, revision=adapter.parent.name)
        return repository, adapter.parent
    config = config or Path(str(get(CONFIG)))  # raises the error that tells why there is none
    # The other files are those of the same revision; where they are in the cache, the Hub is not asked again.
    get = partial(download, repository, revision=config.parent.name, offline=offline, progress=progress)
    for file in (*PROCESSOR_FILES, CARD):
        get(file, optional=True)
    folder = config.parent
    if not has_text and is_composed(read_config(folder)) and fetch_encoder(repository, folder, offline, progress):
        return repository, folder
    if not any(get(file, optional=True) for file in find_weights(config)):
        index = get(INDEX, optional=True)
        if index is None:
            get(WEIGHTS)  # raises the error that tells a repository without them from a missing network
        for shard in sorted(set(read_index(Path(str(index))).values())):
            get(shard)
    return repository, folder


def fetch_encoder(repository: str, folder: Path, offline: bool, progress: type | None) -> bool:
    """Download the image encoder of a larger model, unless its tensors are in the cache; False if that is no gain."""
    from huggingface_hub import errors
    from huggingface_hub.utils import tqdm  # type: ignore[attr-defined]  # not in __all__

    with suppress(CheckpointError):
        weight_files(folder)
        return True
    if offline:
        return False
    index = download(repository, INDEX, folder.name, optional=True)
    listed = {} if index is None else read_index(index)
    for name in find_weights(find_config(folder)):
        try:
            return PartialDownload(repository, folder, progress or tqdm).fetch(read_config(folder), listed, name)
        except CheckpointError:
            raise
        except errors.EntryNotFoundError:
            continue
        except Exception as error:  # of the network
            raise incomplete(repository, "The image encoder", error) from None
    return False


def is_reachable() -> bool:
    """Whether the Hub, or a proxy, accepts connections: its library tries for half a minute, with a line each."""
    from huggingface_hub import constants

    url = urlsplit(constants.ENDPOINT)
    if {url.scheme, "all"} & urllib.request.getproxies().keys():  # `no_proxy` is among the keys as well
        return True
    try:
        socket.create_connection((url.hostname or "", url.port or 443), timeout=CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def download(
    repository: str,
    file: str,
    revision: str = "",
    optional: bool = False,
    offline: bool = False,
    progress: type | None = None,
) -> Path | None:
    """Return the path of a repository's file in the cache; download it if needed. None if an optional one is missing.

    Raises:
        CheckpointError: If there is no network, the repository does not exist, or its terms are not accepted.
    """
    from huggingface_hub import _CACHED_NO_EXIST, constants, errors, hf_hub_download, try_to_load_from_cache

    if optional and try_to_load_from_cache(repository, file, revision=revision or None) is _CACHED_NO_EXIST:
        return None
    try:
        path = hf_hub_download(
            repository, file, revision=revision or None, local_files_only=offline, tqdm_class=progress
        )
        return Path(path)
    except errors.GatedRepoError:
        raise CheckpointError(
            f"The terms of {repository} must be accepted",
            f"Accept them on https://huggingface.co/{repository}, then run `hf auth login`.",
        ) from None
    except errors.RepositoryNotFoundError:
        cached = [folder.name.removeprefix("models--").replace("--", "/") for folder in cached_repositories()]
        near = similar_names(repository, [*KNOWN, *cached])
        hint = f"Similar names: {', '.join(near)}." if near else "Check the name on https://huggingface.co/models."
        private = "If it is private, run `hf auth login` first."
        raise CheckpointError(f"The repository must exist: {repository} was not found", f"{hint} {private}") from None
    except errors.LocalEntryNotFoundError:
        if optional:
            return None
        raise CheckpointError(
            f"{file} of {repository} must be in the cache without a network: it is not in {constants.HF_HUB_CACHE}",
            f"Connect once, or download {file} to a folder on another machine and load the folder.",
        ) from None
    except errors.EntryNotFoundError:
        if optional:
            return None
        pickled = f"Download its pickled weights and run `vitviz convert FILE OUT.safetensors --like hf:{repository}`."
        raise CheckpointError(
            f"The repository must have {file}: {repository} has none", pickled if file == WEIGHTS else ""
        ) from None
    except errors.RevisionNotFoundError:
        raise CheckpointError(f"The revision must exist: {repository} has no {revision!r:.80}") from None
    except Exception as error:  # of the network; the library under huggingface_hub differs between its versions
        raise incomplete(repository, file, error) from None


def incomplete(repository: str, what: str, error: Exception) -> CheckpointError:
    """Return the error for a download that ended early."""
    return CheckpointError(
        f"{what} of {repository} was not downloaded completely ({type(error).__name__})",
        "Try again; what has arrived is kept, but never opened before it is complete.",
    )


def cached_repositories() -> list[Path]:
    """Return the folders of the models in the cache of the Hugging Face Hub."""
    from huggingface_hub import constants

    return sorted(Path(constants.HF_HUB_CACHE).glob("models--*--*"))
