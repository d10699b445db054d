"""Hold the records of many streams until all are there, in bounded memory.

Rules: what all spools hold together beyond a limit goes to one temporary file that has no name; it
is read back in large pieces, in the order in which it came.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from rpcli.errors import FileError
from rpcli.stream.records import Record

#: Bytes of memory that all spools may take together.
LIMIT = 64 << 20
#: Bytes that are written and read in one go, about.
PIECE = 1 << 18
#: Bytes that a record takes beside its texts.
_OVERHEAD = 300


def _temporary() -> IO[bytes]:
    return tempfile.TemporaryFile(buffering=0)


class Spools:
    """What several spools share: a limit, and a file.

    :param make_file: opens a file for writing and reading, without a buffer
    """

    def __init__(
        self, limit: int = LIMIT, *, make_file: Callable[[], IO[bytes]] = _temporary
    ) -> None:
        self._limit = limit
        self._make_file = make_file
        self._file: IO[bytes] | None = None
        self._end = 0
        self._spools: list[Spool] = []
        self._held = 0

    @property
    def bytes_on_disk(self) -> int:
        """How much had to go to the file."""
        return self._end

    def make(self) -> Spool:
        """Make a spool, for the records of one stream."""
        spool = Spool(self)
        self._spools.append(spool)
        return spool

    def close(self) -> None:
        """Free the file."""
        if self._file is not None:
            self._file.close()

    def took(self, size: int) -> None:
        """Count what a spool took, and empty all into the file where it is too much.

        :raises FileError: there is no room for it
        """
        self._held += size
        if self._held > self._limit:
            for spool in self._spools:
                spool.move_to_file()
            self._held = 0

    def write(self, data: bytes) -> int:
        """Append to the file, and give where it stands.

        :raises FileError: there is no room for it
        """
        place, left = self._end, memoryview(data)
        try:
            while left:
                left = left[self._open().write(left) :]
        except OSError as error:
            raise _unusable(error) from error
        self._end += len(data)
        return place

    def read(self, place: int, size: int) -> bytes:
        """Give what was written there.

        :raises FileError: it cannot be read
        """
        try:
            return os.pread(self._open().fileno(), size, place)
        except OSError as error:
            raise _unusable(error) from error

    def _open(self) -> IO[bytes]:
        if self._file is None:
            self._file = self._make_file()
        return self._file


class Spool:
    """The records of one stream, in their order."""

    def __init__(self, shared: Spools) -> None:
        self._shared = shared
        self._records: list[Record] = []
        self._pieces: list[
            tuple[int, int]
        ] = []  #: where each piece stands in the file, and its size

    def append(self, records: Sequence[Record]) -> None:
        """Take records.

        :raises FileError: there is no room for them
        """
        self._records += records
        self._shared.took(sum(map(_size, records)))

    def __iter__(self) -> Iterator[Record]:
        """Give what was taken, from the beginning.

        :raises FileError: the file cannot be read
        """
        for place, size in self._pieces:
            for fields in json.loads(self._shared.read(place, size)):
                yield Record(*fields)
        yield from self._records

    def move_to_file(self) -> None:
        """Write out what is in memory.

        :raises FileError: there is no room for it
        """
        begin, size = 0, 0
        for end, record in enumerate(self._records, 1):
            size += _size(record)
            if size >= PIECE or end == len(self._records):
                self._write(self._records[begin:end])
                begin, size = end, 0
        self._records = []

    def _write(self, records: Sequence[Record]) -> None:
        data = json.dumps(records).encode()
        self._pieces.append((self._shared.write(data), len(data)))


def _size(record: Record) -> int:
    return len(record.body) + len(record.id) + _OVERHEAD


def _unusable(error: OSError) -> FileError:
    return FileError(
        f"the temporary file for what is to be merged cannot be used: {error.strerror or error}",
        hint="less of it: --tail, --since or --worker; or more room: TMPDIR",
    )
