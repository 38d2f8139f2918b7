"""Names of models as people write them -> a local path, or a repository of the Hugging Face Hub.

Understood are "timm:NAME" and "hf:OWNER/NAME", each with @REVISION; the `hf_hub:` and `hf-hub:` of timm; addresses of
the Hub; and, where no file or folder has the name, timm's own names and "OWNER/NAME". Any name may end with the size
of the input, as in "NAME@448px".
"""

import difflib
import importlib.util
import re
from contextlib import suppress
from functools import lru_cache
from os.path import exists, expanduser  # which return False or the name itself where no file can have it
from pathlib import Path
from urllib.parse import unquote

from vitviz.errors import CheckpointError
from vitviz.files import printable_name
from vitviz.models.checkpoint import bundled_checkpoints

PREFIXES = ("hf:", "timm:")
REPOSITORY = r"(?!.*\.\.)[\w][\w.-]*/[\w.-]+"
REVISION = r"([\w-][\w.-]*(/[\w-][\w.-]*)*)?"  # empty for the latest; becomes a path in the cache
HOSTS = r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com)/(?:models/)?"
PAGE = r"(?:/(?:tree|blob|resolve|raw|commit)/(?P<revision>[^/]+)(?:/(?P<file>.+))?)?"
ADDRESS = re.compile(rf"{HOSTS}(?P<repository>[^/]+/[^/]+){PAGE}/?")
OTHER_KINDS = ("datasets", "spaces", "collections", "papers", "docs")  # of addresses, where owners are
MODEL_FILES = r"config\.json|README\.md|[^/]*\.safetensors(\.index\.json)?"
SIZE = r"@([1-9]\d{0,4}(?:x[1-9]\d{0,4})?)px$"
FILE_ENDINGS = (".safetensors", ".json", ".pth", ".pt", ".bin", ".ckpt", ".pkl", ".tar", ".onnx", ".gguf")
TIMM_NAMES = Path(__file__).with_name("timm_names.txt")


def cut_size(name: str) -> tuple[str, tuple[int, int] | None]:
    """Return the name of a model without the input size at its end ("@448px", "@336x448px"), and that.

    The size is height and width (px), or None. A file or folder that has the whole name wins.
    """
    match = re.search(SIZE, name)
    if match is None or exists(expanduser(name)):
        return name, None
    sides = [int(side) for side in match[1].split("x")]
    return name[: match.start()], (sides[0], sides[-1])


def write_size(size: tuple[int, int] | None) -> str:
    """Return an input size as it ends a name; empty for None."""
    return f"@{'x'.join(map(str, dict.fromkeys(size)))}px" if size else ""


def standard_name(name: str) -> str:
    """Return the name of a model as "timm:NAME" or "hf:OWNER/NAME", with @REVISION if it has one, or a path as it is.

    An input size at its end stays.

    Raises:
        CheckpointError: If it is an address of the Hub that is not that of a model.
    """
    name, size = cut_size(name)
    return f"{standard_name_of(name)}{write_size(size)}"


def standard_name_of(name: str) -> str:
    """Return `standard_name` of a name without size."""
    if name.startswith(PREFIXES) or name in bundled_checkpoints() or exists(expanduser(name)):
        return name
    if re.match(r"hf[-_]hub:", name):
        return f"hf:{name[7:]}"
    if re.match(HOSTS, name):
        return read_address(name)
    if name.partition("@")[0] in timm_names():
        return f"timm:{name}"
    repository, _, revision = name.partition("@")
    is_repository = re.fullmatch(REPOSITORY, repository) and re.fullmatch(REVISION, revision)
    may_be_file = name.endswith(FILE_ENDINGS) or exists(name.partition("/")[0])
    return f"hf:{name}" if is_repository and not may_be_file else name


def read_address(address: str) -> str:
    """Return "hf:OWNER/NAME" from the address of a repository, of one of its revisions, or of its weights."""
    found = ADDRESS.fullmatch(re.sub(r"[?#].*", "", address))
    file = unquote(found["file"] or "") if found else ""
    if found is None or found["repository"].partition("/")[0] in OTHER_KINDS:
        raise CheckpointError(
            f"The address must be that of a model on the Hub: got {printable_name(address)[:200]}",
            "For example https://huggingface.co/google/vit-base-patch16-224.",
        )
    if file and not re.fullmatch(MODEL_FILES, file):
        raise CheckpointError(
            f"The address must be that of a repository: {printable_name(file)[:120]} is a part of one",
            f"For all of it: hf:{found['repository']}. For a folder or another file in it: download and name that.",
        )
    revision = unquote(found["revision"] or "main")
    return f"hf:{found['repository']}" + ("" if revision == "main" else f"@{revision}")


def parse_repository(name: str) -> tuple[str, str]:
    """Return repository ("OWNER/NAME") and revision, empty for the latest, of "timm:NAME" or "hf:OWNER/NAME".

    Raises:
        CheckpointError: If it is neither, or if the weights are not on the Hub.
    """
    prefix, _, given = cut_size(name)[0].partition(":")
    repository, _, revision = given.partition("@")
    repository = find_timm(repository) if prefix == "timm" and "/" not in repository else repository
    if not re.fullmatch(REPOSITORY, repository) or not re.fullmatch(REVISION, revision):
        raise CheckpointError(
            f"A model on the Hub must be timm:NAME or hf:OWNER/NAME, or either with @REVISION: got {name[:80]!r}"
        )
    return repository, revision


def find_architecture(name: str) -> str:
    """Return the architecture of "timm:NAME" where its weights are in the repository of another; else empty.

    OpenAI's CLIP is one: `vit_base_patch16_clip_quickgelu_224` is right, and the repository's config.json names
    `vit_base_patch16_clip_224`, which has another activation.
    """
    architecture = name.removeprefix("timm:").partition("@")[0].partition(".")[0]
    is_other = name.startswith("timm:") and "/" not in name.partition("@")[0]
    is_other = is_other and parse_repository(name)[0].rpartition("/")[2].partition(".")[0] != architecture
    return architecture if is_other else ""


@lru_cache(maxsize=256)
def find_timm(name: str) -> str:
    """Return the repository of a name of timm: of the shipped table, or of an installed timm that knows more names.

    Raises:
        CheckpointError: If timm has the weights from an address outside the Hub.
    """
    where = timm_names().get(name)
    if where is None and importlib.util.find_spec("timm") is not None:
        import timm

        with suppress(RuntimeError):  # of a tag that it does not know
            known = timm.get_pretrained_cfg(name)
            where = (known.hf_hub_id or known.url) if known else None
    if where is not None and "://" in where:
        raise CheckpointError(
            f"The weights must be on the Hub: timm has those of {name} from {where}",
            f"Download them and run `vitviz convert FILE OUT.safetensors --like timm:{name.partition('.')[0]}`.",
        )
    return where or f"timm/{name}"


@lru_cache(maxsize=1)
def timm_names() -> dict[str, str]:
    """Return the repository, or the address of the weights, of each pretrained model of timm.

    Names without a tag are those of the default one. `python -m scripts.timm_names` writes the table.
    """
    found = {}
    for line in TIMM_NAMES.read_text(encoding="utf-8").splitlines():
        architecture, *tags = line.split()
        for tag, _, where in (entry.partition("=") for entry in tags):
            name = f"{architecture}.{tag}"
            found[name] = where or f"timm/{name}"
            found.setdefault(architecture, found[name])
    return found


def similar_names(repository: str, others: list[str]) -> list[str]:
    """Return up to three repositories of similar names, of timm's models and others."""
    of_timm = [where for where in timm_names().values() if "://" not in where]
    return difflib.get_close_matches(repository, [*dict.fromkeys(others + of_timm)], 3, 0.5)
