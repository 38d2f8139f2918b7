"""Load test of the page: latency of the requests, busy responses, and memory growth with many concurrent users.

Each user chooses an image, requests its explanation, the attention for hovering and, unless a newer image was chosen,
maps and scores, as the page does; in a mixed load also contributions, features and similarity, while a training runs
that the users watch. The server runs in a subprocess on the loopback interface.
"""

import asyncio
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np
from PIL import Image
from rich.console import Console
from rich.table import Table

from benchmarks.page import run_server
from vitviz.data.preprocessing import sample_paths
from vitviz.webapp.server.modules import API_PREFIX

MAPS_DELAY = 0.5  # s; the page waits this long before it requests maps and scores
BUSY_DELAY = 3.0  # s; the page waits this long after a busy response
THINK_TIME = (2.0, 6.0)  # s between two images of a user
KINDS = ("sample", "upload")
EXPLAIN = "explanations"  # the route
WARM_UP = 600.0  # s; the memory of a long run is fitted after it
TRAINING = "cifar10-2min"  # preset that runs in a mixed load
POLL_INTERVAL = 2.0  # s between two requests of the Train page
# Shorter than the server's 5 s: a request on a connection that the server is closing is lost, and httpx, unlike a
# browser, does not repeat it.
LIMITS = httpx.Limits(max_connections=None, keepalive_expiry=3)


@dataclass
class Results:
    """Results of all requests: durations and busy responses by route, errors, and memory over time."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    busy: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    errors: list[str] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)  # (s, MiB)


class User:
    """A simulated user of the page.

    Args:
        client: Shared HTTP client.
        seed: Seed of the user's choices.
        results: Collects the results of all users.
        mixed: Whether other views are requested, too.
    """

    def __init__(self, client: httpx.AsyncClient, seed: int, results: Results, mixed: bool = False) -> None:
        self.client, self.results, self.mixed = client, results, mixed
        self.rng = random.Random(seed)  # noqa: S311 (not for cryptography)

    async def request(self, route: str, data: dict[str, Any]) -> Any:
        """Send a request as the page does; returns None after a busy response or an error."""
        start = time.perf_counter()
        try:
            response = await self.client.post(f"{API_PREFIX}/{route}", json=data)
            result = json.loads(response.text.splitlines()[-1])  # before it, a stream has lines of progress
        except (httpx.HTTPError, ValueError, IndexError) as error:
            result = {"error": f"{type(error).__name__}: {error}"}
        if isinstance(result, dict) and "error" in result:
            if result.get("busy"):
                self.results.busy[route] += 1
            else:
                self.results.errors.append(f"{route}: {result['error']}")
            return None
        self.results.seconds[route].append(time.perf_counter() - start)
        return result.get("reply", result) if isinstance(result, dict) else result

    async def choose_image(self) -> dict[str, Any] | None:
        """Choose a sample image or upload a unique image; returns None if the upload fails."""
        if self.rng.choice(KINDS) == "sample":
            return {"kind": "sample", "name": self.rng.choice(list(sample_paths()))}
        start = time.perf_counter()
        try:
            files = {"file": ("own.jpg", make_photo(self.rng))}
            uploaded = (await self.client.post(f"{API_PREFIX}/data/uploads", files=files)).json()["id"]
        except (httpx.HTTPError, ValueError, KeyError) as error:
            self.results.errors.append(f"upload: {type(error).__name__}: {error}")
            return None
        self.results.seconds["upload"].append(time.perf_counter() - start)
        return {"kind": "upload", "id": uploaded, "name": "own.jpg"}

    async def explore_image(self) -> None:
        """Choose an image and send the page's requests for it."""
        image = await self.choose_image()
        if image is None:
            return
        subject = {"subject": {"model": "cifar10-ti4", "image": image}}
        if await self.request(EXPLAIN, subject) is None:
            return
        await self.request(f"{EXPLAIN}/attention", subject)
        await asyncio.sleep(MAPS_DELAY)
        for name in ("maps", "scores"):
            await self.request_until_served(f"{EXPLAIN}/{name}", subject)
        if self.mixed:
            await self.request(f"{EXPLAIN}/contributions", subject)
            await self.request(f"{EXPLAIN}/features", subject | {"foreground": self.rng.random() < 0.5})
            await self.request(f"{EXPLAIN}/similarity", subject | {"patch": self.rng.randrange(64)})

    async def watch(self, end: float) -> None:
        """Watch the newest training until a time, as the Train page does."""
        state: dict[str, Any] = {}
        while time.monotonic() < end:
            response = await self.request("runs/poll", state) or {}
            if lists := response.get("lists"):
                state |= {"version": lists["version"], "run": lists["runs"][0]["name"] if lists["runs"] else None}
            if metrics := response.get("metrics"):
                state |= {name: metrics[name] for name in ("session", "offset")}
            await asyncio.sleep(POLL_INTERVAL)

    async def request_until_served(self, route: str, data: dict[str, Any]) -> None:
        """Repeat a request while the server is busy, as the page does."""
        before = self.results.busy[route]
        while await self.request(route, data) is None and self.results.busy[route] > before:
            before = self.results.busy[route]
            await asyncio.sleep(BUSY_DELAY)

    async def run(self, end: float) -> None:
        """Explore images until a time; a new image is chosen even if responses for the last one are pending."""
        await asyncio.sleep(self.rng.uniform(0, THINK_TIME[1]))
        while time.monotonic() < end:
            exploring = asyncio.create_task(self.explore_image())
            await asyncio.sleep(self.rng.uniform(*THINK_TIME))
            if not exploring.done():
                exploring.cancel()
            await asyncio.gather(exploring, return_exceptions=True)


def make_photo(rng: random.Random) -> bytes:
    """Return a unique JPEG image of 1024 x 768 pixels."""
    generator = np.random.default_rng(rng.randrange(2**32))
    small = Image.fromarray(generator.integers(0, 256, (6, 8, 3), np.uint8))
    buffer = io.BytesIO()
    small.resize((1024, 768), Image.Resampling.BICUBIC).save(buffer, "JPEG")
    return buffer.getvalue()


def find_server_pid(address: str) -> int:
    """Return the process number of the server at an address; 0 on systems without /proc."""
    port = address.rsplit(":", 1)[1].strip("/").encode()
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # the process has exited
            words = command.read_bytes().split(b"\0")
            if words[1:4] == [b"-m", b"vitviz", b"app"] and port in words:
                return int(command.parent.name)
    return 0


def memory_mib(pid: int) -> float | None:
    """Return the resident memory of a process (MiB); None on systems without /proc."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        return None


async def record_memory(pid: int, results: Results, end: float) -> None:
    """Record the memory of the server every two seconds until a time."""
    start = time.monotonic()
    while time.monotonic() < end:
        if (memory := memory_mib(pid)) is not None:
            results.memory.append((time.monotonic() - start, memory))
        await asyncio.sleep(2)


async def upload_slowly(address: str, end: float) -> None:
    """Upload at one byte per second until a time, and reconnect whenever the server closes the connection."""
    url = urlsplit(address)
    head = f"POST {API_PREFIX}/data/uploads HTTP/1.1\r\nHost: {url.netloc}\r\nContent-Length: 100000\r\n"
    while time.monotonic() < end:
        with suppress(OSError):  # connection closed
            _, writer = await asyncio.open_connection(url.hostname, url.port)
            writer.write(f"{head}Content-Type: multipart/form-data; boundary=x\r\n\r\n--x".encode())
            while time.monotonic() < end:
                writer.write(b"-")
                await writer.drain()
                await asyncio.sleep(1)
            writer.close()


async def run_users(address: str, pid: int, users: int, seconds: float, slow: int = 0, mixed: bool = False) -> Results:
    """Simulate users and slow uploads for a time; in a mixed load every third user also watches the training."""
    results = Results()
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=LIMITS, trust_env=False) as client:
        end = time.monotonic() + seconds
        simulated = [User(client, seed, results, mixed) for seed in range(users)]
        watching = [user.watch(end) for user in simulated[::3] if mixed]
        uploads = [upload_slowly(address, end) for _ in range(slow)]
        await asyncio.gather(
            record_memory(pid, results, end), *(user.run(end) for user in simulated), *watching, *uploads
        )
    return results


async def run_burst(address: str, count: int) -> Results:
    """Send `count` explanation requests at the same moment."""
    results = Results()
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=LIMITS, trust_env=False) as client:
        data = {"subject": {"model": "cifar10-ti4", "image": {"kind": "sample", "name": "cat"}}}
        await asyncio.gather(*(User(client, k, results).request(EXPLAIN, data) for k in range(count)))
    return results


@contextmanager
def training(folder: Path, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """Train in a subprocess in the runs of a folder for the duration of the block; `seconds` is the budget."""
    command = [sys.executable, "-m", "vitviz", "train", "--preset", TRAINING]
    command += ["--minutes", str(seconds / 60), "--output-dir", str(folder / "runs" / "load")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def load(users: int, seconds: float, burst: int, slow: int, mixed: bool = False) -> None:
    """Print the results of a number of users with slow uploads, and of a burst of explanations.

    Raises:
        ValueError: If the training of a mixed load ends early.
    """
    with tempfile.TemporaryDirectory() as folder, run_server(folder=Path(folder)) as (address, _, process):
        pid = process.pid
        asyncio.run(run_burst(address, 4))  # loads the model
        with training(Path(folder), 2 * seconds) if mixed else nullcontext() as trained:
            results = asyncio.run(run_users(address, pid, users, seconds, slow, mixed))
            if trained is not None and trained.poll() is not None:
                raise ValueError(
                    f"The training ended early, with exit status {trained.returncode}. Does it find its data?"
                )
        after = asyncio.run(run_burst(address, burst))
    table = Table("route", "responses", "busy", "50 %", "95 %", "99 %")
    for name, times in results.seconds.items():
        table.add_row(
            name, str(len(times)), str(results.busy[name]), *(f"{1000 * p:.0f} ms" for p in percentiles(times))
        )
    console = Console()
    console.print(
        f"{users} users{', a training' if mixed else ''} and {slow} slow uploads for {seconds:.0f} s; "
        f"{os.cpu_count()} CPUs, {time_matmul():.0f} ms for "
        "a product of two 1000 x 1000 matrices"
    )
    console.print(table)
    console.print(f"errors: {len(results.errors)} {json.dumps(sorted(set(results.errors))[:5])}")
    console.print(describe_memory(results.memory))
    times = after.seconds[EXPLAIN]
    console.print(
        f"burst of {burst}: {len(times)} responses, the last after {max(times, default=0.0):.1f} s, "
        f"{after.busy[EXPLAIN]} busy, {len(after.errors)} errors"
    )


def percentiles(values: list[float]) -> list[float]:
    """Return the 50th, 95th and 99th percentile of at least one value."""
    if len(values) == 1:
        return values * 3
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return [cuts[49], cuts[94], cuts[98]]


def describe_memory(measured: list[tuple[float, float]]) -> str:
    """Describe the memory growth by a linear fit, after ten minutes or after the first half of a shorter run."""
    if len(measured) < 4:
        return "memory: unknown"
    warm = [point for point in measured if point[0] >= min(WARM_UP, measured[-1][0] / 2)]
    slope = statistics.linear_regression(*zip(*warm, strict=True)).slope
    return (
        f"memory: {warm[0][1]:.0f} MiB after {warm[0][0]:.0f} s, {warm[-1][1]:.0f} MiB at the end, "
        f"{3600 * slope:+.1f} MiB per hour"
    )


def time_matmul() -> float:
    """Return the duration of a product of two 1000 x 1000 matrices (ms), to compare machines."""
    one = np.ones((1000, 1000), np.float32)
    start = time.perf_counter()
    for _ in range(5):
        one @ one
    return (time.perf_counter() - start) * 200
