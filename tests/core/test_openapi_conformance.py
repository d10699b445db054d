"""Every answer of the sandbox to REST v1 and v2, and every body that rpcli sends, conforms.

What they conform to are the published OpenAPI documents. Each documented status of each route that
the sandbox serves is provoked, or stands in ``NOT_PLAYED`` with the reason.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from graphql import parse, validate
from openapi_conformance import (
    DOCUMENTS,
    assert_conforms,
    assert_request_conforms,
    find_operation,
    published,
)
from sandbox_calls import Answer, ask

from rpcli.controlplane.protocol import PodChange
from rpcli.sandbox import Sandbox, scenario_names, v1, v2
from rpcli.sandbox.classic_graphql import schema
from rpcli.sandbox.scenario import load_scenario

if TYPE_CHECKING:
    from planes_run import Open
    from planes_stub import Stub

pytest_plugins = ["planes_run"]

SERVED = [
    (method, template)
    for routes in (v1.ROUTES, v2.ROUTES)
    for template, methods in routes.items()
    for method in methods
]
REFUSED_KEY = "rpa_REFUSED"
DEMO = load_scenario("demo")
SCENARIO: dict[str, Any] = {
    **DEMO,
    "account": {
        **DEMO["account"],
        "otherKeys": [{"key": REFUSED_KEY, "planes": {"v1": 403, "v2": 403}}],
    },
    "pods": [
        *DEMO["pods"],
        {"id": "member0", "cluster": "cluster0"},
        {"id": "locked0", "locked": True},
    ],
}
ENDPOINT = DEMO["endpoints"][0]
KEYS = DEMO["account"]["sshKeys"]
#: Documented, and never answered here.
NOT_PLAYED = {
    ("GET", "/v2/pods/{id}/logs", 200): "it never ends: test_sandbox_logs.py reads it",
    ("GET", "/v2/serverless/{id}/workers/{workerId}/logs", 200): "the same",
    ("GET", "/v1/pods", 404): "an account without pods has an empty list",
    ("GET", "/v1/pods/{podId}", 400): "ids are opaque here: an unknown one is 404",
    ("DELETE", "/v1/pods/{podId}", 400): "ids are opaque here: an unknown one is 404",
}
CPU = {"name": "new", "image": "alpine:3", "cpu": {"id": "cpu3c", "vcpuCount": 2}}
NEW_MOUNT = {"mounts": {"persistent": {"size": 20, "path": "/data"}}}
GPU = {"name": "new", "image": "alpine:3", "gpu": {"id": "NVIDIA L4"}, "ports": ["22/tcp"]}


@dataclass(frozen=True)
class Case:
    """A request, and the status that answers it.

    :ivar which: fills the path: the status of a pod of the demo, or the id of what is there
    """

    status: int
    method: str
    template: str
    body: object = None
    which: str = "RUNNING"
    query: str = ""
    raw: bytes | None = None
    key: str | None = ""
    quota: int | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.template} {self.status}"

    @property
    def path(self) -> str:
        ids = {pod["status"]: pod["id"] for pod in DEMO["pods"]}
        ids["volume"] = DEMO["account"]["networkVolumes"][0]["id"]
        ids["endpoint"] = ids["worker"] = ENDPOINT["id"]
        path = self.template
        if self.which == "worker":
            path = path.replace("{workerId}", ENDPOINT["workers"][0]["id"])
        return re.sub(r"\{\w+\}", ids.get(self.which, self.which), path) + self.query


def refusals() -> Iterator[Case]:
    """Give a request without a key, with one that may not, and one too many, wherever told."""
    for method, template in SERVED:
        statuses = find_operation(method, template).statuses
        which = "volume" if "volumes" in template else "RUNNING"
        if "serverless" in template:
            which = "worker" if "workerId" in template else "endpoint"
        for status, given in (
            (401, {"key": None}),
            (401, {"key": "rpa_UNKNOWN"}),
            (403, {"key": REFUSED_KEY}),
            (429, {"quota": 1}),
        ):
            if status in statuses:
                yield Case(status, method, template, which=which, **given)  # type: ignore[arg-type]


WORKERS = "/v2/serverless/{id}/workers"
INCLUDES = "?includeMachine=true&includeNetworkVolume=true&includeSavingsPlans=true"
CASES = [
    Case(200, "GET", "/v1/pods"),
    Case(200, "GET", "/v1/pods", query=INCLUDES),
    Case(400, "GET", "/v1/pods", query="?computeType=TPU"),
    Case(201, "POST", "/v1/pods", {"imageName": "alpine:3"}),
    Case(201, "POST", "/v1/pods", {"imageName": "alpine:3", "computeType": "CPU"}),
    Case(400, "POST", "/v1/pods", {}),
    Case(400, "POST", "/v1/pods", raw=b"{"),
    Case(200, "GET", "/v1/pods/{podId}", query=INCLUDES),
    Case(200, "GET", "/v1/pods/{podId}", which="EXITED", query=INCLUDES),
    Case(404, "GET", "/v1/pods/{podId}", which="nobody"),
    Case(200, "PATCH", "/v1/pods/{podId}", {"ports": ["22/tcp"]}),
    Case(400, "PATCH", "/v1/pods/{podId}", {"ports": "22/tcp"}),
    Case(204, "DELETE", "/v1/pods/{podId}"),
    Case(200, "POST", "/v1/pods/{podId}/update", {"env": {"A": "1"}}),
    Case(400, "POST", "/v1/pods/{podId}/update", []),
    Case(200, "POST", "/v1/pods/{podId}/start", which="EXITED"),
    Case(400, "POST", "/v1/pods/{podId}/start"),
    Case(200, "POST", "/v1/pods/{podId}/stop"),
    Case(400, "POST", "/v1/pods/{podId}/stop", which="EXITED"),
    Case(200, "POST", "/v1/pods/{podId}/reset"),
    Case(400, "POST", "/v1/pods/{podId}/reset", which="EXITED"),
    Case(400, "POST", "/v1/pods/{podId}/restart", which="EXITED"),
    Case(200, "GET", "/v2/pods"),
    Case(200, "GET", "/v2/pods", query="?limit=2&includeClusterPods=true"),
    Case(201, "POST", "/v2/pods", GPU),
    Case(201, "POST", "/v2/pods", CPU),
    Case(400, "POST", "/v2/pods", {**GPU, **CPU}),
    Case(404, "POST", "/v2/pods", {**GPU, "templateId": "nothing"}),
    Case(422, "POST", "/v2/pods", {"name": "new", "colour": "red"}),
    Case(200, "GET", "/v2/pods/{id}"),
    Case(200, "GET", "/v2/pods/{id}", which="EXITED"),
    Case(404, "GET", "/v2/pods/{id}", which="nobody"),
    Case(200, "PATCH", "/v2/pods/{id}", {"ports": ["22/tcp"]}),
    Case(400, "PATCH", "/v2/pods/{id}", NEW_MOUNT, which="locked0"),
    Case(404, "PATCH", "/v2/pods/{id}", {"name": "x"}, which="nobody"),
    Case(409, "PATCH", "/v2/pods/{id}", {"name": "x"}, which="member0"),
    Case(422, "PATCH", "/v2/pods/{id}", {"colour": "red"}),
    Case(204, "DELETE", "/v2/pods/{id}"),
    Case(409, "DELETE", "/v2/pods/{id}", which="member0"),
    Case(404, "DELETE", "/v2/pods/{id}", which="nobody"),
    Case(200, "POST", "/v2/pods/{id}/action", {"action": "stop"}),
    Case(200, "POST", "/v2/pods/{id}/action", {"action": "restart"}),
    Case(200, "POST", "/v2/pods/{id}/action", {"action": "start"}, which="EXITED"),
    Case(204, "POST", "/v2/pods/{id}/action", {"action": "terminate"}),
    Case(400, "POST", "/v2/pods/{id}/action", {"action": "stop"}, which="locked0"),
    Case(404, "POST", "/v2/pods/{id}/action", {"action": "stop"}, which="nobody"),
    Case(409, "POST", "/v2/pods/{id}/action", {"action": "start"}),
    Case(422, "POST", "/v2/pods/{id}/action", {"action": "reset"}),
    Case(200, "GET", "/v2/account/ssh-keys"),
    Case(200, "PUT", "/v2/account/ssh-keys", {"keys": KEYS}),
    Case(422, "PUT", "/v2/account/ssh-keys", {"keys": ["no key"]}),
    Case(200, "GET", "/v2/network-volumes"),
    Case(200, "GET", "/v2/network-volumes/{id}", which="volume"),
    Case(404, "GET", "/v2/network-volumes/{id}", which="nobody"),
    Case(404, "GET", "/v2/pods/{id}/logs", which="nobody"),
    Case(422, "GET", "/v2/pods/{id}/logs", query="?tail=5001"),
    Case(200, "GET", "/v2/serverless/{id}/workers", which="endpoint"),
    Case(404, "GET", "/v2/serverless/{id}/workers", which="nobody"),
    Case(404, "GET", "/v2/serverless/{id}/workers/{workerId}/logs", which="nobody"),
    Case(
        422, "GET", "/v2/serverless/{id}/workers/{workerId}/logs", which="worker", query="?tail=x"
    ),
    *refusals(),
]


def conform(answer: Answer, method: str, path: str) -> None:
    assert_conforms(method, path, answer.status, answer.json, answer.content_type)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_answer_conforms(case: Case) -> None:
    quotas = {} if case.quota is None else {"rateLimit": {"minute": case.quota}}
    with Sandbox({**SCENARIO, **quotas}) as sandbox:
        for _ in range(case.quota or 0):
            # A stream would not come to an end.
            path = "/v2/pods" if case.template.endswith("/logs") else case.path
            assert ask(sandbox, case.method, path, key=case.key).status != 429
        answer = ask(sandbox, case.method, case.path, case.body, raw=case.raw, key=case.key)
    assert answer.status == case.status
    conform(answer, case.method, case.path)
    held_to_rate_limits(answer, case)


def held_to_rate_limits(answer: Answer, case: Case) -> None:
    """REST v2 tells a known key of its limits with every answer, and nobody else does."""
    told = [answer.headers.get(name) for name in ("RateLimit", "RateLimit-Policy")]
    if not case.template.startswith("/v2/") or case.status == 401:
        assert told == [None, None]
        return
    assert re.fullmatch(r'("\w+";r=\d+;t=\d+(, |$))+', told[0] or "")
    assert re.fullmatch(r'("\w+";q=\d+;w=\d+(, |$))+', told[1] or "")
    retry_after = answer.headers.get("Retry-After")
    assert (retry_after is not None and retry_after.isdecimal()) == (case.status == 429)


def test_every_documented_status_of_what_is_served_is_provoked() -> None:
    documented = {
        (method, template, status)
        for method, template in SERVED
        for status in find_operation(method, template).statuses
    }
    provoked = {(case.method, case.template, case.status) for case in CASES}
    assert documented - provoked == NOT_PLAYED.keys()


def look_at_all(sandbox: Sandbox) -> set[str]:
    """Hold every list and every pod to the documents; give the statuses in v2 that were seen."""
    seen = set()
    for path in ("/v1/pods", f"/v1/pods{INCLUDES}", "/v2/pods?limit=1000", "/v2/network-volumes"):
        conform(ask(sandbox, "GET", path), "GET", path)
    for pod in ask(sandbox, "GET", "/v2/pods?limit=1000").json["pods"]:
        seen.add(pod["status"])
        for path in (f"/v1/pods/{pod['id']}", f"/v2/pods/{pod['id']}"):
            conform(ask(sandbox, "GET", path), "GET", path)
    return seen


def test_the_whole_life_of_a_pod_conforms() -> None:
    volume = {"network": [{"volumeId": "vol0demo", "path": "/data"}]}
    persistent = {"persistent": {"size": 20, "path": "/data"}}
    clock = {"now": "2026-12-01T12:00:00Z", "frozen": True}
    with Sandbox({**SCENARIO, "clock": clock, "rateLimit": "none"}) as sandbox:
        made = [
            ask(sandbox, "POST", "/v2/pods", body).json["id"]
            for body in (GPU, CPU, {**GPU, "mounts": volume}, {**GPU, "mounts": persistent})
        ]
        seen = look_at_all(sandbox)
        for action in ("restart", "stop", "start", "terminate"):
            for _ in range(2):
                sandbox.advance(1)
                seen |= look_at_all(sandbox)
            for pod_id in made:
                path = f"/v2/pods/{pod_id}/action"
                answer = ask(sandbox, "POST", path, {"action": action})
                assert answer.status in (200, 204)
                conform(answer, "POST", path)
                conform(ask(sandbox, "GET", f"/v2/pods/{pod_id}"), "GET", f"/v2/pods/{pod_id}")
            seen |= look_at_all(sandbox)
    assert {"PROVISIONING", "STARTING", "RUNNING", "EXITED"} <= seen


@pytest.mark.parametrize("name", scenario_names())
def test_what_ships_conforms(name: str) -> None:
    """Faults and keys of little power are left out: they are what clients must live with."""
    scenario = load_scenario(name)
    few = [{**pod, "repeat": min(pod.get("repeat", 1), 3)} for pod in scenario.get("pods", [])]
    kept = {key: scenario[key] for key in ("clock", "lifecycle", "quirks") if key in scenario}
    with Sandbox({**kept, "pods": few, "rateLimit": "none"}) as sandbox:
        seen = look_at_all(sandbox)
        assert bool(seen) == bool(few)


# -- what rpcli sends


@pytest.mark.parametrize("api", ["v2", "classic"])
def test_what_is_sent_conforms(stub: Stub, open_run: Open, api: str) -> None:
    template = "/v2/pods/{id}" if api == "v2" else "/v1/pods/{id}"
    path = template.replace("{id}", "run0")
    stub.json("PATCH", path, {})
    open_run(api).plane.update_pod("run0", PodChange(ports=("8888/http", "22/tcp")))
    (sent,) = stub.asked("PATCH", path)
    assert sent.body == {"ports": ["8888/http", "22/tcp"]}
    assert_request_conforms("PATCH", path, sent.body)


@pytest.mark.parametrize("api", ["v2", "classic"])
def test_what_graphql_is_asked_fits_its_schema(stub: Stub, open_run: Open, api: str) -> None:
    pod = {"id": "run0", "name": "run0", "desiredStatus": "RUNNING", "status": "RUNNING"}
    stub.json("GET", "/v1/pods", [pod])
    stub.json("GET", "/v1/pods/run0", pod)
    stub.json("GET", "/v2/pods", {"pods": [pod]})
    stub.json("GET", "/v2/pods/run0", pod)
    stub.json("GET", "/v2/account/ssh-keys", {"keys": []})
    stub.graphql({"myself": {"pods": [], "pubKey": None}, "pod": None})
    plane = open_run(api).plane
    plane.list_pods(why=True)
    plane.get_pod("run0", include_machine=True)
    plane.ssh_view()
    asked = stub.asked("POST", "/graphql")
    assert len(asked) == (2 if api == "v2" else 3)
    for request in asked:
        assert validate(schema(), parse(request.body["query"])) == []


# -- the documents themselves


@pytest.mark.parametrize("api", published(), ids=lambda api: api.name)
def test_a_trimmed_document_is_whole_and_trim_py_leaves_it_as_it_is(
    api: Any, tmp_path: Any
) -> None:
    source, target = DOCUMENTS / f"{api.name}.json", tmp_path / "again.json"
    prefixes = {re.match("(/v2)?/[^/]+", path)[0] for path in api.document["paths"]}  # type: ignore[index]
    command = [sys.executable, str(DOCUMENTS / "trim.py"), str(source), str(target)]
    subprocess.run([*command, *sorted(prefixes)], check=True)
    assert target.read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", "/v1/pods", 200, {"pods": []}),
        ("GET", "/v1/pods", 200, [{"name": None}]),
        ("GET", "/v1/pods", 200, [{"desiredStatus": "PAUSED"}]),
        ("GET", "/v1/pods", 503, {}),
        ("GET", "/v2/pods", 200, {"pods": [{}]}),
        ("GET", "/v2/pods/x", 404, {"title": "Not Found"}),
        ("DELETE", "/v2/pods/x", 204, {}),
        ("GET", "/v2/nothing", 200, {}),
    ],
)
def test_what_does_not_conform_is_caught(method: str, path: str, status: int, body: object) -> None:
    with pytest.raises(AssertionError):
        assert_conforms(method, path, status, body)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/v1/pods/x", {"ports": "22/tcp"}),
        ("PATCH", "/v2/pods/x", {"colour": "red"}),
        ("POST", "/v2/pods", {"name": "x"}),
        ("PUT", "/v2/account/ssh-keys", {"keys": ["no key"]}),
        ("GET", "/v2/pods", {}),
    ],
)
def test_a_body_that_does_not_conform_is_caught(method: str, path: str, body: object) -> None:
    with pytest.raises(AssertionError):
        assert_request_conforms(method, path, body)
