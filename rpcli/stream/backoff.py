"""How long to wait before the next try. Pure.

Exponential with jitter, 0.5 s to 30 s; ``retry:`` of the server sets the base, ``Retry-After`` the
floor.
"""

from __future__ import annotations

import re
from collections.abc import Callable

BASE = 0.5
LONGEST = 30.0
#: What a server may ask for at most: the window of an hour, the longest that is worth a wait.
LONGEST_FLOOR = 3600.0
#: The shortest base that a server may ask for, in seconds.
SHORTEST = 0.01
# As many digits as a wait can have that makes sense, and no sign, blank or digit of another script.
_DIGITS = re.compile(r"0*([0-9]{1,9})")
#: Doublings, after which every wait is the longest.
_MOST_DOUBLINGS = 12


class Backoff:
    """The waits of one stream.

    :param jitter: gives numbers from 0 to 1
    """

    def __init__(self, jitter: Callable[[], float]) -> None:
        self._jitter = jitter
        self._base = BASE
        self._failures = 0

    def healthy(self) -> None:
        """Begin anew: a connection has delivered."""
        self._failures = 0

    def base(self, milliseconds: str) -> None:
        """Take the text of a ``retry:`` field: ASCII digits only, held to what makes sense."""
        digits = _DIGITS.fullmatch(milliseconds)
        if digits:
            self._base = min(max(int(digits[1]) / 1000, SHORTEST), LONGEST)
        elif milliseconds.isascii() and milliseconds.isdigit():
            self._base = LONGEST

    def next(self, floor: float | None = None) -> float:
        """Give the seconds to wait, and grow.

        :param floor: the fewest, as ``Retry-After`` asks for
        """
        wait: float = self._base * 2**self._failures
        self._failures = min(self._failures + 1, _MOST_DOUBLINGS)
        # The jitter keeps many streams from coming back all at once, at the longest wait too.
        spread = min(wait, LONGEST / 1.5) * (1 + self._jitter() / 2)
        return max(spread, min(self._base, LONGEST), min(floor or 0.0, LONGEST_FLOOR))
