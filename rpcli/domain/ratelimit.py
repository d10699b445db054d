"""What the headers say about how soon to ask again. Pure.

Sources: ``Retry-After`` is RFC 9110, section 10.2.3. REST v2 sends, on ordinary answers too,
``RateLimit-Policy: "minute";q=60;w=60, "hour";q=3000;w=3600`` and ``RateLimit: "minute";r=0;t=12``
(its OpenAPI document; the figures there are examples). REST v1 sends none of the three.

Rules: a number that makes no sense is no number: every wait is finite, from 0 to :data:`LONGEST`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

#: Seconds. Whoever asks for a longer wait is taken to ask for this one.
LONGEST = 86_400.0

# Beyond it a float may be infinite, and no int can be made of it.
_LARGEST = 1e15
_MEMBER = re.compile(r'\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<token>[A-Za-z*][^\s;,="]*))')
_PARAMETER = re.compile(r"\s*;\s*([a-z*][a-z0-9_.*-]*)(?:=([^;,]*))?")
_COMMA = re.compile(r"\s*,")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?\Z")


class Window(NamedTuple):
    """What is left of one window of a rate limit."""

    name: str
    remaining: int
    reset: float  #: seconds until it is full again


class Quota(NamedTuple):
    """How much one window of a rate limit allows."""

    name: str
    limit: int  #: requests
    seconds: float


def parse_rate_limit(header: str | None) -> list[Window]:
    """Read a ``RateLimit`` header; a member that cannot be read is left out."""
    windows = []
    for name, parameters in _members(header or ""):
        remaining, reset = _number(parameters.get("r")), _number(parameters.get("t"))
        if remaining is not None and reset is not None:
            windows.append(Window(name, int(remaining), min(reset, LONGEST)))
    return windows


def parse_policy(header: str | None) -> list[Quota]:
    """Read a ``RateLimit-Policy`` header; a member that cannot be read is left out."""
    quotas = []
    for name, parameters in _members(header or ""):
        limit, seconds = _number(parameters.get("q")), _number(parameters.get("w"))
        if limit is not None and seconds:
            quotas.append(Quota(name, int(limit), seconds))
    return quotas


def parse_retry_after(header: str | None, now: datetime) -> float | None:
    """Read a ``Retry-After`` header as seconds from now.

    :param now: the time of day, aware
    :returns: 0 to :data:`LONGEST`; None where there is none, or neither seconds nor a date
    """
    text = (header or "").strip()
    seconds = _number(text)
    if seconds is None:
        moment = _date(text)
        if moment is None:
            return None
        seconds = max((moment - now).total_seconds(), 0.0)
    return min(seconds, LONGEST)


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Give the seconds that a server wants to be left alone; None where it says nothing.

    The longest counts: ``Retry-After``, or the reset of a window with nothing left.
    """
    waits = [w.reset for w in parse_rate_limit(headers.get("RateLimit")) if w.remaining == 0]
    after = parse_retry_after(headers.get("Retry-After"), now)
    if after is not None:
        waits.append(after)
    return max(waits, default=None)


def spent_quota(headers: Mapping[str, str]) -> Quota | None:
    """Give the longest window that has nothing left, where the policy tells its size."""
    spent = {w.name for w in parse_rate_limit(headers.get("RateLimit")) if w.remaining == 0}
    quotas = [q for q in parse_policy(headers.get("RateLimit-Policy")) if q.name in spent]
    return max(quotas, key=lambda quota: quota.seconds, default=None)


def _members(header: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Take a list of RFC 9651 apart; reading ends where it is no such list."""
    position = 0
    while True:
        member = _MEMBER.match(header, position)
        if member is None:
            return
        position = member.end()
        parameters: dict[str, str] = {}
        while parameter := _PARAMETER.match(header, position):
            parameters[parameter[1]] = (parameter[2] or "").strip()
            position = parameter.end()
        quoted = member["quoted"]
        name = member["token"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        yield name, parameters
        comma = _COMMA.match(header, position)
        if comma is None:
            return
        position = comma.end()


def _number(text: str | None) -> float | None:
    # float() would take "nan", "1_0", "1e999" and digits of other scripts.
    if text is None or not _NUMBER.match(text):
        return None
    return min(float(text), _LARGEST)


def _date(text: str) -> datetime | None:
    """Read a date in one of the three forms of HTTP."""
    if not text.isascii() or ":" not in text:
        return None
    from email.utils import parsedate_to_datetime  # slow to import, and a date is rare

    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
