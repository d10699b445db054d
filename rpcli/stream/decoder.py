"""From the bytes of one connection to records. Pure.

Rules: the last id is remembered across events, as the grammar has it; an event of another type than
``message`` is no log line, and its id is none of a log line either.
"""

from __future__ import annotations

from typing import NamedTuple

from rpcli.stream import straight
from rpcli.stream.events import events
from rpcli.stream.framer import FRAME_CAP, LINE_CAP, Framer
from rpcli.stream.payload import record_of
from rpcli.stream.records import Record

__all__ = ["FRAME_CAP", "LINE_CAP", "Decoded", "Decoder", "Signal"]


class Signal(NamedTuple):
    """What is no log line.

    :param kind: ``error``: an event that tells of one; ``retry``: a new base of the backoff
    :param text: the data of the event, or the number of milliseconds, in digits
    """

    kind: str
    text: str


class Decoded(NamedTuple):
    """What a chunk brought.

    :param has_cut: whether any of the records was too long
    """

    records: list[Record]
    signals: list[Signal]
    has_cut: bool = False


class Decoder:
    """Decodes one connection; a new one is made for each.

    :param last_event_id: the id that the connection was resumed with
    :param is_straight: whether frames as the service sends them take the straight path
    """

    def __init__(
        self,
        last_event_id: str = "",
        *,
        line_cap: int = LINE_CAP,
        frame_cap: int = FRAME_CAP,
        is_straight: bool = True,
    ) -> None:
        self._framer = Framer(line_cap=line_cap, frame_cap=frame_cap)
        self._is_straight = is_straight
        self._id = last_event_id
        self._signals: list[Signal] = []

    @property
    def is_torn(self) -> bool:
        """Whether an event has begun that is not complete."""
        return self._framer.is_torn

    def feed(self, chunk: bytes) -> Decoded:
        """Take bytes as they came, and give what they complete."""
        records: list[Record] = []
        has_cut = False
        for block, data, is_cut in self._framer.feed(chunk):
            has_cut = has_cut or is_cut
            if data is None and self._is_straight:
                records += self._straight(block)
            else:
                records += self._general(block, data, is_cut=is_cut)
        signals, self._signals = self._signals, []
        return Decoded(records, signals, has_cut)

    def _straight(self, block: bytes) -> list[Record]:
        records: list[Record] = []
        for part in straight.parts(block.decode()):
            if isinstance(part, str):
                records += self._general(part.encode())
            elif part:
                records += part
                self._id = part[-1].id
        return records

    def _general(
        self, block: bytes, large: str | None = None, *, is_cut: bool = False
    ) -> list[Record]:
        """Decode frames of any shape.

        :param large: what stands for the data of the only one
        """
        frames = [stripped for frame in block.split(b"\n\n") if (stripped := frame.strip(b"\n"))]
        records: list[Record] = []
        for kind, data, id, retry in events(frames):
            text = large if large is not None and data is not None else data
            if retry is not None:
                self._signals.append(Signal("retry", retry))
            if kind == "message":
                self._id = self._id if id is None else id
                if text is not None:
                    records.append(record_of(self._id, text, is_cut=is_cut))
            elif kind == "error" and text is not None:
                self._signals.append(Signal("error", text))
        return records
