"""``rpcli pod list`` as a process, over real sockets."""

from __future__ import annotations

import pytest
from asked import APIS, asked

MIXED = {
    "clock": {"now": "2026-12-01T12:00:00Z", "frozen": True},
    "pods": [
        {"id": "p1", "name": "train-1", "createdAt": "2026-11-01T00:00:00Z"},
        {"id": "p2", "name": "train-2", "uptime": None, "createdAt": "2026-11-30T00:00:00Z"},
        {"id": "p3", "name": "old", "status": "EXITED", "createdAt": "2025-01-01T00:00:00Z"},
        {"id": "p4", "name": "cpu", "cpu": {"id": "cpu3c", "vcpuCount": 2, "memory": 4}},
        {"id": "p5", "name": "odd", "status": "EXITED", "v2": {"status": "HIBERNATED"}},
    ],
}


def ids(result):
    assert result.status == 0, result
    return [document["id"] for document in result.json]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("count", [0, 1, 20, 1_000])
def test_the_number_of_requests_does_not_grow_with_the_pods(rpcli_run, contract, api, count):
    # A18
    from rpcli.sandbox import Sandbox

    pods = [{"id": "pod{n}", "repeat": count}] if count else []
    with Sandbox({"pods": pods}) as sandbox:
        result = rpcli_run(
            "--api", api, "pod", "list", env={**sandbox.environment(), "RPCLI_API": api}
        )
        made = asked(sandbox)
    assert len(ids(result)) == count
    assert result.stderr == ""
    contract("pod list", result.json)
    graphql = ["POST /graphql"] if count else []
    assert made == {"v2": ["GET /v2/pods"], "classic": ["GET /v1/pods", *graphql]}[api]


@pytest.mark.scenario({"pods": [{"id": "pod{n}", "repeat": 1_001}]})
def test_a_list_of_more_than_a_page_is_read_to_its_end(sandbox, rpcli_run):
    assert len(ids(rpcli_run("pod", "list"))) == 1_001
    assert asked(sandbox) == ["GET /v2/pods"] * 2


@pytest.mark.scenario({"pods": [{"id": "p1", "uptime": 5}]})
def test_why_makes_one_request_more_on_v2(sandbox, rpcli_run):
    (pod,) = rpcli_run("pod", "list", "--why").json
    assert pod["lastStatusChange"].startswith("Rented by User: ")
    assert asked(sandbox) == ["GET /v2/pods", "POST /graphql"]


@pytest.mark.scenario(MIXED)
@pytest.mark.parametrize(
    ("argv", "found"),
    [
        ((), ["p1", "p2", "p4", "p5"]),
        (("-a",), ["p1", "p2", "p3", "p4", "p5"]),
        (("--status", "exited"), ["p3", "p5"]),
        (("--status", "RUNNING,terminated"), ["p1", "p2", "p4", "p5"]),
        (("--runtime-status", "initializing"), ["p2"]),
        (("--runtime-status", "stopped"), ["p3"]),
        (("--runtime-status", "unknown"), ["p5"]),
        (("--name", "train-*"), ["p1", "p2"]),
        (("-a", "--compute-type", "cpu"), ["p4"]),
        (("-a", "--created-after", "2026-11-15", "--name", "train*"), ["p2"]),
        (("-a", "--created-after", "2026-11-30T00:00:00Z", "--name", "train*"), ["p2"]),
    ],
)
def test_pods_are_chosen(sandbox, rpcli_run, argv, found):
    assert ids(rpcli_run("pod", "list", *argv)) == found


@pytest.mark.scenario({"pods": [{"id": "p1", "createdAt": "2020-01-01T00:00:00Z"}, {"id": "p2"}]})
def test_a_window_counts_back_from_now(sandbox, rpcli_run):
    assert ids(rpcli_run("pod", "list", "--since", "30000d")) == ["p1", "p2"]
    assert ids(rpcli_run("pod", "list", "--since", "7d")) == ["p2"]


@pytest.mark.scenario({"pods": [{"id": "p1"}, {"id": "p2"}]})
def test_pods_of_the_old_api_have_no_time_of_creation(sandbox, rpcli_run):
    result = rpcli_run("--api", "classic", "pod", "list", "--since", "7d")
    assert ids(result) == []
    assert result.notes == ["2 pods are left out: the API does not tell the time of creation"]


@pytest.mark.parametrize(
    "argv",
    [
        # A15, A16, C18
        ("--all", "--status", "exited"),
        ("--status", "bogus"),
        ("--status", ""),
        ("--status", "initializing"),
        ("--runtime-status", "RUNING"),
        ("--since", "7d", "--created-after", "2026-01-15"),
        ("--since", "0"),
        ("--since", "7"),
        ("--created-after", "7d"),
        ("--compute-type", "TPU"),
        ("--name", ""),
        # A05
        ("-o", "tabel"),
        ("-o", "TABLE"),
        ("-o", ""),
        ("-c", "nosuch"),
        ("--stat", "running"),
        ("p1",),
    ],
)
def test_what_was_typed_wrong_ends_before_any_request(sandbox, rpcli_run, argv):
    result = rpcli_run("pod", "list", *argv)
    assert (result.status, result.stdout, result.error["code"]) == (2, "", "usage_error")
    assert len(result.stderr.splitlines()) == 1
    assert asked(sandbox) == []


def test_a_usage_error_needs_no_key(rpcli_run):
    assert rpcli_run("pod", "list", "--status", "x").error["code"] == "usage_error"


@pytest.mark.scenario(
    {
        "pods": [{"id": "p1"}],
        "quirks": {
            "v2ListElements": [None],
            "v1ListElements": [None],
            "graphqlListElements": [None],
        },
    }
)
@pytest.mark.parametrize("api", APIS)
def test_a_null_among_pods_is_skipped_and_noted(sandbox, rpcli_run, api):
    result = rpcli_run("--api", api, "pod", "list")
    assert ids(result) == ["p1"]
    assert len(result.notes) == 1
    assert "null was skipped" in result.notes[0]


@pytest.mark.scenario(
    {"pods": [{"id": "p1", "rest": {"machine": "$missing"}, "graphql": {"machine": None}}]}
)
def test_what_one_api_lacks_is_absent(sandbox, rpcli_run, contract):
    # A30
    result = rpcli_run("--api", "classic", "pod", "get", "p1", "--include-machine")
    assert result.status == 0
    contract("pod get", result.json)
    assert "machine" not in result.json
    assert "None" not in result.stdout


@pytest.mark.parametrize(
    ("graphql", "state", "uptime"),
    [
        # A03: four shapes of a runtime
        ({"runtime": None}, ("initializing", "awaiting_container"), None),
        ({"runtime": {"uptimeInSeconds": 0, "ports": []}}, ("running", None), 0),
        ({"runtime": {"uptimeInSeconds": 12, "ports": None}}, ("running", None), 12),
        ({"runtime": "$missing"}, ("initializing", "awaiting_container"), None),
    ],
)
def test_the_shapes_of_a_runtime_mean_different_things(rpcli_run, graphql, state, uptime):
    from rpcli.sandbox import Sandbox

    with Sandbox({"pods": [{"id": "p1", "graphql": graphql}]}) as sandbox:
        env = {**sandbox.environment(), "RPCLI_API": "classic"}
        (pod,) = rpcli_run("pod", "list", env=env).json
        ssh = rpcli_run("pod", "get", "p1", env=env).json["ssh"]
    assert (pod["runtimeStatus"], pod.get("runtimeStatusReason")) == state
    assert pod.get("uptimeSeconds") == uptime
    assert ("uptimeSeconds" in pod) is (uptime is not None)
    expected = "awaiting_container" if uptime is None else "port_not_mapped"
    assert ssh["reason"] == expected
    assert ("no ports are published yet" in ssh["error"]) is (uptime is not None)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.scenario({"pods": [{"id": "p1"}], "faults": [{"status": 500}]})
def test_a_list_that_fails_is_one_error_and_no_list(sandbox, rpcli_run, api):
    # A06
    result = rpcli_run("--api", api, "pod", "list")
    assert (result.status, result.stdout) == (1, "")
    assert result.error["code"] == "server_error"
    assert len(result.stderr.splitlines()) == 1


# ------------------------------------------------------------ for people


@pytest.mark.scenario(MIXED)
def test_people_get_a_table_with_status_and_reason(sandbox, rpcli_run):
    result = rpcli_run("--api", "classic", "pod", "list", "-a", "-f", "table")
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["ID", "NAME", "STATUS", "GPU", "IMAGE", "$/HR", "UPTIME"]
    assert "running" in rows[0]
    assert "1 x RTX 4090" in rows[0]
    assert rows[0].rstrip().endswith("1h")
    assert "initializing (awaiting_container)" in rows[1]
    assert "stopped (stopped_by_user)" in rows[2]


@pytest.mark.scenario({"pods": [{"id": "p1", "status": "EXITED"}]})
def test_people_are_told_that_there_are_others(sandbox, rpcli_run):
    result = rpcli_run("pod", "list", "-f", "table")
    assert (result.status, result.stdout) == (0, "")
    assert result.notes == ["no pods to list (--all includes those that should not be running)"]
    assert rpcli_run("pod", "list", "-f", "json").notes == []
