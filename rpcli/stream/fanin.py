"""All streams of one follow, as the main thread sees them: which are read, and when it is over.

Rules: what one stream comes to is no matter of the others; that none is left is. Where streams are
listed again and again, there may be new ones, and so only a listing that is refused can end it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from typing import Any, NamedTuple

from rpcli.errors import RpcliError
from rpcli.stream import notices
from rpcli.stream.cursor import Cursor, Resumption
from rpcli.stream.discovery import INTERVAL, Discovery, Listed, ListingFailed
from rpcli.stream.fleet import REST, Fleet
from rpcli.stream.hub import Hub
from rpcli.stream.lane import Lane
from rpcli.stream.means import Means
from rpcli.stream.ports import StreamPlan, StreamStats, StreamTarget
from rpcli.stream.reader import Reader
from rpcli.stream.request import Query, query_of
from rpcli.stream.resumefile import ResumeFile, key_of
from rpcli.stream.tailwindow import TailWindow
from rpcli.stream.tally import Tally
from rpcli.stream.verdict import End, How, Verdict

#: Streams that ended, and where they stood, in case they come back.
REMEMBERED = 1000
#: Answers for what may be there again.
_GONE = frozenset((404, 410))


class Pace(NamedTuple):
    """Seconds that following takes its time for.

    :param listing: from one listing to the next
    :param first_line: until it is told that nothing has come yet
    :param rest: before a stream that ended and is still listed is begun again, at first
    :param idle: of silence, after which a stream that is not listed any more gives way to another
    :param grace: for lines that are under way at the time of ``--until``
    """

    listing: float = INTERVAL
    first_line: float = 3.0
    rest: float = REST
    idle: float = 60.0
    grace: float = 1.0


class FanIn:
    """The streams of one follow.

    :param hub: what their readers post to
    :param resume: where the streams stood at the end of an earlier run
    """

    def __init__(
        self,
        plan: StreamPlan,
        means: Means,
        hub: Hub[Any],
        summary: list[StreamStats],
        *,
        resume: ResumeFile | None,
        pace: Pace,
    ) -> None:
        self._plan = plan
        self._means = means
        self._hub = hub
        self._clock = means.clock
        self._note = means.note
        self._resume = resume
        self._pace = pace
        self._begin = means.clock.now() if resume is None else resume.begin
        self._fleet = Fleet(plan.max_streams, rest=pace.rest)
        self._tally = Tally(summary)
        self._lanes: dict[Reader, Lane] = {}
        self._first: frozenset[StreamTarget] = frozenset()
        self._places: OrderedDict[StreamTarget, dict[str, Any]] = OrderedDict()
        self._discovery: Discovery | None = None
        self._first_error: RpcliError | None = None
        self._listing_error: RpcliError | None = None
        self._ended_well = False
        self._told_held_back = False
        self._told_waiting = False
        self._told_unlisted = False

    def begin(self) -> None:
        """Find the streams, and connect to as many as there are places.

        :raises Conflict: there are none
        :raises RpcliError: they cannot be listed
        """
        plan, discover = self._plan, self._plan.discover
        targets = plan.targets
        if targets is None and discover is not None:
            targets = tuple(discover())
        if not targets:
            raise notices.without_workers(plan.subject)
        if self._resume is None or not self._resume.is_old or plan.targets is not None:
            self._first = frozenset(targets)
        if self._resume is not None and not self._resume.is_old:
            self._resume.first(targets)
        self._fleet.listed(targets, self._clock.monotonic())
        self._attach()
        if plan.targets is None and discover is not None:
            self._discovery = Discovery(discover, self._seconds_to_listing, self._hub)
            self._discovery.start()

    @property
    def lanes(self) -> Collection[Lane]:
        """The streams that live."""
        return self._lanes.values()

    def lane(self, reader: Reader) -> Lane:
        """Give the stream of a reader; each ends with the end of its last connection."""
        return self._lanes[reader]

    def is_over(self) -> bool:
        """Whether no stream is left, nor will be.

        :raises RpcliError: none is left, and none has ended in good order; or no others can be
            looked for
        """
        if self._lanes:
            return False
        if self._first_error is not None and not self._ended_well:
            raise self._first_error
        if self._discovery is not None:
            return False
        error = self._listing_error
        # What is not found any more has been deleted; that is the end of its streams, too.
        if error is not None and not (error.status == 404 and self._ended_well):
            raise error
        return True

    def connection_ended(self, lane: Lane, end: End, verdict: Verdict) -> None:
        """Let a stream go on, or end it."""
        if lane.is_leaving:
            self._finish(lane, "closed")
        elif verdict is Verdict.RETRY:
            lane.reconnect(end)
        elif verdict is Verdict.WITHOUT_CURSOR:
            lane.connect_without_cursor(end)
        elif verdict is Verdict.FAILED and end.error is not None:
            self._first_error = self._first_error or end.error
            if self._plan.targets is None or len(self._plan.targets) > 1:
                self._tell_end(lane, notices.failed(end.error))
            lane.stats.error = end.error
            self._finish(lane, "failed", for_good=end.error.status not in _GONE)
        elif end.how is How.ABORTED:
            self._finish(lane, "closed")
        else:
            self._ended_well = True
            self._tell_end(lane, notices.over(end))
            if end.how is How.NOTHING:
                self._finish(lane, "stopped", for_good=True)
            else:
                self._finish(lane, "gone")

    def listed(self, message: Listed | ListingFailed) -> None:
        """Take a listing, or why there is none."""
        if self._discovery is None:
            return
        if isinstance(message, Listed):
            self._told_unlisted = False
            self._fleet.listed(message.targets, self._clock.monotonic())
            self._attach()
            self._make_room()
        elif message.is_final:
            self._note(f"new workers are not looked for any more: {notices.failed(message.error)}")
            self._listing_error = message.error
            self._discovery.stop()
            self._discovery = None
            return
        elif not self._told_unlisted:
            self._told_unlisted = True
            self._note(f"the workers cannot be listed now: {notices.failed(message.error)}")
        self._discovery.proceed()

    def abort(self) -> None:
        """End all that is under way, at once; what has arrived can still be taken."""
        if self._discovery is not None:
            self._discovery.stop()
        for lane in self._lanes.values():
            lane.reader.abort()

    def close(self, ended: str) -> None:
        """End it; each stream that lives has ended for this reason."""
        self.abort()
        for lane in self._lanes.values():
            lane.stats.ended = ended

    def _attach(self) -> None:
        """Begin streams as long as there are places."""
        for target in self._fleet.admit():
            lane = self._make(target)
            self._lanes[lane.reader] = lane
            lane.start(self._clock.monotonic())
        waiting = len(self._fleet.waiting)
        if waiting and not self._told_held_back:
            self._told_held_back = True
            self._note(notices.held_back(len(self._lanes), waiting))

    def _make(self, target: StreamTarget) -> Lane:
        place = self._places.pop(target, None)
        cursor = None
        if place is not None:
            cursor = Cursor.from_document(place)
        elif self._resume is not None:
            cursor = self._resume.cursor(target)
        self._told_waiting = self._told_waiting and place is not None
        has_joined = target not in self._first
        has_begun = has_joined or (cursor is not None and cursor.resumption is not None)
        return Lane(
            target,
            self._tally.begin(target),
            self._means,
            self._hub,
            query=self._query(has_joined),
            cursor=cursor,
            had_streamed=place is not None,
            window=None if has_begun else self._window(),
        )

    def _query(self, has_joined: bool) -> Query:
        """Give what a stream asks for: one that joins has no history, but all its first lines."""
        plan, is_first = self._plan, True

        def query(resumption: Resumption | None) -> dict[str, str]:
            nonlocal is_first
            # What comes between a first try that had no answer and the next is new, too.
            is_late = plan.tail == 0 and plan.since is None and not is_first
            is_first = False
            return query_of(plan, resumption, self._begin if has_joined or is_late else None)

        return query

    def _window(self) -> TailWindow | None:
        if self._plan.tail is None or self._plan.since is None:
            return None
        return TailWindow(self._plan.tail, opened=self._clock.now())

    def _make_room(self) -> None:
        """Let streams that are not listed any more, and are silent, give way to those that wait."""
        wanted = len(self._fleet.waiting)
        before = self._clock.monotonic() - self._pace.idle
        unlisted = set(self._fleet.unlisted)
        silent = [x for x in self._lanes.values() if x.target in unlisted and x.heard_at <= before]
        for lane in silent[:wanted]:
            lane.leave()

    def _finish(self, lane: Lane, why: str, *, for_good: bool = False) -> None:
        """End a stream: its place is free, and it is remembered where it stood."""
        lane.stats.ended = why
        lane.reader.abort()
        self._tally.end(lane.stats)
        del self._lanes[lane.reader]
        if lane.written.resumption is not None:
            self._places[lane.target] = lane.written.to_document()
            if len(self._places) > REMEMBERED:
                self._places.popitem(last=False)
        self._fleet.ended(lane.target, self._clock.monotonic(), for_good=for_good)
        if self._resume is not None:
            live = {key_of(other.target) for other in self._lanes.values()}
            self._resume.ended(lane.target, live.__contains__)
        self._attach()
        if not self._lanes and self._discovery is not None and not self._told_waiting:
            self._told_waiting = True
            self._note(notices.waiting_for_workers(self._plan.subject))

    def _tell_end(self, lane: Lane, text: str) -> None:
        self._note(f"{lane.name}: {text}")

    def _seconds_to_listing(self) -> float:
        return max(self._pace.listing, self._means.opener.pause())
