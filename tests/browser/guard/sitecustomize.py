"""Imported by Python at startup if on the path: records and refuses connections to other machines."""

import os
import socket
from pathlib import Path

NOTES = Path(os.environ["VITVIZ_TEST_CONNECTIONS"])
LOCAL = ("127.", "::1", "localhost", "0.0.0.0", "::")

connect, look_up = socket.socket.connect, socket.getaddrinfo


def note(host: object) -> None:
    if isinstance(host, bytes):
        host = host.decode()
    if isinstance(host, str) and host and not host.startswith(LOCAL):
        with NOTES.open("a") as file:
            file.write(f"{host}\n")
        raise OSError(f"no connection to {host} in this test")


def guarded_connect(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6):
        note(address[0])
    return connect(self, address)


def guarded_look_up(host, *args, **kwargs):
    note(host)
    return look_up(host, *args, **kwargs)


socket.socket.connect = guarded_connect
socket.getaddrinfo = guarded_look_up
