"""Wakes a thread that waits for a socket as well: for a line to send, and for a client to go."""

from __future__ import annotations

import contextlib
import socket


class Bell:
    """Can be waited for beside any socket, by :meth:`fileno`; also a context manager."""

    def __init__(self) -> None:
        self._rope, self._clapper = socket.socketpair()
        self._rope.setblocking(False)
        self._clapper.setblocking(False)

    def __enter__(self) -> Bell:
        return self

    def __exit__(self, *exception: object) -> None:
        self._rope.close()
        self._clapper.close()

    def fileno(self) -> int:
        """Give what can be read once it has rung."""
        return self._clapper.fileno()

    def ring(self) -> None:
        """Wake whoever waits, or will wait next; from any thread, and never fails."""
        with contextlib.suppress(OSError):  # full: it has rung; closed: nobody waits
            self._rope.send(b"!")

    def hush(self) -> None:
        """Forget that it has rung."""
        with contextlib.suppress(BlockingIOError):
            self._clapper.recv(4096)
