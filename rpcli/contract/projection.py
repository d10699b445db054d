"""The schema of a document of which only some fields were asked for (``-c``). Pure.

Rules: what was asked for keeps its description; it is required where it was and was asked for;
nothing else may be there. What depends on a field that may be missing is no longer said: which
variant it is, what holds ``if`` something else does, and whether elements differ.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rpcli.contract.keywords import listed, named
from rpcli.contract.references import Resources
from rpcli.contract.shape import document_of

_DEPENDENT = frozenset(
    {
        "if",
        "then",
        "else",
        "not",
        "dependentSchemas",
        "dependentRequired",
        "minProperties",
        "oneOf",
        "$ref",
        "$id",
        "$defs",
        "examples",
    }
)


def project(schema: Mapping[str, Any], columns: Collection[str]) -> dict[str, Any]:
    """Give the schema of what is left of a document, or of each document of an array.

    :param schema: a bundle
    :param columns: the fields that were asked for
    """
    resources = Resources(schema)
    document = document_of(resources, schema)
    narrow = _project(resources, document, frozenset(columns), frozenset())
    narrow = {"allOf": [narrow], "propertyNames": {"enum": sorted(columns)}}
    if document is not schema:
        narrow = {"type": "array", "items": narrow}
    head = {key: schema[key] for key in ("$schema", "$id", "$defs") if key in schema}
    return head | narrow


def _project(
    resources: Resources, schema: Any, columns: frozenset[str], seen: frozenset[int]
) -> Any:
    if not isinstance(schema, Mapping) or id(schema) in seen:
        return True
    seen |= {id(schema)}
    result = {key: value for key, value in schema.items() if key not in _DEPENDENT}
    if "required" in schema:
        result["required"] = [name for name in schema["required"] if name in columns]
    if "properties" in schema:
        described = named(schema, "properties").items()
        result["properties"] = {name: child for name, child in described if name in columns}
    every = listed(schema, "allOf")
    if "$ref" in schema:
        every = [*every, resources.resolve(schema["$ref"])]
    result["allOf"] = [_project(resources, child, columns, seen) for child in every]
    for keyword in ("anyOf", "oneOf"):
        some = [_project(resources, child, columns, seen) for child in listed(schema, keyword)]
        if some:
            result["allOf"].append({"anyOf": some})
    result.pop("anyOf", None)
    if not result["allOf"]:
        del result["allOf"]
    return result
