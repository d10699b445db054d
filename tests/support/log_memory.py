"""Resident memory stays flat: what tests of any size do to a command, and what they hold it to."""

from __future__ import annotations

import json
import signal
from typing import Any

from log_lines import NumberedLog
from log_run import LogRun, expected
from log_server import LogServer

from rpcli.testing import Runner

#: What may be added after the first lines, in KiB.
MORE = 8 << 10
FIRST = 1_000
WIDTH = 56
FOLLOW = ("pod", "logs", "p", "--follow")


def flow(
    runner: Runner, *, lines: int, giant: tuple[int, int] | None = None, patience: float = 100
) -> int:
    """Follow so many lines, one of them giant if given; give the KiB that were added."""
    log = NumberedLog(width=WIDTH, ascii=True)
    stream: dict[str, Any] = {
        "name": "p",
        "lines": lines,
        "produced": FIRST,
        "width": WIDTH,
        "ascii": True,
        "prepared": giant is None,
        "giant": giant,
    }
    with (
        LogServer(stream) as server,
        LogRun(runner, server, *FOLLOW, patience=patience) as run,
    ):
        got = run.read(FIRST)
        base = run.status_of("VmRSS")
        run.forget_peak()
        server.produce("p", lines - FIRST)
        got += run.iterate(lines - FIRST)
        added = run.status_of("VmHWM") - base
        ended = run.end(signal.SIGINT)
    assert ended == (130, b"", "")
    _are_in_order(got, log, giant[0] if giant else None)
    assert len(got) == lines
    return added


def slow_reader(runner: Runner, *, lines: int, seconds: float, patience: float = 100) -> int:
    """Read nothing for so long while the server has more to send; give the KiB that were added."""
    log = NumberedLog(width=WIDTH, ascii=True)
    stream = {
        "name": "p",
        "lines": lines,
        "produced": FIRST,
        "width": WIDTH,
        "ascii": True,
        "prepared": True,
    }
    with (
        LogServer(stream) as server,
        LogRun(runner, server, *FOLLOW, patience=patience) as run,
    ):
        got = run.read(FIRST)
        base = run.status_of("VmRSS")
        run.forget_peak()
        server.produce("p", lines - FIRST)
        sent = server.wait_until_stalled(seconds)
        got += run.iterate(lines - FIRST)
        added = run.status_of("VmHWM") - base
        ended = run.end(signal.SIGINT)
        asked, whole = len(server.requests()), server.report()["sent"]
    assert (ended, asked) == ((130, b"", ""), 1)
    _are_in_order(got, log, None)
    assert len(got) == lines
    assert sent < whole / 2, "what nobody reads was taken all the same"
    return added


def flood(runner: Runner, *argv: str, stream: dict[str, Any], patience: float = 100) -> int:
    """Read a snapshot of a server that sends all it has; give the most KiB it ever had."""
    with (
        LogServer({"name": "p", "deaf": True, "width": WIDTH, "ascii": True, **stream}) as server,
        LogRun(runner, server, "pod", "logs", "p", *argv, patience=patience) as run,
    ):
        peak, got = 0, []
        for line in run.iterate(10**9):
            if len(got) % 1000 == 0:
                peak = max(peak, run.status_of("VmHWM"))
            got.append(line)
        ended = run.end()
    _are_in_order(got, NumberedLog(width=WIDTH, ascii=True), None)
    assert ended.status == 0, ended.stderr
    if len(got) < stream["lines"]:
        assert "--max-wait" in ended.stderr
    return peak


def _are_in_order(got: list[bytes], log: NumberedLog, giant: int | None) -> None:
    """Hold lines to a numbered log, the giant one left out."""
    step = 10_000
    for begin in range(0, len(got), step):
        some = [json.loads(line) for line in got[begin : begin + step]]
        wanted = expected(log, begin, begin + len(some))
        if giant is not None and begin <= giant < begin + len(some):
            cut = some[giant - begin]
            assert cut["truncated"] is True
            assert len(cut["line"]) < 2 << 20
            some[giant - begin] = wanted[giant - begin] = {}
        assert some == wanted, f"not in order after line {begin}"
