"""Answers of the planes, before the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
}


class Request(NamedTuple):
    """What a route is given."""

    method: str
    query: dict[str, str]
    body: Any  #: the decoded JSON; None without one
    parameters: dict[str, str]  #: the variable parts of the path


class Reply(NamedTuple):
    """What a route gives back."""

    status: int
    document: Any  #: JSON; None for no body
    headers: Mapping[str, str] = MappingProxyType({})
    content_type: str = "application/json"

    def encoded(self) -> bytes:
        """Give the body."""
        if self.document is None:
            return b""
        if isinstance(self.document, str):
            return self.document.encode()
        return json.dumps(self.document).encode()


def problem(status: int, detail: str, errors: list[str] | None = None, **headers: str) -> Reply:
    """Make an RFC 9457 answer, with its members in the order that the live service sends."""
    document: dict[str, Any] = {"detail": detail}
    if errors:
        document["errors"] = errors
    document |= {"status": status, "title": TITLES.get(status, "Error")}
    return Reply(status, document, headers, "application/problem+json")
