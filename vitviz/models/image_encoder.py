"""The image encoder alone of a larger model on the Hugging Face Hub, such as one of vision and language.

Headers of the .safetensors files say where each tensor is, so only the encoder's byte ranges are downloaded.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vitviz.models.checkpoint import MAX_HEADER_BYTES, not_safetensors, parse_json
from vitviz.models.config_files import Settings
from vitviz.models.pretrained import needed_tensors

PART = "image_encoder-{}.safetensors"  # with what its tensors are, in the folder of the revision
TOWERS = ("vision_config", "vision_config_dict")  # of config.json of a model with more than an image encoder
MAX_SHARE = 0.9  # of the bytes; with more of them needed the files are downloaded whole


class Span(NamedTuple):
    """Bytes of a file on the Hub: from `start` to before `end`."""

    file: str
    start: int
    end: int

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.end - self.start


class WholeFileError(Exception):
    """A server sends whole files only."""


def is_composed(config: Settings) -> bool:
    """Whether config.json is that of a model with more than an image encoder."""
    return any(isinstance(config.get(tower), Mapping) for tower in TOWERS)


def used_tensors(config: Settings, names: Iterable[str]) -> list[str]:
    """Return the names of the tensors to read, in their order: those of the image encoder, or all of a plain ViT."""
    names = list(names)
    kept = needed_tensors(config, names) if is_composed(config) else set(names)
    return [name for name in names if name in kept]


class PartialDownload:
    """Download of an image encoder.

    Args:
        repository: "OWNER/NAME".
        folder: Folder of the revision in the cache, with config.json.
        progress: Progress bar, a class derived from tqdm.
    """

    def __init__(self, repository: str, folder: Path, progress: type[Any]) -> None:
        self.repository, self.folder, self.progress = repository, folder, progress

    def fetch(self, config: Settings, listed: Mapping[str, str], default: str) -> bool:
        """Write the file of the encoder, unless it is there; return False if the files are to be downloaded whole.

        Args:
            config: Content of config.json.
            listed: File of each tensor, of an index; empty for one file.
            default: Name of that file.
        """
        files = sorted({listed[name] for name in used_tensors(config, listed)}) if listed else [default]
        try:
            entries = {name: entry for file in files for name, entry in self.read_header(file).items()}
        except WholeFileError:
            return False
        names = sorted(used_tensors(config, entries), key=lambda name: entries[name][0])
        needed, total = (sum(entries[name][0].size for name in some) for some in (names, entries))
        if needed > MAX_SHARE * total and set(files) >= set(listed.values()):
            return False
        target = self.folder / PART.format(hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:12])
        if not target.is_file():
            incomplete = target.with_suffix(".incomplete")
            self.write(incomplete, {name: entries[name] for name in names})
            incomplete.replace(target)
        return True

    def read_header(self, file: str) -> dict[str, tuple[Span, dict[str, Any]]]:
        """Return span, and dtype and shape, of each tensor in a file."""
        size = int.from_bytes(b"".join(self.read(Span(file, 0, 8))), "little")
        if size > MAX_HEADER_BYTES:
            raise not_safetensors(file)
        found = {}
        try:
            for name, entry in parse_json(b"".join(self.read(Span(file, 8, 8 + size))).decode()).items():
                if name != "__metadata__":
                    start, end = (8 + size + offset for offset in entry.pop("data_offsets"))
                    found[name] = Span(file, start, end), entry
        except (AttributeError, LookupError, TypeError, ValueError):
            raise not_safetensors(file) from None
        return found

    def write(self, path: Path, entries: Mapping[str, tuple[Span, dict[str, Any]]]) -> None:
        """Write tensors to a file of their own; what a canceled or broken download has written is continued."""
        header, position, spans = {}, 0, list[Span]()
        for name, (span, entry) in entries.items():
            header[name] = entry | {"data_offsets": [position, position := position + span.size]}
            if spans and spans[-1].file == span.file and spans[-1].end == span.start:
                spans[-1] = spans[-1]._replace(end=span.end)
            else:
                spans.append(span)
        start = json.dumps(header).encode()
        start += b" " * (-len(start) % 8)
        start = len(start).to_bytes(8, "little") + start
        with path.open("ab") as file:
            if file.tell() < len(start):
                file.truncate(0)
                file.write(start)
            done = file.tell() - len(start)
            bar = self.progress(total=position, initial=done, unit="B", unit_scale=True, desc=path.stem, disable=None)
            with bar:
                for span in spans:
                    skipped = min(done, span.size)
                    done -= skipped
                    for chunk in self.read(span._replace(start=span.start + skipped)):
                        file.write(chunk)
                        bar.update(len(chunk))

    def read(self, span: Span) -> Iterator[bytes]:
        """Generate the bytes of a span."""
        from huggingface_hub import constants, hf_hub_url
        from huggingface_hub.utils import (  # type: ignore[attr-defined]  # not in __all__
            build_hf_headers,
            hf_raise_for_status,
            http_stream_backoff,
        )

        if not span.size:
            return
        headers = build_hf_headers() | {"Range": f"bytes={span.start}-{span.end - 1}", "Accept-Encoding": "identity"}
        url = hf_hub_url(self.repository, span.file, revision=self.folder.name)
        with http_stream_backoff("GET", url, headers=headers, timeout=constants.HF_HUB_DOWNLOAD_TIMEOUT) as response:
            hf_raise_for_status(response)
            if response.status_code != 206:
                raise WholeFileError
            received = 0
            for chunk in response.iter_bytes():
                received += len(chunk)
                if received > span.size:
                    break
                yield chunk
        if received != span.size:
            raise OSError(f"{received} of {span.size} bytes")
