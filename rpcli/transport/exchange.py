"""One request and its answer, in a thread that can be given up at a deadline.

The timeouts of sockets start again with every byte: a server that drips outlasts them all. So the
caller waits by its own clock, and where time is up the socket is shut down under the reader.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

_current = threading.local()


class Pending(Generic[T]):
    """A call that runs in a daemon thread; its result or its exception is kept for whoever waits."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._done = threading.Event()
        self._result: list[T] = []
        self._error: BaseException | None = None
        self._sockets: list[socket.socket] = []
        self._given_up = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        _current.pending = self
        try:
            self._result.append(self._call())
        except BaseException as error:  # noqa: BLE001 - kept, and raised where it is waited for
            self._error = error
        finally:
            self._done.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the call has ended, and say whether it has."""
        return self._done.wait(None if seconds is None else max(seconds, 0.0))

    def result(self) -> T:
        """Give what the call gave; waits for it.

        :raises BaseException: what the call raised
        """
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._result[0]

    def watch(self, sock: socket.socket) -> None:
        """Remember the socket that the call reads from."""
        self._sockets[:] = [sock]
        if self._given_up:
            _shut(sock)

    def give_up(self) -> None:
        """Wake the call out of whatever read it is in, and want nothing more of it."""
        self._given_up = True
        for sock in tuple(self._sockets):
            _shut(sock)


def watch(sock: socket.socket | None) -> None:
    """Tell the call that runs in this thread, if there is one, which socket it reads from."""
    pending = getattr(_current, "pending", None)
    if pending is not None and sock is not None:
        pending.watch(sock)


def _shut(sock: socket.socket) -> None:
    # It may have been closed on the other side, or by the reader, in the meantime.
    with contextlib.suppress(OSError, ValueError):
        sock.shutdown(socket.SHUT_RDWR)
