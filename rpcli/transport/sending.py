"""Send a request until it is answered, its time is up, or another try makes no sense.

Rules: the deadline is one of wall clock and covers all tries, waits and redirects together; a
redirect of a GET is followed, to another host without the key; anything else is not sent elsewhere.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from rpcli.clock import Clock
from rpcli.config import ApiKey, Settings
from rpcli.domain import address, ratelimit
from rpcli.errors import NetworkError, RpcliError, TimeoutExpired, UnexpectedResponse
from rpcli.transport import redirects
from rpcli.transport.calls import (
    Answer,
    Call,
    Hop,
    LastingNetworkError,
    Limits,
    Outgoing,
    Result,
)
from rpcli.transport.exchange import Pending

if TYPE_CHECKING:
    from rpcli.transport.session import Session

T = TypeVar("T")

TRIES = 3
#: Seconds before the second try; they double, and vary by half.
BACKOFF = 0.25
#: Redirects of one request that are followed.
REDIRECTS = 5


class Sender:
    """What sends calls; safe to use from many threads.

    :param trace: told of each request in one line, without secrets
    :param jitter: gives numbers from 0 to 1, to spread retries
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        *,
        trace: Callable[[str], None] | None,
        jitter: Callable[[], float] | None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._trace = trace
        self._jitter = jitter
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._running: list[Pending[Any]] = []
        self._is_closed = False

    def perform(self, call: Call) -> tuple[Answer, str]:
        """Send a request, again where that is safe and helps; give the answer, and who gave it.

        :raises RpcliError: there was none; ``api`` says which API did not answer
        """
        key = self._settings.api_key()
        deadline = self._clock.monotonic() + call.limit
        number = 1
        while True:
            result = self._follow(call, key, deadline)
            wait = self._wait_before_next(call, result, number)
            if wait is None or wait >= deadline - self._clock.monotonic():
                break
            self.tell(f"{call.method} {call.url}: again in {wait:.1f} s")
            self._clock.sleep(wait)
            number += 1
        if result.answer is not None:
            return result.answer, result.where
        raise _told(result, call)

    def begin(self, call: Callable[[], T]) -> Pending[T]:
        """Run a call in a thread, and remember to give it up at the end; after that none begins."""
        # Asked before the thread starts: one that is given up afterwards may have sent something.
        pending: Pending[T] = Pending(_refuse if self._is_closed else call)
        with self._lock:
            self._running = [p for p in self._running if not p.is_done] + [pending]
            is_closed = self._is_closed
        if is_closed:
            pending.give_up()
        return pending

    def close(self) -> None:
        """Give up whatever is still under way, and close every connection."""
        with self._lock:
            self._is_closed = True
            running, session = self._running, self._session
        for pending in running:
            pending.give_up()
        if session is not None:
            session.close()

    def _wait_before_next(self, call: Call, result: Result, number: int) -> float | None:
        """Give the seconds before the next try; None where there shall be none."""
        if number >= call.tries:
            return None
        backoff = BACKOFF * 2 ** (number - 1)
        if result.answer is None:
            may_repeat = call.is_safe or not result.was_sent
            return backoff * (0.5 + self._random()) if may_repeat and _may_pass(result) else None
        if result.answer.status not in (429, 503) or not call.is_safe:
            return None
        asked = ratelimit.asked_wait(result.answer.headers, self._clock.now())
        # All who were sent away at once shall not come back at once.
        return (backoff if asked is None else asked) + BACKOFF * self._random()

    def _follow(self, call: Call, key: ApiKey, deadline: float) -> Result:
        """Send a request to where it is meant for, and then to where it is redirected."""
        hop = Hop(call.url, key, address.endpoint_of(call.url))
        for _ in range(REDIRECTS + 1):
            result = self._exchange(call, hop, deadline)
            if result.answer is None:
                return result
            try:
                target = redirects.target_of(result.answer, hop.url)
                if target is None:
                    return _of_a_stranger(result) if hop.key is None else result
                redirects.require_get(call.method, hop.url, target, result.answer.status)
            except UnexpectedResponse as error:
                return result._replace(answer=None, error=error)
            hop = Hop(
                target,
                hop.key if address.keeps_key(hop.url, target) else None,
                f"{redirects.shown_endpoint(target)} (redirected from {call.where})",
            )
        return Result(
            None,
            UnexpectedResponse(f"{call.where} redirects in a loop, last to {hop.where}"),
            hop.where,
        )

    def _exchange(self, call: Call, hop: Hop, deadline: float) -> Result:
        """Send one request, and wait for its answer until the deadline and not longer."""
        session = self.session()
        started = self._clock.monotonic()
        left = deadline - started
        if left <= 0:
            return Result(None, _too_late(call, hop, was_sent=False), hop.where)
        # The wait below is the limit; those of the socket only end what was given up.
        limits = Limits(min(self._settings.connect_timeout, left), left + 1)
        request = Outgoing(call.method, hop.url, hop.key, call.body)
        heard: list[Answer] = []
        pending = self.begin(lambda: session.send(request, limits, heard.append))
        try:
            result = _wait_for(pending, left, heard, call, hop)
        finally:
            if not pending.is_done:
                pending.give_up()
        self._tell_of(call, hop, result, self._clock.monotonic() - started)
        return result

    def _tell_of(self, call: Call, hop: Hop, result: Result, seconds: float) -> None:
        came: object = "no answer"
        if result.answer is not None:
            came = result.answer.status
        elif result.error is not None:
            came = result.error.error_code
        key = hop.key.source if hop.key else "none"
        url = redirects.short(hop.url)
        self.tell(f"{call.method} {url}: {came}, {seconds * 1000:.0f} ms (key: {key})")

    def session(self) -> Session:
        """Give what sends; it is made at the first request."""
        with self._lock:
            if self._session is None:
                import warnings

                # A library's warning about its own set-up is no reason to fail under `-W error`.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    from rpcli.transport.session import Session

                self._session = Session(
                    trust_env=not self._settings.is_sandboxed, allow_http=self._settings.allow_http
                )
            return self._session

    def _random(self) -> float:
        if self._jitter is None:
            import random

            self._jitter = random.random
        return self._jitter()

    def tell(self, text: str) -> None:
        """Trace a line."""
        if self._trace is not None:
            self._trace(text)


def _wait_for(
    pending: Pending[Answer], seconds: float, heard: list[Answer], call: Call, hop: Hop
) -> Result:
    """Wait for an answer for so many seconds, and give what there is then."""
    try:
        if pending.wait(seconds):
            return Result(pending.result(), None, hop.where, pending.sent)
    except RpcliError as error:
        return Result(None, error, hop.where, pending.sent)
    if heard and heard[0].status >= 400:
        # What went wrong is known, though its text never came to an end.
        return Result(heard[0], None, hop.where, pending.sent)
    return Result(None, _too_late(call, hop, was_sent=pending.sent), hop.where, pending.sent)


def _refuse() -> NoReturn:
    raise LastingNetworkError("nothing is sent any more: the connections are closed")


def _may_pass(result: Result) -> bool:
    """Whether an error may be gone by the next try."""
    return isinstance(result.error, NetworkError) and not result.error.is_lasting


def _of_a_stranger(result: Result) -> Result:
    """Say what it really is when somebody else wants a key: no word about ours."""
    if result.answer is None or result.answer.status not in (401, 403):
        return result
    status = result.answer.status
    error = UnexpectedResponse(
        f"{result.where} gets no key from us, and answered with HTTP {status}", status=status
    )
    return result._replace(answer=None, error=error)


def _too_late(call: Call, hop: Hop, *, was_sent: bool) -> TimeoutExpired:
    host = redirects.short(address.host_of(hop.url))
    what = f"{host} gave no whole answer" if was_sent else f"no connection to {host}"
    return TimeoutExpired(f"{what} within {call.limit:g} s")


def _told(result: Result, call: Call) -> RpcliError:
    """Complete the error of a call that got no answer."""
    error = result.error or TimeoutExpired(f"{call.where} gave no answer")
    error.api = call.api
    if result.was_sent and not call.is_safe and isinstance(error, NetworkError | TimeoutExpired):
        error.hint = "it may have been done all the same: look before you send it again"
    return error
