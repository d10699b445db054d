"""The keywords of JSON Schema 2020-12 that the contract knows, and a walk over subschemas. Pure.

Rules: a keyword that is not in :data:`MODELLED` is not understood, and is said to be so rather than
passed over; ``if``, ``then``, ``else``, ``not``, ``contains`` and ``dependentSchemas`` refine what
is described elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

DIALECT = "https://json-schema.org/draft/2020-12/schema"

#: Keywords whose value is one schema, a list of schemas, a map of schemas.
ONE = (
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "unevaluatedItems",
    "contains",
    "not",
    "if",
    "then",
    "else",
)
MANY = ("allOf", "anyOf", "oneOf", "prefixItems")
NAMED = ("properties", "patternProperties", "dependentSchemas", "$defs")

#: What is said under these narrows a description and is none itself.
REFINING = frozenset({"if", "then", "else", "not", "contains", "dependentSchemas"})
#: What is asserted under these does not hold of the document: it is asked, or denied.
UNASSERTED = frozenset({"if", "not"})

#: Keywords by which a schema speaks of objects.
OBJECTS = frozenset(
    {
        "properties",
        "patternProperties",
        "additionalProperties",
        "unevaluatedProperties",
        "propertyNames",
        "required",
        "dependentRequired",
        "dependentSchemas",
        "minProperties",
        "maxProperties",
    }
)

#: Our own vocabulary.
VENDOR = frozenset(
    {
        "x-extensible-enum",
        "x-enum-descriptions",
        "x-closed-because",
        "x-unit",
        "x-ordered-by",
        "x-unordered",
        "x-removal",
        "x-replacement",
        "x-removed",
        "x-stability",
    }
)
#: What each keyword of ours must be, where it is more than a text for people.
VENDOR_FORMS: Mapping[str, type] = {
    "x-extensible-enum": list,
    "x-enum-descriptions": dict,
    "x-removed": list,
}

MODELLED = (
    OBJECTS
    | VENDOR
    | frozenset((*ONE, *MANY, *NAMED))
    | frozenset(
        {
            "$schema",
            "$id",
            "$ref",
            "$comment",
            "title",
            "description",
            "examples",
            "default",
            "deprecated",
            "type",
            "enum",
            "const",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "contentEncoding",
            "contentMediaType",
            "minItems",
            "maxItems",
            "uniqueItems",
            "minContains",
            "maxContains",
        }
    )
)


class Node(NamedTuple):
    """A subschema and where it is.

    :param path: the tokens that lead there
    :param under: the keywords of :data:`REFINING` that it stands under
    """

    path: tuple[str, ...]
    schema: Mapping[str, Any]
    under: frozenset[str]

    @property
    def pointer(self) -> str:
        """The place as a JSON pointer."""
        return pointer(self.path)


def pointer(path: Iterable[str | int]) -> str:
    """Give a JSON pointer (RFC 6901)."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)


def listed(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    """Give the subschemas under a keyword that has a list; none where it has something else."""
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def named(schema: Mapping[str, Any], keyword: str) -> Mapping[str, Any]:
    """Give the subschemas under a keyword that has a map; none where it has something else."""
    value = schema.get(keyword)
    return value if isinstance(value, Mapping) else {}


def children(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give each subschema with the one or two tokens that lead to it."""
    for keyword in ONE:
        if keyword in schema:
            yield (keyword,), schema[keyword]
    for keyword in MANY:
        for index, child in enumerate(listed(schema, keyword)):
            yield (keyword, str(index)), child
    for keyword in NAMED:
        for name, child in named(schema, keyword).items():
            yield (keyword, name), child


def walk(schema: Any) -> Iterator[Node]:
    """Give a schema and every subschema in it; ``true`` and ``false`` are left out."""
    todo: list[tuple[tuple[str, ...], Any, frozenset[str]]] = [((), schema, frozenset())]
    while todo:
        path, node, under = todo.pop()
        if isinstance(node, Mapping):
            yield Node(path, node, under)
            found = [
                (path + step, child, under | (REFINING & {step[0]}))
                for step, child in children(node)
            ]
            todo.extend(reversed(found))
