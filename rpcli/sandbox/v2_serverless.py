"""REST v2 over the state: the workers of a serverless endpoint.

Source: the published OpenAPI document of REST v2; which members may be absent is known of the live
service.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from rpcli.sandbox.answers import Reply, Request, problem
from rpcli.sandbox.endpoint import Worker
from rpcli.sandbox.state import State

_STATUSES = ("RUNNING", "IDLE", "INITIALIZING", "THROTTLED", "UNHEALTHY")


def list_workers(state: State, request: Request) -> Reply:
    """``GET /v2/serverless/{id}/workers``: those that are active, and how many of each status."""
    endpoint = state.find_endpoint(request.parameters["id"])
    if endpoint is None:
        return problem(404, "endpoint not found")
    now = state.clock.now()
    workers = [_worker(worker, now) for worker in endpoint.active(now)]
    statuses = [worker["status"] for worker in workers]
    summary = {status.lower(): statuses.count(status) for status in _STATUSES}
    return Reply(
        200,
        {
            "endpointVersion": endpoint.version,
            "summary": {**summary, "total": len(workers)},
            "workers": workers,
        },
    )


#: Every route by its template, then by method.
ROUTES: dict[str, dict[str, Callable[[State, Request], Reply]]] = {
    "/v2/serverless/{id}/workers": {"GET": list_workers},
}


def _worker(worker: Worker, now: datetime) -> dict[str, Any]:
    started = worker.started_at
    document: dict[str, Any] = {
        "dataCenterId": worker.data_center,
        "gpuCount": worker.gpu_count,
        "gpuTypeId": worker.gpu_id,
        "id": worker.id,
        "image": worker.image,
        "isStale": worker.is_stale,
        "startedAt": None,
        "status": worker.status,
        "uptimeSeconds": None,
        "version": worker.version,
    }
    if started is not None:
        document["startedAt"] = f"{started.isoformat(timespec='milliseconds')[:23]}Z"
        document["uptimeSeconds"] = max(int((now - started).total_seconds()), 0)
    for key, value in worker.overrides.items():
        if value == "$missing":
            document.pop(key, None)
        else:
            document[key] = value
    return document
