"""Signals end a follow at once and without a word, whatever it waits for."""

from __future__ import annotations

import os
import signal
import termios

import pytest
from log_lines import NumberedLog
from log_run import LogRun, expected, records
from log_server import LogServer

ENDS = [
    pytest.param([signal.SIGINT], 130, id="SIGINT"),
    pytest.param([signal.SIGINT, signal.SIGINT], 130, id="SIGINT twice"),
    pytest.param([signal.SIGTERM], 143, id="SIGTERM"),
    pytest.param([signal.SIGHUP], 129, id="SIGHUP"),
]
FOLLOW = ("pod", "logs", "p", "--follow")
WORKERS = [f"w{n:02}" for n in range(32)]


@pytest.mark.parametrize(("signals", "status"), ENDS)
def test_a_signal_ends_a_follow_that_has_no_headers_yet(rpcli_run, signals, status):
    # C31
    with LogServer({"name": "p"}) as server, LogRun(rpcli_run, server, *FOLLOW) as run:
        assert server.wait_for_requests(1)
        assert run.end(*signals) == (status, b"", "")


@pytest.mark.parametrize(("signals", "status"), ENDS)
def test_a_signal_ends_a_follow_that_is_silent(rpcli_run, signals, status):
    # C31
    with (
        LogServer({"name": "p", "lines": 3}) as server,
        LogRun(rpcli_run, server, *FOLLOW) as run,
    ):
        assert records(run.read(3)) == expected(NumberedLog(), 0, 3)
        assert run.end(*signals) == (status, b"", "")
        assert len(server.requests()) == 1


@pytest.mark.parametrize(("signals", "status"), ENDS)
def test_a_signal_flushes_what_was_received(rpcli_run, signals, status):
    """Under way are whole records only, each once; nothing is half written."""
    with (
        LogServer({"name": "p", "lines": 10**9}) as server,
        LogRun(rpcli_run, server, *FOLLOW) as run,
    ):
        got = run.read(1000)
        ended = run.end(*signals)
    got += ended.stdout.splitlines(keepends=True)
    assert records(got) == expected(NumberedLog(), 0, len(got))
    assert got[-1].endswith(b"\n")
    assert (ended.status, ended.stderr) == (status, "")


@pytest.mark.parametrize("lines", [0, 1], ids=["before headers", "silent"])
@pytest.mark.parametrize(("signals", "status"), ENDS)
def test_a_signal_ends_thirty_two_streams(rpcli_run, lines, signals, status):
    # C31
    streams = [{"name": name, "lines": lines} for name in WORKERS]
    with (
        LogServer(*streams, endpoints={"e": WORKERS}) as server,
        LogRun(rpcli_run, server, "serverless", "logs", "e", "--follow") as run,
    ):
        assert server.wait_for_requests(33)
        got = records(run.read(32 * lines))
        assert sorted(record["workerId"] for record in got) == WORKERS * lines
        assert run.end(*signals) == (status, b"", "")


@pytest.mark.parametrize("lines", [0, 1], ids=["before headers", "silent"])
def test_a_signal_ends_a_snapshot(rpcli_run, lines):
    with (
        LogServer({"name": "p", "lines": lines, "history": lines}) as server,
        LogRun(rpcli_run, server, "pod", "logs", "p", "--max-wait", "50s") as run,
    ):
        assert server.wait_for_requests(1)
        ended = run.end(signal.SIGTERM)
    assert (ended.status, ended.stderr) == (143, "")


def test_a_signal_between_two_connections_ends_the_wait(rpcli_run):
    stream = {"name": "p", "lines": 9, "refused": 1.0}
    with LogServer(stream) as server, LogRun(rpcli_run, server, *FOLLOW) as run:
        assert server.wait_for_requests(2)
        ended = run.end(signal.SIGINT)
    assert (ended.status, ended.stdout) == (130, b"")
    assert all(line.startswith("rpcli: ") for line in ended.stderr.splitlines())


def test_a_signal_leaves_a_terminal_as_it_was(rpcli_run):
    # C31
    master, slave = os.openpty()
    with (
        os.fdopen(slave, "wb", buffering=0) as terminal,
        os.fdopen(master, "rb", buffering=0) as screen,
        LogServer({"name": "p", "lines": 1}) as server,
    ):
        before = termios.tcgetattr(terminal)
        with LogRun(rpcli_run, server, *FOLLOW, stdout=terminal) as run:
            shown = b""
            while not shown.endswith(b"\n"):
                shown += screen.read(4096)
            assert run.end(signal.SIGINT) == (130, b"", "")
        assert termios.tcgetattr(terminal) == before
    assert records([shown]) == expected(NumberedLog(), 0, 1)
