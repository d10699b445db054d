"""What the answers of REST v1 about pods mean, with GraphQL's beside them. Pure.

Rules: a pod that REST does not call RUNNING derives from REST alone, so that a list that did not
ask GraphQL and a ``get`` that did agree; for one that REST calls RUNNING GraphQL decides, where it
answered; every field may be absent, as the document says.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from rpcli.controlplane.fields import Fields, Problems, kind_of
from rpcli.controlplane.graphql_mapping import Account, GraphqlPod
from rpcli.controlplane.podparts import (
    read_declared_ports,
    read_environment,
    read_machine,
    read_maintenance,
    read_network_volume,
)
from rpcli.domain.pod import PodDetail, PodSnapshot, RuntimeSignal
from rpcli.errors import UnexpectedResponse

#: What is known of the runtime of the account's pods: the pods, or why there is nothing.
RuntimeSource = Account | RuntimeSignal


def read_list(body: object, problems: Problems) -> list[Fields]:
    """Read the list of pods, an array or one under ``pods``; a null is skipped and reported.

    :raises UnexpectedResponse: no list, or something else than a pod is in it
    """
    elements = body.get("pods") if isinstance(body, dict) else body
    if not isinstance(elements, list):
        raise _unexpected("the list of pods", "a list", elements)
    pods = []
    for at, element in enumerate(elements):
        if element is None:
            problems.add(f"pods[{at}]", "null was skipped")
        else:
            pods.append(_pod_fields(element, "pods", problems, at))
    return pods


def is_running(pod: Fields) -> bool:
    """Tell whether REST calls a pod RUNNING: only then GraphQL has something to add."""
    return pod.raw.get("desiredStatus") == "RUNNING"


def read_snapshot(pod: Fields, source: RuntimeSource) -> PodSnapshot:
    """Read what a list shows of a pod, and what ssh needs of it.

    :param source: GraphQL's pods, or why they are not known; ``NOT_ASKED`` where nobody asked
    """
    status = pod.word("desiredStatus")
    beside = source.pods.get(str(pod.raw["id"])) if isinstance(source, Account) else None
    decides = beside if is_running(pod) else None
    gpu = pod.child("gpu")
    machine = pod.child("machine")
    return PodSnapshot(
        id=str(pod.raw["id"]),
        name=pod.text("name") or "",
        generation="classic",
        desired_status=status,
        state_status=(decides.desired_status if decides else None) or status,
        signal=_signal(pod, decides, source),
        runtime=decides.runtime if decides else None,
        image=pod.text("image") or pod.text("imageName") or "",
        gpu_id=_read_gpu_id(pod, gpu, machine),
        gpu_count=_read_gpu_count(pod, gpu),
        volume_gb=pod.integer("volumeInGb") or 0,
        cost_per_hr=pod.number("costPerHr"),
        created_at=pod.moment("createdAt"),
        last_status_change=_last_change(pod, decides),
        declared_ports=read_declared_ports(pod),
        ssh_proxy=beside.ssh_proxy if beside else None,
        maintenance=(beside.maintenance if beside else None) or read_maintenance(machine),
    )


def read_detail(
    body: object,
    source: RuntimeSource,
    problems: Problems,
    *,
    with_network_volume: bool = False,
) -> PodDetail:
    """Read one pod with all that there is to know.

    :param with_network_volume: whether the network volume itself is wanted, beside its id
    :raises UnexpectedResponse: it is no pod
    """
    pod = read_pod(body, problems)
    volume = pod.child("networkVolume")
    volume_id = (volume.text("id") if volume else None) or pod.text("networkVolumeId")
    snapshot = read_snapshot(pod, source)
    # REST gives a path also where nothing is mounted.
    is_mounted = bool(snapshot.volume_gb or volume_id)
    return PodDetail(
        snapshot=snapshot,
        account_keys=source.keys if isinstance(source, Account) else None,
        env=read_environment(pod),
        container_disk_gb=pod.integer("containerDiskInGb"),
        volume_mount_path=pod.text("volumeMountPath") if is_mounted else None,
        network_volume_id=volume_id,
        template_id=pod.text("templateId"),
        registry_id=pod.text("containerRegistryAuthId"),
        args=_read_args(pod),
        vcpu_count=pod.number("vcpuCount"),
        memory_gb=pod.number("memoryInGb"),
        machine_id=pod.text("machineId"),
        locked=pod.flag("locked"),
        started_at=pod.moment("lastStartedAt"),
        machine=read_machine(pod.child("machine")),
        network_volume=read_network_volume(volume) if with_network_volume else None,
    )


def read_pod(body: object, problems: Problems) -> Fields:
    """Read one pod as REST gives it.

    :raises UnexpectedResponse: it is none
    """
    return _pod_fields(body, "pod", problems)


def snapshot_from_graphql(pod: GraphqlPod) -> PodSnapshot:
    """Make a snapshot of what GraphQL alone tells: as much as ssh needs."""
    status = pod.desired_status or ""
    return PodSnapshot(
        id=pod.id,
        name=pod.name,
        generation="classic",
        desired_status=status,
        state_status=status,
        signal=pod.signal,
        runtime=pod.runtime,
        last_status_change=pod.last_status_change,
        declared_ports=pod.declared_ports,
        ssh_proxy=pod.ssh_proxy,
        maintenance=pod.maintenance,
    )


def _signal(pod: Fields, decides: GraphqlPod | None, source: RuntimeSource) -> RuntimeSignal:
    if not is_running(pod):
        return RuntimeSignal.NOT_ASKED
    if isinstance(source, RuntimeSignal):
        return source
    return decides.signal if decides else RuntimeSignal.NOT_IN_SNAPSHOT


def _last_change(pod: Fields, decides: GraphqlPod | None) -> object:
    """Give the change that the decider tells, where that is a sentence; else what REST has."""
    told = decides.last_status_change if decides else None
    return told if isinstance(told, str) and told else pod.raw.get("lastStatusChange")


def _read_gpu_id(pod: Fields, gpu: Fields | None, machine: Fields | None) -> str | None:
    return (
        (gpu.text("id") if gpu else None)
        or pod.text("gpuTypeId")
        or (machine.text("gpuTypeId") if machine else None)
    )


def _read_gpu_count(pod: Fields, gpu: Fields | None) -> int:
    count = gpu.integer("count") if gpu else None
    return (pod.integer("gpuCount") if count is None else count) or 0


def _read_args(pod: Fields) -> str | None:
    """Give the arguments of the container, which REST keeps as a list, in one line of a shell."""
    words = pod.elements("dockerStartCmd")
    return shlex.join(w for w in words if isinstance(w, str)) or pod.text("dockerArgs")


def _pod_fields(body: object, name: str, problems: Problems, at: int | None = None) -> Fields:
    place = name if at is None else f"{name}[{at}]"
    if not isinstance(body, Mapping):
        raise _unexpected(place, "a pod", body)
    pod_id = body.get("id")
    if not isinstance(pod_id, str) or not pod_id:
        raise _unexpected(f"{place}.id", "a text", pod_id)
    return Fields(body, name, problems, at=at)


def _unexpected(what: str, wanted: str, came: object) -> UnexpectedResponse:
    return UnexpectedResponse(f"{what}: {wanted} was expected, and {kind_of(came)} came", api="v1")
