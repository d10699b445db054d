"""Exactly once: what tests of any size do to a follow, and what they hold it to."""

from __future__ import annotations

import json
import random
import signal
from collections import Counter
from typing import Any

from log_lines import NumberedLog
from log_run import LogRun, difference, expected, records
from log_server import LogServer

from rpcli.testing import Runner

#: Bytes of a frame of the numbered log, about.
FRAME = 118


def cut(
    runner: Runner, *, lines: int, cuts: int, ids: str, framing: str, patience: float = 100
) -> None:
    """Cut a follow at random bytes, at least so often, and refuse some of its requests."""
    log = NumberedLog(ids)
    stream = {
        "name": "p",
        "lines": lines,
        "ids": ids,
        "framing": framing,
        "pieces": 3000,
        "retry": 10,
        # a fifth more than are asked for, as what a resumed stream repeats is not counted here
        "cut_after": int(lines * FRAME / (cuts * 1.2)),
        "refused": 0.05,
    }
    with (
        LogServer(stream) as server,
        LogRun(runner, server, "pod", "logs", "p", "--follow", patience=patience) as run,
    ):
        got = records(run.read(lines))
        ended = run.end(signal.SIGINT)
        report = server.report()
    assert difference(got, expected(log, 0, lines)) == "", ended.stderr[-2000:]
    assert (ended.status, ended.stdout) == (130, b"")
    assert report["cuts"] >= cuts
    assert report["refused"] > 0
    # Only who has no cursor asks for history.
    assert not any("tail" in r["query"] for r in report["requests"] if r["last_event_id"])


def kill(runner: Runner, *, lines: int, kills: int, ids: str, seed: int = 1) -> None:
    """Kill a follow with ``--resume`` at random moments: nothing is lost, one line may come again.

    It is killed while it starts, too, and while the server has something to send.
    """
    log, dice = NumberedLog(ids), random.Random(seed)
    wanted = expected(log, 0, lines)
    share = lines // (kills + 1)
    stream = {"name": "p", "lines": lines, "produced": 0, "ids": ids, "retry": 10}
    argv = ("pod", "logs", "p", "--follow", "--resume", str(runner.cwd / "cursors"))
    places = {0}
    with LogServer(stream) as server:
        for n in range(kills):
            server.produce("p", share)
            asked = len(server.requests())
            with LogRun(runner, server, *argv) as run:
                some = run.read(dice.randrange(share))
                if not some and dice.random() < 0.5:
                    assert server.wait_for_requests(asked + 1)
                some += run.end(signal.SIGKILL).stdout.splitlines(keepends=True)
            places = _places(places, records(some), wanted)
            assert places, f"run {n} does not go on where the one before it was killed"
        server.produce("p", lines - kills * share)
        with LogRun(runner, server, *argv) as run:
            last = records(run.read(1))
            while last and last[-1] != wanted[-1]:
                last += records(run.read(1))
            ended = run.end(signal.SIGINT)
    assert lines in _places(places, last, wanted)
    assert (ended.status, ended.stdout) == (130, b"")
    assert "Traceback" not in ended.stderr


def _places(places: set[int], got: list[Any], wanted: list[Any]) -> set[int]:
    """Give where a run may have come to, that began at one of these places or one line before."""
    if not got:
        return places
    begins = places | {max(0, place - 1) for place in places}
    return {n + len(got) for n in begins if wanted[n : n + len(got)] == got}


def churn(runner: Runner, *, alive: int, joining: int, lines: int, patience: float = 100) -> None:
    """Replace workers: as soon as all lines of one are printed, it vanishes and another joins."""
    log = NumberedLog("time")
    names = [f"w{n:03}" for n in range(alive + joining)]

    def worker(name: str) -> dict[str, Any]:
        ids = "time" if int(name[1:]) % 2 else "sequence"
        mean = lines * FRAME // 5
        return {"name": name, "lines": lines, "ids": ids, "retry": 10, "cut_after": mean}

    first, later = names[:alive], names[alive:]
    counts: Counter[str] = Counter()
    got: dict[str, list[Any]] = {name: [] for name in names}
    with (
        LogServer(*map(worker, first), endpoints={"e": first}) as server,
        LogRun(runner, server, "serverless", "logs", "e", "--follow", patience=patience) as run,
    ):
        for line in run.iterate(lines * len(names)):
            record = json.loads(line)
            name = record["workerId"]
            got[name].append(record)
            counts[name] += 1
            if counts[name] == lines and later:
                server.retire("e", name)
                server.join("e", **worker(later.pop(0)))
        ended = run.end(signal.SIGINT)
    for name in names:
        wanted = expected(log, 0, lines, workerId=name)
        assert difference(got[name], wanted) == "", (name, ended.stderr[-2000:])
    assert (ended.status, ended.stdout) == (130, b"")
