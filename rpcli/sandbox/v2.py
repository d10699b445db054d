"""REST v2 over the state: pods, the account's ssh keys, network volumes.

Logs, serverless endpoints and the catalogue have their place in :data:`ROUTES`.
Source: the published OpenAPI document of REST v2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from rpcli.sandbox.answers import Reply, Request, problem
from rpcli.sandbox.state import ACTIONS, Pod, State, merged

_KEY = re.compile(r"(ssh|ecdsa|sk)-\S+ \S+([ \t][^\n\r]*)?\Z")
_CREATE = {
    "name", "image", "args", "disk", "env", "ports", "registry", "cloud", "cpu", "dataCenterIds",
    "globalNetworking", "gpu", "mounts", "startJupyter", "startSsh", "templateId",
}  # fmt: skip
_UPDATE = {
    "name", "image", "args", "disk", "env", "ports", "registry", "globalNetworking", "locked",
    "mounts", "templateId",
}  # fmt: skip
LARGEST_PAGE = 1000

Route = Callable[[State, Request], Reply]


def list_pods(state: State, request: Request) -> Reply:
    """``GET /v2/pods``."""
    clusters = request.query.get("includeClusterPods") == "true"
    pods = [render(state, p) for p in state.list_pods() if clusters or p.cluster is None]
    extra = state.quirks.get("v2ListElements", [])
    pods = [*extra, *pods]
    if state.quirks.get("v2Paging", True) is False:
        return Reply(200, {"pods": pods})
    limit = request.query.get("limit", "100")
    if not limit.isdigit() or not 1 <= int(limit) <= LARGEST_PAGE:
        return problem(422, "Request validation failed.", [f"limit: 1 to {LARGEST_PAGE}"])
    start = int(request.query.get("cursor", "c0").removeprefix("c") or 0)
    page = pods[start : start + int(limit)]
    end = start + len(page)
    more = end < len(pods)
    pagination = {"hasNextPage": more, "nextCursor": f"c{end}" if more else None}
    return Reply(200, {"pods": page, "pagination": pagination})


def get_pod(state: State, request: Request) -> Reply:
    """``GET /v2/pods/{id}``."""
    pod = state.find_pod(request.parameters["id"])
    return problem(404, "pod not found") if pod is None else Reply(200, render(state, pod))


def create_pod(state: State, request: Request) -> Reply:
    """``POST /v2/pods``."""
    body = request.body
    faults = _wrong(body, _CREATE)
    if not faults:
        if not body.get("name"):
            faults.append("$: missing property 'name'")
        if not body.get("image") and not body.get("templateId"):
            faults.append("$: missing property 'image'")
        if ("gpu" in body) == ("cpu" in body):
            faults.append("$: exactly one of 'gpu' and 'cpu'")
    if faults:
        return problem(422, "Request validation failed.", faults)
    gpu = body.get("gpu") or {}
    mounts = body.get("mounts") or {}
    persistent = mounts.get("persistent") or {}
    network = (mounts.get("network") or [{}])[0]
    env = dict(body.get("env") or {})
    if body.get("startSsh") and state.keys:
        env.setdefault("PUBLIC_KEY", "\n".join(state.keys))
    pod = state.create(
        body["name"],
        image=body.get("image") or "runpod/pytorch:2.8.0",
        args=body.get("args", ""),
        disk=body.get("disk", 50),
        ports=list(body.get("ports") or []),
        env=env,
        registry=body.get("registry"),
        cloud=body.get("cloud", "SECURE"),
        gpu_id=gpu.get("id"),
        gpu_count=gpu.get("count", 1) if gpu else 0,
        cpu=_cpu(body.get("cpu")),
        volume=persistent.get("size", 0),
        volume_path=persistent.get("path") or network.get("path") or "/workspace",
        network_volume=network.get("volumeId"),
        data_center=(body.get("dataCenterIds") or ["US-KS-2"])[0],
    )
    return Reply(201, render(state, pod))


def update_pod(state: State, request: Request) -> Reply:
    """``PATCH /v2/pods/{id}``: only the members given; ``ports`` and ``env`` replace."""
    pod = state.find_pod(request.parameters["id"])
    if pod is None:
        return problem(404, "pod not found")
    faults = _wrong(request.body, _UPDATE)
    if faults:
        return problem(422, "Request validation failed.", faults)
    body = request.body
    for member in ("name", "image", "args", "disk", "env", "registry", "locked"):
        if member in body:
            setattr(pod, member, body[member])
    if "ports" in body:
        pod.ports = list(body["ports"])
        if pod.reports:
            pod.mappings = state.map_ports(pod.ports)
    return Reply(200, render(state, pod))


def delete_pod(state: State, request: Request) -> Reply:
    """``DELETE /v2/pods/{id}``."""
    pod = state.find_pod(request.parameters["id"])
    if pod is None or pod.status == "TERMINATED":
        return problem(404, "pod not found")
    state.act(pod, "terminate")
    return Reply(204, None)


def act_on_pod(state: State, request: Request) -> Reply:
    """``POST /v2/pods/{id}/action``."""
    pod = state.find_pod(request.parameters["id"])
    if pod is None:
        return problem(404, "pod not found")
    action = request.body.get("action") if isinstance(request.body, dict) else None
    if action not in ("start", "stop", "restart", "terminate") or set(request.body) != {"action"}:
        return problem(422, "Request validation failed.", ["action: not one of the actions"])
    if not state.act(pod, action):
        return problem(409, f"a pod that is {pod.status} cannot {action}")
    return Reply(204, None) if action == "terminate" else Reply(200, render(state, pod))


def get_keys(state: State, request: Request) -> Reply:  # noqa: ARG001 - a route's signature
    """``GET /v2/account/ssh-keys``."""
    return Reply(200, {"keys": list(state.keys)})


def put_keys(state: State, request: Request) -> Reply:
    """``PUT /v2/account/ssh-keys``: replaces the whole set."""
    body = request.body
    if not isinstance(body, dict) or set(body) != {"keys"} or not isinstance(body["keys"], list):
        return problem(422, "Request validation failed.", ["$: missing property 'keys'"])
    wrong = [n for n, k in enumerate(body["keys"]) if not isinstance(k, str) or not _KEY.match(k)]
    if wrong:
        return problem(422, "Request validation failed.", [f"keys[{n}]: pattern" for n in wrong])
    state.keys[:] = body["keys"]
    return Reply(200, {"keys": list(state.keys)})


def list_volumes(state: State, request: Request) -> Reply:  # noqa: ARG001 - a route's signature
    """``GET /v2/network-volumes``."""
    return Reply(200, {"networkVolumes": [_volume(v) for v in state.network_volumes]})


def get_volume(state: State, request: Request) -> Reply:
    """``GET /v2/network-volumes/{id}``."""
    for volume in state.network_volumes:
        if volume["id"] == request.parameters["id"]:
            return Reply(200, _volume(volume))
    return problem(404, "network volume not found")


#: Every route by its template, then by method.
ROUTES: dict[str, dict[str, Route]] = {
    "/v2/pods": {"GET": list_pods, "POST": create_pod},
    "/v2/pods/{id}": {"GET": get_pod, "PATCH": update_pod, "DELETE": delete_pod},
    "/v2/pods/{id}/action": {"POST": act_on_pod},
    "/v2/account/ssh-keys": {"GET": get_keys, "PUT": put_keys},
    "/v2/network-volumes": {"GET": list_volumes},
    "/v2/network-volumes/{id}": {"GET": get_volume},
}


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
        "cost": pod.cost if pod.running else 0.0,
        "locked": pod.locked,
        "runtime": _runtime(pod, now),
        "createdAt": stamp(pod.created_at or now),
        "startedAt": stamp(pod.started_at) if pod.started_at else None,
        "globalNetworking": {"enabled": False},
    }
    if pod.cpu:
        document["cpu"] = dict(pod.cpu)
    elif pod.gpu_id:
        document["gpu"] = {"id": pod.gpu_id, "count": pod.gpu_count}
    return merged(document, pod, "v2")


def stamp(moment: datetime) -> str:
    """Write a moment as RFC 3339 in UTC."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


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
    if pod.status not in ("PROVISIONING", "TERMINATED"):
        proxy = _endpoint("ssh.runpod.io", 22, pod.host_id)
    port = pod.ssh_mapping()
    if pod.reports and "22/tcp" in pod.ports and port is not None:
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


def _cpu(asked: dict[str, Any] | None) -> dict[str, Any] | None:
    if not asked:
        return None
    count = asked.get("vcpuCount", 2)
    return {"id": asked.get("id", "cpu3c"), "vcpuCount": count, "memory": 2 * count}


def _volume(volume: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": volume["id"],
        "name": volume["name"],
        "size": volume["size"],
        "dataCenter": volume["dataCenterId"],
        "type": volume.get("type", "STANDARD"),
    }


def _wrong(body: object, known: set[str]) -> list[str]:
    if not isinstance(body, dict):
        return ["$: not an object"]
    return [f"$: additional properties '{k}' not allowed" for k in body if k not in known]
