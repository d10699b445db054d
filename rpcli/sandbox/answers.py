"""What a route is given, and what it gives back, before the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rpcli.sandbox.logs import Stream

# Not those of http.HTTPStatus: Python 3.13 renamed 422, and the platform did not.
_REASONS: Mapping[int, str] = {
    200: "OK",
    201: "Created",
    204: "No Content",
    301: "Moved Permanently",
    302: "Found",
    307: "Temporary Redirect",
    308: "Permanent Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    413: "Content Too Large",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}


class Request(NamedTuple):
    """What a route is given."""

    method: str
    query: dict[str, str]
    body: Any  #: the decoded JSON; None without one
    parameters: dict[str, str]  #: the variable parts of the path, by their names in the template
    last_event_id: str | None = None  #: the header of that name


class Reply(NamedTuple):
    """What a route gives back."""

    status: int
    document: Any  #: JSON; None for no body, a text as it is, bytes as they are
    headers: Mapping[str, str] = {}
    content_type: str = "application/json"
    stream: Stream | None = None  #: what comes instead of a document, and never ends

    def encoded(self) -> bytes:
        """Give the body."""
        if self.document is None:
            return b""
        if isinstance(self.document, bytes):
            return self.document
        if isinstance(self.document, str):
            return self.document.encode()
        return json.dumps(self.document, separators=(",", ":")).encode()


def reason(status: int) -> str:
    """Give the phrase of an HTTP status, as the platform writes it."""
    return _REASONS.get(status, "Error" if status >= 400 else "Unknown")


def problem(status: int, detail: str, errors: list[str] | None = None, **headers: str) -> Reply:
    """Make an RFC 9457 answer, with its members in the order that the live service sends."""
    document: dict[str, Any] = {"detail": detail}
    if errors:
        document["errors"] = errors
    document |= {"status": status, "title": reason(status)}
    return Reply(status, document, headers, "application/problem+json")
