"""Bodies that are no JSON, too large, badly packed or cut: what came is named, and made safe."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zlib
from pathlib import Path

import pytest
import urllib3
from stub import Talk, head, reply, serve
from wire import Ask, ask_graphql, get, refused, refused_by

from rpcli.errors import NetworkError, UnexpectedResponse
from rpcli.transport.bodies import LARGEST, read_body

HTML = b"<!DOCTYPE html><html><title>Just a moment</title>" + b"x" * 5000


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (reply(HTML, 200, Content_Type="text/html"), "text/html, not JSON: <!DOCTYPE html><html>"),
        (reply(b"[]", 200, Content_Type="text/event-stream"), "text/event-stream, not JSON: []"),
        (reply(b"[]", 200, Content_Type="application/jsonp"), "application/jsonp, not JSON: []"),
        (reply(b"\x1b[2J\x00\xff", 200, Content_Type="a/b"), "a/b, not JSON: \\x1b[2J\\x00\ufffd"),
        (reply(b"[]", 200, Content_Type="x" * 999), f"{'x' * 59}…, not JSON: []"),
        (reply(HTML), "what is not JSON (line 1, column 1): <!DOCTYPE html>"),
        (reply(b""), "what is not JSON (it is empty): (nothing)"),
        (reply(b"\xef\xbb\xbf"), "what is not JSON (it is empty):"),
        (
            reply(b'{"pods": [{"id": "a"'),
            'what is not JSON (it ends too early): {"pods": [{"id": "a"',
        ),
        (reply(b'[{"costPerHr": NaN}]'), "what is not JSON (NaN is no JSON):"),
        (reply(b"[Infinity]"), "what is not JSON (Infinity is no JSON):"),
        (reply(b'[{"volumeInGb": 1e400}]'), "what is not JSON (a number in it is too large):"),
        (reply(b"9" * 5000), "what is not JSON (a number in it is too large): 99999"),
        (reply(b"[" * 200_000), "what is not JSON (it is nested too deeply): [[[["),
        (
            reply(b'{"a":' * 3000 + b"1" + b"}" * 3000),
            "what is not JSON (it is nested too deeply):",
        ),
        (reply(b'["\xff"]'), "what is not JSON (it is not UTF-8):"),
    ],
)
@pytest.mark.parametrize("ask", [get, ask_graphql])
def test_what_is_no_json_is_named_and_shown_shortly(
    tmp_path: Path, answer: bytes, what: str, ask: Ask
) -> None:
    """B26, B28, E08."""
    with serve(answer) as stub:
        error = refused_by(tmp_path, stub, ask)
    path, api = ("/v2/pods", "v2") if ask is get else ("/graphql", "graphql")
    assert isinstance(error, UnexpectedResponse)
    assert error.message.startswith(f"{stub.host}{path} answered with {what}")
    assert len(error.message) < 300
    assert error.message.isprintable()
    assert (error.error_code, error.status, error.api) == ("unexpected_response", 200, api)


@pytest.mark.parametrize("chunked", [True, False])
def test_a_body_is_bounded_packed_or_not(tmp_path: Path, chunked: bool) -> None:
    too_much = LARGEST + 1
    bomb = gzip.compress(b"[" + b" " * too_much, 9, mtime=0)
    if chunked:
        packed = head(Content_Encoding="gzip", Transfer_Encoding="chunked")
        packed += b"%x\r\n%s\r\n0\r\n\r\n" % (len(bomb), bomb)
    else:
        packed = reply(bomb, 200, Content_Encoding="gzip")

    def endless(talk: Talk) -> None:
        talk.send(head(Transfer_Encoding="chunked" if chunked else ""))
        talk.drip(b"100000\r\n" + b" " * (1 << 20) + b"\r\n" if chunked else b" " * (1 << 20))

    with serve(packed, endless) as stub:
        for _ in range(2):
            error = refused_by(tmp_path, stub)
            assert isinstance(error, UnexpectedResponse)
            assert error.message == f"{stub.host} answered with more than 64 MiB"
        assert stub.left.wait(20), "the endless body is not read any further"


def test_a_bomb_after_much_that_is_none_takes_no_more_memory() -> None:
    """It is unpacked in steps: no piece of it becomes a thousand times larger at once."""
    much = gzip.compress(bytes(LARGEST - (1 << 20)), 0)
    bomb = gzip.compress(bytes(LARGEST), 9)
    raw = urllib3.HTTPResponse(
        io.BytesIO(much + bomb), {"Content-Encoding": "gzip"}, preload_content=False
    )
    tracemalloc.start()
    try:
        with pytest.raises(UnexpectedResponse, match="more than 64 MiB"):
            read_body(raw, 200, "h")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < LARGEST + (8 << 20)


@pytest.mark.parametrize(
    "body",
    [
        b"no gzip at all",
        gzip.compress(b'{"a": 1}', mtime=0)[:-9],
        gzip.compress(b'{"a": 1}', mtime=0)[:5],
        gzip.compress(b'{"a": 1}', mtime=0) + b"garbage",
        zlib.compress(b'{"a": 1}'),
    ],
)
def test_a_body_that_cannot_be_unpacked(tmp_path: Path, body: bytes) -> None:
    error = refused(tmp_path, reply(body, 200, Content_Encoding="gzip"))
    assert isinstance(error, UnexpectedResponse)
    assert error.message.endswith("answered with a body that cannot be unpacked")
    assert error.api == "v2"


@pytest.mark.parametrize("packing", ["br", "zstd", "deflate", "gzip, gzip", "x\x1by"])
def test_a_body_packed_as_nobody_asked(tmp_path: Path, packing: str) -> None:
    error = refused(tmp_path, reply(b"{}", 200, Content_Encoding=packing))
    assert isinstance(error, UnexpectedResponse)
    assert "which was not asked for" in error.message
    assert error.message.isprintable()


def test_a_body_shorter_than_promised_is_a_broken_connection(tmp_path: Path) -> None:
    error = refused(tmp_path, reply(b'{"a":', 200, Content_Length="100"))
    assert isinstance(error, NetworkError)
    assert "broke" in error.message
