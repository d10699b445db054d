"""Bytes on one socket: as they come, or dripped, broken off and malformed as a fault says.

Rules: what is sent here goes past the HTTP server, which must not write to the socket any more;
every pause ends when the sandbox stops. Routes of logs write their frames through the same door.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

#: Keys of a fault that need the bytes on the socket under our control.
RAW_KEYS = frozenset(("raw", "drip", "dripHeaders", "chunk", "chunked", "cut", "contentLength"))
#: The size of a piece where a fault names none.
_PIECE = 1 << 16
#: Seconds between two looks at whether the client is still there.
_LOOK = 0.05


class Ended(ConnectionError):
    """The connection is over: cut as ordered, gone with its client, or the sandbox stops."""


class Abandoned(Ended):
    """The client went away before its answer was over."""


class Wire:
    """Writes one answer to a socket, which is closed at its end.

    :param fault: its keys of :data:`RAW_KEYS` shape what is written; without any it is written as
        it is
    :param stopping: set when the sandbox stops
    """

    def __init__(
        self, sock: socket.socket, stopping: threading.Event, fault: Mapping[str, Any]
    ) -> None:
        cut = fault.get("cut")
        self._sock = sock
        self._stopping = stopping
        self._fault = fault
        self._how: str = "close" if cut is None else cut.get("how", "close")
        self._left: int | None = None if cut is None else cut.get("after", 0)
        self._spares_head = cut is None or cut.get("of", "body") == "body"

    def head(self, status: int, reason: str, headers: Iterable[tuple[str, str]]) -> None:
        """Send the status line and the headers.

        :raises Ended: the connection is over
        """
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers)]
        data = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
        self._write(data, self._fault.get("dripHeaders"), 1, spared=self._spares_head)

    def body(self, data: bytes) -> None:
        """Send a piece of the body; any number of them may follow one another.

        :raises Ended: the connection is over
        """
        size = self._fault.get("chunk") or (1 if self._fault.get("drip") else _PIECE)
        if not self._fault.get("chunked"):
            self._write(data, self._fault.get("drip"), size)
            return
        for at in range(0, len(data), size):
            piece = data[at : at + size]
            framed = b"%x\r\n%b\r\n" % (len(piece), piece)
            self._write(framed, self._fault.get("drip"), len(framed))
            if self._fault["chunked"] == "broken":
                self._write(b"zz\r\n", None, _PIECE)
                self._end()

    def raw(self, data: bytes) -> None:
        """Send bytes that need be no HTTP at all.

        :raises Ended: the connection is over
        """
        self._write(data, self._fault.get("drip"), self._fault.get("chunk") or 1)

    def finish(self) -> NoReturn:
        """End the answer and the connection.

        :raises Ended: always, for the server has nothing left to do with it
        """
        if self._fault.get("chunked"):
            self._write(b"0\r\n\r\n", None, _PIECE)
        self._end()

    def wait(self, seconds: float | None = None) -> None:
        """Pause; without a time, until the sandbox stops.

        :raises Ended: the sandbox stops
        :raises Abandoned: the client is gone
        """
        until = None if seconds is None else time.monotonic() + seconds
        while until is None or (left := until - time.monotonic()) > 0:
            if self._stopping.wait(_LOOK if until is None else min(left, _LOOK)):
                raise Ended("the sandbox stops")
            if self._is_gone():
                raise Abandoned("the client is gone")

    def _is_gone(self) -> bool:
        """Whether the client has closed its end; what it may have sent stays unread."""
        try:
            return self._sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _write(self, data: bytes, pause: float | None, size: int, *, spared: bool = False) -> None:
        allowed = None if spared else self._left
        kept = data if allowed is None else data[:allowed]
        if pause:
            for at in range(0, len(kept), size):
                self._send(kept[at : at + size])
                self.wait(pause)
        else:
            self._send(kept)
        if allowed is not None:
            self._left = allowed - len(kept)
        if self._left == 0:
            self._end()

    def _end(self) -> NoReturn:
        if self._how == "stall":
            self.wait()
        close(self._sock, reset=self._how == "reset")
        raise Ended("the answer is over")

    def _send(self, data: bytes) -> None:
        try:
            self._sock.sendall(data)
        except OSError as error:
            raise Abandoned("the client is gone") from error


def close(sock: socket.socket, *, reset: bool) -> None:
    """Close a connection, politely or by a reset."""
    with contextlib.suppress(OSError):
        if reset:
            # Takes effect once the handler has let go of its file on the socket, too.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            sock.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        sock.close()
