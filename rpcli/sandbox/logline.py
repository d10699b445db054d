"""One line of a log, and the frame that it makes on the wire.

Rules: a frame is written as the live service writes it: ``id``, ``data`` with ``source``, ``line``
and ``ts`` as compact JSON in UTF-8, an empty line; the id is the time, or the time and the number
of the line in its log.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import NamedTuple

from rpcli.sandbox.stamp import write_stamp

_NUMBER = "{n}"


class Voice:
    """What speaks: the lines of one origin differ in time and number alone.

    :param text: of a line; ``{n}`` becomes its number
    :param size: characters to which the text is filled up
    :param stamp: the time as it was written; None: as the platform writes it
    :param data: stands in the place of the JSON, whatever it is
    """

    __slots__ = ("_data", "_numbered", "_quoted", "_size", "_source", "_stamp", "source", "whole")

    def __init__(
        self,
        source: str,
        text: str,
        *,
        size: int = 0,
        stamp: str | None = None,
        data: str | None = None,
    ) -> None:
        self.source = source
        #: Whether its times have whole seconds.
        self.whole = source == "system"
        self._source = encode_basestring(source)
        self._quoted = _quoted(text)
        self._numbered = _NUMBER in text
        self._size = max(size - len(text), 0)
        self._stamp = stamp
        self._data = data

    @property
    def told_as_written(self) -> bool:
        """Whether a scenario wrote the time."""
        return self._stamp is not None

    def stamp(self, time: int) -> str:
        """Write the time of a line."""
        return self._stamp or write_stamp(time, whole=self.whole)

    def data(self, stamp: str, number: int) -> str:
        """Give the data of a line."""
        if self._data is not None:
            return self._data
        line = self._quoted
        if self._numbered:
            line = line.replace(_NUMBER, str(number))
        if self._size:
            fill = self._size - len(str(number)) + len(_NUMBER) if self._numbered else self._size
            line = f'{line[:-1]}{"." * fill}"'
        return f'{{"source":{self._source},"line":{line},"ts":{encode_basestring(stamp)}}}'


class Entry(NamedTuple):
    """A line in a log.

    :param time: nanoseconds since 1970
    :param number: what it is in the row of its origin, from 1 on
    """

    time: int
    voice: Voice
    number: int


class Frame(NamedTuple):
    """What goes over the wire for a line."""

    id: str
    data: str

    def encoded(self) -> bytes:
        """Write it as the platform does."""
        lines = "".join(f"data: {line}\n" for line in self.data.split("\n"))
        return f"id: {self.id}\n{lines}\n".encode("utf-8", "replace")


def frames(entries: Sequence[tuple[int, Entry]], *, sequence: bool) -> list[Frame]:
    """Make the frames of some lines, each with its place in its log.

    :param sequence: whether the id tells the place, beside the time
    """
    made = []
    for place, (time, voice, number) in entries:
        stamp = voice.stamp(time)
        made.append(
            Frame(f"{stamp}/{place + 1:012}" if sequence else stamp, voice.data(stamp, number))
        )
    return made


def encoded(made: Sequence[Frame]) -> bytes:
    """Write frames one behind the other, as the platform does."""
    text = "".join([f"id: {name}\ndata: {data}\n\n" for name, data in made])
    if any("\n" in frame.data for frame in made):
        return b"".join([frame.encoded() for frame in made])
    return text.encode("utf-8", "replace")


def _quoted(text: str) -> str:
    """Write a text as JSON, in UTF-8 where that is possible at all."""
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return json.dumps(text)
    return encode_basestring(text)
