"""Scenarios: what the sandbox plays, from those that ship, a file, or a mapping."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from rpcli.errors import ConfigError
from rpcli.sandbox.clock import SandboxClock
from rpcli.sandbox.state import ACTIONS, Pod, PortMapping, State, sentence

#: The key that a scenario has where it names none.
API_KEY = "rpa_SANDBOX0000000000000000000000000000000000"
_SIMPLE = {
    "name": "name", "image": "image", "args": "args", "disk": "disk", "volume": "volume",
    "volumePath": "volume_path", "networkVolume": "network_volume", "registry": "registry",
    "template": "template", "cloud": "cloud", "dataCenter": "data_center", "cuda": "cuda",
    "vcpu": "vcpu", "memory": "memory", "cost": "cost", "locked": "locked", "cluster": "cluster",
}  # fmt: skip


def scenario_names() -> dict[str, str]:
    """Give the scenarios that ship, each with one line on it."""
    found = {}
    for entry in files("rpcli.sandbox").joinpath("scenarios").iterdir():
        if entry.name.endswith(".json"):
            found[entry.name.removesuffix(".json")] = json.loads(entry.read_bytes())["summary"]
    return dict(sorted(found.items()))


def load_scenario(wanted: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Load a scenario: a mapping as it is, one that ships by its name, or a YAML or JSON file.

    :raises ConfigError: there is no such scenario, or the file does not fit the schema
    """
    if not isinstance(wanted, str):
        return wanted
    if "/" not in wanted and not wanted.endswith((".json", ".yaml", ".yml")):
        shipped = files("rpcli.sandbox").joinpath("scenarios", f"{wanted}.json")
        if not shipped.is_file():
            names = ", ".join(scenario_names())
            raise ConfigError(
                f"there is no scenario '{wanted}': choose from {names}, or name a file"
            )
        document: Mapping[str, Any] = json.loads(shipped.read_bytes())
        return document
    return _read(Path(wanted))


def _read(path: Path) -> Mapping[str, Any]:
    import yaml  # only a file of somebody's own needs it

    try:
        document = yaml.safe_load(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read the scenario {path}: {error.strerror or error}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        raise ConfigError(f"the scenario {path} is neither YAML nor JSON{where}") from None
    from rpcli.contract.registry import find
    from rpcli.contract.validate import validate_document

    violations = validate_document(find("core.scenario"), document, view="published")
    if violations:
        raise ConfigError(f"the scenario {path} does not fit its schema: {violations[0]}")
    checked: Mapping[str, Any] = document
    return checked


def build_state(scenario: Mapping[str, Any]) -> State:
    """Make the account that a scenario describes."""
    clock = scenario.get("clock", {})
    start = _moment(clock["now"]) if "now" in clock else None
    state = State(SandboxClock(start, frozen=clock.get("frozen", False)))
    account = scenario.get("account", {})
    state.keys = list(account.get("sshKeys", []))
    state.network_volumes = [dict(v) for v in account.get("networkVolumes", [])]
    state.endpoints = [dict(e) for e in scenario.get("endpoints", [])]
    state.quirks = dict(scenario.get("quirks", {}))
    for spec in _repeated(scenario.get("pods", [])):
        pod = build_pod(state, spec)
        state.pods[pod.id] = pod
    return state


def _repeated(specs: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Unfold ``repeat``: the text ``{n}`` in id and name becomes the number of the copy."""
    for spec in specs:
        for n in range(spec.get("repeat", 1)):
            number = f"{n:04}"
            yield {
                **spec,
                "id": spec["id"].replace("{n}", number),
                "name": spec.get("name", spec["id"]).replace("{n}", number),
            }


def build_pod(state: State, spec: Mapping[str, Any]) -> Pod:
    """Make one pod of its description."""
    now = state.clock.now()
    pod = Pod(id=spec["id"], name=spec["id"])
    for key, attribute in _SIMPLE.items():
        if key in spec:
            setattr(pod, attribute, spec[key])
    pod.status = spec.get("status", "RUNNING")
    pod.ports = list(spec.get("ports", ["8888/http", "22/tcp"]))
    pod.env = dict(spec.get("env", {}))
    pod.machine = dict(spec["machine"]) if spec.get("machine") else None
    if "cpu" in spec:
        pod.cpu, pod.gpu_id, pod.gpu_count = dict(spec["cpu"]), None, 0
    elif "gpu" in spec:
        pod.gpu_id, pod.gpu_count = spec["gpu"]["id"], spec["gpu"].get("count", 1)
    pod.created_at = _moment(spec["createdAt"]) if "createdAt" in spec else now - timedelta(days=2)
    pod.started_at = _moment(spec["startedAt"]) if "startedAt" in spec else None
    pod.last_change = _change(spec, pod, now)
    pod.overrides = {
        plane: dict(spec[plane]) for plane in ("v2", "rest", "graphql") if plane in spec
    }
    _start(state, pod, spec, now)
    return pod


def _start(state: State, pod: Pod, spec: Mapping[str, Any], now: datetime) -> None:
    """Give a running pod its container, and its ports their places."""
    up = spec.get("uptime", 3600)
    if pod.status == "RUNNING" and up is not None:
        pod.container_since = now - timedelta(seconds=up)
        pod.started_at = pod.started_at or pod.container_since
    if "mapped" in spec:
        pod.mappings = [
            PortMapping(
                m["private"],
                m.get("public"),
                m.get("type", "tcp"),
                m.get("ip"),
                m.get("isIpPublic", True),
            )
            for m in spec["mapped"]
        ]
    elif pod.reports:
        pod.mappings = state.map_ports(pod.ports)
        for mapping in pod.mappings:
            if mapping.type == "tcp" and state.banner_port is None:
                mapping.ip = "203.0.113.7"


def _change(spec: Mapping[str, Any], pod: Pod, now: datetime) -> str | None:
    if "lastStatusChange" in spec:
        found: str | None = spec["lastStatusChange"]
        return found
    if pod.status in ACTIONS and pod.running:
        return sentence("Rented by User", pod.created_at or now)
    return sentence("Terminated by User" if pod.status == "TERMINATED" else "Exited by User", now)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
