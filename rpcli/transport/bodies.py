"""What the body of an answer says: JSON read strictly, and errors taken out of their envelopes. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from rpcli.errors import RpcliError, UnexpectedResponse
from rpcli.terminal import one_line, shorten

#: Characters of a body that an error message shows.
EXCERPT = 100
#: Characters of a server's own message that are told.
MESSAGE = 500


def read_json(body: bytes, content_type: str | None, where: str, **fields: Any) -> Any:
    """Read a JSON body.

    :param where: the endpoint, for the message
    :raises UnexpectedResponse: another content type, or not JSON (NaN and Infinity included)
    """
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind and kind != "application/json" and not kind.endswith("+json"):
        raise UnexpectedResponse(
            f"{where} answered with {one_line(kind)}, not JSON: {excerpt(body)}", **fields
        )
    try:
        return json.loads(body, parse_constant=_refuse)
    except RecursionError:
        raise UnexpectedResponse(
            f"{where} answered with JSON that is nested too deeply", **fields
        ) from None
    except ValueError as error:
        reason = str(error).partition(":")[0] if body.strip() else "the body is empty"
        raise UnexpectedResponse(
            f"{where} answered with what is not JSON ({one_line(reason)}): {excerpt(body)}", **fields
        ) from None


def excerpt(body: bytes) -> str:
    """Give the beginning of a body, safe to show."""
    text = body[: 4 * EXCERPT].decode("utf-8", "replace").strip()
    return shorten(one_line(" ".join(text.split())), EXCERPT) or "(nothing)"


def error_message(body: bytes) -> tuple[str | None, str | None]:
    """Take the message, and a code where there is one, out of an error body.

    Known envelopes: ``{"error"}``, ``{"message"}``, RFC 9457 ``title``, ``detail``, ``errors``, and
    GraphQL's ``{"errors": [{"message"}]}``. Anything else gives None.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None, None
    return _unwrap(document)


def graphql_error(errors: object) -> tuple[str, str | None]:
    """Take message and code of the first error of a GraphQL answer."""
    message, code = _unwrap({"errors": errors})
    return message or "the answer has errors without a message", code


def _unwrap(document: object, depth: int = 0) -> tuple[str | None, str | None]:
    if isinstance(document, str):
        return _text(document), None
    if not isinstance(document, Mapping) or depth > 4:
        return None, None
    code = document.get("code")
    extensions = document.get("extensions")
    if not isinstance(code, str) and isinstance(extensions, Mapping):
        code = extensions.get("code")
    code = code if isinstance(code, str) else None
    for key in ("error", "message"):
        if key in document:
            message, inner = _unwrap(document[key], depth + 1)
            if message:
                return message, code or inner
    errors = document.get("errors")
    detail = _text(document.get("detail")) or _text(document.get("title"))
    if isinstance(errors, list) and errors:
        first, inner = _unwrap(errors[0], depth + 1)
        if detail and first:
            texts = [e for e in errors if isinstance(e, str)] or [first]
            return _text(f"{detail} {'; '.join(texts)}"), code or inner
        return first or detail, code or inner
    return detail, code


def _text(value: object) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    return shorten(one_line(value.strip()), MESSAGE)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def shape_error(where: str, wanted: str, found: object, **fields: Any) -> RpcliError:
    """Make the error for JSON of another shape; the value itself is not shown."""
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null"}
    named = kinds.get(type(found), "a number")
    return UnexpectedResponse(f"{where} answered with {named} where {wanted} was expected", **fields)
