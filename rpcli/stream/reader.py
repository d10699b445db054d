"""The thread of one stream: it waits, connects, and hands over what comes.

Rules: it decides nothing: it connects once for each order, tells how the connection ended, and
waits for the next order. Since all it posts is taken in its order, an end that has been taken means
that everything before it was dealt with. It sends nothing once it was aborted.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping, Sequence
from queue import SimpleQueue
from typing import Any, NamedTuple

from rpcli.errors import RpcliError
from rpcli.stream.cursor import Overlap
from rpcli.stream.decoder import FRAME_CAP, Decoded, Decoder, Signal
from rpcli.stream.hub import Hub, HubClosed
from rpcli.stream.interrupt import Interrupt
from rpcli.stream.ports import Connection, Opener, StreamTarget
from rpcli.stream.pump import pump
from rpcli.stream.records import Record
from rpcli.stream.verdict import End, How


class Order(NamedTuple):
    """How to connect.

    :param overlap: what the connection may repeat, and is dropped
    :param delay: seconds to wait before
    :param is_paced: whether the rate limit has been asked; otherwise what it says comes on top
    """

    query: Mapping[str, str]
    last_event_id: str | None = None
    overlap: Overlap | None = None
    delay: float = 0.0
    is_paced: bool = False


class Answered(NamedTuple):
    """The server has answered, though not yet with records."""

    reader: Reader


class Took(NamedTuple):
    """Something came."""

    reader: Reader
    records: Sequence[Record]
    signals: Sequence[Signal]
    has_cut: bool = False

    @property
    def cut_lines(self) -> int:
        """How many of the records were too long."""
        return sum(record.is_truncated for record in self.records) if self.has_cut else 0


class Ended(NamedTuple):
    """A connection has ended; nothing more comes of it."""

    reader: Reader
    end: End


class Reader:
    """Reads one stream, in a thread of its own; call all of it from the main thread.

    :param hub: takes :class:`Answered`, :class:`Took` and :class:`Ended`, and an
        :class:`~rpcli.stream.interrupt.Interrupt` where there is a bug
    """

    def __init__(self, target: StreamTarget, opener: Opener, hub: Hub[Any]) -> None:
        self._target = target
        self._opener = opener
        self._hub = hub
        self._orders: SimpleQueue[Order | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._connection: Connection | None = None
        # Of the connection: what it may repeat, and the bytes that came since the last record.
        self._overlap: Overlap | None = None
        self._size = 0
        self._thread = threading.Thread(target=self._run, name=f"rpcli-{target.name}", daemon=True)

    def start(self, order: Order) -> None:
        """Connect for the first time."""
        self._orders.put(order)
        self._thread.start()

    def connect(self, order: Order) -> None:
        """Connect again, once the last connection has ended."""
        self._orders.put(order)

    def abort(self) -> None:
        """End it at once, whatever it is waiting for; never fails."""
        with self._lock:
            self._stop.set()
            connection = self._connection
        self._orders.put(None)
        if connection is not None:
            connection.abort()

    def _run(self) -> None:
        try:
            while (order := self._orders.get()) is not None:
                self._hub.post(Ended(self, self._obey(order)))
        except HubClosed:
            pass
        except BaseException as error:  # noqa: BLE001 - a bug; raised in the main thread
            _post(self._hub, Interrupt(error))

    def _obey(self, order: Order) -> End:
        aborted = End(How.ABORTED, opened=False)
        pause = 0.0 if order.is_paced else self._opener.pause()
        if self._stop.wait(max(order.delay, pause)):
            return aborted
        self._overlap, self._size = order.overlap, 0
        try:
            connection = self._opener.stream(
                *self._target.segments, query=order.query, last_event_id=order.last_event_id
            )
        except RpcliError as error:
            return End(How.FAILED, opened=False, error=error)
        with self._lock:
            if self._stop.is_set():
                return aborted
            self._connection = connection
        return pump(connection, Decoder(order.last_event_id or ""), self._opened, self._took)

    def _opened(self) -> None:
        self._hub.post(Answered(self))

    def _took(self, decoded: Decoded, size: int) -> None:
        # A record counts with all the bytes that it took, as far as a decoder keeps them.
        self._size = min(self._size + size, FRAME_CAP)
        records: Sequence[Record] = decoded.records
        if records and self._overlap is not None:
            records = self._overlap.drop(records)
        if records or decoded.signals:
            self._hub.post(Took(self, records, decoded.signals, decoded.has_cut), self._size)
            self._size = 0


def _post(hub: Hub[Any], message: object) -> None:
    with contextlib.suppress(HubClosed):
        hub.post(message)
