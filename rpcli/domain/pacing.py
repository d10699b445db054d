"""How long to wait before the next request, by what is left of a rate limit. Pure.

Rules: as long as much is left nobody waits; what is left at the end is spread over the time until
the limit is renewed; where nothing is left, that time is waited for. The server counts, and what it
says last holds; in between each request that may be sent counts as one.
"""

from __future__ import annotations

from collections.abc import Iterable

from rpcli.domain.ratelimit import Window

#: Requests at the end of a window that are spread over its time.
RESERVE = 10
#: Seconds between those who all wait for the same renewal.
_STAGGER = 0.05


class _Paced:
    """One window, and what was asked of it since the server spoke of it."""

    def __init__(self, window: Window, now: float) -> None:
        self.left = window.remaining
        self.renewed = now + window.reset
        self.free = now  # when the next of the reserve may be sent

    def pause(self, now: float) -> float:
        """Take one of what is left, and give the seconds to wait for it."""
        seconds = self.renewed - now
        if seconds <= 0:
            return 0.0
        left, self.left = self.left, self.left - 1
        if left > RESERVE:
            return 0.0
        if left <= 0:
            return seconds - left * _STAGGER
        # The first of the reserve goes at once, each further one a step later.
        begin = max(self.free, now)
        self.free = begin + max(self.renewed - begin, 0.0) / left
        return begin - now


class Pacer:
    """What is left of all windows of a rate limit; ``now`` is by a clock that only grows."""

    def __init__(self) -> None:
        self._windows: dict[str, _Paced] = {}

    def saw(self, windows: Iterable[Window], now: float) -> None:
        """Take what the server says is left."""
        for window in windows:
            paced = _Paced(window, now)
            before = self._windows.get(window.name)
            if before is not None and before.renewed > now and window.remaining > 0:
                # Those who were told when to come keep their places.
                paced.free = max(before.free, now) if window.remaining <= RESERVE else now
            self._windows[window.name] = paced

    def pause(self, now: float) -> float:
        """Give the seconds to wait before a request that will then be sent."""
        return max((paced.pause(now) for paced in self._windows.values()), default=0.0)
