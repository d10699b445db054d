"""What became of the streams, in one document and in lines for people. Pure.

Rules: what is not known is absent: a stream that still lived has no ``ended``; ids of workers come
from a server, and are printed as JSON in printable ASCII everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rpcli.plugin import StreamStats

#: The counts of a stream, and of all, in their order.
_COUNTS = ("lines", "reconnects", "cutLines", "gapsSuspected")


def summary_document(
    stats: Sequence[StreamStats], shown: int, code: str | None = None
) -> dict[str, Any]:
    """Give the document that ``logs.summary`` describes.

    :param shown: records that were printed
    :param code: of the error that ended the command, where one did
    """
    streams = [_stream(entry) for entry in stats]
    totals: dict[str, Any] = {name: sum(stream[name] for stream in streams) for name in _COUNTS}
    totals = {"lines": totals.pop("lines"), "shown": shown, **totals}
    if code is not None:
        totals["code"] = code
    return {"summary": {**totals, "streams": streams}}


def summary_line(document: Mapping[str, Any]) -> str:
    """Give the document as one line of JSON, in printable ASCII."""
    # The one control character that counts as ASCII text; it can only stand within a string.
    return json.dumps(document, separators=(",", ":")).replace("\x7f", "\\u007f")


def summary_texts(document: Mapping[str, Any]) -> Iterator[str]:
    """Give the document as lines for people: all together, then each of several streams."""
    summary = document["summary"]
    streams = summary["streams"]
    yield f"{_plural(sum(s.get('folded', 1) for s in streams), 'stream')}: {_counts(summary)}"
    if len(streams) == 1 and "ended" in streams[0]:
        yield f"it ended: {_ended(streams[0])}"
    for stream in streams if len(streams) > 1 else ():
        end = f"; ended: {_ended(stream)}" if "ended" in stream else ""
        yield f"{_name(stream)}: {_counts(stream)}{end}"


def _stream(stats: StreamStats) -> dict[str, Any]:
    document: dict[str, Any] = {}
    # One entry may stand for many streams that ended long ago; they have no worker.
    folded = getattr(stats, "streams", None)
    if folded is not None:
        document["folded"] = folded
    elif stats.target.worker is not None:
        document["workerId"] = stats.target.worker
    counts = (stats.lines, stats.reconnects, stats.cut_lines, stats.gaps)
    document |= dict(zip(_COUNTS, counts, strict=True))
    if stats.ended is not None:
        document["ended"] = stats.ended
    if stats.error is not None:
        document["code"] = stats.error.error_code
    return document


def _name(stream: Mapping[str, Any]) -> str:
    if "folded" in stream:
        return f"{stream['folded']} earlier ones"
    return "worker " + summary_line(stream["workerId"])[1:-1] if "workerId" in stream else "the pod"


def _counts(counts: Mapping[str, Any]) -> str:
    shown = f" ({counts['shown']} shown)" if "shown" in counts else ""
    return (
        f"{_plural(counts['lines'], 'line')}{shown}, "
        f"{_plural(counts['reconnects'], 'reconnect')}, "
        f"{_plural(counts['cutLines'], 'line')} cut, "
        f"{_plural(counts['gapsSuspected'], 'gap')} suspected"
    )


def _ended(stream: Mapping[str, Any]) -> str:
    code = f" ({stream['code']})" if "code" in stream else ""
    return f"{stream['ended'].replace('_', ' ')}{code}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
