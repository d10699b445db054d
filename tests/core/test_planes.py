"""What holds on either control plane: which one, ids, changes, and a pod that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from planes_stub import Reply, Stub

from rpcli.controlplane.protocol import PodChange
from rpcli.errors import NotFound, RpcliError, UsageError

if TYPE_CHECKING:
    from planes_run import Open

pytest_plugins = ["planes_run"]

KEYS = {"keys": ["ssh-ed25519 AAAA me"]}


def test_the_settings_choose_the_plane(open_run: Open) -> None:
    assert open_run("v2").plane.generation == "v2"
    assert open_run("classic").plane.generation == "classic"


@pytest.mark.parametrize("api", ["v2", "classic"])
def test_an_id_that_rest_does_not_know_is_not_found_whatever_else_is_to_come(
    stub: Stub, open_run: Open, api: str
) -> None:
    path = "/v2/pods/p1" if api == "v2" else "/v1/pods/p1"
    stub.answer("GET", path, Reply({"title": "Not Found", "detail": "pod not found"}, 404))
    stub.hold("GET", "/v2/account/ssh-keys")
    stub.hold("POST", "/graphql")
    run = open_run(api)
    with pytest.raises(NotFound) as caught:
        run.plane.get_pod("p1")
    assert caught.value.to_document() == {
        "error": "there is no pod 'p1'",
        "code": "not_found",
        "status": 404,
        "id": "p1",
        "api": "v2" if api == "v2" else "v1",
        "hint": "a pod goes by its id here: 'rpcli pod list -a' shows them",
    }
    assert not any(r.done.is_set() for r in stub.requests if r.path != path)
    assert run.notes == []


@pytest.mark.parametrize("api", ["v2", "classic"])
@pytest.mark.parametrize("pod_id", ["", ".", ".."])
def test_what_is_no_id_is_refused_before_any_request(
    stub: Stub, open_run: Open, api: str, pod_id: str
) -> None:
    with pytest.raises(UsageError):
        open_run(api).plane.get_pod(pod_id)
    with pytest.raises(UsageError):
        open_run(api).plane.update_pod(pod_id, PodChange(ports=()))
    assert stub.requests == []


@pytest.mark.parametrize(("api", "path"), [("v2", "/v2/pods/p1"), ("classic", "/v1/pods/p1")])
def test_a_pod_that_may_not_be_read_is_told_with_its_id(
    stub: Stub, open_run: Open, api: str, path: str
) -> None:
    stub.answer("GET", path, Reply({"message": "access denied"}, 403))
    stub.json("GET", "/v2/account/ssh-keys", KEYS)
    stub.graphql({"pod": None})
    run = open_run(api)
    with pytest.raises(RpcliError) as caught:
        run.plane.get_pod("p1")
    assert (caught.value.error_code, caught.value.id) == ("forbidden", "p1")
    assert run.notes == []


@pytest.mark.parametrize(("api", "path"), [("v2", "/v2/pods/p1"), ("classic", "/v1/pods/p1")])
def test_a_change_is_sent_once(stub: Stub, open_run: Open, api: str, path: str) -> None:
    stub.answer("PATCH", path, Reply({"id": "p1"}), Reply({"error": "busy"}, 503))
    plane = open_run(api).plane
    plane.update_pod("p1", PodChange())
    assert stub.requests == []
    plane.update_pod("p1", PodChange(ports=("8888/http", "22/tcp")))
    (request,) = stub.requests
    assert (request.method, request.path) == ("PATCH", path)
    assert request.body == {"ports": ["8888/http", "22/tcp"]}
    with pytest.raises(RpcliError) as caught:
        plane.update_pod("p1", PodChange(ports=()))
    assert (caught.value.status, caught.value.id) == (503, "p1")
    assert len(stub.requests) == 2


@pytest.mark.parametrize(("api", "path"), [("v2", "/v2/pods/p1"), ("classic", "/v1/pods/p1")])
def test_a_change_of_no_pod_is_not_found(stub: Stub, open_run: Open, api: str, path: str) -> None:
    stub.answer("PATCH", path, Reply({"error": "pod not found"}, 404))
    with pytest.raises(NotFound) as caught:
        open_run(api).plane.update_pod("p1", PodChange(ports=()))
    assert caught.value.id == "p1"
