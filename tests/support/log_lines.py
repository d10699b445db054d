"""A log of numbered lines, of any length: each line is computed, none is kept. Pure.

A second has twenty lines. The first eight are of the system and share the whole second as their
time; the others are of the container, with nanoseconds, two of them at the same. Every fiftieth
second is a burst: twenty system lines with one time. Where ids are times, lines that share a time
share an id. Two lines of each second have the same text, and neither is a repetition.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

#: 2100-01-01T00:00:00Z, when every log begins: later than any time that a command asks for.
BEGIN = 4_102_444_800
A_SECOND = 20
_BURST = [0] * A_SECOND
_ORDINARY = [0] * 8 + [n * 50_000_001 for n in (1, 2, 3, 3, 5, 6, 7, 8, 9, 10, 11, 12)]
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)")

#: How a frame may look: as the service sends it, and in ways that need the general decoder.
SHAPES = {
    "service": "id: {id}\ndata: {data}\n\n",
    "typed": "event: message\nid: {id}\ndata: {data}\n\n",
    "crlf": "id: {id}\r\ndata: {data}\r\n\r\n",
}


def _nanoseconds(second: int) -> list[int]:
    return _BURST if second % 50 == 7 else _ORDINARY


@lru_cache(maxsize=64)
def _clock(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(BEGIN + second))


@dataclass(frozen=True)
class NumberedLog:
    """What the lines look like.

    :param ids: ``time``: the id of a line is its time; ``sequence``: it has a number besides
    :param width: bytes of the text of a line, at least
    :param ascii: leave out the characters of several bytes
    """

    ids: str = "time"
    width: int = 0
    ascii: bool = False

    def text(self, n: int) -> str:
        """The text, as ``line 000042``; the fifth line of a second repeats that of the fourth."""
        text = f"line {n - (n % A_SECOND == 4):06d}"
        if not self.ascii:
            text += " \u2603 caf\u00e9"
        return text.ljust(self.width, "x")

    def source(self, n: int) -> str:
        """``system`` or ``container``."""
        second, place = divmod(n, A_SECOND)
        return "container" if _nanoseconds(second)[place] else "system"

    def ts(self, n: int) -> str:
        """The time of a line, as the service writes it."""
        second, place = divmod(n, A_SECOND)
        fraction = _nanoseconds(second)[place]
        return f"{_clock(second)}.{fraction:09d}Z" if fraction else f"{_clock(second)}Z"

    def id(self, n: int) -> str:
        """The id of a line."""
        if self.ids == "time":
            return self.ts(n)
        return f"{_clock(n // A_SECOND)}Z/{n:012d}"

    def frame(self, n: int, shape: str = "service", text: str | None = None) -> str:
        """The event of a line."""
        said = self.text(n) if text is None else text
        data = f'{{"source":"{self.source(n)}","line":"{said}","ts":"{self.ts(n)}"}}'
        return SHAPES[shape].format(id=self.id(n), data=data)

    def after(self, last_event_id: str) -> int:
        """The first line that comes after an id; ids are exclusive."""
        if self.ids == "sequence":
            return int(last_event_id.rpartition("/")[2]) + 1
        second, fraction = _parse(last_event_id)
        return max(0, second * A_SECOND + bisect_right(_nanoseconds(second), fraction))

    def since(self, moment: str) -> int:
        """The first line of a time or later."""
        second, fraction = _parse(moment)
        return max(0, second * A_SECOND + bisect_left(_nanoseconds(second), fraction))

    def tail(self, count: int, history: int) -> list[int]:
        """The last ``count`` lines of each source, of the first ``history`` lines."""
        left = {"system": count, "container": count}
        chosen = []
        for n in reversed(range(history)):
            if left[self.source(n)]:
                left[self.source(n)] -= 1
                chosen.append(n)
            elif not any(left.values()):
                break
        return chosen[::-1]


def _parse(moment: str) -> tuple[int, int]:
    """Give seconds from the beginning, and nanoseconds."""
    found = _TIME.fullmatch(moment)
    if found is None:
        raise ValueError(f"no time: {moment!r}")
    whole, fraction, zone = found.groups()
    offset = "+00:00" if zone == "Z" else zone
    second = int(datetime.fromisoformat(whole + offset).timestamp()) - BEGIN
    return second, int((fraction or "0").ljust(9, "0"))
