"""Faults of log streams in the sandbox: how frames are spoiled, packed and cut."""

from __future__ import annotations

import http.client
import zlib
from typing import Any

import pytest
from sandbox_stream import asked, playing
from sandbox_wire import connected, read_all

POD = "/v2/pods/p/logs"


def spoiled(fault: dict[str, Any], logs: list[dict[str, Any]] | None = None) -> Any:
    logs = logs or [{"line": "l{n}", "count": 4, "every": 1, "from": "-9s"}]
    return playing(logs, faults=[fault])


@pytest.mark.parametrize(
    ("stream", "begins"),
    [
        ({"bom": True}, b"\xef\xbb\xbfid: "),
        ({"retry": 50}, b"retry: 50\n\nid: "),
        ({"retry": "-1"}, b"retry: -1\n\nid: "),
        ({"lineEnds": "crlf"}, b"id: 2026-12-01T11:59:51.000000000Z\r\ndata: "),
        ({"lineEnds": "cr"}, b"id: 2026-12-01T11:59:51.000000000Z\rdata: "),
        ({"space": False}, b"id:2026-12-01T11:59:51.000000000Z\ndata:{"),
        ({"id": None}, b"data: {"),
        ({"id": "x-{id}", "only": [1]}, b"id: x-2026-12-01T11:59:51.000000000Z\ndata: {"),
        ({"data": "plain"}, b"id: 2026-12-01T11:59:51.000000000Z\ndata: plain\n\n"),
        ({"insert": [{"after": 0, "text": ": hi\n\n"}]}, b": hi\n\nid: "),
        ({"insert": [{"before": 1, "base64": "/w=="}]}, b"\xffid: "),
        ({"insert": [{"before": 1, "text": "a{fill}b", "fill": 5}]}, b"axxxxxbid: "),
    ],
)
def test_frames_are_spoiled(stream: dict[str, Any], begins: bytes) -> None:
    with spoiled({"stream": stream}) as sandbox, asked(sandbox, POD) as answer:
        assert answer.raw(len(begins)) == begins


def test_data_is_split_and_bytes_are_bad() -> None:
    with spoiled({"stream": {"splitData": True}}) as sandbox, asked(sandbox, POD) as answer:
        block = answer.block()
        assert block.count(b"\ndata: ") == 2
    with (
        spoiled({"stream": {"only": [2]}, "invalidUtf8": True}) as sandbox,
        asked(sandbox, POD) as answer,
    ):
        answer.block().decode()
        with pytest.raises(UnicodeDecodeError):
            answer.block().decode()


def test_headers_come_early_and_a_heart_beats() -> None:
    fault = {"stream": {"eager": True, "heartbeat": 0.01}}
    with playing([], faults=[fault]) as sandbox, asked(sandbox, POD) as answer:
        assert answer.status == 200
        assert answer.block() == b": heartbeat\n\n"
        assert answer.block() == b": heartbeat\n\n"


def test_what_is_packed_can_be_unpacked_as_it_comes() -> None:
    with spoiled({"gzip": True}) as sandbox, asked(sandbox, POD) as answer:
        assert answer.response.headers["Content-Encoding"] == "gzip"
        unpacker, unpacked = zlib.decompressobj(wbits=31), b""
        while not unpacked.endswith(b"\n\n"):
            unpacked += unpacker.decompress(answer.raw(1))
        assert b'"line":"l1"' in unpacked


@pytest.mark.parametrize("how", ["close", "reset"])
@pytest.mark.parametrize("chunked", [True, False])
def test_a_stream_is_cut_between_frames(how: str, chunked: bool) -> None:
    fault = {"cut": {"frames": 2, "how": how}, "chunked": chunked}
    with spoiled(fault) as sandbox, connected(sandbox, POD) as connection:
        data, ended = read_all(connection)
    assert data.count(b"data: ") <= 2
    assert ended == {"close": "closed", "reset": "reset"}[how]
    assert not data.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("where", ["frame", "character"])
def test_a_frame_is_cut(where: str) -> None:
    logs = [{"line": "é", "ts": f"-{n}s"} for n in (9, 8)]
    fault = {"cut": {"frames": 1, "in": where}, "chunked": False}
    with spoiled(fault, logs) as sandbox, connected(sandbox, POD) as connection:
        data, _ = read_all(connection)
    first, _, second = data.partition(b"\r\n\r\n")[2].partition(b"\n\n")
    assert first.startswith(b"id: ")
    assert not second.endswith(b"\n\n")
    assert second.startswith(b"id: ")
    if where == "character":
        with pytest.raises(UnicodeDecodeError):
            second.decode()


def test_a_fault_may_strike_only_who_resumes() -> None:
    with spoiled({"when": {"header": "Last-Event-ID"}, "status": 410}) as sandbox:
        with asked(sandbox, POD) as answer:
            cursor = answer.frames(1)[0].id
        with asked(sandbox, POD, last_event_id=cursor) as answer:
            assert answer.status == 410
        assert [r["lastEventId"] for r in sandbox.requests()] == [None, cursor]


def test_framings_and_other_answers() -> None:
    cases = [
        ({"chunked": False}, lambda h: "Transfer-Encoding" not in h),
        ({"contentLength": 40}, lambda h: h["Content-Length"] == "40"),
        ({"status": 204}, lambda _: True),
        (
            {"body": "<html>", "contentType": "text/html"},
            lambda h: h["Content-Type"] == "text/html",
        ),
    ]
    for fault, holds in cases:
        with spoiled(fault) as sandbox, asked(sandbox, POD) as answer:
            assert holds(answer.response.headers), fault
    with (
        spoiled({"chunked": "broken"}) as sandbox,
        asked(sandbox, POD) as answer,
        pytest.raises((http.client.IncompleteRead, ValueError)),
    ):
        answer.rest()
