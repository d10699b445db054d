"""The one writer of stdout and the one writer of stderr.

Rules: a closed pipe ends the process silently with 141 (:class:`PipeClosed`); a stdout that is
closed, full or unwritable is an :class:`~rpcli.errors.OutputError`; stderr never fails a command.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable
from typing import TextIO

from rpcli.errors import OutputError


class PipeClosed(Exception):
    """Whoever read stdout has gone."""


class Stdout:
    """Text to stdout, in UTF-8 for machines and in the terminal's own encoding for people.

    Nothing is written before :meth:`flush` or until 64 KiB have come together.
    """

    _LIMIT = 1 << 16

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._pending: list[str] = []
        self._size = 0
        #: Set once the format is known: machines get UTF-8 whatever the locale says.
        self.machine = True

    @property
    def is_open(self) -> bool:
        """Whether there is a stdout at all (``>&-`` leaves none)."""
        return self._stream is not None and not self._stream.closed

    @property
    def encoding(self) -> str:
        """The encoding that text is written in."""
        return "utf-8" if self.machine else (getattr(self._stream, "encoding", None) or "utf-8")

    @property
    def width(self) -> int | None:
        """Columns of the terminal; None where stdout is none, or its size is unknown."""
        if not self.isatty() or self._stream is None:
            return None
        columns = os.environ.get("COLUMNS", "")
        if columns.isascii() and columns.isdigit() and int(columns) > 0:
            return int(columns)
        with contextlib.suppress(OSError, ValueError):
            return os.get_terminal_size(self._stream.fileno()).columns or None
        return None

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        try:
            return self.is_open and self._stream is not None and self._stream.isatty()
        except ValueError:
            return False

    def require(self) -> None:
        """Refuse to begin where nothing could be written.

        :raises OutputError: stdout was closed before we started
        """
        if not self.is_open:
            raise OutputError("stdout is closed")

    def write(self, text: str) -> int:
        """Take text; it leaves with the next :meth:`flush`."""
        self._pending.append(text)
        self._size += len(text)
        if self._size >= self._LIMIT:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Write out what was taken.

        :raises PipeClosed: nobody reads any more
        :raises OutputError: the disk is full, or stdout cannot be written
        """
        if not self._pending:
            return
        data = "".join(self._pending).encode(self.encoding, "backslashreplace")
        self._pending.clear()
        self._size = 0
        self.require()
        try:
            self._write_all(data)
        except BrokenPipeError as error:
            self._abandon()
            raise PipeClosed from error
        except OSError as error:
            self._abandon()
            raise OutputError(f"cannot write to stdout: {error.strerror or error}") from error

    def when_gone(self, tell: Callable[[], None]) -> None:
        """Call a function, from a thread of its own, once nobody reads stdout any more.

        Where that cannot be known, as for a file, it is never called.
        """
        fileno = self._fileno()
        if fileno is None or not hasattr(select, "poll"):
            return

        def wait() -> None:
            poll = select.poll()
            # Nothing is asked for: what is always told is that the other end has gone.
            poll.register(fileno, 0)
            if poll.poll():
                tell()

        threading.Thread(target=wait, name="rpcli-stdout", daemon=True).start()

    def _write_all(self, data: bytes) -> None:
        """Write past the buffer of the stream: what a signal interrupts is not written later."""
        fileno = self._fileno()
        if fileno is None:
            self._text().write(data.decode(self.encoding))
            self._text().flush()
            return
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(fileno, left) :]
            except BlockingIOError:
                # Somebody else made it non-blocking, as a terminal that is shared.
                select.select([], [fileno], [])

    def _fileno(self) -> int | None:
        """Give the descriptor behind stdout; None where there is none, as in a test."""
        try:
            return self._text().fileno()
        except (OSError, ValueError, AttributeError, OutputError):
            return None

    def _text(self) -> TextIO:
        if self._stream is None:
            raise OutputError("stdout is closed")
        return self._stream

    def _abandon(self) -> None:
        """Point the descriptor at nothing, or the interpreter complains once more when it ends."""
        with contextlib.suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._text().fileno())
            os.close(null)


class Stderr:
    """Lines to stderr; where there is none, nothing happens."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        try:
            return self._stream is not None and self._stream.isatty()
        except ValueError:
            return False

    def line(self, text: str) -> None:
        """Write one line, whole, whatever the encoding of the terminal can say."""
        stream = self._stream
        if stream is None:
            return
        encoding = getattr(stream, "encoding", None) or "utf-8"
        safe = (text + "\n").encode(encoding, "backslashreplace").decode(encoding)
        # A stderr that is gone must not change what the command does.
        with contextlib.suppress(OSError, ValueError):
            stream.write(safe)
            stream.flush()


def standard_streams() -> tuple[Stdout, Stderr]:
    """Take over the process's own streams."""
    return Stdout(sys.stdout), Stderr(sys.stderr)
