"""What reading streams works with."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rpcli.clock import Clock
from rpcli.stream.ports import Opener


class Means(NamedTuple):
    """What reading works with.

    :param note: told what people want to know, in one line
    :param jitter: gives numbers from 0 to 1
    """

    opener: Opener
    clock: Clock
    note: Callable[[str], None]
    jitter: Callable[[], float]
