"""``rpcli pod get`` and ``rpcli pod update`` as processes, over real sockets."""

from __future__ import annotations

import json
import shlex
from urllib.parse import quote

import pytest
from asked import APIS, asked

ONE = {
    "account": {
        "networkVolumes": [{"id": "nv1", "name": "data", "size": 10, "dataCenterId": "EU"}]
    },
    "pods": [
        {
            "id": "p1",
            "name": "web",
            "ports": ["8888/http"],
            "env": {"TOKEN": "hunter2", "PUBLIC_KEY": "null"},
            "networkVolume": "nv1",
        }
    ],
}
REQUESTS = {
    "v2": ["GET /v2/account/ssh-keys", "GET /v2/pods/p1", "POST /graphql"],
    "classic": ["GET /v1/pods/p1", "POST /graphql"],
}


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("api", APIS)
def test_get_gives_one_object_of_few_requests(sandbox, rpcli_run, contract, api):
    # A18
    result = rpcli_run("--api", api, "pod", "get", "p1")
    assert result.status == 0
    contract("pod get", result.json)
    assert result.json["id"] == "p1"
    assert result.json["env"] == ONE["pods"][0]["env"]
    assert asked(sandbox) == REQUESTS[api]


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("api", APIS)
def test_all_is_asked_for_at_the_same_time(sandbox, rpcli_run, api):
    """Every answer is held back, so that one that waited for another would be seen alone."""
    sandbox.add_fault({"latency": 2})
    assert rpcli_run("--api", api, "pod", "get", "p1").status == 0
    assert max(r["together"] for r in sandbox.requests()) == len(REQUESTS[api])


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("api", APIS)
def test_more_is_shown_where_that_is_asked_for(sandbox, rpcli_run, contract, api):
    wanted = ("--include-machine", "--include-network-volume")
    plain = rpcli_run("--api", api, "pod", "get", "p1").json
    assert not {"machine", "networkVolume"} & plain.keys()
    full = rpcli_run("--api", api, "pod", "get", "p1", *wanted).json
    contract("pod get", full)
    assert full["machine"]["gpuTypeId"] == "NVIDIA GeForce RTX 4090"
    assert full["networkVolume"]["id"] == "nv1"


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("api", APIS)
def test_an_id_that_nobody_knows(sandbox, rpcli_run, api):
    result = rpcli_run("--api", api, "pod", "get", "nosuch")
    assert (result.status, result.stdout) == (1, "")
    assert (result.error["code"], result.error["id"]) == ("not_found", "nosuch")


@pytest.mark.parametrize("text", ["", " ", ".", ".."])
@pytest.mark.parametrize("command", [("get",), ("update", "--ports", "22/tcp")])
def test_what_is_no_id_ends_before_any_request(sandbox, rpcli_run, command, text):
    # G02
    result = rpcli_run("pod", *command, "--", text)
    assert (result.status, result.error["code"]) == (2, "usage_error")
    assert asked(sandbox) == []


@pytest.mark.scenario({"pods": [{"id": "-odd"}]})
def test_an_id_may_begin_with_a_dash(sandbox, rpcli_run):
    # D24
    assert rpcli_run("pod", "get", "--", "-odd").json["id"] == "-odd"
    assert rpcli_run("pod", "get", "-odd").error["code"] == "usage_error"


@pytest.mark.parametrize("text", ["../../user", "a/b", "a?b=c", "a#f", "%2e%2e", "a b"])
def test_an_odd_id_stays_one_segment(sandbox, rpcli_run, text):
    # G02
    result = rpcli_run("pod", "get", "--", text)
    assert (result.status, result.error["code"]) == (1, "not_found")
    paths = {r["path"] for r in sandbox.requests()}
    assert paths <= {f"/v2/pods/{quote(text, safe='')}", "/v2/account/ssh-keys", "/graphql"}


@pytest.mark.scenario(ONE)
def test_people_do_not_see_what_is_in_the_env(sandbox, rpcli_run):
    masked = rpcli_run("pod", "get", "p1", "-f", "table")
    assert "hunter2" not in masked.stdout
    assert "env.TOKEN" in masked.stdout
    assert "hunter2" in rpcli_run("pod", "get", "p1", "-f", "table", "--show-env").stdout
    assert "hunter2" in rpcli_run("pod", "get", "p1", "-f", "yaml").stdout


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("api", APIS)
def test_an_env_that_lets_nobody_in_is_noted(sandbox, rpcli_run, api):
    # A22
    result = rpcli_run("--api", api, "pod", "get", "p1")
    assert [note for note in result.notes if "PUBLIC_KEY" in note]
    assert "hunter2" not in result.stderr


@pytest.mark.parametrize(
    "env", [None, ["PUBLIC_KEY=null", "A=b"], {"PUBLIC_KEY": "null", "A": "b"}]
)
def test_an_env_may_have_any_shape(rpcli_run, env):
    # A22
    from rpcli.sandbox import Sandbox

    with Sandbox({"pods": [{"id": "p1", "rest": {"env": env}}]}) as sandbox:
        result = rpcli_run("--api", "classic", "pod", "get", "p1", env=sandbox.environment())
    assert result.json["env"] == ({"PUBLIC_KEY": "null", "A": "b"} if env else {})


@pytest.mark.scenario(
    {
        "pods": [
            {
                "id": "p1",
                "uptime": None,
                "machine": {
                    "maintenanceStart": "2020-01-01T00:00:00Z",
                    "maintenanceEnd": "2999-01-01T00:00:00Z",
                    "maintenanceNote": "new disks",
                },
            }
        ]
    }
)
@pytest.mark.parametrize("api", APIS)
def test_maintenance_explains_a_pod_that_does_not_come_up(sandbox, rpcli_run, contract, api):
    document = rpcli_run("--api", api, "pod", "get", "p1").json
    contract("pod get", document)
    assert document["runtimeStatusReason"] == document["ssh"]["reason"] == "host_maintenance"
    assert document["maintenance"] == {
        "start": "2020-01-01T00:00:00Z",
        "end": "2999-01-01T00:00:00Z",
        "note": "new disks",
    }


@pytest.mark.scenario({"pods": [{"id": "p1"}], "faults": [{"plane": "graphql", "status": 500}]})
def test_a_graphql_that_fails_degrades_classic_and_leaves_v2_alone(sandbox, rpcli_run):
    classic = rpcli_run("--api", "classic", "pod", "get", "p1")
    assert classic.status == 0
    assert classic.json["runtimeStatusReason"] == "runtime_unavailable"
    assert len(classic.notes) == 1
    v2 = rpcli_run("pod", "get", "p1")
    assert (v2.status, v2.json["runtimeStatus"]) == (0, "running")
    assert "ready" in v2.json["ssh"]


# ------------------------------------------------------------ pod update


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("api", APIS)
def test_the_remedy_is_a_command_that_works(sandbox, rpcli_run, contract, api):
    # A19
    before = rpcli_run("--api", api, "ssh", "info", "web").json
    assert before["reason"] == "port_not_published"
    words = shlex.split(before["remediation"])
    assert words[0] == "rpcli"
    result = rpcli_run("--api", api, *words[1:])
    assert result.status == 0
    contract("pod update", result.json)
    assert result.json["ports"] == ["8888/http", "22/tcp"]
    (note,) = [note for note in result.notes if "--ports" in note]
    assert note == (
        "--ports replaces the whole list: p1 will publish 8888/http,22/tcp and nothing else, and "
        "its container may restart"
    )
    assert rpcli_run("--api", api, "ssh", "info", "web").json["ready"] is True


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("api", APIS)
def test_an_update_is_sent_once(sandbox, rpcli_run, api):
    sandbox.add_fault({"method": "PATCH", "status": 503})
    result = rpcli_run("--api", api, "pod", "update", "p1", "--ports", "22/tcp")
    assert (result.status, result.stdout) == (1, "")
    assert [line for line in asked(sandbox) if line.startswith("PATCH")] == [
        f"PATCH /{'v1' if api == 'classic' else 'v2'}/pods/p1"
    ]


@pytest.mark.parametrize(
    "argv",
    [("p1",), ("p1", "--ports", ""), ("p1", "--ports", "22"), ("p1", "--ports", "22/tcp,"), ()],
)
def test_an_update_of_nothing_ends_before_any_request(sandbox, rpcli_run, argv):
    result = rpcli_run("pod", "update", *argv)
    assert (result.status, result.error["code"]) == (2, "usage_error")
    assert asked(sandbox) == []


@pytest.mark.scenario(ONE)
def test_an_update_of_what_is_not_there(sandbox, rpcli_run):
    result = rpcli_run("pod", "update", "nosuch", "--ports", "22/tcp")
    assert (result.status, result.error["code"], result.error["id"]) == (1, "not_found", "nosuch")
    json.loads(result.stderr.splitlines()[-1])
