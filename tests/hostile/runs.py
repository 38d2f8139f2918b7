"""Damaged run folders and configs, and hostile text input."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from tests.hostile.entries import Entry
from vitviz.training.config import TrainConfig

INVALID = "must contain a valid config.json"
LOCAL_URLS = [
    "http://127.0.0.1:9/a",
    "http://169.254.169.254/latest/meta-data",
    "http://2130706433/",
    "http://[::ffff:127.0.0.1]/",
]
TEXTS = [
    "", " ", ".", "..", "/", "~", "~root", "/etc/passwd", "../../../../etc/passwd", "..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd", "%252e%252e/etc/passwd", "....//....//etc/passwd", "..\\..\\windows\\win.ini", "C:\\windows\\win.ini",
    "\\\\127.0.0.1\\share\\x", "//127.0.0.1/share/x", "/proc/self/environ", "/proc/self/mem", "/dev/zero", "/dev/stdin", "file:///etc/passwd",
    *LOCAL_URLS, "ftp://127.0.0.1/x", "data:image/png;base64,AAAA", "javascript:window.__pwned=1", "<img src=x onerror=window.__pwned=1>",
    "${window.__pwned=1}", "{{7*7}}", "$(touch PWNED)", "`touch PWNED`", "; touch PWNED", "|touch PWNED", "' OR 1=1 --", "%s%s%s%n",
    "{0.__class__}", "cat\0.png", "\0", "cat\n", "cat\r\nX: y", "CAT", "cat ", "cat.png", "vitviz/data/samples/cat.png", "__class__", "constructor",
    "cifar10-ti4.safetensors", "checkpoints/cifar10-ti4", "../checkpoints/cifar10-ti4.safetensors", "cifar10-ti4\0", "CIFAR10-TI4", "timm:vit_base", "hf:a/b",
    "a" * 9_000, "é" * 300, "\u202etac", "𝕔𝕒𝕥", "🐈" * 100, "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
]  # fmt: skip


def config(**changes: Any) -> str:
    """Return the text of a config.json with changed fields."""
    return json.dumps(asdict(TrainConfig()) | {"epochs": 1, "minutes": None} | changes)


def run(text: str | bytes = "", **files: str | bytes) -> Callable[[Path], None]:
    """Return a function that makes a run folder with this config.json and other files (`__` stands for a dot)."""

    def make(folder: Path) -> None:
        folder.mkdir()
        for name, content in ({"config__json": text} | files).items():
            path = folder / name.replace("__", ".")
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    return make


def with_non_file(create: Callable[[Path], Any], name: str = "config.json") -> Callable[[Path], None]:
    """Return a function that makes a run folder with something other than a file in place of a file."""

    def make(folder: Path) -> None:
        folder.mkdir()
        if name != "config.json":
            (folder / "config.json").write_text(config())
        create(folder / name)

    return make


def entries() -> list[Entry]:
    """Return the entries of the corpus for run folders and text input."""
    values: list[tuple[str, Any, str]] = [
        ("epochs", -1, "epochs must be"), ("epochs", 1e999, INVALID), ("epochs", "9", "epochs must be"), ("epochs", [], "epochs must be"),
        ("batch_size", 0, "batch_size must be"), ("batch_size", 10**12, "batch_size must be"), ("batch_size", 1.5, "batch_size must be"),
        ("seed", "x", "seed must be"), ("grad_clip_norm", float("nan"), INVALID + "|grad_clip_norm must be"), ("cutmix_prob", 7, "cutmix_prob must be a number from 0 to 1"), ("cutmix_prob", None, "cutmix_prob must be a number from 0 to 1"),
        ("lr_schedule", "x", "lr_schedule must be"), ("lr_schedule", {}, "lr_schedule must be"), ("lr_schedule", ["linear"], "lr_schedule must be"),
        ("device", "cuda:0; rm", "device must be"), ("objective", 1, "objective must be"), ("model", [], "model must be an object"),
        ("model", {"depth": 10**9}, "depth must be"), ("model", {"embed_dim": -3}, "embed_dim must be"), ("model", {"x": 1}, "x is not a field of"),
        ("model", "vit", "model must be an object"), ("model", None, "model must be an object"), ("__class__", 1, "__class__ is not an option of"), ("surprise", 1, "surprise is not an option of"),
    ]  # fmt: skip
    make = partial(Entry, "run", file="run")
    texts = {
        "empty": "", "not JSON": "{", "a list": "[]", "a word": '"x"', "null": "null", "NaN": "NaN", "nested 100,000 deep": '{"a":' * 100_000,
        "lists 100,000 deep": "[" * 100_000, "a number of 60,000 digits": '{"seed": ' + "9" * 60_000 + "}", "UTF-16": "{}".encode("utf-16"),
        "not UTF-8": b'{"\xff": 1}', "zeros": bytes(1000), "a pickle": b"\x80\x04.",
    }  # fmt: skip
    return [
        make("valid", run(config()), None),
        make("a config without fields", run("{}"), None),
        *(make(f"config: {name}", run(text), INVALID) for name, text in texts.items()),
        *(make(f"config: {name} {value!r}"[:60], run(config(**{name: value})), message) for name, value, message in values),
        make("config is a folder", with_non_file(Path.mkdir), INVALID),
        make("config is a FIFO", with_non_file(os.mkfifo), INVALID),
        make("config is a symlink to /dev/zero", with_non_file(lambda path: path.symlink_to("/dev/zero")), INVALID),
        make("config is a broken symlink", with_non_file(lambda path: path.symlink_to("nothing")), INVALID),
        make("config of 100 MiB", with_non_file(lambda path: (path.touch(), os.truncate(path, 100 * 2**20))), INVALID),
        make("no folder", lambda path: None, INVALID),
        make("a file for a folder", "x", INVALID),
        make("state is text", run(config(), last__safetensors="words"), "must be a complete"),
        make("state is empty", run(config(), last__safetensors=""), "must be a complete"),
        make("state is a folder", with_non_file(Path.mkdir, "last.safetensors"), "must be a regular file"),
        make("state is a FIFO", with_non_file(os.mkfifo, "last.safetensors"), "must be a regular file"),
        *(Entry("text", f"typed {text!r}"[:60], text, "^Sample .* not found", str(k)) for k, text in enumerate(TEXTS)),
    ]  # fmt: skip
