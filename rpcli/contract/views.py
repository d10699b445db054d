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
from rpcli.contract.references import bundle

View = Literal["published", "strict", "enforced"]


def view(schema: Mapping[str, Any], name: View) -> dict[str, Any]:
    """Give a view of a schema by name; a copy."""
    return {"published": published, "strict": strict, "enforced": enforced}[name](schema)


def published(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give the schema as it ships."""
    return copy.deepcopy(dict(schema))


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give the schema with every object and every open set closed.

    :param schema: one that carries all that it refers to, as a bundle does
    :raises ContractError: a reference leads out of it
    """
    return Closer(bundle(schema), sets=True).close()


def enforced(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Give the schema with every object closed; takes what :func:`strict` takes."""
    return Closer(bundle(schema), sets=False).close()
