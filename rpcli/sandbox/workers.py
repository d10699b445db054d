"""The endpoints of a scenario with their workers: who joins, who leaves, who is replaced.

Rules: the log of a worker begins when it joins, and what a scenario says of it counts from then; a
worker that leaves takes its log with it, and streams of it end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from rpcli.errors import ConfigError
from rpcli.sandbox import lifelines
from rpcli.sandbox.endpoint import Endpoint, Worker
from rpcli.sandbox.logfeed import fill, speak
from rpcli.sandbox.moments import moment, unfolded
from rpcli.sandbox.stamp import nanoseconds

Spec = Mapping[str, Any]


def build_endpoint(spec: Spec, now: datetime) -> Endpoint:
    """Make an endpoint of a scenario.

    :raises ConfigError: a time in it is none, or two workers have one id
    """
    endpoint = Endpoint(spec["id"], spec.get("name", spec["id"]), spec.get("version", 1))
    specs = [*unfolded(spec.get("workers", [])), *_churning(spec.get("churn"))]
    known = set()
    for worker in specs:
        if worker["id"] in known:
            raise ConfigError(f"two workers of {endpoint.id} have the id {worker['id']}")
        known.add(worker["id"])
        endpoint.workers.append(build_worker(worker, now))
    return endpoint


def retire(worker: Worker, when: datetime) -> None:
    """Let a worker leave at a time."""
    worker.leaves_at = when
    worker.log.end(nanoseconds(when))


def _churning(spec: Spec | None) -> Iterator[Spec]:
    """Unfold workers that replace one another, the oldest first; the last ones stay."""
    if spec is None:
        return
    alive, every, total = spec.get("alive", 3), spec.get("every", 1), spec.get("total", 50)
    for n in range(total):
        worker = {
            "id": spec.get("id", "w{n}").replace("{n}", f"{n:04}"),
            "status": spec.get("status", "RUNNING"),
            "logs": spec.get("logs", []),
        }
        if n >= alive:
            worker["joins"] = (n - alive + 1) * every
        if n + alive < total:
            worker["leaves"] = (n + 1) * every
        yield worker


def build_worker(spec: Spec, now: datetime) -> Worker:
    """Make a worker.

    :raises ConfigError: a time is none
    """
    worker = Worker(
        id=spec["id"],
        status=spec.get("status", "IDLE"),
        version=spec.get("version", 1),
        is_stale=spec.get("isStale", False),
        overrides=spec.get("v2", {}),
    )
    begin = now
    if "joins" in spec:
        begin = worker.joins_at = now + timedelta(seconds=spec["joins"])
    started = spec.get("startedAt", "+0s" if "joins" in spec else "-1h")
    worker.started_at = moment(started, begin, f"startedAt of {worker.id}")
    logs = spec.get("logs", [])
    fill(worker.log, logs, nanoseconds(begin), worker.id)
    speak(worker.log, logs, nanoseconds(begin), worker.id)
    for seconds in spec.get("restarts", []):
        when = now + timedelta(seconds=seconds)
        lifelines.restart(worker.log, worker.id, worker.image, when)
    if "leaves" in spec:
        retire(worker, now + timedelta(seconds=spec["leaves"]))
    return worker
