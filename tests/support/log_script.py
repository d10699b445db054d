"""A scripted log service on loopback: each pod and worker has its replies, one a request.

Where :mod:`log_server` behaves like the service at length, this sends the very bytes of a case. A
name is that of a pod, a worker or an endpoint; the last of its replies answers all that follow.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from stub import Reply, Stub, Talk, head, reply

#: Lets tries follow each other as fast as a server may ask for.
RETRY = b"retry: 10\n\n"
#: Ends a follow well.
NO_MORE = reply(b"", 204, Content_Length="")
#: What begins an answer; the body ends with the connection.
EVENTS = head(200, Content_Type="text/event-stream")
CHUNKED = head(
    200, Content_Type="text/event-stream", Transfer_Encoding="chunked", Connection="keep-alive"
)


class Asked(NamedTuple):
    """What was asked of a log."""

    query: dict[str, str]
    last_event_id: str | None


class LogScript(Stub):
    """The service; a context manager.

    :param logs: the replies of each name
    """

    def __init__(self, **logs: Reply | Sequence[Reply]) -> None:
        super().__init__((self._route,))
        many = {name: [r] if isinstance(r, bytes) or callable(r) else r for name, r in logs.items()}
        self._logs: dict[str, list[Reply]] = {name: list(some) for name, some in many.items()}
        self._requests_for: dict[str, list[Asked]] = {}

    def environment(self) -> dict[str, str]:
        """Give what leads the command there."""
        return {"RUNPOD_API_KEY": "rpa_OF_A_TEST", "RUNPOD_REST_V2_URL": f"{self.url}/v2"}

    def requests_for(self, name: str) -> list[Asked]:
        """Give the requests for a name that came."""
        return list(self._requests_for.get(name, ()))

    def _route(self, talk: Talk) -> None:
        target = urlsplit(talk.request.target)
        name = unquote(target.path.split("/")[-2])
        query = {k: v[-1] for k, v in parse_qs(target.query, keep_blank_values=True).items()}
        last = talk.request.headers.get("last-event-id")
        with self._lock:
            asked = self._requests_for.setdefault(name, [])
            replies = self._logs.get(name, [problem(404, f"no log of {name}")])
            answer = replies[min(len(asked), len(replies) - 1)]
            asked.append(Asked(query, last))
        if isinstance(answer, bytes):
            talk.send(answer)
        else:
            answer(talk)


def event(line: str = "x", /, id: str | None = "1", **fields: Any) -> bytes:
    """Give the event of a record."""
    data = {"source": "container", "line": line, "ts": "2026-08-13T18:06:15Z"} | fields
    named = "" if id is None else f"id: {id}\n"
    return f"{named}data: {json.dumps(data)}\n\n".encode()


def numbered(*numbers: int) -> bytes:
    """Give events with these ids, which say more than a time, and texts."""
    return b"".join(event(f"line {n}", f"2026-08-13T18:06:15Z/{n:06}") for n in numbers)


def opened(*parts: bytes, head: bytes = EVENTS) -> Callable[[Talk], None]:
    """Send parts, and stay open until the other side leaves."""

    def answer(talk: Talk) -> None:
        talk.send(head + b"".join(parts))
        talk.wait_until_left()

    return answer


def closed(*parts: bytes, head: bytes = EVENTS) -> Callable[[Talk], None]:
    """Send parts, and end the connection as the body ends."""
    return lambda talk: talk.send(head + b"".join(parts))


def cut(*parts: bytes, head: bytes = EVENTS) -> Callable[[Talk], None]:
    """Send parts, let them arrive, and reset the connection."""

    def answer(talk: Talk) -> None:
        talk.send(head + b"".join(parts))
        # What is unread when a reset comes is lost; nobody can see from here that it was read.
        talk.stub.stopping.wait(0.1)
        talk.reset()

    return answer


def silent(talk: Talk) -> None:
    """Say nothing at all, until the other side leaves."""
    talk.wait_until_left()


def problem(status: int, text: str, /, **headers: str) -> bytes:
    """Give an answer that is none."""
    return reply({"error": text}, status, Content_Type="application/problem+json", **headers)


def listing(*workers: str) -> bytes:
    """Give a listing of workers."""
    known = {"status": "RUNNING", "isStale": False, "gpuCount": 1, "version": 4}
    names = ("running", "idle", "initializing", "throttled", "unhealthy")
    summary = dict.fromkeys(names, 0) | {"running": len(workers), "total": len(workers)}
    listed = [{"id": worker, **known} for worker in workers]
    return reply({"endpointVersion": 4, "summary": summary, "workers": listed})


def chunk(data: bytes) -> bytes:
    """Give a chunk of HTTP."""
    return b"%x\r\n%b\r\n" % (len(data), data)


#: The chunk that ends a body.
LAST_CHUNK = b"0\r\n\r\n"
