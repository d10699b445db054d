"""What each answer of the server comes to: an end, another try, an error; for both ways to read."""

from __future__ import annotations

import json
import signal

import pytest
from log_run import LogRun, records
from log_script import (
    EVENTS,
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
from stub import head, reply

POD = ("pod", "logs", "p")
FOLLOW = (*POD, "--follow")
BOTH = pytest.mark.parametrize("argv", [POD, FOLLOW], ids=["snapshot", "follow"])
SHORT = ("--max-wait", "300ms")


def lines(result) -> list[str]:
    return [record["line"] for record in result.lines]


@BOTH
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "bad_request"),
        (401, "unauthorized"),
        (403, "forbidden"),
        (404, "not_found"),
        (410, "gone"),
        (422, "bad_request"),
    ],
)
def test_a_permanent_answer_is_asked_for_once(rpcli_run, argv, status, code):
    # A13, A06
    with LogScript(p=problem(status, "no such log, sorry")) as script:
        result = rpcli_run(*argv, env=script.environment())
        assert len(script.requests_for("p")) == 1
    assert (result.status, result.stdout) == (1, "")
    assert [json.loads(line)["status"] for line in result.stderr.splitlines()] == [status]
    assert result.error["code"] == code


def test_what_a_400_says_is_shown(rpcli_run):
    # B25
    with LogScript(p=problem(400, "bad tail")) as script:
        result = rpcli_run(*POD, env=script.environment())
    assert "bad tail" in result.error["error"]


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_passing_answer_is_tried_again(rpcli_run, status):
    passing = problem(status, "not now", Retry_After="0")
    with LogScript(p=[passing, closed(RETRY, event("came")), NO_MORE]) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
        assert [asked.last_event_id for asked in script.requests_for("p")] == [None, None, "1"]
    assert (result.status, lines(result)) == (0, ["came"])
    assert f"HTTP {status}" in result.notes[0]


def test_the_wait_grows_over_failures_and_begins_anew_behind_a_record(rpcli_run):
    # B23
    no = problem(503, "not now")
    replies = [
        closed(b"retry: 40\n\n", numbered(1, 2)),
        *[no] * 4,
        closed(numbered(3)),
        problem(401, "expired"),
    ]
    with LogScript(p=replies) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
        assert len(script.requests_for("p")) == 7
    assert lines(result) == ["line 1", "line 2", "line 3"]
    assert (result.status, result.error["code"]) == (1, "unauthorized")
    waits = [0.0 if "at once" in n else float(n.split()[-2]) for n in result.notes]
    assert waits[:2] == [0.0, 0.0] or waits[0] < 0.1
    assert waits[2] < waits[3] < waits[4]
    assert waits[5] < 0.1


def test_a_connection_without_a_record_does_not_reset_the_wait(rpcli_run):
    """An answer alone proves nothing: a server that hangs up would be asked without end."""
    with LogScript(p=[closed(b"retry: 40\n\n", b":\n\n")] * 5 + [NO_MORE]) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
    waits = [n.split()[-2] for n in result.notes if " again in " in n]
    assert sorted(map(float, waits)) == list(map(float, waits))
    assert len(set(waits)) >= 3


def test_204_means_stop(rpcli_run):
    # B10
    with LogScript(p=[closed(RETRY, event("only")), NO_MORE]) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
        assert len(script.requests_for("p")) == 2
    assert (result.status, lines(result)) == (0, ["only"])
    assert "204" in result.notes[-1]


def test_204_at_once_is_an_answer(rpcli_run):
    with LogScript(p=NO_MORE) as script:
        result = rpcli_run(*POD, env=script.environment())
        assert len(script.requests_for("p")) == 1
    assert (result.status, result.stdout) == (0, "")
    assert result.notes


@pytest.mark.parametrize("status", [404, 410])
def test_a_pod_that_vanishes_behind_its_lines_is_no_error(rpcli_run, status):
    replies = [closed(RETRY, event("last words", "2026-08-13T18:06:15Z")), problem(status, "gone")]
    with LogScript(p=replies) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
    assert (result.status, lines(result)) == (0, ["last words"])
    assert f"gone (HTTP {status})" in result.notes[-1]
    assert result.error is None


@pytest.mark.parametrize("status", [400, 410])
def test_a_refused_cursor_is_asked_once_without_it(rpcli_run, status):
    # B21
    replies = [
        closed(RETRY, numbered(1)),
        problem(status, "unknown cursor"),
        closed(numbered(1, 2)),
        NO_MORE,
    ]
    with LogScript(p=replies) as script:
        result = rpcli_run(*FOLLOW, "--summary", env=script.environment())
        asked = script.requests_for("p")
    assert lines(result) == ["line 1", "line 2"]
    assert asked[1] == ({}, "2026-08-13T18:06:15Z/000001")
    assert asked[2] == ({"since": "2026-08-13T18:06:15Z"}, None)
    assert asked[3].last_event_id == "2026-08-13T18:06:15Z/000002"
    assert sum("a gap is possible" in note for note in result.notes) == 1
    summary = json.loads(result.stderr.splitlines()[-1])["summary"]
    assert (summary["gapsSuspected"], summary["lines"]) == (1, 2)


def test_a_cursor_that_is_refused_again_and_again_is_no_endless_loop(rpcli_run):
    # B21
    replies = [closed(RETRY, numbered(1)), problem(400, "unknown cursor")]
    with LogScript(p=replies) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
        assert len(script.requests_for("p")) == 3
    assert result.status == 1
    assert lines(result) == ["line 1"]


@pytest.mark.parametrize(
    "said", ["2", "-5", "nan", "inf", "Wed, 21 Oct 2026 07:28:00 GMT", "\u2463"]
)
def test_any_retry_after_is_survived(rpcli_run, said):
    # B22
    refused = problem(429, "slow down", Retry_After=said.encode().decode("latin-1"))
    with LogScript(p=[refused, closed(event("came")), problem(401, "over")]) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
    assert lines(result) == ["came"]
    assert result.error["code"] == "unauthorized"


def test_a_retry_after_of_years_is_held_to_an_hour(rpcli_run):
    # B22
    refused = problem(429, "slow down", Retry_After="99999999")
    with LogScript(p=refused) as script, LogRun(rpcli_run, script, *FOLLOW) as run:
        assert "again in 3600 s" in run.wait_for_note("again in")


@BOTH
@pytest.mark.parametrize(
    "kind", ["text/html", "text/html; charset=utf-8", "application/json", "text/event-streams"]
)
def test_what_is_no_event_stream_is_never_shown_as_one(rpcli_run, argv, kind):
    # B25
    page = b"<html>\x1b[2JWelcome to the hotel \xff\r\ndata: x\n\n" + b"." * 500
    with LogScript(p=reply(page, 200, Content_Type=kind)) as script:
        result = rpcli_run(*argv, env=script.environment())
        assert len(script.requests_for("p")) == 1
    assert (result.status, result.stdout) == (1, "")
    assert result.error["code"] == "unexpected_response"
    assert kind.partition(";")[0] in result.error["error"]
    assert "Welcome to the hotel" in result.error["error"]
    assert "\x1b" not in result.error["error"]
    assert len(result.error["error"]) < 400


def test_a_page_in_the_place_of_a_reconnect_ends_the_follow(rpcli_run):
    # B25
    page = reply(b"<html>login</html>", 200, Content_Type="text/html")
    with LogScript(p=[closed(RETRY, event("before")), page]) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
        assert len(script.requests_for("p")) == 2
    assert (result.status, lines(result)) == (1, ["before"])
    assert result.error["code"] == "unexpected_response"


def test_an_answer_that_does_not_say_what_it_is_is_none(rpcli_run):
    # B25
    with LogScript(p=closed(event("x"), head=head(200, Content_Type=""))) as script:
        result = rpcli_run(*POD, env=script.environment())
    assert (result.status, result.stdout) == (1, "")
    assert result.error["code"] == "unexpected_response"


@pytest.mark.parametrize(
    "kind",
    [
        "text/event-stream;charset=UTF-8",
        "Text/Event-Stream ; x=y",
        "text/event-stream;charset=latin1",
    ],
)
def test_an_event_stream_goes_by_its_type_alone(rpcli_run, kind):
    # B25, B04: UTF-8 whatever the charset says
    with LogScript(p=opened(event("caf\u00e9"), head=head(200, Content_Type=kind))) as script:
        result = rpcli_run(*POD, env=script.environment())
    assert (result.status, lines(result)) == (0, ["caf\u00e9"])


def test_a_server_that_never_answers_is_a_timeout(rpcli_run):
    # B24, the first silence: exiting 0 would look like a workload that logged nothing
    with LogScript(p=silent) as script:
        result = rpcli_run(*POD, *SHORT, env=script.environment())
    assert (result.status, result.stdout, result.error["code"]) == (1, "", "timeout")
    assert "no line matches" in result.error["error"]
    assert "not answering" in result.error["error"]


@pytest.mark.parametrize("body", [b"", b":\n\n:\n\n"], ids=["nothing", "comments"])
def test_a_server_that_answers_and_is_quiet_is_a_success(rpcli_run, body):
    # B24, the second and third
    with LogScript(p=opened(body)) as script:
        result = rpcli_run(*POD, *SHORT, env=script.environment())
    assert (result.status, result.stdout, result.error) == (0, "", None)
    assert "no lines to show" in result.notes[-1]


def test_without_history_asked_for_silence_is_in_order(rpcli_run):
    with LogScript(p=silent) as script:
        result = rpcli_run(*POD, "--tail", "0", *SHORT, env=script.environment())
        # C15: 0 is a number like any other
        assert script.requests_for("p") == [({"tail": "0"}, None)]
    assert (result.status, result.stdout, result.error) == (0, "", None)
    assert result.notes


def test_comments_are_no_lines(rpcli_run):
    # B07
    def beats(talk):
        talk.send(EVENTS + numbered(1, 2, 3))
        talk.drip(b":\n\n")

    with LogScript(p=beats) as script:
        result = rpcli_run(*POD, "--max-wait", "50s", env=script.environment())
        assert script.left.wait(20)
    # It ends by the quiet gap, far from --max-wait: otherwise the runner's patience would end it.
    assert (result.status, lines(result)) == (0, ["line 1", "line 2", "line 3"])


def test_an_error_behind_max_wait_is_an_error_too(rpcli_run):
    """The seed's first bug: the same fault, whatever its latency, has the same exit status."""

    def slow(talk):
        # Until the client has given up waiting; only then the error comes.
        talk.sock.settimeout(0.3)
        try:
            talk.sock.recv(1)
        except TimeoutError:
            talk.send(problem(500, "log store unavailable"))

    with LogScript(p=slow) as script:
        late = rpcli_run(*POD, "--max-wait", "100ms", env=script.environment())
    with LogScript(p=problem(500, "log store unavailable")) as script:
        early = rpcli_run(*POD, "--max-wait", "100ms", env=script.environment())
    assert (late.status, late.stdout) == (early.status, early.stdout) == (1, "")
    assert early.error["status"] == 500
    assert late.error["code"] in (early.error["code"], "timeout")


@pytest.mark.parametrize("gap", [b"", b":\n\n"])
def test_an_error_event_fails_a_snapshot_and_is_told_by_a_follow(rpcli_run, gap):
    # B08
    error = b'event: error\ndata: {"message":"log store\\u001b[2J unavailable"}\n\n'
    with LogScript(p=opened(numbered(1, 2), gap, error)) as script:
        result = rpcli_run(*POD, env=script.environment())
    assert (result.status, lines(result)) == (1, ["line 1", "line 2"])
    assert "log store" in result.error["error"]
    with LogScript(p=[closed(RETRY, numbered(1), error, error, numbered(2)), NO_MORE]) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
        assert script.requests_for("p")[1].last_event_id == "2026-08-13T18:06:15Z/000002"
    assert (result.status, lines(result)) == (0, ["line 1", "line 2"])
    # told once, and made safe
    assert sum("log store" in note for note in result.notes) == 1
    assert "\x1b" not in result.stderr


def test_a_snapshot_that_breaks_is_resumed(rpcli_run):
    with LogScript(p=[cut(RETRY, numbered(1, 2)), opened(numbered(3))]) as script:
        result = rpcli_run(*POD, env=script.environment())
        assert script.requests_for("p")[1] == ({}, "2026-08-13T18:06:15Z/000002")
    assert (result.status, lines(result)) == (0, ["line 1", "line 2", "line 3"])


@pytest.mark.parametrize("torn", [b"", b"id: 9\ndata: {"], ids=["reset", "torn"])
def test_a_snapshot_that_stays_broken_is_incomplete(rpcli_run, torn):
    # C01
    broken = cut(RETRY, numbered(1, 2, 3), torn)
    with LogScript(p=[broken, problem(503, "not now")]) as script:
        result = rpcli_run(*POD, "--max-wait", "1s", env=script.environment())
    assert (result.status, lines(result)) == (1, ["line 1", "line 2", "line 3"])
    assert "incomplete" in result.error["error"]


def test_a_stream_that_ends_before_any_event(rpcli_run):
    # C28 (a): a snapshot knows that there is nothing; a follow goes on
    with LogScript(p=closed(RETRY)) as script:
        result = rpcli_run(*POD, *SHORT, env=script.environment())
    assert result.stdout == ""
    assert result.notes or result.error
    with LogScript(p=[closed(RETRY), closed(RETRY), closed(event("x")), NO_MORE]) as script:
        result = rpcli_run(*FOLLOW, env=script.environment())
        assert len(script.requests_for("p")) == 4
    assert (result.status, lines(result)) == (0, ["x"])


def test_a_stream_that_ends_behind_its_events(rpcli_run):
    # C28, the other way
    with LogScript(p=[closed(RETRY, numbered(1, 2, 3)), opened(b":\n\n")]) as script:
        result = rpcli_run(*POD, env=script.environment())
    assert (result.status, lines(result)) == (0, ["line 1", "line 2", "line 3"])


def test_a_slow_first_line_is_told_of(rpcli_run):
    # G06
    with LogScript(p=silent) as script, LogRun(rpcli_run, script, *FOLLOW) as run:
        run.wait_for_note("waiting for the first line")
        assert run.end(signal.SIGINT).status == 130


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"[]", b"[" * 200_000, b'{"workers": {}}', b'{"workers": [{"id": 7}]}'],
    ids=["html", "list", "deep", "object", "id"],
)
def test_a_listing_that_is_none_is_told(rpcli_run, body):
    # B28
    with LogScript(e=reply(body)) as script:
        result = rpcli_run("serverless", "logs", "e", env=script.environment())
    assert (result.status, result.stdout) == (1, "")
    assert result.error["code"] == "unexpected_response"
    assert len(result.stderr.splitlines()) == 1


def test_an_endpoint_without_workers_is_a_conflict(rpcli_run):
    """Nothing is wrong with what was typed: the seed's last bug."""
    for argv in (("serverless", "logs", "e"), ("serverless", "logs", "e", "--follow")):
        with LogScript(e=listing()) as script:
            result = rpcli_run(*argv, env=script.environment())
            assert len(script.requests_for("e")) == 1
        assert (result.status, result.error["code"]) == (1, "conflict")
        assert "has no workers" in result.error["error"]


def test_the_default_is_a_snapshot_that_ends(rpcli_run):
    # C13, C29
    with LogScript(p=opened(numbered(1, 2, 3, 4, 5))) as script:
        result = rpcli_run(*POD, env=script.environment())
        assert script.requests_for("p") == [({}, None)]
    assert (result.status, len(result.lines), result.stderr) == (0, 5, "")


def test_a_follow_begins_with_history(rpcli_run):
    # C14
    with (
        LogScript(p=opened(numbered(1, 2, 3, 4, 5))) as script,
        LogRun(rpcli_run, script, *FOLLOW) as run,
    ):
        assert len(records(run.read(5))) == 5
        assert script.requests_for("p") == [({}, None)]


def test_a_follow_without_history_asks_for_none(rpcli_run):
    # C14, C15
    with LogScript(p=NO_MORE) as script:
        rpcli_run(*FOLLOW, "--tail", "0", env=script.environment())
        assert script.requests_for("p") == [({"tail": "0"}, None)]
