"""CSV, for spreadsheets and joins.

Rules: a heading, then a line a document; text is quoted and numbers are not; what is absent or
null is empty; what is nested is JSON; line feeds stay, in quotes; other control characters become
visible escapes. A value that a spreadsheet would take for a formula (``=HYPERLINK(…)``) is data and
is written as it is, in quotes: to change it would harm every other reader. Import files with names
of strangers in them as text.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from rpcli.formats.cells import plain
from rpcli.formats.sink import Sink
from rpcli.terminal import printable

#: cliff's words for the constants of the csv module, which is imported only where it is used.
_QUOTING: Mapping[str, Literal[0, 1, 2, 3]] = {
    "minimal": 0,
    "all": 1,
    "nonnumeric": 2,
    "none": 3,
}


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

        quote = getattr(parsed_args, "quote", "nonnumeric")
        writer = csv.writer(
            stdout,
            quoting=_QUOTING[quote],
            lineterminator="\n",
            # Where there are no quotes something else must tell a comma from a separator; where
            # there are, it would double the backslashes of every value.
            escapechar="\\" if quote == "none" else None,
        )
        writer.writerow([_field(name) for name in column_names])
        for row in data:
            writer.writerow([_field(value) for value in row])

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print the heading and one line."""
        self.emit_list(column_names, [data], stdout, parsed_args)


def _field(value: Any) -> Any:
    text = plain(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value  # the writer quotes by type
    return printable(text)
