"""How a broken follow is taken up again: what it asks for, and what it shows of the answer."""

from __future__ import annotations

import gzip
import json
import signal
import zlib

import pytest
from log_run import LogRun, records
from log_script import (
    CHUNKED,
    EVENTS,
    NO_MORE,
    RETRY,
    LogScript,
    chunk,
    closed,
    cut,
    event,
    numbered,
    opened,
)
from stub import head

FOLLOW = ("pod", "logs", "p", "--follow")
TS = "2026-08-13T18:06:15Z"


def follow(rpcli_run, *replies, argv=FOLLOW):
    """Follow through replies, to the end; give the result and what was asked."""
    with LogScript(p=[*replies, NO_MORE]) as script:
        result = rpcli_run(*argv, env=script.environment())
        asked = script.requests_for("p")
    assert len(asked) == len(replies) + 1
    return result, asked


def lines(result) -> list[str]:
    return [record["line"] for record in result.lines]


def test_a_polite_end_is_not_the_end(rpcli_run):
    # C02
    replies = [closed(RETRY, numbered(2 * n + 1, 2 * n + 2)) for n in range(3)]
    result, asked = follow(rpcli_run, *replies)
    assert lines(result) == [f"line {n}" for n in range(1, 7)]
    # One note for each reconnect, and one for the end.
    assert len(result.notes) == 4
    assert [a.last_event_id for a in asked[1:]] == [f"{TS}/{n:06}" for n in (2, 4, 6)]


@pytest.mark.parametrize("window", [("--tail", "7"), ("--since", "2026-08-13T18:00:00Z")])
def test_history_is_asked_for_once(rpcli_run, window):
    # C03, C19: a reconnect carries the cursor, and no window
    result, asked = follow(
        rpcli_run, closed(RETRY, numbered(1)), closed(numbered(2)), argv=(*FOLLOW, *window)
    )
    # With both --tail alone and --since alone the server is asked for it, the first time.
    assert asked[0].query == {window[0].strip("-"): window[1]}
    assert [a.query for a in asked[1:]] == [{}, {}]
    assert lines(result) == ["line 1", "line 2"]


def test_a_server_that_ignores_the_cursor_repeats_itself_to_nobody(rpcli_run):
    # B19, C03
    result, _ = follow(
        rpcli_run,
        cut(RETRY, numbered(*range(1, 6))),
        cut(RETRY, numbered(*range(1, 9))),
        closed(RETRY, numbered(*range(1, 10))),
    )
    assert lines(result) == [f"line {n}" for n in range(1, 10)]


def test_a_server_that_ignores_the_cursor_with_times_for_ids(rpcli_run):
    # B19
    def times(*numbers):
        return b"".join(
            event(f"line {n}", f"2026-08-13T18:06:{n:02}Z", ts=f"2026-08-13T18:06:{n:02}Z")
            for n in numbers
        )

    result, _ = follow(rpcli_run, cut(RETRY, times(*range(1, 6))), closed(times(*range(1, 9))))
    assert lines(result) == [f"line {n}" for n in range(1, 9)]


def test_equal_lines_are_not_duplicates(rpcli_run):
    # C04
    again = event("retrying\u2026", TS) * 3
    # The id is shared, and there is none before it: asked from the time, and counted.
    result, asked = follow(rpcli_run, cut(RETRY, again), closed(again + again[: len(again) // 3]))
    assert lines(result) == ["retrying\u2026"] * 4
    assert asked[1] == ({"since": TS}, None)


def test_a_shared_id_is_resumed_from_the_one_before(rpcli_run):
    """A burst has one id; an exclusive resume from it would lose the rest of the second."""
    first = event("before", "2026-08-13T18:06:14Z", ts="2026-08-13T18:06:14Z")
    burst = [event(f"pull {n}", TS, source="system", ts=TS) for n in range(5)]
    result, asked = follow(
        rpcli_run, cut(RETRY, first, *burst[:2]), closed(*burst, event("later", "z", ts=None))
    )
    assert asked[1] == ({}, "2026-08-13T18:06:14Z")
    assert lines(result) == ["before", *[f"pull {n}" for n in range(5)], "later"]


def test_without_ids_it_goes_on_from_the_time(rpcli_run):
    # B20
    frames = [event(f"line {n}", None, ts=f"2026-08-13T18:06:0{n}Z") for n in range(1, 6)]
    result, asked = follow(
        rpcli_run, cut(RETRY, *frames[:3]), closed(*frames[2:]), argv=(*FOLLOW, "--tail", "9")
    )
    assert lines(result) == [f"line {n}" for n in range(1, 6)]
    assert asked[1] == ({"since": "2026-08-13T18:06:03Z"}, None)


def test_neither_ids_nor_times_lose_nothing(rpcli_run):
    # B20: nothing to resume from; what comes again is dropped by count
    frames = [event(f"line {n}", None, ts=None) for n in range(1, 6)]
    result, asked = follow(rpcli_run, cut(RETRY, *frames[:3]), closed(*frames))
    assert lines(result) == [f"line {n}" for n in range(1, 6)]
    assert asked[1].last_event_id is None


def test_an_event_of_another_type_moves_nothing(rpcli_run):
    # B06
    odd = b"Data: x\nfoo: bar\nDATA: y\n\n"
    ping = b"event: ping\nid: hb-%d\ndata: {}\n\n"
    body = numbered(1) + ping % 1 + odd + numbered(2) + ping % 2
    result, asked = follow(rpcli_run, cut(RETRY, body), closed(numbered(3)))
    assert asked[1].last_event_id == f"{TS}/000002"
    assert lines(result) == ["line 1", "line 2", "line 3"]


@pytest.mark.parametrize("id", ["caf\u00e9\u2603", "\u2603", "a b", "%00"])
def test_an_id_is_sent_back_as_it_came(rpcli_run, id):
    # B11: a header is bytes, and these are UTF-8
    result, asked = follow(rpcli_run, closed(RETRY, event("one", id)), closed(event("two", "2")))
    assert asked[1].last_event_id.encode("latin-1").decode() == id
    assert lines(result) == ["one", "two"]


@pytest.mark.parametrize(
    "id", ["x" * 5000, "a\x07b", "\x7f", "a\0b"], ids=["long", "bell", "del", "nul"]
)
def test_an_id_that_no_header_can_hold_is_none(rpcli_run, id):
    # B11
    frame = f"id: {id}\n".encode() + event("one", None)
    result, asked = follow(rpcli_run, closed(RETRY, frame), closed(frame, event("two", "2")))
    assert asked[1] == ({"since": TS}, None)
    assert lines(result) == ["one", "two"]


@pytest.mark.parametrize(
    "rest",
    [b"20\r\nid: 2\ndata: tw", b"zz\r\n", b"", b"5", b"5\r\nid: 2", b"-5\r\nid", b"0\r\nX: y"],
    ids=["mid-frame", "no size", "eof", "eof in size", "eof in data", "negative", "eof in trailer"],
)
@pytest.mark.parametrize("way", [cut, closed], ids=["reset", "end"])
def test_broken_chunks_are_a_broken_connection(rpcli_run, way, rest):
    # B13, C30
    broken = way(chunk(RETRY + numbered(1)), rest, head=CHUNKED)
    result, asked = follow(rpcli_run, broken, closed(numbered(2)))
    assert (result.status, lines(result)) == (0, ["line 1", "line 2"])
    assert asked[1].last_event_id == f"{TS}/000001"
    assert len(result.notes) == 3
    assert result.error is None


@pytest.mark.parametrize("rest", [b"zz\r\n", b"20\r\nid: 2\ndata: tw"])
def test_broken_chunks_keep_what_a_snapshot_has(rpcli_run, rest):
    # B13
    broken = closed(chunk(RETRY + numbered(1)), rest, head=CHUNKED)
    with LogScript(p=broken) as script:
        result = rpcli_run("pod", "logs", "p", "--max-wait", "1s", env=script.environment())
    assert (result.status, lines(result)) == (1, ["line 1"])
    assert "incomplete" in result.error["error"]


def test_a_length_that_is_too_large_is_a_cut(rpcli_run):
    # B16
    body = numbered(1)
    long = head(200, Content_Type="text/event-stream", Content_Length=str(len(body) + 500))
    result, asked = follow(rpcli_run, closed(RETRY), closed(body, head=long), closed(numbered(2)))
    assert lines(result) == ["line 1", "line 2"]
    assert asked[2].last_event_id == f"{TS}/000001"


def test_a_length_that_is_too_small_ends_there(rpcli_run):
    # B16
    body = numbered(1) + b"id: 2\nda"
    short = head(200, Content_Type="text/event-stream", Content_Length=str(len(body)))
    result, asked = follow(
        rpcli_run, closed(RETRY), closed(body, b"ta: x\n\n", head=short), closed(numbered(2))
    )
    assert lines(result) == ["line 1", "line 2"]
    assert asked[2].last_event_id == f"{TS}/000001"


@pytest.mark.parametrize("where", [b"id: 2", b"id: 2\ndata: {", b"id: 2\ndata: {}\n", b"\xe2\x98"])
def test_a_frame_that_was_cut_is_no_event(rpcli_run, where):
    """The id of a frame that never ended is not the cursor, and what came of it is not shown."""
    result, asked = follow(rpcli_run, closed(RETRY, numbered(1), where), closed(numbered(2)))
    assert lines(result) == ["line 1", "line 2"]
    assert asked[1].last_event_id == f"{TS}/000001"


def _gzipped(*parts: bytes) -> list[bytes]:
    """Compress parts so that each can be read as soon as it is there."""
    packer = zlib.compressobj(wbits=31)
    return [packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH) for part in parts]


def test_compressed_frames_appear_as_they_are_flushed(rpcli_run):
    # B12: asked for is identity; who compresses all the same is read
    parts = _gzipped(numbered(1), numbered(2), numbered(3))

    def slow(talk):
        packed = head(200, Content_Type="text/event-stream", Content_Encoding="gzip")
        talk.send(packed + parts[0])
        talk.wait_until_left()

    with LogScript(p=slow) as script, LogRun(rpcli_run, script, *FOLLOW) as run:
        assert records(run.read(1))[0]["line"] == "line 1"
        assert script.requests[0].headers["accept-encoding"] == "identity"
        run.end(signal.SIGINT)
    whole = head(200, Content_Type="text/event-stream", Content_Encoding="gzip")
    result, _ = follow(rpcli_run, closed(gzip.compress(RETRY + numbered(1, 2)), head=whole))
    assert lines(result) == ["line 1", "line 2"]


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate"])
def test_garbage_that_claims_to_be_compressed_is_told(rpcli_run, encoding):
    # B12
    packed = head(200, Content_Type="text/event-stream", Content_Encoding=encoding)
    with LogScript(p=closed(b"\x8b\x00garbage \x1b[2J" * 50, head=packed)) as script:
        result = rpcli_run("pod", "logs", "p", "--max-wait", "1s", env=script.environment())
    assert (result.status, result.stdout) == (1, "")
    assert result.error is not None
    assert "\x1b" not in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("size", [1, 13])
def test_quiet_gaps_are_no_trouble(rpcli_run, size):
    """There is no time limit on a read: what is quiet for longer than reads may take is quiet."""
    # B14, B15
    config = rpcli_run.home / ".config" / "rpcli" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[rpcli]\ntimeout = 0.05\n")

    def gaps(talk):
        talk.send(EVENTS)
        for n in range(1, 4):
            frame = numbered(n)
            for at in range(0, len(frame), max(len(frame) // size, 1)):
                talk.send(frame[at : at + max(len(frame) // size, 1)])
                talk.stub.stopping.wait(0.15)
        talk.wait_until_left()

    with LogScript(p=gaps) as script, LogRun(rpcli_run, script, *FOLLOW) as run:
        assert [r["line"] for r in records(run.read(3))] == ["line 1", "line 2", "line 3"]
        ended = run.end(signal.SIGINT)
        assert len(script.requests_for("p")) == 1
    assert (ended.status, ended.stderr) == (130, "")


def test_three_breaks_behind_quiet_gaps_lose_and_repeat_nothing(rpcli_run):
    # B15
    def quiet(frame):
        def answer(talk):
            talk.send(EVENTS + frame)
            talk.stub.stopping.wait(0.15)
            talk.reset()

        return answer

    result, asked = follow(rpcli_run, *[quiet(RETRY + numbered(n)) for n in (1, 2, 3)])
    assert lines(result) == ["line 1", "line 2", "line 3"]
    assert [a.last_event_id for a in asked] == [None, *[f"{TS}/00000{n}" for n in (1, 2, 3)]]
    assert all("tail" not in a.query for a in asked)


def test_the_same_documents_either_way(rpcli_run):
    # C27
    frames = event("one", "1") + event("two", "2", ts=None) + b"id: 3\ndata: other\n\n"
    with LogScript(p=opened(frames)) as script:
        snapshot = rpcli_run("pod", "logs", "p", env=script.environment())
    result, _ = follow(rpcli_run, closed(RETRY, frames))
    assert result.stdout == snapshot.stdout
    assert [list(r) for r in snapshot.lines] == [["source", "line", "ts"]] * 2 + [
        ["source", "line", "ts", "raw"]
    ]


def test_status_lines_never_mix_with_data(rpcli_run):
    # C26
    replies = [closed(RETRY, numbered(n), b"event: error\ndata: oh\n\n") for n in range(5)]
    result, _ = follow(rpcli_run, *replies, argv=(*FOLLOW, "--summary"))
    assert [list(json.loads(line)) for line in result.stdout.splitlines()] == [
        ["source", "line", "ts"]
    ] * 5
    assert len(result.notes) >= 10
