"""The sentence of ``lastStatusChange``, as the platform writes it.

Source: the examples of REST v1 and of the platform's own client; JavaScript's ``Date.toString()``
stands behind the words.
"""

from __future__ import annotations

from datetime import datetime

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (*("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),)


def sentence(what: str, when: datetime) -> str:
    """Write ``Exited by user: Wed Jul 29 2026 21:56:48 GMT+0000 (Coordinated Universal Time)``.

    The names are English whatever the locale of the process: ``strftime`` would follow it.
    """
    day = f"{_DAYS[when.weekday()]} {_MONTHS[when.month - 1]} {when.day:02} {when.year}"
    return f"{what}: {day} {when:%H:%M:%S} GMT+0000 (Coordinated Universal Time)"
