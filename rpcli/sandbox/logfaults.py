"""How the frames of a log stream are spoiled, as a fault says.

Rules: a frame is counted as it is sent on its connection, from 1 on; without a fault frames go out
many at a time, with one of frames each by itself. The keys are told in ``docs/sandbox.md``.
"""

from __future__ import annotations

import base64
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rpcli.sandbox.bell import Bell
from rpcli.sandbox.faults import with_bad_bytes
from rpcli.sandbox.logline import Frame, encoded
from rpcli.sandbox.wire import Wire, cut_counts_bytes

#: How the lines of a frame end, and how its empty line does, frame by frame. A CR before a lone LF
#: would be one end of a line and not two.
_ENDS: Mapping[str, Sequence[tuple[str, str]]] = {
    "lf": [("\n", "\n")],
    "crlf": [("\r\n", "\r\n")],
    "cr": [("\r", "\r")],
    "mixed": [("\n", "\r\n"), ("\r\n", "\r"), ("\r", "\r\n"), ("\r\n", "\n"), ("\n", "\r")],
}
_FILL = b"{fill}"
_FILLING = b"x" * (1 << 16)
_BOM = b"\xef\xbb\xbf"


class Spoiler:
    """Sends the frames of one connection.

    :param fault: what befalls it; empty for nothing
    :param head: sends the status line and the headers
    :param retry: what a ``retry:`` field says at the beginning, where the fault does not
    """

    def __init__(
        self,
        fault: Mapping[str, Any],
        wire: Wire,
        head: Callable[[], None],
        retry: int | None,
    ) -> None:
        self._wire = wire
        self._head = head
        self._spec: Mapping[str, Any] = fault.get("stream", {})
        self._retry = self._spec.get("retry", retry)
        self._spoils = bool({"stream", "invalidUtf8"} & fault.keys())
        self._bad_bytes: bool = fault.get("invalidUtf8", False)
        self._cut = None if cut_counts_bytes(fault) else fault.get("cut")
        self._packer = zlib.compressobj(wbits=31) if fault.get("gzip") is True else None
        self._inserts = list(self._spec.get("insert", []))
        self._sent = 0
        self._begun = False
        self._beat_at: float | None = None
        if self._spec.get("eager"):
            self._begin()

    def send(self, frames: Sequence[Frame]) -> None:
        """Send frames.

        :raises Ended: the connection is over
        """
        self._begin()
        if not self._spoils and self._cut is None and self._packer is None:
            self._sent += len(frames)
            self._wire.body(encoded(frames))
            return
        for frame in frames:
            self._insert("before", self._sent + 1)
            data = self._frame(frame, self._sent + 1)
            self._cut_within(data)
            self._put(data)
            self._sent += 1
            self._insert("after", self._sent)
            self._cut_between()

    def idle(self, bell: Bell, seconds: float | None) -> None:
        """Wait until the bell rings, no longer than a time, with a heart that beats.

        :raises Ended: the sandbox stops, or the client is gone
        """
        if self._beat_at is not None:
            left = max(self._beat_at - time.monotonic(), 0.0)
            seconds = left if seconds is None else min(left, seconds)
        self._wire.wait_for(bell, seconds)
        if self._beat_at is not None and time.monotonic() >= self._beat_at:
            self._beat_at = time.monotonic() + self._spec["heartbeat"]
            self._put(b": heartbeat\n\n")

    def finish(self) -> None:
        """End the answer.

        :raises Ended: always
        """
        self._begin()
        self._wire.finish()

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        self._head()
        if self._spec.get("bom"):
            self._put(_BOM)
        if self._retry is not None:
            self._put(f"retry: {self._retry}\n\n".encode())
        if "heartbeat" in self._spec:
            self._beat_at = time.monotonic() + self._spec["heartbeat"]
        self._insert("after", 0)
        self._cut_between()

    def _insert(self, key: str, frame: int) -> None:
        for spec in self._inserts:
            if spec.get(key) == frame:
                for piece in _inserted(spec):
                    self._put(piece)

    def _cut_between(self) -> None:
        cut = self._cut
        if cut is not None and not {"after", "in"} & cut.keys() and self._sent >= cut["frames"]:
            self._wire.cut()

    def _cut_within(self, frame: bytes) -> None:
        cut = self._cut
        if cut is None or self._sent < cut.get("frames", 0):
            return
        if "in" in cut:
            self._wire.cut(frame, _middle(frame, cut["in"]))
        self._wire.cut(frame, min(cut["after"], len(frame)))

    def _put(self, data: bytes) -> None:
        if self._packer is not None:
            data = self._packer.compress(data) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        self._wire.body(data)

    def _frame(self, frame: Frame, number: int) -> bytes:
        only = self._spec.get("only")
        if not self._spoils or (only is not None and number not in only):
            return frame.encoded()
        data = self._spec.get("data", "{data}").replace("{data}", frame.data)
        if self._spec.get("splitData"):
            data = data.replace(",", ",\n", 1)
        name = self._spec.get("id", "{id}")
        lines = [] if name is None else [("id", name.replace("{id}", frame.id))]
        lines += [("data", line) for line in data.split("\n")]
        ends = _ENDS[self._spec.get("lineEnds", "lf")]
        end, last = ends[number % len(ends)]
        space = " " if self._spec.get("space", True) else ""
        text = "".join(f"{field}:{space}{value}{end}" for field, value in lines)
        raw = f"{text}{last}".encode("utf-8", "replace")
        return with_bad_bytes(raw) if self._bad_bytes else raw


def _inserted(spec: Mapping[str, Any]) -> Iterator[bytes]:
    """Give the bytes to put between frames, never many at once."""
    text = base64.b64decode(spec["base64"]) if "base64" in spec else spec.get("text", "").encode()
    first, filled, rest = text.partition(_FILL)
    yield first
    left = spec.get("fill", 0) if filled else 0
    while left > 0:
        yield _FILLING[:left]
        left -= len(_FILLING)
    if rest:
        yield rest


def _middle(frame: bytes, where: str) -> int:
    """Give how many bytes of a frame come when it is cut in its middle, or that of a character."""
    if where == "character":
        for at, byte in enumerate(frame):
            if byte >= 0xC0:
                return at + 1
    return len(frame) // 2
