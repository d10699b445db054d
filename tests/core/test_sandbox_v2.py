"""REST v2 of the sandbox: pages, strict bodies, rules across fields, and what each change does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_calls import Answer, ask

from rpcli.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILXGDN/SclOozk1xsDztpmhGiKkkrfQB9SKoO8dSIQQZ me@example"
TEMPLATE = {
    "id": "tpl0",
    "image": "from/template:1",
    "disk": 70,
    "ports": ["80/http"],
    "env": {"A": "template", "B": "template"},
    "startSsh": True,
}
SCENARIO: dict[str, Any] = {
    "rateLimit": "none",
    "clock": {"frozen": True},
    "account": {
        "sshKeys": [KEY],
        "networkVolumes": [
            {"id": "vol0", "name": "data", "size": 100, "dataCenterId": "US-KS-2"},
            {
                "id": "vol1",
                "name": "x",
                "size": 10,
                "dataCenterId": "EU",
                "type": "HIGH_PERFORMANCE",
            },
        ],
        "templates": [TEMPLATE],
    },
    "pods": [
        {"id": "run0", "volume": 20, "ports": ["22/tcp"], "env": {"OLD": "1"}},
        {"id": "stop0", "status": "EXITED", "networkVolume": "vol0"},
        {"id": "lock0", "locked": True},
        {"id": "member0", "cluster": "cluster0"},
        {"id": "hidden0", "v2": {"$absent": True}},
    ],
}
GPU = {"id": "NVIDIA L4"}
NEW: dict[str, Any] = {"name": "new", "image": "alpine:3", "gpu": GPU}
MOUNT = {"size": 20, "path": "/data"}

pytestmark = pytest.mark.scenario(SCENARIO)


def create(sandbox: Sandbox, **members: object) -> Answer:
    body = {key: value for key, value in {**NEW, **members}.items() if value is not None}
    return ask(sandbox, "POST", "/v2/pods", body)


# -- lists


def pages(sandbox: Sandbox, query: str) -> list[list[str]]:
    found, cursor = [], ""
    while True:
        page = ask(sandbox, "GET", f"/v2/pods?{query}{cursor}").json
        found.append([pod["id"] for pod in page["pods"]])
        pagination = page["pagination"]
        if not pagination["hasNextPage"]:
            assert pagination["nextCursor"] is None
            return found
        cursor = f"&cursor={pagination['nextCursor']}"


MANY: dict[str, Any] = {"rateLimit": "none", "pods": [{"id": "p{n}", "repeat": 250}]}


@pytest.mark.scenario(MANY)
@pytest.mark.parametrize(
    ("query", "sizes"),
    [
        ("", [100, 100, 50]),
        ("limit=125", [125, 125]),
        ("limit=1000", [250]),
        ("limit=99", [99, 99, 52]),
    ],
)
def test_a_list_comes_in_pages(sandbox: Sandbox, query: str, sizes: list[int]) -> None:
    found = pages(sandbox, query)
    assert [len(page) for page in found] == sizes
    assert [pod for page in found for pod in page] == [f"p{n:04}" for n in range(250)]


@pytest.mark.scenario(MANY)
def test_pods_that_end_meanwhile_shift_no_page(sandbox: Sandbox) -> None:
    first = ask(sandbox, "GET", "/v2/pods?limit=100").json
    for pod in ("p0005", "p0099", "p0100"):
        assert ask(sandbox, "DELETE", f"/v2/pods/{pod}").status == 204
    cursor = first["pagination"]["nextCursor"]
    second = ask(sandbox, "GET", f"/v2/pods?limit=100&cursor={cursor}").json
    assert second["pods"][0]["id"] == "p0101"


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=1001", "limit=-1", "limit=x", "limit=", "cursor=x", "cursor=bm9wZQ=="],
)
def test_a_page_that_cannot_be_is_refused(sandbox: Sandbox, query: str) -> None:
    answer = ask(sandbox, "GET", f"/v2/pods?{query}")
    assert answer.status == 422
    assert answer.json["errors"]


@pytest.mark.scenario({**MANY, "quirks": {"v2Paging": False}})
def test_a_server_without_pages_sends_all_of_it(sandbox: Sandbox) -> None:
    document = ask(sandbox, "GET", "/v2/pods?limit=10&cursor=x").json
    assert document.keys() == {"pods"}
    assert len(document["pods"]) == 250


@pytest.mark.scenario({**MANY, "quirks": {"v2PageSize": 200, "v2ListElements": [None, {}]}})
def test_odd_elements_are_on_the_first_page_alone(sandbox: Sandbox) -> None:
    first = ask(sandbox, "GET", "/v2/pods").json
    assert first["pods"][:2] == [None, {}]
    assert len(first["pods"]) == 202
    second = ask(sandbox, "GET", f"/v2/pods?cursor={first['pagination']['nextCursor']}").json
    assert len(second["pods"]) == 50
    assert None not in second["pods"]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", ["run0", "stop0", "lock0"]),
        ("?includeClusterPods=false", ["run0", "stop0", "lock0"]),
        ("?includeClusterPods=true", ["run0", "stop0", "lock0", "member0"]),
        ("?unknown=parameter", ["run0", "stop0", "lock0"]),
    ],
)
def test_members_of_clusters_are_listed_where_asked(
    sandbox: Sandbox, query: str, ids: list[str]
) -> None:
    pods = ask(sandbox, "GET", f"/v2/pods{query}").json["pods"]
    assert [pod["id"] for pod in pods] == ids
    assert ["cluster" in pod for pod in pods] == [name == "member0" for name in ids]


# -- routes


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/v2/pods/nobody", 404, None),
        ("GET", "/v2/pods/hidden0", 404, None),
        ("DELETE", "/v2/pods/nobody", 404, None),
        ("PATCH", "/v2/pods/nobody", 404, None),
        ("POST", "/v2/pods/nobody/action", 404, None),
        ("GET", "/v2/network-volumes/nobody", 404, None),
        ("GET", "/v2/nothing", 404, None),
        ("GET", "/v2", 404, None),
        ("GET", "/v2/pods/a/b/c", 404, None),
        ("GET", "/v2//pods", 404, None),
        ("GET", "/v2/pods/a%2Fb", 404, None),
        ("PUT", "/v2/pods", 405, "GET, POST"),
        ("POST", "/v2/pods/run0", 405, "DELETE, GET, PATCH"),
        ("GET", "/v2/pods/run0/action", 405, "POST"),
        ("DELETE", "/v2/account/ssh-keys", 405, "GET, PUT"),
    ],
)
def test_what_is_not_there_is_a_problem(
    sandbox: Sandbox, method: str, path: str, status: int, allow: str | None
) -> None:
    answer = ask(sandbox, method, path, {} if method in ("PATCH", "POST") else None)
    assert (answer.status, answer.content_type) == (status, "application/problem+json")
    assert answer.headers.get("Allow") == allow
    assert list(answer.json) == ["detail", "status", "title"]


@pytest.mark.scenario({**SCENARIO, "quirks": {"v2UnknownRoute": 422}})
def test_an_unknown_route_was_once_422(sandbox: Sandbox) -> None:
    assert ask(sandbox, "GET", "/v2/nothing").status == 422
    assert ask(sandbox, "GET", "/v1/nothing").status == 404


def test_every_answer_has_an_id_of_its_own(sandbox: Sandbox) -> None:
    paths = ["/v2/pods", "/v2/nothing", "/v1/pods", "/graphql", "/elsewhere"]
    answers = [ask(sandbox, "GET", path) for path in paths]
    assert len({answer.headers["x-request-id"] for answer in answers}) == len(paths)


# -- bodies


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ({"name": None}, "$: missing property 'name'"),
        ({"name": ""}, "$.name: shorter than 1"),
        ({"image": None}, "$: missing property 'image'"),
        ({"bogus": 1}, "$: additional properties 'bogus' not allowed"),
        ({"gpu": {}}, "$.gpu: missing property 'id'"),
        ({"gpu": {"id": "x", "count": 0}}, "$.gpu.count: less than 1"),
        ({"gpu": {"id": "x", "colour": 1}}, "$.gpu: additional properties 'colour' not allowed"),
        ({"gpu": {"id": "x", "minCudaVersion": "12"}}, "$.gpu.minCudaVersion: does not match"),
        ({"cpu": {"id": "cpu3c"}}, "$.cpu: missing property 'vcpuCount'"),
        ({"cpu": {"id": "cpu3c", "vcpuCount": 1}}, "$.cpu.vcpuCount: less than 2"),
        ({"ports": "22/tcp"}, "$.ports: not of type array"),
        ({"ports": [22]}, "$.ports[0]: not of type string"),
        ({"env": {"A": 1}}, "$.env.A: not of type string"),
        ({"disk": "50"}, "$.disk: not of type integer"),
        ({"disk": True}, "$.disk: not of type integer"),
        ({"cloud": "ANY"}, "$.cloud: not one of SECURE, COMMUNITY"),
        ({"mounts": {"persistent": {"size": 20}}}, "$.mounts.persistent: missing property 'path'"),
        ({"mounts": {"persistent": {"size": 5, "path": "/"}}}, "$.mounts.persistent.size: less"),
        ({"mounts": {"network": [{}, {}]}}, "$.mounts.network: more items than 1"),
    ],
)
def test_a_create_that_does_not_fit_is_422(
    sandbox: Sandbox, members: Mapping[str, Any], error: str
) -> None:
    answer = create(sandbox, **members)
    assert answer.status == 422
    assert answer.json["detail"] == "Request validation failed."
    assert any(told.startswith(error) for told in answer.json["errors"]), answer.json


@pytest.mark.parametrize(
    "members",
    [
        {"gpu": None},
        {"cpu": {"id": "cpu3c", "vcpuCount": 2}},
        {"gpu": None, "cpu": {"id": "cpu3c", "vcpuCount": 6}},
        {"gpu": None, "cpu": {"id": "cpu3c", "vcpuCount": 2}, "mounts": {"persistent": MOUNT}},
        {"gpu": {**GPU, "minCudaVersion": "12.1", "allowedCudaVersions": ["12.8"]}},
        {"mounts": {"persistent": MOUNT, "network": [{"volumeId": "vol0", "path": "/x"}]}},
        {"mounts": {"network": [{"volumeId": "nobody", "path": "/x"}]}},
        {"mounts": {"network": []}},
    ],
)
def test_a_create_that_breaks_a_rule_is_400(sandbox: Sandbox, members: Mapping[str, Any]) -> None:
    answer = create(sandbox, **members)
    assert (answer.status, answer.content_type) == (400, "application/problem+json")
    assert "errors" not in answer.json


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b"\xff", 400),
        (b"", 422),
        (b"null", 422),
        (b"[]", 422),
        (b'{"name": 7}', 422),
    ],
)
def test_a_body_that_is_none(sandbox: Sandbox, raw: bytes, status: int) -> None:
    assert ask(sandbox, "POST", "/v2/pods", raw=raw).status == status
    assert ask(sandbox, "GET", "/v2/pods").status == 200


# -- create


def test_a_pod_is_created_with_what_was_asked_for(sandbox: Sandbox) -> None:
    pod = create(
        sandbox,
        gpu={"id": "NVIDIA L4", "count": 2},
        args="sleep 1",
        disk=30,
        ports=["22/tcp"],
        env={"A": "1"},
        registry="reg1",
        cloud="COMMUNITY",
        dataCenterIds=["EU-RO-1", "US-KS-2"],
        mounts={"persistent": MOUNT},
        globalNetworking=True,
    ).json
    assert re.fullmatch(r"[a-z0-9]{14}", pod["id"])
    expected = {
        "name": "new",
        "image": "alpine:3",
        "status": "PROVISIONING",
        "actions": ["stop", "terminate"],
        "runtime": {},
        "gpu": {"id": "NVIDIA L4", "count": 2},
        "args": "sleep 1",
        "disk": 30,
        "ports": ["22/tcp"],
        "env": {"A": "1"},
        "registry": "reg1",
        "cloud": "COMMUNITY",
        "dataCenterId": "EU-RO-1",
        "mounts": {"persistent": MOUNT},
        "template": None,
        "startedAt": None,
        "locked": False,
    }
    assert {key: pod[key] for key in expected} == expected
    assert pod["globalNetworking"]["internalDns"] == f"{pod['id']}.runpod.internal"
    assert ask(sandbox, "GET", f"/v2/pods/{pod['id']}").json == pod


@pytest.mark.parametrize(("flavour", "memory"), [("cpu3c", 8), ("cpu3g", 16), ("cpu3m", 32)])
def test_memory_follows_from_the_flavour(sandbox: Sandbox, flavour: str, memory: int) -> None:
    pod = create(sandbox, gpu=None, cpu={"id": flavour, "vcpuCount": 4}).json
    assert pod["cpu"] == {"id": flavour, "vcpuCount": 4, "memory": memory}
    assert "gpu" not in pod
    assert pod["cudaVersion"] is None


def test_flags_of_a_create_show_in_its_env_alone(sandbox: Sandbox) -> None:
    plain = create(sandbox).json["env"]
    flagged = create(sandbox, startSsh=True, startJupyter=True).json
    assert plain == {}
    assert flagged["env"].keys() == {"PUBLIC_KEY", "JUPYTER_PASSWORD"}
    assert flagged["env"]["PUBLIC_KEY"] == KEY
    assert not {"startSsh", "startJupyter"} & flagged.keys()
    own = create(sandbox, startSsh=True, env={"PUBLIC_KEY": "mine"}).json["env"]
    assert own == {"PUBLIC_KEY": "mine"}
    ask(sandbox, "PUT", "/v2/account/ssh-keys", {"keys": []})
    assert create(sandbox, startSsh=True).json["env"] == {}


def test_a_template_is_a_source_of_settings(sandbox: Sandbox) -> None:
    pod = create(sandbox, image=None, templateId="tpl0", disk=10, env={"B": "body"}).json
    assert (pod["image"], pod["disk"], pod["ports"]) == ("from/template:1", 10, ["80/http"])
    assert pod["env"] == {"A": "template", "B": "body", "PUBLIC_KEY": KEY}
    assert pod["template"] is None
    assert create(sandbox, templateId="nobody").status == 404


# -- change


def test_a_change_replaces_what_is_given_and_nothing_else(sandbox: Sandbox) -> None:
    before = ask(sandbox, "GET", "/v2/pods/run0").json
    given = {"name": "new", "env": {"NEW": "1"}, "registry": None, "locked": True, "args": ""}
    after = ask(sandbox, "PATCH", "/v2/pods/run0", given)
    assert after.status == 200
    assert after.json == {**before, **given}
    assert ask(sandbox, "PATCH", "/v2/pods/run0", {}).json == after.json


def test_other_ports_are_published_at_once(sandbox: Sandbox) -> None:
    ports = ["8888/http", "22/tcp"]
    pod = ask(sandbox, "PATCH", "/v2/pods/run0", {"ports": ports}).json
    assert pod["ports"] == ports
    assert [port["private"] for port in pod["runtime"]["ports"]] == [8888, 22]
    none = ask(sandbox, "PATCH", "/v2/pods/run0", {"ports": []}).json
    assert (none["runtime"]["ports"], none["ssh"]["direct"]) == ([], None)


@pytest.mark.parametrize(
    ("pod", "mounts", "status"),
    [
        ("run0", {}, 200),
        ("run0", {"persistent": MOUNT}, 200),
        ("run0", {"network": [{"volumeId": "vol0", "path": "/x"}]}, 400),
        ("run0", {"network": []}, 400),
        ("run0", {"persistent": {"size": 20}}, 422),
        ("stop0", {"network": [{"volumeId": "vol0", "path": "/x"}]}, 200),
        ("stop0", {"network": [{"volumeId": "vol1", "path": "/x"}]}, 400),
        ("stop0", {"persistent": MOUNT}, 400),
        ("lock0", {"persistent": MOUNT}, 400),
    ],
)
def test_the_kind_of_a_mount_is_fixed(
    sandbox: Sandbox, pod: str, mounts: Mapping[str, Any], status: int
) -> None:
    before = ask(sandbox, "GET", f"/v2/pods/{pod}").json["mounts"]
    answer = ask(sandbox, "PATCH", f"/v2/pods/{pod}", {"mounts": mounts})
    assert answer.status == status
    expected = mounts if status == 200 and mounts else before
    assert ask(sandbox, "GET", f"/v2/pods/{pod}").json["mounts"] == expected


def test_a_template_can_be_laid_under_a_change(sandbox: Sandbox) -> None:
    pod = ask(sandbox, "PATCH", "/v2/pods/run0", {"templateId": "tpl0", "env": {"B": "body"}}).json
    assert (pod["image"], pod["env"]) == ("from/template:1", {"A": "template", "B": "body"})
    assert ask(sandbox, "PATCH", "/v2/pods/run0", {"templateId": "nobody"}).status == 404


@pytest.mark.parametrize(
    ("pod", "body", "status"),
    [
        ("run0", {"action": "stop"}, 200),
        ("run0", {"action": "restart"}, 200),
        ("run0", {"action": "start"}, 409),
        ("stop0", {"action": "start"}, 200),
        ("stop0", {"action": "stop"}, 409),
        ("stop0", {"action": "restart"}, 409),
        ("stop0", {"action": "terminate"}, 204),
        ("lock0", {"action": "stop"}, 400),
        ("lock0", {"action": "restart"}, 400),
        ("member0", {"action": "stop"}, 409),
        ("run0", {"action": "reset"}, 422),
        ("run0", {}, 422),
        ("run0", {"action": "stop", "now": True}, 422),
        ("run0", ["stop"], 422),
    ],
)
def test_an_action_is_done_or_refused(
    sandbox: Sandbox, pod: str, body: object, status: int
) -> None:
    answer = ask(sandbox, "POST", f"/v2/pods/{pod}/action", body)
    assert answer.status == status
    assert (answer.data == b"") == (status == 204)
    if status == 200:
        assert answer.json["id"] == pod


def test_members_of_clusters_are_not_changed_as_pods(sandbox: Sandbox) -> None:
    assert ask(sandbox, "PATCH", "/v2/pods/member0", {"name": "x"}).status == 409
    assert ask(sandbox, "DELETE", "/v2/pods/member0").status == 409
    assert ask(sandbox, "GET", "/v2/pods/member0").json["name"] == "member0"


def test_a_pod_is_deleted_once(sandbox: Sandbox) -> None:
    assert [ask(sandbox, "DELETE", "/v2/pods/run0").status for _ in range(2)] == [204, 404]
    gone = ask(sandbox, "GET", "/v2/pods/run0").json
    assert (gone["status"], gone["actions"], gone["cost"]) == ("TERMINATED", [], 0.0)


# -- the rest of the account


def test_put_replaces_the_whole_set_of_keys(sandbox: Sandbox) -> None:
    assert ask(sandbox, "GET", "/v2/account/ssh-keys").json == {"keys": [KEY]}
    other = "ecdsa-sha2-nistp256 AAAA"
    assert ask(sandbox, "PUT", "/v2/account/ssh-keys", {"keys": [other]}).json == {"keys": [other]}
    assert ask(sandbox, "GET", "/v2/account/ssh-keys").json == {"keys": [other]}


@pytest.mark.parametrize(
    "body", [{}, {"keys": "x"}, {"keys": ["no key"]}, {"keys": [f"{KEY}\n"]}, {"keys": [], "x": 1}]
)
def test_keys_that_are_none_are_refused_and_change_nothing(sandbox: Sandbox, body: object) -> None:
    assert ask(sandbox, "PUT", "/v2/account/ssh-keys", body).status == 422
    assert ask(sandbox, "GET", "/v2/account/ssh-keys").json == {"keys": [KEY]}


def test_network_volumes(sandbox: Sandbox) -> None:
    listed = ask(sandbox, "GET", "/v2/network-volumes").json["networkVolumes"]
    assert [(v["id"], v["dataCenter"], v["type"]) for v in listed] == [
        ("vol0", "US-KS-2", "STANDARD"),
        ("vol1", "EU", "HIGH_PERFORMANCE"),
    ]
    assert ask(sandbox, "GET", "/v2/network-volumes/vol1").json == listed[1]


@pytest.mark.scenario(
    {"pods": [{"id": "p", "v2": {"cost": "0.74", "runtime": "$missing", "x": [None]}}]}
)
def test_overrides_make_odd_values(sandbox: Sandbox) -> None:
    pod = ask(sandbox, "GET", "/v2/pods/p").json
    assert (pod["cost"], pod["x"]) == ("0.74", [None])
    assert "runtime" not in pod
    assert "cost" in ask(sandbox, "GET", "/v1/pods/p").data.decode()
    assert ask(sandbox, "GET", "/v1/pods/p").json["costPerHr"] == 0.69


def test_not_a_number_is_sent_as_python_writes_it() -> None:
    with Sandbox({"pods": [{"id": "p", "v2": {"cost": float("nan")}}]}) as sandbox:
        assert b'"cost":NaN' in ask(sandbox, "GET", "/v2/pods/p").data
