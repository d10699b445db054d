"""What was asked of the sandbox: every request, and how many were open at once.

Rules: no key is ever kept; the newest :data:`KEPT` requests are, so that a sandbox that is served
for days does not grow.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

KEPT = 100_000


class Ledger:
    """A list of requests that tests read."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._entries: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._open = 0
        self._most = 0

    def begin(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Note a request; ``together`` is how many were open when it came, itself included."""
        with self._changed:
            self._open += 1
            self._most = max(self._most, self._open)
            entry |= {"together": self._open, "status": None}
            self._entries.append(entry)
            self._changed.notify_all()
            return entry

    def answered(self, entry: dict[str, Any], status: int) -> None:
        """Note that the headers of an answer that goes on and on have been sent."""
        with self._changed:
            entry["status"] = status
            self._changed.notify_all()

    def end(self, entry: dict[str, Any], status: int | None) -> None:
        """Note how it ended; None: cut off, or never answered; streams have told."""
        with self._changed:
            self._open -= 1
            if status is not None:
                entry["status"] = status
            self._changed.notify_all()

    def wait_for(self, count: int, seconds: float) -> bool:
        """Wait until so many requests have come, and say whether they have."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._entries) >= count, seconds)

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until no request is open any more, and say whether none is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._open, seconds)

    def entries(self) -> list[dict[str, Any]]:
        """Give a copy of all requests so far, in the order in which they came."""
        with self._changed:
            return [dict(entry) for entry in self._entries]

    def most_open(self) -> int:
        """Give the most requests that were open at once."""
        with self._changed:
            return self._most

    def clear(self) -> None:
        """Forget them; those that are open go on."""
        with self._changed:
            self._entries.clear()
            self._most = self._open
