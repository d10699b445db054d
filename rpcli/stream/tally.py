"""What became of the streams, for the summary, in bounded memory. Pure.

Rules: the latest :data:`KEPT` streams that ended stand as they are, beside all that live; those
that ended before are added up in one entry, the first.
"""

from __future__ import annotations

from collections import deque

from rpcli.stream.ports import StreamStats, StreamTarget

#: Streams that ended, and are kept one by one.
KEPT = 1000
#: What :attr:`StreamStats.ended` says of an entry that stands for many.
FOLDED = "folded"


class FoldedStats(StreamStats):
    """What became of many streams that ended long ago, together."""

    def __init__(self) -> None:
        super().__init__(StreamTarget(("streams", "others"), "(others)"))
        self.streams = 0  #: how many they are
        self.ended = FOLDED

    def add(self, stats: StreamStats) -> None:
        """Add a stream; the first error of all is kept."""
        self.streams += 1
        self.lines += stats.lines
        self.reconnects += stats.reconnects
        self.cut_lines += stats.cut_lines
        self.gaps += stats.gaps
        self.error = self.error or stats.error


class Tally:
    """Keeps a list of what became of each stream.

    :param summary: the list, which others read
    :param kept: see :data:`KEPT`
    """

    def __init__(self, summary: list[StreamStats], kept: int = KEPT) -> None:
        self._summary = summary
        self._kept = kept
        self._ended: deque[StreamStats] = deque()
        self._folded: FoldedStats | None = None

    def begin(self, target: StreamTarget) -> StreamStats:
        """Give the entry of a stream that begins."""
        stats = StreamStats(target)
        self._summary.append(stats)
        return stats

    def end(self, stats: StreamStats) -> None:
        """Take note that a stream has ended, and fold the oldest where there are too many."""
        self._ended.append(stats)
        if len(self._ended) <= self._kept:
            return
        if self._folded is None:
            self._folded = FoldedStats()
            self._summary.insert(0, self._folded)
        oldest = self._ended.popleft()
        self._folded.add(oldest)
        self._summary.remove(oldest)
