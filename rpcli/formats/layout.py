"""Where the cells of a table go. Pure.

Rules: cells are safe text on one line (:func:`rpcli.terminal.one_line`). A table that is too wide
gives up the ends of its widest columns of text, but never those of an identifier, a status or a
number; where the status has no room beside them whole columns go, the widest first; and where even
that does not fit it becomes a list of records, in which nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

#: No column is cut below this width, or that of its heading.
NARROWEST = 8
#: What a value has beside its name at least, before the two are aligned no more.
_ROOM = 16
_GAP = "  "
_NUMBER = re.compile(r"[-+]?[0-9][0-9,]*(?:\.[0-9]+)?%?")

Measure = Callable[[str], int]


def width_of(text: str) -> int:
    """Tell how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # slow to import: most tables are ASCII

    columns: int = wcswidth(text)
    return columns if columns >= 0 else len(text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Fill up with blanks."""
    blanks = " " * (width - width_of(text))
    return blanks + text if right else text + blanks


def numeric_columns(rows: Sequence[Sequence[str]]) -> set[int]:
    """Tell which columns hold numbers and nothing else, by position."""
    numeric = set()
    for position, column in enumerate(zip(*rows, strict=True)):
        texts = [text for text in column if text]
        if texts and all(map(_NUMBER.fullmatch, texts)):
            numeric.add(position)
    return numeric


def choose(
    names: Sequence[str], rows: Sequence[Sequence[str]], numeric: set[int], limit: int | None
) -> list[int]:
    """Choose the columns that are shown, by position: the widest go where the status needs room.

    What names the thing, its status and its numbers stay.
    """
    shown = list(range(len(names)))
    kept = _identifiers(names) | _statuses(names) | numeric
    needed = [max(map(width_of, column)) for column in zip(names, *rows, strict=True)]

    def least(position: int) -> int:
        floor = max(NARROWEST, width_of(names[position]))
        return needed[position] if position in kept else min(needed[position], floor)

    while limit is not None and _statuses(names):
        if sum(map(least, shown)) + len(_GAP) * (len(shown) - 1) <= limit:
            return shown
        may_go = [n for n in shown if n not in kept and names[n].lower() != "name"]
        if not may_go:
            return list(range(len(names)))
        shown.remove(max(may_go, key=needed.__getitem__))
    return shown


def fit(
    names: Sequence[str], rows: Sequence[Sequence[str]], numeric: set[int], limit: int | None
) -> list[int] | None:
    """Choose the widths of the columns.

    :param limit: how wide the table may be; None: as wide as it is
    :returns: None where it does not fit, however much is cut
    """
    widths = [max(map(width_of, column)) for column in zip(names, *rows, strict=True)]
    if limit is None:
        return widths
    room = limit - len(_GAP) * (len(names) - 1)
    floors = _floors(names, widths, _identifiers(names) | _statuses(names) | numeric)
    if sum(floors) > room:
        return None
    # The highest level to which the columns that stand out are cut.
    low, high = 0, max(widths, default=0)
    while low < high:
        level = (low + high + 1) // 2
        low, high = (level, high) if sum(_cut(widths, floors, level)) <= room else (low, level - 1)
    return _cut(widths, floors, low)


def _cut(widths: Sequence[int], floors: Sequence[int], level: int) -> list[int]:
    return [max(floor, min(width, level)) for width, floor in zip(widths, floors, strict=True)]


def _floors(names: Sequence[str], widths: Sequence[int], kept: set[int]) -> list[int]:
    """Give the width below which each column is not cut."""
    return [
        width if n in kept else min(width, max(NARROWEST, width_of(name)))
        for n, (name, width) in enumerate(zip(names, widths, strict=True))
    ]


def _statuses(names: Sequence[str]) -> set[int]:
    """Find what people look for first, and keep it whole where that is possible."""
    return {n for n, name in enumerate(names) if name.lower() == "status"}


def _identifiers(names: Sequence[str]) -> set[int]:
    """Find what names the thing, and is to be copied whole: ``id``, else the first column."""
    return {n for n, name in enumerate(names) if name.lower() == "id"} or {0}


def columns(rows: Sequence[Sequence[str]], widths: Sequence[int], right: set[int]) -> list[str]:
    """Lay rows out in columns, with nothing at the end of a line."""
    return [
        _GAP.join([pad(text, widths[n], right=n in right) for n, text in enumerate(row)]).rstrip()
        for row in rows
    ]


def fields(pairs: Sequence[tuple[str, str]], limit: int | None) -> list[str]:
    """Lay a record out: its values aligned beside their names where there is room."""
    widest = max((width_of(name) for name, _ in pairs), default=0)
    if limit is not None and widest + len(_GAP) + _ROOM > limit:
        return [f"{name}: {text}".rstrip() for name, text in pairs]
    return [f"{pad(name, widest)}{_GAP}{text}".rstrip() for name, text in pairs]
