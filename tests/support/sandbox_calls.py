"""Ask a sandbox as any client would, over its socket, with no client of ours between."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rpcli.sandbox import Sandbox

#: Seconds after which a test that would hang fails.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Answer:
    """One answer as it came."""

    status: int
    headers: http.client.HTTPMessage
    data: bytes

    @property
    def json(self) -> Any:
        """The body, decoded; None for an empty one."""
        return json.loads(self.data) if self.data else None

    @property
    def content_type(self) -> str | None:
        return self.headers.get("Content-Type")


def ask(
    sandbox: Sandbox,
    method: str,
    path: str,
    body: object = None,
    *,
    key: str | None = "",
    raw: bytes | None = None,
) -> Answer:
    """Send one request.

    :param body: sent as JSON; None sends no body
    :param key: None asks anonymously; empty: with the key of the scenario
    :param raw: bytes to send as they are
    """
    headers = {"User-Agent": "rpcli-tests/1"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key or sandbox.api_key}"
    data = raw if body is None else json.dumps(body).encode()
    if data is not None:
        headers["Content-Type"] = "application/json"
    connection = http.client.HTTPConnection("127.0.0.1", sandbox.port, timeout=_PATIENCE)
    try:
        connection.request(method, path, data, headers)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def ask_graphql(
    sandbox: Sandbox,
    query: str,
    variables: Mapping[str, object] | None = None,
    *,
    key: str | None = "",
) -> Answer:
    """Send one request to GraphQL."""
    body = {"query": query, "variables": dict(variables or {})}
    return ask(sandbox, "POST", "/graphql", body, key=key)
