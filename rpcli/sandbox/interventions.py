"""What tests do to an account beside the APIs: a line now, a worker that joins or leaves.

Rules: what is given is held to the schema of scenarios first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rpcli.errors import ConfigError
from rpcli.sandbox.endpoint import Endpoint
from rpcli.sandbox.logfeed import voice_of, when
from rpcli.sandbox.logstore import Log
from rpcli.sandbox.scenario import log_errors, worker_errors
from rpcli.sandbox.stamp import nanoseconds
from rpcli.sandbox.state import State
from rpcli.sandbox.workers import build_worker, retire


def add_line(state: State, owner: str, spec: Mapping[str, Any]) -> None:
    """Add a line to the log of a pod or of an active worker.

    :param spec: as a scenario has it; its ``ts`` may be None: now
    :raises ConfigError: there is no such log, or it is no such line
    """
    add_lines(state, owner, [spec])


def add_lines(state: State, owner: str, specs: Sequence[Mapping[str, Any]]) -> None:
    """Add lines to the log of a pod or of an active worker, all or none of them.

    :raises ConfigError: there is no such log, or one is no such line
    """
    given = [{key: value for key, value in spec.items() if value is not None} for spec in specs]
    _hold(log_errors(given))
    with state.lock:
        log = _find_log(state, owner)
        now = nanoseconds(state.clock.now())
        made = []
        for spec in given:
            text = spec.get("ts")
            time, stamp = (None, None) if text is None else when(text, now, "ts")
            made.append((voice_of(spec, owner, stamp=stamp), time))
        for voice, time in made:
            log.add(voice, now, time)


def add_worker(state: State, endpoint: str, spec: Mapping[str, Any]) -> None:
    """Let a worker join an endpoint.

    :raises ConfigError: there is no such endpoint, or it is no such worker
    """
    _hold(worker_errors(spec))
    with state.lock:
        found = _find_endpoint(state, endpoint)
        now = state.clock.now()
        if found.find(spec["id"], now) is not None:
            raise ConfigError(f"the endpoint {endpoint} has such a worker")
        found.workers.append(build_worker({"joins": 0, **spec}, now))


def remove_worker(state: State, endpoint: str, worker: str) -> None:
    """Let a worker leave an endpoint.

    :raises ConfigError: there is no such worker
    """
    with state.lock:
        now = state.clock.now()
        found = _find_endpoint(state, endpoint).find(worker, now)
        if found is None:
            raise ConfigError(f"the endpoint {endpoint} has no such worker")
        retire(found, now)


def _find_endpoint(state: State, endpoint: str) -> Endpoint:
    found = state.find_endpoint(endpoint)
    if found is None:
        raise ConfigError(f"there is no endpoint {endpoint}")
    return found


def _find_log(state: State, owner: str) -> Log:
    pod = state.find_pod(owner)
    if pod is not None:
        return pod.log
    now = state.clock.now()
    for endpoint in state.endpoints:
        worker = endpoint.find(owner, now)
        if worker is not None:
            return worker.log
    raise ConfigError(f"there is no pod and no active worker {owner}")


def _hold(wrong: Sequence[str]) -> None:
    if wrong:
        raise ConfigError(f"it does not fit the schema of scenarios: {wrong[0]}")
