"""What errors of an API mean: kinds that pass, kinds that stay, and whose pod it is about."""

from __future__ import annotations

import pytest

from rpcli.controlplane.faults import Degradation, Kind, about_pod, degradation_of, late
from rpcli.domain.pod import RuntimeSignal
from rpcli.errors import (
    ApiError,
    GraphqlError,
    NetworkError,
    NotFound,
    RpcliError,
    TimeoutExpired,
    UnexpectedResponse,
)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (TimeoutExpired("x"), Kind.TIMEOUT, "GraphQL did not answer within 5 s"),
        (ApiError.from_status(401, "x"), Kind.FORBIDDEN, "this key may not ask GraphQL (HTTP 401)"),
        (ApiError.from_status(403, "x"), Kind.FORBIDDEN, "this key may not ask GraphQL (HTTP 403)"),
        (GraphqlError("x", code="unauthorized"), Kind.FORBIDDEN, "this key may not ask GraphQL: "),
        (GraphqlError("Unauthorized"), Kind.FORBIDDEN, "this key may not ask GraphQL"),
        (GraphqlError("you are not authorised"), Kind.FORBIDDEN, "this key may not ask GraphQL"),
        (GraphqlError("Not authenticated"), Kind.FORBIDDEN, "this key may not ask GraphQL"),
        (GraphqlError("Access denied"), Kind.FORBIDDEN, "this key may not ask GraphQL"),
        (GraphqlError("missing permission"), Kind.FORBIDDEN, "this key may not ask GraphQL"),
        (GraphqlError("Something went wrong"), Kind.FAILED, "GraphQL failed: Something went wrong"),
        (GraphqlError("the author is busy"), Kind.FAILED, "GraphQL failed: the author is busy"),
        (ApiError.from_status(404, "x"), Kind.GONE, "GraphQL is gone (HTTP 404)"),
        (ApiError.from_status(410, "x"), Kind.GONE, "GraphQL is gone (HTTP 410)"),
        (ApiError.from_status(500, "forbidden"), Kind.FAILED, "GraphQL failed: forbidden"),
        (ApiError.from_status(429, "slow down"), Kind.FAILED, "GraphQL failed: slow down"),
        (NetworkError("refused"), Kind.FAILED, "GraphQL failed: refused"),
        (UnexpectedResponse("a list came"), Kind.FAILED, "GraphQL failed: a list came"),
    ],
)
def test_kinds_are_told_apart(error: RpcliError, kind: Kind, text: str) -> None:
    found = degradation_of(error, 5.0)
    assert found.kind is kind
    assert found.text.startswith(text)
    wanted = RuntimeSignal.FORBIDDEN if kind is Kind.FORBIDDEN else RuntimeSignal.UNAVAILABLE
    assert found.signal is wanted


def test_an_answer_that_is_not_there_in_time_is_one_kind_of_timeout() -> None:
    assert late(1.0) == Degradation(Kind.TIMEOUT, "GraphQL did not answer within 1 s")


def test_an_error_about_a_pod_names_it() -> None:
    missing = about_pod("p1", ApiError.from_status(404, "nothing here", api="v1"))
    assert isinstance(missing, NotFound)
    assert (missing.id, missing.status, missing.api) == ("p1", 404, "v1")
    conflict = about_pod("p1", ApiError.from_status(409, "busy"))
    assert (conflict.id, conflict.message) == ("p1", "busy")
    broken = NetworkError("refused")
    assert about_pod("p1", broken) is broken
    assert broken.id is None
