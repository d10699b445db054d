"""``rpcli ssh connect`` as a process, over real sockets."""

from __future__ import annotations

import pytest
from asked import APIS, asked

READY = {"private": 22, "public": 22017, "ip": "203.0.113.7"}
PODS = [
    {"id": "p1", "name": "a", "mapped": [READY]},
    {"id": "p2", "name": "b", "uptime": None},
    {"id": "p3", "name": "c", "status": "EXITED"},
    {"id": "p4", "name": "d", "mapped": [{**READY, "public": 22018}]},
]


@pytest.mark.scenario({"pods": PODS})
@pytest.mark.parametrize("api", APIS)
def test_all_that_can_work_and_nothing_else(sandbox, rpcli_run, contract, api):
    result = rpcli_run("--api", api, "ssh", "connect")
    assert result.status == 0
    contract("ssh connect", result.json)
    assert [(c["id"], c["port"]) for c in result.json["connections"]] == [
        ("p1", 22017),
        ("p4", 22018),
    ]
    for connection in result.json["connections"]:
        assert rpcli_run("--api", api, "ssh", "info", connection["id"]).json == connection
    # Each note once, however many pods it is about.
    assert len(result.notes) == len(set(result.notes)) == 2


@pytest.mark.scenario({"pods": PODS})
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("word", ["p4", "d"])
def test_one_pod(sandbox, rpcli_run, api, word):
    connections = rpcli_run("--api", api, "ssh", "connect", word).json["connections"]
    assert [c["id"] for c in connections] == ["p4"]


@pytest.mark.scenario({"pods": PODS})
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("word", ["p2", "c"])
def test_a_pod_that_is_not_ready_has_no_connection(sandbox, rpcli_run, contract, api, word):
    result = rpcli_run("--api", api, "ssh", "connect", word)
    assert (result.status, result.json) == (0, {"connections": []})
    contract("ssh connect", result.json)
    (note,) = result.notes
    assert note.startswith("pod not ready: ")


@pytest.mark.parametrize("api", APIS)
@pytest.mark.scenario({"pods": PODS[:1]})
def test_a_pod_that_there_is_not(sandbox, rpcli_run, api):
    # A02
    result = rpcli_run("--api", api, "ssh", "connect", "nosuch")
    assert (result.status, result.stdout) == (1, "")
    assert (result.error["code"], result.error["id"]) == ("not_found", "nosuch")


@pytest.mark.parametrize("api", APIS)
@pytest.mark.scenario({"pods": []})
def test_no_pod_at_all(sandbox, rpcli_run, contract, api):
    # A02
    result = rpcli_run("--api", api, "ssh", "connect")
    assert (result.status, result.json) == (0, {"connections": []})
    contract("ssh connect", result.json)
    assert len(asked(sandbox)) == {"v2": 2, "classic": 1}[api]


@pytest.mark.scenario(
    {
        "pods": [
            # F11
            {
                "id": "p1",
                "mapped": [READY],
                "graphql": {"desiredStatus": "EXITED"},
                "v2": {"status": "EXITED"},
            }
        ]
    }
)
@pytest.mark.parametrize("api", APIS)
def test_stale_ports_of_a_stopped_pod_are_no_connection(sandbox, rpcli_run, api):
    assert rpcli_run("--api", api, "ssh", "connect").json == {"connections": []}


@pytest.mark.scenario({"pods": PODS})
def test_people_see_a_command_a_pod(sandbox, rpcli_run):
    shown = rpcli_run("ssh", "connect", "-f", "table").stdout.splitlines()
    assert len(shown) == 2
    assert shown[0].startswith("connections.a (p1)")
    assert shown[0].endswith("ssh -p 22017 -o HostKeyAlias=p1 root@203.0.113.7")


@pytest.mark.scenario({"pods": PODS[1:3]})
def test_people_are_told_that_there_is_none(sandbox, rpcli_run):
    result = rpcli_run("ssh", "connect", "-f", "table")
    assert result.stdout == ""
    assert result.notes == ["no pod can be reached over ssh now; 'rpcli ssh info POD' says why"]
    assert rpcli_run("ssh", "connect", "-f", "json").notes == []


@pytest.mark.scenario({"pods": PODS[:1]})
@pytest.mark.parametrize("flag", ["-v", "--verbose"])
def test_verbose_is_the_option_of_every_command(sandbox, rpcli_run, flag):
    result = rpcli_run("ssh", "connect", flag)
    assert result.status == 0
    assert "/v2/pods" in result.stderr
    assert sandbox.api_key not in result.stderr
