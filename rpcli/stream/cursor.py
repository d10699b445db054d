"""Where a stream stands: what was written, how to ask for the rest, and what to drop of it. Pure.

Rules: an id that is more than the time of its record is resumed from as it stands. An id that
several records share is not, since the rest of them would be lost: the stream is resumed from the
id before it, or, where there is none, from the time; what of it was written is dropped by count.
The same holds for a record that is older than the one before it, as lines with whole seconds are:
it is resumed from an id whose time comes before that of the record, or from its time.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rpcli.stream.fields import Fields
from rpcli.stream.merge import Instant, instant
from rpcli.stream.overlap import Group, Overlap
from rpcli.stream.records import Record

__all__ = ["WINDOW", "Cursor", "Overlap", "Resumption"]

#: Records that are remembered, to know them again from a server that ignores the cursor.
WINDOW = 10_000
# What a header can hold, and brings there as it is; any other id counts as none.
_HEADER = re.compile(r"(?! )[^\x00-\x1f\x7f]{1,4096}(?<! )")
#: Records whose counts are kept although their id has passed, as long as lines come late.
MOST_LATE = 1_000
#: Records at the end of a batch that are looked at one by one, whatever stands before them.
_LAST = 4
# RFC 3339, with so many digits of a second as anybody has.
_SENDABLE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,18})?"
    r"(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)


class Resumption(NamedTuple):
    """How to ask for what comes after the cursor.

    :param last_event_id: for the header; None where there is none to send
    :param since: for the query, where there is no id to resume from; None beside an id
    """

    last_event_id: str | None
    since: str | None


class Cursor:
    """Where one stream stands."""

    def __init__(self) -> None:
        self._written: deque[int] = deque(maxlen=WINDOW)
        self._started = False
        self._id = ""  # of the last record, where it can be sent
        self._alone = False  # whether that is more than a time, and of no other record
        self._ts: str | None = None  # the last time that can be sent
        self._at: Instant | None = None  # the time of the last record that has one
        self._newest: Instant | None = None
        # What was written since a place that can be asked for; where the place is; its time.
        self._group = Group(Counter(), 0, "", None)
        self._before: Resumption | None = None
        self._before_at: Instant | None = None

    @property
    def resumption(self) -> Resumption | None:
        """How to ask for the rest; None where nothing was written yet."""
        if not self._started:
            return None
        if self._before is not None and not self._alone:
            return self._before
        return Resumption(self._id or None, None if self._id else self._ts)

    @property
    def resumption_without_id(self) -> Resumption | None:
        """The same by time alone, where the server refused the id; None where no time is known."""
        since = self._before.since if self._before is not None else None
        since = since or self._ts
        return None if since is None else Resumption(None, since)

    def wrote(self, records: Sequence[Record]) -> None:
        """Move on: these have reached the sink, in this order."""
        if not records:
            return
        self._written.extend(map(hash, records))
        # What comes before the last few, and before what shares its id with them, decides nothing.
        start = max(len(records) - _LAST, 0)
        while start and _share(records[start - 1], records[start]):
            start -= 1
        if start:
            self._jump(records[start - 1])
        for record in records[start:]:
            self._step(record)

    def overlap(self) -> Overlap:
        """Give what a connection that is opened now may repeat."""
        return Overlap(self._written, self._group.copy(), self._newest)

    def to_document(self) -> dict[str, Any]:
        """Give what a later run needs to go on from here, as JSON."""
        before = self._before or Resumption(None, None)
        return {
            "started": self._started,
            "id": self._id,
            "alone": self._alone,
            "ts": self._ts,
            "at": self._at,
            "newest": self._newest,
            "before": {"id": before.last_event_id, "since": before.since, "at": self._before_at},
            "group": self._group.to_document(),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Cursor:
        """Take up where an earlier run stood.

        :raises ValueError: the document is none of ours
        """
        fields = Fields(document)
        before = Fields(fields.mapping("before"))
        cursor = cls()
        cursor._started = fields.flag("started")
        cursor._id = fields.text("id")
        cursor._alone = fields.flag("alone")
        cursor._ts = fields.optional_text("ts")
        cursor._at = fields.instant("at")
        cursor._newest = fields.instant("newest")
        asked = Resumption(before.optional_text("id"), before.optional_text("since"))
        cursor._before = None if asked == (None, None) else asked
        cursor._before_at = before.instant("at")
        cursor._group = Group.from_document(fields.mapping("group"))
        return cursor

    def _jump(self, record: Record) -> None:
        """Stand behind a record whose id has passed, whatever came before it."""
        self._started = True
        self._id = _sendable_id(record)
        at = instant(record.ts)
        self._see_time(record, at)
        since = None if self._id or not _is_sendable(record.ts) else record.ts
        self._before = Resumption(self._id or None, since) if self._id or since else None
        self._before_at = at
        self._group.clear()

    def _step(self, record: Record) -> None:
        """Take one record in."""
        id = _sendable_id(record)
        at = instant(record.ts)
        if not self._started or not self._is_more_of_it(id, at):
            self._begin(id, record, at)
            self._alone = bool(id) and id not in (self._id, record.ts)
        else:
            self._alone = False
        self._group.add(record)
        self._started = True
        self._id = id
        self._see_time(record, at)

    def _is_more_of_it(self, id: str, at: Instant | None) -> bool:
        """Whether a record belongs to the same group as the last, and comes again with it."""
        if id != self._id:
            return False
        if at is None or at == self._at:
            return True
        # One id on lines of different times: it goes on for as long as it can be asked for by id.
        by_id = self._before is not None and self._before.last_event_id is not None
        return by_id and len(self._group.counts) < MOST_LATE

    def _begin(self, id: str, record: Record, at: Instant | None) -> None:
        """Begin a group, and settle how it can be asked for from its beginning."""
        since = record.ts if _is_sendable(record.ts) else None
        if since is not None and at is not None and self._is_late(id, record, at):
            if len(self._group.counts) < MOST_LATE:
                # Asked for what follows an id of later time, a server may skip it.
                if not self._reaches(at):
                    self._before, self._before_at = Resumption(None, since), at
                return
            self._newest = at
        if self._id and id != self._id:
            self._before, self._before_at = Resumption(self._id, None), self._at
        elif since is not None:
            self._before, self._before_at = Resumption(None, since), at
        elif len(self._group.counts) < MOST_LATE:
            return
        self._group.clear()

    def _is_late(self, id: str, record: Record, at: Instant) -> bool:
        """Whether lines of its time, or later ones, were written before the last record."""
        if (id and id != record.ts) or self._newest is None:
            return False
        return at <= self._newest or self._at != self._newest

    def _reaches(self, at: Instant) -> bool:
        """Whether what is asked for begins early enough for a record of a time."""
        if self._before is None or self._before_at is None:
            return False
        if self._before.last_event_id is None:
            return self._before_at <= at
        return self._before_at < at

    def _see_time(self, record: Record, at: Instant | None) -> None:
        if at is None:
            return
        self._at = at
        self._newest = at if self._newest is None else max(self._newest, at)
        if _is_sendable(record.ts):
            self._ts = record.ts


def _is_sendable(ts: str | None) -> bool:
    return ts is not None and _SENDABLE.fullmatch(ts) is not None


def _sendable_id(record: Record) -> str:
    return record.id if _HEADER.fullmatch(record.id) else ""


def _share(one: Record, other: Record) -> bool:
    """Whether two records are of one group, for certain or perhaps."""
    return one.id == other.id and bool(one.id or one.ts == other.ts or not other.ts)
