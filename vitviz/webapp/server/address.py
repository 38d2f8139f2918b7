"""Address of the server: host, port and root path, from options, else from the environment variables of Gradio."""

import errno
import os
import socket
from typing import NamedTuple

from vitviz.errors import ConfigError
from vitviz.webapp.server.guard import is_space

FIRST_PORT, LAST_PORT = 7860, 7879
HOST, PORTS, ROOT_PATH = "GRADIO_SERVER_NAME", ("GRADIO_SERVER_PORT", "PORT"), "GRADIO_ROOT_PATH"


class Address(NamedTuple):
    """Where the server listens, and the path of a proxy under which browsers reach it."""

    host: str  # IPv4 or IPv6 address without brackets, or a name of this machine
    port: int
    root_path: str  # without a slash at the end; empty for the root

    @property
    def netloc_host(self) -> str:
        """The host as in a URL: an IPv6 address in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host


def choose_address(host: str | None = None, port: int | str | None = None, root_path: str | None = None) -> Address:
    """Choose the address: each argument wins over its variable.

    Args:
        host: Address to listen on; None for GRADIO_SERVER_NAME, else this machine only, or on a Space all.
        port: Port; None for GRADIO_SERVER_PORT or PORT, else the first free one from 7860.
        root_path: Path or URL under which a proxy serves the page; None for GRADIO_ROOT_PATH, else the root.

    Raises:
        ConfigError: If a variable, the port or the root path is invalid.
        ValueError: If the host is not of this machine, or the port is in use.
    """
    host = host or os.environ.get(HOST) or ("0.0.0.0" if is_space() else "127.0.0.1")  # noqa: S104 (a Space is public)
    host = host.removeprefix("[").removesuffix("]")
    return Address(
        host,
        free_port(host, port_of_environment() if port is None else parse_port("port", str(port))),
        choose_root_path(root_path),
    )


def port_of_environment() -> int | None:
    """Return the port in the environment, or None; raise ConfigError if it is not a port."""
    name = next((name for name in PORTS if os.environ.get(name)), None)
    if name is None:
        return None
    return parse_port(name, os.environ[name])


def parse_port(name: str, text: str) -> int:
    """Return a port; raise ConfigError if the text is not one."""
    if text.isascii() and text.isdecimal() and 1 <= int(text[:6]) <= 65535:
        return int(text)
    raise ConfigError(name, f"must be a number from 1 to 65535: got {text[:40]!r}", "Use 7860, or leave it out.")


def choose_root_path(root_path: str | None) -> str:
    """Return the given root path or that of the environment; raise ConfigError if it is neither a path nor a URL."""
    name = ROOT_PATH if root_path is None else "root_path"
    path = os.environ.get(ROOT_PATH, "") if root_path is None else root_path
    if path and not path.startswith(("/", "http://", "https://")):
        raise ConfigError(name, f"must start with a slash: got {path[:80]!r}", f"Use /{path[:80]}.")
    return path.rstrip("/")


def free_port(host: str, port: int | None) -> int:
    """Return the given port, or the first free one for None.

    Raises:
        ConfigError: If it is in use, or all are.
    """
    for candidate in range(FIRST_PORT, LAST_PORT + 1) if port is None else [port]:
        if is_free(host, candidate) and is_free("127.0.0.1", candidate):  # where Gradio checks that it is up
            return candidate
    taken = f"all from {FIRST_PORT} to {LAST_PORT} are" if port is None else f"{port} on {host} is"
    raise ConfigError("port", f"must be free: {taken} in use or not allowed", "Choose another `port`.")


def is_free(host: str, port: int) -> bool:
    """Whether a server can listen on a port.

    Raises:
        ValueError: If the host is not an address or name of this machine.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except (OSError, UnicodeError) as error:  # names with empty or too long labels
        if isinstance(error, OSError) and error.errno in (errno.EADDRINUSE, errno.EACCES):
            return False
        raise ValueError(f"The host must be an address or name of this machine: got {host[:80]}.") from error
    return True
