"""Keep records in a file, beside what goes to stdout.

Rules: JSON Lines, appended, each batch with one write and before it goes to stdout; the file is
opened before any request is made, with mode 0600 where it is new, as logs may hold secrets; a line
that a run before left unfinished is ended first, so that it spoils no other.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from types import TracebackType

from rpcli.plugin import FileError, RecordBatch


class SaveFile:
    """The file of ``--save``; a context manager.

    :raises FileError: it cannot be opened
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            self._file = os.open(path, flags, 0o600)
        except OSError as error:
            raise FileError(f"cannot open {path}: {error.strerror or error}") from error
        if _ends_in_mid_line(path, self._file):
            self._write(b"\n")

    def __enter__(self) -> SaveFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        # What there was to say was said when it was written.
        with contextlib.suppress(OSError):
            os.close(self._file)

    def write(self, batch: RecordBatch) -> None:
        """Write records, each with all that is known of it.

        :raises FileError: the disk is full, or whoever read the file has gone
        """
        self._write(batch.json_lines().encode())

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            raise FileError(f"cannot write to {self._path}: {error.strerror or error}") from error


def _ends_in_mid_line(path: Path, file: int) -> bool:
    """Whether the last line has no end; where that cannot be read it is taken to have one."""
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
            return False
        with path.open("rb") as reader:
            reader.seek(-1, os.SEEK_END)
            return reader.read(1) != b"\n"
    except OSError:
        return False
