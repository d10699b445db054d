"""Every error that rpcli tells its users, each with a stable code and an exit status.

::

    RpcliError
    ├── UsageError            usage_error          2
    ├── NoCredentials         no_credentials       1
    ├── ConfigError           config_error         1
    ├── ApiError              from the HTTP status, or a code that the API gave
    ├── GraphqlError          graphql_error        1
    ├── NetworkError          network_error        1
    ├── TimeoutExpired        timeout              1
    ├── UnexpectedResponse    unexpected_response  1
    ├── Unsupported           unsupported          1
    ├── Conflict              conflict             1
    ├── NotFound              not_found            1
    ├── ContractError         contract_error       1
    ├── PluginError           plugin_error         1
    ├── OutputError           output_error         1
    ├── FileError             io_error             1
    ├── NoMatch               no_match             1
    ├── Matched               matched              3
    └── InternalError         internal_error       1   (a bug of ours)

The vocabulary of codes is open: consumers branch on the codes that they know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

#: What the error object calls an HTTP status; anything else is ``api_error`` or ``server_error``.
HTTP_CODES: Mapping[int, str] = {
    400: "bad_request",
    401: "unauthorized",
    402: "payment_required",
    403: "forbidden",
    404: "not_found",
    408: "timeout",
    409: "conflict",
    410: "gone",
    422: "bad_request",
    429: "rate_limited",
}

#: Codes of what happens on this side of the wire.
OWN_CODES = frozenset(
    (
        "usage_error",
        "no_credentials",
        "config_error",
        "graphql_error",
        "network_error",
        "timeout",
        "unexpected_response",
        "unsupported",
        "contract_error",
        "plugin_error",
        "output_error",
        "io_error",
        "no_match",
        "matched",
        "internal_error",
    )
)

_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\Z")


class RpcliError(Exception):
    """An error with a text for people and a code for programs.

    :param message: short, lower case, with the real id in it
    :param hint: what to do next, where there is something
    :param status: the HTTP status, where one was received
    :param id: the id of the thing concerned
    :param api: which API spoke: ``v2``, ``v1``, ``graphql`` or ``queue``
    :param code: overrides the code of the class
    """

    code: ClassVar[str] = "internal_error"
    exit_status: ClassVar[int] = 1

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        status: int | None = None,
        id: str | None = None,
        api: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.status = status
        self.id = id
        self.api = api
        self.error_code = code or self.code

    def to_document(self) -> dict[str, Any]:
        """Give the error object of the contract (``core.error``); unknown fields are absent."""
        document: dict[str, Any] = {"error": self.message, "code": self.error_code}
        for key in ("status", "id", "api", "hint"):
            value = getattr(self, key)
            if value is not None:
                document[key] = value
        return document


class UsageError(RpcliError):
    """What was typed cannot be: found before any request is made."""

    code = "usage_error"
    exit_status = 2

    def __init__(self, message: str, *, usage: str | None = None, **fields: Any) -> None:
        super().__init__(message, **fields)
        self.usage = usage


class NoCredentials(RpcliError):
    """No API key, or one that cannot be a header."""

    code = "no_credentials"


class ConfigError(RpcliError):
    """A configuration that cannot be used: the file and line, or the variable, is named."""

    code = "config_error"


class NetworkError(RpcliError):
    """DNS, refused, reset, TLS, proxy."""

    code = "network_error"
    #: Whether another try meets it again.
    is_lasting: ClassVar[bool] = False


class TimeoutExpired(RpcliError):
    """A deadline of ours passed: the host and the limit are named."""

    code = "timeout"


class ApiError(RpcliError):
    """The API answered with an error status; :attr:`error_code` follows from it."""

    code = "api_error"
    #: Seconds that the server wants to be left alone; None where it says nothing.
    retry_after: float | None = None

    @classmethod
    def from_status(
        cls, status: int, message: str, *, api_code: object = None, **fields: Any
    ) -> ApiError:
        """Map an HTTP status; a code that the API itself gave is passed through in lower case.

        A word that means something of ours (:data:`OWN_CODES`) is not the API's to say.
        """
        said = api_code.lower() if isinstance(api_code, str) and _TOKEN.match(api_code) else None
        if said is not None and said not in OWN_CODES:
            code = said
        elif status in HTTP_CODES:
            code = HTTP_CODES[status]
        else:
            code = "server_error" if status >= 500 else "api_error"
        return cls(message, status=status, code=code, **fields)


class GraphqlError(RpcliError):
    """An error inside a GraphQL answer, whatever its HTTP status."""

    code = "graphql_error"


class UnexpectedResponse(RpcliError):
    """Not the content type, not JSON, or not the shape: what came is named."""

    code = "unexpected_response"


class Unsupported(RpcliError):
    """The chosen control plane cannot do it; the nearest that it can is named."""

    code = "unsupported"


class Conflict(RpcliError):
    """Nothing is wrong with what was typed, and yet it cannot be done as things stand."""

    code = "conflict"


class NotFound(RpcliError):
    """There is no such thing."""

    code = "not_found"


class ContractError(RpcliError):
    """Output does not fit its schema, or a schema change is breaking."""

    code = "contract_error"


class PluginError(RpcliError):
    """A plugin failed to load or broke its contract: the distribution is named."""

    code = "plugin_error"


class OutputError(RpcliError):
    """stdout is closed, full or unwritable."""

    code = "output_error"


class FileError(RpcliError):
    """A file, a key or a program of this machine could not be used."""

    code = "io_error"


class NoMatch(RpcliError):
    """What was waited for did not come."""

    code = "no_match"


class Matched(RpcliError):
    """What should not come did."""

    code = "matched"
    exit_status = 3


class InternalError(RpcliError):
    """A bug of ours."""

    code = "internal_error"


class Aborted(Exception):
    """A connection was ended from this side; no error, and never shown."""
