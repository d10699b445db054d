"""References between schemas, resolved within one self-contained schema. Pure.

Rules: a bundle carries every schema that it refers to under ``$defs``, each with its own ``$id``, as
2020-12 has it; so nothing is ever fetched. A reference leads to a schema by its ``$id``, with a JSON
pointer after the ``#``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from rpcli.contract.keywords import Node, children, pointer, walk
from rpcli.errors import ContractError
from rpcli.terminal import one_line, shorten

#: Gives the schema that has an ``$id``; None where there is none. It must not fetch anything.
Load = Callable[[str], Mapping[str, Any] | None]


class Target(NamedTuple):
    """A subschema, and the address that its own references are relative to."""

    schema: Any
    base: str


def bundle(schema: Mapping[str, Any], load: Load = lambda uri: None) -> dict[str, Any]:
    """Give a copy of a schema that carries all that it refers to.

    :raises ContractError: a reference leads nowhere, or away from what ``load`` has
    """
    whole: dict[str, Any] = copy.deepcopy(dict(schema))
    resources = Resources(whole)
    todo = list(_references(whole, ""))
    while todo:
        base, node = todo.pop()
        reference = node.schema["$ref"]
        uri = urldefrag(join(base, str(reference))).url
        if uri not in resources.roots:
            found = load(uri)
            if found is None:
                raise _unresolvable(reference, node.path)
            resource = copy.deepcopy(dict(found))
            resource["$id"] = uri
            whole.setdefault("$defs", {})[uri] = resource
            resources.add(resource, uri)
            todo += _references(resource, uri)
        if not isinstance(reference, str) or resources.resolve(base, reference) is None:
            raise _unresolvable(reference, node.path)
    return whole


class Resources:
    """The schemas of a bundle by their ``$id``; that of the bundle itself may be empty."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.roots: dict[str, Mapping[str, Any]] = {}
        self.base = own_base(schema, "")
        self.roots[""] = schema
        self.add(schema, self.base)

    def add(self, schema: Mapping[str, Any], base: str) -> None:
        """Take in a schema with those that are embedded in it."""
        self.roots[base] = schema
        for base_of_node, node in _with_bases(schema, base):
            if "$id" in node.schema:
                self.roots[base_of_node] = node.schema

    def resolve(self, base: str, reference: str) -> Target | None:
        """Give what a reference leads to, None where that is nothing that is here."""
        uri, fragment = urldefrag(join(base, reference))
        root = self.roots.get(uri)
        if root is None or (fragment and not fragment.startswith("/")):
            return None
        found, base = root, uri
        for token in unquote(fragment).split("/")[1:]:
            step = _step(found, token.replace("~1", "/").replace("~0", "~"))
            if step is None:
                return None
            found, base = step[0], own_base(step[0], base)
        return Target(found, base) if isinstance(found, Mapping | bool) else None


def own_base(schema: Any, base: str) -> str:
    """Give the address that the references of a subschema are relative to."""
    identifier = schema.get("$id") if isinstance(schema, Mapping) else None
    return urldefrag(join(base, identifier)).url if isinstance(identifier, str) else base


def join(base: str, reference: str) -> str:
    """Resolve a reference against an address; ``urn:`` takes fragments only."""
    if reference.startswith("#"):
        return urldefrag(base).url + reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def absolute(schema: Any, base: str) -> Any:
    """Give a copy of a subschema whose references hold wherever it is put."""
    if not isinstance(schema, Mapping):
        return schema
    result: dict[str, Any] = copy.deepcopy(dict(schema))
    for own, node in _with_bases(result, base):
        if isinstance(node.schema.get("$ref"), str):
            assert_mutable(node.schema)["$ref"] = join(own, node.schema["$ref"])
    return result


def assert_mutable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give the dict that a node of a copy is."""
    if not isinstance(schema, dict):
        raise TypeError("schemas are made of dicts")
    return schema


def _with_bases(schema: Mapping[str, Any], base: str) -> Iterator[tuple[str, Node]]:
    bases: dict[tuple[str, ...], str] = {}
    for node in walk(schema):
        # walk() gives parents before children, and a step is one or two tokens.
        parent = next(
            (bases[node.path[:-n]] for n in (1, 2) if n <= len(node.path) and node.path[:-n] in bases),
            base,
        )
        bases[node.path] = own_base(node.schema, parent) if node.path else base
        yield bases[node.path], node


def _references(schema: Mapping[str, Any], base: str) -> Iterator[tuple[str, Node]]:
    start = base or own_base(schema, "")
    return ((b, node) for b, node in _with_bases(schema, start) if "$ref" in node.schema)


def _step(node: Any, token: str) -> tuple[Any] | None:
    if isinstance(node, Mapping):
        return (node[token],) if token in node else None
    if isinstance(node, list) and token.isdecimal() and int(token) < len(node):
        return (node[int(token)],)
    return None


def _unresolvable(reference: object, path: tuple[str, ...]) -> ContractError:
    text = one_line(shorten(str(reference), 200))
    return ContractError(
        f"unresolvable reference '{text}' at {pointer(path) or 'the root'}",
        hint="a reference leads to a schema of its own folder or of rpcli; nothing is fetched",
    )
