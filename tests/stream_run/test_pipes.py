"""Whoever reads stdout goes away, or stdout cannot be written: it ends at once."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from log_lines import NumberedLog
from log_run import LogRun, expected, piped, records
from log_server import LogServer

FOLLOW = ("pod", "logs", "p", "--follow")
ENDLESS = 10**9
UNBUFFERED = pytest.mark.parametrize(
    "env", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["", "PYTHONUNBUFFERED"]
)


@UNBUFFERED
@pytest.mark.parametrize("lines", [1, ENDLESS], ids=["silent", "busy"])
def test_head_takes_its_line_and_all_is_over(rpcli_run, env, lines):
    # C08
    stream = {"name": "p", "lines": lines}
    with LogServer(stream) as server, LogRun(rpcli_run, server, *FOLLOW, env=env) as run:
        with piped(run, "head", "-n", "1") as head:
            shown, _ = head.communicate(timeout=60)
        assert run.end() == (141, b"", "")
        assert len(server.requests()) == 1
    assert records([shown]) == expected(NumberedLog(), 0, 1)


@UNBUFFERED
@pytest.mark.parametrize("lines", [0, 3, ENDLESS])
def test_a_reader_that_reads_nothing_ends_it(rpcli_run, env, lines):
    # C08
    stream = {"name": "p", "lines": lines}
    with LogServer(stream) as server, LogRun(rpcli_run, server, *FOLLOW, env=env) as run:
        with piped(run, "true") as true:
            true.communicate(timeout=60)
        assert run.end() == (141, b"", "")
        assert len(server.requests()) <= 1


@UNBUFFERED
def test_two_thousand_lines_of_a_snapshot_to_head(rpcli_run, env):
    # C08
    stream = {"name": "p", "lines": 2000, "history": 2000, "width": 200}
    argv = ("pod", "logs", "p", "--tail", "2000")
    with LogServer(stream) as server, LogRun(rpcli_run, server, *argv, env=env) as run:
        with piped(run, "head", "-n", "1") as head:
            shown, _ = head.communicate(timeout=60)
        ended = run.end()
    assert (ended.status, ended.stderr) == (141, "")
    assert records([shown]) == expected(NumberedLog(width=200), 0, 1)


def test_head_ends_three_chatty_workers(rpcli_run):
    # C09
    names = ["w1", "w2", "w3"]
    streams = [{"name": name, "lines": ENDLESS} for name in names]
    with (
        LogServer(*streams, endpoints={"e": names}) as server,
        LogRun(rpcli_run, server, "serverless", "logs", "e", "--follow") as run,
    ):
        with piped(run, "head", "-n", "5") as head:
            shown, _ = head.communicate(timeout=60)
        assert run.end() == (141, b"", "")
        asked = [request["path"] for request in server.requests()]
    assert len(records(shown.splitlines())) == 5
    assert sorted(asked) == sorted(set(asked))


def test_a_line_is_readable_behind_a_pipe_as_soon_as_it_came(rpcli_run):
    # C10, B29: with the lowest versions of requests as well, by tox -e mindeps
    stream = {"name": "p", "lines": 9, "produced": 1}
    with (
        LogServer(stream) as server,
        LogRun(rpcli_run, server, *FOLLOW) as run,
        piped(run, "cat") as cat,
    ):
        for n in range(3):
            assert records([cat.stdout.readline()]) == expected(NumberedLog(), n, n + 1)
            server.produce("p", 1)
        assert run.end(signal.SIGINT) == (130, b"", "")


@pytest.mark.parametrize("lines", [1, ENDLESS], ids=["silent", "busy"])
def test_a_full_disk_ends_a_follow_and_its_cursor_stays(rpcli_run, tmp_path, lines):
    # D09
    cursors = tmp_path / "cursors"
    stream = {"name": "p", "lines": lines}
    argv = (*FOLLOW, "--resume", str(cursors))
    with LogServer(stream) as server:
        with (
            Path("/dev/full").open("wb") as full,
            LogRun(rpcli_run, server, *argv, stdout=full) as run,
        ):
            ended = run.end()
        assert ended.status == 1
        assert json.loads(ended.stderr)["code"] == "output_error"
        assert len(server.requests()) == 1
        # The next run is given what could not be written.
        with LogRun(rpcli_run, server, *argv) as run:
            assert records(run.read(1)) == expected(NumberedLog(), 0, 1)
            run.end(signal.SIGINT)


@pytest.mark.parametrize("how", [FOLLOW, FOLLOW[:3]], ids=["follow", "snapshot"])
def test_a_full_disk_is_told(rpcli_run, how):
    # D09
    stream = {"name": "p", "lines": 3, "history": 3}
    with (
        LogServer(stream) as server,
        Path("/dev/full").open("wb") as full,
        LogRun(rpcli_run, server, *how, stdout=full) as run,
    ):
        ended = run.end()
    assert ended.status == 1
    error = json.loads(ended.stderr)
    assert error["code"] == "output_error"
    assert "No space left" in error["error"]


@pytest.mark.parametrize("how", [FOLLOW, FOLLOW[:3]], ids=["follow", "snapshot"])
def test_a_closed_stdout_is_told_before_anything_is_asked(rpcli_run, how):
    # D09
    with (
        LogServer({"name": "p", "lines": 3}) as server,
        LogRun(rpcli_run, server, *how, shell='exec "$@" >&-') as run,
    ):
        ended = run.end()
        asked = server.requests()
    assert ended.status == 1
    assert json.loads(ended.stderr)["code"] == "output_error"
    assert asked == []


def test_a_stderr_that_is_gone_ends_nothing(rpcli_run):
    """Notes that nobody can read are no reason to lose lines."""
    stream = {"name": "p", "lines": 500, "retry": 10, "cut_after": 5_000}
    with (
        LogServer(stream) as server,
        LogRun(rpcli_run, server, *FOLLOW, shell='exec "$@" 2>&-') as run,
    ):
        assert records(run.read(500)) == expected(NumberedLog(), 0, 500)
        assert run.end(signal.SIGINT).status == 130
