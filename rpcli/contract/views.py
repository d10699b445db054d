"""The views of a schema. Pure.

*published*: as shipped; consumers validate with it. *strict*: what the producer is held to in tests:
every object closed, open sets of values closed too. *enforced*: strict, but open sets stay open; it
holds at run time, since the platform may speak a new word.

Rules: an object is closed where it is used, not where it is defined: a definition may be one branch
of an ``allOf``, and ``unevaluatedProperties`` there would refuse what the other branches allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

View = Literal["published", "strict", "enforced"]
Schema = Mapping[str, Any] | bool

#: Keywords whose value is one schema that stands for itself.
_PLACES = ("items", "additionalProperties", "contains", "propertyNames")
#: Keywords whose value maps names to schemas that stand for themselves.
_MAPS = ("properties", "patternProperties")
#: Keywords whose schemas say something about the object that they stand in.
_BRANCHES = ("allOf", "anyOf", "oneOf")
_CONDITIONS = ("if", "then", "else", "not")


def view_of(schema: Schema, view: View, *, closed: bool = True) -> Schema:
    """Give a view of a schema.

    :param closed: whether the root is closed; a schema that others refer to must not be
    """
    if view == "published":
        return schema
    return _close(schema, closed, close_sets=view == "strict")


def _close(schema: Any, here: bool, *, close_sets: bool) -> Any:
    if not isinstance(schema, Mapping):
        return schema

    def closed(child: Any, at: bool) -> Any:
        return _close(child, at, close_sets=close_sets)

    result: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _PLACES:
            result[keyword] = closed(value, True)
        elif keyword == "prefixItems":
            result[keyword] = [closed(child, True) for child in value]
        elif keyword in _MAPS:
            result[keyword] = {name: closed(child, True) for name, child in value.items()}
        elif keyword in _BRANCHES:
            result[keyword] = [closed(child, False) for child in value]
        elif keyword in _CONDITIONS:
            result[keyword] = closed(value, False)
        elif keyword in ("$defs", "dependentSchemas"):
            result[keyword] = {name: closed(child, False) for name, child in value.items()}
        else:
            result[keyword] = value
    if close_sets and "x-extensible-enum" in result:
        result.setdefault("enum", list(result["x-extensible-enum"]))
    if here and _may_be_object(result):
        result.setdefault("unevaluatedProperties", False)
    return result


def _may_be_object(schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type")
    if kinds is not None:
        return "object" in ([kinds] if isinstance(kinds, str) else kinds)
    return any(k in schema for k in ("$ref", "properties", *_BRANCHES, "if"))
