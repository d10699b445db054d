"""Errors in the shape of the plane that gives them."""

from __future__ import annotations

from rpcli.sandbox.answers import Reply, problem, reason
from rpcli.sandbox.state import State

_CODES = {401: "UNAUTHENTICATED", 403: "FORBIDDEN", 400: "BAD_USER_INPUT"}


def refusal(plane: str | None, state: State, status: int, text: str | None = None) -> Reply:
    """Make an error of a plane; outside of every plane it is told as REST v2 would."""
    detail = text or reason(status).lower()
    if plane == "v1":
        from rpcli.sandbox import v1

        return v1.error(state, status, detail)
    if plane == "graphql":
        code = _CODES.get(status, "INTERNAL_SERVER_ERROR")
        return Reply(status, {"errors": [{"message": detail, "extensions": {"code": code}}]})
    return problem(status, detail)
