"""One request for an event stream: headers that may take for ever, and bytes as they come.

Rules: only what says that it is an event stream is handed on; bytes are handed on as they arrive,
in every framing, unpacked in small steps; whoever waits can be woken from another thread at any
stage; the body of an error has :data:`PATIENCE` to come.
"""

from __future__ import annotations

import contextlib
import threading
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rpcli.domain import address
from rpcli.errors import Aborted, NetworkError, RpcliError, UnexpectedResponse
from rpcli.terminal import one_line, shorten
from rpcli.transport import redirects
from rpcli.transport.answers import EXCERPT, excerpt
from rpcli.transport.bodies import EndsTooEarly, is_gzip, read_body, unpacked
from rpcli.transport.calls import Answer, Hop, Limits, Outgoing
from rpcli.transport.exchange import GivenUp, Lifeline

if TYPE_CHECKING:
    import requests

    from rpcli.transport.session import Session

#: Bytes that are taken at once, at most.
_MOST = 1 << 16
#: Redirects of one request that are followed.
_REDIRECTS = 5
#: Seconds that the body of an answer that is no stream may take.
PATIENCE = 5.0
_KIND = "text/event-stream"


class StreamConnection:
    """One request for a stream of an API; :meth:`abort` may come from any thread.

    :param hop: where it is sent
    :param session: gives what sends it
    :param last_event_id: the cursor, sent in UTF-8
    :param connect_timeout: seconds
    :param heard: told of each answer as soon as its headers are there, and of where it came from
    :param refusal: makes the error of an answer that is one, given where it came from
    """

    def __init__(
        self,
        hop: Hop,
        session: Callable[[], Session],
        *,
        last_event_id: str | None,
        connect_timeout: float,
        heard: Callable[[Answer, Hop], None],
        refusal: Callable[[Answer, str], RpcliError],
    ) -> None:
        self._hop = hop
        self._session = session
        self._last_event_id = last_event_id
        self._limits = Limits(connect_timeout, None)
        self._heard = heard
        self._refusal = refusal
        self._lifeline = Lifeline()
        self._thread: int | None = None
        self._response: requests.Response | None = None
        self._chunks: Iterator[bytes] = iter(())

    def open(self) -> bool:
        """Send the request, and wait for the headers of the answer, however long they take.

        :returns: False where the server answered 204
        :raises RpcliError: the answer is no stream, or there is none
        :raises Aborted: by :meth:`abort`
        """
        self._thread = threading.get_ident()
        with self._waiting():
            response = self._follow()
            if response.status_code == 204:
                return False
            if not 200 <= response.status_code < 300:
                raise self._refused(response)
            self._require_stream(response)
            self._chunks = _chunks(response, self._hop)
            return True

    def read(self) -> bytes:
        """Give the bytes that have come, waiting for the first; the empty bytes at a clean end.

        :raises NetworkError: the connection broke, or its framing did
        :raises UnexpectedResponse: it cannot be unpacked
        :raises Aborted: by :meth:`abort`
        """
        with self._waiting():
            try:
                return next(self._chunks, b"")
            except EndsTooEarly:
                host = address.host_of(self._hop.url)
                raise NetworkError(
                    f"the connection to {host} broke: what it packed has no end"
                ) from None
            except zlib.error:
                raise UnexpectedResponse(
                    f"{self._hop.where} sends what cannot be unpacked"
                ) from None

    def abort(self) -> None:
        """Wake whoever opens or reads, at any stage, and close the connection; never fails."""
        self._lifeline.give_up()
        # Another thread would wait for whoever reads; that one closes it when it is woken.
        if self._thread == threading.get_ident():
            self._close()

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[None]:
        """Wait for the network; whatever that raises once it was given up means nothing."""
        try:
            with (
                self._lifeline.running(),
                self._session().translating(self._hop.url, self._limits),
            ):
                yield
        except GivenUp:
            raise Aborted from None
        except Exception as error:
            self._close()
            if self._lifeline.is_given_up:
                raise Aborted from None
            if isinstance(error, RpcliError):
                error.api = error.api or "v2"
            raise
        if self._lifeline.is_given_up:
            self._close()
            raise Aborted

    def _close(self) -> None:
        if self._response is not None:
            with contextlib.suppress(Exception):
                self._response.close()

    def _follow(self) -> requests.Response:
        """Send the request to where it is meant for, and then to where it is redirected."""
        first = self._hop
        for _ in range(_REDIRECTS + 1):
            response = self._send()
            answer = Answer(response.status_code, response.headers, b"")
            self._heard(answer, self._hop)
            target = redirects.target_of(answer, self._hop.url)
            if target is None:
                return response
            response.close()
            keeps = address.keeps_key(self._hop.url, target)
            where = f"{redirects.shown_endpoint(target)} (redirected from {first.where})"
            self._hop = Hop(target, self._hop.key if keeps else None, where)
        raise UnexpectedResponse(f"{first.where} redirects in a loop, last to {self._hop.where}")

    def _send(self) -> requests.Response:
        headers: dict[str, str | bytes] = {
            "Accept": _KIND,
            "Cache-Control": "no-cache",
            # Whoever packs a stream may hold its bytes back; what is packed all the same is read.
            "Accept-Encoding": "identity",
        }
        if self._last_event_id is not None:
            headers["Last-Event-ID"] = self._last_event_id.encode("utf-8", "replace")
        request = Outgoing("GET", self._hop.url, self._hop.key, None)
        self._response = self._session().open(request, self._limits, headers)
        return self._response

    def _require_stream(self, response: requests.Response) -> None:
        said = (response.headers.get("Content-Type") or "").strip()
        if said.partition(";")[0].strip().lower() == _KIND:
            return
        kind = shorten(one_line(said), 60) or "no content type"
        raise UnexpectedResponse(
            f"{self._hop.where} answered with {kind}, not {_KIND}: {self._beginning(response)}",
            status=response.status_code,
        )

    def _refused(self, response: requests.Response) -> RpcliError:
        status = response.status_code
        if status < 400:
            return UnexpectedResponse(
                f"{self._hop.where} answered with HTTP {status}, which says nothing", status=status
            )
        with self._patience():
            body = read_body(response.raw, status, address.host_of(self._hop.url))
        return self._refusal(Answer(status, response.headers, body), self._hop.where)

    def _beginning(self, response: requests.Response) -> str:
        """Give the beginning of a body, safe to show."""
        data = b""
        with self._patience(), contextlib.suppress(Exception):
            for chunk in _chunks(response, self._hop):
                data += chunk
                if len(data) >= EXCERPT:
                    break
        return excerpt(data)

    @contextlib.contextmanager
    def _patience(self) -> Iterator[None]:
        """Let what is read in here come to an end, however slowly the server sends it."""
        timer = threading.Timer(PATIENCE, self._lifeline.shut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _chunks(response: requests.Response, hop: Hop) -> Iterator[bytes]:
    """Give what comes, as it comes, unpacked; nothing of it is empty."""
    raw: Any = response.raw
    chunks = iter(lambda: raw.read1(_MOST, decode_content=False), b"")
    if is_gzip(raw, response.status_code, address.host_of(hop.url)):
        return filter(None, unpacked(chunks))
    return chunks
