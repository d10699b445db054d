"""From the process's arguments to its exit status; the only place that ends the process.

Exit statuses: 0, 1 (error), 2 (usage), 129, 130, 143 (SIGHUP, SIGINT, SIGTERM), 141 (closed pipe).
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else (signal.SIGTERM,)


class Terminated(BaseException):
    """A signal asked us to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main() -> NoReturn:
    """Run rpcli on the process's own arguments, and end the process."""
    for number in _SIGNALS:
        signal.signal(number, _terminate)
    try:
        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = _interrupted(signal.SIGINT)
    except Terminated as signalled:
        status = _interrupted(signalled.number)
    _leave(status)


def run(argv: list[str]) -> int:
    """Run one command line in this process, on its streams and environment."""
    if argv == ["--version"]:
        return _version()
    from rpcli.context import Context
    from rpcli.discovery import Discovery
    from rpcli.log import Log
    from rpcli.output import standard_streams
    from rpcli.shell import Shell

    stdout, stderr = standard_streams()
    log = Log()
    context = Context(
        env=os.environ,
        stdout=stdout,
        stderr=stderr,
        discovery=Discovery.scan(),
        trace=log.trace,
        secrets=log.keep_secret,
    )
    log.keep_secret(os.environ.get("RUNPOD_API_KEY", "").strip())
    try:
        return Shell(context, log).run(argv)
    finally:
        context.close()


def _version() -> int:
    """Answer the question that scripts ask most often before anything is loaded."""
    from rpcli import __version__
    from rpcli.errors import OutputError
    from rpcli.output import PipeClosed, standard_streams

    stdout, stderr = standard_streams()
    try:
        stdout.write(f"rpcli {__version__}\n")
        stdout.flush()
    except PipeClosed:
        return 141
    except OutputError as error:
        stderr.line(f"error: {error.message}")
        return error.exit_status
    return 0


def _terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's signature
    raise Terminated(number)


def _interrupted(number: int) -> int:
    """Give the exit status of a signal; from now on another one changes nothing."""
    for further in (signal.SIGINT, *_SIGNALS):
        signal.signal(further, signal.SIG_IGN)
    return 128 + number


def _leave(status: int) -> NoReturn:
    """End without the interpreter's own last words on a pipe that is closed.

    Threads of requests that were given up are daemons; nothing of theirs is waited for.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(status)
