"""Many streams at once: who is read, who waits, in which order, and when it is over."""

from __future__ import annotations

import json
import signal
from collections import Counter

import pytest
from log_lines import NumberedLog
from log_run import LogRun, expected, records
from log_script import (
    NO_MORE,
    RETRY,
    LogScript,
    closed,
    cut,
    event,
    listing,
    numbered,
    opened,
    problem,
    silent,
)
from log_server import LogServer

LOGS = ("serverless", "logs", "e")
FOLLOW = (*LOGS, "--follow")


def at(second: str, line: str, id: str = "1") -> bytes:
    return event(line, id, ts=f"2026-08-13T{second}")


def test_each_worker_is_asked_for_the_same_tail(rpcli_run):
    # C05, C17: per worker and per source, as the server counts
    names = ["w1", "w2", "w3"]
    streams = [{"name": n, "lines": 200, "history": 200} for n in names]
    with LogServer(*streams, endpoints={"e": names}) as server:
        result = rpcli_run(*LOGS, "--tail", "5", env=server.environment())
        asked = [r["query"] for r in server.requests() if r["path"].endswith("/logs")]
    assert asked == [{"tail": "5"}] * 3
    counts = Counter((r["workerId"], r["source"]) for r in result.lines)
    assert counts == {(name, source): 5 for name in names for source in ("system", "container")}


def test_the_default_is_the_same_for_one_and_for_three(rpcli_run):
    # C05
    for names in (["w1"], ["w1", "w2", "w3"]):
        workers = {name: opened(numbered(1)) for name in names}
        with LogScript(e=listing(*names), **workers) as script:
            rpcli_run(*LOGS, env=script.environment())
            assert [script.requests_for(name) for name in names] == [[({}, None)]] * len(names)


def test_a_snapshot_reads_all_of_forty(rpcli_run):
    # C06
    names = [f"w{n:02}" for n in range(40)]
    with LogScript(e=listing(*names), **{n: opened(numbered(1)) for n in names}) as script:
        result = rpcli_run(*LOGS, env=script.environment())
    assert sorted(r["workerId"] for r in result.lines) == names
    assert (result.status, result.stderr) == (0, "")


def test_a_follow_holds_back_what_is_over_the_cap_and_says_so(rpcli_run):
    # C06
    names = [f"w{n:02}" for n in range(40)]
    with (
        LogScript(e=listing(*names), **{n: opened(numbered(1)) for n in names}) as script,
        LogRun(rpcli_run, script, *FOLLOW) as run,
    ):
        assert len({r["workerId"] for r in records(run.read(32))}) == 32
        ended = run.end(signal.SIGINT)
    assert (ended.status, ended.stdout) == (130, b"")
    assert ended.stderr == "rpcli: 32 of 40 workers are read; 8 wait for a place\n"


def test_the_cap_counts_streams_that_are_alive(rpcli_run):
    """C07, the first remark of the seed's reviewer: one that ends frees its place at once."""
    names = [f"w{n:02}" for n in range(20)]
    gone = {n: [closed(RETRY, event(n)), problem(404, "gone")] for n in names[:-1]}
    last = {names[-1]: opened(event(names[-1]))}
    with (
        LogScript(e=listing(*names), **gone, **last) as script,
        LogRun(rpcli_run, script, *FOLLOW, "--max-streams", "3") as run,
    ):
        got = records(run.read(20))
        ended = run.end(signal.SIGINT)
    assert sorted(r["line"] for r in got) == names
    held = [n for n in ended.stderr.splitlines() if "wait for a place" in n]
    assert held == ["rpcli: 3 of 20 workers are read; 17 wait for a place"]


@pytest.mark.parametrize("value", ["0", "-1", "x", "1.5", "99999", "\uff13", ""])
def test_a_cap_that_is_none_is_refused(rpcli_run, value):
    # C06
    with LogScript() as script:
        result = rpcli_run(*LOGS, f"--max-streams={value}", env=script.environment())
        assert script.requests == []
    assert (result.status, result.error["code"]) == (2, "usage_error")
    assert "from 1" in result.error["error"]


def test_one_window_for_all(rpcli_run):
    # C19
    names = ["w1", "w2", "w3", "w4"]
    broken = {n: [cut(RETRY, numbered(1)), opened(numbered(2))] for n in names}
    with LogScript(e=listing(*names), **broken) as script:
        result = rpcli_run(*LOGS, "--since", "30m", env=script.environment())
        asked = [script.requests_for(n) for n in names]
    assert len(result.lines) == 8
    assert len({first.query["since"] for first, *_ in asked}) == 1
    assert all(again == ({}, "2026-08-13T18:06:15Z/000001") for _, again, *_ in asked)


def test_a_snapshot_is_merged_by_instant(rpcli_run):
    # C20, C21
    a = [at("12:00:01Z", "a1"), at("12:00:03.000000Z", "a3", "2"), at("14:00:05+02:00", "a5", "3")]
    b = [at("12:00:02.5Z", "b2"), at("oops", "b?", "2"), at("12:00:04Z", "b4", "3")]
    c = [at("12:00:02.50Z", "c2"), at("12:00:06.123456789Z", "c6", "2")]
    with LogScript(
        e=listing("wa", "wb", "wc"), wa=opened(*a), wb=opened(*b), wc=opened(*c)
    ) as script:
        result = rpcli_run(*LOGS, env=script.environment())
    # b? stays beside its predecessor; equal instants keep the order of the workers
    assert [r["line"] for r in result.lines] == ["a1", "b2", "b?", "c2", "a3", "b4", "a5", "c6"]


def test_a_follow_is_in_the_order_of_arrival(rpcli_run):
    # C20
    late, early = {"name": "wa", "lines": 9, "produced": 0}, {"name": "wb", "lines": 9}
    with (
        LogServer(late, early, endpoints={"e": ["wa", "wb"]}) as server,
        LogRun(rpcli_run, server, *FOLLOW) as run,
    ):
        assert {r["workerId"] for r in records(run.read(9))} == {"wb"}
        server.produce("wa", 1)
        assert records(run.read(1)) == expected(NumberedLog(), 0, 1, workerId="wa")


@pytest.mark.parametrize("when", ["at the start", "later"])
def test_one_that_ends_is_no_matter_of_the_others(rpcli_run, when):
    # C22: its exit status is the same, whenever it went
    dead = problem(404, "no such worker")
    second = dead if when == "at the start" else [closed(RETRY, event("w2")), dead]
    workers = {"w1": opened(event("w1")), "w2": second, "w3": opened(event("w3"))}
    with (
        LogScript(e=listing("w1", "w2", "w3"), **workers) as script,
        LogRun(rpcli_run, script, *FOLLOW) as run,
    ):
        got = records(run.read(2 if when == "at the start" else 3))
        run.wait_for_note("not_found" if when == "at the start" else "404")
        ended = run.end(signal.SIGINT)
    assert {r["workerId"] for r in got} >= {"w1", "w3"}
    assert "worker w2" in ended.stderr
    assert ended.status == 130


@pytest.mark.parametrize("argv", [LOGS, FOLLOW], ids=["snapshot", "follow"])
def test_all_failing_fails_with_the_first_that_would_come_again(rpcli_run, argv):
    workers = {"w1": problem(403, "not yours"), "w2": problem(404, "no such worker")}
    with LogScript(e=listing("w1", "w2"), **workers) as script:
        result = rpcli_run(*argv, env=script.environment())
    assert (result.status, result.stdout) == (1, "")
    assert result.error["code"] in ("forbidden", "not_found")
    assert result.error["api"] == "v2"


def test_all_silent_is_a_timeout(rpcli_run):
    with LogScript(e=listing("w1", "w2"), w1=silent, w2=silent) as script:
        result = rpcli_run(*LOGS, "--max-wait", "300ms", env=script.environment())
    assert (result.status, result.stdout, result.error["code"]) == (1, "", "timeout")


def test_one_silent_and_one_with_lines_is_a_success(rpcli_run):
    with LogScript(e=listing("w1", "w2"), w1=silent, w2=opened(event("x"))) as script:
        result = rpcli_run(*LOGS, "--max-wait", "1s", env=script.environment())
    assert (result.status, len(result.lines), result.error) == (0, 1, None)
    assert "worker w1" in result.stderr


def test_when_all_have_ended_it_waits_and_says_so(rpcli_run):
    # C23
    gone = [closed(RETRY, event("x")), problem(404, "gone")]
    with (
        LogScript(e=[listing("w1", "w2"), listing()], w1=gone, w2=gone) as script,
        LogRun(rpcli_run, script, *FOLLOW) as run,
    ):
        assert len(run.read(2)) == 2
        said = run.wait_for_note("waiting for new ones")
        assert run.end(signal.SIGINT).status == 130
    assert said.count("waiting for new ones") == 1


def test_named_workers_that_have_ended_end_it(rpcli_run):
    # C23
    gone = [closed(RETRY, event("x")), problem(404, "gone")]
    with LogScript(w1=gone, w2=[closed(RETRY, event("y")), NO_MORE]) as script:
        argv = ("--worker", "w1", "--worker", "w2", "--worker", "w1")
        result = rpcli_run(*FOLLOW, *argv, env=script.environment())
        # With --worker there is nothing to list.
        assert script.requests_for("e") == []
        assert len(script.requests_for("w1")) == 2
    assert (result.status, sorted(r["line"] for r in result.lines)) == (0, ["x", "y"])


def test_an_endpoint_that_does_not_exist_is_named(rpcli_run):
    with LogScript(e=problem(404, "nope")) as script:
        result = rpcli_run(*LOGS, env=script.environment())
    assert (result.status, result.error["code"], result.error["id"]) == (1, "not_found", "e")
    with LogScript(w9=problem(404, "nope")) as script:
        result = rpcli_run(*LOGS, "--worker", "w9", env=script.environment())
    assert (result.status, result.error["code"], result.error["id"]) == (1, "not_found", "w9")
    assert "w9" in result.error["error"]


def test_ids_that_can_be_in_no_address_are_left_out_and_told(rpcli_run):
    # G02: they come from a server, and are no less hostile for that
    names = ["..", "", "w\x1b[2J1", "a/b?c#d", "ok"]
    with LogScript(
        e=listing(*names), ok=opened(event("x")), **{"a/b?c#d": opened(event("y"))}
    ) as script:
        result = rpcli_run(*LOGS, "--max-wait", "2s", env=script.environment())
        targets = [r.target for r in script.requests]
    assert {r["workerId"] for r in result.lines} == {"ok", "a/b?c#d"}
    assert sum("is left out" in note for note in result.notes) == 2
    assert "\x1b" not in result.stderr
    assert all(t.startswith("/v2/serverless/e/workers") and ".." not in t for t in targets)
    assert all(r.key == "Bearer rpa_OF_A_TEST" for r in script.requests)


def test_a_worker_is_named_as_the_server_names_it(rpcli_run):
    with LogScript(e=listing("w\u2603"), **{"w\u2603": opened(event("x"))}) as script:
        result = rpcli_run(*LOGS, env=script.environment())
    assert json.loads(result.stdout)["workerId"] == "w\u2603"
    assert result.stdout.isascii()
