"""What REST v1 takes in the body of a request, checked.

Rules: a member that the published document does not name is ignored, as it forbids none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rpcli.sandbox.classic_pod import DEFAULT_GPU, cpu_members

_PORT = re.compile(r"[0-9]{1,5}/(http|tcp|udp)")
_LONGEST_NAME = 191


def is_port_list(value: object) -> bool:
    """Whether a value is a list of ports as ``22/tcp``."""
    return isinstance(value, list) and all(
        isinstance(entry, str) and _PORT.fullmatch(entry) for entry in value
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_NAME


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _is_map(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(entry, str) for entry in value.values())


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_size(value: object) -> bool:
    return value is None or _is_count(value)


def _is_disk(value: object) -> bool:
    return _is_size(value) and value != 0


_CHECKS: Mapping[str, Callable[[object], bool]] = {
    "name": _is_name,
    "imageName": _is_text,
    "env": _is_map,
    "ports": is_port_list,
    "containerDiskInGb": _is_disk,
    "volumeInGb": _is_size,
    "volumeMountPath": _is_text,
    "containerRegistryAuthId": _is_text,
    "dockerEntrypoint": _is_texts,
    "dockerStartCmd": _is_texts,
    "locked": _is_flag,
}
_CREATE_CHECKS: Mapping[str, Callable[[object], bool]] = {
    **_CHECKS,
    "computeType": lambda value: value in ("GPU", "CPU"),
    "cloudType": lambda value: value in ("SECURE", "COMMUNITY"),
    "gpuTypeIds": _is_texts,
    "gpuCount": lambda value: _is_count(value) and value != 0,
    "cpuFlavorIds": _is_texts,
    "vcpuCount": lambda value: _is_count(value) and value != 0,
    "dataCenterIds": _is_texts,
    "networkVolumeId": _is_text,
    "templateId": _is_text,
    # There are no spot pods here, and saying that one was made would be a lie.
    "interruptible": lambda value: value is False,
}
#: Attributes of a pod by the member that sets them, in a change.
_ATTRIBUTES: Mapping[str, str] = {
    "name": "name",
    "imageName": "image",
    "env": "env",
    "containerDiskInGb": "disk",
    "volumeInGb": "volume",
    "volumeMountPath": "volume_path",
    "containerRegistryAuthId": "registry",
    "locked": "locked",
}


def wrong_change(body: object) -> str | None:
    """Say what is wrong with the body of a change; None: nothing."""
    return _wrong(body, _CHECKS)


def wrong_create(body: object) -> str | None:
    """Say what is wrong with the body of a create; None: nothing."""
    found = _wrong(body, _CREATE_CHECKS)
    if found is None and isinstance(body, dict) and not {"imageName", "templateId"} & body.keys():
        return "imageName is required where there is no templateId"
    return found


def _wrong(body: object, checks: Mapping[str, Callable[[object], bool]]) -> str | None:
    if not isinstance(body, dict):
        return "the body is not an object"
    for member, fits in checks.items():
        if member in body and not fits(body[member]):
            return f"{member} is invalid"
    return None


def change_members(body: Mapping[str, Any]) -> dict[str, Any]:
    """Give the attributes that a checked change sets; ports are not among them."""
    members = {
        attribute: body[member]
        for member, attribute in _ATTRIBUTES.items()
        if body.get(member) is not None
    }
    if "dockerStartCmd" in body:
        members["args"] = " ".join(body["dockerStartCmd"])
    return members


def create_members(body: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Give the attributes of a new pod, with the defaults of the published document.

    :param base: those that its template sets; ``env`` is merged with them, all else replaced
    """
    members = {
        "name": "my pod",
        "image": "",
        "disk": 50,
        "volume": 20,
        "ports": ["8888/http", "22/tcp"],
        **base,
        **change_members(body),
        "env": {**base.get("env", {}), **body.get("env", {})},
        "cloud": body.get("cloudType", "SECURE"),
        "network_volume": body.get("networkVolumeId"),
    }
    members["ports"] = list(body.get("ports", members["ports"]))
    if body.get("dataCenterIds"):
        members["data_center"] = body["dataCenterIds"][0]
    if body.get("computeType") == "CPU":
        flavor = (body.get("cpuFlavorIds") or ["cpu3c"])[0]
        return members | cpu_members(flavor, body.get("vcpuCount", 2)) | {"volume": 0}
    gpu_id = (body.get("gpuTypeIds") or [DEFAULT_GPU])[0]
    return members | {"gpu_id": gpu_id, "gpu_count": body.get("gpuCount", 1)}
