"""What a request asks for, and the tail that the server does not count."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from rpcli.stream.cursor import Resumption
from rpcli.stream.hub import Hub, HubClosed
from rpcli.stream.payload import record_of
from rpcli.stream.ports import StreamPlan
from rpcli.stream.records import Record
from rpcli.stream.request import moment, query_of
from rpcli.stream.tailwindow import MOST_SOURCES, TailWindow

SINCE = datetime(2026, 8, 13, 18, 6, 15, tzinfo=UTC)
PLAN = StreamPlan(None, "pod p")


@pytest.mark.parametrize(
    ("plan", "resumption", "begin", "query"),
    [
        (PLAN, None, None, {}),
        (PLAN._replace(tail=0), None, None, {"tail": "0"}),
        (PLAN._replace(tail=5, source="system"), None, None, {"source": "system", "tail": "5"}),
        (PLAN._replace(tail=5, since=SINCE), None, None, {"since": "2026-08-13T18:06:15Z"}),
        (PLAN._replace(tail=5), None, SINCE, {"since": "2026-08-13T18:06:15Z"}),
        (PLAN._replace(tail=5, since=SINCE), Resumption("7", None), SINCE, {}),
        (PLAN._replace(source="system"), Resumption("7", None), None, {"source": "system"}),
        (PLAN._replace(tail=5), Resumption(None, "then"), None, {"since": "then"}),
        (PLAN._replace(tail=5), Resumption(None, None), None, {"tail": "5"}),
    ],
)
def test_what_is_asked(
    plan: StreamPlan,
    resumption: Resumption | None,
    begin: datetime | None,
    query: dict[str, str],
) -> None:
    assert query_of(plan, resumption, begin) == query


def test_a_moment_is_told_in_utc_to_the_microsecond() -> None:
    east = timezone(timedelta(hours=2))
    assert moment(datetime(2026, 8, 13, 20, 6, 15, tzinfo=east)) == "2026-08-13T18:06:15Z"
    assert moment(SINCE.replace(microsecond=5)) == "2026-08-13T18:06:15.000005Z"


def line(number: int, source: str = "container", ts: str = "2026-08-13T18:06:15Z") -> Record:
    return record_of("", json.dumps({"source": source, "line": f"{number}", "ts": ts}))


def test_the_last_of_each_source_are_held_until_it_is_silent() -> None:
    window = TailWindow(2)
    some = [line(n, source) for n in range(5) for source in ("container", "system")]
    assert window.take(some, 10.0) == ()
    assert window.due == 10.75
    assert [(r.line, r.source) for r in window.release()] == [
        ("3", "container"),
        ("3", "system"),
        ("4", "container"),
        ("4", "system"),
    ]
    assert list(window.take(some, 11.0)) == some


def test_a_line_that_is_newer_than_the_connection_ends_the_replay() -> None:
    window = TailWindow(1, opened=SINCE)
    old, new = [line(n) for n in range(3)], line(9, ts="2026-08-13T18:06:15.1Z")
    assert [r.line for r in window.take([*old, new, old[0]], 0.0)] == ["2", "9", "0"]
    assert window.is_over


def test_too_much_is_passed_on_and_sources_without_number_share_a_place() -> None:
    window = TailWindow(10_000, limit=5_000)
    passed = window.take([line(n) for n in range(100)], 0.0)
    assert [r.line for r in passed] == [str(n) for n in range(100)]
    many = TailWindow(1)
    many.take([line(n, f"s{n}") for n in range(3 * MOST_SOURCES)], 0.0)
    assert len(many.release()) == MOST_SOURCES + 1


# -- the hub


def test_a_message_stays_the_next_until_it_was_dealt_with() -> None:
    hub: Hub[str] = Hub()
    hub.post("a")
    hub.post("b")
    assert [hub.get(), hub.get()] == ["a", "a"]
    hub.done()
    assert hub.get() == "b"
    hub.done()
    assert hub.get(0) is None


def test_nobody_posts_to_a_hub_that_is_closed_and_what_was_posted_stays() -> None:
    hub: Hub[str] = Hub(room=1)
    hub.post("large", size=100)
    hub.close()
    with pytest.raises(HubClosed):
        hub.post("more", size=1)
    assert hub.get(0) == "large"
