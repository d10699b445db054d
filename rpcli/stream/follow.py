"""Follow: read streams for as long as they last, each record once.

Rules: a record counts as written when the generator is resumed after it was given; only then the
cursor moves, and the file of ``--resume`` behind it. What a signal finds on the way is given before
the signal is raised again.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rpcli.clock import Clock
from rpcli.stream import notices
from rpcli.stream.discovery import Listed, ListingFailed
from rpcli.stream.fanin import FanIn, Pace
from rpcli.stream.hub import Hub
from rpcli.stream.interrupt import Interrupt
from rpcli.stream.lane import Lane
from rpcli.stream.means import Means
from rpcli.stream.ports import Opener, StreamPlan, StreamStats
from rpcli.stream.reader import Ended, Took
from rpcli.stream.records import Record, RecordBatch
from rpcli.stream.resumefile import ResumeFile
from rpcli.stream.verdict import Verdict


def follow(
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
    """Give the records of streams as they come, for as long as any stream lasts.

    :param note: told what people want to know, in one line
    :param summary: gets an entry for each stream
    :param jitter: gives numbers from 0 to 1
    :param hub_watch: is given the hub, and may end it all by an
        :class:`~rpcli.stream.interrupt.Interrupt`
    :raises Conflict: there are no streams
    :raises FileError: the file of ``--resume`` cannot be used
    :raises RpcliError: every stream failed; the first error
    """
    hub: Hub[Any] = Hub()
    if hub_watch is not None:
        hub_watch(hub)
    pace = pace or Pace()
    resume = None if plan.resume is None else ResumeFile(plan.resume, clock.now())
    means = Means(opener, clock, note, jitter)
    fan = FanIn(plan, means, hub, summary, resume=resume, pace=pace)
    run = _Follow(plan, means, hub, fan, resume, pace)
    why = "interrupted"
    try:
        yield from run.records()
        why = "until" if run.is_late else "closed"
    finally:
        fan.close(why)
        hub.close()


class _Follow:
    """One follow, under way."""

    def __init__(
        self,
        plan: StreamPlan,
        means: Means,
        hub: Hub[Any],
        fan: FanIn,
        resume: ResumeFile | None,
        pace: Pace,
    ) -> None:
        self._subject = plan.subject
        self._hub = hub
        self._fan = fan
        self._resume = resume
        self._clock = clock = means.clock
        self._note = means.note
        self._first_line = clock.monotonic() + pace.first_line
        self._end = math.inf
        if plan.until is not None:
            left = max((plan.until - clock.now()).total_seconds(), 0.0)
            self._end = clock.monotonic() + left + pace.grace
        #: Whether the time of ``--until`` has come.
        self.is_late = False
        # What a signal may interrupt: whether the message that is next in the hub was taken, and
        # records that were not given yet.
        self._is_taken = False
        self._left: tuple[Lane, Sequence[Record]] | None = None

    def records(self) -> Iterator[RecordBatch]:
        """Give what comes, until nothing is left that could."""
        try:
            self._fan.begin()
            while not self._fan.is_over():
                now = self._clock.monotonic()
                self.is_late = now >= self._end
                if self.is_late:
                    yield from self._release_all()
                    return
                yield from self._expire(now)
                message = self._hub.get(max(self._due() - now, 0.0))
                if message is not None:
                    yield from self._deal_with(message)
                    self._hub.done()
                    self._is_taken = False
        except (Exception, GeneratorExit):
            raise
        except BaseException:
            # A signal. What has arrived belongs to the user; nothing more is read.
            self._fan.abort()
            self._hub.close()
            yield from self._rest()
            raise

    def _due(self) -> float:
        held = min((lane.due for lane in self._fan.lanes), default=math.inf)
        due = min(held, self._first_line, self._end)
        # A wait for ever could not be measured.
        return min(due, self._clock.monotonic() + 3600)

    def _expire(self, now: float) -> Iterator[RecordBatch]:
        """Do what was due."""
        if now >= self._first_line:
            self._first_line = math.inf
            self._note(notices.first_line_awaited(self._subject))
        for lane in list(self._fan.lanes):
            if now >= lane.due:
                yield from self._give(lane, lane.release())

    def _deal_with(self, message: object) -> Iterator[RecordBatch]:
        if isinstance(message, Took):
            lane = self._fan.lane(message.reader)
            if message.records:
                self._first_line = math.inf
                lane.stats.cut_lines += message.cut_lines
                records = lane.took(message.records, self._clock.monotonic())
                self._is_taken = True
                yield from self._give(lane, records)
            for signal in message.signals:
                lane.signalled(signal)
        elif isinstance(message, Ended):
            lane = self._fan.lane(message.reader)
            verdict = lane.judge(message.end)
            if lane.is_leaving or verdict in (Verdict.OVER, Verdict.FAILED):
                yield from self._give(lane, lane.release())
            self._fan.connection_ended(lane, message.end, verdict)
        elif isinstance(message, Interrupt):
            raise message.exception
        elif isinstance(message, Listed | ListingFailed):
            self._fan.listed(message)

    def _give(self, lane: Lane, records: Sequence[Record]) -> Iterator[RecordBatch]:
        """Give records, and move on when they were written."""
        # With a file each record is written, and then its cursor: at most one comes again.
        size = len(records) if self._resume is None else 1
        while records:
            some, records = records[:size], records[size:]
            batch = RecordBatch(some, lane.target.worker)
            # Set before: a signal that comes while it is written is raised behind the yield.
            self._left = (lane, records)
            yield batch
            lane.wrote(some)
            if self._resume is not None:
                self._resume.wrote(lane.target, lane.written)
        self._left = None

    def _release_all(self) -> Iterator[RecordBatch]:
        for lane in list(self._fan.lanes):
            yield from self._give(lane, lane.release())

    def _rest(self) -> Iterator[RecordBatch]:
        """Give the records that have arrived."""
        if self._left is not None:
            yield from self._give(*self._left)
        if self._is_taken:
            self._hub.done()
        while (message := self._hub.get(0)) is not None:
            if isinstance(message, Took) and message.records:
                lane = self._fan.lane(message.reader)
                yield from self._give(lane, lane.took(message.records, self._clock.monotonic()))
            self._hub.done()
        yield from self._release_all()
