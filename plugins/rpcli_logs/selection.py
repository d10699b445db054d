"""Which records of a batch are shown. Pure.

Rules: the server is asked for a source, and held to it here; a record whose source is unknown is
shown whatever was asked for, as nobody can say that it is of another; one without a time that can
be read passes every end. Where nothing was asked for, a batch is handed on as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from rpcli.plugin import Record, RecordBatch, UsageError, parse_instant
from rpcli_logs.options import LogOptions

#: The source of what was no record as it should be.
UNKNOWN = "unknown"


class Selection:
    """What of the batches is shown."""

    def __init__(self, options: LogOptions) -> None:
        self._source = options.source
        self._until = options.until
        self._grep = options.grep
        self._exclude = options.exclude
        self._looks_at_lines = bool(options.grep or options.exclude)
        self._takes_all = self._source is None and self._until is None and not self._looks_at_lines

    def apply(self, batch: RecordBatch) -> RecordBatch:
        """Give a batch with the records that are shown; the very same where that is all of them."""
        if self._takes_all:
            return batch
        records = batch.records
        if self._source is not None:
            wanted = (self._source, UNKNOWN)
            records = [record for record in records if record.source in wanted]
        if self._until is not None:
            records = _until(records, self._until)
        if self._looks_at_lines:
            records = [record for record in records if self._has_line(record.line)]
        return batch if len(records) == len(batch.records) else batch._replace(records=records)

    def _has_line(self, line: str) -> bool:
        if self._grep and not _found(self._grep, line):
            return False
        return not _found(self._exclude, line)


def _found(patterns: Sequence[re.Pattern[str]], line: str) -> bool:
    return any(pattern.search(line) for pattern in patterns)


def _until(records: Sequence[Record], end: datetime) -> list[Record]:
    return [record for record in records if not _is_after(record.ts, end)]


def _is_after(ts: str | None, end: datetime) -> bool:
    if ts is None:
        return False
    try:
        return parse_instant(ts, "ts") > end
    except UsageError:
        return False
