"""JSON: the exact document that the schema describes; absent fields are absent.

Rules: ASCII only and no control characters, so that no locale, terminal or line splitter can harm
it; a list has one document a line; a stream is JSON Lines; nothing is written before all of it is
known to be JSON. A lone surrogate, which is no text in any encoding, becomes U+FFFD.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rpcli.domain.asciijson import printable
from rpcli.errors import InternalError
from rpcli.formats.sink import Sink
from rpcli.rows import Rows, named, without_holes

if TYPE_CHECKING:
    from rpcli.stream.records import RecordBatch

_COMPACT = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_INDENTED = json.JSONEncoder(allow_nan=False, indent=2).encode


class JsonFormatter:
    """One JSON document, or JSON Lines for a stream."""

    human = False

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take no options."""

    def emit_list(
        self,
        column_names: Sequence[str],
        data: Iterable[Sequence[Any]],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print an array, one document a line.

        :raises InternalError: a document is not JSON
        """
        lines = [encode(document) for document in documents_of(column_names, data)]
        opening = "[\n"
        for line in lines:
            stdout.write(opening + line)
            opening = ",\n"
        stdout.write("\n]\n" if lines else "[]\n")

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print one object, indented.

        :raises InternalError: it is not JSON
        """
        stdout.write(encode(named(column_names, data), _INDENTED) + "\n")

    def emit_record(
        self,
        record: Mapping[str, Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print one object on one line.

        :raises InternalError: it is not JSON
        """
        stdout.write(encode(record) + "\n")

    def emit_batch(
        self,
        batch: RecordBatch,
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print records that came together, one a line."""
        stdout.write(batch.json_lines())


def documents_of(
    column_names: Sequence[str], data: Iterable[Sequence[Any]]
) -> Iterable[Mapping[str, Any]]:
    """Give the documents behind rows: as they are where the rows know them."""
    if isinstance(data, Rows):
        return data.documents()
    return (named(column_names, row) for row in data)


def encode(value: Any, encoder: Callable[[Any], str] = _COMPACT) -> str:
    """Give a value as JSON in printable ASCII, on one line unless the encoder indents.

    :raises InternalError: it is not JSON: NaN, a type that JSON has not, a value within itself
    """
    try:
        text = _try_encoding(value, encoder)
    except (ValueError, TypeError, RecursionError) as error:
        raise InternalError(f"a document is not JSON: {error}") from error
    return printable(text)


def _try_encoding(value: Any, encoder: Callable[[Any], str]) -> str:
    try:
        return encoder(value)
    except TypeError:
        # A hole is no JSON. They are rare: looking for them first would cost every document.
        return encoder(without_holes(value))
