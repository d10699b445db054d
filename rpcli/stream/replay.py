"""One stream of a snapshot, as the main thread sees it: what has come, and when it is over.

Rules: a replay has no mark at its end, and so it ends with a quiet gap behind the last record;
nothing but a record counts. It ends at its limit in any case. What broke is read on from the
cursor within the limit, and is incomplete where that fails. A fault is a fault however late it
shows: only a server that answered, or one that was asked for nothing old, may be silent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rpcli.errors import ApiError, NetworkError, RpcliError, TimeoutExpired
from rpcli.stream import notices
from rpcli.stream.backoff import Backoff
from rpcli.stream.cursor import Cursor, Resumption
from rpcli.stream.decoder import Signal
from rpcli.stream.ports import StreamStats, StreamTarget
from rpcli.stream.reader import Order, Reader
from rpcli.stream.records import Record
from rpcli.stream.request import Query
from rpcli.stream.verdict import End, How, Verdict, judge


class Pace(NamedTuple):
    """Seconds that a snapshot takes its time for.

    :param gap: of silence behind a record, after which the replay is over
    :param first_line: until it is told that nothing has come yet
    :param patience: that whoever takes the records may take for some, at the cost of the limit
    """

    gap: float = 0.75
    first_line: float = 3.0
    patience: float = 0.25


class Asking(NamedTuple):
    """How a replay asks.

    :param query: see :data:`~rpcli.stream.request.Query`
    :param max_wait: seconds that it may take, from its first request
    :param may_be_silent: whether no answer at all is in order
    :param pause: gives the seconds before the next request, by the rate limit
    """

    query: Query
    max_wait: float
    may_be_silent: bool
    pause: Callable[[], float]


class Replay:
    """One stream of a snapshot; all of it belongs to the main thread, but the reader's own.

    :param cursor: where it stood when it was read before
    """

    def __init__(
        self,
        target: StreamTarget,
        reader: Reader,
        asking: Asking,
        *,
        pace: Pace,
        backoff: Backoff,
        note: Callable[[str], None],
        cursor: Cursor | None = None,
    ) -> None:
        self.target = target
        self.reader = reader
        self.stats = StreamStats(target)
        self.name = notices.name_of(target)
        #: Why it ended, where that is an error; whether another try would have met it again.
        self.error: RpcliError | None = None
        self.is_permanent = False
        #: Whether the server ever answered, and whether a record came.
        self.was_answered = False
        self.has_records = False
        self._asking = asking
        self._pace = pace
        self._backoff = backoff
        self._note = note
        self._cursor = cursor or Cursor()
        self._without_id = False
        self._carried_id = False
        self._deadline = math.inf
        self._is_connected = False
        self._quiet_since = math.inf
        self._broken: End | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has ended, however."""
        return self.stats.ended is not None

    @property
    def never_answered(self) -> bool:
        """Whether it ended without an answer, and nothing else is known of it."""
        return isinstance(self.error, _NeverAnswered)

    def start(self, now: float) -> None:
        """Connect for the first time; ``now`` is by a clock that only grows, here and below."""
        self._deadline = now + self._asking.max_wait
        self.reader.start(self._order(0.0))

    def answered(self, now: float) -> None:
        """Take note that the server has answered as it should."""
        self.was_answered = self._is_connected = True
        self._quiet_since = now

    def took(self, records: Sequence[Record], signals: Sequence[Signal]) -> None:
        """Take what came; the records are dealt with by whoever calls."""
        self.has_records = self.has_records or bool(records)
        for signal in signals:
            if signal.kind == "retry":
                self._backoff.base(signal.text)
            elif signal.kind == "error" and not self.is_over:
                said = f"{self.name}: {notices.reported(signal.text)}"
                self._fail(ApiError(said, code="server_error", api="v2"), is_permanent=True)

    def dealt_with(self, records: Sequence[Record], since: float, now: float) -> None:
        """Move on: these records were taken, which began at one time and was done at another."""
        if records:
            self._cursor.wrote(records)
            self._backoff.healthy()
            self._without_id = False
            self._broken = None
            self._quiet_since = now
        if now - since > self._pace.patience:
            # The time of whoever reads a pager is not the server's.
            self._deadline += now - since
        if now >= self._deadline and not self.is_over:
            self._time_is_up()

    def connection_ended(self, end: End, now: float) -> None:
        """Settle what comes after a connection."""
        if self.is_over:
            return
        verdict = judge(end, had_streamed=self.was_answered, carried_id=self._carried_id)
        self.was_answered = self.was_answered or end.opened
        self._is_connected = False
        if end.how is How.NOTHING or (end.how is How.CLOSED and not end.torn):
            self._end("replayed" if self.has_records else "silent")
        elif verdict is Verdict.RETRY:
            self._broken = end
            self._try_again(end, now)
        elif verdict is Verdict.WITHOUT_CURSOR:
            self._broken = end
            self._without_id = True
            self.stats.gaps += 1
            self._note(f"{self.name}: {notices.refused_cursor(end, self._resumption())}")
            self._connect(self._asking.pause(), now)
        else:
            self._fail_of(end, is_permanent=True)

    @property
    def due(self) -> float:
        """When it is over, should nothing more come."""
        if self.has_records and self._is_connected:
            return min(self._quiet_since + self._pace.gap, self._deadline)
        return self._deadline

    def expire(self, now: float) -> None:
        """End it, where it is due; nothing of it is under way."""
        if self.is_over or now < self.due:
            return
        if self.has_records and self._is_connected and now < self._quiet_since + self._pace.gap:
            self._time_is_up()
        elif self.has_records and self._is_connected:
            self._end("replayed")
        else:
            self._time_is_up()

    def interrupt(self) -> None:
        """End it for a reason that is not its own."""
        if not self.is_over:
            self._end("interrupted")

    def _time_is_up(self) -> None:
        if self._broken is not None and not self._is_connected:
            self._fail_of(self._broken, is_permanent=False)
        elif self.has_records:
            self._end("max_wait")
        elif self._is_connected or self._asking.may_be_silent:
            self._end("silent")
        else:
            self._fail(_NeverAnswered(never_answered(self.name, self._asking.max_wait)))

    def _try_again(self, end: End, now: float) -> None:
        """Connect again, where there is time for it."""
        floor = end.error.retry_after if isinstance(end.error, ApiError) else None
        wait = max(self._backoff.next(floor), self._asking.pause())
        if now + wait >= self._deadline:
            self._fail_of(end, is_permanent=False)
            return
        if end.opened:
            self._note(f"{self.name}: {notices.broken(end)}: {notices.again_in(wait)}")
        self._connect(wait, now)

    def _connect(self, wait: float, now: float) -> None:
        self.stats.reconnects += 1
        self.reader.connect(self._order(wait))

    def _order(self, wait: float) -> Order:
        resumption = self._resumption()
        last_event_id = resumption.last_event_id if resumption is not None else None
        self._carried_id = last_event_id is not None
        overlap = None if self._cursor.resumption is None else self._cursor.overlap()
        return Order(self._asking.query(resumption), last_event_id, overlap, wait, is_paced=True)

    def _resumption(self) -> Resumption | None:
        if self._without_id:
            return self._cursor.resumption_without_id
        return self._cursor.resumption

    def _fail_of(self, end: End, *, is_permanent: bool) -> None:
        """End it with the error that a connection ended with."""
        error = end.error or NetworkError(notices.broken(end), api="v2")
        self._fail(_incomplete(self.name, error) if self.has_records else error, is_permanent)

    def _fail(self, error: RpcliError, is_permanent: bool = False) -> None:
        self.error = self.stats.error = error
        self.is_permanent = is_permanent
        self._end("silent" if self.never_answered else "failed")

    def _end(self, why: str) -> None:
        self.stats.ended = why
        self.reader.abort()


class _NeverAnswered(TimeoutExpired):
    """No answer came, not even headers."""


def never_answered(who: str, seconds: float) -> str:
    """Say that no answer came; the same silence has two causes."""
    return (
        f"{who}: no answer within {seconds:g} s: no line matches, or the log service is not"
        " answering"
    )


def _incomplete(name: str, error: RpcliError) -> RpcliError:
    """Give the error again, as one that some records came before."""
    return type(error)(
        f"{name}: the log is incomplete: {error.message}",
        hint=error.hint,
        status=error.status,
        id=error.id,
        api=error.api,
        code=error.error_code,
    )
