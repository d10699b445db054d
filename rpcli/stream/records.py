"""A log record: one line of a stream, and many of them that came together. Pure.

A record is kept as the text of its JSON, since most are printed as they came; whatever looks into
one decodes it when it does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

#: How the body of such a record ends; within a text, quotes are escaped.
_TRUNCATED = (',"truncated":true', ',"truncated":true,"raw":true')


class Record(NamedTuple):
    """One line of a stream.

    :param id: the last event id in force, as the server gave it; empty where it gave none
    :param body: its JSON without the closing brace, in printable ASCII: ``source``, ``line``,
        ``ts``, and then ``truncated`` or ``raw`` where they are true
    :param source: ``container``, ``system``, ``unknown`` for a raw record, or another
    :param ts: its time as the server wrote it; None where it is unknown
    """

    id: str
    body: str
    source: str
    ts: str | None

    def document(self) -> dict[str, Any]:
        """Give it as the contract describes it, without a worker."""
        document: dict[str, Any] = json.loads(self.body + "}")
        return document

    @property
    def line(self) -> str:
        """Its text."""
        return str(self.document()["line"])

    @property
    def is_truncated(self) -> bool:
        """Whether something of it was cut off."""
        return self.body.endswith(_TRUNCATED)


class RecordBatch(NamedTuple):
    """Records of one stream that came together, in the order in which they came.

    :param worker: whose they are; None where the stream is that of a pod
    """

    records: Sequence[Record]
    worker: str | None = None

    def documents(self) -> Iterator[dict[str, Any]]:
        """Give each as the contract describes it."""
        for record in self.records:
            document = record.document()
            if self.worker is not None:
                document["workerId"] = self.worker
            yield document

    def json_lines(self) -> str:
        """Give all as JSON Lines, in printable ASCII; the empty text where there are none."""
        if not self.records:
            return ""
        worker = "" if self.worker is None else f',"workerId":{json.dumps(self.worker)}'
        end = f"{worker}}}\n"
        return end.join([*[record[1] for record in self.records], ""])
