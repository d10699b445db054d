"""Merge the records of several workers by instant. Pure.

Rules: records of one worker keep their order, whatever their times say; a record without a time
that can be read stays next to the one before it; where instants are equal, the worker that is
listed first comes first. An instant has as many digits as were written.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter

from rpcli.domain.timestamps import parse_timestamp
from rpcli.stream.records import Record, RecordBatch

#: Records of a batch, at most.
MOST = 500

#: Whole seconds since 1970, and the digits of the fraction without zeros at their end.
Instant = tuple[int, str]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Before every instant: where a worker begins with a record that has no time.
_UNKNOWN: Instant = (-1, "")
_FRACTION = re.compile(r"[.,]([0-9]+)")


def instant(ts: str | None) -> Instant | None:
    """Give what compares as the time does, to the last digit; None where it cannot be read."""
    moment = None if ts is None else parse_timestamp(ts)
    if ts is None or moment is None:
        return None
    since = moment - _EPOCH
    fraction = _FRACTION.search(ts)
    # Without zeros at the end, digits compare as text.
    return since.days * 86_400 + since.seconds, fraction[1].rstrip("0") if fraction else ""


def merge(
    streams: Sequence[tuple[str | None, Iterable[Record]]], *, most: int = MOST
) -> Iterator[RecordBatch]:
    """Give the records of all workers in batches, those that follow each other together.

    :param streams: the workers as they are listed, each with its records as they came
    :param most: records of a batch, at most
    """
    keyed = [_keyed(records, place) for place, (_, records) in enumerate(streams)]
    for place, run in groupby(heapq.merge(*keyed), key=itemgetter(1)):
        batch: list[Record] = []
        for _, _, record in run:
            batch.append(record)
            if len(batch) == most:
                yield RecordBatch(batch, streams[place][0])
                batch = []
        if batch:
            yield RecordBatch(batch, streams[place][0])


def _keyed(records: Iterable[Record], place: int) -> Iterator[tuple[Instant, int, Record]]:
    """Put before each record the latest instant so far, and the worker's place.

    Two that are compared are of two workers, and so the records themselves never are.
    """
    latest, seen = _UNKNOWN, None
    for record in records:
        if record.ts != seen:
            seen = record.ts
            latest = max(latest, instant(seen) or latest)
        yield latest, place, record
