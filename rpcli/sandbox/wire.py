"""Bytes on one socket: as they come, or dripped, broken off and malformed as a fault says.

Rules: what is sent here goes past the HTTP server, which must not write to the socket any more;
every pause ends when the sandbox stops. Routes of logs write their frames through the same door.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from rpcli.sandbox.bell import Bell

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


def cut_counts_bytes(fault: Mapping[str, Any]) -> bool:
    """Whether a fault cuts an answer, after so many bytes."""
    return "cut" in fault and not {"frames", "in"} & fault["cut"].keys()


class Wire:
    """Writes one answer to a socket, which is closed at its end.

    :param fault: its keys of :data:`RAW_KEYS` shape what is written; without any it is written as
        it is
    :param stopping: set when the sandbox stops
    """

    def __init__(
        self, sock: socket.socket, stopping: threading.Event, fault: Mapping[str, Any]
    ) -> None:
        cut = fault.get("cut", {})
        self._sock = sock
        self._stopping = stopping
        self._fault = fault
        self._how: str = cut.get("how", "close")
        # Where it counts frames, whoever makes them says when it is time.
        self._left: int | None = cut.get("after", 0) if cut_counts_bytes(fault) else None
        self._spares_head = cut.get("of", "body") == "body"
        self._listens = True

    def head(self, status: int, reason: str, headers: Iterable[tuple[str, str]]) -> None:
        """Send the status line and the headers.

        :raises Ended: the connection is over
        """
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers)]
        data = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
        kept = data if self._spares_head else self._allowed(data)
        self._write(kept, self._fault.get("dripHeaders"), 1)
        if self._left == 0:
            self._cut()

    def body(self, data: bytes) -> None:
        """Send a piece of the body; any number of them may follow one another.

        :raises Ended: the connection is over
        """
        size = self._fault.get("chunk") or (1 if self._fault.get("drip") else _PIECE)
        for at in range(0, len(data), size):
            self._piece(data[at : at + size])
            if self._left == 0:
                self._cut()
            self._pause(self._fault.get("drip"))
            if self._fault.get("chunked") == "broken":
                self._send(b"zz\r\n")
                self._cut()

    def raw(self, data: bytes) -> None:
        """Send bytes that need be no HTTP at all.

        :raises Ended: the connection is over
        """
        self._write(self._allowed(data), self._fault.get("drip"), self._fault.get("chunk") or 1)
        if self._left == 0:
            self._cut()

    def cut(self, data: bytes = b"", kept: int = 0) -> NoReturn:
        """End the answer as its fault says, in the middle of a piece of the body.

        :param kept: bytes of it that still come
        :raises Ended: always
        """
        self._left = kept
        if kept:
            self._piece(data)
        self._cut()

    def finish(self) -> NoReturn:
        """End the answer and the connection.

        :raises Ended: always, for the server has nothing left to do with it
        """
        if self._fault.get("chunked"):
            self._send(b"0\r\n\r\n")
        self._close(reset=False)

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

    def wait_for(self, bell: Bell, seconds: float | None = None) -> None:
        """Wait until a bell rings, no longer than a time, and hush it.

        :raises Ended: the sandbox stops
        :raises Abandoned: the client is gone
        """
        poll = select.poll()
        poll.register(bell, select.POLLIN)
        if not self._stopping.is_set():
            # Whoever stops the sandbox shuts the socket down, which is heard here.
            poll.register(self._sock, select.POLLIN if self._listens else 0)
            heard = poll.poll(None if seconds is None else seconds * 1000)
            self._listens = self._listens and not any(fd != bell.fileno() for fd, _ in heard)
        if self._stopping.is_set():
            raise Ended("the sandbox stops")
        if self._is_gone():
            raise Abandoned("the client is gone")
        bell.hush()

    def _is_gone(self) -> bool:
        """Whether the client has closed its end; what it may have sent stays unread."""
        try:
            return self._sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _allowed(self, data: bytes) -> bytes:
        """Give what may still come of some bytes, and count it."""
        if self._left is None:
            return data
        kept = data[: self._left]
        self._left -= len(kept)
        return kept

    def _piece(self, data: bytes) -> None:
        """Send a piece of the body, or what may still come of it."""
        kept = self._allowed(data)
        if not self._fault.get("chunked"):
            self._send(kept)
        elif len(kept) == len(data) or self._how == "end":
            if kept:  # an empty chunk would be the last one
                self._send(b"%x\r\n%b\r\n" % (len(kept), kept))
        else:
            self._send(b"%x\r\n%b" % (len(data), kept))

    def _write(self, data: bytes, pause: float | None, size: int) -> None:
        if not pause:
            self._send(data)
            return
        for at in range(0, len(data), size):
            self._send(data[at : at + size])
            self._pause(pause)

    def _pause(self, seconds: float | None) -> None:
        if seconds:
            self.wait(seconds)

    def _cut(self) -> NoReturn:
        if self._how == "end":
            self.finish()
        if self._how == "stall":
            self.wait()
        self._close(reset=self._how == "reset")

    def _close(self, *, reset: bool) -> NoReturn:
        close(self._sock, reset=reset)
        raise Ended("the answer is over")

    def _send(self, data: bytes) -> None:
        try:
            self._sock.sendall(data)
        except OSError as error:
            if self._stopping.is_set():
                raise Ended("the sandbox stops") from error
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
