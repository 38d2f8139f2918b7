"""A reverse proxy that serves the page under a path, and a page of the same host that embeds it."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

PATH = b"/vit"
FRAME = b"<!doctype html><title>Frame</title><iframe src='/vit/' style='width: 1300px; height: 850px'></iframe>"
HEAD = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"


class Proxy:
    """Forwards requests below `PATH` to a server, without it; / is the page that embeds it.

    Args:
        address: Address of the server.
    """

    def __init__(self, address: str) -> None:
        self.target = urlsplit(address)
        self.others: list[str] = []  # paths requested elsewhere

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Handle one connection, of one request."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            start, headers = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n", 1)
            method, path, version = start.split(b" ")
            if path.startswith(PATH + b"/"):
                lines = [line for line in headers.split(b"\r\n") if not line.lower().startswith(b"connection:")]
                request = b" ".join([method, path.removeprefix(PATH), version])
                upstream = await asyncio.open_connection(self.target.hostname, self.target.port)
                upstream[1].write(b"\r\n".join([request, b"Connection: close", *lines]))
                await asyncio.wait(
                    [asyncio.create_task(copy(reader, upstream[1])), asyncio.create_task(copy(upstream[0], writer))],
                    return_when=asyncio.FIRST_COMPLETED,
                )
            elif path == b"/":
                writer.write(HEAD % (b"200 OK", len(FRAME)) + FRAME)
            else:
                self.others.append(path.decode())
                writer.write(HEAD % (b"404 Not Found", 0))
            await writer.drain()
        writer.close()

    @contextmanager
    def run(self) -> Iterator[str]:
        """Run in another thread, and yield the address of the host."""
        address: Future[str] = Future()
        stop: Future[None] = Future()

        async def main() -> None:
            server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
            address.set_result("http://{}:{}/".format(*server.sockets[0].getsockname()))
            await asyncio.wrap_future(stop)
            server.close()

        thread = threading.Thread(target=asyncio.run, args=(main(),))
        thread.start()
        try:
            yield address.result()
        finally:
            stop.set_result(None)
            thread.join()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy bytes until the end."""
    with suppress(ConnectionError):
        while part := await reader.read(2**16):
            writer.write(part)
            await writer.drain()
        writer.close()
