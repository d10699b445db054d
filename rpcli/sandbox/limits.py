"""Rate limits of REST v2, per key, over windows that begin with their first request.

Source: the headers ``RateLimit-Policy`` and ``RateLimit`` of its documentation.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta

WINDOWS: Mapping[str, int] = {"minute": 60, "hour": 3600, "day": 86400}
#: The published example.
QUOTAS: Mapping[str, int] = {"minute": 60, "hour": 3000, "day": 50000}


class Limits:
    """Counts the requests of each key; without quotas nothing is counted and nothing refused."""

    def __init__(self, quotas: Mapping[str, int] | None) -> None:
        self._quotas = dict(quotas or {})
        self._lock = threading.Lock()
        self._windows: dict[tuple[str, str], tuple[datetime, int]] = {}

    def count(self, key: str, now: datetime) -> tuple[dict[str, str], str | None]:
        """Count a request: the headers to send, and the window that it is too much for."""
        if not self._quotas:
            return {}, None
        spent = None
        parts = []
        with self._lock:
            for name, quota in self._quotas.items():
                began, used = self._windows.get((key, name), (now, 0))
                length = timedelta(seconds=WINDOWS[name])
                if now - began >= length:
                    began, used = now, 0
                reset = math.ceil((began + length - now).total_seconds())
                if used >= quota and spent is None:
                    spent = (name, reset)
                self._windows[key, name] = (began, used + 1)
                parts.append(f'"{name}";r={max(quota - used - 1, 0)};t={reset}')
        policy = ", ".join(f'"{n}";q={q};w={WINDOWS[n]}' for n, q in self._quotas.items())
        headers = {"RateLimit": ", ".join(parts), "RateLimit-Policy": policy}
        if spent is None:
            return headers, None
        return {**headers, "Retry-After": str(spent[1])}, spent[0]
