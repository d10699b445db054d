"""What a pod of REST v2 is in the words of the domain. Pure.

Rules: the fields are those of the published document; what v2 does not tell (who ended a pod,
maintenance) comes in as a reason from GraphQL.
"""

from __future__ import annotations

from collections.abc import Mapping

from rpcli.controlplane.fields import Fields, Problems
from rpcli.controlplane.podparts import (
    Reason,
    read_declared_ports,
    read_environment,
)
from rpcli.controlplane.v2_envelopes import unexpected
from rpcli.domain.pod import (
    PodDetail,
    PodSnapshot,
    Port,
    Runtime,
    RuntimeSignal,
    SshEndpoint,
)

#: The contract's word for each of the platform's; a word that is not here is passed through.
DESIRED: Mapping[str, str] = {
    "PROVISIONING": "RUNNING",
    "STARTING": "RUNNING",
    "RUNNING": "RUNNING",
    "EXITED": "EXITED",
    "ERROR": "EXITED",
    "TERMINATED": "TERMINATED",
}
#: Statuses of which the API says that a pod costs 0.0, which is not its price.
_WITHOUT_PRICE = frozenset({"EXITED", "TERMINATED"})


def read_pods(
    elements: list[object], problems: Problems, *, first: int = 0, reach: bool = True
) -> list[PodSnapshot]:
    """Read the pods of a page; a null among them is skipped and reported.

    :param first: the place of the first of them in the whole list, for reports
    :param reach: whether mapped ports and ssh addresses are wanted, which no list shows
    :raises UnexpectedResponse: something else than a pod is among them
    """
    pods = []
    for at, element in enumerate(elements, first):
        if element is None:
            problems.add(f"pods[{at}]", "null was skipped")
        else:
            pods.append(read_snapshot(_pod_fields(element, "pods", problems, at), reach=reach))
    return pods


def with_reasons(pods: list[PodSnapshot], reasons: Mapping[str, Reason]) -> list[PodSnapshot]:
    """Add what GraphQL told of the reasons, where it told something."""
    return [_with_reason(pod, reasons[pod.id]) if pod.id in reasons else pod for pod in pods]


def _with_reason(pod: PodSnapshot, reason: Reason) -> PodSnapshot:
    return pod._replace(
        last_status_change=reason.last_status_change, maintenance=reason.maintenance
    )


def read_detail(
    body: object,
    reason: Reason,
    problems: Problems,
    *,
    account_keys: tuple[str, ...] | None = None,
    network_volume: Mapping[str, object] | None = None,
) -> PodDetail:
    """Read one pod with all that there is to know.

    :raises UnexpectedResponse: it is no pod
    """
    pod = _pod_fields(body, "pod", problems)
    cpu = pod.child("cpu")
    mount = _network_mount(pod)
    return PodDetail(
        snapshot=_with_reason(read_snapshot(pod), reason),
        account_keys=account_keys,
        env=read_environment(pod),
        container_disk_gb=pod.integer("disk"),
        volume_mount_path=_mount_path(pod, mount),
        network_volume_id=mount.text("volumeId") if mount else None,
        template_id=pod.text("template"),
        registry_id=pod.text("registry"),
        args=pod.text("args"),
        vcpu_count=cpu.number("vcpuCount") if cpu else None,
        memory_gb=cpu.number("memory") if cpu else None,
        locked=pod.flag("locked"),
        started_at=pod.moment("startedAt"),
        cloud=pod.text("cloud"),
        data_center_id=pod.text("dataCenterId"),
        cuda_version=pod.text("cudaVersion"),
        actions=_read_actions(pod),
        machine=reason.machine,
        network_volume=network_volume,
    )


def read_network_volume_id(body: object, problems: Problems) -> str | None:
    """Give the id of the network volume that a pod mounts.

    :raises UnexpectedResponse: it is no pod
    """
    mount = _network_mount(_pod_fields(body, "pod", problems))
    return mount.text("volumeId") if mount else None


def read_snapshot(pod: Fields, *, reach: bool = True) -> PodSnapshot:
    """Read what a list shows of a pod and, with ``reach``, what ssh needs of it."""
    status = pod.word("status")
    gpu = pod.child("gpu")
    ssh = pod.child("ssh") if reach else None
    signal, runtime = _read_runtime(pod, reach=reach)
    cost = None if status in _WITHOUT_PRICE else pod.number("cost")
    return PodSnapshot(
        id=str(pod.raw["id"]),
        name=pod.text("name") or "",
        generation="v2",
        desired_status=DESIRED.get(status, status),
        state_status=status,
        signal=signal,
        runtime=runtime,
        platform_status=status or None,
        image=pod.text("image") or "",
        gpu_id=gpu.text("id") if gpu else None,
        gpu_count=_read_gpu_count(gpu) if gpu else 0,
        volume_gb=_read_volume(pod),
        cost_per_hr=cost,
        created_at=pod.moment("createdAt"),
        declared_ports=read_declared_ports(pod),
        ssh_direct=_read_endpoint(ssh, "direct") if ssh else None,
        ssh_proxy=_read_endpoint(ssh, "proxy") if ssh else None,
    )


def _pod_fields(body: object, name: str, problems: Problems, at: int | None = None) -> Fields:
    if not isinstance(body, dict):
        raise unexpected(_place(name, at), "a pod", body)
    pod_id = body.get("id")
    if not isinstance(pod_id, str) or not pod_id:
        raise unexpected(f"{_place(name, at)}.id", "a text", pod_id)
    return Fields(body, name, problems, at=at)


def _place(name: str, at: int | None) -> str:
    return name if at is None else f"{name}[{at}]"


def _read_gpu_count(gpu: Fields) -> int:
    # The document's default: a pod with a GPU and without a count has one.
    count = gpu.integer("count")
    return 1 if count is None and gpu.raw.get("count") is None else count or 0


def _read_runtime(pod: Fields, *, reach: bool) -> tuple[RuntimeSignal, Runtime | None]:
    """Read the signal: an empty runtime is none, as the create example shows."""
    raw = pod.raw.get("runtime")
    if raw is None or raw == {}:
        return RuntimeSignal.ABSENT, None
    runtime = pod.child("runtime")
    if runtime is None:
        return RuntimeSignal.UNAVAILABLE, None
    ports = _read_ports(runtime) if reach else None
    return RuntimeSignal.PRESENT, Runtime(runtime.integer("uptime"), ports)


def _read_ports(runtime: Fields) -> tuple[Port, ...] | None:
    if runtime.raw.get("ports") is None:
        return None
    ports = []
    for port in runtime.children("ports"):
        private = port.port("private")
        if private is not None:
            kind = (port.text("type") or "").lower()
            ports.append(Port(private, port.port("public"), kind, port.text("ip"), None))
    return tuple(ports)


def _read_endpoint(ssh: Fields, key: str) -> SshEndpoint | None:
    endpoint = ssh.child(key)
    if endpoint is None:
        return None
    host, port, user = endpoint.text("host"), endpoint.port("port"), endpoint.text("username")
    return SshEndpoint(host, port, user) if host and port and user else None


def _read_volume(pod: Fields) -> int:
    mounts = pod.child("mounts")
    persistent = mounts.child("persistent") if mounts else None
    return (persistent.integer("size") if persistent else None) or 0


def _network_mount(pod: Fields) -> Fields | None:
    mounts = pod.child("mounts")
    found = mounts.children("network") if mounts else []
    return found[0] if found else None


def _mount_path(pod: Fields, network: Fields | None) -> str | None:
    mounts = pod.child("mounts")
    persistent = mounts.child("persistent") if mounts else None
    mount = persistent or network
    return mount.text("path") if mount else None


def _read_actions(pod: Fields) -> tuple[str, ...] | None:
    if pod.raw.get("actions") is None:
        return None
    return tuple(action for action in pod.elements("actions") if isinstance(action, str))
