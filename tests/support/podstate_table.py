"""What every combination of signals has to give, row by row, and a check of a function against it.

The rows are the specification's own table. They are written out here, and share nothing with the
code under test: each input carries a label of its own, and each row names labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

from rpcli.domain.pod import Maintenance, RuntimeSignal

#: generation, status, signal, last change -> status, reason; `*` is any, `-` is none, `a|b` either.
#: `...` after a reason: inside a maintenance window it is host_maintenance instead.
TABLE = """
v2       PROVISIONING  *                *                  initializing  provisioning...
v2       STARTING      *                *                  initializing  starting...
v2       ERROR         *                *                  stopped       container_error
classic  CREATED       *                *                  initializing  awaiting_container...
classic  RESTARTING    *                *                  initializing  restarting...
classic  DEAD          *                *                  stopped       dead

v2|classic  RUNNING    present          *                  running       -
v2|classic  RUNNING    absent           *                  initializing  awaiting_container...
v2|classic  RUNNING    not_asked        *                  unknown       runtime_unavailable
v2|classic  RUNNING    unavailable      *                  unknown       runtime_unavailable
v2|classic  RUNNING    forbidden        *                  unknown       runtime_forbidden
v2|classic  RUNNING    not_in_snapshot  *                  unknown       not_in_snapshot

v2|classic  EXITED     *                exited-user        stopped       stopped_by_user
v2|classic  EXITED     *                exited-runpod      stopped       stopped_by_runpod
v2|classic  EXITED     *                outbid             stopped       stopped_outbid
v2|classic  EXITED     *                terminated-user    terminated    terminated_by_user
v2|classic  EXITED     *                terminated-runpod  terminated    terminated_by_runpod
v2|classic  EXITED     *                other              stopped       -

classic  PAUSED        *                exited-user        stopped       stopped_by_user
classic  PAUSED        *                exited-runpod      stopped       stopped_by_runpod
classic  PAUSED        *                outbid             stopped       stopped_outbid
classic  PAUSED        *  terminated-user|terminated-runpod|other  stopped  -

v2|classic  TERMINATED  *               terminated-user    terminated    terminated_by_user
v2|classic  TERMINATED  *               terminated-runpod  terminated    terminated_by_runpod
v2|classic  TERMINATED  *               outbid             terminated    terminated_outbid
v2|classic  TERMINATED  *  exited-user|exited-runpod|other  terminated   -

v2       CREATED|RESTARTING|PAUSED|DEAD      *  *          unknown       unrecognized_status
classic  PROVISIONING|STARTING|ERROR         *  *          unknown       unrecognized_status
v2|classic  Running|exited|STOPPED|_         *  *          unknown       unrecognized_status
"""

GENERATIONS = ("v2", "classic")
#: `_` stands for a status that is not there at all.
STATUSES = (
    *("PROVISIONING", "STARTING", "RUNNING", "EXITED", "ERROR", "TERMINATED"),
    *("CREATED", "RESTARTING", "PAUSED", "DEAD"),
    *("Running", "exited", "STOPPED", "_"),
)
SIGNALS = {signal.value: signal for signal in RuntimeSignal}

_JS = "Wed Jul 29 2026 21:56:48 GMT+0000 (Coordinated Universal Time)"
CHANGES: tuple[tuple[str, object], ...] = (
    ("exited-user", f"Exited by User: {_JS}"),
    ("exited-user", f"Exited by user: {_JS}"),
    ("exited-user", "EXITED BY USER"),
    ("exited-user", "  exited by user:"),
    ("exited-runpod", "Exited by RunPod: 2026-04-06 19:44:38 UTC"),
    ("exited-runpod", "Exited by Runpod: Insufficient balance"),
    ("exited-runpod", "exited by runpod"),
    ("terminated-user", f"Terminated by User: {_JS}"),
    ("terminated-user", "terminated by user"),
    ("terminated-runpod", f"Terminated by RunPod: {_JS}"),
    ("terminated-runpod", "TERMINATED BY RUNPOD:"),
    ("outbid", f"Outbid: {_JS}"),
    ("outbid", "OUTBID"),
    ("outbid", "outbid by somebody else"),
    ("other", f"Rented by User: {_JS}"),
    ("other", f"Bid by user: {_JS}"),
    ("other", "Exited by users' vote"),
    ("other", "Exited by runpods"),
    ("other", "Exited by"),
    ("other", "Terminated by a user"),
    ("other", "Outbidding"),
    ("other", "Rented, then outbid"),
    ("other", f"Before that: Exited by User: {_JS}"),
    ("other", "2026-07-29T21:56:48Z"),
    ("other", ""),
    ("other", None),
    ("other", 1785362208000),
    ("other", True),
    ("other", ["Exited by User"]),
)

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
_HOUR = timedelta(hours=1)
_TICK = timedelta(microseconds=1)
_BEFORE, _AFTER = NOW - _HOUR, NOW + _HOUR
#: Whether the moment is inside the window, the window, the moment.
WINDOWS: tuple[tuple[bool, Maintenance | None, datetime | None], ...] = (
    (False, None, NOW),
    (False, None, None),
    (False, Maintenance(), NOW),
    (False, Maintenance(note="soon"), NOW),
    (True, Maintenance(start=_BEFORE), NOW),
    (True, Maintenance(start=NOW), NOW),
    (False, Maintenance(start=NOW + _TICK), NOW),
    (False, Maintenance(end=_AFTER), NOW),
    (False, Maintenance(end=_BEFORE), NOW),
    (True, Maintenance(start=_BEFORE, end=_AFTER), NOW),
    (True, Maintenance(start=NOW, end=NOW + _TICK), NOW),
    (False, Maintenance(start=_BEFORE, end=NOW), NOW),
    (False, Maintenance(start=_BEFORE, end=NOW - _TICK), NOW),
    (False, Maintenance(start=_AFTER, end=_AFTER + _HOUR), NOW),
    (False, Maintenance(start=_BEFORE, end=_AFTER), None),
)


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    fits: tuple[frozenset[str] | None, ...]
    status: str
    reason: str | None
    in_maintenance: str | None

    def matches(self, *labels: str) -> bool:
        """Tell whether a combination of labels belongs to this row."""
        return all(
            fit is None or label in fit for fit, label in zip(self.fits, labels, strict=True)
        )


def _parse(line: str) -> Row:
    *cells, status, reason = line.split()
    fits = tuple(None if cell == "*" else frozenset(cell.split("|")) for cell in cells)
    plain = None if reason == "-" else reason.removesuffix("...")
    return Row(fits, status, plain, "host_maintenance" if reason.endswith("...") else plain)


ROWS = tuple(_parse(line) for line in TABLE.splitlines() if line.strip())


def row_of(generation: str, status: str, signal: str, change: str) -> Row:
    """Give the one row that a combination belongs to; none, or two, is a fault of the table."""
    fitting = [row for row in ROWS if row.matches(generation, status, signal, change)]
    assert len(fitting) == 1, (generation, status, signal, change, fitting)
    return fitting[0]


def violations(derive: Callable[..., Any]) -> Iterator[str]:
    """Try the full cross product of the inputs, and tell each that does not give what it has to."""
    labels = tuple(dict.fromkeys(label for label, _ in CHANGES))
    for generation, status, (signal, member) in product(GENERATIONS, STATUSES, SIGNALS.items()):
        rows = {label: row_of(generation, status, signal, label) for label in labels}
        word = "" if status == "_" else status
        for (label, change), (inside, window, now) in product(CHANGES, WINDOWS):
            row = rows[label]
            state = derive(generation, word, member, change, maintenance=window, now=now)
            wanted = (row.status, row.in_maintenance if inside else row.reason)
            if (state.status, state.reason) != wanted:
                given = (generation, status, signal, change, window, now)
                yield f"{given}: {(state.status, state.reason)}, and not {wanted}"
