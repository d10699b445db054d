"""Faults of how the bytes go: dripped, cut, stalled, malformed, or not at all."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_wire import PATIENCE, connected, exchange, read_all, read_exactly

from rpcli.sandbox.wire import Abandoned, Ended, Wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpcli.sandbox import Sandbox

ONE: dict[str, Any] = {"rateLimit": "none", "pods": [{"id": "p1"}]}
TEXT = "0123456789"

pytestmark = pytest.mark.scenario(ONE)


@pytest.mark.parametrize(
    ("cut", "body", "end"),
    [
        ({}, b"", "closed"),
        ({"after": 5}, b"01234", "closed"),
        ({"after": 5, "how": "close"}, b"01234", "closed"),
        ({"after": 5, "how": "reset"}, b"01234", "reset"),
        ({"after": 10}, b"0123456789", "closed"),
        ({"after": 99}, b"0123456789", "closed"),
    ],
)
def test_a_body_is_cut(sandbox: Sandbox, cut: Mapping[str, Any], body: bytes, end: str) -> None:
    sandbox.add_fault({"body": TEXT, "cut": cut})
    head, got, ended = exchange(sandbox)
    assert b"Content-Length: 10" in head
    assert (got, ended) == (body, end)


@pytest.mark.parametrize("how", ["close", "reset"])
def test_an_answer_is_cut_before_its_first_byte(sandbox: Sandbox, how: str) -> None:
    sandbox.add_fault({"cut": {"of": "answer", "how": how}})
    head, body, ended = exchange(sandbox)
    assert (head, body) == (b"", b"")
    assert ended == ("reset" if how == "reset" else "closed")


def test_an_answer_is_cut_in_its_head(sandbox: Sandbox) -> None:
    sandbox.add_fault({"cut": {"of": "answer", "after": 12}})
    assert exchange(sandbox)[0] == b"HTTP/1.1 200"


def test_a_stalled_answer_leaves_the_connection_open(sandbox: Sandbox) -> None:
    sandbox.add_fault({"body": TEXT, "cut": {"after": 3, "how": "stall"}})
    with connected(sandbox) as connection:
        data = b""
        while not data.endswith(b"012"):
            data += read_exactly(connection, 1)
        connection.setblocking(False)
        with pytest.raises(BlockingIOError):
            connection.recv(1)
        connection.settimeout(PATIENCE)
        sandbox.stop()
        assert connection.recv(1) == b""


@pytest.mark.parametrize("length", [3, 100_000])
def test_a_length_is_a_lie(sandbox: Sandbox, length: int) -> None:
    sandbox.add_fault({"body": TEXT, "contentLength": length})
    head, body, _ = exchange(sandbox)
    assert f"Content-Length: {length}\r\n".encode() in head
    assert body == TEXT.encode()


@pytest.mark.parametrize(
    ("fault", "body"),
    [
        ({"chunked": True}, b"a\r\n0123456789\r\n0\r\n\r\n"),
        ({"chunked": True, "chunk": 6}, b"6\r\n012345\r\n4\r\n6789\r\n0\r\n\r\n"),
        ({"chunked": "broken", "chunk": 6}, b"6\r\n012345\r\nzz\r\n"),
        ({"chunked": True, "cut": {"after": 7}}, b"a\r\n0123456"),
        ({"chunked": True, "cut": {"after": 10}}, b"a\r\n0123456789\r\n"),
    ],
)
def test_chunks_are_well_formed_or_not(
    sandbox: Sandbox, fault: Mapping[str, Any], body: bytes
) -> None:
    sandbox.add_fault({"body": TEXT, **fault})
    head, got, _ = exchange(sandbox)
    assert b"Transfer-Encoding: chunked" in head
    assert b"Content-Length" not in head
    assert got == body


def test_what_drips_comes_whole(sandbox: Sandbox) -> None:
    sandbox.add_fault({"body": TEXT, "drip": 0.001, "dripHeaders": 0.0001, "times": 1})
    sandbox.add_fault({"body": TEXT, "drip": 0.001, "chunk": 4})
    for _ in range(2):
        head, body, ended = exchange(sandbox)
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert (body, ended) == (TEXT.encode(), "closed")


@pytest.mark.parametrize(
    "fault",
    [
        {"drip": 3600},
        {"dripHeaders": 3600},
        {"latency": 3600},
        {"silent": True},
        {"cut": {"how": "stall"}},
        {"body": "x" * 20_000, "drip": 0.001},
    ],
)
def test_a_client_that_goes_away_is_noticed(sandbox: Sandbox, fault: Mapping[str, Any]) -> None:
    sandbox.add_fault(fault)
    with connected(sandbox):
        assert sandbox.wait_for_requests(1)
        assert not sandbox.wait_until_idle(0)
    assert sandbox.wait_until_idle()
    (entry,) = sandbox.requests()
    assert (entry["status"], entry["abandoned"]) == (None, True)


def test_raw_bytes_are_sent_as_they_are(sandbox: Sandbox) -> None:
    sandbox.add_fault({"raw": "SSH-2.0-x\r\n\u00ff"})
    with connected(sandbox) as connection:
        assert read_all(connection) == (b"SSH-2.0-x\r\n\xff", "closed")


def test_a_cut_answer_is_counted_as_cut_and_not_as_abandoned(sandbox: Sandbox) -> None:
    sandbox.add_fault({"cut": {"after": 1}})
    exchange(sandbox)
    assert sandbox.wait_until_idle()
    (entry,) = sandbox.requests()
    assert (entry["status"], entry["abandoned"], entry["route"]) == (None, False, "/v2/pods")


# -- the wire by itself, as a stream of frames uses it


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    listener = socket.create_server(("127.0.0.1", 0))
    ours = socket.create_connection(listener.getsockname(), PATIENCE)
    theirs, _ = listener.accept()
    with listener, ours, theirs:
        yield ours, theirs


FRAMES = [b"id: 1\n", b"data: one\n\n", b"id: 2\ndata: two\n\n"]


@pytest.mark.parametrize("after", [0, 3, 6, 17, 20])
def test_a_stream_is_cut_in_mid_frame(
    pair: tuple[socket.socket, socket.socket], after: int
) -> None:
    ours, theirs = pair
    wire = Wire(theirs, threading.Event(), {"cut": {"after": after, "how": "reset"}})
    with pytest.raises(Ended):
        _stream(wire)
    data, end = read_all(ours)
    assert data.partition(b"\r\n\r\n")[2] == b"".join(FRAMES)[:after]
    assert end == "reset"


def test_a_stream_goes_on_until_it_is_finished(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    with pytest.raises(Ended):
        _stream(Wire(theirs, threading.Event(), {}))
    data, end = read_all(ours)
    head, _, body = data.partition(b"\r\n\r\n")
    assert head == b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream"
    assert (body, end) == (b"".join(FRAMES), "closed")


def test_a_stream_ends_with_the_sandbox(pair: tuple[socket.socket, socket.socket]) -> None:
    stopping = threading.Event()
    wire = Wire(pair[1], stopping, {})
    stopping.set()
    with pytest.raises(Ended):
        wire.wait()


def test_a_stream_whose_client_is_gone_is_told(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    ours.close()
    with pytest.raises(Abandoned):
        Wire(theirs, threading.Event(), {}).wait()


def _stream(wire: Wire) -> None:
    wire.head(200, "OK", [("Content-Type", "text/event-stream")])
    for frame in FRAMES:
        wire.body(frame)
    wire.finish()
