"""What is known of a pod at one moment, whichever control plane said it.

Rules: a field that the platform did not give is ``None``; nothing is invented here. Only the
adapters of :mod:`rpcli.controlplane` build these; everything above reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from types import MappingProxyType
from typing import Literal, NamedTuple

Generation = Literal["v2", "classic"]


class RuntimeSignal(Enum):
    """What could be learned about the container behind a pod."""

    PRESENT = "present"  #: the container reports
    ABSENT = "absent"  #: asked, and there is no container yet
    NOT_ASKED = "not_asked"  #: the status alone decides
    UNAVAILABLE = "unavailable"  #: transport fault, 5xx or cap reached
    FORBIDDEN = "forbidden"  #: the key may list pods and not read runtime
    NOT_IN_SNAPSHOT = "not_in_snapshot"  #: asked, and the snapshot lacks this pod


class Port(NamedTuple):
    """One mapped port: ``private`` in the container, ``public`` on the host once it is mapped."""

    private: int
    public: int | None
    kind: str  #: ``tcp``, ``http`` or ``udp``
    ip: str | None
    is_public: bool | None  #: None where the API does not say (v2)


class Runtime(NamedTuple):
    """Telemetry of a container that reports."""

    uptime_seconds: int | None
    ports: tuple[Port, ...] | None = ()  #: None: no list was given


class SshEndpoint(NamedTuple):
    """An address that the platform itself gives for ssh."""

    host: str
    port: int
    user: str


class Maintenance(NamedTuple):
    """A window announced for the machine; either end may be unknown."""

    start: datetime | None = None
    end: datetime | None = None
    note: str | None = None


class PodSnapshot(NamedTuple):
    """A pod as one look at the control plane showed it."""

    id: str
    name: str
    generation: Generation
    desired_status: str  #: the contract's word
    state_status: str  #: what the runtime state derives from, in the generation's own words
    signal: RuntimeSignal
    runtime: Runtime | None = None
    platform_status: str | None = None  #: v2's own word
    image: str = ""
    gpu_id: str | None = None
    gpu_count: int = 0
    volume_gb: int = 0
    cost_per_hr: float | None = None  #: US dollars an hour
    created_at: datetime | None = None
    last_status_change: object = None  #: as received: a sentence, or anything else, or None
    declared_ports: tuple[str, ...] = ()  #: ``8888/http``, in the order declared
    ssh_direct: SshEndpoint | None = None  #: v2 only
    ssh_proxy: SshEndpoint | None = None
    maintenance: Maintenance | None = None


class PodDetail(NamedTuple):
    """A pod with all that ``pod get`` shows beside the list's fields."""

    snapshot: PodSnapshot
    account_keys: tuple[str, ...] | None = None  #: public keys of the account; None: unknown
    env: Mapping[str, str] = MappingProxyType({})
    container_disk_gb: int | None = None
    volume_mount_path: str | None = None
    network_volume_id: str | None = None
    template_id: str | None = None
    registry_id: str | None = None
    args: str | None = None
    vcpu_count: float | None = None
    memory_gb: float | None = None
    machine_id: str | None = None
    locked: bool | None = None
    started_at: datetime | None = None
    cloud: str | None = None
    data_center_id: str | None = None
    cuda_version: str | None = None
    actions: tuple[str, ...] | None = None
    machine: Mapping[str, object] | None = None  #: with --include-machine
    network_volume: Mapping[str, object] | None = None  #: with --include-network-volume
