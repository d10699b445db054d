"""Tables for people: columns without lines between them.

Rules: every cell is made safe for the terminal, and for its encoding, before it is measured.
"""

from __future__ import annotations

import argparse
import codecs
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rpcli.formats import layout
from rpcli.formats.cells import cell
from rpcli.formats.sink import Sink
from rpcli.rows import ABSENT
from rpcli.terminal import shorten


class TableFormatter:
    """A line a document, or a line a field of one document."""

    human = True

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take no options: ``--max-width`` and its like are there for every command."""

    def emit_list(
        self,
        column_names: Sequence[str],
        data: Iterable[Sequence[Any]],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print a table, or records one below the other where the terminal is too narrow for it."""
        names = [_shown(name, stdout) for name in column_names]
        rows = [[_shown(value, stdout) for value in row] for row in data]
        if not names or not (rows or getattr(parsed_args, "print_empty", False)):
            return
        limit = _limit(stdout, parsed_args)
        shown = layout.choose(names, rows, layout.numeric_columns(rows), limit)
        names = [names[n] for n in shown]
        rows = [[row[n] for n in shown] for row in rows]
        numeric = layout.numeric_columns(rows)
        widths = layout.fit(names, rows, numeric, limit)
        if widths is None:
            blocks = [layout.fields(list(zip(names, row, strict=True)), limit) for row in rows]
            stdout.write("\n".join(["".join([f"{line}\n" for line in b]) for b in blocks]))
            return
        mark = "…" if _shown("…", stdout) == "…" else "..."
        cut = [
            [
                shorten(text, width, mark=mark, measure=layout.width_of)
                for text, width in zip(row, widths, strict=True)
            ]
            for row in (names, *rows)
        ]
        for line in layout.columns(cut, widths, numeric):
            stdout.write(f"{line}\n")

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print a line a field; what is nested has a line for each field of its own below it."""
        pairs = [
            (_shown(name, stdout), _shown(text, stdout))
            for field, value in zip(column_names, data, strict=True)
            for name, text in _flat(field, value)
        ]
        for line in layout.fields(pairs, _limit(stdout, parsed_args)):
            stdout.write(f"{line}\n")


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Give a value as lines: ``ssh.ip`` for what is nested, a list of words on one line."""
    if value is ABSENT:
        return
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner)
    elif isinstance(value, list | tuple):
        if any(isinstance(inner, Mapping | list | tuple) for inner in value):
            for n, inner in enumerate(value):
                yield from _flat(f"{name}.{n}", inner)
        else:
            yield name, ", ".join([cell(inner) for inner in value])
    else:
        yield name, "" if value == {} else cell(value)


def _shown(value: Any, stdout: Sink) -> str:
    text = cell(value)
    if text.isascii() or codecs.lookup(stdout.encoding).name == "utf-8":
        return text
    return text.encode(stdout.encoding, "backslashreplace").decode(stdout.encoding)


def _limit(stdout: Sink, args: argparse.Namespace) -> int | None:
    asked = getattr(args, "max_width", 0)
    if asked > 0:
        return int(asked)
    return stdout.width or (80 if getattr(args, "fit_width", False) else None)
