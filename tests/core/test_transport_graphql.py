"""What GraphQL answers: its errors, its refusals, and other shapes."""

from __future__ import annotations

from pathlib import Path

import pytest
from stub import reply, serve
from wire import ask_graphql, refused, refused_by

from rpcli.errors import ApiError, GraphqlError, UnexpectedResponse


def test_errors_inside_200_are_an_error_with_the_servers_own_words(tmp_path: Path) -> None:
    """A01."""
    text = "Something went wrong. Please try again later or contact support."
    body = {
        "errors": [{"message": text, "extensions": {"code": "INTERNAL_SERVER_ERROR"}}],
        "data": None,
    }
    error = refused(tmp_path, reply(body), ask_graphql)
    assert isinstance(error, GraphqlError)
    assert error.to_document() == {"error": text, "code": "graphql_error", "api": "graphql"}


@pytest.mark.parametrize(
    ("status", "body", "message", "told"),
    [
        (200, {"data": {"myself": {}}, "errors": [{"message": "part"}]}, "part", None),
        (
            400,
            {"errors": [{"message": 'Cannot query field "x" on type "Y".'}]},
            "Cannot query",
            400,
        ),
        (422, {"errors": ["plain"]}, "plain", 422),
        (200, {"errors": [{}]}, "{where} answered with errors that have no message", None),
        (200, {"errors": {"message": "one"}}, "one", None),
        (200, {"errors": [None, 7, {"message": "third"}]}, "third", None),
    ],
)
def test_errors_of_graphql(
    tmp_path: Path, status: int, body: object, message: str, told: int | None
) -> None:
    with serve(reply(body, status)) as stub:
        error = refused_by(tmp_path, stub, ask_graphql)
    assert isinstance(error, GraphqlError)
    assert error.message.startswith(message.format(where=f"{stub.host}/graphql"))
    assert (error.error_code, error.status, error.api) == ("graphql_error", told, "graphql")


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (401, {}, "unauthorized"),
        (401, {"errors": [{"message": "no"}]}, "unauthorized"),
        (403, {"errors": [{"message": "no"}]}, "forbidden"),
        (404, {"message": "no"}, "not_found"),
        (410, {"errors": [{"message": "gone"}]}, "gone"),
        (429, {"errors": [{"message": "slow"}]}, "rate_limited"),
        (500, {"errors": [{"message": "no"}]}, "server_error"),
        (400, {"error": "no"}, "bad_request"),
        (
            200,
            {"errors": [{"message": "no", "extensions": {"code": "UNAUTHENTICATED"}}]},
            "unauthorized",
        ),
        (200, {"errors": [{"message": "x"}, {"message": "no", "code": "forbidden"}]}, "forbidden"),
        (400, {"errors": [{"message": "no", "extensions": {"code": "FORBIDDEN"}}]}, "forbidden"),
    ],
)
def test_a_refusal_of_graphql_is_no_error_of_the_query(
    tmp_path: Path, status: int, body: object, code: str
) -> None:
    """A26: a key that is not let in is told apart from everything else, and at once."""
    with serve(reply(body, status)) as stub:
        error = refused_by(tmp_path, stub, ask_graphql)
    assert isinstance(error, ApiError)
    assert (error.error_code, error.api) == (code, "graphql")
    if code == "unauthorized":
        assert error.status == 401
        assert "the key is from the RUNPOD_API_KEY environment variable" in error.message
        assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ([], "a list where an object was expected"),
        ("x", "a text where an object was expected"),
        ({}, "null where an object under 'data' was expected"),
        ({"data": None}, "null where an object under 'data' was expected"),
        ({"data": 7, "errors": []}, "a number where an object under 'data' was expected"),
        ({"data": True}, "a boolean where an object under 'data' was expected"),
    ],
)
def test_graphql_of_another_shape(tmp_path: Path, body: object, what: str) -> None:
    error = refused(tmp_path, reply(body), ask_graphql)
    assert isinstance(error, UnexpectedResponse)
    assert error.message.endswith(f"/graphql answered with {what}")
