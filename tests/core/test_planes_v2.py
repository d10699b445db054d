"""What the v2 plane asks, when, and what it makes of faults: against a scripted platform."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from planes_stub import Reply, Stub, bodies

from rpcli.controlplane import v2
from rpcli.domain.podstate import PodState
from rpcli.errors import UnexpectedResponse

if TYPE_CHECKING:
    from planes_run import Open

pytest_plugins = ["planes_run"]

V2_POD = {"id": "p1", "name": "a", "status": "RUNNING", "runtime": {"uptime": 1}}
KEYS = {"keys": ["ssh-ed25519 AAAA me"]}


# -- v2, list


def pages(count: int, size: int) -> list[object]:
    """A list of pods, a page at a time, as the live API sends it."""
    ids = [f"p{n}" for n in range(count)]
    starts = list(range(0, count, size)) or [0]
    return [
        {
            "pods": [{"id": name, "status": "EXITED"} for name in ids[at : at + size]],
            "pagination": {
                "hasNextPage": at != starts[-1],
                "nextCursor": None if at == starts[-1] else f"after {at} & more",
            },
        }
        for at in starts
    ]


@pytest.mark.parametrize("count", [0, 1, 20, 1000])
def test_v2_lists_in_one_request(stub: Stub, open_run: Open, count: int) -> None:
    stub.json("GET", "/v2/pods", *pages(count, 1000))
    run = open_run("v2")
    assert len(run.plane.list_pods()) == count
    assert stub.shape() == ["GET /v2/pods"]
    assert stub.requests[0].query == {"limit": "1000"}
    assert run.notes == []


def test_v2_follows_cursors_to_the_end(stub: Stub, open_run: Open) -> None:
    stub.json("GET", "/v2/pods", *pages(2500, 1000))
    pods = open_run("v2").plane.list_pods()
    assert [pod.id for pod in pods] == [f"p{n}" for n in range(2500)]
    assert [request.query for request in stub.requests] == [
        {"limit": "1000"},
        {"limit": "1000", "cursor": "after 0 & more"},
        {"limit": "1000", "cursor": "after 1000 & more"},
    ]


def test_v2_takes_a_server_without_pagination(stub: Stub, open_run: Open) -> None:
    stub.json("GET", "/v2/pods", {"pods": [V2_POD]})
    (pod,) = open_run("v2").plane.list_pods()
    assert open_run("v2").state(pod) == PodState("running")
    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("cursors", "asked"), [(["c", "c"], 2), (["c", "d", "c"], 3), ([None], 1), ([7], 1)]
)
def test_v2_ends_a_list_that_does_not(
    stub: Stub, open_run: Open, cursors: list[object], asked: int
) -> None:
    stub.json(
        "GET",
        "/v2/pods",
        *({"pods": [], "pagination": {"hasNextPage": True, "nextCursor": c}} for c in cursors),
    )
    with pytest.raises(UnexpectedResponse) as caught:
        open_run("v2").plane.list_pods()
    assert caught.value.api == "v2"
    assert len(stub.requests) == asked


def test_v2_ends_a_list_whose_cursors_are_always_new(
    stub: Stub, open_run: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(v2, "MOST_PAGES", 3)
    stub.json(
        "GET",
        "/v2/pods",
        *({"pods": [], "pagination": {"hasNextPage": True, "nextCursor": c}} for c in "abcd"),
    )
    with pytest.raises(UnexpectedResponse, match="more than 3 pages"):
        open_run("v2").plane.list_pods()
    assert len(stub.requests) == 3


def test_v2_skips_a_null_with_one_note(stub: Stub, open_run: Open) -> None:
    stub.json("GET", "/v2/pods", {"pods": [None, V2_POD, None]})
    run = open_run("v2")
    assert [pod.id for pod in run.plane.list_pods()] == ["p1"]
    assert run.notes == [
        "the API gave what could not be used: pods[0]: null was skipped; pods[2]: null was skipped"
    ]


def test_v2_refuses_another_shape(stub: Stub, open_run: Open) -> None:
    stub.json("GET", "/v2/pods", [V2_POD])
    with pytest.raises(UnexpectedResponse, match="and a list came"):
        open_run("v2").plane.list_pods()


# -- v2, the reasons


def overlapping(stub: Stub, *routes: tuple[str, str, object]) -> None:
    """Script answers that are sent only once all the requests are there."""
    barrier = threading.Barrier(len(routes))
    for method, path, body in routes:
        stub.answer(method, path, Reply(body, first=lambda: barrier.wait(20)))


def reasons(change: str) -> dict[str, Any]:
    return {"data": {"myself": {"pods": [None, {"id": "p1", "lastStatusChange": change}]}}}


def test_v2_asks_why_beside_the_list(stub: Stub, open_run: Open) -> None:
    overlapping(
        stub,
        ("GET", "/v2/pods", {"pods": [{**V2_POD, "status": "EXITED"}]}),
        ("POST", "/graphql", reasons("Exited by User: x")),
    )
    run = open_run("v2")
    (pod,) = run.plane.list_pods(why=True)
    assert run.state(pod) == PodState("stopped", "stopped_by_user")
    assert stub.shape() == ["GET /v2/pods", "POST /graphql"]
    assert run.notes == [
        "the API gave what could not be used: graphql.myself.pods[0]: null was skipped"
    ]


def test_v2_does_not_wait_long_for_why(stub: Stub, open_run: Open) -> None:
    stub.json("GET", "/v2/pods", {"pods": [V2_POD]})
    stub.hold("POST", "/graphql")
    run = open_run("v2")
    (pod,) = run.plane.list_pods(why=True)
    assert run.state(pod) == PodState("running")
    assert run.notes == [
        "attribution and maintenance are unknown: GraphQL did not answer within 1 s"
    ]
    assert not stub.asked("POST", "/graphql")[0].done.is_set()


def test_v2_leaves_a_slow_graphql_alone_for_a_minute(stub: Stub, open_run: Open) -> None:
    stub.json("GET", "/v2/pods", {"pods": [V2_POD]})
    slow = Reply({}, first=stub.released.wait)
    stub.answer("POST", "/graphql", slow, Reply(reasons("Outbid")))
    run = open_run("v2")
    asked = []
    for pause in (0, 59, 1):
        run.now += timedelta(seconds=pause)
        (pod,) = run.plane.list_pods(why=True)
        asked.append((len(stub.asked("POST", "/graphql")), pod.last_status_change))
    assert asked == [(1, None), (1, None), (2, "Outbid")]
    assert len(run.notes) == 2  # one of them is the null in the account


@pytest.mark.parametrize(
    ("status", "asked", "said"),
    [
        (404, 1, "GraphQL is gone (HTTP 404), and is not asked again"),
        (410, 1, "GraphQL is gone (HTTP 410), and is not asked again"),
        (401, 2, "this key may not ask GraphQL (HTTP 401)"),
        (500, 2, "GraphQL failed: down"),
    ],
)
def test_v2_tells_once_why_the_reasons_are_missing(
    stub: Stub, open_run: Open, status: int, asked: int, said: str
) -> None:
    stub.json("GET", "/v2/pods", {"pods": [V2_POD]})
    stub.answer("POST", "/graphql", Reply({"error": "down"}, status))
    run = open_run("v2")
    for _ in range(2):
        (pod,) = run.plane.list_pods(why=True)
        assert run.state(pod) == PodState("running")
    assert len(stub.asked("POST", "/graphql")) == asked
    (note,) = run.notes
    assert said in note


# -- v2, get


def test_v2_gets_a_pod_and_all_beside_it_at_the_same_time(stub: Stub, open_run: Open) -> None:
    cpu = bodies("v2-pods")["pods"][3]
    reason = {"id": cpu["id"], "lastStatusChange": "Rented by User", "machine": {"location": "US"}}
    overlapping(
        stub,
        ("GET", f"/v2/pods/{cpu['id']}", cpu),
        ("GET", "/v2/account/ssh-keys", bodies("v2-ssh-keys")),
        ("GET", "/v2/network-volumes", bodies("v2-network-volumes")),
        ("POST", "/graphql", {"data": {"pod": reason}}),
    )
    run = open_run("v2")
    detail = run.plane.get_pod(cpu["id"], include_machine=True, include_network_volume=True)
    assert detail.snapshot.last_status_change == "Rented by User"
    assert detail.account_keys == tuple(bodies("v2-ssh-keys")["keys"])
    assert detail.machine == {"location": "US"}
    assert detail.network_volume is not None
    assert detail.network_volume["name"] == "my-dataset"
    assert run.notes == []
    question = stub.asked("POST", "/graphql")[0].body
    assert question["variables"] == {"id": cpu["id"]}
    assert "supportPublicIp" in question["query"]


def test_v2_asks_for_no_more_than_it_needs(stub: Stub, open_run: Open) -> None:
    stub.json("GET", "/v2/pods/p1", V2_POD)
    stub.json("GET", "/v2/account/ssh-keys", KEYS)
    stub.graphql({"pod": None})
    run = open_run("v2")
    detail = run.plane.get_pod("p1")
    assert (detail.machine, detail.network_volume) == (None, None)
    assert stub.shape() == ["GET /v2/account/ssh-keys", "GET /v2/pods/p1", "POST /graphql"]
    assert "supportPublicIp" not in stub.asked("POST", "/graphql")[0].body["query"]
    assert run.notes == []


@pytest.mark.parametrize(
    "answer",
    [Reply({"error": "no"}, 403), Reply({"error": "down"}, 500), Reply([]), Reply("<html>")],
)
def test_v2_does_not_know_keys_that_it_could_not_ask_for(
    stub: Stub, open_run: Open, answer: Reply
) -> None:
    """F10: unknown, and never no keys."""
    stub.json("GET", "/v2/pods/p1", V2_POD)
    stub.json("GET", "/v2/pods", {"pods": [V2_POD]})
    stub.answer("GET", "/v2/account/ssh-keys", answer)
    stub.graphql({"pod": None})
    run = open_run("v2")
    assert run.plane.get_pod("p1").account_keys is None
    view = run.plane.ssh_view()
    assert (len(view.pods), view.account_keys) == (1, None)
    assert len(run.notes) == 2
    assert all(note.startswith("the account's ssh keys are unknown: ") for note in run.notes)


@pytest.mark.parametrize(
    ("volumes", "said"),
    [
        (Reply({"error": "no"}, 403), "the network volume is unknown: no"),
        (Reply([]), "the network volume is unknown: the list of network volumes: "),
        (Reply({"networkVolumes": []}), None),
    ],
)
def test_v2_gets_a_pod_whose_volume_is_unknown(
    stub: Stub, open_run: Open, volumes: Reply, said: str | None
) -> None:
    cpu = bodies("v2-pods")["pods"][3]
    stub.json("GET", f"/v2/pods/{cpu['id']}", cpu)
    stub.json("GET", "/v2/account/ssh-keys", KEYS)
    stub.answer("GET", "/v2/network-volumes", volumes)
    stub.graphql({"pod": None})
    run = open_run("v2")
    detail = run.plane.get_pod(cpu["id"], include_network_volume=True)
    assert (detail.network_volume, detail.network_volume_id) == (None, "agv6w2qcg7")
    assert len(run.notes) == (said is not None)
    assert "".join(run.notes).startswith(said or "")


def test_v2_gets_a_pod_without_a_volume(stub: Stub, open_run: Open) -> None:
    stub.json("GET", "/v2/pods/p1", V2_POD)
    stub.json("GET", "/v2/account/ssh-keys", KEYS)
    stub.json("GET", "/v2/network-volumes", {"networkVolumes": []})
    stub.graphql({"pod": None})
    assert open_run("v2").plane.get_pod("p1", include_network_volume=True).network_volume is None


def test_v2_gives_up_on_what_is_beside_the_pod(stub: Stub, open_run: Open) -> None:
    """The pod is told while the keys and GraphQL are still to come."""
    stub.json("GET", "/v2/pods/p1", V2_POD)
    stub.hold("GET", "/v2/account/ssh-keys")
    stub.hold("POST", "/graphql")
    run = open_run("v2")
    detail = run.plane.get_pod("p1")
    assert (detail.snapshot.id, detail.account_keys) == ("p1", None)
    assert not any(r.done.is_set() for r in stub.requests if r.path != "/v2/pods/p1")
    assert [note.partition(":")[0] for note in run.notes] == [
        "the account's ssh keys are unknown",
        "attribution and maintenance are unknown",
    ]


def test_v2_looks_at_every_pod_for_ssh(stub: Stub, open_run: Open) -> None:
    first, second = pages(2, 1)
    barrier = threading.Barrier(2)
    stub.answer("GET", "/v2/pods", Reply(first, first=lambda: barrier.wait(20)), Reply(second))
    stub.answer("GET", "/v2/account/ssh-keys", Reply(KEYS, first=lambda: barrier.wait(20)))
    view = open_run("v2").plane.ssh_view()
    assert [pod.id for pod in view.pods] == ["p0", "p1"]
    assert view.account_keys == ("ssh-ed25519 AAAA me",)
    assert [request.query for request in stub.asked("GET", "/v2/pods")] == [
        {"includeClusterPods": "true", "limit": "1000"},
        {"includeClusterPods": "true", "limit": "1000", "cursor": "after 0 & more"},
    ]
