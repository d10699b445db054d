"""Which streams are read, which wait for a place, and which had one. Pure.

Rules: places are for streams that live: one that ends frees its place at once. What was seen is
remembered only as long as it is listed: a stream that ended is begun again once it has left the
listing and come back, or after a while, which doubles each time. So nothing here is larger than
the last listing and the places together, however many come and go.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from rpcli.stream.ports import StreamTarget

#: Seconds before a stream that ended, and is still listed, is begun again: at first, at most.
REST = 60.0
LONGEST_REST = 900.0


class _Rest(NamedTuple):
    """What is remembered of a stream that ended and is still listed."""

    seconds: float
    until: float  #: by the clock of the caller


class Fleet:
    """The streams of one follow.

    :param most: places
    :param rest: seconds, see :data:`REST`
    """

    def __init__(self, most: int, *, rest: float = REST) -> None:
        self._most = most
        self._rest = rest
        # Dictionaries without values: sets that keep their order.
        self._live: dict[StreamTarget, None] = {}
        self._waiting: dict[StreamTarget, None] = {}
        self._listed: dict[StreamTarget, None] = {}
        self._rests: dict[StreamTarget, _Rest] = {}

    @property
    def live(self) -> Collection[StreamTarget]:
        """Those that have a place."""
        return self._live.keys()

    @property
    def waiting(self) -> Collection[StreamTarget]:
        """Those that are held back."""
        return self._waiting.keys()

    @property
    def unlisted(self) -> list[StreamTarget]:
        """Those that have a place, and are not listed any more."""
        return [target for target in self._live if target not in self._listed]

    @property
    def remembered(self) -> int:
        """How many of those that ended are remembered."""
        return len(self._rests)

    def listed(self, targets: Sequence[StreamTarget], now: float) -> None:
        """Take what there is now; what is new waits for a place."""
        self._listed = dict.fromkeys(targets)
        self._waiting = {t: None for t in self._waiting if t in self._listed}
        self._rests = {t: rest for t, rest in self._rests.items() if t in self._listed}
        for target in self._listed:
            rest = self._rests.get(target)
            if target not in self._live and (rest is None or now >= rest.until):
                self._waiting[target] = None

    def admit(self) -> list[StreamTarget]:
        """Give places, as far as there are any, to those that have waited longest."""
        admitted = list(self._waiting)[: max(self._most - len(self._live), 0)]
        for target in admitted:
            del self._waiting[target]
            self._live[target] = None
        return admitted

    def ended(self, target: StreamTarget, now: float, *, for_good: bool = False) -> None:
        """Free the place of a stream.

        :param for_good: it is not begun again before it has left the listing
        """
        del self._live[target]
        if target not in self._listed:
            return
        earlier = self._rests.get(target)
        seconds = self._rest if earlier is None else min(earlier.seconds * 2, LONGEST_REST)
        self._rests[target] = _Rest(seconds, float("inf") if for_good else now + seconds)
