"""From whole frames to events, by sseclient-py; nothing else imports it. Pure.

Rules: sseclient-py takes fields apart. What it leaves out of the grammar is done here: an id with a
NUL in it and a ``retry:`` that is no number are ignored, and a frame without data still has its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sseclient import SSEClient

_HAS_DATA = re.compile(rb"\ndata[:\n]")
#: Lines that count as not there.
_IGNORED = re.compile(
    rb"^(?:id:[^\n]*\x00[^\n]*|retry(?!: ?[0-9]+$)(?::[^\n]*)?)$\n?", re.MULTILINE
)


class Event(NamedTuple):
    """One frame.

    :param kind: its type; ``message`` where it names none
    :param data: None where it has no data, and so is no event
    :param id: None where it has no id
    :param retry: digits, in milliseconds; None where it has none
    """

    kind: str
    data: str | None
    id: str | None
    retry: str | None


def events(frames: Sequence[bytes]) -> Iterator[Event]:
    """Give one event for each frame.

    :param frames: in valid UTF-8, with LF only, each without its blank line; none is empty
    """
    cleaned = [_without_ignored(f) if b"\0" in f or b"retry" in f else f for f in frames]
    has_data = [_HAS_DATA.search(b"\n%b\n" % frame) is not None for frame in cleaned]
    # It gives no event for a frame without data: such a frame gets some.
    whole = [
        frame + (b"\n\n" if has else b"\ndata\n\n")
        for frame, has in zip(cleaned, has_data, strict=True)
    ]
    for event, has in zip(SSEClient(iter(whole)).events(), has_data, strict=True):
        yield Event(event.event, event.data if has else None, event.id, event.retry)


def _without_ignored(frame: bytes) -> bytes:
    return _IGNORED.sub(b"", frame).removesuffix(b"\n")
