"""Who may ask what: the keys of an account, each with its scope on each plane.

Rules: the account's own key may do everything unless the scenario says what; a key that may not do
a thing is refused with 403, one that a plane does not know at all with the status that the scenario
gives (401 or 403). What a pod-scoped key may really do is not public, so it is data here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

#: The key that a scenario has where it names none.
API_KEY = "rpa_SANDBOX0000000000000000000000000000000000"

_READS = {"v2": ["read"], "v1": ["read"], "graphql": ["read"]}
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "full": {},
    "read": _READS,
    # What most reports agree on: it may stop its own pod, and reads no account.
    "pod": {
        "v2": ["pods.get", "pods.stop"],
        "v1": ["pods.get", "pods.stop"],
        "graphql": 401,
    },
}
_VERBS = {"POST": "create", "PATCH": "update", "PUT": "replace", "DELETE": "delete"}


@dataclass(frozen=True)
class Scope:
    """What one key may do.

    :param name: what the list of requests calls it
    :param planes: by plane, the status that refuses it, or the operations that it may do; what is
        not there is all allowed
    :param pod: the one pod that its pod operations may be about; None: any
    :param ignores: operations that are answered as if they were done
    """

    name: str
    planes: Mapping[str, int | Collection[str]] = field(default_factory=dict)
    pod: str | None = None
    ignores: frozenset[str] = frozenset()

    def refusal(self, plane: str, operations: Collection[str], pod: str | None) -> int | None:
        """Give the status that refuses a request; None where it may go on.

        :param operations: what the request does, in words that must all be allowed; a read may be
            allowed by the word ``read``
        """
        allowed = self.planes.get(plane)
        if isinstance(allowed, int):
            return allowed
        if allowed is not None:
            known = set(allowed)
            if not ("read" in operations and "read" in known):
                rest = {word for word in operations if word != "read"}
                if not rest <= known:
                    return 403
        if self.pod is not None and pod is not None and pod != self.pod:
            return 403
        return None


def read_keys(account: Mapping[str, Any]) -> dict[str, Scope]:
    """Give the scopes of an account's keys, by the keys."""
    main = _scope("main", account.get("apiKeyScope", {}))
    scopes = {account.get("apiKey", API_KEY): main}
    for spec in account.get("otherKeys", []):
        scopes[spec["key"]] = _scope(spec.get("name", spec.get("scope", "full")), spec)
    return scopes


def _scope(name: str, spec: Mapping[str, Any]) -> Scope:
    planes = {**_DEFAULTS[spec.get("scope", "full")], **spec.get("planes", {})}
    return Scope(name, planes, spec.get("pod"), frozenset(spec.get("ignores", ())))


def rest_operations(method: str, template: str, body: Any) -> list[str]:
    """Name what a request to REST v1 or v2 does, as ``pods.stop`` or ``account.ssh-keys.replace``.

    ``read`` stands beside the name of what changes nothing.
    """
    parts = template.split("/")[2:]
    names = [part for part in parts if not part.startswith("{")]
    if method == "GET":
        return [".".join([*names, "get" if parts[-1].startswith("{") else "list"]), "read"]
    if method == "POST" and len(parts) > 2 and parts[-2].startswith("{"):
        verb = names.pop()
        if verb == "action":
            verb = str(body.get("action")) if isinstance(body, dict) else "none"
        return [".".join([*names, verb])]
    return [".".join([*names, _VERBS.get(method, method.lower())])]


def graphql_operations(body: Any) -> list[str]:
    """Name the root fields that a GraphQL request asks for; ``read`` beside them for queries.

    What cannot be parsed does nothing at all.
    """
    from graphql import GraphQLError, parse
    from graphql.language import FieldNode, OperationDefinitionNode, OperationType

    query = body.get("query") if isinstance(body, dict) else None
    try:
        document = parse(query if isinstance(query, str) else "")
    except (GraphQLError, RecursionError):
        return ["read"]
    found: list[str] = []
    reads = True
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            reads = reads and definition.operation is OperationType.QUERY
            found += [
                node.name.value if isinstance(node, FieldNode) else "a fragment"
                for node in definition.selection_set.selections
            ]
    return [*found, "read"] if reads else found
