"""Time, as an object that a test can replace."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Give the time of day, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Give seconds that only grow."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)
