"""The time of a record in another zone.

Rules: every digit of a second stays; what is no RFC 3339 moment is given back as it is.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


def in_utc(ts: str) -> str:
    """Give a time in UTC, as ``2026-08-13T18:06:15.101277472Z``."""
    if ts[-1:] == "Z":
        return ts  # by far the most
    return _moved(ts, UTC).replace("+00:00", "Z")


def in_local_time(ts: str) -> str:
    """Give a time in the zone of this machine, with its offset."""
    return _moved(ts, None)


def _moved(ts: str, zone: tzinfo | None) -> str:
    match = _MOMENT.fullmatch(ts)
    if match is None:
        return ts
    date, clock, fraction, offset = match.groups()
    try:
        there = datetime.fromisoformat(f"{date}T{clock}{offset.upper()}").astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return ts  # well formed, and yet no moment, or beyond what a calendar holds
    text = there.isoformat()
    return f"{text[:19]}{fraction or ''}{text[19:]}"
