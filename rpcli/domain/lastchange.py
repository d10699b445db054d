"""When the last change of a pod's status was, read from the sentence that the platform keeps.

Sources: REST v1 and GraphQL write JavaScript's ``Date.toString()`` behind the sentence (``Rented by
User: Wed Jul 29 2026 21:51:59 GMT+0000 (Coordinated Universal Time)``), or ``2026-04-06 19:44:38
UTC``, or a reason, or nothing.

Rules: a date is never required, and one that cannot be read is none.
"""

from __future__ import annotations

import re
from datetime import datetime

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Not strptime: its months are those of the locale.
_JAVASCRIPT = re.compile(
    rf"\b({'|'.join(_MONTHS)}) ([0-9]{{1,2}}) ([0-9]{{4}}) "
    r"([0-9]{2}:[0-9]{2}:[0-9]{2}) GMT([+-][0-9]{4})"
)
_PLAIN = re.compile(r"\b([0-9]{4}-[0-9]{2}-[0-9]{2}) ([0-9]{2}:[0-9]{2}:[0-9]{2}) UTC\b")


def moment_of_change(change: object) -> datetime | None:
    """Give the aware moment that a last status change tells, or None.

    :param change: as received: a sentence, or anything else
    """
    if not isinstance(change, str):
        return None
    if match := _JAVASCRIPT.search(change):
        month, day, year, clock, offset = match.groups()
        text = f"{year}-{_MONTHS.index(month) + 1:02}-{int(day):02}T{clock}{offset}"
    elif match := _PLAIN.search(change):
        text = f"{match[1]}T{match[2]}+0000"
    else:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
