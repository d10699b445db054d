"""Where readers hand over to the one writer: bounded, so that a slow writer slows the readers.

Rules: a message waits until what was taken before it has been dealt with, unless there is room; one
that is larger than all the room passes alone; after :meth:`Hub.close` nobody waits any more.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")

#: Bytes, as they came from the network, that may be under way to the writer.
ROOM = 1 << 19


class HubClosed(Exception):
    """Nobody takes messages any more."""


class Hub(Generic[T]):
    """A queue of messages, bounded by the sizes of those that are not dealt with yet."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._outstanding = 0
        self._messages: deque[tuple[T, int]] = deque()
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._freed = threading.Condition(self._lock)
        self._closed = False

    def post(self, message: T, size: int = 0) -> None:
        """Hand a message over, in the order of each reader; wait for room where it has a size.

        :raises HubClosed: nobody takes it
        """
        with self._lock:
            while size and self._outstanding and self._outstanding + size > self._room:
                if self._closed:
                    raise HubClosed
                self._freed.wait()
            if self._closed:
                raise HubClosed
            self._outstanding += size
            self._messages.append((message, size))
            self._arrived.notify()

    def get(self, seconds: float | None = None) -> T | None:
        """Give the next message; None where none came in so many seconds.

        It stays the next until :meth:`done`: a signal at any moment loses none.
        """
        until = None if seconds is None else time.monotonic() + seconds
        with self._lock:
            while not self._messages:
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return None
                self._arrived.wait(left)
            return self._messages[0][0]

    def done(self) -> None:
        """Say that the next message has been dealt with, as by writing it out."""
        with self._lock:
            _, size = self._messages.popleft()
            self._outstanding -= size
            self._freed.notify_all()

    def close(self) -> None:
        """Let nobody wait for room any more; what was handed over can still be taken."""
        with self._lock:
            self._closed = True
            self._freed.notify_all()
