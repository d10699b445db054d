"""``python -m bench.counted``, run by the runner: until a command has printed so many lines.

What and how many come from the environment: pyperf hands that on to its own processes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pyperf

COMMAND = json.loads(os.environ["BENCH_COMMAND"])
LINES = int(os.environ["BENCH_LINES"])


def once() -> float:
    """Give the seconds from the start of the process to the last of the lines."""
    began = time.perf_counter()
    process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, bufsize=0, start_new_session=True)
    try:
        left = LINES
        while left > 0:
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                raise SystemExit(f"it ended {left} lines too early")
            left -= data.count(b"\n")
        return time.perf_counter() - began
    finally:
        # the whole pipeline
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("counted", lambda loops: sum(once() for _ in range(loops)))
