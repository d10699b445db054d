"""The lines of one pod or worker: those that there are, those that are still to come, who waits.

Rules: a line comes when its time has come on the clock of the sandbox, and is made when somebody
looks; lines that are not there yet are held as iterators, so that any number of them costs nothing;
of those that are there the newest :data:`KEPT` are kept, at least. A log has a lock of its own, for
streams look at it without the state.
"""

from __future__ import annotations

import heapq
import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import count, islice
from typing import NamedTuple

from rpcli.sandbox.bell import Bell
from rpcli.sandbox.logline import Entry, Voice
from rpcli.sandbox.stamp import SECOND

KEPT = 250_000
#: A time before any line.
EVER = -(1 << 63)


class Due(NamedTuple):
    """A line that is still to come.

    :param at: when it comes, nanoseconds since 1970
    """

    at: int
    entry: Entry


Feed = Iterator[Due]
Placed = tuple[int, Entry]


class Asked(NamedTuple):
    """What of a log is asked for.

    :param source: lines of this source alone; None: of all
    :param tail: so many of the lines that are there, the newest of each source; None: all of them
    :param earliest: of the lines that are there, those that are not older than this time
    :param place: of the lines that are there, those from this place on
    :param withheld: never lines of this source
    """

    source: str | None = None
    tail: int | None = None
    earliest: int = EVER
    place: int = 0
    withheld: str | None = None


class Log:
    """The log of one pod or worker. A place is the number of a line in it, from 0 on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._first = 0  # the place of the first that is kept
        self._sorted = True
        self._feeds: list[tuple[int, int, Entry, Feed]] = []
        self._floods: list[tuple[Voice, Iterator[int]]] = []
        self._order = count()
        self._bells: set[Bell] = set()
        self._last = 0  # the time of the last line that came live
        self._ends: int | None = None

    def feed(self, feed: Feed) -> None:
        """Let the lines of an iterator come, each at its time; they must be in its order."""
        with self._lock:
            self._push(feed)
            self._ring()

    def flood(self, voice: Voice, lines: int | None) -> None:
        """Let lines come as fast as they are read, so many or without an end."""
        with self._lock:
            numbers = iter(count(1) if lines is None else range(1, lines + 1))
            self._floods.append((voice, numbers))
            self._ring()

    def add(self, voice: Voice, now: int, time: int | None = None) -> None:
        """Add a line now.

        :param time: what it says of its time; now where None
        """
        with self._lock:
            self._catch_up(now)
            if time is None:
                time = self._stamp(voice, now)
            self._entries.append(Entry(time, voice, self._first + len(self._entries) + 1))
            self._note_order(len(self._entries) - 1)
            self._ring()

    def halt(self, when: int) -> None:
        """Let nothing more come after a time: what spoke has stopped."""
        with self._lock:
            self._catch_up(when)
            self._feeds.clear()
            self._floods.clear()

    def end(self, when: int | None) -> None:
        """End every stream of it at a time, or at none."""
        with self._lock:
            self._ends = when
            self._ring()

    def open(self, asked: Asked, bell: Bell, now: int) -> Reader:
        """Begin to read; the bell rings when there is more, until it is closed."""
        with self._lock:
            self._catch_up(now)
            self._bells.add(bell)
            place, starts = self._starts(asked)
            return Reader(self, asked, place, starts, self._first + len(self._entries))

    # -- what a reader needs

    def close(self, bell: Bell) -> None:
        """Ring a bell no more."""
        with self._lock:
            self._bells.discard(bell)

    def read(self, place: int, limit: int, source: str | None, now: int) -> list[Placed]:
        """Give the lines from a place on, those of other sources too; empty: there are no more.

        :param source: what somebody waits for; None: anything
        """
        with self._lock:
            self._catch_up(now)
            if place >= self._first + len(self._entries):
                self._pour(limit, source, now)
            at = max(place - self._first, 0)
            return list(enumerate(self._entries[at : at + limit], self._first + at))

    def is_over(self, place: int, now: int) -> bool:
        """Whether nothing will ever come at a place."""
        with self._lock:
            ended = self._ends is not None and self._ends <= now
            return ended and place >= self._first + len(self._entries)

    def next_time(self) -> int | None:
        """Give the time at which something will happen by itself."""
        with self._lock:
            times = [self._feeds[0][0]] if self._feeds else []
            if self._ends is not None:
                times.append(self._ends)
            return min(times, default=None)

    # -- with the lock held

    def _push(self, feed: Feed) -> None:
        first = next(feed, None)
        if first is not None:
            heapq.heappush(self._feeds, (first.at, next(self._order), first.entry, feed))

    def _catch_up(self, now: int) -> None:
        """Take in all lines whose time has come."""
        feeds, entries = self._feeds, self._entries
        if self._ends is not None:
            now = min(now, self._ends)
        before = len(entries)
        while feeds and feeds[0][0] <= now:
            _, order, entry, feed = feeds[0]
            entries.append(entry)
            following = next(feed, None)
            if following is None:
                heapq.heappop(feeds)
            else:
                heapq.heapreplace(feeds, (following.at, order, following.entry, feed))
            if len(entries) >= 2 * KEPT:
                self._forget()
                before = 0
        if before < len(entries):
            self._last = max(self._last, entries[-1].time)
            self._note_order(before)

    def _note_order(self, at: int) -> None:
        """See whether lines from a place of the list on are younger than what stands before."""
        if at > 0 and self._entries[at].time < self._entries[at - 1].time:
            self._sorted = False

    def _forget(self) -> None:
        surplus = len(self._entries) - KEPT
        del self._entries[:surplus]
        self._first += surplus

    def _pour(self, lines: int, source: str | None, now: int) -> None:
        """Let the next lines of a flood come, of those that somebody waits for."""
        if self._ends is not None and self._ends <= now:
            return
        for flood in [f for f in self._floods if source in (None, f[0].source)]:
            voice, numbers = flood
            before = len(self._entries)
            poured = [Entry(self._stamp(voice, now), voice, n) for n in islice(numbers, lines)]
            self._entries += poured
            if poured:
                self._note_order(before)
            else:
                self._floods.remove(flood)
        if len(self._entries) >= 2 * KEPT:
            self._forget()

    def _stamp(self, voice: Voice, now: int) -> int:
        """Give a live line its time: never that of another of ``container``."""
        if voice.whole:
            return now - now % SECOND
        self._last = max(now, self._last + 1)
        return self._last

    def _ring(self) -> None:
        for bell in self._bells:
            bell.ring()

    def _starts(self, asked: Asked) -> tuple[int, Mapping[str, int]]:
        """Give the place of the first line that is asked for, and where each source begins."""
        at = max(asked.place - self._first, 0)
        if self._sorted:
            at = max(at, bisect_left(self._entries, asked.earliest, key=lambda entry: entry.time))
        starts: dict[str, int] = {}
        if asked.tail is not None:
            at = max(at, self._tail_start(asked.tail, asked.source, starts))
        return self._first + at, {key: self._first + place for key, place in starts.items()}

    def _tail_start(self, tail: int, source: str | None, starts: dict[str, int]) -> int:
        """Walk back until there is enough of each source."""
        counted: dict[str, int] = {}
        for at in range(len(self._entries) - 1, -1, -1):
            spoken = self._entries[at].voice.source
            seen = counted.get(spoken, 0)
            if source in (None, spoken):
                if seen < tail:
                    counted[spoken] = seen + 1
                    starts[spoken] = at
                elif source is not None or not tail:
                    break
        return min(starts.values(), default=len(self._entries))


class Reader:
    """Reads a log from where somebody asked for it; whoever opened it closes the bell.

    :param place: of the first line to look at
    :param starts: where each source begins, among the lines that were there
    :param live: the place of the first line that was not there yet
    """

    def __init__(
        self, log: Log, asked: Asked, place: int, starts: Mapping[str, int], live: int
    ) -> None:
        self.log = log
        self._asked = asked
        self._place = place
        self._starts = starts
        self._live = live

    def read(self, limit: int, now: int) -> list[Placed]:
        """Give the next lines, each with its place; empty: there are none for now."""
        while True:
            placed = self.log.read(self._place, limit, self._asked.source, now)
            if not placed:
                return []
            self._place = placed[-1][0] + 1
            found = self._wanted(placed)
            if found:
                return found

    def is_over(self, now: int) -> bool:
        """Whether nothing will ever come."""
        return self.log.is_over(self._place, now)

    def _wanted(self, placed: list[Placed]) -> list[Placed]:
        source, _, earliest, _, withheld = self._asked
        if source is not None:
            placed = [one for one in placed if one[1].voice.source == source]
        if withheld is not None:
            placed = [one for one in placed if one[1].voice.source != withheld]
        if placed and placed[0][0] < self._live:
            return [one for one in placed if one[0] >= self._live or self._is_asked(*one, earliest)]
        return placed

    def _is_asked(self, place: int, entry: Entry, earliest: int) -> bool:
        return entry.time >= earliest and place >= self._starts.get(entry.voice.source, 0)
