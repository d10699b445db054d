"""Whether JSON has the shape that a schema gives it: the few keywords that the sandbox needs.

Bodies of requests and scenarios given as mappings are held to this, since importing a validator of
JSON Schema takes longer than starting a sandbox; a scenario file goes through that validator.

Rules: a keyword that is not known here is an error of whoever wrote the schema; an error names a
place and a rule and never a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}
#: Keywords that say nothing about the shape, or are read beside another.
_SILENT = frozenset(
    ("$schema", "$id", "$comment", "$defs", "title", "description", "examples", "default")
) | {"additionalProperties"}


def errors(schema: Schema, value: object, root: Schema | None = None, at: str = "$") -> list[str]:
    """Give what does not fit, as ``$.gpu: missing property 'id'``; empty where all does.

    :param root: the document that references are about; the schema itself where None
    """
    return list(_errors(schema, value, schema if root is None else root, at))


def _errors(schema: Schema, value: Any, root: Schema, at: str) -> Iterator[str]:
    for keyword, argument in schema.items():
        if keyword == "$ref":
            yield from _errors(root["$defs"][argument.rpartition("/")[2]], value, root, at)
        elif keyword == "properties":
            yield from _members(schema, value, root, at)
        elif keyword == "items":
            yield from _items(argument, value, root, at)
        elif keyword == "anyOf":
            if all(any(_errors(option, value, root, at)) for option in argument):
                yield f"{at}: fits none of the alternatives"
        elif keyword in _RULES:
            told = _RULES[keyword](argument, value)
            yield from (f"{at}: {text}" for text in told)
        elif keyword not in _SILENT and not keyword.startswith("x-"):
            raise ValueError(f"the keyword {keyword} is not known here")


def _members(schema: Schema, value: Any, root: Schema, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    others = schema.get("additionalProperties", True)
    for key, member in value.items():
        if key in schema["properties"]:
            yield from _errors(schema["properties"][key], member, root, f"{at}.{key}")
        elif others is False:
            yield f"{at}: additional properties '{key}' not allowed"
        elif others is not True:
            yield from _errors(others, member, root, f"{at}.{key}")


def _items(schema: Schema, value: Any, root: Schema, at: str) -> Iterator[str]:
    if isinstance(value, list):
        for n, item in enumerate(value):
            yield from _errors(schema, item, root, f"{at}[{n}]")


def _type(wanted: str | list[str], value: Any) -> Iterator[str]:
    names = [wanted] if isinstance(wanted, str) else wanted
    fits = any(isinstance(value, _TYPES[name]) for name in names)
    if isinstance(value, bool):  # to Python a bool is an int, to JSON it is none
        fits = "boolean" in names
    if not fits:
        yield f"not of type {' or '.join(names)}"


def _required(names: list[str], value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"missing property '{name}'" for name in names if name not in value)


def _enum(words: list[Any], value: Any) -> Iterator[str]:
    if value not in words:
        yield f"not one of {', '.join(map(str, words))}"


def _bound(fits: Callable[[Any, Any], bool], kind: Any, text: str) -> Callable[..., Iterator[str]]:
    def check(limit: float, value: Any) -> Iterator[str]:
        measured = len(value) if isinstance(value, str | list) else value
        if isinstance(value, kind) and not isinstance(value, bool) and not fits(measured, limit):
            yield f"{text} {limit}"

    return check


def _pattern(pattern: str, value: Any) -> Iterator[str]:
    if isinstance(value, str) and not re.search(pattern, value):
        yield "does not match the pattern"


_RULES: Mapping[str, Callable[[Any, Any], Iterator[str]]] = {
    "type": _type,
    "required": _required,
    "enum": _enum,
    "pattern": _pattern,
    "minimum": _bound(lambda n, limit: n >= limit, int | float, "less than"),
    "maximum": _bound(lambda n, limit: n <= limit, int | float, "more than"),
    "minLength": _bound(lambda n, limit: n >= limit, str, "shorter than"),
    "exclusiveMinimum": _bound(lambda n, limit: n > limit, int | float, "not more than"),
    "minItems": _bound(lambda n, limit: n >= limit, list, "fewer items than"),
    "maxItems": _bound(lambda n, limit: n <= limit, list, "more items than"),
}
