"""A request for an event stream: which answers are one, how bytes come, and how a wait ends."""

from __future__ import annotations

import gzip
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from log_script import CHUNKED, EVENTS, LAST_CHUNK, chunk, opened, silent
from stub import Reply, Stub, Talk, head, reply, serve
from wire import KEY, transport_to

from rpcli.errors import Aborted, ApiError, NetworkError, RpcliError, UnexpectedResponse, UsageError
from rpcli.transport import Transport, streaming
from rpcli.transport.streaming import StreamConnection


def to(stub: Stub, home: Path) -> Transport:
    return transport_to(stub.url, home)


def connected(stub: Stub, home: Path, **options: str) -> StreamConnection:
    connection = to(stub, home).stream("pods", "p", "logs", **options)
    assert connection.open()
    return connection


def rest_of(connection: StreamConnection) -> bytes:
    return b"".join(iter(connection.read, b""))


def stepwise(first: bytes, then: threading.Event, *rest: bytes) -> Callable[[Talk], None]:
    """Send one part, and the rest when the test says so."""

    def answer(talk: Talk) -> None:
        talk.send(first)
        then.wait(20)
        for part in rest:
            talk.send(part)

    return answer


def flushed(*parts: bytes) -> list[bytes]:
    """Pack parts so that each can be unpacked when it has come."""
    packer = zlib.compressobj(wbits=31)
    packed = [packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH) for part in parts]
    return [*packed[:-1], packed[-1] + packer.flush()]


PACKED = flushed(b"one", b"two")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (EVENTS + b"one", b"two"),
        (CHUNKED + chunk(b"one"), chunk(b"two") + LAST_CHUNK),
        (head(200, Content_Type="text/event-stream", Content_Length="6") + b"one", b"two"),
        (
            head(200, Content_Type="text/event-stream", Content_Encoding="gzip") + PACKED[0],
            PACKED[1],
        ),
    ],
    ids=["close", "chunked", "length", "gzip"],
)
def test_bytes_are_handed_on_as_they_come(tmp_path: Path, first: bytes, second: bytes) -> None:
    # B10, B11
    more = threading.Event()
    with serve(stepwise(first, more, second)) as stub:
        connection = connected(stub, tmp_path)
        assert connection.read() == b"one"
        more.set()
        assert rest_of(connection) == b"two"
        assert connection.read() == b""


@pytest.mark.parametrize(
    "said",
    ["text/event-stream", "text/event-stream; charset=utf-8", " Text/Event-Stream ;x"],
)
def test_an_event_stream_is_known_by_its_content_type(tmp_path: Path, said: str) -> None:
    with serve(head(200, Content_Type=said) + b"x") as stub:
        assert rest_of(connected(stub, tmp_path)) == b"x"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("text/html", "text/html"),
        ("application/json", "application/json"),
        ("text/event-stream-like", "text/event-stream-like"),
        ("", "no content type"),
        ("text/\x1b[31mhtml", r"text/\x1b[31mhtml"),
    ],
)
def test_what_is_none_is_refused_with_its_beginning(tmp_path: Path, said: str, shown: str) -> None:
    # B12, the second remark of the seed's reviewer
    with serve(head(200, Content_Type=said) + b"<p>Sign in</p>" + b"x" * 100_000) as stub:
        error = refusal_of(stub, tmp_path)
    assert isinstance(error, UnexpectedResponse)
    assert f"answered with {shown}, not text/event-stream: " in error.message
    assert "Sign in" in error.message
    assert len(error.message) < 500


def refusal_of(stub: Stub, home: Path) -> RpcliError:
    with pytest.raises(RpcliError) as caught:
        to(stub, home).stream("pods", "p", "logs").open()
    return caught.value


def test_an_answer_without_a_body_says_that_there_is_no_more(tmp_path: Path) -> None:
    # B16
    with serve(reply(b"", 204, Content_Length="")) as stub:
        assert to(stub, tmp_path).stream("pods", "p", "logs").open() is False


@pytest.mark.parametrize("status", [304, 300])
def test_a_status_that_says_nothing_is_told(tmp_path: Path, status: int) -> None:
    with serve(reply(b"", status, Content_Length="")) as stub:
        assert f"answered with HTTP {status}" in refusal_of(stub, tmp_path).message


def test_an_error_is_read_with_its_body_packed_or_not(tmp_path: Path) -> None:
    packed = gzip.compress(b'{"error": "no such pod"}')
    for answer in (
        reply({"error": "no such pod"}, 404),
        reply(packed, 404, Content_Encoding="gzip"),
    ):
        with serve(answer) as stub:
            error = refusal_of(stub, tmp_path)
        assert isinstance(error, ApiError)
        assert (error.status, error.message, error.api) == (404, "no such pod", "v2")


@pytest.mark.parametrize("status", [404, 503])
def test_an_error_whose_body_never_ends_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(streaming, "PATIENCE", 0.05)
    with serve(opened(head=head(status))) as stub:
        assert refusal_of(stub, tmp_path).status in (status, None)
        assert stub.left.wait(20)


def test_the_beginning_of_what_never_ends_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "PATIENCE", 0.05)
    page = head(200, Content_Type="text/html") + b"<p>half a page"
    with serve(opened(head=page)) as stub:
        assert "half a page" in refusal_of(stub, tmp_path).message


def test_what_is_packed_otherwise_is_refused(tmp_path: Path) -> None:
    # B11: nobody asked for it
    with serve(head(200, Content_Type="text/event-stream", Content_Encoding="br") + b"x") as stub:
        error = refusal_of(stub, tmp_path)
    assert isinstance(error, UnexpectedResponse)
    assert "br" in error.message


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (CHUNKED + b"4\r\nab", NetworkError, "broke"),
        (CHUNKED + b"zz\r\nab", NetworkError, "broke"),
        (
            head(200, Content_Type="text/event-stream", Content_Length="9") + b"ab",
            NetworkError,
            "broke",
        ),
        (
            head(200, Content_Type="text/event-stream", Content_Encoding="gzip") + PACKED[0],
            NetworkError,
            "what it packed has no end",
        ),
        (
            head(200, Content_Type="text/event-stream", Content_Encoding="gzip") + b"\x1f\x8b\x08!",
            UnexpectedResponse,
            "cannot be unpacked",
        ),
    ],
    ids=["chunk cut", "chunk size", "length", "gzip cut", "gzip garbage"],
)
def test_what_breaks_is_told(
    tmp_path: Path, answer: bytes, kind: type[RpcliError], text: str
) -> None:
    with serve(lambda talk: talk.send(answer)) as stub:
        connection = connected(stub, tmp_path)
        with pytest.raises(kind, match=text):
            rest_of(connection)


def test_what_is_sent(tmp_path: Path) -> None:
    with serve(EVENTS) as stub:
        transport = to(stub, tmp_path)
        connection = transport.stream(
            "pods", "ü/x", "logs", query={"t": "a b"}, last_event_id="é/1"
        )
        assert stub.requests == []
        assert connection.open()
    (request,) = stub.requests
    assert request.line == "GET /v2/pods/%C3%BC%2Fx/logs?t=a+b HTTP/1.1"
    headers = {name: request.headers[name] for name in ("accept", "cache-control")}
    assert headers == {"accept": "text/event-stream", "cache-control": "no-cache"}
    assert request.headers["accept-encoding"] == "identity"
    assert "last-event-id: é/1".encode() in request.raw.lower()
    assert request.key == f"Bearer {KEY}"


@pytest.mark.parametrize("segment", ["", " ", ".", ".."])
def test_a_segment_that_is_none_is_refused_before_any_request(tmp_path: Path, segment: str) -> None:
    with serve(EVENTS) as stub, pytest.raises(UsageError):
        to(stub, tmp_path).stream("pods", segment, "logs")
    assert stub.requests == []


# -- redirects


def test_a_redirect_is_followed_with_the_cursor_and_to_a_stranger_without_the_key(
    tmp_path: Path,
) -> None:
    # B31
    with serve(EVENTS + b"there") as other:
        away = reply(b"", 307, Location=f"{other.url.replace('127.0.0.1', 'localhost')}/elsewhere")
        with serve(reply(b"", 302, Location="/v2/moved"), away) as stub:
            assert rest_of(connected(stub, tmp_path, last_event_id="7")) == b"there"
    assert [r.key for r in stub.requests] == [f"Bearer {KEY}"] * 2
    assert stub.requests[1].target == "/v2/moved"
    assert other.requests[0].key is None
    assert [r.headers["last-event-id"] for r in (*stub.requests, *other.requests)] == ["7"] * 3


def test_redirects_in_a_loop_end(tmp_path: Path) -> None:
    with serve(reply(b"", 302, Location="/v2/again")) as stub:
        assert "redirects in a loop" in refusal_of(stub, tmp_path).message
    assert len(stub.requests) == 6


# -- an end from outside


@pytest.mark.parametrize(
    "answer",
    [
        silent,
        opened(head=b"HTTP/1.1 200 O"),
        opened(),
        opened(b"5\r\nab", head=CHUNKED),
        opened(head=head(200, Content_Type="text/event-stream", Content_Encoding="gzip")),
        opened(b"{", head=head(500)),
        opened(b"<", head=head(200, Content_Type="text/html")),
    ],
    ids=["headers", "half a status", "close", "chunk", "gzip", "body of an error", "no stream"],
)
def test_whoever_waits_is_woken_from_another_thread(tmp_path: Path, answer: Reply) -> None:
    # B23, at every stage
    with serve(answer) as stub:
        connection = to(stub, tmp_path).stream("pods", "p", "logs")
        ended: list[BaseException] = []

        def wait() -> None:
            try:
                if connection.open():
                    rest_of(connection)
            except BaseException as error:  # noqa: BLE001 - compared below
                ended.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        assert stub.asked.wait(20)
        connection.abort()
        thread.join(20)
        assert [type(error) for error in ended] == [Aborted]
        assert stub.left.wait(20)


def test_one_that_was_aborted_sends_nothing(tmp_path: Path) -> None:
    with serve(EVENTS) as stub:
        connection = to(stub, tmp_path).stream("pods", "p", "logs")
        connection.abort()
        with pytest.raises(Aborted):
            connection.open()
    assert stub.requests == []


def test_an_abort_never_fails(tmp_path: Path) -> None:
    with serve(EVENTS) as stub:
        connection = connected(stub, tmp_path)
        rest_of(connection)
        connection.abort()
        connection.abort()
        with pytest.raises(Aborted):
            connection.read()


def _kept(first: bytes, then: threading.Event, second: bytes, more: bytes) -> Reply:
    """Answer two requests of one connection."""

    def answer(talk: Talk) -> None:
        talk.send(first)
        assert talk.sock.recv(1 << 16)
        stepwise(second, then, more)(talk)

    return answer


@pytest.mark.parametrize("framing", ["closed", "kept"])
def test_an_abort_is_no_matter_of_the_next_on_the_same_connection(
    tmp_path: Path, framing: str
) -> None:
    # C07: what has ended frees its place, and is given up when the next is under way already
    then = threading.Event()
    if framing == "closed":
        replies = (EVENTS + b"first", stepwise(EVENTS, then, b"second"))
    else:
        whole = CHUNKED + chunk(b"first") + LAST_CHUNK
        replies = (_kept(whole, then, CHUNKED, chunk(b"second") + LAST_CHUNK),)
    with serve(*replies) as stub:
        transport = to(stub, tmp_path)
        first, second = (transport.stream("pods", name, "logs") for name in "ab")
        assert first.open()
        assert rest_of(first) == b"first"
        assert second.open()
        first.abort()
        then.set()
        assert rest_of(second) == b"second"
        assert stub.connections == len(replies)


def test_a_body_is_still_woken_when_its_connection_has_made_another(tmp_path: Path) -> None:
    begun = threading.Barrier(2)
    with serve(opened(b"a")) as stub:
        transport = to(stub, tmp_path)
        first, second = (transport.stream("pods", name, "logs") for name in "ab")
        assert first.open()
        assert first.read() == b"a"
        thread = threading.Thread(target=lambda: (begun.wait(20), _swallow(first)))
        thread.start()
        assert second.open()
        begun.wait(20)
        first.abort()
        thread.join(20)
        assert not thread.is_alive()
        assert second.read() == b"a"
        second.abort()


def _swallow(connection: StreamConnection) -> None:
    with pytest.raises(Aborted):
        connection.read()
