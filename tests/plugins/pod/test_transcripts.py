"""What was promised of the runtime state, on the API that it was promised for, word for word."""

from __future__ import annotations

import json
from urllib.request import Request, urlopen

import pytest
from asked import asked, unanswered

CLASSIC = ("--api", "classic")
EXITED = "Exited by user: Wed Jul 29 2026 21:56:48 GMT+0000 (Coordinated Universal Time)"
STALE = {
    "id": "p1",
    "name": "web",
    "ports": ["8888/http", "22/tcp"],
    "uptime": 4_000,
    "mapped": [{"private": 22, "public": 22017, "ip": "203.0.113.7"}],
    "graphql": {"desiredStatus": "EXITED", "lastStatusChange": EXITED},
}


@pytest.mark.scenario({"pods": [{"id": "p1", "ports": ["8888/http"]}]})
def test_the_suggestion_keeps_the_declared_port_and_has_the_real_id(sandbox, rpcli_run):
    # A19
    result = rpcli_run(*CLASSIC, "pod", "get", "p1")
    assert result.json["ssh"]["error"] == (
        "pod not ready: pod does not publish 22/tcp; add it with 'rpcli pod update p1 --ports "
        "8888/http,22/tcp' (--ports replaces the whole list, and changing it may restart the "
        "container)"
    )


@pytest.mark.scenario({"pods": [STALE]})
def test_rest_says_running_and_graphql_exited_and_every_command_agrees(sandbox, rpcli_run):
    # F11
    (listed,) = rpcli_run(*CLASSIC, "pod", "list", "-a").json
    got = rpcli_run(*CLASSIC, "pod", "get", "p1").json
    info = rpcli_run(*CLASSIC, "ssh", "info", "p1").json
    for document in (listed, got):
        assert document["desiredStatus"] == "RUNNING"
        assert document["runtimeStatus"] == "stopped"
        assert document["runtimeStatusReason"] == "stopped_by_user"
        assert "uptimeSeconds" not in document
    for ssh in (got["ssh"], info):
        assert (ssh["ready"], ssh["status"], ssh["reason"]) == (False, "stopped", "stopped_by_user")
        assert not {"ssh_command", "proxy_command"} & ssh.keys()
    connect = rpcli_run(*CLASSIC, "ssh", "connect")
    assert connect.json == {"connections": []}


@pytest.mark.scenario(
    {
        "pods": [{"id": f"p{n}", "status": "EXITED", "lastStatusChange": EXITED} for n in range(3)],
        "faults": [{"plane": "graphql", "latency": 20}],
    }
)
def test_an_account_where_nothing_runs_makes_no_request_to_graphql(sandbox, rpcli_run):
    result = rpcli_run(*CLASSIC, "pod", "list", "-a")
    assert {d["runtimeStatusReason"] for d in result.json} == {"stopped_by_user"}
    assert len(result.json) == 3
    assert result.stderr == ""
    assert asked(sandbox) == ["GET /v1/pods"]


@pytest.mark.scenario({"pods": [{"id": "p1"}, {"id": "p2", "status": "EXITED"}]})
@pytest.mark.parametrize(
    "fault",
    # A26: it sleeps, and it drips a byte a second
    [{"latency": 20}, {"drip": 1, "chunk": 1}, {"dripHeaders": 1, "drip": 1}, {"silent": True}],
    ids=["sleeps", "drips", "drips headers", "hangs"],
)
def test_a_graphql_that_does_not_come_to_an_end_is_given_up(sandbox, rpcli_run, fault):
    sandbox.add_fault({"plane": "graphql", **fault})
    result = rpcli_run(*CLASSIC, "pod", "list", "-a")
    assert result.status == 0
    states = [(d["runtimeStatus"], d.get("runtimeStatusReason")) for d in result.json]
    assert states == [("unknown", "runtime_unavailable"), ("stopped", "stopped_by_user")]
    assert result.notes == ["runtime states are unknown: GraphQL did not answer within 5 s"]
    # The server had not come to its end when the command had.
    assert unanswered(sandbox) == ["POST /graphql"]
    assert asked(sandbox) == ["GET /v1/pods", "POST /graphql"]


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_graphql_does_not_let_in_is_told_apart_at_once(rpcli_run, status):
    # A26
    from rpcli.sandbox import Sandbox

    account = {"otherKeys": [{"key": "rpa_POD", "planes": {"graphql": status}}]}
    with Sandbox({"account": account, "pods": [{"id": "p1"}]}) as sandbox:
        env = {**sandbox.environment(), "RUNPOD_API_KEY": "rpa_POD"}
        listed = rpcli_run(*CLASSIC, "pod", "list", env=env)
        assert listed.status == 0
        (pod,) = listed.json
        assert (pod["runtimeStatus"], pod["runtimeStatusReason"]) == (
            "unknown",
            "runtime_forbidden",
        )
        (note,) = listed.notes
        assert f"(HTTP {status})" in note
        assert asked(sandbox) == ["GET /v1/pods", "POST /graphql"]
        assert unanswered(sandbox) == []
        got = rpcli_run(*CLASSIC, "pod", "get", "p1", env=env)
    assert got.json["runtimeStatusReason"] == "runtime_forbidden"
    assert got.json["ssh"]["reason"] == "runtime_forbidden"


@pytest.mark.scenario({"clock": {"now": "2026-12-01T12:00:00Z", "frozen": True}, "pods": []})
def test_a_pod_comes_up_and_is_seen_to(sandbox, rpcli_run):
    pod_id = _create(sandbox)
    before = rpcli_run(*CLASSIC, "pod", "get", pod_id).json
    assert (before["runtimeStatus"], before["runtimeStatusReason"]) == (
        "initializing",
        "awaiting_container",
    )
    assert before["ssh"]["ready"] is False
    assert "uptimeSeconds" not in before
    sandbox.advance(9)
    after = rpcli_run(*CLASSIC, "pod", "get", pod_id).json
    assert (after["runtimeStatus"], after["uptimeSeconds"]) == ("running", 7)
    assert "runtimeStatusReason" not in after
    assert after["ssh"]["ready"] is True


def _create(sandbox):
    body = {"name": "new", "image": "alpine", "gpu": {"id": "NVIDIA L4"}, "ports": ["22/tcp"]}
    request = Request(
        f"{sandbox.url}/v2/pods",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {sandbox.api_key}", "Content-Type": "application/json"},
    )
    with urlopen(request, timeout=30) as answer:
        return json.load(answer)["id"]


@pytest.mark.scenario({"pods": []})
def test_without_pods_there_is_an_empty_list_and_never_null(sandbox, rpcli_run):
    # A02
    assert rpcli_run(*CLASSIC, "ssh", "connect").json == {"connections": []}
    assert rpcli_run(*CLASSIC, "pod", "list", "-a").json == []
