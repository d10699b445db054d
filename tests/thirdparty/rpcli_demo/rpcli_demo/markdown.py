"""A table for issues and wikis: ``-f markdown``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any


class MarkdownFormatter:
    """Rows between bars."""

    human = True

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take whether the heading is wanted."""
        parser.add_argument_group("markdown").add_argument(
            "--no-heading", action="store_true", help="rows only"
        )

    def emit_list(
        self,
        column_names: Sequence[str],
        data: Iterable[Sequence[Any]],
        stdout: Any,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print the table."""
        if not parsed_args.no_heading:
            stdout.write(_row(column_names) + _row(["---"] * len(column_names)))
        for row in data:
            stdout.write(_row(row))


def _row(cells: Iterable[Any]) -> str:
    texts = (" ".join(str(cell).split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(texts)} |\n"
