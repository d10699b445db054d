"""The log routes of REST v2: what is asked for, and the stream that answers.

Rules: streams never end by themselves; not even the status line is sent before there is a line;
``tail`` counts for each source; ``since`` replaces it, and ``Last-Event-ID``, which is exclusive,
replaces both; lines come when they are there, for whoever waits is woken. Source: the published
OpenAPI document of REST v2, and what is known of the live service.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

from rpcli.sandbox.answers import Reply, Request, problem
from rpcli.sandbox.bell import Bell
from rpcli.sandbox.clock import SandboxClock
from rpcli.sandbox.logfaults import Spoiler
from rpcli.sandbox.logline import frames
from rpcli.sandbox.logstore import Asked, Log
from rpcli.sandbox.stamp import nanoseconds, read_stamp
from rpcli.sandbox.state import State
from rpcli.sandbox.wire import Wire

#: Lines of each source where a request does not say; the most that one may ask for.
TAIL = 100
LARGEST_TAIL = 5000
_SOURCES = ("container", "system")
#: Lines that are sent together: few at first, so that the first ones come soon.
_FIRST_BATCH = 50
_BATCH = 500
_CURSOR = re.compile(r"([^/]+)(?:/(\d{1,18}))?", re.ASCII)
_HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-cache",
    "Connection": "keep-alive",
    "X-Accel-Buffering": "no",
}


class Stream(NamedTuple):
    """An answer that never ends.

    :param sequence: whether ids tell the place of a line beside its time
    :param retry: milliseconds that its first words tell a client to wait before it reconnects
    """

    log: Log
    asked: Asked
    sequence: bool
    retry: int | None

    def serve(
        self,
        wire: Wire,
        clock: SandboxClock,
        fault: Mapping[str, Any],
        head: Callable[[], None],
    ) -> NoReturn:
        """Send it until somebody ends it.

        :param head: sends the status line and the headers
        :raises Ended: always
        """
        with Bell() as bell:
            reader = self.log.open(self.asked, bell, nanoseconds(clock.now()))
            clock.watch(bell)
            try:
                spoiler = Spoiler(fault, wire, head, self.retry)
                limit = _FIRST_BATCH
                while True:
                    placed = reader.read(limit, nanoseconds(clock.now()))
                    if placed:
                        spoiler.send(frames(placed, sequence=self.sequence))
                        limit = _BATCH
                        continue
                    if reader.is_over(nanoseconds(clock.now())):
                        spoiler.finish()
                    spoiler.idle(bell, clock.seconds_until(self.log.next_time()))
            finally:
                clock.forget(bell)
                self.log.close(bell)


def pod_logs(state: State, request: Request) -> Reply:
    """``GET /v2/pods/{id}/logs``."""
    pod = state.find_pod(request.parameters["id"])
    kept = state.quirks.get("terminatedLogs", "history")
    ended = pod is not None and pod.status == "TERMINATED"
    if pod is None or not pod.shown_on("v2") or (ended and kept == "gone"):
        return problem(404, "pod not found")
    withheld = "container" if ended and kept == "system" else None
    return _stream(state, request, pod.log, withheld=withheld)


def worker_logs(state: State, request: Request) -> Reply:
    """``GET /v2/serverless/{id}/workers/{workerId}/logs``."""
    endpoint = state.find_endpoint(request.parameters["id"])
    if endpoint is None:
        return problem(404, "endpoint not found")
    worker = endpoint.find(request.parameters["workerId"], state.clock.now())
    if worker is None:
        return problem(404, "worker not found")
    return _stream(state, request, worker.log)


#: Every route by its template, then by method.
ROUTES: dict[str, dict[str, Callable[[State, Request], Reply]]] = {
    "/v2/pods/{id}/logs": {"GET": pod_logs},
    "/v2/serverless/{id}/workers/{workerId}/logs": {"GET": worker_logs},
}


def _stream(state: State, request: Request, log: Log, *, withheld: str | None = None) -> Reply:
    asked = _asked(state.quirks, request)
    if isinstance(asked, Reply):
        return asked
    stream = Stream(
        log,
        asked._replace(withheld=withheld),
        sequence=state.quirks.get("logIds") == "sequence",
        retry=state.quirks.get("logRetry"),
    )
    return Reply(200, None, _HEADERS, "text/event-stream", stream)


def _asked(quirks: Mapping[str, Any], request: Request) -> Asked | Reply:
    """Read what is asked for, or say what is wrong with it."""
    query = request.query
    source = query.get("source")
    if source is not None and source not in _SOURCES:
        return _invalid("source: one of container, system")
    tail = query.get("tail", str(TAIL))
    if not (tail.isascii() and tail.isdigit()) or len(tail) > 9 or int(tail) > LARGEST_TAIL:
        return _invalid(f"tail: a whole number from 0 to {LARGEST_TAIL}")
    since = None
    if "since" in query:
        try:
            since = read_stamp(query["since"])
        except ValueError:
            return _invalid("since: a time as in RFC 3339")
    asked = Asked(None if quirks.get("logSource") == "ignored" else source)
    if request.last_event_id and quirks.get("lastEventId") != "ignored":
        return _resumed(asked, request.last_event_id, quirks.get("lastEventId") == "inclusive")
    if since is not None:
        return asked._replace(earliest=since + (quirks.get("logSince") == "exclusive"))
    return asked._replace(tail=int(tail))


def _resumed(asked: Asked, cursor: str, inclusive: bool) -> Asked | Reply:
    """Begin where a cursor says: at the place in the log, where it tells one, or at its time."""
    found = _CURSOR.fullmatch(cursor)
    try:
        time = read_stamp(found[1] if found else "")
    except ValueError:
        return problem(400, "unknown cursor")
    place = found[2] if found else None
    if place is not None:
        return asked._replace(place=int(place) - inclusive)
    return asked._replace(earliest=time + (not inclusive))


def _invalid(what: str) -> Reply:
    return problem(422, "Request validation failed.", [what])
