"""Bare values: one line a document, a space between fields.

Rules: one physical line a document whatever is in it (control characters become escapes, ``\\n``
among them); with several columns a hole is ``-``, so that no field changes its place.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from rpcli.formats.cells import cell
from rpcli.formats.json import Sink


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
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print a line a document."""
        hole = "-" if len(column_names) > 1 else ""
        for row in data:
            stdout.write(" ".join(cell(value) or hole for value in row) + "\n")

    def emit_one(
        self,
        column_names: Sequence[str],  # noqa: ARG002 - cliff's signature
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print a line a field."""
        for value in data:
            stdout.write(cell(value) + "\n")
