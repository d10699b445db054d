"""Records as lines of text, for people.

Rules: time and source stand before each line of a record, the lines that follow a line feed
included; blanks at the beginning of a line, and lines that are empty, stay. A record that has no
line is its values, one after the other.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from rpcli.formats.cells import cell
from rpcli.formats.sink import Sink
from rpcli.terminal import visible

#: What stands before a line, in this order, where a record has it.
_BEFORE = ("ts", "source")


class TextFormatter:
    """One line a record, or as many as its line has."""

    human = True

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take no options."""

    def emit_record(
        self,
        record: Mapping[str, Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print one record."""
        line = record.get("line")
        if not isinstance(line, str):
            stdout.write(" ".join(filter(None, map(cell, record.values()))) + "\n")
            return
        before = "".join([f"{text} " for key in _BEFORE if (text := cell(record.get(key)))])
        for part in line.removesuffix("\n").split("\n"):
            shown = visible(part.removesuffix("\r"), tabs=True)
            stdout.write(f"{before}{shown}\n" if shown else f"{before.rstrip()}\n")
