from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcli.stream.merge import instant, merge
from rpcli.stream.records import Record


def record(line: str, ts: str | None) -> Record:
    document = {"source": "container", "line": line, "ts": ts}
    return Record(ts or "", json.dumps(document, separators=(",", ":"))[:-1], "container", ts)


def merged(*streams: tuple[str, list[tuple[str, str | None]]]) -> list[str]:
    ready = [(worker, [record(*fields) for fields in records]) for worker, records in streams]
    return [r.line for batch in merge(ready) for r in batch.records]


def test_workers_are_merged_by_instant_however_it_is_written():
    """C20: worker after worker would be easier to write, and of no use to read."""
    lines = merged(
        ("a", [("a1", "2026-01-01T12:00:01Z"), ("a3", "2026-01-01T14:00:03.500+02:00")]),
        ("b", [("b2", "2026-01-01T12:00:02.123456789Z"), ("b4", "2026-01-01T12:00:04Z")]),
    )
    assert lines == ["a1", "b2", "a3", "b4"]


def test_instants_are_not_compared_as_texts():
    """C21: as texts, the fraction would come before the whole second, and the offset last."""
    lines = merged(
        ("a", [("half", "2026-01-01T12:00:00.5Z")]),
        ("b", [("whole", "2026-01-01T12:00:00Z")]),
        ("c", [("offset", "2026-01-01T14:00:00+02:00"), ("later", "2026-01-01T14:00:00.25+02:00")]),
    )
    assert lines == ["whole", "offset", "later", "half"]


def test_a_nanosecond_makes_the_difference():
    lines = merged(
        ("a", [("second", "2026-01-01T18:06:15.101277473Z")]),
        ("b", [("first", "2026-01-01T18:06:15.101277472Z")]),
    )
    assert lines == ["first", "second"]


@pytest.mark.parametrize("ts", [None, "", "yesterday", "2026-01-01T12:00:00", "12:00"])
def test_a_line_without_a_time_stays_next_to_the_one_before_it(ts):
    """C20"""
    lines = merged(
        ("a", [("a1", "2026-01-01T12:00:01Z"), ("a?", ts), ("a5", "2026-01-01T12:00:05Z")]),
        ("b", [("b1", "2026-01-01T12:00:01Z"), ("b3", "2026-01-01T12:00:03Z")]),
    )
    assert lines == ["a1", "a?", "b1", "b3", "a5"]


def test_lines_without_any_time_keep_their_worker_together():
    assert merged(("a", [("a1", None), ("a2", None)]), ("b", [("b1", None)])) == ["a1", "a2", "b1"]


def test_a_time_that_goes_back_does_not_move_a_line_before_its_predecessor():
    lines = merged(
        ("a", [("a5", "2026-01-01T12:00:05Z"), ("a1", "2026-01-01T12:00:01Z")]),
        ("b", [("b3", "2026-01-01T12:00:03Z"), ("b6", "2026-01-01T12:00:06Z")]),
    )
    assert lines == ["b3", "a5", "a1", "b6"]


def test_at_the_same_instant_the_worker_that_is_listed_first_comes_first():
    same = "2026-01-01T12:00:00Z"
    lines = merged(
        ("z", [("z1", same), ("z2", same)]), ("a", [("a1", same)]), ("m", [("m1", same)])
    )
    assert lines == ["z1", "z2", "a1", "m1"]


def test_records_that_follow_each_other_in_one_worker_are_one_batch():
    early = [record(f"e{n}", f"2026-01-01T12:00:0{n}Z") for n in range(5)]
    late = [record(f"l{n}", f"2026-01-01T12:01:0{n}Z") for n in range(3)]
    batches = list(merge([("late", late), ("early", early)], most=4))
    assert [(b.worker, len(b.records)) for b in batches] == [
        ("early", 4),
        ("early", 1),
        ("late", 3),
    ]


def test_of_nothing_comes_nothing():
    assert list(merge([])) == []
    assert list(merge([("a", []), ("b", [])])) == []


@pytest.mark.parametrize(
    ("ts", "equal"),
    [
        ("2026-01-01T12:00:00Z", "2026-01-01T12:00:00.000000000Z"),
        ("2026-01-01T12:00:00.5Z", "2026-01-01T12:00:00.500Z"),
        ("2026-01-01T12:00:00.5Z", "2026-01-01 12:00:00.5 +0000 UTC"),
        ("2026-01-01T12:00:00.120Z", "2026-01-01T14:00:00.12+02:00"),
        ("2026-01-01T00:30:00Z", "2025-12-31T23:30:00-01:00"),
    ],
)
def test_one_instant_has_many_spellings(ts, equal):
    assert instant(ts) == instant(equal) is not None


# The bounds that hypothesis takes have no zone.
_BOUNDS = [datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC).replace(tzinfo=None) for second in (0, 2)]
MOMENTS = st.datetimes(*_BOUNDS, timezones=st.just(UTC))
OFFSETS = st.sampled_from([UTC, timezone(timedelta(hours=2)), timezone(-timedelta(hours=9))])


@st.composite
def timestamps(draw):
    """Give a time that is close to others, with up to nine digits, in any offset."""
    moment = draw(MOMENTS).replace(microsecond=0).astimezone(draw(OFFSETS))
    digits = draw(st.text("019", max_size=9))
    text = moment.replace(tzinfo=None).isoformat() + (f".{digits}" if digits else "")
    return text + (moment.isoformat()[-6:] if moment.utcoffset() else "Z")


STREAMS = st.lists(
    st.lists(st.one_of(timestamps(), st.none(), st.just("never")), max_size=12), max_size=5
)


def nanoseconds(ts: str | None) -> int | None:
    """Tell the time in another way than the merge does."""
    if ts is None or ts == "never":
        return None
    digits = ts[20:].partition("+")[0].partition("-")[0].rstrip("Z") if ts[19:20] == "." else ""
    whole = datetime.fromisoformat(ts[:19] + ts[19:].lstrip(".").lstrip("0123456789"))
    return int(whole.timestamp()) * 10**9 + int(digits.ljust(9, "0") or 0)


@given(STREAMS, st.integers(1, 5))
def test_a_merge_loses_nothing_and_keeps_the_order_of_each_worker(times, most):
    streams = [
        (str(place), [record(f"{place}/{n}", ts) for n, ts in enumerate(column)])
        for place, column in enumerate(times)
    ]
    batches = list(merge(streams, most=most))
    assert all(0 < len(batch.records) <= most for batch in batches)
    found = [(batch.worker, r) for batch in batches for r in batch.records]
    for worker, records in streams:
        assert [r for w, r in found if w == worker] == records
    assert Counter(r for _, r in found) == Counter(r for _, rs in streams for r in rs)


@given(STREAMS)
def test_what_is_in_order_in_each_worker_is_in_order_in_the_merge(times):
    known = [[ts for ts in column if nanoseconds(ts) is not None] for column in times]
    streams = [
        (str(place), [record("x", ts) for ts in sorted(column, key=nanoseconds)])
        for place, column in enumerate(known)
    ]
    found = [nanoseconds(r.ts) for batch in merge(streams) for r in batch.records]
    assert found == sorted(found)


@given(STREAMS)
def test_a_record_never_waits_for_one_of_another_worker_that_is_later(times):
    """Whatever the times: what comes out is the worker whose latest instant so far is smallest."""
    streams = [
        (str(place), [record(f"{place}/{n}", ts) for n, ts in enumerate(column)])
        for place, column in enumerate(times)
    ]
    keys: dict[str, int] = {}
    for place, column in enumerate(times):
        latest = -1
        for n, ts in enumerate(column):
            latest = max(latest, nanoseconds(ts) or -1)
            keys[f"{place}/{n}"] = latest
    found = [(keys[r.line], int(b.worker)) for b in merge(streams) for r in b.records]
    assert found == sorted(found)
