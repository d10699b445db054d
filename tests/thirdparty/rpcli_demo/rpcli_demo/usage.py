"""Pods by GPU type. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def by_type(pods: Iterable[Any]) -> dict[str, list[Any]]:
    """Group pods by the type of their GPU, in alphabetical order; pods without one are left out."""
    groups: dict[str, list[Any]] = {}
    for pod in pods:
        if pod.gpu_id:
            groups.setdefault(pod.gpu_id, []).append(pod)
    return dict(sorted(groups.items()))


def document(gpu_id: str, pods: list[Any]) -> dict[str, Any]:
    """Make the document of one type; a price that nobody gave is absent."""
    running = [pod for pod in pods if pod.desired_status == "RUNNING"]
    prices = [pod.cost_per_hr for pod in running if pod.cost_per_hr is not None]
    shape: dict[str, Any] = {
        "gpuId": gpu_id,
        "pods": len(pods),
        "gpus": sum(pod.gpu_count for pod in pods),
        "running": len(running),
    }
    if prices:
        shape["costPerHr"] = round(sum(prices), 4)
    return shape
