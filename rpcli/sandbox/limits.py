"""Rate limits of REST v2: so many requests of a key in any minute, hour and day.

Rules: the windows roll; a request that is refused counts for nothing. Source: the headers
``RateLimit-Policy`` and ``RateLimit`` of the documentation; the quotas are its example.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Mapping
from datetime import datetime, timedelta

#: The length of each window, in seconds.
WINDOWS: Mapping[str, int] = {"minute": 60, "hour": 3600, "day": 86400}
#: The published example.
QUOTAS: Mapping[str, int] = {"minute": 60, "hour": 3000, "day": 50000}


class Limits:
    """Counts the requests of each key; without quotas nothing is counted, told or refused.

    :param quotas: requests in each window of :data:`WINDOWS`
    """

    def __init__(self, quotas: Mapping[str, int] | None) -> None:
        self._quotas = dict(quotas or {})
        self._lock = threading.Lock()
        self._taken: dict[tuple[str, str], deque[datetime]] = {}
        self._policy = ", ".join(f'"{n}";q={q};w={WINDOWS[n]}' for n, q in self._quotas.items())

    def count(self, key: str, now: datetime) -> tuple[dict[str, str], str | None]:
        """Count a request: give the headers to send, and the window that it is too much for."""
        if not self._quotas:
            return {}, None
        with self._lock:
            windows = {name: self._window(key, name, now) for name in self._quotas}
            spent = next((n for n, q in self._quotas.items() if len(windows[n]) >= q), None)
            if spent is None:
                for window in windows.values():
                    window.append(now)
            resets = {name: _reset(name, window, now) for name, window in windows.items()}
            left = {n: max(q - len(windows[n]), 0) for n, q in self._quotas.items()}
        parts = [f'"{name}";r={left[name]};t={resets[name]}' for name in self._quotas]
        headers = {"RateLimit": ", ".join(parts), "RateLimit-Policy": self._policy}
        if spent is not None:
            headers["Retry-After"] = str(resets[spent])
        return headers, spent

    def _window(self, key: str, name: str, now: datetime) -> deque[datetime]:
        window = self._taken.setdefault((key, name), deque())
        begin = now - timedelta(seconds=WINDOWS[name])
        while window and window[0] <= begin:
            window.popleft()
        return window


def _reset(name: str, window: deque[datetime], now: datetime) -> int:
    """Give the seconds until the oldest request leaves the window, and one more may be made."""
    if not window:
        return WINDOWS[name]
    leaves = window[0] + timedelta(seconds=WINDOWS[name])
    return max(math.ceil((leaves - now).total_seconds()), 1)
