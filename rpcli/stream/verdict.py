"""What the end of a connection means for its stream. Pure."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from rpcli.errors import ApiError, NetworkError, RpcliError, TimeoutExpired


class How(Enum):
    """How a connection ended."""

    CLOSED = "closed"  #: the server ended it, in good order
    NOTHING = "nothing"  #: 204: the server has nothing more, ever
    FAILED = "failed"  #: it was refused, or it broke: there is an error
    ABORTED = "aborted"  #: from this side


class End(NamedTuple):
    """How a connection ended.

    :param opened: whether the server had answered as it should
    :param torn: whether it ended in the middle of an event
    """

    how: How
    opened: bool
    torn: bool = False
    error: RpcliError | None = None


class Verdict(Enum):
    """What to do next."""

    RETRY = "retry"  #: connect again, from the cursor
    WITHOUT_CURSOR = "without_cursor"  #: connect again without the id, from the last time
    OVER = "over"  #: the stream has ended in good order: 204, or gone after it had streamed
    FAILED = "failed"  #: it ends with the error


#: Answers that mean the same every time, whatever is asked; every other 4xx is taken for one.
_PASSING = frozenset((408, 425, 429))
#: Answers to a cursor that the server does not know, or not any more.
_REFUSED_CURSOR = frozenset((400, 410))
#: Answers of what does not exist, or not any more.
_GONE = frozenset((404, 410))


def judge(end: End, *, had_streamed: bool, carried_id: bool) -> Verdict:
    """Say what the end of a connection means.

    :param had_streamed: whether any connection of this stream was answered before
    :param carried_id: whether the request had a ``Last-Event-ID``
    """
    if end.how is How.CLOSED:
        return Verdict.RETRY
    if end.error is None:
        return Verdict.OVER
    error = end.error
    if isinstance(error, ApiError):
        return _of_status(error.status, had_streamed=had_streamed, carried_id=carried_id)
    if isinstance(error, TimeoutExpired):
        return Verdict.RETRY
    if isinstance(error, NetworkError) and not error.is_lasting:
        return Verdict.RETRY
    return Verdict.FAILED


def _of_status(status: int | None, *, had_streamed: bool, carried_id: bool) -> Verdict:
    if status is None or status >= 500 or status in _PASSING:
        return Verdict.RETRY
    if status in _REFUSED_CURSOR and carried_id:
        return Verdict.WITHOUT_CURSOR
    if status in _GONE and had_streamed:
        return Verdict.OVER
    return Verdict.FAILED
