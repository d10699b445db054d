"""The account that a scenario describes, at the moment when the sandbox begins."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from rpcli.errors import ConfigError
from rpcli.sandbox.clock import SandboxClock
from rpcli.sandbox.logfeed import fill, speak
from rpcli.sandbox.moments import is_distance, moment, unfolded
from rpcli.sandbox.pod import Pod, PortMapping
from rpcli.sandbox.sentence import sentence
from rpcli.sandbox.stamp import nanoseconds
from rpcli.sandbox.state import Lifecycle, State
from rpcli.sandbox.workers import build_endpoint

#: Members of a pod that are taken as they are, by their names in a scenario.
_SIMPLE: Mapping[str, str] = {
    "status": "status",
    "image": "image",
    "args": "args",
    "disk": "disk",
    "volume": "volume",
    "volumePath": "volume_path",
    "networkVolume": "network_volume",
    "registry": "registry",
    "template": "template",
    "cloud": "cloud",
    "dataCenter": "data_center",
    "cuda": "cuda",
    "vcpu": "vcpu",
    "memory": "memory",
    "cost": "cost",
    "locked": "locked",
    "globalNetworking": "global_networking",
    "cluster": "cluster",
}
_LIFECYCLE: Mapping[str, str] = {
    "starting": "starting",
    "running": "running",
    "container": "container",
    "sshd": "sshd",
    "staleAddress": "stale_address",
    "unpullable": "unpullable",
}
_ENDED_BY: Mapping[str, str] = {
    "TERMINATED": "Terminated by User",
    "ERROR": "Exited by Runpod",
}
#: What a pod declares where its scenario says nothing.
_PORTS = ("8888/http", "22/tcp")
#: How long a container has been up where a scenario does not say, in seconds.
_UPTIME = 3600


def build_state(scenario: Mapping[str, Any]) -> State:
    """Make the account that a scenario describes.

    :raises ConfigError: a time in it is none, or two pods have one id
    """
    clock = scenario.get("clock", {})
    start = moment(clock["now"], datetime.now(UTC), "clock.now") if "now" in clock else None
    state = State(SandboxClock(start, frozen=clock.get("frozen", False)))
    account = scenario.get("account", {})
    state.keys = list(account.get("sshKeys", []))
    state.network_volumes = [dict(volume) for volume in account.get("networkVolumes", [])]
    state.templates = {template["id"]: template for template in account.get("templates", [])}
    state.quirks = dict(scenario.get("quirks", {}))
    given = scenario.get("lifecycle", {})
    state.lifecycle = Lifecycle(**{_LIFECYCLE[key]: value for key, value in given.items()})
    now = state.clock.now()
    for spec in unfolded(scenario.get("pods", [])):
        if spec["id"] in state.pods:
            raise ConfigError(f"two pods have the id {spec['id']}")
        state.pods[spec["id"]] = _pod(spec, now)
    state.endpoints = [build_endpoint(spec, now) for spec in scenario.get("endpoints", [])]
    return state


def _pod(spec: Mapping[str, Any], now: datetime) -> Pod:
    pod = Pod(id=spec["id"], name=spec["name"])
    for key, attribute in _SIMPLE.items():
        if key in spec:
            setattr(pod, attribute, spec[key])
    pod.ports = list(spec.get("ports", _PORTS))
    pod.env = dict(spec.get("env", {}))
    if "cpu" in spec:
        pod.cpu, pod.gpu_id, pod.gpu_count = dict(spec["cpu"]), None, 0
    elif "gpu" in spec:
        pod.gpu_id, pod.gpu_count = spec["gpu"]["id"], spec["gpu"].get("count", 1)
    pod.machine = _machine(spec["machine"], now) if "machine" in spec else None
    pod.created_at = moment(spec.get("createdAt", "-2d"), now, f"createdAt of {pod.id}")
    if "startedAt" in spec:
        pod.started_at = moment(spec["startedAt"], now, f"startedAt of {pod.id}")
    pod.last_change = _last_change(spec, pod, now)
    pod.overrides = {
        plane: dict(spec[plane]) for plane in ("v2", "rest", "graphql") if plane in spec
    }
    _contain(pod, spec, now)
    pod.log_specs = spec.get("logs", ())
    fill(pod.log, pod.log_specs, nanoseconds(now), pod.id)
    if pod.running:
        speak(pod.log, pod.log_specs, nanoseconds(now), pod.id)
    return pod


def _contain(pod: Pod, spec: Mapping[str, Any], now: datetime) -> None:
    """Give a pod its container, and its ports their places."""
    up = spec.get("uptime", _UPTIME if pod.status == "RUNNING" else None)
    if up is not None:
        since = now - timedelta(seconds=up)
        if up < 0:
            pod.container_at = since
        else:
            pod.container_since = since
        pod.started_at = pod.started_at or since
    if "mapped" in spec:
        pod.mappings = [
            PortMapping(
                private=port["private"],
                public=port.get("public"),
                type=port.get("type", "tcp"),
                ip=port.get("ip"),
                is_public=port.get("isIpPublic", True),
            )
            for port in spec["mapped"]
        ]
        pod.keeps_mappings = True
    elif pod.container_since is not None:
        pod.publish_at = pod.container_since


def _machine(spec: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Give the members of a machine; distances from now become times as the platform has them."""
    members = dict(spec)
    for key in ("maintenanceStart", "maintenanceEnd"):
        text = members.get(key)
        if isinstance(text, str) and is_distance(text):
            members[key] = f"{moment(text, now, key):%Y-%m-%dT%H:%M:%S}.000Z"
    return members


def _last_change(spec: Mapping[str, Any], pod: Pod, now: datetime) -> str | None:
    if "lastStatusChange" in spec:
        found: str | None = spec["lastStatusChange"]
        return found
    if pod.running:
        return sentence("Rented by User", pod.created_at or now)
    return sentence(_ENDED_BY.get(pod.status, "Exited by User"), now)
