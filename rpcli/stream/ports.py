"""What streams are read through, and what is asked for: the seam to the network. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from rpcli.errors import RpcliError


class Connection(Protocol):
    """One request for a stream; :meth:`abort` may come from any thread, the rest from one."""

    def open(self) -> bool:
        """Send the request, and wait for the headers of the answer, however long they take.

        :returns: False where the server answered 204: there is nothing, and never will be
        :raises RpcliError: :class:`~rpcli.errors.ApiError` for a status that is an error (its
            ``retry_after`` are the seconds that the server wants to be left alone, or None),
            :class:`~rpcli.errors.UnexpectedResponse` for what is no event stream,
            :class:`~rpcli.errors.NetworkError` and :class:`~rpcli.errors.TimeoutExpired` where no
            connection came about or it broke, :class:`~rpcli.errors.ConfigError`
        :raises ~rpcli.errors.Aborted: by :meth:`abort`
        """

    def read(self) -> bytes:
        """Give the bytes that have come, waiting for the first; the empty bytes at a clean end.

        :raises NetworkError: the connection broke, or its framing did
        :raises UnexpectedResponse: it cannot be unpacked
        :raises ~rpcli.errors.Aborted: by :meth:`abort`
        """

    def abort(self) -> None:
        """Wake whoever opens or reads, at any stage, and close the connection; never fails."""


class Opener(Protocol):
    """Makes connections, paced by what is left of the rate limit."""

    def stream(
        self,
        *segments: str,
        query: Mapping[str, str] | None = None,
        last_event_id: str | None = None,
    ) -> Connection:
        """Make a connection to a stream of REST v2; nothing is sent before it is opened."""

    def pause(self) -> float:
        """Give the seconds to wait before the next request, by what is left of the rate limit."""


class StreamTarget(NamedTuple):
    """One stream.

    :param segments: the path below REST v2, as ``("pods", "abc", "logs")``
    :param worker: what its records are tagged with
    """

    segments: tuple[str, ...]
    worker: str | None = None

    @property
    def name(self) -> str:
        """How notes call it."""
        return (
            f"worker {self.worker}"
            if self.worker
            else f"{self.segments[0].rstrip('s')} {self.segments[1]}"
        )


class StreamPlan(NamedTuple):
    """What is to be read, and how.

    :param targets: the streams; None where :attr:`discover` lists them
    :param discover: lists the streams that there are now; asked again while following
    :param subject: what it is all about, for messages, as ``endpoint abc``
    :param follow: go on until something ends it; otherwise a snapshot
    :param source: asked of the server, None for every source
    :param tail: lines of history of each source and stream; None where nobody asked
    :param since: where it begins
    :param until: where it ends
    :param max_wait: seconds that a snapshot of one stream may take
    :param max_streams: streams that are read at the same time, at most
    :param resume: the file of cursors
    """

    targets: tuple[StreamTarget, ...] | None
    subject: str
    discover: Callable[[], Sequence[StreamTarget]] | None = None
    follow: bool = False
    source: str | None = None
    tail: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    max_wait: float = 5.0
    max_streams: int = 32
    resume: Path | None = None


class StreamStats:
    """What became of one stream; a summary of it is for people and for programs."""

    def __init__(self, target: StreamTarget) -> None:
        self.target = target
        self.lines = 0  #: records that were handed on
        self.reconnects = 0
        self.cut_lines = 0  #: records that were too long
        self.gaps = 0  #: places where lines may be missing
        self.ended: str | None = None  #: why, in a word of the contract; None while it lives
        self.error: RpcliError | None = None
