"""What rate-limit headers say. Pure.

Source: ``RateLimit: "minute";r=0;t=12, …`` and ``Retry-After`` of REST v2, see its documentation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

#: Seconds: no server makes anybody wait longer than this.
LONGEST = 86_400.0

_WINDOW = re.compile(r'\s*"?(?P<name>[^";,]+)"?(?P<parameters>(?:\s*;\s*[a-z]+=\d+)*)\s*(?:,|$)')
_PARAMETER = re.compile(r"([a-z]+)=(\d{1,15})")


class Window(NamedTuple):
    """One window of a rate limit."""

    name: str
    remaining: int
    reset: float  #: seconds


def parse_rate_limit(header: str | None) -> list[Window]:
    """Read a ``RateLimit`` header; what cannot be read is left out."""
    windows = []
    for match in _WINDOW.finditer(header or ""):
        values = dict(_PARAMETER.findall(match["parameters"]))
        if "r" in values and "t" in values:
            reset = min(float(values["t"]), LONGEST)
            windows.append(Window(match["name"].strip(), int(values["r"]), reset))
    return windows


def parse_retry_after(header: str | None, now: datetime) -> float | None:
    """Read a ``Retry-After`` header as seconds from now, 0 to :data:`LONGEST`; None: no use.

    Both forms are known, seconds and an HTTP date; what is negative, not finite or neither is no use.
    """
    text = (header or "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(text) - now).total_seconds()
        except (ValueError, TypeError):
            return None
        seconds = max(seconds, 0.0)
    if not math.isfinite(seconds) or seconds < 0:
        return None
    return min(seconds, LONGEST)


def wait_before_next(headers: Mapping[str, str], now: datetime) -> float:
    """Give seconds to wait before the next request of a poll or stream, by what the server said."""
    asked = parse_retry_after(headers.get("Retry-After"), now) or 0.0
    spent = [w.reset for w in parse_rate_limit(headers.get("RateLimit")) if w.remaining <= 0]
    return max([asked, *spent])
