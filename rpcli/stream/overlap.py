"""What a resumed connection sends again, and how to tell it from what is new. Pure.

Rules: a record is dropped as often as it was written, and no oftener: equal lines are no
duplicates. Where an id is no more than the time of its record, an equal record can also be a new
one; so nothing of a source is a repeat any more once it has sent something new that is later than
all that was written. Records without a time are repeats until a new one follows a repeat.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from rpcli.stream.fields import Fields
from rpcli.stream.merge import Instant, instant
from rpcli.stream.records import Record

K = TypeVar("K")

#: Records of a group that are told apart; of those beyond only the number is known.
MOST_KINDS = 1 << 15
#: New records in a row after which the group is not waited for any more.
PATIENCE = 10_000
#: Sources whose repeats are known to be over.
_MOST_SOURCES = 1_000


def digest(record: Record) -> bytes:
    """Give what stands for a record in any process; ``hash()`` differs between them."""
    text = f"{record.id}\n{record.body}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class Group:
    """How often each record was written since the place that a stream is resumed from.

    :param more: records beyond those that are told apart; they have the id (or, without one, the
        time) of the last
    """

    def __init__(self, counts: Counter[bytes], more: int, id: str, ts: str | None) -> None:
        self.counts = counts
        self.more = more
        self.id = id
        self.ts = ts

    def add(self, record: Record) -> None:
        """Count a record."""
        key = digest(record)
        if key in self.counts or len(self.counts) < MOST_KINDS:
            self.counts[key] += 1
        else:
            self.more += 1
        self.id, self.ts = record.id, record.ts

    def take(self, record: Record) -> bool:
        """Take a record out, and say whether it was there."""
        if _take(self.counts, digest(record)):
            return True
        if self.more and record.id == self.id and (record.id or record.ts == self.ts):
            self.more -= 1
            return True
        return False

    def clear(self) -> None:
        """Forget all."""
        self.counts.clear()
        self.more = 0

    def copy(self) -> Group:
        """Give another with the same in it."""
        return Group(Counter(self.counts), self.more, self.id, self.ts)

    def to_document(self) -> dict[str, Any]:
        """Give the same as JSON."""
        counts = {key.hex(): count for key, count in self.counts.items()}
        return {"counts": counts, "more": self.more, "id": self.id, "ts": self.ts}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Group:
        """Make one of what :meth:`to_document` gave.

        :raises ValueError: the document is none of ours
        """
        fields = Fields(document)
        counted = fields.mapping("counts")
        each = Fields(counted)
        counts = Counter({bytes.fromhex(key): each.count(key) for key in counted})
        return cls(counts, fields.count("more"), fields.text("id"), fields.optional_text("ts"))

    def __bool__(self) -> bool:
        return bool(self.counts or self.more)


class Overlap:
    """What a resumed connection may repeat: each record is dropped as often as it was written.

    :param written: the ``hash()`` of each record that is remembered
    :param group: what is known to be sent again; it is used up
    :param newest: the latest time of all that was written
    """

    def __init__(self, written: Iterable[int], group: Group, newest: Instant | None) -> None:
        self._written = Counter(written)
        self._group = group
        self._newest = newest
        self._over: set[int] = set()  # by the hash of the source; their repeats are behind us
        self._untimed_over = False
        self._repeated = False
        self._new_in_a_row = 0

    def drop(self, records: Sequence[Record]) -> Sequence[Record]:
        """Give those that are new."""
        if not self._written and not self._group:
            return records
        if not self._group and self._written.keys().isdisjoint(map(hash, records)):
            # By far the most. One of each source, the last, says as much as all of them.
            for record in {record.source: record for record in records}.values():
                self._pass(record)
            return records
        return [record for record in records if not self._is_repeat(record)]

    def _is_repeat(self, record: Record) -> bool:
        if _is_timed_only(record) and self._is_over(record):
            return False
        # Both, since either may know of it without the other.
        was_written = _take(self._written, hash(record))
        was_in_group = bool(self._group) and self._group.take(record)
        if was_written or was_in_group:
            self._repeated = True
            self._new_in_a_row = 0
            return True
        self._pass(record)
        return False

    def _is_over(self, record: Record) -> bool:
        if instant(record.ts) is None:
            return self._untimed_over
        return hash(record.source) in self._over

    def _pass(self, record: Record) -> None:
        """Take note of a new record."""
        self._new_in_a_row += 1
        if self._new_in_a_row > PATIENCE:
            self._group.clear()
        if len(self._over) >= _MOST_SOURCES or hash(record.source) in self._over:
            return
        at = instant(record.ts)
        if at is None:
            self._untimed_over = self._untimed_over or self._repeated
        elif self._newest is not None and at > self._newest:
            self._over.add(hash(record.source))


def _is_timed_only(record: Record) -> bool:
    """Whether the id tells no more than the time: then records can be equal, and yet two."""
    return not record.id or record.id == record.ts


def _take(counts: Counter[K], key: K) -> bool:
    count = counts.get(key, 0)
    if count > 1:
        counts[key] = count - 1
    elif count:
        del counts[key]
    return bool(count)
