"""GraphQL over the state: requests checked and executed by graphql-core against a real schema.

Rules: what the platform does not have fails validation here as it does there; introspection is
refused; a query is parsed and checked once, however often it comes.
"""

from __future__ import annotations

import functools
import re
from importlib.resources import files
from typing import Any

from graphql import (
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    assert_enum_type,
    build_schema,
    execute_sync,
    extend_schema,
    parse,
    validate,
)
from graphql.language import DocumentNode, FieldNode, Visitor, visit

from rpcli.sandbox.answers import Reply, Request
from rpcli.sandbox.classic_resolvers import Root
from rpcli.sandbox.state import State

#: The most queries that are kept parsed.
_KEPT = 64
_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")
_QUOTED = re.compile(r"(?<![\w'])'([^']*)'")


@functools.cache
def schema(*statuses: str) -> GraphQLSchema:
    """Build the schema, once.

    :param statuses: values that ``PodStatus`` has besides those of the file
    """
    if statuses:
        return extend_schema(schema(), parse(f"extend enum PodStatus {{ {' '.join(statuses)} }}"))
    text = files("rpcli.sandbox").joinpath("schema.graphql").read_text(encoding="utf-8")
    return build_schema(text)


def _played_schema(state: State) -> GraphQLSchema:
    """Give the schema with the statuses that a scenario plays and that nobody knows yet."""
    known = assert_enum_type(schema().get_type("PodStatus")).values
    played = {pod.overrides.get("graphql", {}).get("desiredStatus") for pod in state.pods.values()}
    new = (text for text in played if isinstance(text, str) and _NAME.fullmatch(text))
    return schema(*sorted(text for text in new if text not in known))


def answer(state: State, request: Request, *, anonymous: bool) -> Reply:
    """Answer one request: 400 where it cannot be executed, and 200 with what came of it.

    :param anonymous: whether it came without a key
    """
    reply = _answer(request.body, Root(state, anonymous=anonymous), state)
    sunset = state.quirks.get("sunset")
    return reply if sunset is None else reply._replace(headers={"Sunset": sunset})


def _answer(body: object, root: Root, state: State) -> Reply:
    if not isinstance(body, dict) or not isinstance(body.get("query"), str):
        return refusal([GraphQLError("POST a JSON object with a query")], "BAD_REQUEST")
    variables, operation = body.get("variables"), body.get("operationName")
    if not isinstance(variables, dict | None) or not isinstance(operation, str | None):
        return refusal([GraphQLError("variables or operationName is malformed")], "BAD_REQUEST")
    document = _check(body["query"])
    if isinstance(document, Reply):
        return document
    result = execute_sync(
        _played_schema(state),
        document,
        root_value=root,
        variable_values=variables,
        operation_name=operation,
    )
    return _executed(result)


@functools.lru_cache(_KEPT)
def _check(query: str) -> DocumentNode | Reply:
    """Parse and validate a query, or give the refusal."""
    try:
        document = parse(query)
        if _introspects(document):
            refused = GraphQLError("introspection is not allowed: the query has __schema or __type")
            return refusal([refused], "INTROSPECTION_DISABLED")
        errors = validate(schema(), document)
    except GraphQLError as error:
        return refusal([error], "GRAPHQL_PARSE_FAILED")
    except RecursionError:
        return refusal([GraphQLError("the query is nested too deeply")], "GRAPHQL_PARSE_FAILED")
    return refusal(errors, "GRAPHQL_VALIDATION_FAILED") if errors else document


def _introspects(document: DocumentNode) -> bool:
    found = False

    class Look(Visitor):
        def enter_field(self, node: FieldNode, *_: Any) -> None:
            nonlocal found
            found = found or node.name.value in ("__schema", "__type")

    visit(document, Look())
    return found


def _executed(result: ExecutionResult) -> Reply:
    errors = result.errors or []
    if result.data is None and errors and all(error.path is None for error in errors):
        # Nothing was executed: variables that do not fit, or no such operation.
        return refusal(errors, "BAD_USER_INPUT")
    document: dict[str, Any] = {"data": result.data}
    if errors:
        document["errors"] = [_error(error, "INTERNAL_SERVER_ERROR") for error in errors]
    return Reply(200, document)


def refusal(errors: list[GraphQLError], code: str, status: int = 400) -> Reply:
    """Refuse a request whole; there is no ``data`` then."""
    return Reply(status, {"errors": [_error(error, code) for error in errors]})


def _error(error: GraphQLError, code: str) -> dict[str, Any]:
    """Write an error as the platform's server does: names in double quotes, always a code."""
    document: dict[str, Any] = dict(error.formatted)
    document["message"] = _QUOTED.sub(r'"\1"', error.message)
    document["extensions"] = {"code": code, **(error.extensions or {})}
    return document
