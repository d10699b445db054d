"""The last lines of a replay that begins at a time, as the server ignores ``tail`` there. Pure.

Rules: the last of each source are held until the replay is over: after a quiet gap, or with the
first record that is newer than the connection; what comes then is passed on as it is. Where all
that is held takes too much memory, it is passed on at once: rather too many lines than too few.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from datetime import datetime

from rpcli.domain.timestamps import parse_timestamp
from rpcli.stream.records import Record

#: Seconds of silence after which a replay is over.
GAP = 0.75
#: Bytes of records that are held, at most.
LIMIT = 64 << 20
#: Sources that are told apart; the vocabulary is open, and memory is not.
MOST_SOURCES = 64
#: Bytes that a record takes beside its text, about.
_OVERHEAD = 300


class TailWindow:
    """Holds the last records of each source.

    :param tail: of each source
    :param opened: when the connection was made, aware; None: only silence ends the replay
    :param gap: see :data:`GAP`; infinite where somebody else says when it is over
    """

    def __init__(
        self, tail: int, *, opened: datetime | None = None, gap: float = GAP, limit: int = LIMIT
    ) -> None:
        self._tail = tail
        self._opened = opened
        self._gap = gap
        self._limit = limit
        self._held: dict[str, deque[tuple[int, Record]]] = {}
        self._count = 0
        self._size = 0
        self.is_over = False
        #: By the clock of the caller: when it is over, should nothing more come.
        self.due = math.inf

    def take(self, records: Sequence[Record], now: float) -> Sequence[Record]:
        """Take what came, and give what is to be passed on.

        :param now: seconds of a clock that only grows
        """
        if self.is_over:
            return records
        for place, record in enumerate(records):
            if self._is_new(record) or self._size > self._limit:
                return [*self.release(), *records[place:]]
            self._hold(record)
        if records:
            self.due = now + self._gap
        return ()

    def release(self) -> list[Record]:
        """End the replay, and give what was held, in the order in which it came."""
        self.is_over, self.due = True, math.inf
        held = sorted((entry for queue in self._held.values() for entry in queue), key=_number)
        self._held = {}
        return [record for _, record in held]

    def _hold(self, record: Record) -> None:
        self._count += 1
        source = record.source if record.source in self._held else self._room_for(record.source)
        queue = self._held[source]
        queue.append((self._count, record))
        self._size += _size(record)
        if len(queue) > self._tail:
            self._size -= _size(queue.popleft()[1])

    def _room_for(self, source: str) -> str:
        name = source if len(self._held) < MOST_SOURCES else ""
        self._held.setdefault(name, deque())
        return name

    def _is_new(self, record: Record) -> bool:
        if self._opened is None:
            return False
        at = parse_timestamp(record.ts)
        return at is not None and at > self._opened


def _number(entry: tuple[int, Record]) -> int:
    return entry[0]


def _size(record: Record) -> int:
    return len(record.body) + len(record.id) + _OVERHEAD
