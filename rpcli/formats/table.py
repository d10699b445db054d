"""Tables for people.

Rules: every cell is made safe for the terminal; a table that is wider than the terminal first gives
up the ends of its widest columns (never the first one, which names the thing), and becomes a list of
records where even that does not fit.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from rpcli.formats.cells import cell
from rpcli.terminal import shorten

#: No column is cut below this width.
NARROWEST = 8
#: What stands between two columns.
GAP = 2


class Screen(Protocol):
    """Where tables go: :class:`rpcli.output.Stdout`."""

    @property
    def width(self) -> int | None:
        """Columns of the terminal, None where there is none."""

    def write(self, text: str, /) -> int:
        """Take text."""


class TableFormatter:
    """Columns without lines between them."""

    human = True

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take no options: ``--max-width`` and its like are there for every command."""

    def emit_list(
        self,
        column_names: Sequence[str],
        data: Iterable[Sequence[Any]],
        stdout: Screen,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print a table, or records one below the other where the terminal is too narrow."""
        data = list(data)
        rows = [[cell(value) for value in row] for row in data]
        if not rows and not parsed_args.print_empty:
            return
        right = _numeric_columns(column_names, data)
        limit = _limit(stdout, parsed_args)
        fitted = _fit(column_names, rows, limit)
        if fitted is None:
            stdout.write(_records(column_names, rows))
        else:
            stdout.write(_table(column_names, fitted, right))

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Screen,
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print a line a field; what is nested has its own fields below it."""
        fields = [
            pair
            for name, value in zip(column_names, data, strict=True)
            for pair in _flat(str(name), value)
        ]
        stdout.write(_records([name for name, _ in fields], [[text for _, text in fields]]))


def _flat(name: str, value: Any) -> list[tuple[str, str]]:
    """Give a value as lines: ``ssh.ip`` for what is nested, a list of words on one line."""
    if isinstance(value, Mapping):
        if not value:
            return [(name, "")]
        return [pair for key, inner in value.items() for pair in _flat(f"{name}.{key}", inner)]
    if isinstance(value, list | tuple):
        if any(isinstance(inner, Mapping) for inner in value):
            return [p for n, inner in enumerate(value) for p in _flat(f"{name}.{n}", inner)]
        return [(name, ", ".join(cell(inner) for inner in value))]
    return [(name, cell(value))]


def _limit(stdout: Screen, args: argparse.Namespace) -> int | None:
    if args.max_width > 0:
        return int(args.max_width)
    if args.fit_width:
        return stdout.width or 80
    return stdout.width


def _numeric_columns(names: Sequence[str], data: Iterable[Sequence[Any]]) -> set[int]:
    kinds: list[set[bool]] = [set() for _ in names]
    for row in data:
        for n, value in enumerate(row):
            if value is not None and str(value) != "":
                kinds[n].add(isinstance(value, int | float) and not isinstance(value, bool))
    return {n for n, kind in enumerate(kinds) if kind == {True}}


def _width(text: str) -> int:
    from wcwidth import wcswidth

    return len(text) if text.isascii() else max(wcswidth(text), 0)


def _fit(
    names: Sequence[str], rows: list[list[str]], limit: int | None
) -> list[list[str]] | None:
    """Shorten the widest columns until the table fits; None where it cannot."""
    widths = [max(map(_width, column)) for column in zip(names, *rows, strict=True)]
    over = 0 if limit is None else sum(widths) + GAP * (len(names) - 1) - limit
    floors = [max(_width(names[n]), NARROWEST) if n else widths[0] for n in range(len(names))]
    while over > 0:
        widest = max(range(len(names)), key=lambda n: widths[n] - floors[n])
        room = widths[widest] - floors[widest]
        if room <= 0:
            return None
        next_width = max(
            (w for n, w in enumerate(widths) if n != widest and w < widths[widest]), default=0
        )
        step = min(room, over, max(widths[widest] - max(next_width, floors[widest]), 1))
        widths[widest] -= step
        over -= step
    return [[shorten(text, widths[n]) for n, text in enumerate(row)] for row in rows]


def _table(names: Sequence[str], rows: list[list[str]], right: set[int]) -> str:
    from prettytable import PrettyTable  # slow to import: only tables pay

    table = PrettyTable([f"{n}" for n in range(len(names))])
    table.border = False
    table.header = False
    table.left_padding_width = 0
    table.right_padding_width = GAP
    table.align = "l"
    for n in right:
        table.align[f"{n}"] = "r"
    table.add_row(list(names))
    table.add_rows(rows)
    return "".join(line.rstrip() + "\n" for line in table.get_string().splitlines())


def _records(names: Sequence[str], rows: list[list[str]]) -> str:
    width = max(map(len, names), default=0)
    blocks = [
        "".join(
            f"{name:<{width}}  {text}".rstrip() + "\n"
            for name, text in zip(names, row, strict=True)
        )
        for row in rows
    ]
    return "\n".join(blocks)
