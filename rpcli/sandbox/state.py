"""One account, whichever API looks at it.

Rules: everything here is guarded by :attr:`State.lock`; time comes from the sandbox's clock; a pod
is moved on (provisioning, starting, running) when it is looked at, never by a timer.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from rpcli.sandbox.clock import SandboxClock

#: Seconds after a start until the container starts, and until it runs.
STARTING_AFTER = 1.0
RUNNING_AFTER = 2.0
#: What a pod may be told, by its status; from the documentation of the action route of REST v2.
ACTIONS: Mapping[str, tuple[str, ...]] = {
    "PROVISIONING": ("stop", "terminate"),
    "STARTING": ("stop", "terminate"),
    "RUNNING": ("stop", "restart", "terminate"),
    "EXITED": ("start", "terminate"),
    "ERROR": ("start", "terminate"),
    "TERMINATED": (),
}
RUNNING_WORDS = ("PROVISIONING", "STARTING", "RUNNING")


@dataclass
class PortMapping:
    """A port of the container and where the host publishes it."""

    private: int
    public: int | None
    type: str
    ip: str | None
    is_public: bool = True


@dataclass
class Pod:
    """A pod; :attr:`status` is in the words of REST v2, all else follows from it."""

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
    cluster: str | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    last_change: str | None = None
    machine: dict[str, Any] | None = None
    #: When the container began to report; None: it does not.
    container_since: datetime | None = None
    #: When a start that is under way began.
    starting_since: datetime | None = None
    mappings: list[PortMapping] = field(default_factory=list)
    #: Members that are merged over what a plane answers: skew, odd values, missing keys.
    overrides: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def running(self) -> bool:
        """Whether somebody wants it to run."""
        return self.status in RUNNING_WORDS

    @property
    def reports(self) -> bool:
        """Whether its container is up and reports."""
        return self.status == "RUNNING" and self.container_since is not None

    @property
    def host_id(self) -> str:
        """The user name of the platform's ssh proxy."""
        return str((self.machine or {}).get("podHostId") or f"{self.id}-64411eb2")

    def uptime(self, now: datetime) -> int:
        """Seconds that the container has been up."""
        since = self.container_since or now
        return max(int((now - since).total_seconds()), 0)

    def ssh_mapping(self) -> PortMapping | None:
        """Where port 22 can be reached from anywhere."""
        for port in self.mappings:
            if port.private == 22 and port.type == "tcp" and port.is_public and port.public:
                return port
        return None


@dataclass
class State:
    """Everything that the sandbox knows of its account."""

    clock: SandboxClock
    pods: dict[str, Pod] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    network_volumes: list[dict[str, Any]] = field(default_factory=list)
    endpoints: list[dict[str, Any]] = field(default_factory=list)
    quirks: dict[str, Any] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    next_port: int = 34446
    next_id: int = 0
    #: Gives the loopback port of a listener that greets as sshd does; None: there is none.
    banner_port: int | None = None

    def list_pods(self) -> list[Pod]:
        """Give the pods that lists show, each moved on to now."""
        for pod in self.pods.values():
            self._move_on(pod)
        return [pod for pod in self.pods.values() if pod.status != "TERMINATED"]

    def find_pod(self, pod_id: str) -> Pod | None:
        """Give a pod by its id, terminated ones too."""
        pod = self.pods.get(pod_id)
        if pod is not None:
            self._move_on(pod)
        return pod

    def create(self, name: str, **members: Any) -> Pod:
        """Make a pod that is about to be provisioned."""
        self.next_id += 1
        now = self.clock.now()
        pod = Pod(id=f"sandbox{self.next_id:07}", name=name, **members)
        pod.created_at = now
        pod.last_change = sentence("Rented by User", now)
        self.pods[pod.id] = pod
        self._begin(pod)
        return pod

    def act(self, pod: Pod, action: str, by: str = "User") -> bool:
        """Do what v2 calls an action; False where the status does not allow it."""
        if action not in ACTIONS.get(pod.status, ()):
            return False
        now = self.clock.now()
        if action == "start":
            pod.last_change = sentence("Rented by User", now)
            self._begin(pod)
        elif action == "restart":
            self._begin(pod)
        elif action == "stop":
            pod.status = "EXITED"
            pod.starting_since = None
            pod.last_change = sentence(f"Exited by {by}", now)
        else:
            pod.status = "TERMINATED"
            pod.last_change = sentence(f"Terminated by {by}", now)
        return True

    def _begin(self, pod: Pod) -> None:
        pod.status = "PROVISIONING"
        pod.starting_since = pod.started_at = self.clock.now()
        pod.container_since = None
        pod.mappings = []

    def _move_on(self, pod: Pod) -> None:
        if pod.starting_since is None:
            return
        passed = (self.clock.now() - pod.starting_since).total_seconds()
        if passed >= RUNNING_AFTER:
            pod.status = "RUNNING"
            pod.container_since = pod.starting_since + timedelta(seconds=RUNNING_AFTER)
            pod.starting_since = None
            pod.mappings = self.map_ports(pod.ports)
        elif passed >= STARTING_AFTER:
            pod.status = "STARTING"

    def map_ports(self, declared: list[str]) -> list[PortMapping]:
        """Publish ports: a new number at each start, 22 where something greets as sshd does."""
        mappings = []
        for entry in declared:
            number, _, kind = entry.partition("/")
            if not number.isdigit():
                continue
            private = int(number)
            self.next_port += 1
            if kind == "tcp":
                public = self.banner_port if private == 22 and self.banner_port else self.next_port
                mappings.append(PortMapping(private, public, "tcp", "127.0.0.1"))
            else:
                mappings.append(
                    PortMapping(private, self.next_port, kind or "http", "100.65.0.101", False)
                )
        return mappings


def sentence(what: str, when: datetime) -> str:
    """Write a status change as the platform does: JavaScript's ``Date.toString()`` behind it."""
    return f"{what}: {when:%a %b %d %Y %H:%M:%S} GMT+0000 (Coordinated Universal Time)"


def merged(document: dict[str, Any], pod: Pod, plane: str) -> dict[str, Any]:
    """Lay a plane's overrides over its answer; the text ``"$missing"`` takes a member out."""
    for key, value in pod.overrides.get(plane, {}).items():
        if value == "$missing":
            document.pop(key, None)
        else:
            document[key] = value
    return document
