"""Snapshot: read what streams replay, and end, as they never do.

Rules: one stream is given as it comes; several are read at the same time, held, and merged when all
are over. What one of several comes to is no matter of the others, unless lines of it were shown
that are not all. What a signal finds on the way is given before the signal is raised again.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rpcli.clock import Clock
from rpcli.errors import RpcliError
from rpcli.stream import notices
from rpcli.stream.backoff import Backoff
from rpcli.stream.hub import Hub
from rpcli.stream.interrupt import Interrupt
from rpcli.stream.means import Means
from rpcli.stream.merge import merge
from rpcli.stream.ports import Opener, StreamPlan, StreamStats, StreamTarget
from rpcli.stream.reader import Answered, Ended, Reader, Took
from rpcli.stream.records import Record, RecordBatch
from rpcli.stream.replay import Asking, Pace, Replay
from rpcli.stream.request import query_of
from rpcli.stream.spool import Spool, Spools
from rpcli.stream.tailwindow import TailWindow


def snapshot(
    plan: StreamPlan,
    opener: Opener,
    *,
    clock: Clock,
    note: Callable[[str], None],
    summary: list[StreamStats],
    jitter: Callable[[], float] = random.random,
    hub_watch: Callable[[Hub[Any]], None] | None = None,
    pace: Pace | None = None,
) -> Iterator[RecordBatch]:
    """Give the records that streams replay, and end.

    :param note: told what people want to know, in one line
    :param summary: gets an entry for each stream
    :param jitter: gives numbers from 0 to 1
    :param hub_watch: is given the hub, and may end it all by an
        :class:`~rpcli.stream.interrupt.Interrupt`
    :raises Conflict: there are no streams
    :raises TimeoutExpired: no stream ever answered
    :raises FileError: there is no room for what is to be merged
    :raises RpcliError: every stream failed: the first error; or one did behind lines that it gave
    """
    hub: Hub[Any] = Hub()
    if hub_watch is not None:
        hub_watch(hub)
    targets = plan.targets
    if targets is None and plan.discover is not None:
        targets = tuple(plan.discover())
    if not targets:
        raise notices.without_workers(plan.subject)
    means = Means(opener, clock, note, jitter)
    run = _Snapshot(plan, targets, means, hub, summary, pace or Pace())
    try:
        yield from run.records()
    finally:
        run.close()
    run.conclude()


class _Held:
    """A stream of a snapshot, and where its records wait."""

    def __init__(self, replay: Replay, window: TailWindow | None, spool: Spool | None) -> None:
        self.replay = replay
        self._window = window
        self._spool = spool

    def take(self, records: Sequence[Record], now: float) -> Sequence[Record]:
        """Take what came, and give what is to be given now."""
        if self._window is not None:
            records = self._window.take(records, now)
        return self._keep(records)

    def release(self) -> Sequence[Record]:
        """End it, and give what is to be given now."""
        return () if self._window is None else self._keep(self._window.release())

    def __iter__(self) -> Iterator[Record]:
        return iter(self._spool or ())

    def _keep(self, records: Sequence[Record]) -> Sequence[Record]:
        if self._spool is None:
            return records
        self._spool.append(records)
        return ()


class _Snapshot:
    """One snapshot, under way."""

    def __init__(
        self,
        plan: StreamPlan,
        targets: Sequence[StreamTarget],
        means: Means,
        hub: Hub[Any],
        summary: list[StreamStats],
        pace: Pace,
    ) -> None:
        self._plan = plan
        self._opener = means.opener
        self._jitter = means.jitter
        self._hub = hub
        self._clock = means.clock
        self._note = means.note
        self._summary = summary
        self._pace = pace
        self._waiting = deque(targets)
        self._is_single = len(targets) == 1
        self._spools = Spools()
        self._all: list[_Held] = []
        self._live: dict[Reader, _Held] = {}
        self._next_start: float | None = None
        self._first_line = means.clock.monotonic() + pace.first_line
        # Whether the message that is next in the hub was given: a signal may interrupt that.
        self._is_given = False

    def records(self) -> Iterator[RecordBatch]:
        """Give what comes, until all is over."""
        try:
            while self._waiting or self._live:
                self._start_some()
                message = self._hub.get(max(self._due() - self._clock.monotonic(), 0.0))
                if message is None:
                    yield from self._expire()
                    continue
                yield from self._deal_with(message)
                self._hub.done()
                self._is_given = False
        except (Exception, GeneratorExit):
            raise
        except BaseException:
            # A signal. What has arrived belongs to the user; nothing more is read.
            yield from self._rest()
            raise
        yield from self._merged()

    def close(self) -> None:
        """End whatever is under way."""
        for held in self._all:
            held.replay.interrupt()
        self._hub.close()
        self._spools.close()

    def conclude(self) -> None:
        """Say what it all came to.

        :raises RpcliError: it failed
        """
        replays = [held.replay for held in self._all]
        failed = [replay for replay in replays if replay.error is not None]
        for replay in replays:
            if replay.stats.ended == "max_wait":
                self._note(notices.cut_by_max_wait(replay.name, self._plan.max_wait))
        silent = [r for r in replays if r.stats.ended == "silent" and r.error is None]
        if silent and self._is_single:
            self._note(notices.nothing_to_show(silent[0].name))
        elif silent:
            self._note(notices.none_has_lines(len(replays), len(silent)))
        if failed:
            self._fail(failed, is_all=len(failed) == len(replays))

    def _fail(self, failed: Sequence[Replay], *, is_all: bool) -> None:
        errors = [replay.error for replay in failed if replay.error is not None]
        if is_all:
            permanent = [replay.error for replay in failed if replay.is_permanent]
            raise next((error for error in permanent if error is not None), errors[0])
        incomplete: RpcliError | None = None
        for replay, error in zip(failed, errors, strict=True):
            self._note(f"{replay.name}: {notices.failed(error)}")
            if replay.has_records:
                incomplete = incomplete or error
        if incomplete is not None:
            raise incomplete

    def _start_some(self) -> None:
        """Begin streams as long as there are places and the rate limit allows it."""
        while self._waiting and len(self._live) < self._plan.max_streams:
            now = self._clock.monotonic()
            if self._next_start is None:
                self._next_start = now + self._opener.pause()
            if now < self._next_start:
                return
            self._next_start = None
            held = self._make(self._waiting.popleft())
            self._all.append(held)
            self._live[held.replay.reader] = held
            self._summary.append(held.replay.stats)
            held.replay.start(now)

    def _make(self, target: StreamTarget) -> _Held:
        plan = self._plan
        asking = Asking(
            query=lambda resumption: query_of(plan, resumption),
            max_wait=plan.max_wait,
            may_be_silent=plan.tail == 0,
            pause=self._opener.pause,
        )
        replay = Replay(
            target,
            Reader(target, self._opener, self._hub),
            asking,
            pace=self._pace,
            backoff=Backoff(self._jitter),
            note=self._note,
        )
        window = None
        if plan.tail is not None and plan.since is not None:
            window = TailWindow(plan.tail, gap=math.inf)
        return _Held(replay, window, None if self._is_single else self._spools.make())

    def _due(self) -> float:
        due = min((held.replay.due for held in self._live.values()), default=math.inf)
        if self._next_start is not None and len(self._live) < self._plan.max_streams:
            due = min(due, self._next_start)
        # A wait for ever could not be measured.
        return min(due, self._first_line, self._clock.monotonic() + 3600)

    def _expire(self) -> Iterator[RecordBatch]:
        """Do what was due; nothing is under way."""
        now = self._clock.monotonic()
        if now >= self._first_line:
            self._first_line = math.inf
            self._note(notices.first_line_awaited(self._plan.subject))
        for held in list(self._live.values()):
            held.replay.expire(now)
            yield from self._end_if_over(held)

    def _deal_with(self, message: Any) -> Iterator[RecordBatch]:
        if isinstance(message, Interrupt):
            raise message.exception
        held = self._live.get(message.reader)
        if held is None:
            # What comes of a stream that is over is not waited for, and not shown either.
            return
        replay, now = held.replay, self._clock.monotonic()
        if isinstance(message, Answered):
            replay.answered(now)
        elif isinstance(message, Ended):
            replay.connection_ended(message.end, now)
        else:
            yield from self._take(held, message, now)
        yield from self._end_if_over(held)

    def _take(self, held: _Held, message: Took, now: float) -> Iterator[RecordBatch]:
        replay, records = held.replay, message.records
        if records:
            self._first_line = math.inf
            replay.stats.lines += len(records)
            replay.stats.cut_lines += message.cut_lines
        shown = held.take(records, now)
        self._is_given = True
        if shown:
            yield RecordBatch(shown, replay.target.worker)
        replay.took(records, message.signals)
        replay.dealt_with(records, now, self._clock.monotonic())

    def _end_if_over(self, held: _Held) -> Iterator[RecordBatch]:
        if not held.replay.is_over:
            return
        self._live.pop(held.replay.reader, None)
        shown = held.release()
        if shown:
            yield RecordBatch(shown, held.replay.target.worker)

    def _rest(self) -> Iterator[RecordBatch]:
        """Give the records that have arrived."""
        for held in self._all:
            held.replay.interrupt()
        self._hub.close()
        if self._is_given:
            self._hub.done()
        while (message := self._hub.get(0)) is not None:
            if isinstance(message, Took) and message.reader in self._live:
                now = self._clock.monotonic()
                yield from self._take(self._live[message.reader], message, now)
            self._hub.done()
        for held in list(self._live.values()):
            yield from self._end_if_over(held)
        yield from self._merged()

    def _merged(self) -> Iterator[RecordBatch]:
        if not self._is_single:
            yield from merge([(held.replay.target.worker, held) for held in self._all])
