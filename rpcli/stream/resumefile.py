"""The file of ``--resume``: where each stream stood when its last record had been written.

Rules: the file is replaced, never changed, so that a process that is killed leaves the old one or
the new one; it is written after the sink; what cannot be read or written is an error before any
request is made. Streams that ended stay in it, the latest :data:`KEPT` of them.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rpcli.domain.timestamps import parse_timestamp
from rpcli.errors import FileError
from rpcli.stream.cursor import Cursor
from rpcli.stream.ports import StreamTarget
from rpcli.stream.request import moment

KEPT = 1000
#: Bytes; a larger file is none of ours.
LARGEST = 64 << 20
_VERSION = 1


class ResumeFile:
    """The cursors of all streams of a follow, in memory and in the file.

    :param path: the file; where there is none yet, everything begins anew
    :param begin: when this follow began, aware
    :raises FileError: it cannot be read, or is none of ours
    """

    def __init__(self, path: Path, begin: datetime) -> None:
        self._named = path
        # What is replaced is the file that a link leads to, not the link.
        self._path = Path(os.path.realpath(path))
        self._streams: dict[str, Any] = {}
        #: When the first follow with this file began: workers that it does not know came later.
        self.begin = begin
        #: Whether an earlier run left it.
        self.is_old = self._read()

    def cursor(self, target: StreamTarget) -> Cursor | None:
        """Give where a stream stood; None where the file does not know it.

        :raises FileError: what it says of the stream is none of ours
        """
        document = self._streams.get(key_of(target))
        if document is None:
            return None
        try:
            return Cursor.from_document(document)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise self._foreign(f"what it says of {key_of(target)}: {error}") from error

    def first(self, targets: Sequence[StreamTarget]) -> None:
        """Take note of the streams that a first run begins with, before they have said anything.

        :raises FileError: it cannot be written
        """
        for target in targets:
            self._streams.setdefault(key_of(target), Cursor().to_document())
        self._save()

    def wrote(self, target: StreamTarget, cursor: Cursor) -> None:
        """Keep where a stream stands now.

        :raises FileError: it cannot be written
        """
        self._streams[key_of(target)] = cursor.to_document()
        self._save()

    def ended(self, target: StreamTarget, is_live: Callable[[str], bool]) -> None:
        """Move a stream that ended behind the others, and forget the oldest of too many.

        :param is_live: says of a key, as :func:`key_of` gives it, whether its stream is read
        """
        for key in list(self._streams):
            if len(self._streams) <= KEPT:
                return
            if not is_live(key) and key != key_of(target):
                del self._streams[key]

    def _save(self) -> None:
        document = {
            "version": _VERSION,
            "begin": moment(self.begin),
            "streams": self._streams,
        }
        data = json.dumps(document, separators=(",", ":")).encode()
        beside = self._path.with_name(f".{self._path.name}.new")
        try:
            # The place of a follow tells what somebody runs: it is nobody else's.
            file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(file, left) :]
            finally:
                os.close(file)
            os.replace(beside, self._path)  # noqa: PTH105 - as the other calls here
        except OSError as error:
            raise FileError(
                f"cannot write the resume file {self._named}: {error.strerror or error}"
            ) from error

    def _read(self) -> bool:
        try:
            status = self._path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise FileError(f"the resume file {self._named} is not a file")
            if status.st_size > LARGEST:
                raise self._foreign(f"it is larger than {LARGEST >> 20} MiB")
            data = self._path.read_bytes()
        except FileNotFoundError:
            return False
        except (OSError, ValueError) as error:
            said = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise FileError(f"cannot read the resume file {self._named}: {said}") from error
        if not data:
            return False
        try:
            document = json.loads(data)
            if document["version"] != _VERSION:
                raise self._foreign(f"its version is {document['version']!r}")
            begin, streams = parse_timestamp(document["begin"]), document["streams"]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._foreign("it is not what rpcli writes") from error
        if begin is None or not isinstance(streams, dict):
            raise self._foreign("it is not what rpcli writes")
        self.begin, self._streams = begin, streams
        return True

    def _foreign(self, why: str) -> FileError:
        return FileError(
            f"the resume file {self._named} cannot be used: {why}",
            hint="name another file, or remove it to begin anew",
        )


def key_of(target: StreamTarget) -> str:
    """Give how the file names a stream."""
    return "/".join(target.segments)
