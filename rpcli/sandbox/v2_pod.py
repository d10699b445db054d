"""Pods in the words of REST v2.

Source: ``Pod`` of the published OpenAPI document. ``runtime`` is null unless the pod is RUNNING;
while it is PROVISIONING it is ``{}``, as the example of the create route has it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rpcli.sandbox.pod import ACTIONS, Pod, merged
from rpcli.sandbox.state import State


def render(state: State, pod: Pod) -> dict[str, Any]:
    """Give a pod as REST v2 does."""
    now = state.clock.now()
    document: dict[str, Any] = {
        "id": pod.id,
        "name": pod.name,
        "status": pod.status,
        "actions": list(ACTIONS.get(pod.status, ())),
        "image": pod.image,
        "args": pod.args,
        "disk": pod.disk,
        "mounts": _mounts(pod),
        "ports": list(pod.ports),
        "env": dict(pod.env),
        "registry": pod.registry,
        "cloud": pod.cloud,
        "dataCenterId": pod.data_center,
        "cudaVersion": None if pod.cpu else pod.cuda,
        "ssh": _ssh(pod),
        "template": pod.template,
        "cost": 0.0 if pod.status in ("EXITED", "TERMINATED") else pod.cost,
        "locked": pod.locked,
        "runtime": _runtime(pod, now),
        "createdAt": stamp(pod.created_at or now),
        "startedAt": stamp(pod.started_at) if pod.started_at else None,
        "globalNetworking": _networking(pod),
    }
    if pod.cpu:
        document["cpu"] = dict(pod.cpu)
    elif pod.gpu_id:
        document["gpu"] = {"id": pod.gpu_id, "count": pod.gpu_count}
    if pod.cluster:
        document["cluster"] = {"id": pod.cluster, "rank": None}
    return merged(document, pod, "v2") if "v2" in pod.overrides else document


def stamp(moment: datetime) -> str:
    """Write a moment as RFC 3339 in UTC, to the second."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}Z"


def _runtime(pod: Pod, now: datetime) -> dict[str, Any] | None:
    if not pod.reports:
        return {} if pod.status == "PROVISIONING" else None
    return {
        "uptime": pod.uptime(now),
        "gpus": [{"util": 0, "memoryUtil": 0} for _ in range(pod.gpu_count)],
        "cpu": {"util": 1},
        "memory": {"util": 2},
        "ports": [
            {"private": m.private, "public": m.public, "type": m.type, "ip": m.ip}
            for m in pod.mappings
        ],
    }


def _ssh(pod: Pod) -> dict[str, Any]:
    proxy = direct = None
    if pod.status not in ("PROVISIONING", "TERMINATED"):  # else it has no machine
        proxy = _endpoint("ssh.runpod.io", 22, pod.host_id)
    if pod.reports and "22/tcp" in pod.ports:
        port = pod.ssh_mapping()
        if port is not None:
            direct = _endpoint(port.ip or "", port.public or 0, "root")
    return {"proxy": proxy, "direct": direct}


def _endpoint(host: str, port: int, user: str) -> dict[str, Any]:
    command = f"ssh {user}@{host}" + (f" -p {port}" if port != 22 else "")
    return {"host": host, "port": port, "username": user, "command": command}


def _mounts(pod: Pod) -> dict[str, Any]:
    if pod.network_volume:
        return {"network": [{"volumeId": pod.network_volume, "path": pod.volume_path}]}
    if pod.volume:
        return {"persistent": {"size": pod.volume, "path": pod.volume_path}}
    return {}


def _networking(pod: Pod) -> dict[str, Any]:
    if not pod.global_networking:
        return {"enabled": False}
    return {"enabled": True, "ip": "10.65.1.42", "internalDns": f"{pod.id}.runpod.internal"}
