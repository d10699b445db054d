"""The real log command, running: read what it prints, end it, and see what it was."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from log_lines import NumberedLog
from log_script import LogScript
from log_server import LogServer

from rpcli.testing import Runner

#: Seconds; only ends a test that would hang.
PATIENCE = 60.0


class Ended(NamedTuple):
    """How it ended: its exit status, what was left on stdout, and all of stderr."""

    status: int
    stdout: bytes
    stderr: str


class LogRun:
    """A process of ``rpcli``; a context manager that leaves none behind.

    :param env: what differs from the environment of a test; ``RPCLI_CONTRACT`` is off unless given
    :param stdout: where it goes; a pipe to this process unless given
    :param shell: a line of sh that has the command as ``"$@"``
    :param patience: seconds after which it is killed, whatever waits for it
    """

    def __init__(
        self,
        runner: Runner,
        server: LogServer | LogScript,
        *argv: str,
        env: Mapping[str, str] | None = None,
        stdout: int | IO[bytes] = subprocess.PIPE,
        shell: str | None = None,
        patience: float = PATIENCE,
    ) -> None:
        command = runner.command(*argv)
        if shell is not None:
            command = ["sh", "-c", shell, "sh", *command]
        # The notes of a thousand reconnects do not fit into a pipe that nobody reads. In append
        # mode what is read here does not move the place where the process writes.
        self._stderr = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - closed with the process
        self.process = subprocess.Popen(
            command,
            env=runner.environment(server.environment() | {"RPCLI_CONTRACT": "off"} | (env or {})),
            cwd=runner.cwd,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=self._stderr,
        )
        self._watch = threading.Timer(patience, self.process.kill)
        self._watch.start()

    def __enter__(self) -> LogRun:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._watch.cancel()
        self._watch.join()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._stderr.close()

    def read(self, count: int) -> list[bytes]:
        """Read so many lines of stdout, fewer where it ends before."""
        return list(self.iterate(count))

    def iterate(self, count: int) -> Iterator[bytes]:
        """Read so many lines of stdout, fewer where it ends before, one after the other."""
        for _ in range(count):
            line = self.process.stdout.readline()
            if not line:
                return
            yield line

    def end(self, *signals: signal.Signals) -> Ended:
        """Send signals, if any, and wait for the end."""
        for number in signals:
            self.process.send_signal(number)
        # not communicate(): it would pass over what a readline() has taken in advance
        rest = b"" if self.process.stdout is None else self.process.stdout.read()
        return Ended(self.process.wait(), rest, self.stderr())

    def stderr(self) -> str:
        """Give what it has written to stderr until now."""
        self._stderr.seek(0)
        return self._stderr.read().decode()

    def wait_for_note(self, text: str) -> str:
        """Wait until it has said this on stderr, and give all that it has said."""
        self.wait_until(lambda: text in self.stderr())
        return self.stderr()

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; it fails where the process ends before."""
        while not holds():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.01)
                assert holds(), self.stderr()

    def status_of(self, name: str) -> int:
        """Give a figure of ``/proc/PID/status``, as ``VmHWM``, in KiB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{name}:\s+(\d+) kB$", text, re.M)[1])

    def forget_peak(self) -> None:
        """Let ``VmHWM`` begin anew, at what is resident now."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")


HAS_PROC = sys.platform == "linux" and Path("/proc/self/status").exists()


def records(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Decode lines of JSON."""
    return [json.loads(line) for line in lines]


def expected(log: NumberedLog, begin: int, end: int, **more: str) -> list[dict[str, Any]]:
    """Give the records that lines are printed as."""
    return [
        {"source": log.source(n), "line": log.text(n), "ts": log.ts(n), **more}
        for n in range(begin, end)
    ]


def difference(got: Sequence[object], wanted: Sequence[object]) -> str:
    """Say where two long lists part; nothing where they are equal."""
    for n, (one, other) in enumerate(zip(got, wanted, strict=False)):
        if one != other:
            return f"item {n} of {len(got)} is {one!r}, and should be {other!r}"
    return "" if len(got) == len(wanted) else f"there are {len(got)}, not {len(wanted)}"


@contextlib.contextmanager
def piped(run: LogRun, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Let a program read the command's stdout, and nobody else."""
    stdout = run.process.stdout
    reader = subprocess.Popen(command, stdin=stdout, stdout=subprocess.PIPE)
    stdout.close()
    run.process.stdout = None
    try:
        yield reader
    finally:
        reader.kill()
        reader.communicate()
