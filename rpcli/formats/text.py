"""Records as lines of text, for people.

Rules: time, source and worker stand before each line of a record, the lines that follow a line feed
included; blanks at the beginning of a line, and lines that are empty, stay; what was cut off is
marked. A record that has no line is its values, one after the other. Colour is for terminals.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import Any

from rpcli.formats.cells import cell
from rpcli.formats.colour import coloured, wants_colour
from rpcli.formats.instants import in_local_time, in_utc
from rpcli.formats.sink import Sink
from rpcli.terminal import visible

#: What stands before a line behind the time, in this order, where a record has it.
_ORIGIN = ("source", "workerId")
_CUT = " \u2026[cut]"
_TIMES = {"utc": in_utc, "local": in_local_time}


class TextFormatter:
    """One line a record, or as many as its line has."""

    human = True

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Take ``--timestamps``."""
        parser.add_argument_group("text").add_argument(
            "--timestamps",
            choices=(*_TIMES, "none"),
            default="utc",
            help="the time before each line: in UTC, in the local zone, or none (default: utc)",
        )

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
        before = _time(record, getattr(parsed_args, "timestamps", "utc"))
        before += _origin(record, wants_colour(os.environ, terminal=stdout.isatty()))
        parts = [visible(part.removesuffix("\r"), tabs=True) for part in _lines(line)]
        if record.get("truncated") is True:
            parts[-1] += _CUT
        for shown in parts:
            stdout.write(f"{before}{shown}\n" if shown else f"{before.rstrip()}\n")


def _lines(line: str) -> list[str]:
    return line.removesuffix("\n").split("\n")


def _time(record: Mapping[str, Any], timestamps: str) -> str:
    ts = record.get("ts")
    if timestamps in _TIMES and isinstance(ts, str):
        shown = cell(_TIMES[timestamps](ts))
    else:
        shown = "" if timestamps == "none" else cell(ts)
    return f"{shown} " if shown else ""


def _origin(record: Mapping[str, Any], with_colour: bool) -> str:
    words = [(key, text) for key in _ORIGIN if (text := cell(record.get(key)))]
    if with_colour:
        return "".join([f"{coloured(text, key)} " for key, text in words])
    return "".join([f"{text} " for _, text in words])
