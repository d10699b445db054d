"""What the classic plane asks, when, and what it makes of faults: against a scripted platform."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from planes_stub import Reply, Stub

from rpcli.controlplane.graphql_source import CAP
from rpcli.domain.podstate import PodState
from rpcli.errors import RpcliError, UnexpectedResponse

if TYPE_CHECKING:
    from planes_run import Open

pytest_plugins = ["planes_run"]

RUNNING = {
    "id": "p1",
    "name": "a",
    "desiredStatus": "RUNNING",
    "lastStatusChange": "Rented by User",
}
EXITED = {"id": "p2", "name": "b", "desiredStatus": "EXITED", "lastStatusChange": "Exited by User"}
NODE = {"id": "p1", "desiredStatus": "RUNNING", "runtime": {"uptimeInSeconds": 7, "ports": []}}
ACCOUNT = {"myself": {"pubKey": "ssh-ed25519 AAAA me", "pods": [NODE]}}
UP = PodState("running")
STOPPED = PodState("stopped", "stopped_by_user")
UNAVAILABLE = PodState("unknown", "runtime_unavailable")
FORBIDDEN = PodState("unknown", "runtime_forbidden")


# -- list


@pytest.mark.parametrize("count", [1, 20, 1000])
def test_a_list_is_one_request_to_each_api(stub: Stub, open_run: Open, count: int) -> None:
    ids = [f"p{n}" for n in range(count)]
    stub.json("GET", "/v1/pods", [{**RUNNING, "id": name} for name in ids])
    stub.graphql({"myself": {"pods": [{**NODE, "id": name} for name in ids]}})
    run = open_run("classic")
    pods = run.plane.list_pods()
    assert [pod.id for pod in pods] == ids
    assert {run.state(pod) for pod in pods} == {UP}
    assert stub.shape() == ["GET /v1/pods", "POST /graphql"]
    assert run.notes == []


@pytest.mark.parametrize(
    "body", [[], [EXITED], {"pods": [EXITED, None]}, [{**EXITED, "desiredStatus": "TERMINATED"}]]
)
def test_a_list_without_a_running_pod_never_asks_graphql(
    stub: Stub, open_run: Open, body: object
) -> None:
    stub.json("GET", "/v1/pods", body)
    run = open_run("classic")
    for why in (False, True):
        assert all(run.state(pod) != UNAVAILABLE for pod in run.plane.list_pods(why=why))
    assert stub.shape() == ["GET /v1/pods", "GET /v1/pods"]


def test_graphql_decides_only_for_pods_that_rest_calls_running(stub: Stub, open_run: Open) -> None:
    skewed = {
        **NODE,
        "id": "p3",
        "desiredStatus": "EXITED",
        "lastStatusChange": "Exited by user: x",
    }
    stub.json(
        "GET", "/v1/pods", [RUNNING, EXITED, {**RUNNING, "id": "p3"}, {**RUNNING, "id": "p4"}]
    )
    stub.graphql({"myself": {"pods": [NODE, {**NODE, "id": "p2"}, skewed, None]}})
    run = open_run("classic")
    assert [run.state(pod) for pod in run.plane.list_pods()] == [
        UP,
        STOPPED,
        STOPPED,
        PodState("unknown", "not_in_snapshot"),
    ]
    assert run.notes == [
        "the API gave what could not be used: graphql.myself.pods[3]: null was skipped"
    ]


ERRORS = {"errors": [{"message": "Something went wrong."}], "data": None}


@pytest.mark.parametrize(
    ("answer", "state", "said", "asked"),
    [
        (Reply({"error": "down"}, 500), UNAVAILABLE, "GraphQL failed: down", 2),
        (Reply({"error": "busy"}, 503), UNAVAILABLE, "GraphQL failed: busy", 2),
        (Reply(ERRORS), UNAVAILABLE, "GraphQL failed: Something went wrong.", 2),
        (Reply("<html>", content_type="text/html"), UNAVAILABLE, "GraphQL failed: ", 2),
        (Reply({"data": {"myself": {"pods": None}}}), UNAVAILABLE, "GraphQL failed: ", 2),
        (Reply({"error": "no"}, 401), FORBIDDEN, "this key may not ask GraphQL (HTTP 401)", 2),
        (Reply({"error": "no"}, 403), FORBIDDEN, "this key may not ask GraphQL (HTTP 403)", 2),
        (Reply({"data": {"myself": None}}), FORBIDDEN, "this key may not ask GraphQL: ", 2),
        (
            Reply({"errors": [{"message": "x", "extensions": {"code": "FORBIDDEN"}}]}),
            FORBIDDEN,
            "this key may not ask GraphQL",
            2,
        ),
        (
            Reply({"errors": [{"message": "Not authorized to read pods"}]}),
            FORBIDDEN,
            "this key may not ask GraphQL",
            2,
        ),
        (Reply({"error": "x"}, 404), UNAVAILABLE, "GraphQL is gone (HTTP 404)", 1),
        (Reply({"error": "x"}, 410), UNAVAILABLE, "GraphQL is gone (HTTP 410)", 1),
    ],
)
def test_a_fault_of_graphql_degrades_the_list_with_one_note(
    stub: Stub, open_run: Open, answer: Reply, state: PodState, said: str, asked: int
) -> None:
    """A26: one try each time, what is permanent is named as such, what is gone is left alone."""
    stub.json("GET", "/v1/pods", [RUNNING, EXITED])
    stub.answer("POST", "/graphql", answer)
    run = open_run("classic")
    for _ in range(2):
        assert [run.state(pod) for pod in run.plane.list_pods()] == [state, STOPPED]
    (note,) = run.notes
    assert note.startswith(f"runtime states are unknown: {said}")
    assert len(stub.asked("POST", "/graphql")) == asked


@pytest.mark.parametrize("drip", [False, True])
def test_a_graphql_without_an_end_is_given_up(stub: Stub, open_run: Open, drip: bool) -> None:
    """It is still sending, or still silent, when the list is there."""
    stub.json("GET", "/v1/pods", [RUNNING, EXITED])
    if drip:
        stub.answer("POST", "/graphql", Reply({"data": ACCOUNT}, drip=True))
    else:
        stub.hold("POST", "/graphql")
    run = open_run("classic", limit=0.5)
    assert [run.state(pod) for pod in run.plane.list_pods()] == [UNAVAILABLE, STOPPED]
    (request,) = stub.asked("POST", "/graphql")
    assert not request.done.is_set()
    assert len(run.notes) == 1


def test_graphql_has_five_seconds_of_a_read_that_may_take_thirty(
    stub: Stub, open_run: Open
) -> None:
    stub.json("GET", "/v1/pods", [RUNNING])
    stub.answer("POST", "/graphql", Reply({"data": ACCOUNT}, drip=True))
    run = open_run("classic")
    (pod,) = run.plane.list_pods()
    assert run.state(pod) == UNAVAILABLE
    assert CAP == 5
    assert run.notes == ["runtime states are unknown: GraphQL did not answer within 5 s"]
    assert not stub.asked("POST", "/graphql")[0].done.is_set()


def test_another_shape_is_refused(stub: Stub, open_run: Open) -> None:
    stub.json("GET", "/v1/pods", {"items": []})
    with pytest.raises(UnexpectedResponse, match="a list was expected") as caught:
        open_run("classic").plane.list_pods()
    assert caught.value.api == "v1"


@pytest.mark.parametrize(("status", "code"), [(404, "not_found"), (410, "gone")])
def test_a_retired_api_is_told_with_the_one_that_stays(
    stub: Stub, open_run: Open, status: int, code: str
) -> None:
    stub.answer("GET", "/v1/pods", Reply({"error": "retired"}, status))
    with pytest.raises(RpcliError) as caught:
        open_run("classic").plane.list_pods()
    assert caught.value.to_document() == {
        "error": "retired",
        "code": code,
        "status": status,
        "api": "v1",
        "hint": "REST v1 was retired in November 2026: try --api v2",
    }
    assert stub.shape() == ["GET /v1/pods"]


# -- get


def test_a_get_is_two_requests_at_the_same_time(stub: Stub, open_run: Open) -> None:
    barrier = threading.Barrier(2)
    stub.answer("GET", "/v1/pods/p1", Reply(RUNNING, first=lambda: barrier.wait(20)))
    stub.answer("POST", "/graphql", Reply({"data": ACCOUNT}, first=lambda: barrier.wait(20)))
    run = open_run("classic")
    detail = run.plane.get_pod("p1")
    assert run.state(detail.snapshot) == UP
    assert detail.account_keys == ("ssh-ed25519 AAAA me",)
    assert stub.shape() == ["GET /v1/pods/p1", "POST /graphql"]
    assert stub.asked("GET", "/v1/pods/p1")[0].query == {"includeNetworkVolume": "true"}
    assert run.notes == []


def test_a_get_asks_rest_for_machine_and_volume(stub: Stub, open_run: Open) -> None:
    pod = {**RUNNING, "machine": {"location": "US"}, "networkVolume": {"id": "v1", "size": 10}}
    stub.json("GET", "/v1/pods/p1", pod)
    stub.graphql(ACCOUNT)
    run = open_run("classic")
    plain = run.plane.get_pod("p1")
    assert (plain.network_volume_id, plain.network_volume) == ("v1", None)
    stub.requests.clear()
    detail = run.plane.get_pod("p1", include_machine=True, include_network_volume=True)
    assert stub.asked("GET", "/v1/pods/p1")[0].query == {
        "includeMachine": "true",
        "includeNetworkVolume": "true",
    }
    assert detail.machine == {"location": "US"}
    assert detail.network_volume == {"id": "v1", "sizeInGb": 10}
    assert len(stub.requests) == 2


@pytest.mark.parametrize(
    ("pod", "state", "unknown"),
    [
        (RUNNING, FORBIDDEN, "the runtime state is unknown: "),
        (EXITED, STOPPED, "the account's ssh keys are unknown: "),
    ],
)
def test_a_fault_of_graphql_degrades_a_get(
    stub: Stub, open_run: Open, pod: dict[str, str], state: PodState, unknown: str
) -> None:
    """F10: keys that could not be asked for are unknown, and never none."""
    stub.json("GET", f"/v1/pods/{pod['id']}", pod)
    stub.answer("POST", "/graphql", Reply({"error": "no"}, 403))
    run = open_run("classic")
    detail = run.plane.get_pod(pod["id"])
    assert run.state(detail.snapshot) == state
    assert detail.account_keys is None
    (note,) = run.notes
    assert note.startswith(unknown)


def test_list_and_get_agree_whatever_is_out_of_step(stub: Stub, open_run: Open) -> None:
    rest = {
        "p1": RUNNING,
        "p2": EXITED,
        "p3": {**RUNNING, "id": "p3"},
        "p4": {**EXITED, "id": "p4", "lastStatusChange": None},
        "p5": {**RUNNING, "id": "p5"},
    }
    exited = {"desiredStatus": "EXITED", "lastStatusChange": "Outbid: x"}
    nodes = [NODE, {**NODE, "id": "p2"}, {**NODE, "id": "p3", **exited}, {"id": "p4", **exited}]
    stub.json("GET", "/v1/pods", list(rest.values()))
    stub.graphql({"myself": {"pubKey": None, "pods": nodes}})
    for name, pod in rest.items():
        stub.json("GET", f"/v1/pods/{name}", pod)
    run = open_run("classic")
    listed = {pod.id: run.state(pod) for pod in run.plane.list_pods()}
    got = {name: run.state(run.plane.get_pod(name).snapshot) for name in rest}
    assert listed == got
    assert [state.reason for state in got.values()] == [
        None,
        "stopped_by_user",
        "stopped_outbid",
        None,
        "not_in_snapshot",
    ]


# -- ssh


def test_ssh_is_one_graphql_request(stub: Stub, open_run: Open) -> None:
    """F11: a pod that GraphQL calls EXITED is stopped, whatever its stale ports say."""
    stale = {**NODE, "id": "p2", "desiredStatus": "EXITED", "lastStatusChange": "Exited by user"}
    stub.graphql({"myself": {"pubKey": "k e y\n\n", "pods": [NODE, None, stale]}})
    run = open_run("classic")
    view = run.plane.ssh_view()
    assert [(pod.id, run.state(pod)) for pod in view.pods] == [("p1", UP), ("p2", STOPPED)]
    assert view.account_keys == ("k e y",)
    assert stub.shape() == ["POST /graphql"]
    assert run.notes == [
        "the API gave what could not be used: graphql.myself.pods[1]: null was skipped"
    ]


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [
        (Reply(ERRORS), "graphql_error", "Something went wrong."),
        (Reply({"error": "no"}, 403), "forbidden", "no"),
        (Reply({"error": "no"}, 401), "unauthorized", "no"),
        (Reply({"data": {"myself": None}}), "unauthorized", "no account for this key"),
        (Reply({"data": {"myself": {"pods": None}}}), "unexpected_response", "null"),
        (Reply({"error": "not here"}, 404), "gone", "not here"),
        (Reply({"error": "retired"}, 410), "gone", "retired"),
        (Reply({"error": "down"}, 500), "server_error", "down"),
    ],
)
def test_ssh_fails_with_graphqls_own_code(
    stub: Stub, open_run: Open, answer: Reply, code: str, text: str
) -> None:
    """A01: the server's text is kept, the API is named, and nothing is taken for no pods."""
    stub.answer("POST", "/graphql", answer)
    run = open_run("classic")
    with pytest.raises(RpcliError) as caught:
        run.plane.ssh_view()
    document = caught.value.to_document()
    assert (document["code"], document["api"]) == (code, "graphql")
    assert text in document["error"]
    assert run.notes == []
