"""Assignments for a POSIX shell: ``eval "$(rpcli … -f shell)"`` sets variables and does no more."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Sequence
from typing import Any

from rpcli.formats.cells import plain
from rpcli.formats.json import Sink
from rpcli.rows import ABSENT

_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_]")


class ShellFormatter:
    """``name='value'`` lines; every value survives ``eval`` unharmed."""

    human = False

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take cliff's ``--prefix``."""
        parser.add_argument_group("shell").add_argument(
            "--prefix", default="", metavar="TEXT", help="what the names begin with"
        )

    def emit_one(
        self,
        column_names: Sequence[str],
        data: Sequence[Any],
        stdout: Sink,
        parsed_args: argparse.Namespace,
    ) -> None:
        """Print an assignment a field; what is absent is not assigned."""
        prefix = getattr(parsed_args, "prefix", "")
        for name, value in zip(column_names, data, strict=True):
            if value is not ABSENT:
                # A shell variable cannot hold NUL.
                text = plain(value).replace("\0", "")
                stdout.write(f"{_identifier(prefix + name)}={shlex.quote(text)}\n")


def _identifier(name: str) -> str:
    valid = _NOT_A_NAME.sub("_", name)
    return f"_{valid}" if not valid or valid[0].isdigit() else valid
