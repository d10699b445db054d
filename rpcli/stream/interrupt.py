"""A message that ends a reading from another thread. Pure."""

from __future__ import annotations

from typing import NamedTuple


class Interrupt(NamedTuple):
    """Posted to a hub by any thread: whoever takes it raises the exception in the main thread."""

    exception: BaseException
