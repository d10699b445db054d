"""The log of a run: off by default, on stderr under ``-v``, in a file under ``--log-file``.

Rules: a secret that was announced never appears in it, whoever logs.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable

from rpcli.errors import FileError
from rpcli.output import Stderr
from rpcli.terminal import one_line

TRACE = logging.getLogger("rpcli")


class Log:
    """Where log records of this process go."""

    def __init__(self) -> None:
        self._secrets: list[str] = []
        root = logging.getLogger()
        # Without a handler of its own logging would print warnings of libraries on stderr.
        root.addHandler(logging.NullHandler())

    def keep_secret(self, secret: str) -> None:
        """Never show this text again, nor as JSON and Python write it."""
        for written in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]):
            if written and written not in self._secrets:
                self._secrets.append(written)

    def redact(self, text: str) -> str:
        """Give the text without any secret in it."""
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text

    def end(self) -> None:
        """Say no more: what comes after an error would hide it from who reads the last line."""
        for handler in logging.getLogger().handlers:
            if isinstance(handler, _StderrHandler):
                handler.end()

    def trace(self, text: str) -> None:
        """Log one line about a request."""
        TRACE.debug("%s", text)

    def configure(self, *, verbose: bool, debug: bool, file: str | None, stderr: Stderr) -> None:
        """Open what was asked for.

        :raises FileError: the file cannot be opened
        """
        handlers: list[logging.Handler] = []
        if debug or verbose:
            handlers.append(_StderrHandler(stderr))
            if not debug:
                # What our libraries say of the same requests is for --debug and the log file.
                handlers[0].addFilter(logging.Filter(TRACE.name))
        if file:
            try:
                handlers.append(
                    logging.FileHandler(file, encoding="utf-8", errors="backslashreplace")
                )
            except OSError as error:
                raise FileError(f"cannot write the log file '{file}': {error.strerror}") from error
        root = logging.getLogger()
        for handler in handlers:
            handler.setFormatter(_Redacting(self.redact))
            root.addHandler(handler)
        if handlers:
            root.setLevel(logging.DEBUG)


class _StderrHandler(logging.Handler):
    def __init__(self, stderr: Stderr) -> None:
        super().__init__()
        self._stderr = stderr
        self._ended = False

    def end(self) -> None:
        with self.lock or contextlib.nullcontext():
            self._ended = True

    def emit(self, record: logging.LogRecord) -> None:
        if not self._ended:
            self._stderr.line(self.format(record))


class _Redacting(logging.Formatter):
    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__("%(asctime)s %(name)s %(levelname)s %(message)s")
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(one_line(super().format(record)))
