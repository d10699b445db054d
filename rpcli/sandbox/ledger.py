"""What was asked of the sandbox: every request, and how many were open at once."""

from __future__ import annotations

import threading
from typing import Any


class Ledger:
    """A list of requests that tests read."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._entries: list[dict[str, Any]] = []
        self._open = 0

    def begin(self, method: str, path: str, query: str) -> dict[str, Any]:
        """Note a request; ``together`` is how many were open when it came, itself included."""
        with self._lock:
            self._open += 1
            entry: dict[str, Any] = {
                "method": method,
                "path": path,
                "query": query,
                "route": None,
                "plane": None,
                "status": None,
                "together": self._open,
            }
            self._entries.append(entry)
            self._lock.notify_all()
            return entry

    def wait_for(self, count: int, seconds: float) -> bool:
        """Wait until so many requests have come, and say whether they have."""
        with self._lock:
            return self._lock.wait_for(lambda: len(self._entries) >= count, seconds)

    def end(self, entry: dict[str, Any], status: int | None) -> None:
        """Note how it ended; None: cut off, or never answered."""
        with self._lock:
            self._open -= 1
            entry["status"] = status

    def entries(self) -> list[dict[str, Any]]:
        """Give a copy of all requests so far."""
        with self._lock:
            return [dict(entry) for entry in self._entries]

    def clear(self) -> None:
        """Forget them."""
        with self._lock:
            self._entries.clear()
