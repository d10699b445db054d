"""What is too long is cut and marked, in bounded memory; what comes behind it is whole."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from rpcli.stream.decoder import FRAME_CAP, LINE_CAP, Decoder
from rpcli.stream.records import Record

AFTER = 'id: 2\ndata: {"source":"container","line":"after","ts":"t"}\n\n'


def decode(
    body: bytes, size: int | None = None, *, line_cap: int = 64, frame_cap: int = 256
) -> list[Record]:
    """Decode a body, cut into chunks of a size."""
    decoder = Decoder(line_cap=line_cap, frame_cap=frame_cap)
    step = size or len(body)
    found = [decoder.feed(body[n : n + step]) for n in range(0, len(body), step)]
    records = [record for decoded in found for record in decoded.records]
    assert any(d.has_cut for d in found) == any(record.is_truncated for record in records)
    return records


def data(line: str, after: str = '","ts":"t"}') -> bytes:
    return f'id: 1\ndata: {{"source":"container","line":"{line}{after}\n\n{AFTER}'.encode()


@pytest.mark.parametrize("size", [None, 1, 2, 7, 64, 65])
def test_a_line_that_is_too_long_keeps_its_beginning(size):
    # B17
    records = decode(data("x" * 200), size)
    room = 64 - len('data: {"source":"container","line":"')
    assert records[0].document() == {
        "source": "container",
        "line": "x" * room,
        "ts": None,
        "truncated": True,
    }
    assert records[0].id == "1"
    assert records[1].document() == {"source": "container", "line": "after", "ts": "t"}


@pytest.mark.parametrize("extra", range(-3, 4))
def test_a_line_of_the_cap_is_whole_and_one_byte_more_is_not(extra):
    text = '{"source":"s","line":"' + "x" * (64 - 39 + extra) + '","ts":"t"}'
    assert len(f"data: {text}") == 64 + extra
    for size in (None, 1, 5):
        (record,) = decode(f"data: {text}\n\n".encode(), size)
        assert record.is_truncated == (extra > 0)


def test_a_cut_in_mid_character_leaves_no_half_of_it():
    for shift in range(4):
        (cut, _) = decode(data("x" * shift + "\U0001f600" * 100), 3)
        line = cut.line
        assert set(line.lstrip("x")) == {"\U0001f600"}


@pytest.mark.parametrize("escape", [r"\n", r"\\", r"\"", r"\u2603", r"\ud83d\ude00"])
def test_a_cut_in_mid_escape_leaves_no_half_of_it(escape):
    whole = json.loads(f'"{escape}"')
    for shift in range(12):
        (cut, _) = decode(data("x" * shift + escape * 100), 3)
        assert not cut.document().get("raw")
        # Half a pair of surrogates is no text.
        assert set(cut.line.removesuffix("\ufffd")) <= {"x", *whole}


def test_a_time_that_was_cut_is_none():
    text = data("short", '","ts":"' + "2" * 100 + '"}')
    assert decode(text)[0].document() == {
        "source": "container",
        "line": "short",
        "ts": None,
        "truncated": True,
    }


def test_a_time_before_the_line_is_kept():
    body = b'data: {"ts":"t","source":"s","line":"' + b"x" * 99 + b'"}\n\n'
    document = decode(body)[0].document()
    assert document["ts"] == "t"
    assert document["truncated"] is True


@pytest.mark.parametrize(
    "text", ["x" * 100, '{"source":"' + "x" * 100, "[" * 100, '{"source":7,"line":"' + "x" * 99]
)
def test_what_was_cut_and_is_no_record_is_raw_and_truncated(text):
    (cut, after) = decode(f"data: {text}\n\n{AFTER}".encode())
    assert cut.document() == {
        "source": "unknown",
        "line": text[: 64 - len("data: ")],
        "ts": None,
        "truncated": True,
        "raw": True,
    }
    assert after.line == "after"


@pytest.mark.parametrize("size", [None, 1, 9])
def test_an_event_of_too_many_lines_keeps_the_first(size):
    body = b"".join(b"data: %030d\n" % n for n in range(50)) + b"\n" + AFTER.encode()
    cut, after = decode(body, size)
    assert cut.is_truncated
    kept = cut.line.split("\n")
    assert kept[:6] == [f"{n:030}" for n in range(6)]
    assert len(cut.line) < 256
    assert after.line == "after"


def test_an_id_that_was_cut_is_none():
    records = decode(AFTER.encode() + b"id: " + b"9" * 100 + b"\ndata: x\n\n")
    assert [record.id for record in records] == ["2", "2"]
    assert not any(record.is_truncated for record in records)


def test_comments_and_unknown_fields_are_not_kept_and_cut_nothing():
    body = b": " + b"c" * 500 + b"\n" + b"foo: bar\n" * 100 + AFTER.encode()
    for size in (None, 1, 50):
        assert [record.document() for record in decode(body, size)] == [
            {"source": "container", "line": "after", "ts": "t"}
        ]


def test_a_large_frame_is_torn_and_a_large_comment_is_not():
    decoder = Decoder(line_cap=64)
    decoder.feed(b"data: " + b"x" * 100)
    assert decoder.is_torn
    decoder = Decoder(line_cap=64)
    decoder.feed(b": " + b"x" * 100)
    assert not decoder.is_torn


def test_a_frame_between_the_caps_is_whole():
    body = b"id: 1\n" + b"".join(b"data: %020d\n" % n for n in range(8)) + b"\n" + AFTER.encode()
    for size in (None, 1, 9):
        first, after = decode(body, size)
        assert first.line == "\n".join(f"{n:020}" for n in range(8))
        assert (first.id, after.id) == ("1", "2")


def test_memory_is_bounded_whatever_comes():
    # B17
    decoder = Decoder()
    piece = b"x" * (1 << 16)
    tracemalloc.start()
    try:
        decoder.feed(b'id: 1\ndata: {"source":"container","line":"')
        for _ in range(500):
            decoder.feed(piece)
        (record,) = decoder.feed(b'","ts":"t"}\n\n').records
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * LINE_CAP
    assert LINE_CAP - 100 < len(record.line) < LINE_CAP
    assert FRAME_CAP == 4 * LINE_CAP
