"""One account, whichever API looks at it.

Rules: whoever reads or changes anything here holds :attr:`State.lock`; time comes from the clock of
the sandbox; a pod is moved on (provisioning, starting, running) when it is looked at, never by a
timer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from rpcli.sandbox import lifelines
from rpcli.sandbox.clock import SandboxClock
from rpcli.sandbox.endpoint import Endpoint
from rpcli.sandbox.logfeed import speak
from rpcli.sandbox.pod import ACTIONS, Pod, PortMapping, merged
from rpcli.sandbox.sentence import sentence
from rpcli.sandbox.stamp import nanoseconds

__all__ = ["ACTIONS", "Lifecycle", "Pod", "PortMapping", "State", "merged", "sentence"]

#: The address of a host that nobody can reach: reserved for documentation (RFC 5737).
NOWHERE = "203.0.113.7"
#: What the platform gives ports of its HTTP proxy: a carrier's private range.
PROXY = "100.65.0.101"


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """How long a start takes, in seconds: each counts from the step before it, or as it says."""

    starting: float = 1.0  #: from the start until the container starts
    running: float = 2.0  #: from the start until the pod is RUNNING
    container: float = 0.0  #: from RUNNING until the container reports
    sshd: float = 0.0  #: from the first report until sshd greets
    stale_address: float = 0.0  #: from the first report, that the address before is still given
    unpullable: float = 6.0  #: from the start until a pod whose image cannot be pulled exits


@dataclass
class State:
    """Everything that the sandbox knows of its account."""

    clock: SandboxClock
    pods: dict[str, Pod] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    network_volumes: list[dict[str, Any]] = field(default_factory=list)
    #: Container settings that a pod can be made from, by their ids.
    templates: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    endpoints: list[Endpoint] = field(default_factory=list)
    quirks: dict[str, Any] = field(default_factory=dict)
    lifecycle: Lifecycle = field(default_factory=Lifecycle)
    lock: threading.RLock = field(default_factory=threading.RLock)
    next_port: int = 34446
    next_id: int = 0
    #: Gives the loopback port of a listener that greets as sshd does from a moment on. None while
    #: nothing is served: then port 22 is published where nobody answers.
    sshd: Callable[[datetime], int] | None = None

    def list_pods(self) -> list[Pod]:
        """Give the pods that lists show, each moved on to now."""
        now = self.clock.now()
        for pod in self.pods.values():
            self._move_on(pod, now)
        return [pod for pod in self.pods.values() if pod.status != "TERMINATED"]

    def find_pod(self, pod_id: str) -> Pod | None:
        """Give a pod by its id, moved on to now; terminated ones too, unless a quirk hides them."""
        pod = self.pods.get(pod_id)
        if pod is None:
            return None
        self._move_on(pod, self.clock.now())
        if pod.status == "TERMINATED" and self.quirks.get("terminatedPods") == "gone":
            return None
        return pod

    def find_endpoint(self, endpoint_id: str) -> Endpoint | None:
        """Give an endpoint by its id."""
        return next((found for found in self.endpoints if found.id == endpoint_id), None)

    def create(self, name: str, **members: Any) -> Pod:
        """Make a pod that is about to be provisioned."""
        self.next_id += 1
        now = self.clock.now()
        pod = Pod(id=f"sandbox{self.next_id:07}", name=name, **members)
        pod.created_at = now
        pod.last_change = sentence("Rented by User", now)
        self.pods[pod.id] = pod
        self._begin(pod, now)
        return pod

    def act(self, pod: Pod, action: str, by: str = "User") -> bool:
        """Do what v2 calls an action; False where the status does not allow it."""
        if action not in ACTIONS.get(pod.status, ()):
            return False
        now = self.clock.now()
        if action == "start":
            pod.last_change = sentence("Rented by User", now)
            self._begin(pod, now)
        elif action == "restart":
            # In place: it is on its machine already.
            lifelines.stop(pod.log, pod.id, now)
            self._begin(pod, now - timedelta(seconds=self.lifecycle.starting), anew=False)
        elif action == "stop":
            self._end(pod, "EXITED", f"Exited by {by}", now)
        else:
            self._end(pod, "TERMINATED", f"Terminated by {by}", now)
        return True

    def map_ports(self, declared: list[str], since: datetime | None = None) -> list[PortMapping]:
        """Publish ports: a new number each time, and 22 where something greets as sshd does.

        :param since: when the container began to report; now where None
        """
        mappings = []
        for entry in declared:
            number, _, kind = entry.partition("/")
            if not (number.isascii() and number.isdigit()):
                continue
            private = int(number)
            if kind == "tcp":
                ip = NOWHERE if self.sshd is None else "127.0.0.1"
                public = self._sshd_port(since) if private == 22 else self._free_port()
                mappings.append(PortMapping(private, public, "tcp", ip))
            else:
                mappings.append(
                    PortMapping(private, self._free_port(), kind or "http", PROXY, is_public=False)
                )
        return mappings

    def _free_port(self) -> int:
        self.next_port = self.next_port + 1 if self.next_port < 65535 else 34446
        return self.next_port

    def _sshd_port(self, since: datetime | None) -> int:
        if self.sshd is None:
            return self._free_port()
        ready = (since or self.clock.now()) + timedelta(seconds=self.lifecycle.sshd)
        return self.sshd(ready)

    def _begin(self, pod: Pod, since: datetime, *, anew: bool = True) -> None:
        pod.status = "PROVISIONING"
        pod.starting_since = since
        pod.container_at = pod.container_since = pod.publish_at = None
        pod.keeps_mappings = False
        self._tell_start(pod, since, anew=anew)
        self._move_on(pod, self.clock.now())

    def _tell_start(self, pod: Pod, since: datetime, *, anew: bool) -> None:
        """Let its log tell of a start, and let it speak from the time on when it runs."""
        life = self.lifecycle
        if pod.image in self.quirks.get("unpullableImages", ()):
            ends = since + timedelta(seconds=life.unpullable)
            lifelines.fail(pod.log, pod.image, since, ends)
            return
        runs = since + timedelta(seconds=life.running)
        starting = since + timedelta(seconds=life.starting)
        pulls = min(starting, runs) if anew else None
        lifelines.boot(pod.log, pod.image, since if anew else starting, runs, pulls=pulls)
        speak(pod.log, pod.log_specs, nanoseconds(runs), pod.id)

    def _end(self, pod: Pod, status: str, what: str, when: datetime) -> None:
        self._tell_end(pod, status, when)
        pod.status = status
        pod.starting_since = pod.container_at = pod.publish_at = None
        pod.last_change = sentence(what, when)
        if not self.quirks.get("staleRuntime", True):
            pod.container_since = None
            pod.mappings = []

    def _tell_end(self, pod: Pod, status: str, when: datetime) -> None:
        if pod.running:
            lifelines.stop(pod.log, pod.id, when)
        if status == "TERMINATED":
            lifelines.remove(pod.log, pod.id, when)
            if "gone" in (self.quirks.get("terminatedLogs"), self.quirks.get("terminatedPods")):
                pod.log.end(nanoseconds(when))

    def _move_on(self, pod: Pod, now: datetime) -> None:
        if pod.starting_since is not None:
            self._boot(pod, pod.starting_since, (now - pod.starting_since).total_seconds())
        if pod.container_at is not None and now >= pod.container_at:
            self._report(pod, pod.container_at)
        if pod.publish_at is not None and now >= pod.publish_at and pod.reports:
            pod.publish_at = None
            pod.mappings = self.map_ports(pod.ports, pod.container_since)

    def _boot(self, pod: Pod, since: datetime, passed: float) -> None:
        life = self.lifecycle
        if pod.image in self.quirks.get("unpullableImages", ()):
            if passed >= life.unpullable:
                when = since + timedelta(seconds=life.unpullable)
                self._end(pod, "EXITED", "Exited by Runpod", when)
            elif passed >= life.starting:
                pod.status = "STARTING"
        elif passed >= life.running:
            pod.status = "RUNNING"
            pod.starting_since = None
            pod.started_at = since + timedelta(seconds=life.running)
            pod.container_at = pod.started_at + timedelta(seconds=life.container)
        elif passed >= life.starting:
            pod.status = "STARTING"

    def _report(self, pod: Pod, since: datetime) -> None:
        pod.container_at = None
        pod.container_since = since
        if pod.keeps_mappings:
            return
        stale = self.lifecycle.stale_address
        pod.publish_at = since + timedelta(seconds=stale)
        if not stale:
            pod.mappings = []
