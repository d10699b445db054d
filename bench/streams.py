"""Log streams: how fast, how soon, how much memory, and how little while nothing happens.

Throughput is the time until a reader has counted all lines, start-up included, from a server that
sends bytes that it has prepared; the other side is what a person would type instead.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.runner import RPCLI, Figure, Line, Missing, Speed, home, until_printed

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
import log_memory
from log_server import LogServer

from rpcli.testing import Runner

#: Bytes of the text of a line; a frame has about 170 then.
WIDTH = 56
#: More than sed and jq keep back in their buffers: a stream that stays open never flushes those.
HELD_BACK = 4_000
PIPELINE = """curl -sN "$0" | sed -n 's/^data: //p' | jq -c ."""
TOOLS = ("curl", "sed", "jq")


def _stream(name: str, lines: int, shape: str = "service") -> dict[str, Any]:
    return {
        "name": name,
        "lines": lines,
        "width": WIDTH,
        "ascii": True,
        "shape": shape,
        "prepared": True,
    }


def one_stream(rounds: int, shape: str = "service", mark: float = 1.5) -> list[Line]:
    """Measure a stream against curl, sed and jq."""
    lines = 1_000_000 if rounds > 1 else 20_000
    name = f"one log stream, {lines} frames, {shape}"
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        return [Missing(name, missing)]
    with LogServer(_stream("p", lines + HELD_BACK, shape)) as server, home() as env:
        ours = [*RPCLI, "pod", "logs", "p", "--follow"]
        theirs = ["sh", "-c", PIPELINE, f"{server.url}/pods/p/logs"]
        variables = env | server.environment()
        seconds = until_printed(lines, ours, theirs, rounds=rounds, env=variables)
    return [Speed(name, *seconds, mark)]


def general_decoder(rounds: int) -> list[Line]:
    """Measure the same frames in shapes that the service does not send."""
    return [row for shape in ("typed", "crlf") for row in one_stream(rounds, shape=shape, mark=0.6)]


def many_streams(rounds: int) -> list[Line]:
    """Measure 32 streams against one that has as many lines."""
    each = 30_000 if rounds > 1 else 1_000
    names = [f"w{n:02}" for n in range(32)]
    streams = [_stream(name, each) for name in names] + [_stream("p", 32 * each)]
    with LogServer(*streams, endpoints={"e": names}) as server, home() as env:
        seconds = until_printed(
            32 * each,
            [*RPCLI, "serverless", "logs", "e", "--follow"],
            [*RPCLI, "pod", "logs", "p", "--follow"],
            rounds=rounds,
            env=env | server.environment(),
        )
    return [Speed(f"32 streams of {each} lines, against one stream", *seconds, 0.7)]


def first_line(rounds: int) -> list[Line]:
    """Measure from the clock of the server to that of the reader: both are the machine's."""
    with home() as env:
        single = [_latencies(env, 1)[0] for _ in range(2 if rounds == 1 else 30)]
        many = _latencies(env, 10 if rounds == 1 else 500)[1:]
    return [
        Figure("follow, headers and first line, median", statistics.median(single), "ms", 5),
        Figure("follow, each later line, median", statistics.median(many), "ms", 5),
    ]


def _latencies(env: dict[str, str], lines: int) -> list[float]:
    """Follow a stream that has nothing to say yet; give the milliseconds of each line."""
    stream = {"name": "p", "lines": lines, "produced": 0, "every": 0.01}
    with LogServer(stream) as server:
        process = subprocess.Popen(
            [*RPCLI, "pod", "logs", "p", "--follow"],
            env=env | server.environment(),
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        server.wait_for_requests(1)
        server.produce("p", lines)
        taken = []
        while len(taken) < lines:
            said = os.read(process.stdout.fileno(), 4096)
            now = time.monotonic_ns()
            sent = int(said.partition(b'"line":"sent ')[2].partition(b'"')[0])
            taken.append((now - sent) / 1e6)
        _end(process)
    return taken


def quiet(rounds: int) -> list[Line]:
    """Measure the processor time of a follow of 32 streams on which nothing comes."""
    seconds = 3 if rounds == 1 else 60
    names = [f"w{n:02}" for n in range(32)]
    streams = [{"name": name, "lines": 1} for name in names]
    with LogServer(*streams, endpoints={"e": names}) as server, home() as env:
        process = subprocess.Popen(
            [*RPCLI, "serverless", "logs", "e", "--follow"],
            env=env | server.environment(),
            stdout=subprocess.PIPE,
        )
        for _ in names:
            process.stdout.readline()
        before = _processor_seconds(process.pid)
        time.sleep(seconds)
        used = _processor_seconds(process.pid) - before
        _end(process)
    return [Figure("a quiet follow of 32 streams", 100 * used / seconds, "% of a core", 1)]


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def memory(rounds: int) -> list[Line]:
    """Measure what is added after the first 1,000 lines."""
    lines = 1_000_000 if rounds > 1 else 20_000
    giant = (lines // 2, 100_000_000 if rounds > 1 else 5_000_000)
    mark = log_memory.MORE / 1024
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(Path(folder))
        plain = log_memory.flow(runner, lines=lines, patience=600)
        between = log_memory.flow(runner, lines=lines, giant=giant, patience=600)
    return [
        Figure(f"memory over {lines} lines", plain / 1024, "MiB", mark),
        Figure(f"memory, a line of {giant[1]} bytes among them", between / 1024, "MiB", mark),
    ]


ALL: dict[str, Callable[[int], Sequence[Line]]] = {
    "one log stream": one_stream,
    "general decoder": general_decoder,
    "32 log streams": many_streams,
    "first log line": first_line,
    "quiet log streams": quiet,
    "memory of log streams": memory,
}
