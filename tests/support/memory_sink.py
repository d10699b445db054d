"""What formatters write to, kept in memory."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rpcli.rows import Rows


class MemorySink:
    """Everything that was written, and a terminal of any width where a test wants one."""

    def __init__(
        self, *, width: int | None = None, tty: bool = False, encoding: str = "utf-8"
    ) -> None:
        self.width = width
        self.encoding = encoding
        self._tty = tty
        self._written: list[str] = []

    def isatty(self) -> bool:
        return self._tty

    def write(self, text: str, /) -> int:
        self._written.append(text)
        return len(text)

    @property
    def text(self) -> str:
        return "".join(self._written)


def parsed(**given: Any) -> argparse.Namespace:
    """What the parser of a command gives a formatter."""
    return argparse.Namespace(**{"max_width": 0, "fit_width": False, "print_empty": False, **given})


def options_of(formatter: Any, *words: str) -> argparse.Namespace:
    """The formatter's own options, parsed as a command would."""
    parser = argparse.ArgumentParser()
    formatter.add_argument_group(parser)
    return argparse.Namespace(**{**vars(parsed()), **vars(parser.parse_args(words))})


def listed(
    formatter: Any,
    documents: Sequence[dict[str, Any]],
    columns: Sequence[str],
    sink: MemorySink | None = None,
    **given: Any,
) -> str:
    """What a list prints."""
    sink = sink or MemorySink()
    formatter.emit_list(tuple(columns), Rows(documents, columns), sink, parsed(**given))
    return sink.text


def shown(
    formatter: Any,
    document: dict[str, Any],
    columns: Sequence[str] | None = None,
    sink: MemorySink | None = None,
    **given: Any,
) -> str:
    """What one document prints."""
    sink = sink or MemorySink()
    columns = tuple(document) if columns is None else tuple(columns)
    formatter.emit_one(columns, Rows([document], columns)[0], sink, parsed(**given))
    return sink.text


def streamed(formatter: Any, record: dict[str, Any], sink: MemorySink | None = None) -> str:
    """What one record of a stream prints."""
    sink = sink or MemorySink()
    formatter.emit_record(record, sink, parsed())
    return sink.text
