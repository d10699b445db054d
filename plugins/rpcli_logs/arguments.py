"""The flags of ``pod logs`` and ``serverless logs``, and what their help says. Pure."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence

from rpcli_logs.options import LARGEST_TAIL, MAX_STREAMS, SOURCES

_FOLLOW_HINT = "-f is the output format; to follow the log give -F"
_TIMESTAMPS_HINT = "--timestamps is for people: give -f text with it"


def add_log_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what both commands take."""
    _add_what(parser.add_argument_group("what is read"))
    _add_filters(parser.add_argument_group("what is shown"))
    _add_ends(parser.add_argument_group("when it ends, and what remains"))


def add_worker_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only an endpoint has."""
    group = parser.add_argument_group("workers")
    group.add_argument(
        "--worker",
        action="append",
        metavar="ID",
        help="only this worker; may be given again (default: every worker that is active)",
    )
    group.add_argument(
        "--max-streams",
        metavar="N",
        help=f"workers that are read at the same time, at least 1 (default: {MAX_STREAMS})",
    )


def meant_follow(argv: Sequence[str], formats: Collection[str], message: str) -> str | None:
    """Give the hint that a usage error should have, where other tools use the flag otherwise.

    :param formats: the words that ``-f`` takes
    """
    for place, word in enumerate(argv):
        if word == "-f" and (place + 1 == len(argv) or argv[place + 1] not in formats):
            return _FOLLOW_HINT
    # Flags of other formats are unknown to this one.
    return _TIMESTAMPS_HINT if "arguments: --timestamps" in message else None


def _add_what(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "-F",
        "--follow",
        action="store_true",
        help="go on with what is new, and reconnect, until something ends it",
    )
    add(
        "--tail",
        metavar="N",
        help=f"lines of history, 0 to {LARGEST_TAIL}, per source and worker (default: 100, or all"
        " that --since reaches)",
    )
    add("--since", metavar="TIME", help="from 30m, 1h30m, 7d ago, or from 2026-01-15T08:00:00Z on")
    add("--until", metavar="TIME", help="up to a time; with --follow it ends then")
    add(
        "--source",
        choices=SOURCES,
        default="both",
        help="container: what the workload prints; system: what the platform tells of it"
        " (default: both)",
    )
    add(
        "--max-wait",
        metavar="DURATION",
        help="the longest that a snapshot of one log may take, as 2s, 500ms (default: 5s)",
    )


def _add_filters(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--grep",
        action="append",
        metavar="RE",
        help="only lines in which a regular expression is found; of several, any",
    )
    group.add_argument(
        "--exclude",
        action="append",
        metavar="RE",
        help="without lines in which a regular expression is found; may be given again",
    )


def _add_ends(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--until-match",
        metavar="RE",
        help="end with status 0 behind the first line that matches, with 1 if none does",
    )
    add("--fail-on", metavar="RE", help="end with status 3 behind the first line that matches")
    add("--save", metavar="FILE", help="append the records to a file, too, as JSON Lines")
    add(
        "--resume",
        metavar="FILE",
        help="keep the place in a file, and go on from there the next time",
    )
    add("--summary", action="store_true", help="tell at the end, on stderr, what became of it")
