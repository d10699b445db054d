"""The grammar of event streams, under every split into chunks and every end of a line."""

from __future__ import annotations

import json
import sys
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import pytest

from rpcli.stream.decoder import Decoder
from rpcli.stream.records import RecordBatch

sys.path.append(str(Path(__file__).parent))
import reference

ENDS = {
    "LF": ["\n"],
    "CR": ["\r"],
    "CRLF": ["\r\n"],
    # A CR before a lone LF would be one end of a line, and not two.
    "mixed": ["\n", "\r\n", "\r", "\r\n"],
}
TIME = "2026-08-13T18:06:15.101277472Z"


def log(line: str, id: str | None = None, **members: Any) -> str:
    data = json.dumps({"source": "container", "line": line, "ts": TIME} | members)
    return ("" if id is None else f"id: {id}\n") + f"data: {data}\n\n"


def with_ends(text: str, ends: str) -> bytes:
    """Replace each LF of a frame."""
    turns = cycle(ENDS[ends])
    parts = text.split("\n")
    return "".join(part + next(turns) for part in parts[:-1]).encode() + parts[-1].encode()


def chunks(body: bytes, *cuts: int) -> list[bytes]:
    return [body[a:b] for a, b in pairwise([0, *cuts, len(body)])]


def decoded(
    parts: list[bytes], last_event_id: str = "", **options: Any
) -> tuple[list[tuple[str, dict[str, Any]]], list[tuple[str, str]], bool]:
    """Decode chunks; give ids and documents, the signals, and whether it is torn."""
    decoder = Decoder(last_event_id, **options)
    records: list[Any] = []
    signals: list[tuple[str, str]] = []
    for part in parts:
        got = decoder.feed(part)
        records += got.records
        signals += [tuple(signal) for signal in got.signals]
    for record in records:
        assert json.loads(RecordBatch([record]).json_lines()) == record.document()
        assert record.document()["source"] == record.source
        assert record.document()["ts"] == record.ts
    return [(record.id, record.document()) for record in records], signals, decoder.is_torn


def lines(body: bytes, last_event_id: str = "") -> list[str]:
    return [document["line"] for _, document in decoded([body], last_event_id)[0]]


GRAMMAR = {
    # The examples of the standard. Data that is no record of ours is kept as it is.
    "stocks": "data: YHOO\ndata: +2\ndata: 10\n\n",
    "ids": ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
    "data:  third event\n\n",
    "empty data": "data\n\ndata\ndata\n\ndata:",
    "a blank": "data:test\n\ndata: test\n\n",
    # What a log stream has.
    "service": log("a", "1") + log("b", "2"),
    "several data": 'id: 1\ndata: {"source":"container",\ndata: "line":"x","ts":"t"}\n\n',  # B05
    "other events": log("a", "1") + "event: ping\nid: hb-1\ndata: {}\n\n" + log("b"),  # B06
    "other case": "Data: x\nID: 7\n\n" + log("a"),  # B06
    "unknown fields": "foo: bar\nfoo\n: data\ndatabase: x\n" + log("a", "1"),
    "comments": ":\n\n: heartbeat\n\n:\n" + log("a", "1") + ":\n\n",
    "no blank": "id:1\ndata:{}\n\n",
    "sticky id": log("a", "1") + log("b") + "id\n\n" + log("c"),
    "id alone": "id: 9\n\n" + log("a"),
    "id twice": "id: 1\nid: 2\n" + log("a"),
    "id with NUL": log("a", "1") + "id: a\0b\n" + log("b") + "id: 2\nid: \0\n" + log("c"),
    "retry": "retry: 50\n\nretry: 7\nretry: x\n"
    + log("a", "1")
    + "retry:-1\n\nretry\n\nretry: \n\n",
    "retry of other digits": "retry: \uff11\uff12\n\nretry: +5\n\nretry: 1e9\n\nretry:  5\n\n",
    "error": 'event: error\ndata: {"message":"no"}\n\nevent: error\n\n' + log("a"),
    "message": "event: message\n" + log("a", "1") + "event\n" + log("b", "2"),
    "blank lines": "\n\n\n" + log("a", "1") + "\n\n\n\n" + log("b", "2") + "\n",
    "separators": log("a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg\u001eh", "1"),
    "raw separators": 'data: {"source":"s","line":"a\u2028b\u2029c\u0085d","ts":null}\n\n',  # B04
    "snowman": log("\u2603 caf\u00e9 \U0001f600", "1"),
    "torn": log("a", "1") + 'id: 2\ndata: {"source":"container","line":"b"',
    "torn comment": log("a", "1") + ": heart",
    "torn at an end": log("a", "1") + "id: 2\ndata: x\n",
}


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("name", GRAMMAR)
def test_the_grammar_holds_under_every_split(name, ends):
    # B03, C11
    body = with_ends(GRAMMAR[name], ends)
    wanted = reference.decode(body)
    for cut in range(len(body) + 1):
        assert decoded(chunks(body, cut)) == wanted
    assert decoded([body[n : n + 1] for n in range(len(body))]) == wanted


@pytest.mark.parametrize("name", GRAMMAR)
def test_the_general_decoder_gives_the_same(name):
    body = GRAMMAR[name].encode()
    assert decoded([body], is_straight=False) == decoded([body])


def test_the_examples_of_the_standard_are_what_it_says():
    assert lines(GRAMMAR["stocks"].encode()) == ["YHOO\n+2\n10"]
    found, _, _ = decoded([GRAMMAR["ids"].encode()])
    assert [(id, d["line"]) for id, d in found] == [
        ("1", "first event"),
        ("", "second event"),
        ("", " third event"),
    ]
    assert lines(GRAMMAR["empty data"].encode()) == ["", "\n"]
    assert lines(GRAMMAR["a blank"].encode()) == ["test", "test"]


def test_a_mixture_of_line_ends_joins_no_two_events():
    # B02
    assert lines(b"data: a\n\r\ndata: b\r\n\r") == ["a", "b"]


@pytest.mark.parametrize("cuts", [(), (1,), (1, 2), (2,), (1, 2, 3)])
def test_a_byte_order_mark_goes_and_a_later_one_stays(cuts):
    # B01
    body = b"\xef\xbb\xbf" + log("first", "1").encode() + b"data: \xef\xbb\xbfx\n\n"
    assert decoded(chunks(body, *cuts))[0][0] == decoded([log("first", "1").encode()])[0][0]
    assert decoded(chunks(body, *cuts))[0][1][1]["line"] == "\ufeffx"


def test_what_only_begins_as_a_byte_order_mark_stays():
    body = b"\xef\xbb: x\n" + log("a").encode()
    assert lines(body) == ["a"]
    assert decoded([b"\xef"])[2] is True


@pytest.mark.parametrize(
    "bad", [b"\xff\xfe", b"\xe2\x98", b"\xf0\x9f\x98", b"\xc0\x80", b"\xed\xa0\x80"]
)
def test_invalid_utf_8_is_replaced_and_ends_nothing(bad):
    body = (
        b'id: 1\ndata: {"source":"container","line":"a'
        + bad
        + b'b","ts":null}\n\n'
        + log("c").encode()
    )
    wanted = reference.decode(body)
    for cut in range(len(body)):
        assert decoded(chunks(body, cut)) == wanted
    assert "\ufffd" in wanted[0][0].document["line"]


def test_the_id_of_a_resumed_connection_holds_until_there_is_another():
    found, _, _ = decoded([log("a").encode(), log("b", "2").encode()], "1")
    assert [id for id, _ in found] == ["1", "2"]


def test_an_event_of_another_type_moves_no_id():
    # B06
    body = log("a", "1") + "event: ping\nid: hb-1\ndata: {}\n\n" + log("b")
    assert [id for id, _ in decoded([body.encode()])[0]] == ["1", "1"]


@pytest.mark.parametrize("value", ["9" * 5000, "50", "0"])
def test_a_retry_of_digits_is_told_as_it_was_written(value):
    # B09
    assert decoded([f"retry: {value}\n\n".encode()])[1] == [("retry", value)]


@pytest.mark.parametrize("value", ["-1", "+5", "1e9", "\uff11\uff12", "5 ", " 5", "", "0x5"])
def test_a_retry_of_anything_else_is_none(value):
    # B09
    assert decoded([f"retry:{value and ' ' + value}\n\n".encode()])[1] == []


def test_an_event_cannot_pass_for_a_retry():
    assert decoded([b"event: retry\ndata: 5\n\n"])[:2] == ([], [])


RAW = [
    "plain text",
    "42",
    "null",
    '["x"]',
    '{"line":7}',
    '{"line":null}',
    '{"source":"container","line":7,"ts":"t"}',
    '{"source":null,"line":"x","ts":"t"}',
    '{"source":"container","line":"x","ts":5}',
    '{"line":"x","ts":"t"}',
    '{"source":"container","line":"x","ts":"t"',
    "{",
    "",
    "[" * 200_000,
    '"\\ud83d"',
    "\u2603",
    "NaN",
]


@pytest.mark.parametrize("data", RAW, ids=range(len(RAW)))
def test_what_is_no_record_is_kept_as_it_is(data):
    # B30
    ((_, document),) = decoded([f"id: 1\ndata: {data}\n\n".encode()])[0]
    assert document == {"source": "unknown", "line": data, "ts": None, "raw": True}
    assert list(document) == ["source", "line", "ts", "raw"]


@pytest.mark.parametrize(
    ("data", "document"),
    [
        ('{"source":"a","line":"x"}', {"source": "a", "line": "x", "ts": None}),
        ('{"ts":"t","line":"x","source":"a"}', {"source": "a", "line": "x", "ts": "t"}),
        (' {"source" : "a", "line": "x", "ts": null} ', {"source": "a", "line": "x", "ts": None}),
        ('{"source":"","line":"","ts":""}', {"source": "", "line": "", "ts": ""}),
        ('{"source":"a","line":"x","ts":"t","n":NaN}', {"source": "a", "line": "x", "ts": "t"}),
        (
            '{"source":"a","line":"x","ts":"t","n":' + "9" * 5000 + "}",
            {"source": "a", "line": "x", "ts": "t"},
        ),
        # B27
        (
            '{"source":"a","line":"\\ud83d cut","ts":"t"}',
            {"source": "a", "line": "\ufffd cut", "ts": "t"},
        ),
        (
            '{"source":"a","line":"\\ud83d\\ude00","ts":"t"}',
            {"source": "a", "line": "\U0001f600", "ts": "t"},
        ),
        ('{"source":"a","line":"x","line":"y","ts":"t"}', {"source": "a", "line": "y", "ts": "t"}),
        # C12, C33
        ('{"source":"a","line":"Traceback:\\n  File x\\n","ts":"t"}',
         {"source": "a", "line": "Traceback:\n  File x\n", "ts": "t"}),
        ('{"source":"a","line":"\\u001b[2J\\u007f\\\\\\"/","ts":"t"}',
         {"source": "a", "line": '\x1b[2J\x7f\\"/', "ts": "t"}),
    ],
)  # fmt: skip
def test_a_record_is_read_in_whatever_way_it_is_written(data, document):
    ((_, got),) = decoded([f"data: {data}\n\n".encode()])[0]
    assert got == document
    assert list(got) == ["source", "line", "ts"]


def test_what_is_printed_is_one_line_of_printable_ascii():
    # B04
    body = log("a\u2028b\u0085c\x7fd\x1b\ud83d e", "1").encode("utf-8", "surrogatepass")
    records = Decoder().feed(body).records
    text = RecordBatch(records, "w\u2603").json_lines()
    assert text.isascii()
    assert text[:-1].isprintable()
    assert text.endswith("\n")
    assert json.loads(text)["workerId"] == "w\u2603"


def test_equal_frames_are_as_many_records():
    # C04
    assert lines((log("retrying", "1") * 3).encode()) == ["retrying"] * 3
