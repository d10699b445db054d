"""What REST v2 takes in the body of a request, checked.

Rules: what the schema of a body forbids is 422, what only a rule across fields forbids is 400.
Source: ``CreatePodRequest``, ``UpdatePodRequest``, ``PodActionRequest``, ``UpdateSshKeysRequest``
and ``Mounts`` of the published OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rpcli.sandbox.answers import Reply, problem
from rpcli.sandbox.shape import errors

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_FLAG = {"type": "boolean"}
_NAME = {"type": "string", "minLength": 1}
_VERSION = {"type": "string", "pattern": r"^\d+\.\d+$"}


def _object(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_PERSISTENT = _object({"size": {"type": "integer", "minimum": 10}, "path": _TEXT}, "size", "path")
_NETWORK = _object({"volumeId": _TEXT, "path": _TEXT}, "volumeId", "path")
_MOUNTS = _object(
    {"persistent": _PERSISTENT, "network": {"type": "array", "maxItems": 1, "items": _NETWORK}}
)
_CONTAINER: Mapping[str, Any] = {
    "args": _TEXT,
    "disk": {"type": "integer", "minimum": 1},
    "env": {"type": "object", "properties": {}, "additionalProperties": _TEXT},
    "image": _TEXT,
    "ports": _TEXTS,
    "registry": {"type": ["string", "null"]},
    "globalNetworking": _FLAG,
    "mounts": _MOUNTS,
    "name": _NAME,
}
_GPU = _object(
    {
        "id": _TEXT,
        "count": {"type": "integer", "minimum": 1},
        "allowedCudaVersions": {"type": "array", "items": _VERSION},
        "minCudaVersion": _VERSION,
    },
    "id",
)
_CPU = _object({"id": _NAME, "vcpuCount": {"type": "integer", "minimum": 2}}, "id", "vcpuCount")
CREATE_POD = _object(
    {
        **_CONTAINER,
        "cloud": {"type": "string", "enum": ["SECURE", "COMMUNITY"]},
        "cpu": _CPU,
        "gpu": _GPU,
        "dataCenterIds": _TEXTS,
        "startJupyter": _FLAG,
        "startSsh": _FLAG,
        "templateId": _NAME,
    },
    "name",
)
UPDATE_POD = _object({**_CONTAINER, "locked": _FLAG, "templateId": _TEXT})
ACTION = _object(
    {"action": {"type": "string", "enum": ["start", "stop", "restart", "terminate"]}}, "action"
)
KEYS = _object(
    {
        "keys": {
            "type": "array",
            "items": {
                "type": "string",
                # Not $ at the end: to Python it would let a line break pass.
                "pattern": r"^(ssh|ecdsa|sk)-[^\s]+ [^\s]+([ \t][^\n\r]*)?\Z",
            },
        }
    },
    "keys",
)


def invalid(schema: Mapping[str, Any], body: object) -> Reply | None:
    """Make the 422 of a body that does not fit; None where it does."""
    wrong = errors(schema, body)
    if schema is CREATE_POD and isinstance(body, dict) and not {"image", "templateId"} & set(body):
        wrong.append("$: missing property 'image'")
    return problem(422, "Request validation failed.", wrong) if wrong else None


def wrong_create(body: Mapping[str, Any], volumes: list[dict[str, Any]]) -> str | None:
    """Say which rule across fields a create breaks; None: none.

    :param volumes: the network volumes of the account
    """
    mounts = body.get("mounts", {})
    if ("gpu" in body) == ("cpu" in body):
        return "exactly one of gpu or cpu must be set"
    if "cpu" in body and "persistent" in mounts:
        return "mounts.persistent is not supported for CPU pods"
    if "cpu" in body and body["cpu"]["vcpuCount"] & (body["cpu"]["vcpuCount"] - 1):
        return "cpu.vcpuCount must be a power of two"
    if body.get("gpu", {}).get("allowedCudaVersions") and "minCudaVersion" in body["gpu"]:
        return "gpu.allowedCudaVersions and gpu.minCudaVersion are mutually exclusive"
    known = {volume["id"] for volume in volumes}
    if any(mount["volumeId"] not in known for mount in mounts.get("network", [])):
        return "network volume not found"
    return _wrong_mounts(mounts)


def wrong_mounts_change(
    mounts: Mapping[str, Any], volume: int, network_volume: str | None
) -> str | None:
    """Say which rule a change of mounts breaks; None: none.

    :param volume: the size of the pod's own volume, 0 without
    :param network_volume: the id of the one it mounts
    """
    for mount in mounts.get("network", []):
        if network_volume is None:
            return "a network mount cannot be added"
        if mount["volumeId"] != network_volume:
            return "the volumeId of a network mount is immutable"
    if "persistent" in mounts and not volume:
        return "a persistent mount cannot be added"
    return _wrong_mounts(mounts)


def _wrong_mounts(mounts: Mapping[str, Any]) -> str | None:
    if "persistent" in mounts and "network" in mounts:
        return "mounts.persistent and mounts.network are mutually exclusive"
    if mounts.get("network") == []:
        return "mounts.network must not be empty"
    return None
