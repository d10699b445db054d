"""GraphQL of the sandbox: a real schema, who may ask, and how the platform refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from graphql import parse, validate
from graphql_scenario import (
    KEYS,
    PODS,
    RUNNING,
    SCENARIO,
    STOPPED,
    data,
    error_of,
    playing,
    pods_of,
)
from sandbox_calls import ask, ask_graphql

from rpcli.controlplane import graphql_mapping
from rpcli.sandbox.classic_graphql import schema

if TYPE_CHECKING:
    from rpcli.sandbox import Sandbox

pytestmark = pytest.mark.scenario(SCENARIO)


# -- the schema


@pytest.mark.parametrize(
    "query",
    [
        PODS,
        graphql_mapping.RUNTIME_QUERY,
        graphql_mapping.RUNTIME_AND_KEYS_QUERY,
        graphql_mapping.REASONS_QUERY,
        graphql_mapping.reason_query(include_machine=False),
        graphql_mapping.reason_query(include_machine=True),
    ],
)
def test_what_rpcli_asks_fits_the_schema(query: str) -> None:
    assert validate(schema(), parse(query)) == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("{myself{pods{runtime{phase}}}}", 'Cannot query field "phase" on type "PodRuntime".'),
        ("{myself{pods{runtime{state}}}}", 'Cannot query field "state" on type "PodRuntime".'),
        ("{myself{pods{runtime{status}}}}", 'Cannot query field "status" on type "PodRuntime".'),
        ("{myself{pods{sshKeys}}}", 'Cannot query field "sshKeys" on type "Pod".'),
    ],
)
def test_what_the_platform_does_not_have_fails_validation(
    sandbox: Sandbox, query: str, message: str
) -> None:
    found = ask_graphql(sandbox, query)
    assert found.status == 400
    assert error_of(found) == (message, "GRAPHQL_VALIDATION_FAILED")
    assert "data" not in found.json


def test_one_unknown_field_fails_the_query_whole_each_time(sandbox: Sandbox) -> None:
    for _ in range(2):
        found = ask_graphql(sandbox, "{ myself { id pods { id stopReason } } }")
        assert (found.status, list(found.json)) == (400, ["errors"])


@pytest.mark.parametrize(
    "query",
    [
        "{ __schema { types { name } } }",
        '{ __type(name: "Pod") { name } }',
        "query { myself { id } ...F } fragment F on Query { __schema { types { name } } }",
    ],
)
def test_introspection_is_refused(sandbox: Sandbox, query: str) -> None:
    found = ask_graphql(sandbox, query)
    assert found.status == 400
    assert error_of(found)[1] == "INTROSPECTION_DISABLED"


def test_the_name_of_a_type_is_no_introspection(sandbox: Sandbox) -> None:
    assert data(sandbox, "{ myself { __typename } }") == {"myself": {"__typename": "User"}}


# -- who asks


def test_nobody_in_particular_has_no_account(sandbox: Sandbox) -> None:
    found = ask_graphql(sandbox, "{ myself { id } }", key=None)
    assert (found.status, found.json) == (200, {"data": {"myself": None}})
    found = ask_graphql(sandbox, '{ pod(input: {podId: "run0"}) { id } }', key=None)
    assert (found.status, found.json) == (200, {"data": {"pod": None}})


def test_a_valid_key_has_one(sandbox: Sandbox) -> None:
    assert data(sandbox, "{ myself { id email } }")["myself"]["id"] == "user_sandbox"


@pytest.mark.parametrize(
    ("key", "status", "code"),
    [
        ("rpa_NEVER", 401, "UNAUTHENTICATED"),
        ("rpa_POD401", 401, "UNAUTHENTICATED"),
        ("rpa_POD403", 403, "FORBIDDEN"),
    ],
)
def test_a_key_that_may_not_ask(sandbox: Sandbox, key: str, status: int, code: str) -> None:
    found = ask_graphql(sandbox, "{ myself { id } }", key=key)
    assert found.status == status
    assert error_of(found)[1] == code


@pytest.mark.parametrize(
    "mutation",
    [
        'podStop(input: {podId: "run0"}) { id }',
        'podTerminate(input: {podId: "run0"})',
        'podEditJob(input: {podId: "run0", imageName: "x", containerDiskInGb: 1}) { id }',
        'podFindAndDeployOnDemand(input: {imageName: "x"}) { id }',
        'deployCpuPod(input: {imageName: "x"}) { id }',
        'updateUserSettings(input: {pubKey: ""}) { id }',
    ],
)
@pytest.mark.parametrize("key", [None, "rpa_READS"])
def test_nobody_changes_anything_without_a_key_that_may(
    sandbox: Sandbox, mutation: str, key: str | None
) -> None:
    pods = ask(sandbox, "GET", "/v2/pods").json["pods"]
    found = ask_graphql(sandbox, f"mutation {{ {mutation} }}", key=key)
    status, code = (200, "UNAUTHENTICATED") if key is None else (403, "FORBIDDEN")
    assert (found.status, error_of(found)[1]) == (status, code)
    assert ask(sandbox, "GET", "/v2/pods").json["pods"] == pods
    assert ask(sandbox, "GET", "/v2/account/ssh-keys").json == {"keys": KEYS}


def test_a_key_that_may_look_does(sandbox: Sandbox) -> None:
    found = ask_graphql(sandbox, PODS, key="rpa_READS")
    assert len(found.json["data"]["myself"]["pods"]) == 3


# -- requests that cannot be executed


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ([], "BAD_REQUEST"),
        ({}, "BAD_REQUEST"),
        ({"query": 5}, "BAD_REQUEST"),
        ({"query": "{ myself { id } }", "variables": []}, "BAD_REQUEST"),
        ({"query": "{ myself { id } }", "operationName": 5}, "BAD_REQUEST"),
        ({"query": "{"}, "GRAPHQL_PARSE_FAILED"),
        ({"query": "{ myself " * 5000}, "GRAPHQL_PARSE_FAILED"),
        ({"query": "query A { myself { id } } query B { myself { id } }"}, "BAD_USER_INPUT"),
        ({"query": "query($a: String!) { pod(input: {podId: $a}) { id } }"}, "BAD_USER_INPUT"),
    ],
)
def test_a_request_that_cannot_be_executed(sandbox: Sandbox, body: object, code: str) -> None:
    found = ask(sandbox, "POST", "/graphql", body)
    assert found.status == 400
    assert error_of(found)[1] == code
    assert "data" not in found.json


def test_one_of_several_operations_is_chosen_by_its_name(sandbox: Sandbox) -> None:
    text = "query A { myself { id } } query B { myself { email } }"
    found = ask(sandbox, "POST", "/graphql", {"query": text, "operationName": "B"})
    assert list(found.json["data"]["myself"]) == ["email"]


# -- odd answers, a switch each


@pytest.mark.parametrize(
    ("laid_over", "seen"),
    [
        ({"machine": None}, {"machine": None}),
        ({"runtime": {"ports": [None]}}, {"runtime": {"ports": [None]}}),
        ({"runtime": {"ports": None}}, {"runtime": {"ports": None}}),
        ({"runtime": None}, {"runtime": None}),
        ({"lastStatusChange": None}, {"lastStatusChange": None}),
        ({"lastStatusChange": "$missing"}, {"lastStatusChange": None}),
        ({"desiredStatus": "EXITED"}, {"desiredStatus": "EXITED"}),
        ({"desiredStatus": "HIBERNATED"}, {"desiredStatus": "HIBERNATED"}),
    ],
)
def test_what_is_laid_over_an_answer(laid_over: dict[str, Any], seen: dict[str, Any]) -> None:
    with playing({**RUNNING, "graphql": laid_over}) as sandbox:
        fields = "desiredStatus lastStatusChange machine { podHostId } runtime { ports { ip } }"
        (pod,) = pods_of(sandbox, fields)
        assert seen.items() <= pod.items()
        assert ask(sandbox, "GET", "/v1/pods/run0").json["desiredStatus"] == "RUNNING"


def test_a_null_that_may_not_be_becomes_a_null_element_and_an_error() -> None:
    with playing({**RUNNING, "graphql": {"name": None}}, STOPPED) as sandbox:
        found = ask_graphql(sandbox, "{ myself { pods { id name } } }")
        assert found.status == 200
        assert found.json["data"]["myself"]["pods"][0] is None
        assert found.json["data"]["myself"]["pods"][1]["id"] == "stop0"
        assert found.json["errors"][0]["path"] == ["myself", "pods", 0, "name"]


def test_elements_that_are_null() -> None:
    with playing(STOPPED, quirks={"graphqlListElements": [None]}) as sandbox:
        assert pods_of(sandbox, "id") == [None, {"id": "stop0"}]


def test_a_pod_that_graphql_does_not_know() -> None:
    with playing({**RUNNING, "graphql": {"$absent": True}}, STOPPED) as sandbox:
        assert pods_of(sandbox, "id") == [{"id": "stop0"}]
        assert data(sandbox, '{ pod(input: {podId: "run0"}) { id } }') == {"pod": None}
        assert ask(sandbox, "GET", "/v1/pods/run0").status == 200


def test_the_day_of_its_end_is_told_on_every_answer(sandbox: Sandbox) -> None:
    day = "Mon, 01 Feb 2027 00:00:00 GMT"
    with playing(quirks={"sunset": day}) as ending:
        for query in ("{ myself { id } }", "{", "{ nothing }"):
            assert ask_graphql(ending, query).headers["Sunset"] == day
    assert "Sunset" not in ask_graphql(sandbox, "{ myself { id } }").headers


@pytest.mark.parametrize("status", [404, 410])
def test_it_is_gone_by_a_fault(sandbox: Sandbox, status: int) -> None:
    sandbox.add_fault({"plane": "graphql", "status": status})
    assert ask_graphql(sandbox, "{ myself { id } }").status == status
    assert ask(sandbox, "GET", "/v1/pods").status == 200
    sandbox.clear_faults()
    assert ask_graphql(sandbox, "{ myself { id } }").status == 200
