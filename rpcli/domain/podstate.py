"""What a pod is really doing, derived from the signals that the platform exposes and nothing else.

Rules:

- one function decides, so that two commands that look at the same snapshot cannot disagree;
- for ``RUNNING`` the runtime signal decides, for every other status the status alone does;
- each generation has its own words: one that belongs to the other is not recognized;
- who ended a pod is read from the sentence of the last status change, and never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, NamedTuple

from rpcli.domain.pod import Generation, Maintenance, PodSnapshot, RuntimeSignal

#: A closed set: what a pod can be doing.
RuntimeStatus = Literal["running", "initializing", "stopped", "terminated", "unknown"]
RUNTIME_STATUSES: tuple[RuntimeStatus, ...] = (
    "running",
    "initializing",
    "stopped",
    "terminated",
    "unknown",
)


class PodState(NamedTuple):
    """The derived status, and a token (an open set) that says why, where there is one."""

    status: RuntimeStatus
    reason: str | None = None


_RUNNING = PodState("running")
_STOPPED = PodState("stopped")
_TERMINATED = PodState("terminated")
_AWAITING_CONTAINER = PodState("initializing", "awaiting_container")
_HOST_MAINTENANCE = PodState("initializing", "host_maintenance")
_UNAVAILABLE = PodState("unknown", "runtime_unavailable")
_UNRECOGNIZED = PodState("unknown", "unrecognized_status")

#: RUNNING is what the user asked for; the signal says what came of it.
_BY_SIGNAL: Mapping[RuntimeSignal, PodState] = {
    RuntimeSignal.PRESENT: _RUNNING,
    RuntimeSignal.ABSENT: _AWAITING_CONTAINER,
    RuntimeSignal.NOT_ASKED: _UNAVAILABLE,
    RuntimeSignal.UNAVAILABLE: _UNAVAILABLE,
    RuntimeSignal.FORBIDDEN: PodState("unknown", "runtime_forbidden"),
    RuntimeSignal.NOT_IN_SNAPSHOT: PodState("unknown", "not_in_snapshot"),
}

#: Statuses that need nothing beside them.
_ALONE: Mapping[Generation, Mapping[str, PodState]] = {
    "v2": {
        "PROVISIONING": PodState("initializing", "provisioning"),
        "STARTING": PodState("initializing", "starting"),
        "ERROR": PodState("stopped", "container_error"),
    },
    "classic": {
        "CREATED": _AWAITING_CONTAINER,
        "RESTARTING": PodState("initializing", "restarting"),
        "DEAD": PodState("stopped", "dead"),
    },
}

# The sentences begin so whatever their letter case; the platform writes both Runpod and RunPod.
_EXITED_BY: Mapping[str, PodState] = {
    "exited by user": PodState("stopped", "stopped_by_user"),
    "exited by runpod": PodState("stopped", "stopped_by_runpod"),
    "outbid": PodState("stopped", "stopped_outbid"),
}
_TERMINATED_BY: Mapping[str, PodState] = {
    "terminated by user": PodState("terminated", "terminated_by_user"),
    "terminated by runpod": PodState("terminated", "terminated_by_runpod"),
}

#: A status that the last change explains: its sentences, and what holds without one.
_Attributed = tuple[Mapping[str, PodState], PodState]
_ENDED: Mapping[str, _Attributed] = {
    # A termination is written as EXITED with `Terminated by ...`; the pod then leaves the lists.
    "EXITED": ({**_EXITED_BY, **_TERMINATED_BY}, _STOPPED),
    "TERMINATED": (
        {**_TERMINATED_BY, "outbid": PodState("terminated", "terminated_outbid")},
        _TERMINATED,
    ),
}
_ATTRIBUTED: Mapping[Generation, Mapping[str, _Attributed]] = {
    "v2": _ENDED,
    "classic": {**_ENDED, "PAUSED": (_EXITED_BY, _STOPPED)},
}


def derive_state(
    generation: Generation,
    state_status: str,
    signal: RuntimeSignal,
    last_status_change: object,
    *,
    maintenance: Maintenance | None = None,
    now: datetime | None = None,
) -> PodState:
    """Derive what a pod is doing.

    :param state_status: the status in the generation's own terms
    :param last_status_change: a sentence, or anything else that the API may have sent
    :param maintenance: what is announced for the machine
    :param now: the moment that a maintenance window is held against, aware; without it none counts
    """
    if state_status == "RUNNING":
        state = _BY_SIGNAL[signal]
    elif state_status in _ALONE[generation]:
        state = _ALONE[generation][state_status]
    elif state_status in _ATTRIBUTED[generation]:
        state = _attribute(*_ATTRIBUTED[generation][state_status], last_status_change)
    else:
        state = _UNRECOGNIZED
    if state.status == "initializing" and _is_inside(maintenance, now):
        return _HOST_MAINTENANCE
    return state


def state_of(snapshot: PodSnapshot, now: datetime | None) -> PodState:
    """Derive the state of a snapshot; ``now`` is aware."""
    return derive_state(
        snapshot.generation,
        snapshot.state_status,
        snapshot.signal,
        snapshot.last_status_change,
        maintenance=snapshot.maintenance,
        now=now,
    )


def _attribute(sentences: Mapping[str, PodState], otherwise: PodState, change: object) -> PodState:
    if not isinstance(change, str):
        return otherwise
    text = change.lstrip().lower()
    for beginning, state in sentences.items():
        if text.startswith(beginning) and _is_word_end(text, len(beginning)):
            return state
    return otherwise


def _is_word_end(text: str, at: int) -> bool:
    """Tell whether a word ends at ``at``: any tail is fine, and `Outbidden` is another word."""
    return not text[at : at + 1].isalnum()


def _is_inside(maintenance: Maintenance | None, now: datetime | None) -> bool:
    """Tell whether ``now`` is in the window: from its start on, up to its end where one is known.

    An end without a start says nothing about whether the work has begun.
    """
    if maintenance is None or now is None or maintenance.start is None:
        return False
    if maintenance.end is None:
        return maintenance.start <= now
    return maintenance.start <= now < maintenance.end
