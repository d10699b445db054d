"""What an answer says: JSON read strictly, and errors taken out of their envelopes. Pure.

Rules: nothing of an answer is shown but a short beginning, made safe; no error text is JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from rpcli.domain import ratelimit
from rpcli.domain.jsontext import NotJson, decode
from rpcli.errors import ApiError, GraphqlError, RpcliError, UnexpectedResponse
from rpcli.terminal import one_line, shorten
from rpcli.transport.calls import Answer

#: Characters of a body that an error shows.
EXCERPT = 100
#: Characters of a server's own message that an error repeats.
MESSAGE = 1000
#: What the platform's edge says to a client whose name it does not like.
_REFUSED_CLIENT = re.compile(rb"error code:\s*1010\b", re.IGNORECASE)
#: Words of GraphQL servers for a key that is not let in.
_REFUSED_KEY = {"UNAUTHENTICATED": 401, "UNAUTHORIZED": 401, "FORBIDDEN": 403}


class Asked(NamedTuple):
    """What was asked, as far as errors tell it."""

    api: str  #: ``v2``, ``v1``, ``graphql``
    where: str  #: host, port and path, and where a redirect led
    is_redirected: bool
    key_source: str
    now: datetime


def read_json(answer: Answer, asked: Asked) -> Any:
    """Read a JSON body.

    A body without a content type is taken for JSON if it is JSON.

    :raises UnexpectedResponse: another content type, or no usable JSON
    """
    kind = _media_type(answer)
    if kind and kind != "application/json" and not kind.endswith("+json"):
        raise _unexpected(answer, asked, f"{shorten(one_line(kind), 60)}, not JSON")
    try:
        return decode(answer.body)
    except NotJson as error:
        raise _unexpected(answer, asked, f"what is not JSON ({error})") from None


def read_data(answer: Answer, asked: Asked) -> dict[str, Any]:
    """Read the ``data`` of a GraphQL answer.

    :raises GraphqlError: it has errors, whatever its HTTP status and whatever else it has
    :raises ApiError: the request or the key was refused
    :raises UnexpectedResponse: no JSON, or not the shape of GraphQL
    """
    if answer.status >= 400:
        raise _graphql_refusal(answer, asked)
    document = read_json(answer, asked)
    if not isinstance(document, dict):
        raise wrong_shape(asked, "an object", document, status=answer.status)
    if document.get("errors"):
        raise _graphql_errors(document["errors"], answer, asked)
    data = document.get("data")
    if not isinstance(data, dict):
        raise wrong_shape(asked, "an object under 'data'", data, status=answer.status)
    return data


def refusal(answer: Answer, asked: Asked) -> ApiError:
    """Make the error of an answer that is one."""
    message, code = _envelope(answer.body)
    return _refused(answer.status, message or _without_message(answer, asked), code, answer, asked)


def wrong_shape(asked: Asked, wanted: str, found: object, *, status: int) -> UnexpectedResponse:
    """Make the error for JSON of another shape; the value itself is not shown."""
    kinds = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "a boolean",
        type(None): "null",
    }
    named = kinds.get(type(found), "a number")
    return UnexpectedResponse(
        f"{asked.where} answered with {named} where {wanted} was expected",
        status=status,
        api=asked.api,
    )


def _refused(status: int, text: str, code: str | None, answer: Answer, asked: Asked) -> ApiError:
    if asked.is_redirected and asked.where not in text:
        text = f"{asked.where}: {text}"
    if status == 401:
        text = f"{text} (the key is from {asked.key_source})"
    if status == 403 and _REFUSED_CLIENT.search(answer.body):
        text = f"the edge before {asked.where} refused this client (error code: 1010)"
    return ApiError.from_status(
        status, text, api_code=code, api=asked.api, hint=_hint(status, answer, asked)
    )


def _hint(status: int, answer: Answer, asked: Asked) -> str | None:
    if status == 403 and _REFUSED_CLIENT.search(answer.body):
        return "it goes by the User-Agent: does a proxy on the way replace it?"
    if status == 403:
        return f"the key from {asked.key_source} is known, and may not do this"
    if status != 429:
        return None
    wait = ratelimit.asked_wait(answer.headers, asked.now)
    quota = ratelimit.spent_quota(answer.headers)
    again = "try again later" if wait is None else f"try again in {wait:.0f} s"
    return again + (f": the limit is {quota.limit} in {quota.seconds:.0f} s" if quota else "")


def _graphql_refusal(answer: Answer, asked: Asked) -> RpcliError:
    """Make the error of a GraphQL answer with an HTTP status that is one.

    A query that is refused comes as 400 with ``errors``; any other status is about the request.
    """
    if answer.status in (400, 422):
        try:
            document = decode(answer.body)
        except NotJson:
            document = None
        if isinstance(document, dict) and document.get("errors"):
            return _graphql_errors(document["errors"], answer, asked)
    return refusal(answer, asked)


def _graphql_errors(errors: object, answer: Answer, asked: Asked) -> RpcliError:
    """Make the error for GraphQL's ``errors``: the text of the first, the refusal of any."""
    found = errors if isinstance(errors, list) else [errors]
    message = next((m for m, _ in map(_unwrap, found) if m), None)
    message = message or f"{asked.where} answered with errors that have no message"
    for _, code in map(_unwrap, found):
        if code and code.upper() in _REFUSED_KEY:
            return _refused(_REFUSED_KEY[code.upper()], message, None, answer, asked)
    status = None if answer.status == 200 else answer.status
    return GraphqlError(message, status=status, api=asked.api)


def _envelope(body: bytes) -> tuple[str | None, str | None]:
    try:
        return _unwrap(decode(body))
    except NotJson:
        return None, None


def _unwrap(document: object, depth: int = 0) -> tuple[str | None, str | None]:
    """Take message and code out of an envelope.

    In this order: ``{"error"}``, ``{"message"}``, RFC 9457 (``detail`` or ``title``, and
    ``errors``), GraphQL's ``{"errors": [{"message", "extensions": {"code"}}]}``. What is none of
    them has no message.
    """
    if isinstance(document, str):
        return _text(document, depth)
    if not isinstance(document, Mapping) or depth > 4:
        return None, None
    code = _code(document)
    for key in ("error", "message"):
        message, inner = _unwrap(document.get(key), depth + 1)
        if message:
            return message, code or inner
    errors = document.get("errors")
    listed = [_unwrap(e, depth + 1) for e in errors] if isinstance(errors, list) else []
    texts = [message for message, _ in listed if message]
    codes = [inner for _, inner in listed if inner]
    about, _ = _unwrap(document.get("detail"), depth + 1)
    about = about or _unwrap(document.get("title"), depth + 1)[0]
    if about and texts:
        about = f"{about.rstrip('.:')}: {'; '.join(texts)}"
    message = about or next(iter(texts), None)
    return (message and shorten(message, MESSAGE)), code or next(iter(codes), None)


def _text(text: str, depth: int) -> tuple[str | None, str | None]:
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        # An envelope within an envelope: no error text is JSON.
        try:
            return _unwrap(decode(stripped.encode("utf-8", "replace")), depth + 1)
        except NotJson:
            pass
    return (shorten(stripped, MESSAGE) or None), None


def _code(document: Mapping[str, object]) -> str | None:
    extensions = document.get("extensions")
    candidates = [document.get("code")]
    if isinstance(extensions, Mapping):
        candidates.append(extensions.get("code"))
    return next((c for c in candidates if isinstance(c, str)), None)


def _without_message(answer: Answer, asked: Asked) -> str:
    said = f"{asked.where} answered with HTTP {answer.status}"
    kind = _media_type(answer)
    if kind == "text/plain" and answer.body.strip():
        return f"{said}: {excerpt(answer.body)}"
    if kind and "json" not in kind:
        return f"{said} and {shorten(one_line(kind), 60)}"
    return said


def _unexpected(answer: Answer, asked: Asked, what: str) -> UnexpectedResponse:
    return UnexpectedResponse(
        f"{asked.where} answered with {what}: {excerpt(answer.body)}",
        status=answer.status,
        api=asked.api,
    )


def excerpt(body: bytes) -> str:
    """Give the beginning of a body, safe to show."""
    text = body[: 4 * EXCERPT].decode("utf-8", "replace").strip()
    return shorten(one_line(" ".join(text.split(" "))), EXCERPT) or "(nothing)"


def _media_type(answer: Answer) -> str:
    return (answer.headers.get("Content-Type") or "").partition(";")[0].strip().lower()
