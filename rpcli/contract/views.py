"""The three views of a schema: what consumers rely on, and what the producer is held to. Pure.

============  ==============================================================================
published     as it ships: objects are open, open sets are plain strings
strict        for tests: every object closed, every open set (``x-extensible-enum``) closed
enforced      at run time: every object closed; the platform may speak a new word
============  ==============================================================================

Rules:

- an object is closed by ``unevaluatedProperties: false`` at its place in the document (the root, a
  property, the items of an array), never in what only contributes to a place: ``allOf``, a branch,
  ``then``, ``else``, the target of a ``$ref``; so a definition can be extended where it is used;
- nothing under ``if``, ``not`` and ``contains`` is touched: a narrower question has other answers;
- an object that two such contributions describe is closed once, for both together;
- ``additionalProperties`` leaves an object open on purpose; so does saying nothing about objects.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Literal

from rpcli.contract.closing import Closer
from rpcli.contract.keywords import MANY, NAMED, ONE, UNASSERTED

View = Literal["published", "strict", "enforced"]


def view(schema: Mapping[str, Any], name: View) -> dict[str, Any]:
    """Give a view of a schema by name; a copy."""
    return {"published": published, "strict": strict, "enforced": enforced}[name](schema)


def published(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give the schema as it ships."""
    return copy.deepcopy(dict(schema))


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give the schema with every object and every open set closed.

    :param schema: best bundled: a reference that leads out of it is left as it is
    """
    return enforced(_close_sets(schema))


def enforced(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give the schema with every object closed; takes what :func:`strict` takes."""
    return Closer(schema).close()


def _close_sets(schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    result: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in UNASSERTED:
            result[keyword] = value
        elif keyword in ONE:
            result[keyword] = _close_sets(value)
        elif keyword in MANY:
            result[keyword] = [_close_sets(child) for child in value]
        elif keyword in NAMED:
            result[keyword] = {name: _close_sets(child) for name, child in value.items()}
        else:
            result[keyword] = value
    if "x-extensible-enum" in schema:
        result.setdefault("enum", schema["x-extensible-enum"])
    return result
