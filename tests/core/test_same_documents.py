"""One scenario, two generations of the API, the same documents: compared field by field.

Each field that only one control plane can know is named here, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rpcli.sandbox import Sandbox
    from rpcli.testing.runner import Runner

#: Fields of a document that only v2 has, and why classic cannot know them.
ONLY_V2 = {
    "platformStatus": "the word of v2 itself",
    "createdAt": "no pod of REST v1 tells when it was created",
    "cloud": "REST v1 tells it of the machine alone",
    "dataCenterId": "REST v1 tells it of the machine alone",
    "cudaVersion": "REST v1 has no such field",
    "actions": "REST v1 has no such field",
    "networkVolume.type": "REST v1 has no tiers of volumes",
    "machine.id": "the machine of REST v1 has no id of its own",
    "machine.podHostId": "GraphQL's word; REST v1 leaves it out of the machine",
}
#: Fields that only classic has, and why v2 cannot know them.
ONLY_CLASSIC = {
    "machineId": "v2 does not name machines",
    "vcpuCount": "v2 tells it of CPU pods alone",
    "memoryInGb": "v2 tells it of CPU pods alone",
    "costPerHr": "of a stopped pod v2 tells 0.0, which is not its price",
    "machine.dataCenterId": "the pod of v2 has it, and GraphQL's machine need not",
}
#: What GraphQL adds on v2, where it is asked: these fields, or these values of them.
ONLY_WITH_REASONS = {"lastStatusChange", "runtimeStatusReason"}
ENRICHED = {"stopped_by_user", "stopped_by_runpod", "stopped_outbid", "host_maintenance"}

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILXGDN/SclOozk1xsDztpmhGiKkkrfQB9SKoO8dSIQQZ me@example"
CHANGE = "Wed Jul 29 2026 21:56:48 GMT+0000 (Coordinated Universal Time)"
SCENARIO: dict[str, Any] = {
    "clock": {"now": "2026-12-01T12:00:00Z", "frozen": True},
    "account": {
        "sshKeys": [KEY],
        "networkVolumes": [
            {"id": "vol0", "name": "datasets", "size": 100, "dataCenterId": "US-KS-2"}
        ],
    },
    "pods": [
        {
            "id": "pod0running",
            "name": "trainer",
            "image": "runpod/pytorch:2.8.0",
            "env": {"MODE": "offline", "PUBLIC_KEY": "null"},
            "volume": 50,
            "template": "30zmvf89kd",
            "registry": "reg1",
            "locked": True,
            "uptime": 3600,
            "createdAt": "2026-11-01T08:00:00Z",
            "startedAt": "2026-12-01T11:00:00Z",
            "mapped": [
                {"private": 22, "public": 34446, "ip": "203.0.113.7"},
                {
                    "private": 8888,
                    "public": 60141,
                    "type": "http",
                    "ip": "100.65.0.101",
                    "isIpPublic": False,
                },
            ],
        },
        {"id": "pod0pulling", "uptime": None, "gpu": {"id": "NVIDIA A40", "count": 2}},
        {"id": "pod0just0up", "uptime": 0, "ports": [], "gpu": {"id": "NVIDIA L4"}},
        {"id": "pod0no022", "ports": ["8080/http", "2222/tcp"]},
        {
            "id": "pod0private",
            "ports": ["22/tcp"],
            "mapped": [{"private": 22, "public": 40022, "ip": "100.65.0.102", "isIpPublic": False}],
        },
        {"id": "pod0unmapped", "ports": ["22/tcp"], "mapped": []},
        {
            "id": "pod0upkeep",
            "uptime": None,
            "machine": {
                "location": "US",
                "gpuAvailable": 2,
                "maintenanceStart": "2020-01-01T00:00:00.000Z",
                "maintenanceEnd": "2999-01-01T00:00:00.000Z",
                "maintenanceNote": "new disks",
            },
        },
        {
            "id": "pod0cpu",
            "cpu": {"id": "cpu5c", "vcpuCount": 4, "memory": 16},
            "networkVolume": "vol0",
            "volumePath": "/data",
            "cost": 0.12,
        },
        {"id": "pod0user", "status": "EXITED", "lastStatusChange": f"Exited by user: {CHANGE}"},
        {
            "id": "pod0broke",
            "status": "EXITED",
            "lastStatusChange": "Exited by RunPod: Insufficient balance",
        },
        {"id": "pod0outbid", "status": "EXITED", "lastStatusChange": f"Outbid: {CHANGE}"},
        {"id": "pod0silent", "status": "EXITED", "lastStatusChange": None},
    ],
}
for _pod in SCENARIO["pods"]:
    _pod.setdefault("machine", {}).update(gpuDisplayName="a GPU", supportPublicIp=True)
PODS = [pod["id"] for pod in SCENARIO["pods"]]

pytestmark = pytest.mark.scenario(SCENARIO)
Ask = Callable[..., tuple[Any, Any]]


@pytest.fixture
def ask(sandbox: Sandbox, rpcli_run: Runner) -> Ask:
    """Run a command on each control plane, and give both documents."""

    def run(*argv: str) -> tuple[Any, Any]:
        documents = []
        for api in ("v2", "classic"):
            result = rpcli_run("--api", api, *argv, "-f", "json")
            assert result.status == 0, result.stderr
            documents.append(result.json)
        return documents[0], documents[1]

    return run


def flat(document: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Give the fields of a document by their paths; lists and env are values."""
    found: dict[str, Any] = {}
    for key, value in document.items():
        if isinstance(value, dict) and key != "env":
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def differences(
    v2: Mapping[str, Any], classic: Mapping[str, Any], *, besides: Collection[str] = ()
) -> tuple[set[str], set[str]]:
    """Give the fields that only one has; those that both have must be equal, a few besides."""
    ours = {key: value for key, value in flat(v2).items() if key not in besides}
    theirs = {key: value for key, value in flat(classic).items() if key not in besides}
    shared = ours.keys() & theirs.keys()
    assert {key: ours[key] for key in shared} == {key: theirs[key] for key in shared}
    return ours.keys() - theirs.keys(), theirs.keys() - ours.keys()


def test_a_list_differs_in_named_fields_alone(ask: Ask) -> None:
    v2, classic = ask("pod", "list", "--all")
    assert [pod["id"] for pod in v2] == [pod["id"] for pod in classic] == PODS
    for ours, theirs in zip(v2, classic, strict=True):
        only_v2, only_classic = differences(ours, theirs, besides=ONLY_WITH_REASONS)
        assert only_v2 <= ONLY_V2.keys()
        assert only_classic <= ONLY_CLASSIC.keys()
        if theirs.get("runtimeStatusReason") not in ENRICHED:
            assert ours.get("runtimeStatusReason") == theirs.get("runtimeStatusReason")


def test_a_list_with_reasons_has_classics_reasons_too(ask: Ask) -> None:
    v2, classic = ask("pod", "list", "--all", "--why")
    for ours, theirs in zip(v2, classic, strict=True):
        only_v2, only_classic = differences(ours, theirs)
        assert only_v2 <= ONLY_V2.keys()
        assert only_classic <= ONLY_CLASSIC.keys()
    assert {pod["id"]: pod.get("runtimeStatusReason") for pod in v2} == {
        "pod0running": None,
        "pod0pulling": "awaiting_container",
        "pod0just0up": None,
        "pod0no022": None,
        "pod0private": None,
        "pod0unmapped": None,
        "pod0upkeep": "host_maintenance",
        "pod0cpu": None,
        "pod0user": "stopped_by_user",
        "pod0broke": "stopped_by_runpod",
        "pod0outbid": "stopped_outbid",
        "pod0silent": None,
    }


def test_every_pod_in_full_differs_in_named_fields_alone(ask: Ask) -> None:
    seen: set[str] = set()
    for name in PODS:
        v2, classic = ask("pod", "get", name, "--include-machine", "--include-network-volume")
        only_v2, only_classic = differences(v2, classic)
        assert only_v2 <= ONLY_V2.keys(), name
        assert only_classic <= ONLY_CLASSIC.keys(), name
        seen |= only_v2 | only_classic
    # What is named here and makes no difference any more is to be taken out.
    assert seen == ONLY_V2.keys() | ONLY_CLASSIC.keys()


def test_ssh_does_not_tell_the_planes_apart(ask: Ask) -> None:
    for name in PODS:
        v2, classic = ask("ssh", "info", name)
        # ssh asks v2 for no reasons: it knows that a pod is stopped, and not by whom.
        enriched = classic.get("reason") in ENRICHED
        besides = {"reason", "error", "remediation"} if enriched else set[str]()
        assert differences(v2, classic, besides=besides) == (set(), set()), name
    v2, classic = ask("ssh", "connect")
    assert v2 == classic
    assert [item["id"] for item in v2["connections"]] == ["pod0running", "pod0cpu"]
