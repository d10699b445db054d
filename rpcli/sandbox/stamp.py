"""Times of log lines: whole nanoseconds since 1970, and RFC 3339 as the platform writes it.

Rules: lines of ``system`` have whole seconds, all others nine digits; what a scenario wrote itself
is kept as it was written.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

SECOND = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RFC3339 = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


def nanoseconds(moment: datetime) -> int:
    """Give an aware moment as nanoseconds since 1970."""
    passed = moment - _EPOCH
    return (passed.days * 86400 + passed.seconds) * SECOND + passed.microseconds * 1000


def read_stamp(text: str) -> int:
    """Read RFC 3339, of which nothing is optional but the fraction.

    :raises ValueError: it is no such time
    """
    found = _RFC3339.fullmatch(text)
    if found is None:
        raise ValueError("not RFC 3339")
    day, time, fraction, offset = found.groups()
    whole = datetime.fromisoformat(f"{day}T{time}{offset.upper().replace('Z', '+00:00')}")
    return nanoseconds(whole) + int((fraction or "").ljust(9, "0"))


def write_stamp(time: int, *, whole: bool = False) -> str:
    """Write a time.

    :param whole: without a fraction, which is cut off
    """
    seconds, rest = divmod(time, SECOND)
    return f"{_seconds(seconds)}Z" if whole else f"{_seconds(seconds)}.{rest:09}Z"


@lru_cache(maxsize=4096)
def _seconds(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
