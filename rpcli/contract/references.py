"""References between schemas, resolved within one self-contained schema. Pure.

Rules: a bundle carries every schema that it refers to under ``$defs``, each with its own ``$id``,
as 2020-12 has it; so nothing is ever fetched. A reference leads to a schema by its ``$id``, with a
JSON pointer after the ``#``; in a bundle each is absolute, and so holds wherever it stands.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from rpcli.contract.keywords import children, pointer
from rpcli.errors import ContractError
from rpcli.terminal import one_line, shorten

#: The ``$id`` that a bundle has where its schema has none.
ROOT = "urn:rpcli:root"
#: Gives the schema that has an ``$id``; None where there is none. It must not fetch anything.
Load = Callable[[str], Mapping[str, Any] | None]


class Reference(NamedTuple):
    """A subschema with a ``$ref``, the tokens that lead to it, and what it refers to."""

    path: tuple[str, ...]
    schema: dict[str, Any]
    target: str

    @property
    def uri(self) -> str:
        """The ``$id`` of the schema that it leads to."""
        return urldefrag(self.target).url


def bundle(schema: Mapping[str, Any], load: Load | None = None) -> dict[str, Any]:
    """Give a copy of a schema that carries all that it refers to.

    :param load: where other schemas are; without it there are none
    :raises ContractError: a reference leads nowhere, or away from what ``load`` has
    """
    whole: dict[str, Any] = copy.deepcopy({**schema, "$id": schema.get("$id", ROOT)})
    resources = Resources(whole)
    todo = list(references(whole, _own_address(whole, "")))
    while todo:
        reference = todo.pop()
        uri = reference.uri
        if uri not in resources.roots:
            found = load(uri) if load else None
            if found is None:
                raise _unresolvable(reference)
            resource = {**copy.deepcopy(dict(found)), "$id": uri}
            whole.setdefault("$defs", {})[uri] = resource
            resources.add(resource, uri)
            todo += references(resource, uri)
        if resources.resolve(reference.target) is None:
            raise _unresolvable(reference)
        reference.schema["$ref"] = reference.target
    return whole


class Resources:
    """The schemas of a bundle by their ``$id``."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._address = _own_address(schema, "")
        self.roots: dict[str, Mapping[str, Any]] = {}
        self.add(schema, self._address)

    def add(self, schema: Mapping[str, Any], address: str) -> None:
        """Take in a schema with those that are embedded in it."""
        self.roots[address] = schema
        for _, node, own in _places(schema, address):
            if "$id" in node:
                self.roots[own] = node

    def resolve(self, reference: object) -> Mapping[str, Any] | bool | None:
        """Give what an absolute reference leads to, None where that is nothing that is here."""
        if not isinstance(reference, str):
            return None
        uri, fragment = urldefrag(_join(self._address, reference))
        found: Any = self.roots.get(uri)
        if fragment and not fragment.startswith("/"):
            return None
        for token in unquote(fragment).split("/")[1:]:
            found = _step(found, token.replace("~1", "/").replace("~0", "~"))
        return found if isinstance(found, Mapping | bool) else None


def references(schema: Mapping[str, Any], address: str = "") -> Iterator[Reference]:
    """Give every reference in a schema.

    :param address: that of the schema; the references of a bundle need none
    """
    for path, node, own in _places(schema, address):
        if "$ref" in node:
            target = node["$ref"]
            yield Reference(path, node, _join(own, target if isinstance(target, str) else ""))


def _own_address(schema: Mapping[str, Any], address: str) -> str:
    """Give the address that the references of a subschema are relative to."""
    identifier = schema.get("$id")
    return urldefrag(_join(address, identifier)).url if isinstance(identifier, str) else address


def _join(address: str, reference: str) -> str:
    if reference.startswith("#"):
        return urldefrag(address).url + reference
    try:
        return urljoin(address, reference)
    except ValueError:
        return reference


def _places(
    schema: Mapping[str, Any], address: str
) -> Iterator[tuple[tuple[str, ...], dict[str, Any], str]]:
    """Give every subschema with its address; ``address`` is that of the first."""
    todo: list[tuple[tuple[str, ...], Any, str]] = [((), schema, address)]
    while todo:
        path, node, address = todo.pop()
        if isinstance(node, dict):
            own = _own_address(node, address) if path else address
            yield path, node, own
            todo += [(path + step, child, own) for step, child in children(node)]


def _step(node: Any, token: str) -> Any:
    if isinstance(node, Mapping):
        return node.get(token)
    if isinstance(node, list) and token.isdecimal() and int(token) < len(node):
        return node[int(token)]
    return None


def _unresolvable(reference: Reference) -> ContractError:
    text = one_line(shorten(str(reference.schema["$ref"]), 200))
    return ContractError(
        f"unresolvable reference '{text}' at {pointer(reference.path) or 'the root'}",
        hint="a reference leads to a schema of its own folder or of rpcli; nothing is fetched",
    )
