"""Pods in the words of GraphQL.

Rules: ``uptimeSeconds`` is 0 for ever, what a container says of itself is in ``runtime``; ports are
one text, env is a list of ``KEY=VALUE``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rpcli.sandbox.classic_pod import USER_ID, desired_status, machine_document, volume_document
from rpcli.sandbox.pod import Pod, merged
from rpcli.sandbox.state import State


def render(state: State, pod: Pod) -> dict[str, Any]:
    """Give a pod as GraphQL does; the names that are asked for select from it."""
    machine = machine_document(pod)
    document: dict[str, Any] = {
        "id": pod.id,
        "name": pod.name,
        "desiredStatus": desired_status(pod),
        "lastStatusChange": pod.last_change,
        "createdAt": _time(pod.created_at),
        "lastStartedAt": _time(pod.started_at),
        "uptimeSeconds": 0,
        "imageName": pod.image,
        "dockerArgs": pod.args,
        "env": [f"{key}={value}" for key, value in pod.env.items()],
        "ports": ",".join(pod.ports),
        "gpuCount": pod.gpu_count,
        "gpuPowerLimitPercent": 100,
        "gpus": [{"id": f"GPU-{pod.id}-{n}", "podId": pod.id} for n in range(pod.gpu_count)],
        "vcpuCount": pod.cpu["vcpuCount"] if pod.cpu else pod.vcpu,
        "memoryInGb": pod.cpu["memory"] if pod.cpu else pod.memory,
        "cpuFlavorId": pod.cpu and pod.cpu["id"],
        "containerDiskInGb": pod.disk,
        "volumeInGb": pod.volume,
        "volumeMountPath": pod.volume_path,
        "volumeEncrypted": False,
        "costPerHr": pod.cost,
        "adjustedCostPerHr": pod.cost,
        "podType": "RESERVED",
        "machineId": machine["id"],
        "machine": machine,
        "runtime": _runtime(state, pod),
        "templateId": pod.template,
        "networkVolumeId": pod.network_volume,
        "networkVolume": pod.network_volume and volume_document(state, pod.network_volume),
        "containerRegistryAuthId": pod.registry,
        "consumerUserId": USER_ID,
        "locked": pod.locked,
    }
    return merged(document, pod, "graphql")


def _runtime(state: State, pod: Pod) -> dict[str, Any] | None:
    # A stopped pod may keep what its container last said, its uptime still climbing.
    stale = pod.status == "EXITED" and (pod.container_since is not None or bool(pod.mappings))
    if not pod.reports and not stale:
        return None
    return {
        "uptimeInSeconds": pod.uptime(state.clock.now()),
        "ports": [
            {
                "ip": mapping.ip,
                "isIpPublic": mapping.is_public,
                "privatePort": mapping.private,
                "publicPort": mapping.public,
                "type": mapping.type,
            }
            for mapping in pod.mappings
        ],
        "gpus": [
            {"id": f"GPU-{pod.id}-{n}", "gpuUtilPercent": 0, "memoryUtilPercent": 0}
            for n in range(pod.gpu_count)
        ],
        "container": {"cpuPercent": 0, "memoryPercent": 0},
    }


def _time(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
