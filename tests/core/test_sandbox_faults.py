"""Faults: which requests they strike, and what is answered instead."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_calls import ask, ask_graphql

from rpcli.errors import ConfigError
from rpcli.sandbox import Sandbox
from rpcli.sandbox.faults import Asked, Faults

if TYPE_CHECKING:
    from collections.abc import Mapping

ONE: dict[str, Any] = {"rateLimit": "none", "pods": [{"id": "p1", "name": "one"}]}

pytestmark = pytest.mark.scenario(ONE)


def statuses(sandbox: Sandbox, count: int, path: str = "/v2/pods") -> list[int]:
    return [ask(sandbox, "GET", path).status for _ in range(count)]


# -- which requests


@pytest.mark.parametrize(
    ("fault", "struck"),
    [
        ({}, {"GET /v2/pods", "GET /v2/pods/p1", "DELETE /v2/pods/p1", "GET /v1/pods"}),
        ({"plane": "v2"}, {"GET /v2/pods", "GET /v2/pods/p1", "DELETE /v2/pods/p1"}),
        ({"plane": "v1"}, {"GET /v1/pods"}),
        ({"route": "/v2/pods/{id}"}, {"GET /v2/pods/p1", "DELETE /v2/pods/p1"}),
        ({"route": "/v2/pods/{id}", "method": "DELETE"}, {"DELETE /v2/pods/p1"}),
        ({"plane": "graphql"}, set()),
        ({"route": "/v2/pods/p1"}, set()),
    ],
)
def test_a_fault_strikes_what_it_names(
    sandbox: Sandbox, fault: Mapping[str, Any], struck: set[str]
) -> None:
    sandbox.add_fault({**fault, "status": 418})
    asked = ["GET /v2/pods", "GET /v2/pods/p1", "GET /v1/pods", "DELETE /v2/pods/p1"]
    assert {line for line in asked if ask(sandbox, *line.split()).status == 418} == struck


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ([{"status": 500, "times": 2}], [500, 500, 200, 200]),
        ([{"status": 500, "after": 1}], [200, 500, 500, 500]),
        ([{"status": 500, "after": 1, "times": 1}], [200, 500, 200, 200]),
        ([{"status": 500, "every": 2}], [500, 200, 500, 200]),
        ([{"status": 500, "every": 2, "after": 1, "times": 1}], [200, 500, 200, 200]),
        # One after the other: what a fault took, those behind it have not seen.
        ([{"status": 503, "times": 2}, {"status": 429, "times": 1}], [503, 503, 429, 200]),
        ([{"status": 503, "times": 1}, {"status": 401, "after": 1}], [503, 200, 401, 401]),
        ([{"plane": "v1", "status": 500}, {"status": 429}], [429, 429, 429, 429]),
    ],
)
def test_faults_take_turns(faults: list[dict[str, Any]], expected: list[int]) -> None:
    with Sandbox({**ONE, "faults": faults}) as sandbox:
        assert statuses(sandbox, 4) == expected


def test_faults_are_armed_and_disarmed_while_it_runs(sandbox: Sandbox) -> None:
    assert statuses(sandbox, 1) == [200]
    sandbox.add_fault({"status": 500})
    assert statuses(sandbox, 2) == [500, 500]
    sandbox.clear_faults()
    assert statuses(sandbox, 1) == [200]


def test_faults_from_outside(sandbox: Sandbox) -> None:
    armed = ask(sandbox, "POST", "/_sandbox/faults", [{"status": 500, "times": 1}, {"status": 503}])
    assert armed.status == 200
    assert statuses(sandbox, 2) == [500, 503]
    told = ask(sandbox, "GET", "/_sandbox/faults").json
    assert told == {"faults": [{"status": 500, "times": 1, "seen": 2}, {"status": 503, "seen": 1}]}
    assert ask(sandbox, "DELETE", "/_sandbox/faults").json == {"faults": []}
    assert statuses(sandbox, 1) == [200]


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"stauts": 500}, "additional properties 'stauts' not allowed"),
        ({"status": "500"}, "$.status: not of type integer"),
        ({"cut": {"how": "burn"}}, "$.cut.how: fits none of the alternatives"),
        ({"plane": "v3"}, "$.plane: not one of v2, v1, graphql"),
        (7, "$: not of type object"),
    ],
)
def test_a_fault_that_is_none_is_told(sandbox: Sandbox, fault: Any, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        sandbox.add_fault(fault)
    assert told in caught.value.message
    refused = ask(sandbox, "POST", "/_sandbox/faults", fault)
    assert refused.status == 422
    assert told in refused.json["error"]
    assert statuses(sandbox, 1) == [200]


def test_many_threads_share_the_turns() -> None:
    from concurrent.futures import ThreadPoolExecutor

    faults = Faults()
    faults.add({"times": 50, "status": 500})
    asked = Asked("v2", "/v2/pods", "GET", "/v2/pods")
    with ThreadPoolExecutor(8) as pool:
        struck = list(pool.map(lambda _: faults.strike(asked), range(400)))
    assert sum(fault is not None for fault in struck) == 50


# -- what is answered


@pytest.mark.parametrize(
    ("fault", "status", "kind", "body"),
    [
        ({"body": "<html>hi</html>"}, 200, "text/html", b"<html>hi</html>"),
        ({"body": {"pods": [None]}}, 200, "application/json", b'{"pods": [null]}'),
        ({"body": "x", "contentType": "text/event-stream"}, 200, "text/event-stream", b"x"),
        ({"body": "", "status": 503}, 503, "application/json", b""),
        ({"body": [], "status": 201}, 201, "application/json", b"[]"),
        (
            {"bodyBase64": base64.b64encode(b"\x00\xff").decode()},
            200,
            "application/json",
            b"\x00\xff",
        ),
        ({"nested": 200_000}, 200, "application/json", b"[" * 200_000),
        ({"body": "[]", "padding": 3}, 200, "application/json", b"[]   "),
        ({"body": "[1, 2]", "truncate": 3}, 200, "application/json", b"[1,"),
        (
            {"body": '{"a": "b"}', "invalidUtf8": True},
            200,
            "application/json",
            b'{"a": "\xff\xfeb"}',
        ),
        ({"body": "7", "invalidUtf8": True}, 200, "application/json", b"\xff\xfe7"),
        ({"status": 204}, 204, None, b""),
        ({"status": 999, "body": "odd"}, 999, "application/json", b"odd"),
    ],
)
def test_an_answer_of_its_own(
    sandbox: Sandbox, fault: Mapping[str, Any], status: int, kind: str | None, body: bytes
) -> None:
    sandbox.add_fault({**fault, "times": 1})
    answer = ask(sandbox, "GET", "/v2/pods")
    assert (answer.status, answer.content_type, answer.data) == (status, kind, body)
    assert answer.headers["x-request-id"]
    assert ask(sandbox, "GET", "/v2/pods").json["pods"][0]["id"] == "p1"


def test_the_real_answer_goes_bad(sandbox: Sandbox) -> None:
    whole = ask(sandbox, "GET", "/v2/pods").data
    for fault, expected in (
        ({"truncate": 20}, whole[:20]),
        ({"padding": 4}, whole + b"    "),
        ({"invalidUtf8": True}, whole.replace(b'":"', b'":"\xff\xfe', 1)),
    ):
        sandbox.add_fault({**fault, "times": 1})
        assert ask(sandbox, "GET", "/v2/pods").data == expected


@pytest.mark.parametrize("status", [401, 403, 500, 503])
def test_an_error_has_the_shape_of_its_plane(sandbox: Sandbox, status: int) -> None:
    sandbox.add_fault({"status": status})
    v2 = ask(sandbox, "GET", "/v2/pods")
    assert (v2.status, v2.content_type) == (status, "application/problem+json")
    assert v2.json["status"] == status
    v1 = ask(sandbox, "GET", "/v1/pods")
    assert (v1.status, v1.json["status"]) == (status, status)
    graphql = ask_graphql(sandbox, "{ myself { id } }")
    assert graphql.status == status
    assert graphql.json["errors"][0]["message"]


@pytest.mark.parametrize("status", [401, 403])
def test_graphql_alone_refuses(sandbox: Sandbox, status: int) -> None:
    sandbox.add_fault({"plane": "graphql", "status": status})
    assert ask_graphql(sandbox, "{ myself { id } }").status == status
    assert (statuses(sandbox, 1), statuses(sandbox, 1, "/v1/pods")) == ([200], [200])


@pytest.mark.parametrize("handled", [True, False])
def test_an_error_is_one_whoever_asks_and_whatever_was_done(
    sandbox: Sandbox, handled: bool
) -> None:
    sandbox.add_fault({"status": 502, "handled": handled})
    for key in ("", "rpa_UNKNOWN"):
        answer = ask(sandbox, "GET", "/v2/pods", key=key)
        assert (answer.status, answer.json["status"]) == (502, 502)
        assert "pods" not in answer.json


def test_headers_are_laid_over(sandbox: Sandbox) -> None:
    headers = {"retry-after": "nan", "x-request-id": None, "X-Two": ["1", "2"]}
    sandbox.add_fault({"status": 429, "headers": headers})
    answer = ask(sandbox, "GET", "/v2/pods")
    assert answer.headers.get_all("Retry-After") == ["nan"]
    assert answer.headers.get_all("X-Two") == ["1", "2"]
    assert "x-request-id" not in answer.headers


@pytest.mark.parametrize("path", ["/v2/pods", "/v1/pods"])
@pytest.mark.parametrize("elements", [[None], [None, {}, 7, "x"]])
def test_elements_come_before_those_of_a_list(
    sandbox: Sandbox, path: str, elements: list[Any]
) -> None:
    sandbox.add_fault({"elements": elements})
    document = ask(sandbox, "GET", path).json
    found = document["pods"] if isinstance(document, dict) else document
    assert found[:-1] == elements
    assert found[-1]["id"] == "p1"


def test_elements_go_into_the_list_nearest_to_the_top(sandbox: Sandbox) -> None:
    sandbox.add_fault({"elements": [None]})
    query = "{ myself { id pods { id runtime { ports { privatePort } } } } }"
    pods = ask_graphql(sandbox, query).json["data"]["myself"]["pods"]
    assert pods[0] is None
    assert None not in pods[1]["runtime"]["ports"]


def test_a_redirect_leads_anywhere(sandbox: Sandbox) -> None:
    sandbox.add_fault({"redirect": "http://localhost:{port}{path}", "times": 1})
    sandbox.add_fault({"redirect": "http://other.invalid/", "status": 307})
    first, second = (ask(sandbox, "GET", "/v2/pods?limit=1") for _ in range(2))
    assert first.status == 302
    assert first.headers["Location"] == f"http://localhost:{sandbox.port}/v2/pods?limit=1"
    assert (second.status, second.headers["Location"]) == (307, "http://other.invalid/")


def test_gzip_is_real_or_a_lie(sandbox: Sandbox) -> None:
    sandbox.add_fault({"gzip": True, "body": "[]", "padding": 1_000_000, "times": 1})
    sandbox.add_fault({"gzip": "broken"})
    real, lie = (ask(sandbox, "GET", "/v2/pods") for _ in range(2))
    assert [a.headers["Content-Encoding"] for a in (real, lie)] == ["gzip", "gzip"]
    assert len(real.data) < 10_000
    assert gzip.decompress(real.data) == b"[]" + b" " * 1_000_000
    with pytest.raises(gzip.BadGzipFile):
        gzip.decompress(lie.data)


def test_a_huge_body_is_made_as_it_is_sent(sandbox: Sandbox) -> None:
    sandbox.add_fault({"body": "[]", "padding": 50_000_000})
    answer = ask(sandbox, "GET", "/v2/pods")
    assert int(answer.headers["Content-Length"]) == len(answer.data) == 50_000_002
    assert json.loads(answer.data) == []


# -- and the state


@pytest.mark.parametrize(
    ("fault", "left"),
    [
        ({"status": 503}, "RUNNING"),
        ({"body": "<html>"}, "RUNNING"),
        ({"redirect": "http://localhost:{port}/"}, "RUNNING"),
        ({"status": 503, "handled": True}, "EXITED"),
        ({"truncate": 3}, "EXITED"),
        ({"truncate": 3, "handled": False}, "RUNNING"),
        ({"status": 202}, "EXITED"),
    ],
)
def test_a_request_reaches_the_state_or_not(
    sandbox: Sandbox, fault: Mapping[str, Any], left: str
) -> None:
    sandbox.add_fault({**fault, "method": "POST"})
    ask(sandbox, "POST", "/v2/pods/p1/action", {"action": "stop"})
    assert ask(sandbox, "GET", "/v2/pods/p1").json["status"] == left


def test_faults_are_counted_and_limited_as_other_answers() -> None:
    with Sandbox({**ONE, "rateLimit": {"minute": 1}, "faults": [{"status": 503}]}) as sandbox:
        first = ask(sandbox, "GET", "/v2/pods")
        assert first.headers["RateLimit"] == '"minute";r=0;t=60'
        ask(sandbox, "GET", "/v2/pods")
        assert [entry["status"] for entry in sandbox.requests()] == [503, 503]
