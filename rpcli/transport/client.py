"""The HTTP side of one invocation: the three APIs, each in one call.

Rules: every call has an end by the clock; what changes something is never sent twice unless it
surely did not arrive; every error says which API it is about.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from rpcli.clock import Clock
from rpcli.config import Settings
from rpcli.domain import address
from rpcli.domain.address import encode_segment
from rpcli.domain.pacing import Pacer
from rpcli.domain.ratelimit import asked_wait, parse_rate_limit
from rpcli.errors import RpcliError, UnexpectedResponse
from rpcli.transport import redirects
from rpcli.transport.answers import Asked, read_data, read_json, refusal
from rpcli.transport.calls import Answer, Call, Hop
from rpcli.transport.exchange import Pending
from rpcli.transport.sending import TRIES, Sender

if TYPE_CHECKING:
    from rpcli.transport.streaming import StreamConnection

T = TypeVar("T")

_MUTATION = re.compile(r"\bmutation\b")


class Outcome(NamedTuple, Generic[T]):
    """What one of several calls came to: a value, or the error that it ended with."""

    value: T | None
    error: RpcliError | None


class Transport:
    """The HTTP side of one invocation.

    :param trace: told of each request in one line, without secrets
    :param jitter: gives numbers from 0 to 1, to spread retries; the machine's own by default
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        *,
        trace: Callable[[str], None] | None = None,
        jitter: Callable[[], float] | None = None,
    ) -> None:
        self.settings = settings
        self._clock = clock
        self._sender = Sender(settings, clock, trace=trace, jitter=jitter)
        self._lock = threading.Lock()
        self._pacer = Pacer()

    def rest_v2(
        self,
        method: str,
        *segments: str,
        query: Mapping[str, str] | None = None,
        body: object | None = None,
    ) -> Any:
        """Ask REST v2, and give the decoded JSON; None for an answer without a body.

        :param segments: of the path, each encoded on its own
        :raises UsageError: a segment that is blank or ``.`` or ``..``, before any request
        :raises RpcliError: with ``api="v2"``
        """
        return self._rest("v2", self.settings.rest_v2_url, method, segments, query, body)

    def rest_v1(
        self,
        method: str,
        *segments: str,
        query: Mapping[str, str] | None = None,
        body: object | None = None,
    ) -> Any:
        """Ask REST v1; as :meth:`rest_v2`, with ``api="v1"``."""
        return self._rest("v1", self.settings.rest_v1_url, method, segments, query, body)

    def graphql(
        self,
        query: str,
        variables: Mapping[str, object] | None = None,
        *,
        cap: float | None = None,
        retry: bool = True,
    ) -> dict[str, Any]:
        """Ask GraphQL, and give the answer's ``data``.

        :param cap: seconds of wall clock, where they shall be fewer than the usual ones
        :param retry: whether to try again where that may help; a mutation is never sent twice
            unless it surely did not arrive
        :raises GraphqlError: the answer has errors, also inside HTTP 200
        :raises RpcliError: with ``api="graphql"``
        """
        document: dict[str, object] = {"query": query}
        if variables:
            document["variables"] = variables
        call = Call(
            api="graphql",
            method="POST",
            url=self.settings.graphql_url,
            body=_dump(document),
            limit=min(cap or self.settings.timeout, self.settings.timeout),
            tries=TRIES if retry else 1,
            is_safe=not _MUTATION.search(query),
        )
        answer, asked = self._ask(call)
        return self._read(read_data, answer, asked)

    def stream(
        self,
        *segments: str,
        query: Mapping[str, str] | None = None,
        last_event_id: str | None = None,
    ) -> StreamConnection:
        """Make a connection to an event stream of REST v2; nothing is sent before it is opened.

        :raises UsageError: a segment that is blank or ``.`` or ``..``
        :raises NoCredentials: there is no key
        """
        from rpcli.transport.streaming import StreamConnection

        url = _address(self.settings.rest_v2_url, segments, query)
        first = Hop(url, self.settings.api_key(), address.endpoint_of(url))

        def heard(answer: Answer, hop: Hop) -> None:
            self._saw_rate_limit(answer)
            source = hop.key.source if hop.key else "none"
            self._sender.tell(f"GET {redirects.short(hop.url)}: {answer.status} (key: {source})")

        def refused(answer: Answer, where: str) -> RpcliError:
            now = self._clock.now()
            asked = Asked("v2", where, where != first.where, self.settings.api_key().source, now)
            error = refusal(self._without_key(answer), asked)
            error.retry_after = asked_wait(answer.headers, now)
            return error

        return StreamConnection(
            first,
            self._sender.session,
            last_event_id=last_event_id,
            connect_timeout=self.settings.connect_timeout,
            heard=heard,
            refusal=refused,
        )

    def pause(self) -> float:
        """Give the seconds to wait before the next request to REST v2, which will then be sent.

        They come from what the answers so far say is left of the rate limit.
        """
        with self._lock:
            return self._pacer.pause(self._clock.monotonic())

    def begin(self, call: Callable[[], T]) -> Pending[T]:
        """Start a call beside the others; :meth:`~Pending.result` waits for it."""
        return self._sender.begin(call)

    def together(self, *calls: Callable[[], T]) -> list[Outcome[T]]:
        """Run calls at the same time, and give what each came to, in their order.

        Only our own errors are outcomes; anything else is a bug, and is raised.
        """
        return [outcome(pending) for pending in [self.begin(call) for call in calls]]

    def close(self) -> None:
        """Give up whatever is still under way, and close every connection."""
        self._sender.close()

    def _rest(
        self,
        api: str,
        base: str,
        method: str,
        segments: tuple[str, ...],
        query: Mapping[str, str] | None,
        body: object | None,
    ) -> Any:
        call = Call(
            api=api,
            method=method,
            url=_address(base, segments, query),
            body=None if body is None else _dump(body),
            limit=self.settings.timeout,
            tries=TRIES,
            is_safe=method in ("GET", "HEAD"),
        )
        answer, asked = self._ask(call)
        if answer.status >= 400:
            raise refusal(self._without_key(answer), asked)
        if answer.status == 204 or (not call.is_safe and not answer.body.strip()):
            # That something was done is told by the status; some answers say no more.
            return None
        return self._read(read_json, answer, asked)

    def _read(self, read: Callable[[Answer, Asked], T], answer: Answer, asked: Asked) -> T:
        """Read an answer; an error about it never quotes the key, not even the half of it."""
        try:
            return read(answer, asked)
        except RpcliError as error:
            quoting = error
        # Out of the handler, or a traceback would show the first error as well.
        read(self._without_key(answer), asked)
        raise quoting

    def _without_key(self, answer: Answer) -> Answer:
        """Give what an error may quote: a text that is cut inside the key is redacted by nobody."""
        body = answer.body
        key = self.settings.api_key().value
        for written in (key, json.dumps(key)[1:-1]):
            body = body.replace(written.encode(), b"[secret]")
        return answer._replace(body=body)

    def _saw_rate_limit(self, answer: Answer) -> None:
        windows = parse_rate_limit(answer.headers.get("RateLimit"))
        with self._lock:
            self._pacer.saw(windows, self._clock.monotonic())

    def _ask(self, call: Call) -> tuple[Answer, Asked]:
        answer, where = self._sender.perform(call)
        if call.api == "v2":
            self._saw_rate_limit(answer)
        source = self.settings.api_key().source
        asked = Asked(call.api, where, where != call.where, source, self._clock.now())
        if not (200 <= answer.status < 300 or answer.status >= 400):
            raise UnexpectedResponse(
                f"{where} answered with HTTP {answer.status}, which says nothing",
                status=answer.status,
                api=call.api,
            )
        return answer, asked


def _address(base: str, segments: tuple[str, ...], query: Mapping[str, str] | None) -> str:
    url = "/".join([base, *map(encode_segment, segments)])
    return f"{url}?{urlencode(query)}" if query else url


def outcome(pending: Pending[T]) -> Outcome[T]:
    """Wait for a call, and give what it came to; only our own errors are outcomes."""
    try:
        return Outcome(pending.result(), None)
    except RpcliError as error:
        return Outcome(None, error)


def _dump(document: object) -> bytes:
    return json.dumps(document, allow_nan=False).encode()
