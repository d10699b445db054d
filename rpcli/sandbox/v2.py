"""REST v2 over the state: pods, the account's ssh keys, network volumes, and what others bring.

Routes of logs and of serverless endpoints have modules of their own; the catalogue has its place in
:data:`ROUTES`.
Source: the published OpenAPI document of REST v2; that lists come in pages is known of the live
service alone.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from rpcli.sandbox import logs, v2_serverless
from rpcli.sandbox.answers import Reply, Request, problem
from rpcli.sandbox.state import Pod, State
from rpcli.sandbox.v2_input import (
    ACTION,
    CREATE_POD,
    KEYS,
    UPDATE_POD,
    invalid,
    wrong_create,
    wrong_mounts_change,
)
from rpcli.sandbox.v2_pod import render

LARGEST_PAGE = 1000
#: Pods on a page where a request names no limit; the real figure is not public.
PAGE = 100
#: GB of memory for each vCPU, by the last letter of a CPU flavour: compute, general, memory.
_MEMORY: Mapping[str, int] = {"c": 2, "g": 4, "m": 8}
_IMAGE = "runpod/pytorch:2.8.0"

Route = Callable[[State, Request], Reply]


def list_pods(state: State, request: Request) -> Reply:
    """``GET /v2/pods``: a page of them."""
    clusters = request.query.get("includeClusterPods") == "true"
    pods = [
        pod for pod in state.list_pods() if (clusters or pod.cluster is None) and pod.shown_on("v2")
    ]
    extra = state.quirks.get("v2ListElements", [])
    if not state.quirks.get("v2Paging", True):
        return Reply(200, {"pods": [*extra, *(render(state, pod) for pod in pods)]})
    limit = request.query.get("limit", str(state.quirks.get("v2PageSize", PAGE)))
    if not (limit.isascii() and limit.isdigit()) or not 1 <= int(limit) <= LARGEST_PAGE:
        return problem(422, "Request validation failed.", [f"limit: 1 to {LARGEST_PAGE}"])
    start = 0
    if "cursor" in request.query:
        last = _read_cursor(request.query["cursor"])
        known = list(state.pods)
        if last not in state.pods:
            return problem(422, "Request validation failed.", ["cursor: not one of this list"])
        later = set(known[known.index(last) + 1 :])
        start = next((n for n, pod in enumerate(pods) if pod.id in later), len(pods))
        extra = []
    page = pods[start : start + int(limit)]
    more = start + len(page) < len(pods)
    pagination = {"hasNextPage": more, "nextCursor": _cursor(page[-1]) if more else None}
    shown = [*extra, *(render(state, pod) for pod in page)]
    return Reply(200, {"pods": shown, "pagination": pagination})


def _cursor(pod: Pod) -> str:
    """Make a cursor of the last pod shown, so that pods that end meanwhile shift no page."""
    return base64.urlsafe_b64encode(f"after:{pod.id}".encode()).decode()


def _read_cursor(text: str) -> str:
    try:
        return base64.urlsafe_b64decode(text).decode().removeprefix("after:")
    except (binascii.Error, ValueError):
        return ""


def get_pod(state: State, request: Request) -> Reply:
    """``GET /v2/pods/{id}``."""
    pod = _find(state, request)
    return problem(404, "pod not found") if pod is None else Reply(200, render(state, pod))


def create_pod(state: State, request: Request) -> Reply:
    """``POST /v2/pods``: answers while the pod is still PROVISIONING."""
    refused = invalid(CREATE_POD, request.body)
    if refused is not None:
        return refused
    settings = _with_template(state, request.body)
    if settings is None:
        return problem(404, "template not found")
    wrong = wrong_create(request.body, state.network_volumes)
    if wrong is not None:
        return problem(400, wrong)
    return Reply(201, render(state, state.create(**_create_members(state, settings))))


def update_pod(state: State, request: Request) -> Reply:
    """``PATCH /v2/pods/{id}``: only the members given; ``ports`` and ``env`` replace."""
    pod = _find(state, request)
    if pod is None or pod.status == "TERMINATED":
        return problem(404, "pod not found")
    refused = invalid(UPDATE_POD, request.body) or _in_cluster(pod)
    if refused is not None:
        return refused
    settings = _with_template(state, request.body)
    if settings is None:
        return problem(404, "template not found")
    mounts = request.body.get("mounts", {})
    wrong = wrong_mounts_change(mounts, pod.volume, pod.network_volume)
    if wrong is not None:
        return problem(400, wrong)
    _change(state, pod, {**settings, "mounts": mounts})
    return Reply(200, render(state, pod))


def delete_pod(state: State, request: Request) -> Reply:
    """``DELETE /v2/pods/{id}``."""
    pod = _find(state, request)
    if pod is None or pod.status == "TERMINATED":
        return problem(404, "pod not found")
    refused = _in_cluster(pod)
    if refused is None:
        state.act(pod, "terminate")
    return refused or Reply(204, None)


def act_on_pod(state: State, request: Request) -> Reply:
    """``POST /v2/pods/{id}/action``."""
    pod = _find(state, request)
    if pod is None:
        return problem(404, "pod not found")
    refused = invalid(ACTION, request.body) or _in_cluster(pod)
    if refused is not None:
        return refused
    action = request.body["action"]
    if pod.locked and action in ("stop", "restart"):
        return problem(400, "pod is locked")
    if not state.act(pod, action):
        return problem(409, f"cannot {action} a pod that is {pod.status}")
    return Reply(204, None) if action == "terminate" else Reply(200, render(state, pod))


def get_keys(state: State, request: Request) -> Reply:  # noqa: ARG001 - a route's signature
    """``GET /v2/account/ssh-keys``."""
    return Reply(200, {"keys": list(state.keys)})


def put_keys(state: State, request: Request) -> Reply:
    """``PUT /v2/account/ssh-keys``: replaces the whole set."""
    refused = invalid(KEYS, request.body)
    if refused is not None:
        return refused
    state.keys[:] = request.body["keys"]
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
    **v2_serverless.ROUTES,
    **logs.ROUTES,
}


def _find(state: State, request: Request) -> Pod | None:
    pod = state.find_pod(request.parameters["id"])
    return pod if pod is not None and pod.shown_on("v2") else None


def _in_cluster(pod: Pod) -> Reply | None:
    if pod.cluster is None:
        return None
    return problem(409, "pod belongs to a cluster and cannot be changed via the pod endpoints")


def _with_template(state: State, body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Lay a body over the settings of the template that it names; None: there is no such one.

    ``env`` is merged, all else replaced; no link to the template is kept.
    """
    if "templateId" not in body:
        return dict(body)
    template = state.templates.get(body["templateId"])
    if template is None:
        return None
    settings = {**template, **body}
    if "env" in template or "env" in body:
        settings["env"] = {**template.get("env", {}), **body.get("env", {})}
    if "cpu" in body and "mounts" not in body:
        settings.pop("mounts", None)
    return settings


def _create_members(state: State, settings: Mapping[str, Any]) -> dict[str, Any]:
    gpu = settings.get("gpu") or {}
    mounts = settings.get("mounts") or {}
    persistent = mounts.get("persistent") or {}
    network = (mounts.get("network") or [{}])[0]
    return {
        "name": settings["name"],
        "image": settings.get("image") or _IMAGE,
        "args": settings.get("args", ""),
        "disk": settings.get("disk", 50),
        "ports": list(settings.get("ports") or []),
        "env": _create_env(state, settings),
        "registry": settings.get("registry"),
        "cloud": settings.get("cloud", "SECURE"),
        "gpu_id": gpu.get("id"),
        "gpu_count": gpu.get("count", 1) if gpu else 0,
        "cpu": _cpu(settings.get("cpu")),
        "volume": persistent.get("size", 0),
        "volume_path": persistent.get("path") or network.get("path") or "/workspace",
        "network_volume": network.get("volumeId"),
        "data_center": (settings.get("dataCenterIds") or ["US-KS-2"])[0],
        "global_networking": settings.get("globalNetworking", False),
    }


def _create_env(state: State, settings: Mapping[str, Any]) -> dict[str, str]:
    env = dict(settings.get("env") or {})
    if settings.get("startSsh") and state.keys:
        env.setdefault("PUBLIC_KEY", "\n".join(state.keys))
    if settings.get("startJupyter"):
        env.setdefault("JUPYTER_PASSWORD", f"sandbox{state.next_id:07}")
    return env


def _change(state: State, pod: Pod, settings: Mapping[str, Any]) -> None:
    for member in ("name", "image", "args", "disk", "env", "registry", "locked"):
        if member in settings:
            setattr(pod, member, settings[member])
    if "globalNetworking" in settings:
        pod.global_networking = settings["globalNetworking"]
    for mount in (settings["mounts"].get("persistent"), *settings["mounts"].get("network", [])):
        if mount is not None:
            pod.volume_path = mount["path"]
            pod.volume = mount.get("size", pod.volume)
    if "ports" in settings:
        pod.ports = list(settings["ports"])
        if pod.reports:
            pod.mappings = state.map_ports(pod.ports)


def _cpu(asked: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if not asked:
        return None
    memory = asked["vcpuCount"] * _MEMORY.get(asked["id"][-1:], 2)
    return {"id": asked["id"], "vcpuCount": asked["vcpuCount"], "memory": memory}


def _volume(volume: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": volume["id"],
        "name": volume["name"],
        "size": volume["size"],
        "dataCenter": volume["dataCenterId"],
        "type": volume.get("type", "STANDARD"),
    }
