"""Bare values: one line a document with a space between its fields, or one line a field.

Rules: one physical line whatever is in a value (control characters become visible escapes, ``\\n``
among them); with several columns a field without a value is ``-``, so that none changes its place.
A value may itself hold spaces: to split safely, ask for one column, or for csv or json.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from rpcli.formats.cells import cell
from rpcli.formats.sink import Sink


class ValueFormatter:
    """Values and nothing else."""

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
        """Print a line a document."""
        hole = "-" if len(column_names) > 1 else ""
        for row in data:
            stdout.write(" ".join([cell(value) or hole for value in row]) + "\n")

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print a line a field, an empty one where there is no value."""
        for value in data:
            stdout.write(cell(value) + "\n")
