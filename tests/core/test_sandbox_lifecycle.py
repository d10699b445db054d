"""The life of a pod, on a clock that the test turns."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_calls import ask, ask_graphql
from sandbox_wire import PATIENCE

from rpcli.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Mapping

NEW = {
    "name": "new",
    "image": "alpine:3",
    "gpu": {"id": "NVIDIA L4"},
    "ports": ["22/tcp", "80/http"],
}
EMPTY: dict[str, Any] = {"clock": {"frozen": True}, "rateLimit": "none", "pods": []}
ONE: dict[str, Any] = {**EMPTY, "pods": [{"id": "p1", "ports": ["22/tcp", "80/http"]}]}
QUERY = """{ myself { pods { id desiredStatus lastStatusChange uptimeSeconds
    runtime { uptimeInSeconds ports { privatePort publicPort } } } } }"""


def create(sandbox: Sandbox, **members: object) -> str:
    answer = ask(sandbox, "POST", "/v2/pods", {**NEW, **members})
    assert answer.status == 201, answer.data
    found: str = answer.json["id"]
    return found


def look(sandbox: Sandbox, pod: str) -> Any:
    return ask(sandbox, "GET", f"/v2/pods/{pod}").json


def act(sandbox: Sandbox, pod: str, action: str) -> int:
    return ask(sandbox, "POST", f"/v2/pods/{pod}/action", {"action": action}).status


def old_look(sandbox: Sandbox, pod: str) -> Any:
    pods = ask_graphql(sandbox, QUERY).json["data"]["myself"]["pods"]
    return next(found for found in pods if found["id"] == pod)


def published(document: Mapping[str, Any]) -> dict[int, int]:
    return {port["private"]: port["public"] for port in document["runtime"]["ports"]}


def greeting(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        return connection.recv(64)


@pytest.mark.scenario(EMPTY)
def test_a_pod_is_born_and_runs(sandbox: Sandbox) -> None:
    pod = create(sandbox)
    seen = []
    for seconds in (0, 0.9, 0.2, 0.8, 0.1, 30):
        sandbox.advance(seconds)
        document = look(sandbox, pod)
        seen.append((document["status"], (document["runtime"] or {}).get("uptime")))
    assert seen == [
        ("PROVISIONING", None),
        ("PROVISIONING", None),
        ("STARTING", None),
        ("STARTING", None),
        ("RUNNING", 0),
        ("RUNNING", 30),
    ]


@pytest.mark.scenario(EMPTY)
def test_the_shape_of_runtime_tells_the_steps_apart(sandbox: Sandbox) -> None:
    pod = create(sandbox)
    first = look(sandbox, pod)
    assert (first["runtime"], first["startedAt"], first["ssh"]) == (
        {},
        None,
        {"proxy": None, "direct": None},
    )
    sandbox.advance(1)
    assert look(sandbox, pod)["runtime"] is None
    assert look(sandbox, pod)["ssh"]["proxy"]["host"] == "ssh.runpod.io"
    sandbox.advance(1)
    assert look(sandbox, pod)["startedAt"] is not None


@pytest.mark.scenario(ONE)
def test_every_plane_sees_the_same_life(sandbox: Sandbox) -> None:
    running = old_look(sandbox, "p1")
    assert (running["desiredStatus"], running["runtime"]["uptimeInSeconds"]) == ("RUNNING", 3600)
    assert running["uptimeSeconds"] == 0
    assert act(sandbox, "p1", "stop") == 200
    assert ask(sandbox, "GET", "/v1/pods/p1").json["desiredStatus"] == "EXITED"
    assert old_look(sandbox, "p1")["lastStatusChange"].startswith("Exited by User: ")
    assert ask(sandbox, "POST", "/v1/pods/p1/start").status == 200
    assert look(sandbox, "p1")["status"] == "PROVISIONING"
    assert old_look(sandbox, "p1")["lastStatusChange"].startswith("Rented by User: ")
    stop = 'mutation { podStop(input: {podId: "p1"}) { desiredStatus } }'
    assert ask_graphql(sandbox, stop).json["data"]["podStop"] == {"desiredStatus": "EXITED"}
    assert look(sandbox, "p1")["status"] == "EXITED"
    assert act(sandbox, "p1", "terminate") == 204
    assert ask(sandbox, "GET", "/v2/pods").json["pods"] == []
    assert ask(sandbox, "GET", "/v1/pods").json == []
    assert ask_graphql(sandbox, QUERY).json["data"]["myself"]["pods"] == []


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("action", ["stop then start", "restart"])
def test_every_start_gives_other_ports_and_counts_anew(sandbox: Sandbox, action: str) -> None:
    before = published(look(sandbox, "p1"))
    for step in action.split(" then "):
        assert act(sandbox, "p1", step) == 200
    sandbox.advance(2)
    after = look(sandbox, "p1")
    assert after["runtime"]["uptime"] in (0, 1)
    for private, public in published(after).items():
        assert public != before[private]


@pytest.mark.scenario(ONE)
def test_a_restart_stays_on_its_machine(sandbox: Sandbox) -> None:
    act(sandbox, "p1", "restart")
    assert look(sandbox, "p1")["status"] == "STARTING"


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("made", ["by the scenario", "over v2"])
def test_port_22_greets_as_sshd_does(sandbox: Sandbox, made: str) -> None:
    pod = "p1" if made == "by the scenario" else create(sandbox)
    sandbox.advance(2)
    direct = look(sandbox, pod)["ssh"]["direct"]
    assert (direct["host"], direct["username"]) == ("127.0.0.1", "root")
    assert greeting(direct["port"]).startswith(b"SSH-2.0-")


@pytest.mark.scenario({**EMPTY, "lifecycle": {"sshd": 90}})
def test_port_22_is_mapped_long_before_sshd_listens(sandbox: Sandbox) -> None:
    pod = create(sandbox)
    sandbox.advance(2)
    port = look(sandbox, pod)["ssh"]["direct"]["port"]
    assert greeting(port) == b""
    sandbox.advance(90)
    assert greeting(port).startswith(b"SSH-")


@pytest.mark.scenario({**EMPTY, "lifecycle": {"starting": 10, "running": 60, "container": 5}})
def test_a_start_takes_as_long_as_it_is_told_to(sandbox: Sandbox) -> None:
    pod = create(sandbox)
    seen = []
    for _ in range(14):
        document = look(sandbox, pod)
        seen.append((document["status"], document["runtime"] is not None))
        sandbox.advance(5)
    assert seen[:2] == [("PROVISIONING", True)] * 2
    assert seen[2:12] == [("STARTING", False)] * 10
    assert seen[12:] == [("RUNNING", False), ("RUNNING", True)]


@pytest.mark.scenario({**ONE, "lifecycle": {"staleAddress": 30}})
def test_for_a_while_the_address_before_is_still_given(sandbox: Sandbox) -> None:
    before = published(look(sandbox, "p1"))
    act(sandbox, "p1", "restart")
    sandbox.advance(2)
    assert published(look(sandbox, "p1")) == before
    sandbox.advance(30)
    assert published(look(sandbox, "p1")) != before


@pytest.mark.scenario({**EMPTY, "quirks": {"unpullableImages": ["nobody/nothing"]}})
def test_an_image_that_cannot_be_pulled_ends_the_pod(sandbox: Sandbox) -> None:
    pod = create(sandbox, image="nobody/nothing")
    sandbox.advance(5)
    assert look(sandbox, pod)["status"] == "STARTING"
    assert old_look(sandbox, pod)["desiredStatus"] == "RUNNING"
    sandbox.advance(2)
    assert look(sandbox, pod)["status"] == "EXITED"
    assert old_look(sandbox, pod)["lastStatusChange"].startswith("Exited by Runpod: ")


@pytest.mark.parametrize(("quirks", "stale"), [({}, True), ({"staleRuntime": False}, False)])
def test_a_stopped_pod_may_keep_a_stale_runtime(quirks: Mapping[str, Any], stale: bool) -> None:
    with Sandbox({**ONE, "quirks": quirks}) as sandbox:
        before = old_look(sandbox, "p1")["runtime"]
        act(sandbox, "p1", "stop")
        sandbox.advance(10)
        after = old_look(sandbox, "p1")["runtime"]
        assert look(sandbox, "p1")["runtime"] is None
    if stale:
        assert after["ports"] == before["ports"]
        assert after["uptimeInSeconds"] == before["uptimeInSeconds"] + 10
    else:
        assert after is None


@pytest.mark.parametrize(("quirks", "status"), [({}, 200), ({"terminatedPods": "gone"}, 404)])
def test_a_terminated_pod_is_kept_or_gone(quirks: Mapping[str, Any], status: int) -> None:
    with Sandbox({**ONE, "quirks": quirks}) as sandbox:
        assert ask(sandbox, "DELETE", "/v2/pods/p1").status == 204
        assert ask(sandbox, "GET", "/v2/pods/p1").status == status


@pytest.mark.scenario(
    {**EMPTY, "pods": [{"id": "soon", "uptime": -60}, {"id": "never", "uptime": None}]}
)
def test_a_container_of_the_scenario_reports_later_or_never(sandbox: Sandbox) -> None:
    for seconds, runtimes in ((59, [False, False]), (1, [True, False]), (9999, [True, False])):
        sandbox.advance(seconds)
        pods = ask(sandbox, "GET", "/v2/pods").json["pods"]
        assert [pod["runtime"] is not None for pod in pods] == runtimes
    assert look(sandbox, "soon")["runtime"]["uptime"] == 9999


@pytest.mark.scenario({**ONE, "clock": {"now": "2026-12-01T12:00:00Z", "frozen": True}})
def test_the_clock_stands_until_it_is_turned(sandbox: Sandbox) -> None:
    assert ask(sandbox, "GET", "/_sandbox/clock").json == {"now": "2026-12-01T12:00:00Z"}
    turned = ask(sandbox, "POST", "/_sandbox/clock", {"advance": 90.5})
    assert turned.json == {"now": "2026-12-01T12:01:30.500000Z"}
    assert look(sandbox, "p1")["runtime"]["uptime"] == 3690


@pytest.mark.scenario(ONE)
@pytest.mark.parametrize("body", [{}, {"advance": -1}, {"advance": "5"}, {"advance": True}, 7])
def test_the_clock_turns_forward_only(sandbox: Sandbox, body: object) -> None:
    assert ask(sandbox, "POST", "/_sandbox/clock", body).status == 422


@pytest.mark.scenario({**EMPTY, "pods": [{"id": "s{n}", "repeat": 200, "ports": ["22/tcp"]}]})
def test_thousands_of_pods_need_no_thousands_of_listeners(sandbox: Sandbox) -> None:
    pods = ask(sandbox, "GET", "/v2/pods?limit=1000").json["pods"]
    ports = {pod["ssh"]["direct"]["port"] for pod in pods}
    assert 1 < len(ports) <= 32
    assert greeting(max(ports)).startswith(b"SSH-")
