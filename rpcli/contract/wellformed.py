"""The formats of strings that are really checked, whatever else is installed. Pure.

Rules: each check takes a string and tells whether it is well formed; a format that is not in
:data:`FORMATS` is not checked, and a schema that uses one fails a lint.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from urllib.parse import urlsplit
from uuid import UUID

_DATE_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}):(\d{2})(?:\.\d+)?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII | re.IGNORECASE)
_URI = re.compile(r"[a-z][a-z0-9+.-]*:[!-~]*", re.ASCII | re.IGNORECASE)
_NOT_IN_URI = frozenset('"<>\\^`{|}')


def is_date_time(text: str) -> bool:
    """Tell whether a text is a moment of RFC 3339; a leap second is one at 23:59:60 UTC only."""
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return False
    day, clock, second, offset = match.groups()
    leap = second == "60"
    try:
        moment = datetime.fromisoformat(
            f"{day}T{clock}:{'59' if leap else second}{offset.upper()}"
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return not leap or (moment.hour, moment.minute) == (23, 59)


def is_date(text: str) -> bool:
    """Tell whether a text is a full date of RFC 3339."""
    return bool(_DATE.fullmatch(text)) and _accepts(date.fromisoformat, text)


def is_ipv4(text: str) -> bool:
    """Tell whether a text is an IPv4 address in four decimal parts."""
    return text.isascii() and _accepts(ipaddress.IPv4Address, text)


def is_ipv6(text: str) -> bool:
    """Tell whether a text is an IPv6 address, without a zone."""
    return "%" not in text and _accepts(ipaddress.IPv6Address, text)


def is_hostname(text: str) -> bool:
    """Tell whether a text is a host name of RFC 1123."""
    return len(text) <= 253 and all(_LABEL.fullmatch(label) for label in text.split("."))


def is_uri(text: str) -> bool:
    """Tell whether a text is a URI with a scheme."""
    if not _URI.fullmatch(text) or _NOT_IN_URI & set(text):
        return False
    return _accepts(lambda uri: urlsplit(uri).port, text)


def is_uuid(text: str) -> bool:
    """Tell whether a text is a UUID in its usual form."""
    return bool(_UUID.fullmatch(text)) and _accepts(UUID, text)


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": is_date,
    "date-time": is_date_time,
    "hostname": is_hostname,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "uri": is_uri,
    "uuid": is_uuid,
}


def _accepts(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True
