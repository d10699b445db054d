"""Windows of time as people type them: a duration back from now, or the moment where it begins.

Rules: strict, since a window that is misread shows too much and nobody notices; nothing is zero,
negative or without a unit; a moment has an offset, and a date begins at midnight UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from rpcli.errors import UsageError

#: The longest window, in days: a century. Beyond it arithmetic on dates runs out of calendar.
LONGEST_DAYS = 36_525
#: What a duration looks like, for messages and help.
DURATIONS = "30m, 1h30m, 7d (days d, hours h, minutes m, seconds s, the largest first)"
#: What a moment looks like, for messages and help.
INSTANTS = "2026-01-15 (midnight UTC) or 2026-01-15T08:00:00Z (RFC 3339, with its offset)"

# [0-9], not \d: the digits of other scripts are no digits here.
_DURATION = re.compile(r"(?:([0-9]+)d)?(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?")
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2}))?"
)
_DIGITS = 12  # more than the seconds of the longest window


def parse_duration(text: str, named: str) -> timedelta:
    """Read a duration such as ``30m``, ``1h30m`` or ``7d``.

    :param named: the flag that it was given to, for the message
    :raises UsageError: it is none, or zero, or longer than :data:`LONGEST_DAYS`
    """
    match = _DURATION.fullmatch(text)
    parts = match.groups() if match else ()
    if not any(parts) or any(part and len(part) > _DIGITS for part in parts):
        raise UsageError(f"{named} '{text}' is no duration: give one as {DURATIONS}")
    days, hours, minutes, seconds = (int(part or 0) for part in parts)
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if total == 0:
        raise UsageError(f"{named} '{text}' is no time at all: give a duration as {DURATIONS}")
    if total > LONGEST_DAYS * 86_400:
        raise UsageError(f"{named} '{text}' is longer than {LONGEST_DAYS} days")
    return timedelta(seconds=total)


def parse_instant(text: str, named: str) -> datetime:
    """Read a date or an RFC 3339 moment, and give it aware, in UTC.

    :param named: the flag that it was given to, for the message
    :raises UsageError: it is neither, or a day that no calendar has
    """
    if _INSTANT.fullmatch(text):
        try:
            moment = datetime.fromisoformat(text.upper())
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            pass  # well formed, and yet no moment: February 30
    raise UsageError(f"{named} '{text}' is no moment: give one as {INSTANTS}")


def format_span(seconds: int) -> str:
    """Write seconds in the two largest units that they fill, as ``3d4h``, ``1h5m``, ``40s``."""
    for unit, size, smaller, part in (
        ("d", 86_400, "h", 3_600),
        ("h", 3_600, "m", 60),
        ("m", 60, "s", 1),
    ):
        if seconds >= size:
            rest = seconds % size // part
            return f"{seconds // size}{unit}" + (f"{rest}{smaller}" if rest else "")
    return f"{seconds}s"
