"""Pods as documents, and as rows for people. Pure.

Rules: what is unknown is an absent key, never null or a value made up; uptime is told of a pod that
runs and of no other, whatever stale telemetry says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rpcli.plugin import PodDetail, PodSnapshot, PodState, format_span, format_timestamp

#: The keys of a document of ``pod list``, in their order.
LIST_FIELDS = (
    "id",
    "name",
    "desiredStatus",
    "runtimeStatus",
    "runtimeStatusReason",
    "platformStatus",
    "imageName",
    "gpuId",
    "gpuCount",
    "volumeInGb",
    "costPerHr",
    "createdAt",
    "lastStatusChange",
    "uptimeSeconds",
)
#: The keys of a document of ``pod get``, in their order.
DETAIL_FIELDS = (
    *LIST_FIELDS,
    "env",
    "ports",
    "containerDiskInGb",
    "volumeMountPath",
    "networkVolumeId",
    "templateId",
    "registryId",
    "args",
    "vcpuCount",
    "memoryInGb",
    "machineId",
    "locked",
    "startedAt",
    "cloud",
    "dataCenterId",
    "cudaVersion",
    "actions",
    "maintenance",
    "machine",
    "networkVolume",
    "ssh",
)
#: What stands in for a value that not everybody at the screen should read.
MASK = "***"
#: Fields of the ssh document that are for programs.
_FOR_PROGRAMS = ("argv", "host_key_alias")


def list_document(pod: PodSnapshot, state: PodState) -> dict[str, Any]:
    """Make the document of a pod in a list."""
    document: dict[str, Any] = {
        "id": pod.id,
        "name": pod.name,
        "desiredStatus": pod.desired_status,
        "runtimeStatus": state.status,
    }
    if state.reason is not None:
        document["runtimeStatusReason"] = state.reason
    if pod.platform_status is not None:
        document["platformStatus"] = pod.platform_status
    document["imageName"] = pod.image
    if pod.gpu_id is not None:
        document["gpuId"] = pod.gpu_id
    document["gpuCount"] = pod.gpu_count
    document["volumeInGb"] = pod.volume_gb
    if pod.cost_per_hr is not None:
        document["costPerHr"] = pod.cost_per_hr
    if pod.created_at is not None:
        document["createdAt"] = format_timestamp(pod.created_at)
    change = pod.last_status_change
    if isinstance(change, str) and change:
        document["lastStatusChange"] = change
    uptime = pod.runtime.uptime_seconds if pod.runtime and state.status == "running" else None
    if uptime is not None:
        document["uptimeSeconds"] = uptime
    return document


def detail_document(detail: PodDetail, state: PodState, ssh: Mapping[str, Any]) -> dict[str, Any]:
    """Make the document of ``pod get``.

    :param ssh: the document of ``ssh info``; the pod's id and name are told once
    """
    started = detail.started_at
    rest: dict[str, Any] = {
        "env": dict(detail.env),
        "ports": list(detail.snapshot.declared_ports),
        "containerDiskInGb": detail.container_disk_gb,
        "volumeMountPath": detail.volume_mount_path,
        "networkVolumeId": detail.network_volume_id,
        "templateId": detail.template_id,
        "registryId": detail.registry_id,
        "args": detail.args,
        "vcpuCount": detail.vcpu_count,
        "memoryInGb": detail.memory_gb,
        "machineId": detail.machine_id,
        "locked": detail.locked,
        "startedAt": None if started is None else format_timestamp(started),
        "cloud": detail.cloud,
        "dataCenterId": detail.data_center_id,
        "cudaVersion": detail.cuda_version,
        "actions": None if detail.actions is None else list(detail.actions),
        "maintenance": _maintenance(detail.snapshot),
        "machine": detail.machine or None,
        "networkVolume": detail.network_volume,
        "ssh": {key: value for key, value in ssh.items() if key not in ("id", "name")},
    }
    known = {key: value for key, value in rest.items() if value is not None}
    return list_document(detail.snapshot, state) | known


def human_row(document: Mapping[str, Any]) -> dict[str, str]:
    """Make a row for people."""
    cost = document.get("costPerHr")
    uptime = document.get("uptimeSeconds")
    return {
        "ID": document["id"],
        "NAME": document["name"],
        "STATUS": _status(document),
        "GPU": _gpu(document),
        "IMAGE": document["imageName"],
        "$/HR": "" if cost is None else f"{cost:.3f}",
        "UPTIME": "" if uptime is None else format_span(uptime),
    }


def human_detail(document: Mapping[str, Any], *, show_env: bool) -> dict[str, Any]:
    """Show a pod to people: what its env holds is masked unless that was asked for."""
    env = document["env"]
    shown = env if show_env else dict.fromkeys(env, MASK)
    ssh = {k: v for k, v in document["ssh"].items() if k not in _FOR_PROGRAMS}
    return {**document, "env": shown, "ssh": ssh}


def env_note(detail: PodDetail) -> str | None:
    """Tell of an env that makes sshd of the usual images refuse everybody."""
    if detail.env.get("PUBLIC_KEY") != "null":
        return None
    return (
        "PUBLIC_KEY in the env of the pod is the text 'null': the account had no ssh key when the "
        "pod was created, and its sshd lets nobody in"
    )


def undated_note(count: int) -> str:
    """Tell of pods that no window of time can hold."""
    pods = "1 pod is" if count == 1 else f"{count} pods are"
    return f"{pods} left out: the API does not tell the time of creation"


def _maintenance(pod: PodSnapshot) -> dict[str, str] | None:
    window = pod.maintenance
    if window is None:
        return None
    told = {
        "start": None if window.start is None else format_timestamp(window.start),
        "end": None if window.end is None else format_timestamp(window.end),
        "note": window.note,
    }
    return {key: value for key, value in told.items() if value is not None} or None


def _status(document: Mapping[str, Any]) -> str:
    status: str = document["runtimeStatus"]
    reason = document.get("runtimeStatusReason")
    return status if reason is None else f"{status} ({reason})"


def _gpu(document: Mapping[str, Any]) -> str:
    count, gpu_id = document["gpuCount"], document.get("gpuId")
    if not count and gpu_id is None:
        return "none"
    # The maker's name would push what tells GPUs apart out of a narrow table.
    shown = (gpu_id or "GPU").removeprefix("NVIDIA ").removeprefix("GeForce ")
    return f"{count} x {shown}"
