"""What GraphQL is asked about pods, and what its answers mean. Pure.

Rules: a query names only fields of the published schema, since one unknown field fails it whole;
every field of an answer may be null, and so may every element of a list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rpcli.controlplane.fields import Fields, Problems, kind_of
from rpcli.controlplane.podparts import (
    Reason,
    read_declared_ports,
    read_key_lines,
    read_machine,
    read_maintenance,
    read_proxy,
)
from rpcli.domain.pod import Maintenance, Port, Runtime, RuntimeSignal, SshEndpoint
from rpcli.errors import GraphqlError, UnexpectedResponse

_MAINTENANCE = "maintenanceStart maintenanceEnd maintenanceNote"
_STATE = "id desiredStatus lastStatusChange"
_PORTS = "ports { ip isIpPublic privatePort publicPort type }"
_MACHINE = (
    "id podHostId location gpuDisplayName gpuTypeId gpuAvailable costPerHr currentPricePerGpu "
    "diskMBps maxDownloadSpeedMbps maxUploadSpeedMbps secureCloud supportPublicIp note "
    f"{_MAINTENANCE}"
)
#: What every pod is really doing: as much as a list shows.
RUNTIME_QUERY = (
    f"query rpcliPods {{ myself {{ pods {{ {_STATE} runtime {{ uptimeInSeconds }} "
    f"machine {{ {_MAINTENANCE} }} }} }} }}"
)
#: The same with how to reach each pod, and the account's keys in the same round trip.
RUNTIME_AND_KEYS_QUERY = (
    f"query rpcliPodsAndKeys {{ myself {{ pubKey pods {{ {_STATE} name ports "
    f"runtime {{ uptimeInSeconds {_PORTS} }} machine {{ podHostId {_MAINTENANCE} }} }} }} }}"
)
#: Why every pod is as it is (v2 lists): attribution and maintenance.
REASONS_QUERY = (
    "query rpcliReasons { myself { pods "
    f"{{ id lastStatusChange machine {{ {_MAINTENANCE} }} }} }} }}"
)


def reason_query(*, include_machine: bool) -> str:
    """Ask why one pod is as it is; the variable ``id`` is its id."""
    machine = _MACHINE if include_machine else _MAINTENANCE
    return (
        "query rpcliReason($id: String!) { pod(input: {podId: $id}) "
        f"{{ id lastStatusChange machine {{ {machine} }} }} }}"
    )


class GraphqlPod(NamedTuple):
    """A pod as GraphQL tells it."""

    id: str
    name: str
    desired_status: str | None
    last_status_change: object
    signal: RuntimeSignal
    runtime: Runtime | None
    declared_ports: tuple[str, ...]
    ssh_proxy: SshEndpoint | None
    maintenance: Maintenance | None


class Account(NamedTuple):
    """The pods and keys of an account; ``keys`` is None where they were not asked or not told."""

    pods: Mapping[str, GraphqlPod]
    keys: tuple[str, ...] | None


def read_account(data: Mapping[str, object], problems: Problems) -> Account:
    """Read the answer to :data:`RUNTIME_QUERY` or :data:`RUNTIME_AND_KEYS_QUERY`.

    :raises GraphqlError: the key belongs to no account that GraphQL knows
    :raises UnexpectedResponse: no list of pods
    """
    myself = _myself(data, problems)
    pods = (_read_pod(pod) for pod in _pods(myself))
    keys: tuple[str, ...] | None = None
    if "pubKey" in myself.raw:
        text = myself.text("pubKey")
        # Null is an account without keys; another type is not known.
        keys = read_key_lines(text or "") if isinstance(myself.raw["pubKey"], str | None) else None
    return Account({pod.id: pod for pod in pods if pod.id}, keys)


def read_reasons(data: Mapping[str, object], problems: Problems) -> dict[str, Reason]:
    """Read the answer to :data:`REASONS_QUERY`.

    :raises GraphqlError: the key belongs to no account that GraphQL knows
    :raises UnexpectedResponse: no list of pods
    """
    pods = _pods(_myself(data, problems))
    return {pod_id: _read_reason(pod) for pod in pods if (pod_id := pod.text("id"))}


def read_reason(data: Mapping[str, object], problems: Problems) -> Reason:
    """Read the answer to :func:`reason_query`; a pod that GraphQL does not know has no reason."""
    pod = Fields(data, "graphql", problems).child("pod")
    if pod is None:
        return Reason()
    machine = read_machine(pod.child("machine"))
    reason = _read_reason(pod)
    return Reason(reason.last_status_change, reason.maintenance, machine)


def _myself(data: Mapping[str, object], problems: Problems) -> Fields:
    myself = Fields(data, "graphql", problems).child("myself")
    if myself is None:
        # That is how it answers a key that it lets in nowhere.
        raise GraphqlError(
            "GraphQL knows no account for this key", code="unauthorized", api="graphql"
        )
    return myself


def _pods(myself: Fields) -> list[Fields]:
    value = myself.raw.get("pods")
    if not isinstance(value, list):
        raise UnexpectedResponse(
            f"GraphQL answered with {kind_of(value)} where the list of pods was expected",
            api="graphql",
        )
    return list(myself.children("pods"))


def _read_pod(pod: Fields) -> GraphqlPod:
    machine = pod.child("machine")
    signal, runtime = _read_runtime(pod)
    return GraphqlPod(
        id=pod.text("id") or "",
        name=pod.text("name") or "",
        desired_status=pod.text("desiredStatus"),
        last_status_change=pod.raw.get("lastStatusChange"),
        signal=signal,
        runtime=runtime,
        declared_ports=read_declared_ports(pod),
        ssh_proxy=read_proxy(machine),
        maintenance=read_maintenance(machine),
    )


def _read_reason(pod: Fields) -> Reason:
    return Reason(pod.raw.get("lastStatusChange"), read_maintenance(pod.child("machine")))


def _read_runtime(pod: Fields) -> tuple[RuntimeSignal, Runtime | None]:
    """Read the signal: a runtime, whatever is in it, means that the container reports.

    The uptime beside it, ``Pod.uptimeSeconds``, is a dead field that is always 0.
    """
    runtime = pod.child("runtime")
    if runtime is None:
        told = pod.raw.get("runtime") is None
        return (RuntimeSignal.ABSENT if told else RuntimeSignal.UNAVAILABLE), None
    uptime = runtime.integer("uptimeInSeconds")
    return RuntimeSignal.PRESENT, Runtime(uptime, _read_ports(runtime))


def _read_ports(runtime: Fields) -> tuple[Port, ...] | None:
    if runtime.raw.get("ports") is None:
        return None
    ports = []
    for port in runtime.children("ports"):
        private = port.port("privatePort")
        if private is not None:
            kind = (port.text("type") or "").lower()
            public, ip = port.port("publicPort"), port.text("ip")
            ports.append(Port(private, public, kind, ip, port.flag("isIpPublic")))
    return tuple(ports)
