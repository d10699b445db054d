"""Pods in the words of REST v1.

Source: the published OpenAPI document of REST v1. That there is never a ``runtime``, and that
answers carry both ``image`` and ``imageName``, is known of the live service.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rpcli.sandbox.classic_pod import (
    MACHINE_ID,
    USER_ID,
    desired_status,
    display_name,
    machine_document,
    volume_document,
)
from rpcli.sandbox.pod import Pod, merged
from rpcli.sandbox.state import State

#: Members of a machine that a scenario may give and REST v1 has, under its own words.
_MACHINE: Mapping[str, str] = {
    "costPerHr": "costPerHr",
    "cpuCount": "cpuCount",
    "cpuTypeId": "cpuTypeId",
    "currentPricePerGpu": "currentPricePerGpu",
    "dataCenterId": "dataCenterId",
    "diskMBps": "diskThroughputMBps",
    "gpuAvailable": "gpuAvailable",
    "gpuDisplayName": "gpuDisplayName",
    "gpuTypeId": "gpuTypeId",
    "location": "location",
    "maintenanceStart": "maintenanceStart",
    "maintenanceEnd": "maintenanceEnd",
    "maintenanceNote": "maintenanceNote",
    "maxDownloadSpeedMbps": "maxDownloadSpeedMbps",
    "maxUploadSpeedMbps": "maxUploadSpeedMbps",
    "minPodGpuCount": "minPodGpuCount",
    "note": "note",
    "secureCloud": "secureCloud",
    "supportPublicIp": "supportPublicIp",
}


def render(state: State, pod: Pod, query: Mapping[str, str]) -> dict[str, Any]:
    """Give a pod as REST v1 does.

    :param query: of the request; its ``include…`` add members
    """
    document: dict[str, Any] = {
        "id": pod.id,
        "name": pod.name,
        "desiredStatus": desired_status(pod),
        "image": pod.image,
        "imageName": pod.image,
        "env": dict(pod.env),
        "ports": list(pod.ports),
        "portMappings": _port_mappings(pod),
        "publicIp": _public_ip(pod),
        "costPerHr": pod.cost,
        "adjustedCostPerHr": pod.cost,
        "containerDiskInGb": pod.disk,
        "volumeInGb": pod.volume,
        "volumeMountPath": pod.volume_path,
        "volumeEncrypted": False,
        "machineId": (pod.machine or {}).get("id", MACHINE_ID),
        "vcpuCount": pod.cpu["vcpuCount"] if pod.cpu else pod.vcpu,
        "memoryInGb": pod.cpu["memory"] if pod.cpu else pod.memory,
        "consumerUserId": USER_ID,
        "interruptible": False,
        "locked": pod.locked,
        **_known(state, pod),
        **_included(state, pod, query),
    }
    return merged(document, pod, "rest")


def _known(state: State, pod: Pod) -> dict[str, Any]:
    """Give the members that are there only where they have a value: no string may be null."""
    gpu = {"id": pod.gpu_id, "count": pod.gpu_count, "displayName": display_name(pod.gpu_id)}
    members = {
        "lastStatusChange": pod.last_change,
        "lastStartedAt": pod.started_at and _time(state, pod.started_at),
        "templateId": pod.template,
        "containerRegistryAuthId": pod.registry,
        "cpuFlavorId": pod.cpu and pod.cpu["id"],
        "gpu": gpu if pod.gpu_id else None,
        "dockerStartCmd": pod.args.split() if pod.args else None,
    }
    return {key: value for key, value in members.items() if value is not None}


def _included(state: State, pod: Pod, query: Mapping[str, str]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if query.get("includeMachine") == "true":
        known = machine_document(pod)
        members["machine"] = {
            word: known[name] for name, word in _MACHINE.items() if known.get(name) is not None
        }
    if query.get("includeNetworkVolume") == "true" and pod.network_volume:
        members["networkVolume"] = volume_document(state, pod.network_volume)
    if query.get("includeSavingsPlans") == "true":
        members["savingsPlans"] = []
    return members


def _port_mappings(pod: Pod) -> dict[str, int] | None:
    if not pod.reports:
        return None
    return {str(m.private): m.public for m in pod.mappings if m.type == "tcp" and m.public}


def _public_ip(pod: Pod) -> str:
    public = [m.ip for m in pod.mappings if m.is_public and m.ip]
    return public[0] if public and pod.reports else ""


def _time(state: State, moment: datetime) -> str:
    """Write a moment as the document does, or, by a quirk, in Go's layout as the live service."""
    if state.quirks.get("v1Timestamps") == "go":
        return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03} +0000 UTC"
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
