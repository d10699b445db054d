"""Parts of a pod that the generations write in more than one way, made one.

Rules: the list of ports and the environment come as a list, a map or a text; a machine and a
network volume become documents whose keys are the contract's, with the unknown left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rpcli.controlplane.fields import Fields, kind_of
from rpcli.domain.pod import Maintenance, SshEndpoint

#: The platform's ssh proxy, where only the user of a pod is given.
PROXY_HOST = "ssh.runpod.io"

#: The fields of a machine in the contract: by type, the API's names for each.
_MACHINE_TEXTS = (
    "id",
    "podHostId",
    "dataCenterId",
    "location",
    "gpuDisplayName",
    "gpuTypeId",
    "note",
)
_MACHINE_INTEGERS = ("gpuAvailable", "maxDownloadSpeedMbps", "maxUploadSpeedMbps")
_MACHINE_NUMBERS = ("costPerHr", "currentPricePerGpu")
_MACHINE_FLAGS = ("secureCloud", "supportPublicIp")
#: REST v1 and GraphQL name it differently.
_DISK_SPEED = ("diskThroughputMBps", "diskMBps")


class Reason(NamedTuple):
    """Why a pod is as it is, as far as GraphQL tells."""

    last_status_change: object = None
    maintenance: Maintenance | None = None
    machine: Mapping[str, object] | None = None


def read_declared_ports(pod: Fields, key: str = "ports") -> tuple[str, ...]:
    """Give the declared ports (``8888/http``) in their order, each once, without blanks."""
    value = pod.raw.get(key)
    if isinstance(value, str):
        words: list[object] = list(value.split(","))
    else:
        words = pod.elements(key)
    ports: dict[str, None] = {}
    for at, word in enumerate(words):
        if not isinstance(word, str):
            pod.report(f"{key}[{at}]", f"{kind_of(word)} was skipped")
        elif port := "".join(word.split()):
            ports[port] = None
    return tuple(ports)


def read_environment(pod: Fields, key: str = "env") -> dict[str, str]:
    """Give the environment, from a map or from a list of ``K=V``."""
    value = pod.raw.get(key)
    if isinstance(value, list):
        return dict(_pairs(pod, key, value))
    found: dict[str, str] = {}
    child = pod.child(key)
    for name, text in child.raw.items() if child else ():
        if isinstance(text, str):
            found[name] = text
        elif isinstance(text, int | float) and not isinstance(text, bool):
            found[name] = str(text)
        else:
            pod.report(f"{key}.{name}", f"a text was expected, {kind_of(text)} came")
    return found


def _pairs(pod: Fields, key: str, value: list[object]) -> Iterator[tuple[str, str]]:
    for at, element in enumerate(value):
        name, equals, text = element.partition("=") if isinstance(element, str) else ("", "", "")
        if name and equals:
            yield name, text
        else:
            pod.report(f"{key}[{at}]", f"NAME=VALUE was expected, {kind_of(element)} came")


def read_maintenance(machine: Fields | None) -> Maintenance | None:
    """Give the window that is announced for a machine, where one is."""
    if machine is None:
        return None
    start, end = machine.moment("maintenanceStart"), machine.moment("maintenanceEnd")
    note = machine.text("maintenanceNote")
    if start is None and end is None and note is None:
        return None
    return Maintenance(start, end, note)


def read_proxy(machine: Fields | None) -> SshEndpoint | None:
    """Give the way through the platform's proxy, once a machine is assigned."""
    user = machine.text("podHostId") if machine else None
    return SshEndpoint(PROXY_HOST, 22, user) if user else None


def read_machine(machine: Fields | None) -> dict[str, object] | None:
    """Give a machine as the contract shows it; its maintenance is told elsewhere."""
    if machine is None:
        return None
    found: dict[str, object | None] = {key: machine.text(key) for key in _MACHINE_TEXTS}
    found |= {key: machine.integer(key) for key in _MACHINE_INTEGERS}
    found |= {key: machine.number(key) for key in _MACHINE_NUMBERS}
    found |= {key: machine.flag(key) for key in _MACHINE_FLAGS}
    speed = [machine.integer(key) for key in _DISK_SPEED]
    found["diskThroughputMBps"] = next((s for s in speed if s is not None), None)
    return known(found) or None


def read_network_volume(volume: Fields | None) -> dict[str, object] | None:
    """Give a network volume as the contract shows it: id, name, size in GB, place, tier."""
    if volume is None:
        return None
    return known(
        {
            "id": volume.text("id"),
            "name": volume.text("name"),
            "sizeInGb": volume.integer("size"),
            "dataCenterId": volume.text("dataCenterId") or volume.text("dataCenter"),
            "type": volume.text("type"),
        }
    )


def read_key_lines(text: str) -> tuple[str, ...]:
    """Give the account's public keys out of the one text that GraphQL keeps them in."""
    return tuple(line.strip() for line in text.split("\n") if line.strip())


def known(document: Mapping[str, object | None]) -> dict[str, object]:
    """Give a document without what is unknown."""
    return {key: value for key, value in document.items() if value is not None}
