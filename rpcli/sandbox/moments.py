"""Times, and things that repeat, as scenarios have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rpcli.errors import ConfigError

_UNITS: Mapping[str, int] = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_RELATIVE = re.compile(r"([+-])(\d+(?:\.\d+)?)([smhd])", re.ASCII)


def is_distance(text: str) -> bool:
    """Whether a time is a distance from now."""
    return _RELATIVE.fullmatch(text) is not None


def moment(text: str, now: datetime, what: str) -> datetime:
    """Read a time: RFC 3339, or a distance from now as ``-90s``, ``+0.5s``, ``-2h``, ``+7d``.

    :param what: names it in the error
    :raises ConfigError: it is neither
    """
    relative = _RELATIVE.fullmatch(text)
    try:
        if relative is not None:
            sign, count, unit = relative.groups()
            return now + timedelta(seconds=float(f"{sign}{count}") * _UNITS[unit])
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise ConfigError(f"{what} is neither RFC 3339 nor like -2h") from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def unfolded(specs: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Unfold ``repeat``: the text ``{n}`` in id and name becomes the number of the copy."""
    for spec in specs:
        name = spec.get("name", spec["id"])
        for n in range(spec.get("repeat", 1)):
            number = f"{n:04}"
            yield {
                **spec,
                "id": spec["id"].replace("{n}", number),
                "name": name.replace("{n}", number),
            }
