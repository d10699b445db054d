"""Where a stream is resumed from: nothing lost and nothing twice, with ids of every kind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcli.stream.cursor import Cursor, Resumption
from rpcli.stream.payload import record_of
from rpcli.stream.records import Record


def second(number: int) -> str:
    return f"2026-08-13T18:06:{number:02}Z"


def record(number: int, *, id: str, at: int, source: str = "container") -> Record:
    return record_of(id, json.dumps({"source": source, "line": f"{number}", "ts": second(at)}))


@st.composite
def logs(draw: st.DrawFn) -> list[Record]:
    """A log in which lines share times, and ids that are times or more than times."""
    kind = draw(st.sampled_from(["time", "sequence", "none"]))
    at, found = 0, []
    for number in range(draw(st.integers(1, 12))):
        at += draw(st.integers(0, 2))
        id = {"time": second(at), "sequence": f"{second(at)}/{number:06}", "none": ""}[kind]
        # Equal lines are no duplicates.
        found.append(record(number if draw(st.booleans()) else 0, id=id, at=at))
    return found


def answer(log: list[Record], asked: Resumption | None) -> list[Record]:
    """Give what a server sends that goes by times, or by the place where an id has one."""
    if asked is None or asked == (None, None):
        return log
    if asked.last_event_id is None:
        return [r for r in log if r.ts >= asked.since]
    if "/" in asked.last_event_id:
        return [r for r in log if r.id > asked.last_event_id]
    return [r for r in log if r.ts > asked.last_event_id]


@given(logs(), st.data())
def test_whatever_was_written_the_rest_comes_once(log: list[Record], data: st.DataObject) -> None:
    written, cursor = 0, Cursor()
    while written < len(log):
        connection = answer(log, cursor.resumption)
        shown = cursor.overlap().drop(connection)
        assert [r.body for r in shown] == [r.body for r in log[written:]]
        taken = data.draw(st.integers(0, len(shown)), label="taken before the cut")
        cursor.wrote(shown[:taken])
        written += taken
        if not taken:
            cursor.wrote(shown[:1])
            written += 1
        if data.draw(st.booleans(), label="killed"):
            cursor = Cursor.from_document(json.loads(json.dumps(cursor.to_document())))
    assert answer_is_over(log, cursor)


def answer_is_over(log: list[Record], cursor: Cursor) -> bool:
    return list(cursor.overlap().drop(answer(log, cursor.resumption))) == []


@given(logs(), st.integers(0, 12))
def test_a_server_that_ignores_the_cursor_repeats_nothing(log: list[Record], taken: int) -> None:
    cursor = Cursor()
    cursor.wrote(log[:taken])
    assert list(cursor.overlap().drop(log)) == log[taken:]


def test_an_id_that_says_more_than_a_time_is_sent_as_it_is() -> None:
    cursor = Cursor()
    assert cursor.resumption is None
    cursor.wrote([record(1, id="a", at=1), record(2, id="b", at=1)])
    assert cursor.resumption == Resumption("b", None)
    assert cursor.resumption_without_id == Resumption(None, second(1))


def test_a_time_that_others_may_share_is_not() -> None:
    cursor = Cursor()
    cursor.wrote([record(1, id=second(1), at=1), record(2, id=second(2), at=2)])
    assert cursor.resumption == Resumption(second(1), None)


@pytest.mark.parametrize("id", ["", " a", "a\n", "a\x00", "\x7f", "x" * 5000])
def test_an_id_that_no_header_can_hold_is_none(id: str) -> None:
    cursor = Cursor()
    cursor.wrote([record(1, id=id, at=1)])
    assert cursor.resumption == Resumption(None, second(1))


@pytest.mark.parametrize("ts", ["soon", "2026-08-13", "2026-08-13T18:06:15", "\uff12026", None])
def test_a_time_that_is_none_is_never_asked_for(ts: str | None) -> None:
    cursor = Cursor()
    cursor.wrote([record_of("", json.dumps({"source": "c", "line": "x", "ts": ts}))])
    assert cursor.resumption == Resumption(None, None)
    assert cursor.resumption_without_id is None


def broken(**change: object) -> dict[str, object]:
    cursor = Cursor()
    cursor.wrote([record(1, id="a", at=1)])
    return cursor.to_document() | change


@pytest.mark.parametrize(
    "document",
    [
        {},
        broken(started="yes"),
        broken(id=None),
        broken(id="a\nb: c"),
        broken(ts=7),
        broken(at=["x"]),
        broken(at=[1, "0", "0"]),
        broken(before=None),
        broken(group={"counts": {"zz": 1}, "more": 0, "id": "", "ts": None}),
        broken(group={"counts": {"00": -1}, "more": 0, "id": "", "ts": None}),
        broken(group={"counts": {}, "more": True, "id": "", "ts": None}),
    ],
)
def test_what_somebody_else_wrote_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Cursor.from_document(document)
