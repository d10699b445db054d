"""What REST v1 and GraphQL share: words for a pod, and what the old API may do to one."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from rpcli.sandbox.pod import Pod
from rpcli.sandbox.state import State

#: What the account is called.
USER_ID = "user_sandbox"
#: The machine of a pod whose scenario names none.
MACHINE_ID = "s194cr8pls2z"
#: The GPU of a pod for which none is asked.
DEFAULT_GPU = "NVIDIA GeForce RTX 4090"
#: GB of memory for each vCPU, by the last letter of a CPU flavour: compute, general, memory.
_MEMORY: Mapping[str, int] = {"c": 2, "g": 4, "m": 8}
#: What a template sets of a pod.
_TEMPLATE = ("image", "args", "disk", "ports", "env", "registry")


def desired_status(pod: Pod) -> str:
    """Give what the old API calls the desired status; a termination too is written as EXITED."""
    return "RUNNING" if pod.running else "EXITED"


def display_name(gpu_id: str | None) -> str | None:
    """Give the short name of a GPU type: ``RTX A4000`` for ``NVIDIA RTX A4000``."""
    return gpu_id and gpu_id.removeprefix("NVIDIA ").removeprefix("GeForce ")


def machine_document(pod: Pod) -> dict[str, Any]:
    """Give the machine of a pod, in the words of GraphQL; the scenario's own members win."""
    return {
        "id": MACHINE_ID,
        "podHostId": pod.host_id,
        "dataCenterId": pod.data_center,
        "gpuTypeId": pod.gpu_id,
        "gpuDisplayName": display_name(pod.gpu_id),
        "secureCloud": pod.cloud == "SECURE",
        "supportPublicIp": True,
        **(pod.machine or {}),
    }


def volume_document(state: State, volume_id: str) -> dict[str, Any]:
    """Give a network volume."""
    for volume in state.network_volumes:
        if volume["id"] == volume_id:
            return {key: volume[key] for key in ("id", "name", "size", "dataCenterId")}
    return {"id": volume_id}


def cpu_members(flavor: str, vcpus: int) -> dict[str, Any]:
    """Give the attributes that make a pod one without a GPU."""
    memory = vcpus * _MEMORY.get(flavor[-1:], 2)
    return {
        "gpu_id": None,
        "gpu_count": 0,
        "cpu": {"id": flavor, "vcpuCount": vcpus, "memory": memory},
    }


def base_members(state: State, template_id: str | None) -> dict[str, Any] | None:
    """Give the attributes that a new pod has from its template; None: there is no such one."""
    if template_id is None:
        return {}
    template = state.templates.get(template_id)
    if template is None:
        return None
    members = {key: copy(template[key]) for key in _TEMPLATE if key in template}
    return members | {"template": template_id}


def has_volume(state: State, volume_id: str | None) -> bool:
    """Whether a network volume is there; none is wanted where the id is None."""
    return volume_id is None or any(v["id"] == volume_id for v in state.network_volumes)


def act_on(state: State, pod: Pod, action: str) -> str | None:
    """Start, stop, restart or terminate a pod; give the reason where it may not be done now.

    A locked pod is neither stopped nor restarted: so say the published documents.
    """
    if pod.locked and action in ("stop", "restart"):
        return f"pod {pod.id} is locked"
    if not state.act(pod, action):
        return f"pod {pod.id} cannot {action} now"
    return None


def replace_ports(state: State, pod: Pod, ports: list[str]) -> None:
    """Declare other ports; a container that is up has them published anew."""
    pod.ports = list(ports)
    if pod.reports:
        pod.mappings = state.map_ports(pod.ports, pod.container_since)
