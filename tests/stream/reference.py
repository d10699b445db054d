"""A slow decoder of event streams, written from the grammar: what the real one is held to.

Source: WHATWG HTML, sections 9.2.5 and 9.2.6. Where rpcli differs on purpose, the code says so.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Line(NamedTuple):
    """A log line: the id in force, and the record."""

    id: str
    document: dict[str, Any]


def decode(body: bytes, last_event_id: str = "") -> tuple[list[Line], list[tuple[str, str]], bool]:
    """Decode all that came of a connection.

    :returns: the lines, what is no line (``error`` and ``retry``), and whether an event was cut off
    """
    text = body.decode("utf-8", "replace")
    text = text.removeprefix("\ufeff")
    lines, rest = _lines(text)
    found: list[Line] = []
    signals: list[tuple[str, str]] = []
    frame: list[str] = []
    for line in lines:
        if line:
            frame.append(line)
            continue
        last_event_id = _dispatch(frame, last_event_id, found, signals)
        frame = []
    torn = any(not line.startswith(":") for line in [*frame, rest] if line)
    return found, signals, torn


def _lines(text: str) -> tuple[list[str], str]:
    """Take lines apart; what is behind the last end of a line is none yet."""
    lines, current, at = [], "", 0
    while at < len(text):
        if text[at] in "\r\n":
            lines.append(current)
            current = ""
            if text[at] == "\r" and text[at + 1 : at + 2] == "\n":
                at += 1
        else:
            current += text[at]
        at += 1
    return lines, current


def _dispatch(
    frame: list[str], last_id: str, found: list[Line], signals: list[tuple[str, str]]
) -> str:
    """Take note of what a frame says; give the id in force behind it."""
    kind, data, own_id = "", None, None
    for name, value in _fields(frame):
        if name == "event":
            kind = value
        elif name == "data":
            data = value if data is None else f"{data}\n{value}"
        elif name == "id" and "\0" not in value:
            own_id = value
    digits = set("0123456789")
    retries = [v for n, v in _fields(frame) if n == "retry" and v and not set(v) - digits]
    signals += [("retry", value) for value in retries[-1:]]
    if kind in ("", "message"):
        # On purpose: an event of another type does not move the id, for it is no line.
        last_id = last_id if own_id is None else own_id
        if data is not None:
            found.append(Line(last_id, record(data)))
    elif kind == "error" and data is not None:
        signals.append(("error", data))
    return last_id


def _fields(frame: list[str]) -> list[tuple[str, str]]:
    fields = []
    for line in frame:
        name, _, value = line.partition(":")
        fields.append((name, value[1:] if value.startswith(" ") else value))
    return fields


def record(data: str) -> dict[str, Any]:
    """Make a record of the data of an event; what is not the expected object is kept as it is."""
    try:
        document = json.loads(data, parse_int=float)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        source, line, ts = document.get("source"), document.get("line"), document.get("ts")
        if (
            isinstance(source, str)
            and isinstance(line, str)
            and (ts is None or isinstance(ts, str))
        ):
            return {"source": _text(source), "line": _text(line), "ts": ts and _text(ts)}
    return {"source": "unknown", "line": _text(data), "ts": None, "raw": True}


def _text(text: str) -> str:
    """A lone surrogate is no text."""
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
