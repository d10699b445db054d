"""Records as lines of text, for people."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from rpcli.formats.cells import cell
from rpcli.formats.json import Sink


class TextFormatter:
    """One line a record: its values with a space between."""

    human = True

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take no options."""

    def emit_record(
        self,
        record: Mapping[str, Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,  # noqa: ARG002 - cliff's signature
    ) -> None:
        """Print one line."""
        stdout.write(" ".join(filter(None, map(cell, record.values()))) + "\n")
