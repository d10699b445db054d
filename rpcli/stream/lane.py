"""One stream as the main thread sees it: where it stands, and what its reader does next.

Rules: the cursor moves when a record was written, and so does the backoff begin anew; a connection
that was only answered proves nothing. A refused cursor is not sent again before something was
written without it. Records that are held back for ``--tail`` are not written; while they are held,
it is they that a broken connection is resumed from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rpcli.errors import ApiError
from rpcli.stream import notices
from rpcli.stream.backoff import Backoff
from rpcli.stream.cursor import Cursor, Resumption
from rpcli.stream.decoder import Signal
from rpcli.stream.hub import Hub
from rpcli.stream.means import Means
from rpcli.stream.ports import StreamStats, StreamTarget
from rpcli.stream.reader import Order, Reader
from rpcli.stream.records import Record
from rpcli.stream.request import Query
from rpcli.stream.tailwindow import TailWindow
from rpcli.stream.verdict import End, Verdict, judge


class Lane:
    """One stream that is followed.

    :param query: see :data:`~rpcli.stream.request.Query`
    :param cursor: where it stood when it was read before
    :param had_streamed: whether it has been answered before, in this run
    :param window: holds the records of the replay, until their last are known
    """

    def __init__(
        self,
        target: StreamTarget,
        stats: StreamStats,
        means: Means,
        hub: Hub[Any],
        *,
        query: Query,
        cursor: Cursor | None = None,
        had_streamed: bool = False,
        window: TailWindow | None = None,
    ) -> None:
        self.target = target
        self.stats = stats
        self.reader = Reader(target, means.opener, hub)
        self.name = notices.name_of(target)
        self.answered = had_streamed
        self._query = query
        self._backoff = Backoff(means.jitter)
        self._note = means.note
        #: What requests go by, and what was written: the same, unless records are held.
        self._cursor = cursor or Cursor()
        self.written = self._cursor if window is None else Cursor()
        self._window = window
        self._without_id = False
        self._carried_id = False
        self._reported: str | None = None
        #: When something last came, and whether it makes room for another.
        self.heard_at = 0.0
        self.is_leaving = False

    @property
    def due(self) -> float:
        """When records that are held are to be let go, should nothing more come."""
        return math.inf if self._window is None else self._window.due

    def start(self, now: float) -> None:
        """Connect for the first time; ``now`` is by a clock that only grows, here and below."""
        self.heard_at = now
        self.reader.start(self._order(0.0))

    def leave(self) -> None:
        """Make room: its connection ends, and no other is made."""
        self.is_leaving = True
        self.reader.abort()

    def took(self, records: Sequence[Record], now: float) -> Sequence[Record]:
        """Take what came, and give what is to be written now."""
        self.heard_at = now
        if self._window is None:
            return records
        self._cursor.wrote(records)
        return self._window.take(records, now)

    def release(self) -> Sequence[Record]:
        """Let go of what is held, to be written now."""
        return () if self._window is None else self._window.release()

    def wrote(self, records: Sequence[Record]) -> None:
        """Move on: these have reached the sink."""
        self.written.wrote(records)
        self.stats.lines += len(records)
        self._backoff.healthy()
        self._without_id = False

    def signalled(self, signal: Signal) -> None:
        """Take an event that is no log line: an error is told, a new base is taken."""
        if signal.kind == "retry":
            self._backoff.base(signal.text)
        elif signal.kind == "error":
            said = notices.reported(signal.text)
            # A server in trouble says so again and again.
            if said != self._reported:
                self._tell(said)
            self._reported = said

    def judge(self, end: End) -> Verdict:
        """Say what the end of its connection means."""
        verdict = judge(end, had_streamed=self.answered, carried_id=self._carried_id)
        self.answered = self.answered or end.opened
        return verdict

    def reconnect(self, end: End) -> None:
        """Connect again in a while, from where it stands."""
        error = end.error
        wait = self._backoff.next(error.retry_after if isinstance(error, ApiError) else None)
        self._tell(f"{notices.broken(end)}: {notices.again_in(wait)}")
        self._connect(wait)

    def connect_without_cursor(self, end: End) -> None:
        """Connect again at once, from the time of the last record: lines may be missing."""
        self._without_id = True
        self.stats.gaps += 1
        self._tell(notices.refused_cursor(end, self._resumption()))
        self._connect(0.0)

    def _connect(self, wait: float) -> None:
        self.stats.reconnects += 1
        self._reported = None
        self.reader.connect(self._order(wait))

    def _order(self, wait: float) -> Order:
        resumption = self._resumption()
        self._carried_id = resumption is not None and resumption.last_event_id is not None
        overlap = None if self._cursor.resumption is None else self._cursor.overlap()
        last_event_id = resumption.last_event_id if resumption is not None else None
        return Order(self._query(resumption), last_event_id, overlap, wait)

    def _resumption(self) -> Resumption | None:
        if self._without_id:
            return self._cursor.resumption_without_id
        return self._cursor.resumption

    def _tell(self, text: str) -> None:
        self._note(f"{self.name}: {text}")
