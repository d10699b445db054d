"""HTTP behind one seam: deadlines of wall clock, safe retries, strict bodies, no key where it does not belong.

Rules: only ``session.py`` imports requests; a request that changes something is never sent twice
unless it surely did not arrive; every wait has an end.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote, urlencode, urljoin, urlsplit

from rpcli.clock import Clock
from rpcli.config import ApiKey, Settings, is_loopback, shown_url
from rpcli.errors import (
    ApiError,
    ConfigError,
    GraphqlError,
    NetworkError,
    RpcliError,
    TimeoutExpired,
    UnexpectedResponse,
    UsageError,
)
from rpcli.terminal import one_line
from rpcli.transport.bodies import error_message, graphql_error, read_json, shape_error
from rpcli.transport.exchange import Pending

if TYPE_CHECKING:
    from rpcli.transport.session import Answer, Session

T = TypeVar("T")

TRIES = 3
#: Seconds before the second try; it doubles, and varies by half.
BACKOFF = 0.25
REDIRECTS = 5
_FORBIDDEN_CODES = ("unauthenticated", "unauthorized", "forbidden")


class Outcome(NamedTuple, Generic[T]):
    """What one of several calls gave: a value, or the error that it ended with."""

    value: T | None
    error: RpcliError | None


class Call(NamedTuple):
    """One request, before it is sent."""

    api: str  #: ``v2``, ``v1``, ``graphql``
    method: str
    url: str
    body: bytes | None
    limit: float  #: seconds of wall clock, all tries together
    tries: int
    safe: bool  #: whether sending it twice does no harm


class Transport:
    """The HTTP side of one invocation.

    :param trace: told of each request in one line without secrets
    :param jitter: gives numbers between 0 and 1
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        *,
        trace: Callable[[str], None] | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings
        self._clock = clock
        self._trace = trace
        self._jitter = jitter
        self._lock = threading.Lock()
        self._session: Session | None = None

    # -- what the control planes call

    def rest_v2(
        self,
        method: str,
        *segments: str,
        query: Mapping[str, str] | None = None,
        body: object | None = None,
    ) -> Any:
        """Ask REST v2, and give the decoded JSON (None without a body).

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
        """Ask REST v1, and give the decoded JSON (None without a body).

        :raises RpcliError: with ``api="v1"``
        """
        return self._rest("v1", self.settings.rest_v1_url, method, segments, query, body)

    def graphql(
        self,
        query: str,
        variables: Mapping[str, object] | None = None,
        *,
        cap: float | None = None,
        retry: bool = True,
    ) -> dict[str, Any]:
        """Ask GraphQL a question that changes nothing, and give the answer's ``data``.

        :param cap: seconds of wall clock; the usual limit where None
        :raises GraphqlError: the answer has errors, also inside HTTP 200
        :raises RpcliError: with ``api="graphql"``
        """
        url = self.settings.graphql_url
        document: dict[str, object] = {"query": query}
        if variables:
            document["variables"] = variables
        limit = self.settings.timeout if cap is None else min(cap, self.settings.timeout)
        call = Call(
            "graphql", "POST", url, _dump(document), limit, TRIES if retry else 1, safe=True
        )
        answer = self._perform(call)
        where = _where(call)
        if answer.status >= 400 and not _has_errors(answer.body):
            raise self._refusal(call, answer)
        found = read_json(
            answer.body, answer.headers.get("Content-Type"), where, api="graphql", status=answer.status
        )
        if not isinstance(found, dict):
            raise shape_error(where, "an object", found, api="graphql")
        if found.get("errors"):
            raise _graphql_refusal(found["errors"], answer.status, self._key().source)
        if not isinstance(found.get("data"), dict):
            raise shape_error(where, "an object under 'data'", found.get("data"), api="graphql")
        data: dict[str, Any] = found["data"]
        return data

    def begin(self, call: Callable[[], T]) -> Pending[T]:
        """Start a call beside the others."""
        return Pending(call)

    def together(self, *calls: Callable[[], T]) -> list[Outcome[T]]:
        """Run calls at the same time, and give what each came to."""
        return [outcome(pending) for pending in [self.begin(call) for call in calls]]

    def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            self._session.close()

    # -- one request

    def _rest(
        self,
        api: str,
        base: str,
        method: str,
        segments: tuple[str, ...],
        query: Mapping[str, str] | None,
        body: object | None,
    ) -> Any:
        url = "/".join([base, *map(encode_segment, segments)])
        if query:
            url += "?" + urlencode(query)
        safe = method in ("GET", "HEAD")
        data = None if body is None else _dump(body)
        call = Call(api, method, url, data, self.settings.timeout, TRIES, safe)
        answer = self._perform(call)
        if answer.status >= 400:
            raise self._refusal(call, answer)
        if answer.status == 204 or (not answer.body and not safe):
            return None
        return read_json(
            answer.body,
            answer.headers.get("Content-Type"),
            _where(call),
            api=api,
            status=answer.status,
        )

    def _perform(self, call: Call) -> Answer:
        """Send a request, again where that is safe and helps, until its time is up."""
        self._refuse_to_leak(call.url)
        deadline = self._clock.monotonic() + call.limit
        for attempt in range(1, call.tries + 1):
            last = attempt == call.tries
            try:
                answer = self._follow(call, deadline)
            except NetworkError as error:
                error.api = call.api
                if last or not (call.safe or _never_arrived(error)):
                    raise
                wait = self._backoff(attempt)
            except RpcliError as error:
                error.api = call.api
                raise
            else:
                if last or not call.safe or answer.status not in (429, 503):
                    return answer
                asked = self._asked_wait(answer)
                wait = self._backoff(attempt) if asked is None else asked
                if wait >= deadline - self._clock.monotonic():
                    return answer
            self._clock.sleep(min(wait, max(deadline - self._clock.monotonic(), 0.0)))
        raise TimeoutExpired(_expired(call), api=call.api)

    def _follow(self, call: Call, deadline: float) -> Answer:
        """Follow redirects of a request that changes nothing; a stranger gets no key."""
        url, key = call.url, self._key()
        for _ in range(REDIRECTS + 1):
            answer = self._exchange(call, url, key, deadline)
            location = answer.headers.get("Location")
            if answer.status not in (301, 302, 303, 307, 308) or not location:
                return answer
            target = urljoin(url, location)
            if call.method != "GET":
                raise UnexpectedResponse(
                    f"{_where(call)} redirects to {_host(target)}: a {call.method} is not sent there",
                    status=answer.status,
                )
            if urlsplit(target).scheme not in ("http", "https"):
                raise UnexpectedResponse(f"{_where(call)} redirects to no web address")
            if _origin(target) != _origin(call.url):
                key = None
            url = target
        raise UnexpectedResponse(
            f"{_where(call)} redirects in a loop, last to {_host(url)}", status=answer.status
        )

    def _exchange(self, call: Call, url: str, key: ApiKey | None, deadline: float) -> Answer:
        left = deadline - self._clock.monotonic()
        if left <= 0:
            raise TimeoutExpired(_expired(call))
        session = self._open()
        timeout = (min(self.settings.connect_timeout, left), left)
        started = self._clock.monotonic()
        pending = self.begin(
            lambda: session.send(call.method, url, key=key, body=call.body, timeout=timeout)
        )
        if not pending.wait(left):
            pending.give_up()
            self._tell(call, url, "no answer in time", started)
            raise TimeoutExpired(_expired(call))
        try:
            answer = pending.result()
        except RpcliError as error:
            self._tell(call, url, error.error_code, started)
            raise
        self._tell(call, url, str(answer.status), started)
        if key is None and answer.status >= 400:
            raise UnexpectedResponse(
                f"{_where(call)} redirects to {_host(url)}, which gets no key and answered "
                f"{answer.status}",
                status=answer.status,
            )
        return answer

    def _open(self) -> Session:
        with self._lock:
            if self._session is None:
                from rpcli.transport.session import Session

                self._session = Session()
            return self._session

    def _key(self) -> ApiKey:
        return self.settings.api_key()

    def _refuse_to_leak(self, url: str) -> None:
        """Keep the key off networks that could read it.

        :raises ConfigError: the address is plain http to another machine
        """
        parts = urlsplit(url)
        if parts.scheme == "http" and not self.settings.allow_http:
            host = parts.hostname or ""
            if not is_loopback(host):
                raise ConfigError(
                    f"{host} would get the API key over http, unencrypted",
                    hint="use https, or set RPCLI_ALLOW_HTTP=1 if that network is yours",
                )

    # -- waiting and telling

    def _backoff(self, attempt: int) -> float:
        return float(BACKOFF * 2 ** (attempt - 1) * (0.5 + self._jitter()))

    def _asked_wait(self, answer: Answer) -> float | None:
        from rpcli.domain.ratelimit import parse_retry_after

        return parse_retry_after(answer.headers.get("Retry-After"), self._clock.now())

    def _tell(self, call: Call, url: str, result: str, started: float) -> None:
        if self._trace is not None:
            milliseconds = (self._clock.monotonic() - started) * 1000
            key = self._key().source
            shown = one_line(shown_url(url))
            self._trace(f"{call.method} {shown}: {result}, {milliseconds:.0f} ms (key: {key})")

    def _refusal(self, call: Call, answer: Answer) -> RpcliError:
        """Make the error of an answer that is one."""
        message, code = error_message(answer.body)
        text = message or f"{_where(call)} answered with HTTP {answer.status}"
        hint = None
        if answer.status == 401:
            text += f" (the key is from {self._key().source})"
        if answer.status == 403 and b"error code: 1010" in answer.body:
            hint = "the platform's edge refused this client: a proxy may have changed its User-Agent"
        if answer.status == 429:
            asked = self._asked_wait(answer)
            hint = None if asked is None else f"try again in {asked:.0f} s"
            code = None
        return ApiError.from_status(
            answer.status, text, api_code=code, api=call.api, hint=hint
        )


def outcome(pending: Pending[T]) -> Outcome[T]:
    """Wait for a call, and give what it came to; only our own errors are outcomes."""
    try:
        return Outcome(pending.result(), None)
    except RpcliError as error:
        return Outcome(None, error)


def encode_segment(segment: str) -> str:
    """Encode one segment of a path, so that it can be no other path.

    :raises UsageError: it is empty or a dot segment
    """
    if not segment or segment in (".", ".."):
        raise UsageError(f"'{segment}' is no id")
    try:
        return quote(segment, safe="")
    except UnicodeEncodeError:
        raise UsageError(f"'{one_line(segment)}' is no id: it is not valid text") from None


def _graphql_refusal(errors: object, status: int, source: str) -> RpcliError:
    message, code = graphql_error(errors)
    shown = None if status == 200 else status
    if code is not None and code.lower() in _FORBIDDEN_CODES:
        http = 403 if code.lower() == "forbidden" else 401
        text = message if http == 403 else f"{message} (the key is from {source})"
        return ApiError.from_status(http, text, api="graphql")
    if status in (401, 403, 404, 410):
        return ApiError.from_status(status, message, api="graphql")
    return GraphqlError(message, status=shown, api="graphql")


def _has_errors(body: bytes) -> bool:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and isinstance(document.get("errors"), list)


def _never_arrived(error: NetworkError) -> bool:
    from rpcli.transport.session import NotArrived

    return isinstance(error, NotArrived)


def _dump(document: object) -> bytes:
    return json.dumps(document, allow_nan=False).encode()


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def _host(url: str) -> str:
    return one_line(urlsplit(url).netloc.rpartition("@")[2])


def _where(call: Call) -> str:
    return f"{_host(call.url)}{one_line(urlsplit(call.url).path)}"


def _expired(call: Call) -> str:
    return f"{_host(call.url)} gave no whole answer within {call.limit:g} s"
