"""Bytes to a sandbox and back, with no HTTP client between."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpcli.sandbox import Sandbox

#: Seconds after which a test that would hang fails.
PATIENCE = 30.0


@contextmanager
def connected(
    sandbox: Sandbox, path: str = "/v2/pods", *, method: str = "GET"
) -> Iterator[socket.socket]:
    """Send one request without a body, with the sandbox's own key, and give the connection."""
    with socket.create_connection(("127.0.0.1", sandbox.port), PATIENCE) as connection:
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: sandbox\r\nAuthorization: Bearer {sandbox.api_key}"
        )
        connection.sendall(f"{head}\r\nUser-Agent: rpcli-tests/1\r\n\r\n".encode())
        yield connection


def read_all(connection: socket.socket) -> tuple[bytes, str]:
    """Read to the end; say how it ended: ``closed`` or ``reset``."""
    data = b""
    while True:
        try:
            piece = connection.recv(1 << 16)
        except ConnectionResetError:
            return data, "reset"
        if not piece:
            return data, "closed"
        data += piece


def read_exactly(connection: socket.socket, size: int) -> bytes:
    """Read so many bytes, as they come."""
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        assert piece, "the connection ended early"
        data += piece
    return data


def exchange(sandbox: Sandbox, path: str = "/v2/pods") -> tuple[bytes, bytes, str]:
    """Send one request: give the head and the body of the answer, and how it ended."""
    with connected(sandbox, path) as connection:
        data, end = read_all(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    return head, body, end
