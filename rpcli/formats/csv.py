"""CSV, for spreadsheets and joins.

Text is quoted and numbers are not; what is absent is empty; what is nested is JSON. Values are data
and stay as they are, one that begins like a formula (``=…``) included: open files of strangers as
text.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from rpcli.formats.cells import plain
from rpcli.formats.json import Sink
from rpcli.rows import ABSENT

_QUOTING = {"all": 1, "minimal": 0, "nonnumeric": 2, "none": 3}


class CsvFormatter:
    """A heading and a line a document."""

    human = False

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take cliff's ``--quote``."""
        parser.add_argument_group("csv").add_argument(
            "--quote",
            choices=sorted(_QUOTING),
            default="nonnumeric",
            help="what to quote (default: nonnumeric)",
        )

    def emit_list(
        self,
        column_names: Sequence[str],
        data: Iterable[Sequence[Any]],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print the heading, then a line a document."""
        import csv

        writer = csv.writer(
            stdout,
            quoting=_QUOTING[getattr(parsed_args, "quote", "nonnumeric")],  # type: ignore[arg-type]
            lineterminator="\n",
            escapechar="\\",
        )
        writer.writerow(column_names)
        for row in data:
            writer.writerow([_value(v) for v in row])

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print the heading and one line."""
        self.emit_list(column_names, [data], stdout, parsed_args)


def _value(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return "" if value is ABSENT else plain(value)
