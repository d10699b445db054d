"""Faults of a server, each described by data: what a route answers instead, and how the bytes go.

Rules: a fault matches by plane, route and method; ``after`` requests pass first, and ``times`` are
hit; every wait ends when the sandbox stops.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Keys of a fault that need the bytes on the socket under our control.
_RAW = ("drip", "dripHeaders", "cut", "contentLength", "chunk")


@dataclass
class Fault:
    """One fault, and how often it has been met."""

    spec: Mapping[str, Any]
    seen: int = 0

    def hits(self, plane: str, route: str, method: str) -> bool:
        """Whether it strikes a request; counts the request where it fits."""
        spec = self.spec
        if spec.get("plane", plane) != plane or spec.get("route", route) != route:
            return False
        if spec.get("method", method) != method:
            return False
        self.seen += 1
        after = spec.get("after", 0)
        return bool(after < self.seen <= after + spec.get("times", 1 << 30))


@dataclass
class Faults:
    """All faults of a sandbox; the first that fits strikes."""

    _faults: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, spec: Mapping[str, Any]) -> None:
        """Arm one."""
        with self._lock:
            self._faults.append(Fault(spec))

    def clear(self) -> None:
        """Disarm all."""
        with self._lock:
            self._faults.clear()

    def strike(self, plane: str, route: str, method: str) -> Mapping[str, Any] | None:
        """Give the fault that a request meets."""
        with self._lock:
            found = [f for f in self._faults if f.hits(plane, route, method)]
        return found[0].spec if found else None


@dataclass
class Bytes:
    """An answer as it would go over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes


def distort(fault: Mapping[str, Any], answer: Bytes) -> Bytes:
    """Change what is answered, as the fault says."""
    status = fault.get("status", answer.status)
    headers = dict(answer.headers)
    body = answer.body
    if "body" in fault:
        given = fault["body"]
        body = given.encode() if isinstance(given, str) else json.dumps(given).encode()
        headers["Content-Type"] = "text/html" if body.startswith(b"<") else "application/json"
    elif status != answer.status:
        body = json.dumps({"error": f"fault: HTTP {status}", "status": status}).encode()
        headers["Content-Type"] = "application/json"
    if "nested" in fault:
        body = b"[" * fault["nested"]
    if "padding" in fault:
        body += b" " * fault["padding"]
    if fault.get("invalidUtf8"):
        body = b'{"\xff\xfe": 1}'
    if "gzip" in fault:
        headers["Content-Encoding"] = "gzip"
        body = gzip.compress(body) if fault["gzip"] is True else b"no gzip at all"
    if "contentType" in fault:
        headers["Content-Type"] = fault["contentType"]
    headers.update(fault.get("headers", {}))
    return Bytes(status, headers, body)


def is_raw(fault: Mapping[str, Any]) -> bool:
    """Whether a fault is one of how the bytes go."""
    return any(key in fault for key in _RAW)


def send_raw(
    sock: socket.socket, fault: Mapping[str, Any], answer: Bytes, stopping: threading.Event
) -> None:
    """Write an answer byte by byte, or only its beginning, as the fault says, and close."""
    length = fault.get("contentLength", len(answer.body))
    lines = [f"HTTP/1.1 {answer.status} Fault"]
    lines += [f"{k}: {v}" for k, v in answer.headers.items() if k.lower() != "content-length"]
    lines += [f"Content-Length: {length}", "Connection: close", "", ""]
    head = "\r\n".join(lines).encode("latin-1", "replace")
    body = answer.body
    cut = fault.get("cut")
    if cut is not None:
        body = body[: cut.get("after", 0)]
    with contextlib.suppress(OSError):
        if _drip(sock, head, fault.get("dripHeaders"), 1, stopping):
            _drip(sock, body, fault.get("drip"), fault.get("chunk", 1), stopping)
    close(sock, reset=cut is not None and cut.get("how") == "reset")


def close(sock: socket.socket, *, reset: bool) -> None:
    """Close a connection, politely or by a reset."""
    with contextlib.suppress(OSError):
        if reset:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            sock.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        sock.close()


def _drip(
    sock: socket.socket, data: bytes, pause: float | None, size: int, stopping: threading.Event
) -> bool:
    """Send in pieces with a pause behind each; False where the sandbox stops meanwhile."""
    if not pause:
        sock.sendall(data)
        return True
    for at in range(0, len(data), size):
        sock.sendall(data[at : at + size])
        if stopping.wait(pause):
            return False
    return True
