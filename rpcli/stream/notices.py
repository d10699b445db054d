"""What notes say about streams. Pure.

Rules: what a server wrote is data: it is made safe, cut short, and no note is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from rpcli.errors import Conflict, RpcliError
from rpcli.stream.cursor import Resumption
from rpcli.stream.ports import StreamTarget
from rpcli.stream.verdict import End, How
from rpcli.terminal import one_line, shorten

#: Characters of a server's own words that a note repeats.
LONGEST = 200


def name_of(target: StreamTarget) -> str:
    """Give how a note calls a stream: ids of workers come from a server, too."""
    return shorten(one_line(target.name), 80)


def reported(text: str) -> str:
    """Give what an event of the type ``error`` says."""
    said = shorten(one_line(_message(text).strip()), LONGEST)
    return f"the server reports an error: {said or '(without a message)'}"


def broken(end: End) -> str:
    """Say how a connection ended that is made again."""
    if end.error is not None:
        said = shorten(one_line(end.error.message), LONGEST)
        answer = f"HTTP {end.error.status}"
        return said if end.error.status is None or answer in said else f"{said} ({answer})"
    if end.torn:
        return "the connection ended in the middle of an event"
    return "the server closed the connection"


def failed(error: RpcliError) -> str:
    """Give an error in one line, with its code."""
    return f"{shorten(one_line(error.message), LONGEST)} ({error.error_code})"


def over(end: End) -> str:
    """Say why a stream ended in good order."""
    if end.how is How.NOTHING:
        return "the server has nothing more to send (HTTP 204)"
    status = end.error.status if end.error is not None else None
    return f"it is gone (HTTP {status})" if status else "it is gone"


def again_in(seconds: float) -> str:
    """Say when the next try will be."""
    if seconds < 0.1:
        return "again at once"
    return f"again in {seconds:.1f}".removesuffix(".0") + " s"


def held_back(live: int, waiting: int) -> str:
    """Say that not all are read."""
    waits = "waits" if waiting == 1 else "wait"
    return f"{live} of {live + waiting} workers are read; {waiting} {waits} for a place"


def refused_cursor(end: End, resumption: Resumption | None) -> str:
    """Say that a server does not know the place any more, and how it is asked instead."""
    status = end.error.status if end.error is not None else None
    how = "from the beginning" if resumption is None else "from the time of the last line"
    refused = f"the server refuses the last event id (HTTP {status})"
    return f"{refused}: asked again {how}; a gap is possible"


def first_line_awaited(subject: str) -> str:
    """Say that nothing has come yet."""
    return f"{subject}: waiting for the first line"


def nothing_to_show(subject: str) -> str:
    """Say that a silence is known to be one."""
    return f"{subject}: there are no lines to show"


def none_has_lines(streams: int, silent: int) -> str:
    """Say the same of some streams out of many."""
    return f"{silent} of {streams} workers have no lines to show"


def cut_by_max_wait(subject: str, seconds: float) -> str:
    """Say that there was more."""
    return f"{subject}: lines were still coming after {seconds:g} s (--max-wait); there are more"


def waiting_for_workers(subject: str) -> str:
    """Say that no stream is left, and yet it is not over."""
    return f"{one_line(subject)}: no worker is left; waiting for new ones"


def without_workers(subject: str) -> Conflict:
    """Give the error of an endpoint that nobody works for."""
    return Conflict(
        f"{one_line(subject)} has no workers",
        hint="a worker starts with the first request, or with a minimum of workers above 0",
    )


def _message(text: str, depth: int = 0) -> str:
    """Unwrap the message of an envelope, ``{"error"}`` or ``{"message"}``, however often."""
    try:
        document = json.loads(text) if text.lstrip()[:1] == "{" else None
    except (ValueError, RecursionError):
        return text
    while isinstance(document, Mapping):
        document = document.get("error") or document.get("message")
    if not isinstance(document, str):
        return text
    return _message(document, depth + 1) if depth < 4 else document
