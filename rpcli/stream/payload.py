"""From the data of an event to a record. Pure.

Source of the shape: ``{"source", "line", "ts"}``, REST v2; the order of its keys is not fixed.

Rules: what is not that is kept as it came, as a raw record: a change of the wire's shape loses
nothing. What was cut off is read as far as it goes.
"""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring_ascii as _quote
from typing import Any

import orjson

from rpcli.domain.asciijson import printable
from rpcli.stream.records import Record

_UNKNOWN = "unknown"
#: Characters from which on orjson would take many times their memory.
_LARGE = 1 << 16
#: An escape sequence that has no end, behind an even number of backslashes.
_HALF_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9A-Fa-f]{0,3})?\Z")


def record_of(id: str, data: str, *, is_cut: bool = False) -> Record:
    """Make a record.

    :param id: the last event id in force
    :param data: as it was received, less what was cut off
    :param is_cut: whether something was
    """
    flags = ',"truncated":true' if is_cut else ""
    source, line, ts, is_raw = _fields(_decode_cut(data) if is_cut else _decode(data)) or (
        _UNKNOWN,
        data,
        None,
        True,
    )
    if is_raw:
        flags += ',"raw":true'
    said = "null" if ts is None else _quote(ts)
    # A line may be large: few copies of it are alive at a time.
    quoted = _quote(line)
    del line
    body = f'{{"source":{_quote(source)},"line":{quoted},"ts":{said}{flags}'
    del quoted
    return Record(id, printable(body), source, ts)


def _fields(document: Any) -> tuple[str, str, str | None, bool] | None:
    if type(document) is not dict:
        return None
    source, line, ts = document.get("source"), document.get("line"), document.get("ts")
    if type(source) is str and type(line) is str and (ts is None or type(ts) is str):
        return source, line, ts, False
    return None


def _decode(data: str) -> Any:
    try:
        if len(data) < _LARGE:
            return orjson.loads(data)
    except ValueError:
        pass
    try:
        # It takes what orjson does not: half a pair of surrogates, a huge number beside the line.
        return json.loads(data, parse_int=float)
    except (ValueError, RecursionError):
        return None


def _decode_cut(data: str) -> Any:
    """Read an object that ends within one of its texts; that text counts only if it is the line."""
    document = _decode(_HALF_ESCAPE.sub(r"\1", data) + '"}')
    if type(document) is dict and document and next(reversed(document)) != "line":
        document.popitem()
    return document
