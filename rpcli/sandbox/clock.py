"""The sandbox's own time: it goes on by itself, and a test turns it forward."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta

from rpcli.sandbox.bell import Bell
from rpcli.sandbox.stamp import SECOND, nanoseconds


class SandboxClock:
    """Real time plus what it was advanced; frozen, it moves only by that.

    :param start: where it begins, aware; now where None
    """

    def __init__(self, start: datetime | None = None, *, frozen: bool = False) -> None:
        self._lock = threading.Lock()
        self._start = start or datetime.now(UTC)
        self._began = time.monotonic()
        self._advanced = 0.0
        self._frozen = frozen
        self._bells: set[Bell] = set()

    def now(self) -> datetime:
        """Give the time of day, aware, in UTC."""
        with self._lock:
            passed = 0.0 if self._frozen else time.monotonic() - self._began
            return self._start + timedelta(seconds=passed + self._advanced)

    def advance(self, seconds: float) -> None:
        """Turn it forward."""
        with self._lock:
            self._advanced += seconds
            for bell in self._bells:
                bell.ring()

    def watch(self, bell: Bell) -> None:
        """Ring a bell whenever it is turned."""
        with self._lock:
            self._bells.add(bell)

    def forget(self, bell: Bell) -> None:
        """Ring a bell no more."""
        with self._lock:
            self._bells.discard(bell)

    def seconds_until(self, time: int | None) -> float | None:
        """Give the real seconds until a time comes by itself; None: it does not.

        :param time: nanoseconds since 1970
        """
        if time is None or self._frozen:
            return None
        return max((time - nanoseconds(self.now())) / SECOND, 0.0)
