"""REST v1 over the state: pods. Endpoints come with their commands.

Source: the published OpenAPI document of REST v1; that ``runtime`` is never there, and that answers
carry both ``image`` and ``imageName``, is known of the live service.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from rpcli.sandbox.answers import Reply, Request
from rpcli.sandbox.state import Pod, State, merged

Route = Callable[[State, Request], Reply]

_FILTERS = {
    "id": lambda pod: pod["id"],
    "name": lambda pod: pod["name"],
    "desiredStatus": lambda pod: pod["desiredStatus"],
    "imageName": lambda pod: pod["image"],
    "templateId": lambda pod: pod.get("templateId"),
    "networkVolumeId": lambda pod: (pod.get("networkVolume") or {}).get("id"),
}


def list_pods(state: State, request: Request) -> Reply:
    """``GET /v1/pods``: a bare array, not paged."""
    pods = [render(state, pod, request.query) for pod in state.list_pods()]
    for name, read in _FILTERS.items():
        if name in request.query:
            pods = [pod for pod in pods if read(pod) == request.query[name]]
    kind = request.query.get("computeType")
    if kind:
        pods = [pod for pod in pods if ("gpu" in pod) == (kind == "GPU")]
    return Reply(200, [*state.quirks.get("v1ListElements", []), *pods])


def get_pod(state: State, request: Request) -> Reply:
    """``GET /v1/pods/{podId}``."""
    pod = _find(state, request)
    if pod is None:
        return error(state, 404, "pod not found")
    return Reply(200, render(state, pod, request.query))


def create_pod(state: State, request: Request) -> Reply:
    """``POST /v1/pods``, with the defaults of the document."""
    body = request.body if isinstance(request.body, dict) else {}
    gpus = body.get("gpuTypeIds") or ["NVIDIA GeForce RTX 4090"]
    is_cpu = body.get("computeType") == "CPU"
    count = body.get("vcpuCount", 2)
    flavor = (body.get("cpuFlavorIds") or ["cpu3c"])[0]
    pod = state.create(
        body.get("name", "my pod"),
        image=body.get("imageName", ""),
        disk=body.get("containerDiskInGb", 50),
        volume=0 if is_cpu else body.get("volumeInGb", 20),
        volume_path=body.get("volumeMountPath", "/workspace"),
        ports=list(body.get("ports", ["8888/http", "22/tcp"])),
        env=dict(body.get("env", {})),
        cloud=body.get("cloudType", "SECURE"),
        gpu_id=None if is_cpu else gpus[0],
        gpu_count=0 if is_cpu else body.get("gpuCount", 1),
        cpu={"id": flavor, "vcpuCount": count, "memory": 2 * count} if is_cpu else None,
    )
    return Reply(201, render(state, pod, {}))


def update_pod(state: State, request: Request) -> Reply:
    """``PATCH /v1/pods/{podId}``, or ``POST …/update``: ``ports`` and ``env`` replace."""
    pod = _find(state, request)
    if pod is None:
        return error(state, 404, "pod not found")
    if not isinstance(request.body, dict):
        return error(state, 400, "the body is not an object")
    members = {
        "name": "name",
        "imageName": "image",
        "env": "env",
        "containerDiskInGb": "disk",
        "volumeInGb": "volume",
        "volumeMountPath": "volume_path",
        "locked": "locked",
    }
    for key, attribute in members.items():
        if key in request.body:
            setattr(pod, attribute, request.body[key])
    if "ports" in request.body:
        pod.ports = list(request.body["ports"])
        if pod.reports:
            pod.mappings = state.map_ports(pod.ports)
    return Reply(200, render(state, pod, {}))


def delete_pod(state: State, request: Request) -> Reply:
    """``DELETE /v1/pods/{podId}``."""
    pod = _find(state, request)
    if pod is None:
        return error(state, 404, "pod not found")
    state.act(pod, "terminate")
    return Reply(204, None)


def _action(action: str) -> Route:
    def act(state: State, request: Request) -> Reply:
        pod = _find(state, request)
        if pod is None:
            return error(state, 404, "pod not found")
        if not state.act(pod, action):
            return error(state, 400, f"the pod cannot {action} now")
        return Reply(200, render(state, pod, {}))

    return act


ROUTES: dict[str, dict[str, Route]] = {
    "/v1/pods": {"GET": list_pods, "POST": create_pod},
    "/v1/pods/{podId}": {"GET": get_pod, "PATCH": update_pod, "DELETE": delete_pod},
    "/v1/pods/{podId}/update": {"POST": update_pod},
    "/v1/pods/{podId}/start": {"POST": _action("start")},
    "/v1/pods/{podId}/stop": {"POST": _action("stop")},
    "/v1/pods/{podId}/reset": {"POST": _action("restart")},
    "/v1/pods/{podId}/restart": {"POST": _action("restart")},
}


def error(state: State, status: int, message: str) -> Reply:
    """Make an error: as the live service writes it, or, by a quirk, as the document does."""
    if status == 401 and state.quirks.get("v1SilentUnauthorized"):
        return Reply(401, None)
    if state.quirks.get("v1Errors") == "documented":
        return Reply(status, {"message": message})
    return Reply(status, {"error": message, "status": status})


def render(state: State, pod: Pod, query: dict[str, str]) -> dict[str, Any]:
    """Give a pod as REST v1 does."""
    document: dict[str, Any] = {
        "id": pod.id,
        "name": pod.name,
        "desiredStatus": desired(pod),
        "image": pod.image,
        "imageName": pod.image,
        "env": dict(pod.env),
        "ports": list(pod.ports),
        "portMappings": _mappings(pod),
        "publicIp": _public_ip(pod),
        "costPerHr": pod.cost,
        "adjustedCostPerHr": pod.cost,
        "containerDiskInGb": pod.disk,
        "volumeInGb": pod.volume,
        "volumeMountPath": pod.volume_path,
        "machineId": (pod.machine or {}).get("id", "s194cr8pls2z"),
        "vcpuCount": pod.cpu["vcpuCount"] if pod.cpu else pod.vcpu,
        "memoryInGb": pod.cpu["memory"] if pod.cpu else pod.memory,
        "interruptible": False,
        "locked": pod.locked,
        "volumeEncrypted": False,
    }
    if pod.last_change is not None:
        document["lastStatusChange"] = pod.last_change
    if pod.started_at is not None:
        document["lastStartedAt"] = _time(state, pod.started_at)
    if pod.template:
        document["templateId"] = pod.template
    if pod.registry:
        document["containerRegistryAuthId"] = pod.registry
    if pod.gpu_id:
        document["gpu"] = {"id": pod.gpu_id, "count": pod.gpu_count, "displayName": pod.gpu_id}
    if query.get("includeMachine") == "true":
        document["machine"] = _machine(pod)
    if query.get("includeNetworkVolume") == "true" and pod.network_volume:
        document["networkVolume"] = _volume(state, pod.network_volume)
    return merged(document, pod, "rest")


def desired(pod: Pod) -> str:
    """Give what the old API calls the desired status; a termination is written as EXITED."""
    return "RUNNING" if pod.running else "EXITED"


def _find(state: State, request: Request) -> Pod | None:
    pod = state.find_pod(request.parameters["podId"])
    return None if pod is None or pod.status == "TERMINATED" else pod


def _mappings(pod: Pod) -> dict[str, int] | None:
    if not pod.reports:
        return None
    return {str(m.private): m.public for m in pod.mappings if m.type == "tcp" and m.public}


def _public_ip(pod: Pod) -> str:
    public = [m.ip for m in pod.mappings if m.is_public and m.ip]
    return public[0] if public and pod.reports else ""


def _machine(pod: Pod) -> dict[str, Any]:
    members = dict(pod.machine or {})
    members.pop("podHostId", None)
    members.pop("id", None)
    return {
        "dataCenterId": pod.data_center,
        "gpuTypeId": pod.gpu_id or "",
        "secureCloud": pod.cloud == "SECURE",
        **members,
    }


def _volume(state: State, volume_id: str) -> dict[str, Any]:
    for volume in state.network_volumes:
        if volume["id"] == volume_id:
            return {key: volume[key] for key in ("id", "name", "size", "dataCenterId")}
    return {"id": volume_id}


def _time(state: State, moment: datetime) -> str:
    if state.quirks.get("v1Timestamps") == "go":
        return moment.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] + " +0000 UTC"
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
