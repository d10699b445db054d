"""Read the three ways in which the platform writes a moment, and write the one of the contract.

Rules: a text without an offset is no moment, since nothing says whose clock it is; the zero values
of Go (year 1) and of Unix (second 0) mean that nothing was set.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_timestamp(value: object) -> datetime | None:
    """Give the aware UTC moment that a value of the API stands for, or None.

    Read are RFC 3339, Go's layout (``2026-10-02 05:28:38.366 +0000 UTC``), and seconds since 1970
    as an integer, a float or a string of digits. Digits beyond microseconds are cut off.
    """
    try:
        moment = _moment(value)
        if moment is None or moment.tzinfo is None:
            return None
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if moment > _EPOCH else None


def format_timestamp(moment: datetime) -> str:
    """Write an aware moment as RFC 3339 in UTC, as ``2026-10-02T05:28:38.366Z``.

    The fraction has as many digits as it needs, and is left out where it is zero.

    :raises ValueError: the moment is not aware
    """
    if moment.tzinfo is None:
        raise ValueError("a moment without an offset cannot be written in UTC")
    text = moment.astimezone(UTC).isoformat().removesuffix("+00:00")
    return f"{text.rstrip('0') if '.' in text else text}Z"


def _moment(value: object) -> datetime | None:
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return datetime.fromtimestamp(value, UTC)


def _from_text(text: str) -> datetime | None:
    if text[10:11] == "T":
        # By far the most: RFC 3339 as it should be.
        return datetime.fromisoformat(text.strip().upper())
    text = text.strip()
    # Before ISO: it would take eight digits for a calendar date.
    if text.isdecimal() and text.isascii():
        return datetime.fromtimestamp(int(text), UTC)
    date, _, rest = text.partition(" ")
    if not rest:
        return datetime.fromisoformat(text.upper())
    # Go: date, time, offset, and then the name of the zone, which adds nothing.
    clock, _, zone = rest.partition(" ")
    offset = zone.partition(" ")[0]
    return datetime.fromisoformat(f"{date}T{clock}{'Z' if offset == 'UTC' else offset}")
