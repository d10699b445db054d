"""References between schemas, resolved within one self-contained schema. Pure.

Rules: a bundle carries every schema that it refers to under ``$defs``, each with its own ``$id``,
as 2020-12 has it; so nothing is ever fetched. A reference leads to a schema by its ``$id``, with a
JSON pointer after the ``#``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from rpcli.contract.keywords import children, pointer
from rpcli.errors import ContractError
from rpcli.terminal import one_line, shorten

#: Gives the schema that has an ``$id``; None where there is none. It must not fetch anything.
Load = Callable[[str], Mapping[str, Any] | None]


class Target(NamedTuple):
    """A subschema, and the address that its own references are relative to."""

    schema: Any
    base: str


class Place(NamedTuple):
    """A subschema, the tokens that lead to it, and the address its references are relative to."""

    path: tuple[str, ...]
    schema: Mapping[str, Any]
    base: str

    @property
    def pointer(self) -> str:
        """The place as a JSON pointer."""
        return pointer(self.path)


def bundle(schema: Mapping[str, Any], load: Load | None = None) -> dict[str, Any]:
    """Give a copy of a schema that carries all that it refers to.

    :param load: where other schemas are; without it there are none

    :raises ContractError: a reference leads nowhere, or away from what ``load`` has
    """
    whole: dict[str, Any] = copy.deepcopy(dict(schema))
    resources = Resources(whole)
    todo = list(references(whole, resources.base))
    while todo:
        place = todo.pop()
        reference = place.schema["$ref"]
        if not isinstance(reference, str):
            raise _unresolvable(reference, place)
        uri = urldefrag(join(place.base, reference)).url
        if uri not in resources.roots:
            found = load(uri) if load else None
            if found is None:
                raise _unresolvable(reference, place)
            resource = copy.deepcopy(dict(found))
            resource["$id"] = uri
            whole.setdefault("$defs", {})[uri] = resource
            resources.add(resource, uri)
            todo += references(resource, uri)
        if resources.resolve(place.base, reference) is None:
            raise _unresolvable(reference, place)
    return whole


class Resources:
    """The schemas of a bundle by their ``$id``; that of the bundle itself may be empty."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.base = own_base(schema, "")
        self.roots: dict[str, Mapping[str, Any]] = {}
        self.add(schema, self.base)

    def add(self, schema: Mapping[str, Any], base: str) -> None:
        """Take in a schema with those that are embedded in it."""
        self.roots[base] = schema
        for place in _places(schema, base):
            if "$id" in place.schema:
                self.roots[place.base] = place.schema

    def resolve(self, base: str, reference: object) -> Target | None:
        """Give what a reference leads to, None where that is nothing that is here."""
        if not isinstance(reference, str):
            return None
        uri, fragment = urldefrag(join(base, reference))
        root = self.roots.get(uri)
        if root is None or (fragment and not fragment.startswith("/")):
            return None
        found: Any = root
        base = uri
        for token in unquote(fragment).split("/")[1:]:
            step = _step(found, token.replace("~1", "/").replace("~0", "~"))
            if step is None:
                return None
            found = step[0]
            base = own_base(found, base)
        return Target(found, base) if isinstance(found, Mapping | bool) else None


def own_base(schema: Any, base: str) -> str:
    """Give the address that the references of a subschema are relative to."""
    identifier = schema.get("$id") if isinstance(schema, Mapping) else None
    return urldefrag(join(base, identifier)).url if isinstance(identifier, str) else base


def join(base: str, reference: str) -> str:
    """Resolve a reference against an address."""
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
    for place in references(result, base):
        if isinstance(place.schema, dict) and isinstance(place.schema["$ref"], str):
            place.schema["$ref"] = join(place.base, place.schema["$ref"])
    return result


def _places(schema: Mapping[str, Any], base: str) -> Iterator[Place]:
    """Give every subschema with its base; ``base`` is that of the first, its ``$id`` included."""
    todo: list[tuple[tuple[str, ...], Any, str]] = [((), schema, base)]
    while todo:
        path, node, base = todo.pop()
        if isinstance(node, Mapping):
            yield Place(path, node, base)
            todo += [(path + step, c, own_base(c, base)) for step, c in children(node)]


def references(schema: Mapping[str, Any], base: str) -> Iterator[Place]:
    """Give every subschema that has a ``$ref``; ``base`` is that of the schema itself."""
    return (place for place in _places(schema, base) if "$ref" in place.schema)


def _step(node: Any, token: str) -> tuple[Any] | None:
    if isinstance(node, Mapping):
        return (node[token],) if token in node else None
    if isinstance(node, list) and token.isdecimal() and int(token) < len(node):
        return (node[int(token)],)
    return None


def _unresolvable(reference: object, place: Place) -> ContractError:
    text = one_line(shorten(str(reference), 200))
    return ContractError(
        f"unresolvable reference '{text}' at {place.pointer or 'the root'}"
        + (f" of {one_line(shorten(place.base, 200))}" if place.base else ""),
        hint="a reference leads to a schema of its own folder or of rpcli; nothing is fetched",
    )
