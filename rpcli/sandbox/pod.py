"""A pod as the sandbox keeps it: one record, whichever API looks at it.

Rules: :attr:`Pod.status` is in the words of REST v2, and what the older APIs say follows from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rpcli.sandbox.logstore import Log

#: What a pod may be told, by its status. Source: the action route of REST v2, its text.
ACTIONS: Mapping[str, tuple[str, ...]] = {
    "PROVISIONING": ("stop", "terminate"),
    "STARTING": ("stop", "terminate"),
    "RUNNING": ("stop", "restart", "terminate"),
    "EXITED": ("start", "terminate"),
    "ERROR": ("start", "terminate"),
    "TERMINATED": (),
}
_ODD: Mapping[str, float] = {"$nan": math.nan, "$infinity": math.inf}
#: The statuses of a pod that somebody wants to run.
RUNNING_WORDS = frozenset(("PROVISIONING", "STARTING", "RUNNING"))


@dataclass
class PortMapping:
    """A port of the container, and where the host publishes it."""

    private: int
    public: int | None
    type: str
    ip: str | None
    is_public: bool = True


@dataclass
class Pod:
    """One pod. Sizes are GB, the cost is US dollars an hour while it runs."""

    id: str
    name: str
    status: str = "RUNNING"
    image: str = "runpod/pytorch:2.8.0"
    args: str = ""
    disk: int = 20
    volume: int = 0
    volume_path: str = "/workspace"
    network_volume: str | None = None
    ports: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    registry: str | None = None
    template: str | None = None
    cloud: str = "SECURE"
    data_center: str | None = "US-KS-2"
    cuda: str | None = "12.8"
    gpu_id: str | None = "NVIDIA GeForce RTX 4090"
    gpu_count: int = 1
    cpu: dict[str, Any] | None = None
    vcpu: float = 16
    memory: float = 62
    cost: float = 0.69
    locked: bool = False
    global_networking: bool = False
    cluster: str | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    last_change: str | None = None
    machine: dict[str, Any] | None = None
    #: When a start that is under way began; None: there is none.
    starting_since: datetime | None = None
    #: When the container will begin to report; None: it does, or never will.
    container_at: datetime | None = None
    #: When the container began to report; None: it does not.
    container_since: datetime | None = None
    #: When the ports are published anew; None: they are what they are.
    publish_at: datetime | None = None
    #: Whether the mappings are what a scenario gave, and hold until the pod is started anew.
    keeps_mappings: bool = False
    mappings: list[PortMapping] = field(default_factory=list)
    #: Members that are laid over what a plane answers, by ``v2``, ``rest`` and ``graphql``.
    overrides: dict[str, dict[str, Any]] = field(default_factory=dict)
    log: Log = field(default_factory=Log)
    #: What a scenario says of its log; of it, what comes while the pod runs is needed again.
    log_specs: Sequence[Mapping[str, Any]] = ()

    @property
    def running(self) -> bool:
        """Whether somebody wants it to run."""
        return self.status in RUNNING_WORDS

    @property
    def reports(self) -> bool:
        """Whether its container is up and says so."""
        return self.status == "RUNNING" and self.container_since is not None

    @property
    def host_id(self) -> str:
        """The user name of the platform's ssh proxy."""
        return str((self.machine or {}).get("podHostId") or f"{self.id}-64411eb2")

    def shown_on(self, plane: str) -> bool:
        """Whether a plane knows it: ``"$absent": true`` among its overrides hides it there."""
        return self.overrides.get(plane, {}).get("$absent") is not True

    def uptime(self, now: datetime) -> int:
        """Give the whole seconds that the container has been up."""
        since = self.container_since or now
        return max(int((now - since).total_seconds()), 0)

    def ssh_mapping(self) -> PortMapping | None:
        """Give the public address of port 22, where it has one."""
        for port in self.mappings:
            if port.private == 22 and port.type == "tcp" and port.is_public and port.public:
                return port
        return None


def merged(document: dict[str, Any], pod: Pod, plane: str) -> dict[str, Any]:
    """Lay a plane's overrides over its answer.

    The text ``"$missing"`` takes a member out, ``"$nan"`` and ``"$infinity"`` stand for what JSON
    has no word for. Keys that begin with ``$`` are orders to the sandbox and no members.
    """
    for key, value in pod.overrides.get(plane, {}).items():
        if value == "$missing":
            document.pop(key, None)
        elif not key.startswith("$"):
            document[key] = _ODD.get(value, value) if isinstance(value, str) else value
    return document
