"""REST v1 over the state: pods. Endpoints come with their commands.

Rules: lists are bare arrays and not paged, and terminated pods vanish from them; no answer tells of
rate limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rpcli.sandbox.answers import Reply, Request
from rpcli.sandbox.classic_pod import act_on, base_members, has_volume, replace_ports
from rpcli.sandbox.pod import Pod
from rpcli.sandbox.state import State
from rpcli.sandbox.v1_input import change_members, create_members, wrong_change, wrong_create
from rpcli.sandbox.v1_pod import render

Route = Callable[[State, Request], Reply]
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "computeType": ("GPU", "CPU"),
    "desiredStatus": ("RUNNING", "EXITED", "TERMINATED"),
}
#: What each filter looks at, in a pod and its document.
_FILTERS: Mapping[str, Callable[[Pod, Mapping[str, Any]], object]] = {
    "computeType": lambda pod, _: "CPU" if pod.cpu else "GPU",
    "cpuFlavorId": lambda pod, _: pod.cpu and pod.cpu["id"],
    "dataCenterId": lambda pod, _: pod.data_center,
    "desiredStatus": lambda _, document: document.get("desiredStatus"),
    # Workers are no pods of their own: none is listed, whatever endpoint is asked for.
    "endpointId": lambda _pod, _document: None,
    "gpuTypeId": lambda pod, _: pod.gpu_id,
    "id": lambda pod, _: pod.id,
    "imageName": lambda pod, _: pod.image,
    "name": lambda pod, _: pod.name,
    "networkVolumeId": lambda pod, _: pod.network_volume,
    "templateId": lambda pod, _: pod.template,
}
#: Filters that take several values.
_SEVERAL = ("cpuFlavorId", "dataCenterId", "gpuTypeId")


def list_pods(state: State, request: Request) -> Reply:
    """``GET /v1/pods``: a bare array, not paged."""
    for name, choices in _CHOICES.items():
        if request.query.get(name, choices[0]) not in choices:
            return error(state, 400, f"{name} is none of {', '.join(choices)}")
    shown = (pod for pod in state.list_pods() if pod.shown_on("rest"))
    pods = [(pod, render(state, pod, request.query)) for pod in shown]
    for name, look in _FILTERS.items():
        if name in request.query:
            given = request.query[name]
            wanted = given.split(",") if name in _SEVERAL else [given]
            pods = [(pod, document) for pod, document in pods if look(pod, document) in wanted]
    return Reply(
        200, [*state.quirks.get("v1ListElements", []), *(document for _, document in pods)]
    )


def get_pod(state: State, request: Request) -> Reply:
    """``GET /v1/pods/{podId}``; one that is terminated is still found by its id."""
    pod = _find(state, request)
    if pod is None:
        return error(state, 404, "pod not found")
    return Reply(200, render(state, pod, request.query))


def create_pod(state: State, request: Request) -> Reply:
    """``POST /v1/pods``, with the defaults of the document."""
    body = request.body
    wrong = wrong_create(body)
    if wrong is not None:
        return error(state, 400, wrong)
    base = base_members(state, body.get("templateId"))
    if base is None:
        return error(state, 400, "template not found")
    if not has_volume(state, body.get("networkVolumeId")):
        return error(state, 400, "network volume not found")
    return Reply(201, render(state, state.create(**create_members(body, base)), {}))


def update_pod(state: State, request: Request) -> Reply:
    """``PATCH /v1/pods/{podId}``, or ``POST …/update``: ``ports`` and ``env`` replace."""
    pod = _find_living(state, request)
    if pod is None:
        return error(state, 404, "pod not found")
    wrong = wrong_change(request.body)
    if wrong is not None:
        return error(state, 400, wrong)
    for attribute, value in change_members(request.body).items():
        setattr(pod, attribute, value)
    if "ports" in request.body:
        replace_ports(state, pod, request.body["ports"])
    return Reply(200, render(state, pod, {}))


def delete_pod(state: State, request: Request) -> Reply:
    """``DELETE /v1/pods/{podId}``."""
    pod = _find_living(state, request)
    if pod is None:
        return error(state, 404, "pod not found")
    state.act(pod, "terminate")
    return Reply(204, None)


def _action(action: str) -> Route:
    def act(state: State, request: Request) -> Reply:
        pod = _find_living(state, request)
        if pod is None:
            return error(state, 404, "pod not found")
        refused = act_on(state, pod, action)
        if refused is not None:
            return error(state, 400, refused)
        return Reply(200, render(state, pod, {}))

    return act


#: Every route by its template, then by method.
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


def _find(state: State, request: Request) -> Pod | None:
    pod = state.find_pod(request.parameters["podId"])
    return pod if pod is not None and pod.shown_on("rest") else None


def _find_living(state: State, request: Request) -> Pod | None:
    pod = _find(state, request)
    return None if pod is None or pod.status == "TERMINATED" else pod
