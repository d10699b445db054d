"""JSON: the exact document that the schema describes; absent fields are absent.

Rules: ASCII only, so that no locale, terminal or line splitter can harm it; a list has one document
a line; a stream is JSON Lines; what is not JSON (NaN) is a bug and never printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from rpcli.errors import InternalError
from rpcli.rows import Rows, named


class Sink(Protocol):
    """Where formatters write: :class:`rpcli.output.Stdout`."""

    def write(self, text: str, /) -> int:
        """Take text."""


_ENCODE = json.JSONEncoder(allow_nan=False).encode
_INDENT = json.JSONEncoder(allow_nan=False, indent=2).encode


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
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print an array, one document a line."""
        documents = (
            data.documents() if isinstance(data, Rows) else (named(column_names, r) for r in data)
        )
        lines = [_encode(document) for document in documents]
        stdout.write("[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n")

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print one object."""
        stdout.write(_encode(named(column_names, data), _INDENT) + "\n")

    def emit_record(
        self,
        record: Mapping[str, Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print one line."""
        stdout.write(_encode(record) + "\n")


def _encode(document: Any, encode: Any = _ENCODE) -> str:
    try:
        return str(encode(document))
    except (ValueError, TypeError, RecursionError) as error:
        raise InternalError(f"a document is not JSON: {error}") from error
