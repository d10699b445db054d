"""What a scenario says of a log, as lines that come at their times.

Rules: a time is RFC 3339 or a distance from where the log begins; lines of one time keep the order
in which the scenario has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from rpcli.sandbox.logline import Entry, Voice
from rpcli.sandbox.logstore import Due, Feed, Log
from rpcli.sandbox.moments import moment
from rpcli.sandbox.stamp import SECOND, nanoseconds, read_stamp, write_stamp

#: Between two lines for whose distance a scenario says nothing, in nanoseconds.
_CLOSE = 1000
#: What lines in a row say where a scenario does not.
_NUMBERED = "line {n}"

Spec = Mapping[str, Any]


def fill(log: Log, specs: Sequence[Spec], begin: int, owner: str) -> None:
    """Let the lines of a scenario come: those with a time of their own, and those in a row.

    :param begin: what distances are from, nanoseconds since 1970
    :param owner: what ``{id}`` stands for
    :raises ConfigError: a time is none
    """
    for spec in specs:
        if "count" in spec:
            log.feed(_row(spec, begin, owner))
        elif "live" not in spec:
            log.feed(iter([_single(spec, begin, owner)]))


def speak(log: Log, specs: Sequence[Spec], begin: int, owner: str) -> None:
    """Let the lines come that come while something runs, from a time on."""
    for spec in (spec["live"] for spec in specs if "live" in spec):
        voice = voice_of(spec, owner, text=_NUMBERED)
        every = _nanoseconds(spec.get("every", 1))
        if every:
            log.feed(_live(voice, begin, every, spec.get("count")))
        else:
            log.flood(voice, spec.get("count"))


def voice_of(spec: Spec, owner: str, *, stamp: str | None = None, text: str = "") -> Voice:
    """Give what speaks a line.

    :param stamp: its time as it was written
    :param text: of a line that has none
    """
    return Voice(
        spec.get("source", "container"),
        spec.get("line", text).replace("{id}", owner),
        size=spec.get("size", 0),
        stamp=stamp,
        data=spec.get("data"),
    )


def when(text: str, begin: int, what: str) -> tuple[int, str | None]:
    """Read the time of a line; give it as it was written too, where that is RFC 3339.

    :raises ConfigError: it is neither RFC 3339 nor a distance
    """
    try:
        return read_stamp(text), text
    except ValueError:
        return nanoseconds(moment(text, _moment(begin), what)), None


def due(time: int, voice: Voice, begin: int, number: int = 1) -> Due:
    """Give a line that comes at a time, which it may tell in whole seconds only.

    History lies in the order of what it tells; what comes later comes when it is time.
    """
    told = time if voice.told_as_written or not voice.whole else time - time % SECOND
    return Due(told if time <= begin else time, Entry(told, voice, number))


def _single(spec: Spec, begin: int, owner: str) -> Due:
    time, stamp = when(spec.get("ts", "-0s"), begin, f"ts of a line of {owner}")
    return due(time, voice_of(spec, owner, stamp=stamp), begin)


def _row(spec: Spec, begin: int, owner: str) -> Feed:
    every = _nanoseconds(spec.get("every", 0)) or _CLOSE
    first = begin - every * spec["count"]
    if "from" in spec:
        first, _ = when(spec["from"], begin, f"from of lines of {owner}")
    voice = voice_of(spec, owner, text=_NUMBERED)
    return (due(first + n * every, voice, begin, n + 1) for n in range(spec["count"]))


def _live(voice: Voice, begin: int, every: int, lines: int | None) -> Feed:
    numbers = count(1) if lines is None else range(1, lines + 1)
    return (due(begin + n * every, voice, begin, n) for n in numbers)


def _nanoseconds(seconds: float) -> int:
    return round(seconds * SECOND)


def _moment(time: int) -> datetime:
    return datetime.fromisoformat(write_stamp(time)[:26] + "+00:00")
