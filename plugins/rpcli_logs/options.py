"""What was typed after ``pod logs`` and ``serverless logs``, checked. Pure.

Rules: every usage error ends here, before any request is made, and says what is accepted; a window
that counts back from now is a moment from here on, so that no request asks for another one.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from rpcli.plugin import UsageError
from rpcli_logs.patterns import compile_pattern, compile_patterns
from rpcli_logs.window import read_moment, read_until, read_wait

#: The vocabulary of ``--source``; ``both`` asks for every source.
SOURCES = ("container", "system", "both")
#: Lines of history that one may ask for, by the API's own limit.
LARGEST_TAIL = 5000
#: Streams that are read at the same time where nobody says, and at most.
MAX_STREAMS = 32
MOST_STREAMS = 9999

# [0-9], not \d: the digits of other scripts are no digits here.
_WHOLE = re.compile(r"0|[1-9][0-9]{0,3}")


class LogOptions(NamedTuple):
    """What is read, and what of it is shown; None and the empty tuple mean: as it comes.

    :param subject_id: the id of the pod or the endpoint
    :param source: the one source that is shown
    :param tail: lines of history of each source and stream
    :param since: where it begins, aware
    :param until: where it ends, aware
    :param max_wait: seconds that a snapshot of one stream may take
    :param grep: patterns of which one has to be found in a line
    :param exclude: patterns of which none may be
    :param until_match: ends it well where it is found
    :param fail_on: ends it badly where it is found
    :param save: the file that records go to as well
    :param resume: the file of cursors
    :param workers: the workers that are read; none: all that there are
    """

    subject_id: str
    follow: bool = False
    source: str | None = None
    tail: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    max_wait: float | None = None
    grep: tuple[re.Pattern[str], ...] = ()
    exclude: tuple[re.Pattern[str], ...] = ()
    until_match: re.Pattern[str] | None = None
    fail_on: re.Pattern[str] | None = None
    save: Path | None = None
    resume: Path | None = None
    summary: bool = False
    workers: tuple[str, ...] = ()
    max_streams: int = MAX_STREAMS


def pod_options(args: argparse.Namespace, now: datetime) -> LogOptions:
    """Check the arguments of ``pod logs``.

    :param now: the time of day that durations count back from, aware
    :raises UsageError: a value that is none, or two that make no sense together
    """
    return _common(args, check_id(args.id, "the pod"), now)


def serverless_options(args: argparse.Namespace, now: datetime) -> LogOptions:
    """Check the arguments of ``serverless logs``; as :func:`pod_options`."""
    options = _common(args, check_id(args.id, "the endpoint"), now)
    streams = args.max_streams
    return options._replace(
        workers=_workers(args.worker or ()),
        max_streams=MAX_STREAMS if streams is None else read_max_streams(streams),
    )


def check_id(text: str, whose: str) -> str:
    """Give an id that can stand in the path of a request.

    :raises UsageError: it is blank, or would lead elsewhere
    """
    if not text.strip():
        raise UsageError(f"the id of {whose} is empty")
    if text in (".", "..") or any("\ud800" <= char <= "\udfff" for char in text):
        shown = text.encode("utf-8", "backslashreplace").decode()
        raise UsageError(f"'{shown}' is no id of {whose}")
    return text


def read_tail(text: str) -> int:
    """Read a number of lines.

    :raises UsageError: it is none, or more than the API gives
    """
    if not _WHOLE.fullmatch(text) or int(text) > LARGEST_TAIL:
        raise UsageError(
            f"--tail '{text}': give a whole number from 0 to {LARGEST_TAIL}, of lines per source "
            "and worker; for more give --since"
        )
    return int(text)


def read_max_streams(text: str) -> int:
    """Read a number of streams.

    :raises UsageError: it is none, or 0
    """
    if not _WHOLE.fullmatch(text) or text == "0":
        raise UsageError(f"--max-streams '{text}': give a whole number from 1 to {MOST_STREAMS}")
    return int(text)


def _common(args: argparse.Namespace, subject_id: str, now: datetime) -> LogOptions:
    since, until = args.since, args.until
    options = LogOptions(
        subject_id=subject_id,
        follow=args.follow,
        source=None if args.source == "both" else args.source,
        tail=None if args.tail is None else read_tail(args.tail),
        since=None if since is None else read_moment(since, "--since", now),
        until=None if until is None else read_until(until, now, follow=args.follow),
        max_wait=None if args.max_wait is None else read_wait(args.max_wait),
        grep=compile_patterns(args.grep or (), "--grep"),
        exclude=compile_patterns(args.exclude or (), "--exclude"),
        until_match=compile_pattern(args.until_match, "--until-match"),
        fail_on=compile_pattern(args.fail_on, "--fail-on"),
        save=_file(args.save, "--save"),
        resume=_file(args.resume, "--resume"),
        summary=args.summary,
    )
    _check_together(options)
    return options


def _check_together(options: LogOptions) -> None:
    if options.since is not None and options.until is not None and options.until < options.since:
        raise UsageError("--until is before --since: nothing lies between the two")
    if options.follow and options.max_wait is not None:
        raise UsageError(
            "--max-wait is for a snapshot, and --follow goes on until something ends it",
            hint="give --until, --until-match or neither of the two",
        )
    if options.resume is not None and not options.follow:
        raise UsageError("--resume goes on where a follow stopped: give --follow with it")
    if options.save is not None and options.save == options.resume:
        raise UsageError("--save and --resume name the same file: give each its own")


def _workers(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(check_id(value, "the worker (--worker)") for value in values))


def _file(text: str | None, flag: str) -> Path | None:
    if text is None:
        return None
    if not text.strip() or text == "-":
        raise UsageError(f"{flag} '{text}': give the name of a file")
    return Path(text)
