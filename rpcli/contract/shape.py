"""What a schema says of one place in a document, through ``$ref``, ``allOf`` and branches. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rpcli.contract.keywords import OBJECTS, listed, named
from rpcli.contract.references import Resources


class Part(NamedTuple):
    """One of the subschemas that speak of the same place.

    :param conditional: whether it holds for some documents only: a branch, or ``then``
    """

    schema: Mapping[str, Any]
    base: str
    conditional: bool


def parts(resources: Resources, schema: Any, base: str) -> Iterator[Part]:
    """Give every subschema that speaks of the same place as ``schema``, itself first."""
    seen: set[tuple[int, bool]] = set()
    todo: list[tuple[Any, str, bool]] = [(schema, base, False)]
    while todo:
        node, base, conditional = todo.pop(0)
        if not isinstance(node, Mapping) or (id(node), conditional) in seen:
            continue
        seen.add((id(node), conditional))
        yield Part(node, base, conditional)
        target = resources.resolve(base, node.get("$ref")) if "$ref" in node else None
        if target is not None:
            todo.append((target.schema, target.base, conditional))
        todo += [(child, base, conditional) for child in listed(node, "allOf")]
        todo += [(child, base, True) for child in branches(node)]


def branches(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Give the subschemas of the same place that hold for some documents only."""
    for keyword in ("anyOf", "oneOf"):
        yield from listed(schema, keyword)
    for keyword in ("then", "else"):
        if keyword in schema:
            yield schema[keyword]
    yield from named(schema, "dependentSchemas").values()


def speaks_of_objects(resources: Resources, schema: Any, base: str) -> bool:
    """Tell whether a subschema says something about objects, and not merely lets them be."""
    for part in parts(resources, schema, base):
        kinds = part.schema.get("type")
        if kinds is not None:
            if "object" in ([kinds] if isinstance(kinds, str) else kinds):
                return True
        elif OBJECTS & part.schema.keys():
            return True
    return False


def document_of(resources: Resources, schema: Mapping[str, Any]) -> tuple[Any, str]:
    """Give the subschema of a document: of the elements, where the schema is one of an array."""
    for part in parts(resources, schema, resources.base):
        if "items" in part.schema:
            return part.schema["items"], part.base
    return schema, resources.base


def property_names(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the keys that a document of a bundled schema may have, in the order of the schema."""
    resources = Resources(schema)
    found: dict[str, None] = {}
    for part in parts(resources, *document_of(resources, schema)):
        found |= dict.fromkeys(named(part.schema, "properties"))
    return tuple(found)
