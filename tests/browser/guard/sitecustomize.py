"""Imported by Python at startup (see the `site` module): logs and blocks connections to external hosts."""

import ipaddress
import os
import socket
from pathlib import Path

LOG = Path(os.environ["VITVIZ_TEST_CONNECTIONS"])

connect, getaddrinfo = socket.socket.connect, socket.getaddrinfo


def is_local(host: str) -> bool:
    """Whether it is localhost, a loopback address or the unspecified address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    return address.is_loopback or address.is_unspecified


def block_external(host: object) -> None:
    if isinstance(host, bytes):
        host = host.decode()
    if isinstance(host, str) and host and not is_local(host):
        with LOG.open("a") as file:
            file.write(f"{host}\n")
        raise OSError(f"External connections are blocked in this test: {host}")


def guarded_connect(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6):
        block_external(address[0])
    return connect(self, address)


def guarded_getaddrinfo(host, *args, **kwargs):
    block_external(host)
    return getaddrinfo(host, *args, **kwargs)


socket.socket.connect = guarded_connect
socket.getaddrinfo = guarded_getaddrinfo
