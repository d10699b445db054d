"""REST v1 of the sandbox: what the live service and its document say, switch by switch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sandbox_calls import ask

from rpcli.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Mapping

NOW = {"now": "2026-10-02T05:28:38.366Z", "frozen": True}
RUNNING: dict[str, Any] = {
    "id": "run0",
    "name": "trainer",
    "ports": ["8888/http", "22/tcp"],
    "mapped": [
        {"private": 22, "public": 10341, "ip": "203.0.113.7"},
        {"private": 8888, "public": 60141, "type": "http", "ip": "100.65.0.1", "isIpPublic": False},
    ],
    "env": {"MODE": "offline"},
    "args": "serve --fast",
    "template": "tpl0",
    "networkVolume": "vol0",
    "machine": {"location": "US", "maintenanceNote": "new disks", "maintenanceEnd": None},
}
PULLING = {"id": "pull0", "uptime": None, "gpu": {"id": "NVIDIA L4", "count": 2}}
STOPPED = {"id": "stop0", "status": "EXITED", "dataCenter": "EU-RO-1"}
CPU = {"id": "cpu0", "cpu": {"id": "cpu5c", "vcpuCount": 4, "memory": 16}, "image": "alpine:3"}
TEMPLATE_ENV = {"A": "0", "B": "0"}
ACCOUNT = {
    "networkVolumes": [
        {"id": "vol0", "name": "datasets", "size": 100, "dataCenterId": "US-KS-2", "type": "X"}
    ],
    "templates": [
        {
            "id": "tpl0",
            "image": "tpl:1",
            "disk": 7,
            "ports": ["80/http"],
            "env": {"A": "0", "B": "0"},
        }
    ],
}
SCENARIO: dict[str, Any] = {
    "clock": NOW,
    "account": ACCOUNT,
    "pods": [RUNNING, PULLING, STOPPED, CPU],
}

pytestmark = pytest.mark.scenario(SCENARIO)


def playing(*pods: Mapping[str, Any], **more: Any) -> Sandbox:
    return Sandbox({"clock": NOW, "pods": list(pods), **more})


def ids(sandbox: Sandbox, query: str = "") -> list[str]:
    return [pod["id"] for pod in ask(sandbox, "GET", f"/v1/pods{query}").json]


def pod_of(sandbox: Sandbox, pod_id: str, query: str = "") -> dict[str, Any]:
    answer = ask(sandbox, "GET", f"/v1/pods/{pod_id}{query}")
    assert answer.status == 200
    document: dict[str, Any] = answer.json
    return document


def test_a_list_is_a_bare_array_without_rate_limits(sandbox: Sandbox) -> None:
    answer = ask(sandbox, "GET", "/v1/pods")
    assert [pod["id"] for pod in answer.json] == ["run0", "pull0", "stop0", "cpu0"]
    assert not [name for name in answer.headers if name.lower().startswith("ratelimit")]


def test_a_pod_in_full(sandbox: Sandbox) -> None:
    pod = pod_of(sandbox, "run0")
    assert pod == {
        "id": "run0",
        "name": "trainer",
        "desiredStatus": "RUNNING",
        "lastStatusChange": "Rented by User: Wed Sep 30 2026 05:28:38 GMT+0000 "
        "(Coordinated Universal Time)",
        "lastStartedAt": "2026-10-02T04:28:38.366Z",
        "image": "runpod/pytorch:2.8.0",
        "imageName": "runpod/pytorch:2.8.0",
        "env": {"MODE": "offline"},
        "ports": ["8888/http", "22/tcp"],
        "portMappings": {"22": 10341},
        "publicIp": "203.0.113.7",
        "costPerHr": 0.69,
        "adjustedCostPerHr": 0.69,
        "gpu": {"id": "NVIDIA GeForce RTX 4090", "count": 1, "displayName": "RTX 4090"},
        "vcpuCount": 16,
        "memoryInGb": 62,
        "containerDiskInGb": 20,
        "volumeInGb": 0,
        "volumeMountPath": "/workspace",
        "volumeEncrypted": False,
        "dockerStartCmd": ["serve", "--fast"],
        "templateId": "tpl0",
        "machineId": "s194cr8pls2z",
        "consumerUserId": "user_sandbox",
        "interruptible": False,
        "locked": False,
    }


def test_no_pod_has_a_runtime_and_what_is_unknown_is_left_out(sandbox: Sandbox) -> None:
    for pod in ask(sandbox, "GET", "/v1/pods?includeMachine=true").json:
        assert "runtime" not in pod
        assert [key for key, value in pod.items() if value is None] in ([], ["portMappings"])
    assert "gpu" not in pod_of(sandbox, "cpu0")
    assert pod_of(sandbox, "cpu0")["cpuFlavorId"] == "cpu5c"
    assert "lastStartedAt" not in pod_of(sandbox, "stop0")


@pytest.mark.parametrize("pod_id", ["pull0", "stop0"])
def test_a_pod_without_a_container_has_no_address(sandbox: Sandbox, pod_id: str) -> None:
    pod = pod_of(sandbox, pod_id)
    assert (pod["publicIp"], pod["portMappings"]) == ("", None)


def test_includes_add_the_machine_and_the_volume(sandbox: Sandbox) -> None:
    pod = pod_of(
        sandbox, "run0", "?includeMachine=true&includeNetworkVolume=true&includeSavingsPlans=true"
    )
    assert pod["machine"] == {
        "dataCenterId": "US-KS-2",
        "gpuTypeId": "NVIDIA GeForce RTX 4090",
        "gpuDisplayName": "RTX 4090",
        "location": "US",
        "maintenanceNote": "new disks",
        "secureCloud": True,
        "supportPublicIp": True,
    }
    volume = {"id": "vol0", "name": "datasets", "size": 100, "dataCenterId": "US-KS-2"}
    assert pod["networkVolume"] == volume
    assert pod["savingsPlans"] == []
    assert not {"machine", "networkVolume", "savingsPlans"} & pod_of(sandbox, "run0").keys()
    assert "networkVolume" not in pod_of(sandbox, "pull0", "?includeNetworkVolume=true")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("computeType=CPU", ["cpu0"]),
        ("computeType=GPU", ["run0", "pull0", "stop0"]),
        ("cpuFlavorId=cpu3c,cpu5c", ["cpu0"]),
        ("dataCenterId=EU-RO-1", ["stop0"]),
        ("desiredStatus=EXITED", ["stop0"]),
        ("desiredStatus=TERMINATED", []),
        ("endpointId=ep0", []),
        ("gpuTypeId=NVIDIA%20L4", ["pull0"]),
        ("id=run0", ["run0"]),
        ("imageName=alpine:3", ["cpu0"]),
        ("name=trainer", ["run0"]),
        ("networkVolumeId=vol0", ["run0"]),
        ("templateId=tpl0", ["run0"]),
        ("templateId=tpl0&computeType=CPU", []),
    ],
)
def test_filters(sandbox: Sandbox, query: str, found: list[str]) -> None:
    assert ids(sandbox, f"?{query}") == found


@pytest.mark.parametrize("query", ["computeType=TPU", "desiredStatus=PAUSED"])
def test_a_filter_outside_its_words_is_refused(sandbox: Sandbox, query: str) -> None:
    answer = ask(sandbox, "GET", f"/v1/pods?{query}")
    assert (answer.status, answer.json["status"]) == (400, 400)


def test_a_created_pod_starts_and_runs_with_new_ports_each_time(sandbox: Sandbox) -> None:
    answer = ask(sandbox, "POST", "/v1/pods", {"imageName": "alpine:3"})
    assert answer.status == 201
    made = answer.json
    assert made["ports"] == ["8888/http", "22/tcp"]
    assert (made["name"], made["containerDiskInGb"], made["volumeInGb"]) == ("my pod", 50, 20)
    assert (made["desiredStatus"], made["publicIp"]) == ("RUNNING", "")
    assert made["lastStatusChange"].startswith("Rented by User: Fri Oct 02 2026 05:28:38 GMT+0000")
    sandbox.advance(2)
    assert pod_of(sandbox, made["id"])["publicIp"] == "127.0.0.1"
    assert made["id"] in ids(sandbox)


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        (
            {"computeType": "CPU", "cpuFlavorIds": ["cpu5c"], "vcpuCount": 4},
            {"cpuFlavorId": "cpu5c", "vcpuCount": 4, "memoryInGb": 8, "volumeInGb": 0},
        ),
        (
            {"gpuTypeIds": ["NVIDIA L4"], "gpuCount": 2},
            {"gpu": {"id": "NVIDIA L4", "count": 2, "displayName": "L4"}},
        ),
        ({"containerDiskInGb": None, "volumeInGb": 5}, {"containerDiskInGb": 50, "volumeInGb": 5}),
        (
            {"ports": ["22/tcp"], "env": {"A": "1"}, "dockerStartCmd": ["sh", "-c"]},
            {"ports": ["22/tcp"], "env": {"A": "1"}, "dockerStartCmd": ["sh", "-c"]},
        ),
        (
            {"locked": True, "containerRegistryAuthId": "reg0", "volumeMountPath": "/data"},
            {"locked": True, "containerRegistryAuthId": "reg0", "volumeMountPath": "/data"},
        ),
    ],
)
def test_a_pod_is_made_as_asked(
    sandbox: Sandbox, asked: dict[str, Any], made: dict[str, Any]
) -> None:
    answer = ask(sandbox, "POST", "/v1/pods", {"imageName": "alpine:3", **asked})
    assert answer.status == 201
    again = pod_of(sandbox, answer.json["id"])
    assert made.items() <= again.items()


def test_a_template_gives_what_the_body_does_not(sandbox: Sandbox) -> None:
    body = {"templateId": "tpl0", "env": {"A": "1"}, "networkVolumeId": "vol0"}
    made = ask(sandbox, "POST", "/v1/pods", body).json
    assert (made["image"], made["containerDiskInGb"], made["ports"]) == ("tpl:1", 7, ["80/http"])
    assert (made["env"], made["templateId"]) == ({"A": "1", "B": "0"}, "tpl0")
    ask(sandbox, "PATCH", f"/v1/pods/{made['id']}", {"ports": []})
    again = ask(sandbox, "POST", "/v1/pods", {"templateId": "tpl0", "imageName": "own:1"}).json
    assert (again["image"], again["ports"], again["env"]) == (
        "own:1",
        ["80/http"],
        {"A": "0", "B": "0"},
    )


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"imageName": 5},
        {"imageName": "a", "ports": "22/tcp"},
        {"imageName": "a", "ports": ["22"]},
        {"imageName": "a", "env": {"A": 1}},
        {"imageName": "a", "gpuCount": 0},
        {"imageName": "a", "computeType": "TPU"},
        {"imageName": "a", "name": "x" * 192},
        {"imageName": "a", "interruptible": True},
        {"imageName": "a", "networkVolumeId": "nothing"},
        {"templateId": "nothing"},
        {"imageName": "a", "containerDiskInGb": True},
        {"imageName": "a", "containerDiskInGb": 0},
    ],
)
def test_a_body_that_does_not_fit_makes_no_pod(sandbox: Sandbox, body: object) -> None:
    before = ids(sandbox)
    assert ask(sandbox, "POST", "/v1/pods", body).status == 400
    assert ids(sandbox) == before


@pytest.mark.parametrize(("method", "path"), [("PATCH", ""), ("POST", "/update")])
def test_a_change_replaces_ports_and_env_and_leaves_the_rest(
    sandbox: Sandbox, method: str, path: str
) -> None:
    before = pod_of(sandbox, "run0")
    answer = ask(
        sandbox,
        method,
        f"/v1/pods/run0{path}",
        {"ports": ["2222/tcp"], "env": {"B": "2"}, "name": "other"},
    )
    assert answer.status == 200
    after = pod_of(sandbox, "run0")
    assert answer.json == after
    assert (after["ports"], after["env"], after["name"]) == (["2222/tcp"], {"B": "2"}, "other")
    assert list(after["portMappings"]) == ["2222"]
    changed = {"ports", "env", "name", "portMappings", "publicIp"}
    rest = before.keys() - changed
    assert {key: after[key] for key in rest} == {key: before[key] for key in rest}


def test_a_change_that_does_not_fit_changes_nothing(sandbox: Sandbox) -> None:
    before = pod_of(sandbox, "run0")
    body = {"name": "other", "ports": ["ssh"]}
    assert ask(sandbox, "PATCH", "/v1/pods/run0", body).status == 400
    assert pod_of(sandbox, "run0") == before


def test_stop_start_and_restart_are_seen_by_every_api(sandbox: Sandbox) -> None:
    stopped = ask(sandbox, "POST", "/v1/pods/run0/stop")
    assert stopped.status == 200
    assert stopped.json["desiredStatus"] == "EXITED"
    assert stopped.json["lastStatusChange"].startswith("Exited by User: ")
    assert ask(sandbox, "GET", "/v2/pods/run0").json["status"] == "EXITED"
    assert ask(sandbox, "POST", "/v1/pods/run0/stop").status == 400
    assert ask(sandbox, "POST", "/v1/pods/run0/start").status == 200
    assert ask(sandbox, "GET", "/v2/pods/run0").json["status"] == "PROVISIONING"
    sandbox.advance(2)
    for action in ("reset", "restart"):
        assert ask(sandbox, "POST", f"/v1/pods/run0/{action}").status == 200
        assert pod_of(sandbox, "run0")["portMappings"] is None
        sandbox.advance(2)
        assert pod_of(sandbox, "run0")["portMappings"] is not None


def test_a_locked_pod_is_neither_stopped_nor_reset_but_may_be_deleted() -> None:
    with playing({**RUNNING, "locked": True}) as sandbox:
        for action in ("stop", "reset", "restart"):
            answer = ask(sandbox, "POST", f"/v1/pods/run0/{action}")
            assert (answer.status, answer.json["error"]) == (400, "pod run0 is locked")
        assert pod_of(sandbox, "run0")["desiredStatus"] == "RUNNING"
        assert ask(sandbox, "DELETE", "/v1/pods/run0").status == 204


def test_a_terminated_pod_vanishes_from_lists_and_is_written_as_exited(sandbox: Sandbox) -> None:
    answer = ask(sandbox, "DELETE", "/v1/pods/run0")
    assert (answer.status, answer.data) == (204, b"")
    assert "run0" not in ids(sandbox)
    pod = pod_of(sandbox, "run0")
    assert pod["desiredStatus"] == "EXITED"
    assert pod["lastStatusChange"].startswith("Terminated by User: ")
    assert ask(sandbox, "DELETE", "/v1/pods/run0").status == 404
    assert ask(sandbox, "POST", "/v1/pods/run0/start").status == 404
    assert ask(sandbox, "PATCH", "/v1/pods/run0", {}).status == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("DELETE", ""), ("PATCH", ""), ("POST", "/update"), ("POST", "/start")],
)
def test_an_unknown_pod(sandbox: Sandbox, method: str, path: str) -> None:
    answer = ask(sandbox, method, f"/v1/pods/nobody{path}", {})
    assert (answer.status, answer.json) == (404, {"error": "pod not found", "status": 404})


# -- what the public accounts contradict each other in: a switch each


def test_errors_in_the_documented_shape() -> None:
    with playing(quirks={"v1Errors": "documented"}) as sandbox:
        assert ask(sandbox, "GET", "/v1/pods/nobody").json == {"message": "pod not found"}
        assert list(ask(sandbox, "GET", "/v1/pods", key=None).json) == ["message"]


def test_a_401_and_one_that_says_nothing(sandbox: Sandbox) -> None:
    for key in (None, "rpa_UNKNOWN"):
        answer = ask(sandbox, "GET", "/v1/pods", key=key)
        assert (answer.status, answer.json["status"]) == (401, 401)
    with playing(quirks={"v1SilentUnauthorized": True}) as other:
        answer = ask(other, "GET", "/v1/pods", key=None)
        assert (answer.status, answer.data) == (401, b"")
        assert ask(other, "GET", "/v1/pods/nobody").json["error"] == "pod not found"


def test_timestamps_in_the_layout_of_go() -> None:
    with playing(RUNNING, quirks={"v1Timestamps": "go"}) as sandbox:
        assert pod_of(sandbox, "run0")["lastStartedAt"] == "2026-10-02 04:28:38.366 +0000 UTC"


def test_elements_that_are_no_pods() -> None:
    with playing(STOPPED, quirks={"v1ListElements": [None, "x"]}) as sandbox:
        listed = ask(sandbox, "GET", "/v1/pods").json
        assert listed[:2] == [None, "x"]
        assert listed[2]["id"] == "stop0"


@pytest.mark.parametrize("change", [None, 5, "", "Exited by RunPod: Insufficient balance"])
def test_any_last_status_change(change: object) -> None:
    odd = {**STOPPED, "rest": {"lastStatusChange": change, "image": "$missing"}}
    with playing(odd) as sandbox:
        pod = pod_of(sandbox, "stop0")
        assert pod["lastStatusChange"] == change
        assert "image" not in pod
        assert "imageName" in pod
        assert ask(sandbox, "GET", "/v2/pods/stop0").json["image"]


def test_what_is_laid_over_an_answer_is_what_filters_see() -> None:
    with playing({**RUNNING, "rest": {"desiredStatus": "EXITED"}}) as sandbox:
        assert ids(sandbox, "?desiredStatus=EXITED") == ["run0"]
        assert ids(sandbox, "?desiredStatus=RUNNING") == []


def test_a_pod_that_rest_does_not_know() -> None:
    with playing({**RUNNING, "rest": {"$absent": True}}) as sandbox:
        assert ids(sandbox) == []
        assert ask(sandbox, "GET", "/v1/pods/run0").status == 404
        assert ask(sandbox, "GET", "/v2/pods/run0").status == 200
