"""The log routes of the sandbox: the eight facts, ids of both kinds, workers."""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from typing import Any

import pytest
from sandbox_calls import ask
from sandbox_stream import NOW, asked, playing
from sandbox_wire import connected

from rpcli.errors import ConfigError
from rpcli.sandbox import Sandbox

POD = "/v2/pods/p/logs"


def sources(frames: list[Any]) -> Counter[str]:
    return Counter(frame.record["source"] for frame in frames)


# -- the eight facts


def test_1_events_have_an_id_and_a_record() -> None:
    logs = [{"line": "é \x1b {n}", "ts": "2026-12-01T11:59:58.5Z"}]
    with playing(logs) as sandbox, asked(sandbox, POD) as answer:
        (frame,) = answer.frames(1)
        headers = answer.response.headers
    assert headers["Content-Type"] == "text/event-stream"
    assert frame.id == "2026-12-01T11:59:58.5Z"
    assert frame.record == {
        "source": "container",
        "line": "é \x1b 1",
        "ts": "2026-12-01T11:59:58.5Z",
    }


def test_2_a_stream_replays_and_stays_open() -> None:
    with playing() as sandbox, asked(sandbox, POD, tail=2) as answer:
        assert answer.lines(4) == ["s199", "s200", "c199", "c200"]
        sandbox.log("p", "later")
        assert answer.lines(1) == ["later"]
        assert sandbox.requests()[0]["status"] == 200


@pytest.mark.parametrize("query", [{"tail": 0}, {"source": "system"}, {"since": NOW}])
def test_3_not_even_headers_are_sent_before_there_is_a_line(query: dict[str, Any]) -> None:
    with playing([{"line": "old", "ts": "-9s"}]) as sandbox:
        target = POD + "?" + "&".join(f"{k}={v}" for k, v in query.items())
        with connected(sandbox, target) as waiting:
            assert sandbox.wait_for_requests(1)
            ask(sandbox, "GET", "/v2/pods")  # what was asked later is answered
            waiting.setblocking(False)
            with pytest.raises(BlockingIOError):
                waiting.recv(1)
            waiting.settimeout(30)
            sandbox.log("p", "a line", source="system")
            assert waiting.recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize(
    ("query", "counts"),
    [
        ({}, {"system": 100, "container": 100}),
        ({"tail": 3}, {"system": 3, "container": 3}),
        ({"tail": 5000}, {"system": 200, "container": 200}),
        ({"source": "container", "tail": 7}, {"container": 7}),
    ],
)
def test_4_tail_counts_for_each_source(query: dict[str, Any], counts: dict[str, int]) -> None:
    with playing() as sandbox, asked(sandbox, POD, **query) as answer:
        assert sources(answer.frames(sum(counts.values()))) == counts
        sandbox.log("p", "the next")
        assert answer.lines(1) == ["the next"]


def test_4_since_replaces_tail_and_the_cursor_replaces_both() -> None:
    with playing() as sandbox:
        since = "2026-12-01T11:58:00Z"
        with asked(sandbox, POD, since=since, tail=1) as answer:
            frames = answer.frames(20)
        assert [f.line for f in frames[:2]] == ["c181", "c182"]
        with asked(sandbox, POD, since=since, tail=1, last_event_id=frames[17].id) as answer:
            assert answer.lines(2) == ["c199", "c200"]


def test_5_a_cursor_is_exclusive_and_a_second_of_system_lines_shares_one() -> None:
    logs = [{"line": "s{n}", "source": "system", "count": 10, "every": 0.2, "from": "-10s"}]
    with playing(logs) as sandbox:
        with asked(sandbox, POD) as answer:
            frames = answer.frames(10)
        assert len({f.id for f in frames}) == 2
        with asked(sandbox, POD, last_event_id=frames[0].id) as answer:
            # the rest of that second is lost
            assert answer.lines(5) == ["s6", "s7", "s8", "s9", "s10"]


def test_5_ids_with_a_place_lose_nothing() -> None:
    logs = [{"line": "s{n}", "source": "system", "count": 10, "every": 0.2, "from": "-10s"}]
    with playing(logs, quirks={"logIds": "sequence"}) as sandbox:
        with asked(sandbox, POD) as answer:
            frames = answer.frames(10)
        assert len({f.id for f in frames}) == 10
        with asked(sandbox, POD, last_event_id=frames[0].id) as answer:
            assert answer.lines(9) == [f"s{n}" for n in range(2, 11)]


@pytest.mark.parametrize(
    ("quirks", "first"), [({"lastEventId": "inclusive"}, "c5"), ({"lastEventId": "ignored"}, "c1")]
)
@pytest.mark.parametrize("ids", ["ts", "sequence"])
def test_5_what_is_disputed_is_a_switch(quirks: dict[str, str], first: str, ids: str) -> None:
    logs = [{"line": "c{n}", "count": 9, "every": 1, "from": "-10s"}]
    with playing(logs, quirks={**quirks, "logIds": ids}) as sandbox:
        with asked(sandbox, POD) as answer:
            cursor = answer.frames(5)[-1].id
        with asked(sandbox, POD, last_event_id=cursor) as answer:
            assert answer.lines(1) == [first]


def test_6_a_log_outlives_its_pod() -> None:
    with playing([{"line": "worked"}]) as sandbox:
        ask(sandbox, "POST", "/v2/pods/p/action", {"action": "stop"})
        with asked(sandbox, POD) as answer:
            assert sources(answer.frames(2)) == {"container": 1, "system": 1}
        ask(sandbox, "DELETE", "/v2/pods/p")
        with asked(sandbox, POD, source="container") as answer:
            assert answer.lines(1) == ["worked"]


@pytest.mark.parametrize(("kept", "status"), [("history", 200), ("system", 200), ("gone", 404)])
def test_6_what_is_left_of_a_terminated_one_is_a_switch(kept: str, status: int) -> None:
    logs = [{"line": "worked"}, {"line": "pulled", "source": "system"}]
    pod = {"status": "TERMINATED"}
    quirks = {"terminatedLogs": kept}
    with playing(logs, pod=pod, quirks=quirks) as sandbox, asked(sandbox, POD) as answer:
        assert answer.status == status
        if kept == "system":
            assert answer.lines(1) == ["pulled"]


def test_8_streams_share_the_limits_of_the_key() -> None:
    with playing([{"line": "x"}], rateLimit={"minute": 3, "hour": 9, "day": 9}) as sandbox:
        for left in (2, 1):
            with asked(sandbox, POD) as answer:
                assert f'"minute";r={left};' in answer.response.headers["RateLimit"]
        assert ask(sandbox, "GET", "/v2/pods").status == 200
        with asked(sandbox, POD) as answer:
            assert answer.status == 429
            assert 0 < int(answer.response.headers["Retry-After"]) <= 60


# -- what is refused


@pytest.mark.parametrize(
    "query",
    [
        {"tail": -1},
        {"tail": 5001},
        {"tail": "x"},
        {"tail": "\uff11"},
        {"source": "both"},
        {"source": ""},
        {"since": "30m"},
        {"since": ""},
    ],
)
def test_what_cannot_be_asked_is_422(query: dict[str, Any]) -> None:
    with playing() as sandbox, asked(sandbox, POD, **query) as answer:
        problem = json.loads(answer.rest())
    assert (answer.status, problem["status"]) == (422, 422)
    assert problem["errors"][0].startswith(next(iter(query)))


def test_a_cursor_that_is_none_is_400_and_what_is_unknown_404() -> None:
    with playing(endpoints=[{"id": "e", "workers": [{"id": "w"}]}]) as sandbox:
        with asked(sandbox, POD, last_event_id="nonsense") as answer:
            assert (answer.status, json.loads(answer.rest())["detail"]) == (400, "unknown cursor")
        for path in ("pods/q/logs", "serverless/f/workers/w/logs", "serverless/e/workers/v/logs"):
            assert ask(sandbox, "GET", f"/v2/{path}").status == 404
        with asked(sandbox, POD, key="wrong") as answer:
            assert answer.status == 401


# -- workers


def workers_of(sandbox: Sandbox) -> list[str]:
    listed = ask(sandbox, "GET", "/v2/serverless/e/workers").json["workers"]
    return [worker["id"] for worker in listed]


def worker_path(worker: str) -> str:
    return f"/v2/serverless/e/workers/{worker}/logs"


def test_7_logs_belong_to_workers_that_are_active() -> None:
    workers = [{"id": "w1", "logs": [{"line": "{id}"}]}, {"id": "w2", "joins": 60, "leaves": 120}]
    with playing(endpoints=[{"id": "e", "workers": workers}]) as sandbox:
        assert ask(sandbox, "GET", "/v2/serverless/e/logs").status == 404
        assert workers_of(sandbox) == ["w1"]
        with asked(sandbox, worker_path("w1")) as answer:
            assert answer.lines(1) == ["w1"]
        sandbox.advance(61)
        assert sorted(workers_of(sandbox)) == ["w1", "w2"]
        sandbox.log("w2", "hello")
        with asked(sandbox, worker_path("w2")) as answer:
            assert "hello" in answer.lines(1)
            sandbox.advance(60)
            assert answer.rest() == b""  # its stream ends, and it is unknown
        assert workers_of(sandbox) == ["w1"]
        assert ask(sandbox, "GET", worker_path("w2")).status == 404


def test_workers_churn() -> None:
    churn = {"alive": 2, "every": 10, "total": 4, "logs": [{"line": "{id}"}]}
    with playing(endpoints=[{"id": "e", "churn": churn}]) as sandbox:
        seen = []
        for _ in range(4):
            seen.append(workers_of(sandbox))
            sandbox.advance(10)
    assert [len(names) for names in seen[:3]] == [2, 2, 2]
    assert len({name for names in seen for name in names}) == 4
    assert seen[0][1] == seen[1][0]  # the oldest went first


def test_a_worker_restarts_under_its_id() -> None:
    worker = {"id": "w", "restarts": [30]}
    with playing(endpoints=[{"id": "e", "workers": [worker]}]) as sandbox:
        sandbox.log("w", "before")
        with asked(sandbox, worker_path("w")) as answer:
            assert "before" in answer.lines(1)
            sandbox.advance(31)
            told = answer.frames(1)[0]
    assert told.record["source"] == "system"


# -- interventions


def test_tests_intervene_over_the_wire_and_in_the_process() -> None:
    with playing([], endpoints=[{"id": "e"}]) as sandbox:
        sandbox.add_worker("e", "w1", status="RUNNING")
        joins = {"endpoint": "e", "id": "w2"}
        assert ask(sandbox, "POST", "/_sandbox/workers", joins).status in (200, 201, 204)
        assert sorted(workers_of(sandbox)) == ["w1", "w2"]
        line = {"to": "w2", "lines": [{"line": "typed", "source": "system"}]}
        assert ask(sandbox, "POST", "/_sandbox/logs", line).status in (200, 201, 204)
        with asked(sandbox, worker_path("w2")) as answer:
            assert answer.lines(1) == ["typed"]
        sandbox.remove_worker("e", "w1")
        assert ask(sandbox, "DELETE", "/_sandbox/workers", joins).status in (200, 204)
        assert workers_of(sandbox) == []


@pytest.mark.parametrize(
    "act",
    [
        lambda s: s.log("nobody", "x"),
        lambda s: s.log("p", "x", ts="soon"),
        lambda s: s.add_worker("nowhere", "w"),
        lambda s: s.add_worker("e", "w"),
        lambda s: s.add_worker("e", "v", status=7),
        lambda s: s.remove_worker("e", "nobody"),
    ],
)
def test_what_cannot_be_done_is_told(act: Any) -> None:
    endpoint = {"id": "e", "workers": [{"id": "w"}]}
    with playing([], endpoints=[endpoint]) as sandbox, pytest.raises(ConfigError):
        act(sandbox)


def test_every_client_gets_every_line() -> None:
    with playing([{"line": "first"}]) as sandbox:
        got: list[list[str]] = []

        def read(waiting: threading.Barrier) -> None:
            with asked(sandbox, POD) as answer:
                first = answer.lines(1)
                waiting.wait(20)
                got.append(first + answer.lines(50))

        barrier = threading.Barrier(5)
        threads = [threading.Thread(target=read, args=(barrier,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        barrier.wait(20)
        for n in range(50):
            sandbox.log("p", f"{n}")
        for thread in threads:
            thread.join(30)
    assert got == [["first", *map(str, range(50))]] * 4


def test_a_client_that_left_is_noticed() -> None:
    with playing([{"line": "x"}]) as sandbox:
        with asked(sandbox, POD) as answer:
            answer.frames(1)
        assert sandbox.wait_until_idle()
        assert sandbox.requests()[0]["abandoned"] is True
        with connected(sandbox, POD + "?tail=0") as silent:
            assert sandbox.wait_for_requests(2)
            silent.shutdown(socket.SHUT_RDWR)
        assert sandbox.wait_until_idle()
