"""From bytes as they come to whole frames of an event stream, in bounded memory. Pure.

Source: the grammar of event streams, WHATWG HTML, section 9.2.5. A frame is what stands before a
blank line; one that the end of a connection cuts off is none.

Rules: lines end with CR, LF or CRLF, wherever the chunks are cut; the first byte order mark is
dropped; what goes beyond a cap is thrown away and marked; a line that is cut says nothing unless it
is data. What comes out does not depend on how the bytes were cut into chunks.
"""

from __future__ import annotations

from typing import NamedTuple

#: Bytes of one line, its field name included; of one event. What goes beyond is cut, and marked.
LINE_CAP = 1 << 20
FRAME_CAP = 4 << 20

_BOM = b"\xef\xbb\xbf"
_FIELDS = (b"data", b"id", b"event", b"retry")


class Frames(NamedTuple):
    """What a chunk completed.

    :param block: whole frames, in valid UTF-8, with LF after each line and after each frame; a
        blank line may come once too often
    :param data: the data of a frame that is large, which stands alone then, and has none in the
        block; None otherwise
    :param is_cut: whether something of that was thrown away
    """

    block: bytes
    data: str | None = None
    is_cut: bool = False


class Framer:
    """Takes one connection apart; a new one is made for each."""

    def __init__(self, *, line_cap: int = LINE_CAP, frame_cap: int = FRAME_CAP) -> None:
        self._line_cap = line_cap
        self._frame_cap = frame_cap
        self._head: bytes | None = b""  # the first bytes, as long as they may be the mark
        self._after_cr = False
        self._pending = bytearray()  # what came since the last blank line
        self._large: _Large | None = None  # takes its place where it grows

    @property
    def is_torn(self) -> bool:
        """Whether a frame has begun that is not complete; comments are none."""
        if self._large is not None:
            return self._large.has_begun
        lines = bytes(self._pending).split(b"\n")
        return bool(self._head) or any(line and not line.startswith(b":") for line in lines)

    def feed(self, chunk: bytes) -> list[Frames]:
        """Take bytes as they came, and give what they complete, in its order."""
        if self._head is not None:
            chunk = self._without_mark(chunk)
        data = self._with_lf(chunk)
        found: list[Frames] = []
        while data:
            large = self._large
            data = self._take_large(large, data, found) if large else self._take(data, found)
        return found

    def _without_mark(self, chunk: bytes) -> bytes:
        head = (self._head or b"") + chunk
        if len(head) < len(_BOM) and _BOM.startswith(head):
            self._head = head
            return b""
        self._head = None
        return head.removeprefix(_BOM)

    def _with_lf(self, chunk: bytes) -> bytes:
        """Make every end of a line a single LF; a CR is one at once, whatever follows."""
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return chunk

    def _take(self, data: bytes, found: list[Frames]) -> bytes:
        """Take all frames that are complete; give what is left where a frame is large."""
        pending = self._pending
        begin = max(len(pending) - 1, 0)
        pending += data
        # A blank line at the very beginning ends nothing.
        end = pending.rfind(b"\n\n", begin)
        size = end + 2 if end >= 0 else 0
        if (len(pending) if size == 0 else size) > self._line_cap:
            # Some frame may be large: they are taken one by one.
            return self._take_carefully(found)
        if size:
            self._found(bytes(memoryview(pending)[:size]), found)
            del pending[:size]
        if len(pending) > self._line_cap:
            return self._take_carefully(found)
        return b""

    def _take_carefully(self, found: list[Frames]) -> bytes:
        data = bytes(self._pending)
        self._pending = bytearray()
        while (end := data.find(b"\n\n")) >= 0 and end + 2 <= self._line_cap:
            self._found(data[: end + 2], found)
            data = data[end + 2 :]
        if len(data) > self._line_cap:
            self._large = _Large(self._line_cap, self._frame_cap)
            return data
        self._pending += data
        return b""

    def _take_large(self, large: _Large, data: bytes, found: list[Frames]) -> bytes:
        rest = large.feed(data)
        if large.is_whole:
            self._large = None
            found.append(Frames(_valid(large.block()), large.data(), large.is_cut))
        return rest

    @staticmethod
    def _found(block: bytes, found: list[Frames]) -> None:
        if block.strip(b"\n"):
            found.append(Frames(_valid(block)))


class _Large:
    """One frame that is larger than a line may be; lines that say nothing are not kept."""

    def __init__(self, line_cap: int, frame_cap: int) -> None:
        self._line_cap = line_cap
        self._left = frame_cap
        self._data: list[bytes] = []
        self._others: list[bytes] = []
        self._line = bytearray()
        self._is_line_cut = False
        self.is_cut = False
        self.is_whole = False

    @property
    def has_begun(self) -> bool:
        """Whether there is more than comments."""
        return bool(self._data or self._others or (self._line and self._line[0] != ord(":")))

    def block(self) -> bytes:
        """Give the frame, with an empty line of data in place of all that it has."""
        return b"\n".join([*self._others, b"data" if self._data else b"", b""])

    def data(self) -> str:
        """Give the data, once: the memory is freed."""
        joined = b"\n".join(self._data)
        self._data = []
        return joined.decode("utf-8", "replace")

    def feed(self, data: bytes) -> bytes:
        """Take bytes; give those that come after the frame."""
        place = 0
        while not self.is_whole and place < len(data):
            end = data.find(b"\n", place)
            stop = len(data) if end < 0 else end
            self._add(memoryview(data)[place:stop])
            place = stop + 1
            if end >= 0:
                self._end_line()
        return data[place:]

    def _add(self, part: memoryview) -> None:
        room = max(self._line_cap - len(self._line), 0)
        self._line += part[:room]
        self._is_line_cut = self._is_line_cut or len(part) > room

    def _end_line(self) -> None:
        line, is_cut = self._line, self._is_line_cut
        self._line, self._is_line_cut = bytearray(), False
        if not line:
            # A blank line before everything else ends nothing.
            self.is_whole = bool(self._data or self._others)
            return
        colon = line.find(b":")
        field = bytes(line if colon < 0 else line[:colon])
        if field not in _FIELDS:
            return
        if len(line) + 1 > self._left:
            is_cut = True
            del line[max(self._left - 1, 0) :]
        self._left -= len(line) + 1
        if field == b"data":
            self._add_data(line, is_cut)
        elif not is_cut:
            self._others.append(bytes(line))

    def _add_data(self, line: bytearray, is_cut: bool) -> None:
        self.is_cut = self.is_cut or is_cut
        if is_cut and not line.startswith(b"data:"):
            return
        begin = len(b"data: " if line.startswith(b"data: ") else b"data:")
        end = len(line) - (_half_character(line) if is_cut else 0)
        self._data.append(bytes(memoryview(line)[begin:end]))


def _valid(block: bytes) -> bytes:
    """Replace what is no UTF-8."""
    if block.isascii():
        return block
    try:
        block.decode()
    except UnicodeDecodeError:
        return block.decode("utf-8", "replace").encode()
    return block


def _half_character(line: bytearray) -> int:
    """Give how many bytes at the end are the beginning of a character that was cut off."""
    for back in range(1, min(len(line), 4) + 1):
        byte = line[-back]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if back < length else 0
        if byte < 0x80:
            break
    return 0
