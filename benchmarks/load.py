"""Many visitors at once: how long the page's questions take, what is refused, and whether memory stays.

Each visitor chooses an image, has it explained, asks for what hovering needs and, if nothing newer was chosen, for
maps and scores: the page's own calls in the page's own order. The server runs in a process of its own on loopback.
"""

import asyncio
import io
import json
import os
import random
import statistics
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np
from PIL import Image
from rich.console import Console
from rich.table import Table

from benchmarks.page import server
from vitviz.data.preprocessing import sample_paths
from vitviz.webapp.server.queue import BUSY

LINGER = 0.5  # s; as the page waits before it asks for maps and scores
PAUSE = 3.0  # s; as the page waits before it asks a busy server again
THINK = (2.0, 6.0)  # s between two images of a visitor
KINDS = ("sample", "upload")
# An idle connection is left before the server closes it (5 s): a question sent into that moment is lost, and a browser
# asks it again, but not this.
LIMITS = httpx.Limits(max_connections=None, keepalive_expiry=3)


@dataclass
class Tally:
    """What came of the calls: seconds by name, how many were told that the server is busy, and what failed."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    busy: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    errors: list[str] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)  # seconds, MiB


class Visitor:
    """One person with a page open.

    Args:
        client: Shared connection.
        component: The explorer's number.
        seed: Decides what is chosen when.
        tally: Where everything is noted.
    """

    def __init__(self, client: httpx.AsyncClient, component: int, seed: int, tally: Tally) -> None:
        self.client, self.component, self.tally = client, component, tally
        self.chance, self.session = random.Random(seed), f"visitor{seed}"  # noqa: S311 (no secret)

    async def ask(self, name: str, question: dict[str, Any]) -> Any:
        """Ask what the page's script asks; None if the server is busy or something failed."""
        body = {"session_hash": self.session, "component_id": self.component, "fn_name": name, "data": question}
        start = time.perf_counter()
        try:
            answer = await self.client.post("/gradio_api/component_server/", json=body)
            found = answer.json() if answer.status_code == 200 else {"error": f"status {answer.status_code}"}
        except (httpx.HTTPError, ValueError) as error:
            found = {"error": f"{type(error).__name__}: {error}"}
        if isinstance(found, dict) and "error" in found:
            if found["error"] == BUSY:
                self.tally.busy[name] += 1
            else:
                self.tally.errors.append(f"{name}: {found['error']}")
            return None
        self.tally.seconds[name].append(time.perf_counter() - start)
        return found

    async def image(self) -> dict[str, Any] | None:
        """Choose a sample, or upload an image that nobody else has."""
        if self.chance.choice(KINDS) == "sample":
            return {"kind": "sample", "name": self.chance.choice(list(sample_paths()))}
        start = time.perf_counter()
        try:
            answer = await self.client.post("/gradio_api/upload", files={"files": ("own.jpg", photo(self.chance))})
            path = answer.json()[0]
        except (httpx.HTTPError, ValueError, KeyError) as error:
            self.tally.errors.append(f"upload: {type(error).__name__}: {error}")
            return None
        self.tally.seconds["upload"].append(time.perf_counter() - start)
        return {"kind": "upload", "path": path, "name": "own.jpg"}

    async def look(self) -> None:
        """Choose an image and look at it as the page does."""
        chosen = await self.image()
        if chosen is None:
            return
        explanation = await self.ask("explain", {"checkpoint": "cifar10-ti4", "image": chosen})
        if explanation is None:
            return
        await self.ask("attention", {"key": explanation["key"]})
        await asyncio.sleep(LINGER)
        for name in ("methods", "scores"):
            await self.ask_until_told(name, {"key": explanation["key"], "target": []})

    async def ask_until_told(self, name: str, question: dict[str, Any]) -> None:
        """Ask again while the server is busy, as the page does as long as the image stays."""
        before = self.tally.busy[name]
        while await self.ask(name, question) is None and self.tally.busy[name] > before:
            before = self.tally.busy[name]
            await asyncio.sleep(PAUSE)

    async def stay(self, end: float) -> None:
        """Look at one image after the other; a new one is chosen whether or not the last has all its numbers."""
        await asyncio.sleep(self.chance.uniform(0, THINK[1]))
        while time.monotonic() < end:
            looking = asyncio.create_task(self.look())
            await asyncio.sleep(self.chance.uniform(*THINK))
            if not looking.done():
                looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)


def photo(chance: random.Random) -> bytes:
    """An image of a phone's proportions that nobody else has, as JPEG."""
    seed = np.random.default_rng(chance.randrange(2**32))
    small = Image.fromarray(seed.integers(0, 256, (6, 8, 3), np.uint8))
    buffer = io.BytesIO()
    small.resize((1024, 768), Image.Resampling.BICUBIC).save(buffer, "JPEG")
    return buffer.getvalue()


def process_at(address: str) -> int:
    """The number of the process that serves the page at an address; 0 where the system does not say."""
    port = address.rsplit(":", 1)[1].strip("/").encode()
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has just ended
            words = command.read_bytes().split(b"\0")
            if words[1:4] == [b"-m", b"vitviz", b"app"] and port in words:
                return int(command.parent.name)
    return 0


def memory_of(process: int) -> float | None:
    """What a process holds in memory now (MiB); None where the system does not say."""
    try:
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        return None


async def watch(process: int, tally: Tally, end: float) -> None:
    """Note the server's memory every two seconds."""
    start = time.monotonic()
    while time.monotonic() < end:
        if (held := memory_of(process)) is not None:
            tally.memory.append((time.monotonic() - start, held))
        await asyncio.sleep(2)


async def dawdle(address: str, end: float) -> None:
    """Upload an image at a byte a second, and begin again whenever the server has had enough."""
    place = urlsplit(address)
    head = f"POST /gradio_api/upload HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: 100000\r\n"
    while time.monotonic() < end:
        with suppress(OSError):  # it was shut
            _, writer = await asyncio.open_connection(place.hostname, place.port)
            writer.write(f"{head}Content-Type: multipart/form-data; boundary=x\r\n\r\n--x".encode())
            while time.monotonic() < end:
                writer.write(b"-")
                await writer.drain()
                await asyncio.sleep(1)
            writer.close()


async def crowd(address: str, process: int, users: int, seconds: float, slow: int = 0) -> Tally:
    """Let so many visitors look at images for so long, beside others that send at a byte a second."""
    tally = Tally()
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=LIMITS, trust_env=False) as client:
        component = await number_of_explorer(client)
        end = time.monotonic() + seconds
        visitors = [Visitor(client, component, seed, tally).stay(end) for seed in range(users)]
        dawdlers = [dawdle(address, end) for _ in range(slow)]
        await asyncio.gather(watch(process, tally, end), *visitors, *dawdlers)
    return tally


async def burst(address: str, count: int) -> Tally:
    """Ask for so many explanations in the same moment."""
    tally = Tally()
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=LIMITS, trust_env=False) as client:
        component = await number_of_explorer(client)
        question = {"checkpoint": "cifar10-ti4", "image": {"kind": "sample", "name": "cat"}}
        await asyncio.gather(*(Visitor(client, component, k, tally).ask("explain", question) for k in range(count)))
    return tally


async def number_of_explorer(client: httpx.AsyncClient) -> int:
    """The explorer's number, which its questions must name."""
    config = (await client.get("/config")).json()
    return int(next(part["id"] for part in config["components"] if part["props"].get("elem_id") == "explorer"))


def load(users: int, seconds: float, bursts: int, slow: int) -> None:
    """Print how a crowd of visitors, with slow ones beside, and then a burst are served."""
    with server() as (address, _):
        process = process_at(address)
        asyncio.run(burst(address, 4))  # the first questions of all load the model
        tally = asyncio.run(crowd(address, process, users, seconds, slow))
        after = asyncio.run(burst(address, bursts))
    table = Table("call", "answers", "busy", "50 %", "95 %", "99 %")
    for name, found in tally.seconds.items():
        table.add_row(name, str(len(found)), str(tally.busy[name]), *(f"{1000 * p:.0f} ms" for p in percentiles(found)))
    console = Console()
    machine = f"{os.cpu_count()} processors, a product of two 1000 x 1000 matrices takes {calibration():.0f} ms"
    console.print(f"{users} visitors and {slow} slow ones for {seconds:.0f} s; {machine}")
    console.print(table)
    console.print(f"errors: {len(tally.errors)} {json.dumps(sorted(set(tally.errors))[:5])}")
    console.print(memory_words(tally.memory))
    answered, slowest = after.seconds["explain"], max(after.seconds["explain"], default=0.0)
    console.print(
        f"burst of {bursts}: {len(answered)} answers, the last after {slowest:.1f} s, {after.busy['explain']} busy, "
        f"{len(after.errors)} errors"
    )


def percentiles(values: list[float]) -> list[float]:
    """The 50th, 95th and 99th of at least one value."""
    if len(values) == 1:
        return values * 3
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return [cuts[49], cuts[94], cuts[98]]


def memory_words(measured: list[tuple[float, float]]) -> str:
    """How memory went after the first minute, or the first half of a shorter measurement."""
    if len(measured) < 4:
        return "memory: not known here"
    warm = [point for point in measured if point[0] >= min(60, measured[-1][0] / 2)]
    slope = statistics.linear_regression(*zip(*warm, strict=True)).slope
    return (
        f"memory: {warm[0][1]:.0f} MiB after {warm[0][0]:.0f} s, {warm[-1][1]:.0f} MiB at the end, "
        f"{60 * slope:+.1f} MiB a minute"
    )


def calibration() -> float:
    """What this machine needs to multiply two matrices of 1000 x 1000 (ms), so that figures can be compared."""
    one = np.ones((1000, 1000), np.float32)
    start = time.perf_counter()
    for _ in range(5):
        one @ one
    return (time.perf_counter() - start) * 200
