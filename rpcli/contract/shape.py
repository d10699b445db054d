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
    conditional: bool


def parts(resources: Resources, schema: Any) -> Iterator[Part]:
    """Give every subschema that speaks of the same place as ``schema``, itself first."""
    seen: set[tuple[int, bool]] = set()
    todo: list[tuple[Any, bool]] = [(schema, False)]
    while todo:
        node, conditional = todo.pop(0)
        if not isinstance(node, Mapping) or (id(node), conditional) in seen:
            continue
        seen.add((id(node), conditional))
        yield Part(node, conditional)
        todo.append((resources.resolve(node.get("$ref")), conditional))
        todo += [(child, conditional) for child in listed(node, "allOf")]
        todo += [(child, True) for child in branches(node)]


def branches(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Give the subschemas of the same place that hold for some documents only."""
    for keyword in ("anyOf", "oneOf"):
        yield from listed(schema, keyword)
    for keyword in ("then", "else"):
        if keyword in schema:
            yield schema[keyword]
    yield from named(schema, "dependentSchemas").values()


def speaks_of_objects(resources: Resources, schema: Any) -> bool:
    """Tell whether a subschema says something about objects, and not merely lets them be."""
    for part in parts(resources, schema):
        kinds = part.schema.get("type")
        if kinds is not None:
            if "object" in ([kinds] if isinstance(kinds, str) else kinds):
                return True
        elif OBJECTS & part.schema.keys():
            return True
    return False


def document_of(resources: Resources, schema: Mapping[str, Any]) -> Any:
    """Give the subschema of a document: of the elements, where the schema is one of an array."""
    for part in parts(resources, schema):
        if "items" in part.schema:
            return part.schema["items"]
    return schema


def property_names(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the keys that a document of a bundled schema may have, in the order of the schema."""
    resources = Resources(schema)
    return tuple(names_at(resources, document_of(resources, schema)))


def names_at(resources: Resources, schema: Any) -> list[str]:
    """Give the names of all properties that are described for one place, each once."""
    described = (named(part.schema, "properties") for part in parts(resources, schema))
    return list(dict.fromkeys(name for names in described for name in names))
