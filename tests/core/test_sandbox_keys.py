"""Who may ask what, how often, and with which client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sandbox_calls import ask, ask_graphql

from rpcli.sandbox import Sandbox
from rpcli.sandbox.keys import Scope, graphql_operations, rest_operations

if TYPE_CHECKING:
    from collections.abc import Mapping

PODS = [{"id": "mine"}, {"id": "other"}]
READ = {"key": "rpa_read", "name": "reader", "scope": "read"}
POD = {"key": "rpa_pod", "scope": "pod", "pod": "mine"}
LISTS = {
    "key": "rpa_lists",
    "scope": "pod",
    "pod": "mine",
    "planes": {"v1": ["pods.list"], "v2": 401, "graphql": ["myself", "read"]},
}
RENAMES = {
    "key": "rpa_renames",
    "scope": "pod",
    "pod": "mine",
    "planes": {"v2": ["pods.get", "pods.update"]},
    "ignores": ["pods.update"],
}
SCENARIO: dict[str, Any] = {
    "rateLimit": "none",
    "account": {"otherKeys": [READ, POD, LISTS, RENAMES]},
    "pods": PODS,
}
ME = "{ myself { id } }"
STOP = 'mutation { podStop(input: {podId: "mine"}) { id } }'


@pytest.mark.scenario(SCENARIO)
@pytest.mark.parametrize(
    ("key", "method", "path", "body", "status"),
    [
        ("", "GET", "/v2/pods", None, 200),
        ("rpa_read", "GET", "/v2/pods", None, 200),
        ("rpa_read", "GET", "/v1/pods/mine", None, 200),
        ("rpa_read", "GET", "/v2/account/ssh-keys", None, 200),
        ("rpa_read", "DELETE", "/v2/pods/mine", None, 403),
        ("rpa_read", "POST", "/v2/pods/mine/action", {"action": "stop"}, 403),
        ("rpa_read", "POST", "/v1/pods/mine/stop", None, 403),
        ("rpa_read", "PUT", "/v2/account/ssh-keys", {"keys": []}, 403),
        ("rpa_pod", "GET", "/v2/pods/mine", None, 200),
        ("rpa_pod", "GET", "/v2/pods/other", None, 403),
        ("rpa_pod", "GET", "/v2/pods", None, 403),
        ("rpa_pod", "GET", "/v2/account/ssh-keys", None, 403),
        ("rpa_pod", "POST", "/v2/pods/mine/action", {"action": "start"}, 403),
        ("rpa_pod", "POST", "/v2/pods/other/action", {"action": "stop"}, 403),
        ("rpa_pod", "POST", "/v2/pods/mine/action", {"action": "stop"}, 200),
        ("rpa_pod", "POST", "/v1/pods/mine/stop", None, 200),
        ("rpa_pod", "DELETE", "/v2/pods/mine", None, 403),
        ("rpa_lists", "GET", "/v1/pods", None, 200),
        ("rpa_lists", "GET", "/v1/pods/mine", None, 403),
        ("rpa_lists", "GET", "/v2/pods", None, 401),
        ("rpa_nobody", "GET", "/v2/pods", None, 401),
        ("rpa_nobody", "GET", "/v1/pods", None, 401),
        (None, "GET", "/v2/pods", None, 401),
        (None, "GET", "/v1/pods", None, 401),
    ],
)
def test_a_key_may_do_what_its_scope_says(
    sandbox: Sandbox, key: str | None, method: str, path: str, body: object, status: int
) -> None:
    answer = ask(sandbox, method, path, body, key=key)
    assert answer.status == status
    if status >= 400 and path.startswith("/v2"):
        assert answer.content_type == "application/problem+json"
        expected = {401: "bearer token" if key != "rpa_lists" else "unauthorized"}
        assert expected.get(status, "access denied") in answer.json["detail"]


@pytest.mark.scenario(SCENARIO)
@pytest.mark.parametrize(
    ("key", "query", "status"),
    [
        ("", STOP, 200),
        ("rpa_read", ME, 200),
        ("rpa_read", STOP, 403),
        ("rpa_pod", ME, 401),
        ("rpa_lists", ME, 200),
        ("rpa_lists", STOP, 403),
        ("rpa_nobody", ME, 401),
    ],
)
def test_a_key_may_do_what_its_scope_says_in_graphql(
    sandbox: Sandbox, key: str, query: str, status: int
) -> None:
    answer = ask_graphql(sandbox, query, key=key)
    assert answer.status == status
    if status >= 400:
        assert answer.json["errors"][0]["extensions"]["code"] in ("UNAUTHENTICATED", "FORBIDDEN")
    stopped = ask(sandbox, "GET", "/v2/pods/mine").json["status"] == "EXITED"
    assert stopped == (query == STOP and status == 200)


@pytest.mark.scenario(SCENARIO)
def test_a_change_that_is_ignored_looks_done(sandbox: Sandbox) -> None:
    answer = ask(sandbox, "PATCH", "/v2/pods/mine", {"name": "new"}, key="rpa_renames")
    assert (answer.status, answer.json["name"]) == (200, "mine")
    assert ask(sandbox, "GET", "/v2/pods/mine").json["name"] == "mine"


@pytest.mark.scenario({**SCENARIO, "account": {"apiKeyScope": {"planes": {"graphql": 403}}}})
def test_the_main_key_can_be_less_than_all_powerful(sandbox: Sandbox) -> None:
    assert ask(sandbox, "GET", "/v2/pods").status == 200
    assert ask_graphql(sandbox, ME).status == 403


@pytest.mark.scenario(SCENARIO)
def test_graphql_takes_the_key_in_the_query_too_and_nobody_keeps_it(sandbox: Sandbox) -> None:
    path = f"/graphql?api_key={sandbox.api_key}&x=1"
    answer = ask(sandbox, "POST", path, {"query": ME}, key=None)
    assert answer.json["data"]["myself"]["id"]
    assert ask(sandbox, "GET", f"/v2/pods?api_key={sandbox.api_key}", key=None).status == 401
    assert [entry["query"] for entry in sandbox.requests()] == ["x=1", ""]
    assert sandbox.api_key not in str(sandbox.requests())


@pytest.mark.scenario(SCENARIO)
def test_the_list_of_requests_names_scopes_and_never_keys(sandbox: Sandbox) -> None:
    for key in ("", "rpa_read", "rpa_pod", "rpa_nobody", None):
        ask(sandbox, "GET", "/v2/pods", key=key)
    assert [entry["key"] for entry in sandbox.requests()] == [
        *("main", "reader", "pod", "unknown", None)
    ]
    assert "rpa_" not in str(sandbox.requests())


@pytest.mark.scenario(SCENARIO)
@pytest.mark.parametrize("header", ["rpa_SANDBOX", "Basic {key}", "{key}", "bearer", ""])
def test_only_a_bearer_token_is_a_key(sandbox: Sandbox, header: str) -> None:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", sandbox.port, timeout=30)
    sent = {"Authorization": header.format(key=sandbox.api_key), "User-Agent": "x"}
    connection.request("GET", "/v2/pods", headers=sent)
    assert connection.getresponse().status == 401
    connection.close()


@pytest.mark.scenario({**SCENARIO, "quirks": {"refuseDefaultClients": True}})
@pytest.mark.parametrize(
    ("agent", "status"),
    [
        ("Python-urllib/3.11", 403),
        ("python-requests/2.32", 403),
        ("rpcli/1 (linux; x86_64)", 200),
        ("curl/8", 200),
    ],
)
def test_bare_libraries_are_refused_where_wanted(sandbox: Sandbox, agent: str, status: int) -> None:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", sandbox.port, timeout=30)
    sent = {"Authorization": f"Bearer {sandbox.api_key}", "User-Agent": agent}
    connection.request("GET", "/v2/pods", headers=sent)
    answer = connection.getresponse()
    assert answer.status == status
    if status == 403:
        assert answer.read() == b"error code: 1010"
    connection.close()


@pytest.mark.parametrize(
    ("method", "template", "body", "operation"),
    [
        ("GET", "/v2/pods", None, "pods.list"),
        ("GET", "/v2/pods/{id}", None, "pods.get"),
        ("POST", "/v2/pods", {}, "pods.create"),
        ("PATCH", "/v2/pods/{id}", {}, "pods.update"),
        ("POST", "/v1/pods/{podId}/update", {}, "pods.update"),
        ("DELETE", "/v2/pods/{id}", None, "pods.delete"),
        ("POST", "/v2/pods/{id}/action", {"action": "terminate"}, "pods.terminate"),
        ("POST", "/v2/pods/{id}/action", [], "pods.none"),
        ("POST", "/v1/pods/{podId}/reset", None, "pods.reset"),
        ("PUT", "/v2/account/ssh-keys", {}, "account.ssh-keys.replace"),
        ("GET", "/v2/account/ssh-keys", None, "account.ssh-keys.list"),
        ("GET", "/v2/network-volumes/{id}", None, "network-volumes.get"),
        ("GET", "/v2/pods/{id}/logs", None, "pods.logs.list"),
    ],
)
def test_every_request_has_a_name(method: str, template: str, body: object, operation: str) -> None:
    names = rest_operations(method, template, body)
    assert names[0] == operation
    assert ("read" in names) == (method == "GET")


@pytest.mark.parametrize(
    ("query", "operations"),
    [
        ("{ myself { id } pod { id } }", ["myself", "pod", "read"]),
        ("mutation { podStop { id } podResume { id } }", ["podStop", "podResume"]),
        ("{ ...F } fragment F on Query { myself { id } }", ["a fragment", "read"]),
        ("query A { a } mutation B { b }", ["a", "b"]),
        ("{", ["read"]),
        (None, ["read"]),
    ],
)
def test_every_graphql_request_has_names(query: str | None, operations: list[str]) -> None:
    assert graphql_operations({"query": query}) == operations


def test_a_scope_without_a_word_on_a_plane_allows_all_of_it() -> None:
    assert Scope("x").refusal("v2", ["pods.delete"], "p1") is None
    assert Scope("x", {"v2": []}).refusal("v2", ["pods.get", "read"], "p1") == 403


# -- how often


def limits(answer: Any) -> tuple[str | None, str | None]:
    return answer.headers.get("RateLimit"), answer.headers.get("RateLimit-Policy")


LIMITED: dict[str, Any] = {
    "clock": {"frozen": True},
    "account": {"otherKeys": [READ]},
    "pods": PODS,
}


@pytest.mark.scenario(LIMITED)
def test_the_published_example_is_the_default(sandbox: Sandbox) -> None:
    first = ask(sandbox, "GET", "/v2/pods")
    assert limits(first) == (
        '"minute";r=59;t=60, "hour";r=2999;t=3600, "day";r=49999;t=86400',
        '"minute";q=60;w=60, "hour";q=3000;w=3600, "day";q=50000;w=86400',
    )


@pytest.mark.scenario({**LIMITED, "rateLimit": {"minute": 2, "hour": 3}})
def test_a_window_rolls(sandbox: Sandbox) -> None:
    seen = []
    for seconds in (0, 20, 0, 40, 0, 20):
        sandbox.advance(seconds)
        answer = ask(sandbox, "GET", "/v2/pods")
        seen.append((answer.status, limits(answer)[0], answer.headers.get("Retry-After")))
    assert seen == [
        (200, '"minute";r=1;t=60, "hour";r=2;t=3600', None),
        (200, '"minute";r=0;t=40, "hour";r=1;t=3580', None),
        (429, '"minute";r=0;t=40, "hour";r=1;t=3580', "40"),
        (200, '"minute";r=0;t=20, "hour";r=0;t=3540', None),
        # Both are spent: the one named is the first that is.
        (429, '"minute";r=0;t=20, "hour";r=0;t=3540', "20"),
        (429, '"minute";r=1;t=40, "hour";r=0;t=3520', "3520"),
    ]


@pytest.mark.scenario({**LIMITED, "rateLimit": {"minute": 1}})
def test_a_refused_request_is_a_problem_and_costs_nothing(sandbox: Sandbox) -> None:
    assert ask(sandbox, "GET", "/v2/pods").status == 200
    for _ in range(3):
        refused = ask(sandbox, "GET", "/v2/pods")
        assert refused.content_type == "application/problem+json"
        assert refused.json == {
            "detail": "rate limit exceeded for the minute window",
            "status": 429,
            "title": "Too Many Requests",
        }
    sandbox.advance(60)
    assert ask(sandbox, "GET", "/v2/pods").status == 200


@pytest.mark.scenario({**LIMITED, "rateLimit": {"minute": 1}})
def test_each_key_has_its_own_and_the_old_apis_have_none(sandbox: Sandbox) -> None:
    assert [ask(sandbox, "GET", "/v2/pods").status for _ in range(2)] == [200, 429]
    assert ask(sandbox, "GET", "/v2/pods", key="rpa_read").status == 200
    for _ in range(3):
        assert limits(ask(sandbox, "GET", "/v1/pods")) == (None, None)
        assert limits(ask_graphql(sandbox, ME)) == (None, None)


@pytest.mark.scenario(LIMITED)
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v2/pods/nobody", 404),
        ("GET", "/v2/nothing", 404),
        ("PUT", "/v2/pods", 405),
        ("DELETE", "/v2/pods/mine", 204),
    ],
)
def test_every_answer_to_a_key_tells_of_the_limits(
    sandbox: Sandbox, method: str, path: str, status: int
) -> None:
    answer = ask(sandbox, method, path)
    assert answer.status == status
    assert None not in limits(answer)
    assert limits(ask(sandbox, method, path, key="rpa_nobody")) == (None, None)


@pytest.mark.scenario({**LIMITED, "rateLimit": "none"})
def test_who_is_exempt_is_told_of_no_limits(sandbox: Sandbox) -> None:
    answers = [ask(sandbox, "GET", "/v2/pods") for _ in range(70)]
    assert {answer.status for answer in answers} == {200}
    assert {limits(answer) for answer in answers} == {(None, None)}


def test_a_quota_of_nothing_refuses_the_first() -> None:
    scenario: Mapping[str, Any] = {**LIMITED, "rateLimit": {"minute": 0}}
    with Sandbox(scenario) as sandbox:
        answer = ask(sandbox, "GET", "/v2/pods")
        assert (answer.status, answer.headers["Retry-After"]) == (429, "60")
