"""What a request for a stream asks for. Pure.

Rules: a request with an id asks for nothing else but the source; one with ``since`` has no
``tail``, as the server would ignore it; a window is a moment, resolved once, and the same in every
request.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from rpcli.stream.cursor import Resumption
from rpcli.stream.ports import StreamPlan

#: Gives the query for what comes after a place, or from the beginning.
Query = Callable[[Resumption | None], dict[str, str]]


def query_of(
    plan: StreamPlan, resumption: Resumption | None, begin: datetime | None = None
) -> dict[str, str]:
    """Give the query of a request.

    :param resumption: where to go on; None from the beginning
    :param begin: where a stream begins that has no history to show
    """
    query = {} if plan.source is None else {"source": plan.source}
    if resumption is not None and resumption.last_event_id is not None:
        return query
    if resumption is not None and resumption.since is not None:
        query["since"] = resumption.since
    elif begin is not None or plan.since is not None:
        query["since"] = moment(begin or plan.since)
    elif plan.tail is not None:
        query["tail"] = str(plan.tail)
    return query


def moment(time: datetime | None) -> str:
    """Give a time as the API takes it, to the microsecond."""
    if time is None:
        raise ValueError("no time")
    text = time.astimezone(UTC).isoformat(timespec="microseconds")
    return text.replace(".000000", "").replace("+00:00", "Z")
