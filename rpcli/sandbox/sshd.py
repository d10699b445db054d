"""Listeners on loopback that greet as sshd does: what port 22 of a pod is published as.

Rules: at most :data:`MOST` of them, used in turn, so that a pod gets another port at each start and
an account of thousands needs no thousands of sockets; none is opened before a pod asks for one.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from datetime import datetime

from rpcli.sandbox.server import HOST, Loop

MOST = 32
GREETING = b"SSH-2.0-OpenSSH_9.6 sandbox\r\n"


class Sshd:
    """Gives ports that greet.

    :param loop: accepts the connections
    :param now: the sandbox's time
    """

    def __init__(self, loop: Loop, now: Callable[[], datetime]) -> None:
        self._loop = loop
        self._now = now
        self._lock = threading.Lock()
        self._listeners: list[socket.socket] = []
        self._ready: list[datetime] = []
        self._next = 0

    def __call__(self, ready: datetime) -> int:
        """Give a port that greets from a moment on; before it, a connection ends without a word."""
        with self._lock:
            n = self._next
            self._next = (n + 1) % MOST
            if n == len(self._listeners):
                self._open(n, ready)
            self._ready[n] = ready
            return int(self._listeners[n].getsockname()[1])

    def _open(self, n: int, ready: datetime) -> None:
        listener = socket.create_server((HOST, 0))
        self._listeners.append(listener)
        self._ready.append(ready)
        self._loop.watch(listener, lambda: self._greet(n))

    def _greet(self, n: int) -> None:
        try:
            connection, _ = self._listeners[n].accept()
        except OSError:
            return  # gone before it was accepted
        with connection, contextlib.suppress(OSError):
            if self._now() >= self._ready[n]:
                connection.sendall(GREETING)

    def close(self) -> None:
        """Close every listener."""
        with self._lock:
            for listener in self._listeners:
                listener.close()
