"""Times as people type them: where a log begins and ends, and how long to wait for it. Pure.

Rules: strict, as a window that is misread shows too much and nobody notices; a duration counts back
from now, and is a moment from here on.
"""

from __future__ import annotations

import re
from datetime import datetime

from rpcli.plugin import UsageError, parse_duration, parse_instant

#: What a moment looks like, for messages.
MOMENTS = "a duration back from now (30m, 1h30m, 7d) or a moment (2026-01-15T08:00:00Z)"
#: The longest that a snapshot may wait, in seconds: a day.
LONGEST_WAIT = 86_400.0

# [0-9], not \d: the digits of other scripts are no digits here.
_DATED = re.compile(r"[0-9]{4}-")
_SHORT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s)")


def read_moment(text: str, flag: str, now: datetime) -> datetime:
    """Read a duration back from now, or a moment, and give it aware, in UTC.

    :raises UsageError: it is neither
    """
    if _DATED.match(text):
        return parse_instant(text, flag)
    try:
        return now - parse_duration(text, flag)
    except UsageError as error:
        raise UsageError(error.message, hint=f"give {MOMENTS}") from None


def read_until(text: str, now: datetime, *, follow: bool) -> datetime:
    """Read where it ends.

    :raises UsageError: it is no moment, or a time back from now where it is to be followed
    """
    until = read_moment(text, "--until", now)
    if follow and not _DATED.match(text):
        raise UsageError(
            f"--until '{text}' counts back from now, and --follow goes on from now: give a moment, "
            "as 2026-01-15T08:00:00Z"
        )
    return until


def read_wait(text: str) -> float:
    """Read how long to wait, and give it in seconds.

    :raises UsageError: it is no duration, zero, or longer than :data:`LONGEST_WAIT`
    """
    match = _SHORT.fullmatch(text)
    if match:
        seconds = float(match[1]) / (1000 if match[2] == "ms" else 1)
    else:
        try:
            seconds = parse_duration(text, "--max-wait").total_seconds()
        except UsageError:
            seconds = 0.0
    if not 0.001 <= seconds <= LONGEST_WAIT:
        raise UsageError(
            f"--max-wait '{text}': give a duration from 1ms to 24h, as 2s, 500ms, 1.5s or 1m30s"
        )
    return seconds
