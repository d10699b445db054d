"""Pods over GraphQL of the sandbox: what is told of them, and changes that every API sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from graphql_scenario import KEYS, PODS, RUNNING, SCENARIO, data, error_of, playing, pods_of
from sandbox_calls import ask, ask_graphql

from rpcli.sandbox.classic_graphql import schema

if TYPE_CHECKING:
    from rpcli.sandbox import Sandbox

pytestmark = pytest.mark.scenario(SCENARIO)


def test_a_pod_in_full(sandbox: Sandbox) -> None:
    account = data(sandbox, PODS)["myself"]
    assert account["pubKey"].split() == " ".join(KEYS).split()
    assert account["pods"][0] == {
        "id": "run0",
        "name": "trainer",
        "desiredStatus": "RUNNING",
        "lastStatusChange": "Rented by User: Wed Sep 30 2026 05:28:38 GMT+0000 "
        "(Coordinated Universal Time)",
        "runtime": {
            "uptimeInSeconds": 3931,
            "ports": [
                {
                    "ip": "195.26.233.3",
                    "isIpPublic": True,
                    "privatePort": 22,
                    "publicPort": 34446,
                    "type": "tcp",
                }
            ],
        },
        "ports": "8888/http,22/tcp",
        "machine": {
            "podHostId": "run0-64410065",
            "maintenanceStart": "2026-10-02T05:00:00.000Z",
            "maintenanceEnd": "2026-10-02T07:00:00.000Z",
            "maintenanceNote": "new disks",
            "dataCenterId": "US-KS-2",
            "location": "CZ",
        },
    }
    assert [pod["runtime"] for pod in account["pods"][1:]] == [None, None]


def test_where_rest_has_a_map_and_a_list_this_has_texts(sandbox: Sandbox) -> None:
    fields = "env ports uptimeSeconds createdAt lastStartedAt podType"
    assert pods_of(sandbox, fields)[0] == {
        "env": ["MODE=offline", "EMPTY="],
        "ports": "8888/http,22/tcp",
        "uptimeSeconds": 0,
        "createdAt": "2026-09-30T05:28:38.366Z",
        "lastStartedAt": "2026-10-02T04:23:07.366Z",
        "podType": "RESERVED",
    }


def test_uptime_counts_in_the_runtime_and_nowhere_else(sandbox: Sandbox) -> None:
    sandbox.advance(9)
    pod = pods_of(sandbox, "uptimeSeconds runtime { uptimeInSeconds }")[0]
    assert pod == {"uptimeSeconds": 0, "runtime": {"uptimeInSeconds": 3940}}


def test_every_field_that_a_query_may_name_has_an_answer(sandbox: Sandbox) -> None:
    def selection(of: Any, depth: int = 0) -> str:
        fields = []
        for name, field in of.fields.items():
            inner = field.type
            while hasattr(inner, "of_type"):
                inner = inner.of_type
            if not hasattr(inner, "fields"):
                fields.append(name)
            elif depth < 4:
                fields.append(f"{name} {{ {selection(inner, depth + 1)} }}")
        return " ".join(fields)

    user = schema().get_type("User")
    assert data(sandbox, f"{{ myself {{ {selection(user)} }} }}")["myself"]["pods"]


def test_a_pod_by_its_id(sandbox: Sandbox) -> None:
    query = "query($id: String!) { pod(input: {podId: $id}) { id gpuCount } }"
    assert data(sandbox, query, {"id": "run0"}) == {"pod": {"id": "run0", "gpuCount": 1}}
    assert data(sandbox, query, {"id": "nobody"}) == {"pod": None}


def test_a_thousand_pods_come_whole_in_one_answer() -> None:
    pod = {"id": "many{n}", "repeat": 1000, "ports": ["22/tcp"]}
    with playing(pod, rateLimit="none") as sandbox:
        pods = data(sandbox, PODS)["myself"]["pods"]
        assert len({pod["id"] for pod in pods}) == 1000
        assert all(pod["runtime"]["ports"][0]["privatePort"] == 22 for pod in pods)
        assert len(sandbox.requests()) == 1


def test_stop_leaves_a_stale_runtime_and_start_a_new_one(sandbox: Sandbox) -> None:
    fields = "desiredStatus lastStatusChange runtime { uptimeInSeconds ports { publicPort } }"
    mutation = f'mutation {{ podStop(input: {{podId: "run0"}}) {{ {fields} }} }}'
    stopped = data(sandbox, mutation)["podStop"]
    assert stopped["desiredStatus"] == "EXITED"
    assert stopped["lastStatusChange"].startswith("Exited by User: ")
    assert stopped["runtime"] == {"uptimeInSeconds": 3931, "ports": [{"publicPort": 34446}]}
    assert ask(sandbox, "GET", "/v2/pods/run0").json["status"] == "EXITED"
    assert ask(sandbox, "GET", "/v1/pods/run0").json["desiredStatus"] == "EXITED"
    mutation = f'mutation {{ podResume(input: {{podId: "run0"}}) {{ {fields} }} }}'
    started = data(sandbox, mutation)["podResume"]
    assert (started["desiredStatus"], started["runtime"]) == ("RUNNING", None)
    sandbox.advance(5)
    again = pods_of(sandbox, fields)[0]["runtime"]
    assert again["uptimeInSeconds"] == 3
    assert len(again["ports"]) == 2
    assert {"publicPort": 34446} not in again["ports"]


def test_a_terminated_pod_vanishes_from_the_account(sandbox: Sandbox) -> None:
    assert data(sandbox, 'mutation { podTerminate(input: {podId: "run0"}) }') == {
        "podTerminate": None
    }
    assert [pod["id"] for pod in pods_of(sandbox, "id")] == ["pull0", "stop0"]
    query = '{ pod(input: {podId: "run0"}) { desiredStatus lastStatusChange } }'
    pod = data(sandbox, query)["pod"]
    assert pod["desiredStatus"] == "EXITED"
    assert pod["lastStatusChange"].startswith("Terminated by User: ")


@pytest.mark.parametrize(
    ("mutation", "message", "code"),
    [
        ('podStop(input: {podId: "nobody"}) { id }', "pod not found", "NOT_FOUND"),
        ('podTerminate(input: {podId: "nobody"})', "pod not found", "NOT_FOUND"),
        (
            'podStop(input: {podId: "stop0"}) { id }',
            "pod stop0 cannot stop now",
            "BAD_USER_INPUT",
        ),
        (
            "podFindAndDeployOnDemand { id }",
            "imageName is required where there is no templateId",
            "BAD_USER_INPUT",
        ),
        (
            'podFindAndDeployOnDemand(input: {imageName: "a", gpuCount: 0}) { id }',
            "gpuCount is at least 1",
            "BAD_USER_INPUT",
        ),
        (
            'podFindAndDeployOnDemand(input: {templateId: "nothing"}) { id }',
            "template not found",
            "BAD_USER_INPUT",
        ),
        (
            'deployCpuPod(input: {imageName: "a", networkVolumeId: "nothing"}) { id }',
            "network volume not found",
            "BAD_USER_INPUT",
        ),
        (
            'deployCpuPod(input: {imageName: "a", instanceId: "big"}) { id }',
            "instance big is none: cpu3c-2-4 is flavor, vCPUs, memory",
            "BAD_USER_INPUT",
        ),
    ],
)
def test_a_resolver_that_fails_is_an_error_with_200(
    sandbox: Sandbox, mutation: str, message: str, code: str
) -> None:
    found = ask_graphql(sandbox, f"mutation {{ {mutation} }}")
    name = mutation.partition("(")[0].partition(" ")[0]
    assert (found.status, found.json["data"]) == (200, {name: None})
    assert error_of(found) == (message, code)
    assert found.json["errors"][0]["path"] == [name]


def test_a_locked_pod_is_not_stopped() -> None:
    with playing({**RUNNING, "locked": True}) as sandbox:
        found = ask_graphql(sandbox, 'mutation { podStop(input: {podId: "run0"}) { id } }')
        assert error_of(found)[0] == "pod run0 is locked"
        assert ask(sandbox, "GET", "/v2/pods/run0").json["status"] == "RUNNING"


def test_a_change_of_the_job_replaces_what_is_given(sandbox: Sandbox) -> None:
    mutation = """mutation($input: PodEditJobInput!) { podEditJob(input: $input) {
        imageName containerDiskInGb volumeInGb ports env dockerArgs
        runtime { ports { privatePort } } } }"""
    given = {
        "podId": "run0",
        "imageName": "alpine:3",
        "containerDiskInGb": 5,
        "volumeInGb": 7,
        "ports": "80/http, 22/tcp,",
        "env": [{"key": "A", "value": "1=2"}],
        "dockerArgs": "serve",
    }
    assert data(sandbox, mutation, {"input": given})["podEditJob"] == {
        "imageName": "alpine:3",
        "containerDiskInGb": 5,
        "volumeInGb": 7.0,
        "ports": "80/http,22/tcp",
        "env": ["A=1=2"],
        "dockerArgs": "serve",
        "runtime": {"ports": [{"privatePort": 80}, {"privatePort": 22}]},
    }
    assert ask(sandbox, "GET", "/v2/pods/run0").json["env"] == {"A": "1=2"}


def test_a_pod_with_a_gpu_is_deployed(sandbox: Sandbox) -> None:
    mutation = """mutation { podFindAndDeployOnDemand(input: {
        name: "new", imageName: "alpine:3", cloudType: COMMUNITY, gpuTypeId: "NVIDIA L4",
        gpuCount: 2, ports: "22/tcp", startSsh: true, env: [{key: "A", value: "1"}],
        volumeInGb: 30, containerDiskInGb: 9, dataCenterId: "EU-RO-1", dockerArgs: "serve"
    }) { id desiredStatus imageName env machineId machine { podHostId } } }"""
    made = data(sandbox, mutation)["podFindAndDeployOnDemand"]
    assert made["desiredStatus"] == "RUNNING"
    assert made["env"] == ["A=1", f"PUBLIC_KEY={KEYS[0]}\n{KEYS[1]}"]
    seen = ask(sandbox, "GET", f"/v2/pods/{made['id']}").json
    assert (seen["status"], seen["name"], seen["cloud"]) == ("PROVISIONING", "new", "COMMUNITY")
    assert seen["gpu"] == {"id": "NVIDIA L4", "count": 2}
    assert seen["mounts"] == {"persistent": {"size": 30, "path": "/workspace"}}
    assert (seen["disk"], seen["dataCenterId"], seen["args"]) == (9, "EU-RO-1", "serve")
    sandbox.advance(2)
    assert ask(sandbox, "GET", f"/v2/pods/{made['id']}").json["status"] == "RUNNING"


@pytest.mark.parametrize(
    "mutation",
    [
        'pod: deployCpuPod(input: {imageName: "a", instanceId: "cpu5c-4-16"}) { id }',
        "pod: podFindAndDeployOnDemand(input: "
        '{imageName: "a", computeType: "CPU", instanceIds: ["cpu5c-4-16"]}) { id }',
    ],
)
def test_a_pod_without_a_gpu_is_deployed(sandbox: Sandbox, mutation: str) -> None:
    made = data(sandbox, f"mutation {{ {mutation} }}")["pod"]
    seen = ask(sandbox, "GET", f"/v2/pods/{made['id']}").json
    assert seen["cpu"] == {"id": "cpu5c", "vcpuCount": 4, "memory": 16}
    assert "gpu" not in seen


def test_a_template_gives_what_the_input_does_not(sandbox: Sandbox) -> None:
    mutation = """mutation { podFindAndDeployOnDemand(input: {
        templateId: "tpl0", env: [{key: "B", value: "1"}] }) { imageName ports env templateId } }"""
    assert data(sandbox, mutation)["podFindAndDeployOnDemand"] == {
        "imageName": "tpl:1",
        "ports": "80/http",
        "env": ["A=0", "B=1"],
        "templateId": "tpl0",
    }


def test_keys_are_one_text_here_and_a_list_in_rest(sandbox: Sandbox) -> None:
    mutation = "mutation($t: String) { updateUserSettings(input: {pubKey: $t}) { pubKey } }"
    keys = ["ssh-ed25519 CCCC three", "# no key at all"]
    told = data(sandbox, mutation, {"t": "\r\n\n".join(keys) + "\n"})["updateUserSettings"]
    assert [line for line in told["pubKey"].split("\n") if line] == keys
    assert ask(sandbox, "GET", "/v2/account/ssh-keys").json == {"keys": keys}
    assert data(sandbox, mutation, {"t": None})["updateUserSettings"] == told
    assert data(sandbox, mutation, {"t": ""})["updateUserSettings"] == {"pubKey": None}
