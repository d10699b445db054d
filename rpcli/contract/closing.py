"""Close every object of a schema, at its place in the document. Pure.

Rules: those of :mod:`rpcli.contract.views`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rpcli.contract.keywords import listed, named
from rpcli.contract.references import Resources, Target, absolute, own_base, references
from rpcli.contract.shape import parts, speaks_of_objects

#: Keywords whose subschemas have a place of their own in the document.
_PLACES = (
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "unevaluatedItems",
)
#: Keywords whose subschemas contribute to the place where they stand, or where they are used.
_CONTRIBUTIONS = ("allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas", "$defs")
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
#: Keywords under which two contributions can describe the same.
_SHAREABLE = ("properties", "patternProperties", "items")

#: A keyword and, where it has named subschemas, a name.
_Slot = tuple[str, str]
_Slots = frozenset[_Slot]
#: How many contributions to a place describe what is in a slot, and how.
_Described = dict[_Slot, tuple[int, list[Any]]]


class Closer:
    """Closes one schema; what is read is always the schema as it came."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._resources = Resources(schema)

    def close(self) -> dict[str, Any]:
        """Give the closed schema."""
        base = self._resources.base
        if not self._refers_to_its_root():
            return copy.deepcopy(dict(self._place(self._schema, base)))
        # What is referred to stays open: the root becomes a definition, and is closed where used.
        uri = base or "urn:rpcli:root"
        root = {**self._contribution(self._schema, base), "$id": uri}
        closed = {"$schema": root["$schema"]} if "$schema" in root else {}
        closed |= {"$ref": uri, "$defs": {uri: copy.deepcopy(root)}}
        if self._is_closed_here(self._schema, base):
            closed["unevaluatedProperties"] = False
        return closed

    def _refers_to_its_root(self) -> bool:
        targets = (
            self._resources.resolve(place.base, place.schema["$ref"])
            for place in references(self._schema, self._resources.base)
        )
        return any(target is not None and target.schema is self._schema for target in targets)

    def _place(self, schema: Any, base: str, inlined: frozenset[int] = frozenset()) -> Any:
        """Close a subschema that has a place of its own."""
        if not isinstance(schema, Mapping):
            return schema
        schema, shared, inlined = self._bring_together(schema, base, inlined)
        closed = self._contribution(schema, base, frozenset(shared), inlined)
        for (keyword, name), contributions in shared.items():
            # What a contribution knows counts wherever it fits, whether or not it applies.
            joint = {"allOf": [{"anyOf": [known, True]} for known in contributions]}
            place = self._place(joint, base, inlined)
            together = {keyword: {name: place} if keyword in _NAMED else place}
            closed["allOf"] = [*closed.get("allOf", ()), together]
        if self._is_closed_here(schema, base):
            closed["unevaluatedProperties"] = False
        return closed

    def _contribution(
        self,
        schema: Any,
        base: str,
        left_open: _Slots = frozenset(),
        inlined: frozenset[int] = frozenset(),
    ) -> Any:
        """Close the places below a subschema, but not its own and not those that are left open."""
        if not isinstance(schema, Mapping):
            return schema
        base = own_base(schema, base)
        result = dict(schema)
        for keyword in _PLACES:
            if keyword in schema:
                result[keyword] = _each(
                    keyword,
                    schema[keyword],
                    lambda slot, child: (
                        child if slot in left_open else self._place(child, base, inlined)
                    ),
                )
        for keyword in _CONTRIBUTIONS:
            if keyword in schema:
                result[keyword] = _each(
                    keyword,
                    schema[keyword],
                    lambda slot, child: self._contribution(
                        child, base, frozenset() if slot[0] == "$defs" else left_open, inlined
                    ),
                )
        return result

    def _is_closed_here(self, schema: Mapping[str, Any], base: str) -> bool:
        if "additionalProperties" in schema or "unevaluatedProperties" in schema:
            return False
        return speaks_of_objects(self._resources, schema, base)

    def _bring_together(
        self, schema: Mapping[str, Any], base: str, inlined: frozenset[int]
    ) -> tuple[Mapping[str, Any], dict[_Slot, list[Any]], frozenset[int]]:
        """Find what several contributions describe, and bring what is in definitions here.

        A definition is closed for all who use it. Where one of them says more about an object in
        it, this use gets a copy; a definition within itself gets one copy at most.
        """
        shared = self._shared(schema, base)
        while shared:
            describing: set[int] = set()
            for target in self._targets(schema, base):
                theirs = self._described(target.schema, target.base).keys() & shared.keys()
                if theirs and id(target.schema) in inlined:
                    shared = {slot: found for slot, found in shared.items() if slot not in theirs}
                elif theirs:
                    describing.add(id(target.schema))
            if not describing:
                break
            brought: set[int] = set()
            schema = self._with_copies(schema, base, describing, brought)
            inlined |= brought
            shared = self._shared(schema, base)
        return schema, shared, inlined

    def _shared(self, schema: Mapping[str, Any], base: str) -> dict[_Slot, list[Any]]:
        described = self._described(schema, base)
        return {slot: found for slot, (count, found) in described.items() if count > 1}

    def _targets(self, schema: Mapping[str, Any], base: str) -> Iterator[Target]:
        for part in parts(self._resources, schema, base):
            target = self._resources.resolve(part.base, part.schema.get("$ref"))
            if target is not None:
                yield target

    def _with_copies(self, schema: Any, base: str, wanted: set[int], brought: set[int]) -> Any:
        """Put copies of definitions in the place of references to them."""
        if not isinstance(schema, Mapping):
            return schema
        base = own_base(schema, base)
        result = dict(schema)
        for keyword in _CONTRIBUTIONS:
            if keyword in schema and keyword != "$defs":
                result[keyword] = _each(
                    keyword,
                    schema[keyword],
                    lambda _, child: self._with_copies(child, base, wanted, brought),
                )
        target = self._resources.resolve(base, schema.get("$ref"))
        if target is not None and id(target.schema) in wanted:
            brought.add(id(target.schema))
            copied = absolute(target.schema, target.base)
            del result["$ref"]
            copied = {k: v for k, v in copied.items() if k not in ("$schema", "$id", "$defs")}
            result["allOf"] = [*result.get("allOf", ()), copied]
        return result

    def _described(self, schema: Any, base: str, seen: frozenset[int] = frozenset()) -> _Described:
        """Tell what is described of the places below one place, if there is something to close."""
        found: _Described = {}
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return found
        seen |= {id(schema)}
        base = own_base(schema, base)
        for keyword in _SHAREABLE:
            for slot, child in _slots(keyword, schema.get(keyword)):
                if self._is_closable(child, base):
                    found[slot] = (1, [absolute(child, base)])
        together = [self._described(child, base, seen) for child in listed(schema, "allOf")]
        together += [
            self._described(child, base, seen)
            for child in named(schema, "dependentSchemas").values()
        ]
        target = self._resources.resolve(base, schema.get("$ref"))
        if target is not None:
            together.append(self._described(target.schema, target.base, seen))
        for alternatives in (
            listed(schema, "anyOf"),
            listed(schema, "oneOf"),
            [schema[keyword] for keyword in ("then", "else") if keyword in schema],
        ):
            together.append(_either([self._described(a, base, seen) for a in alternatives]))
        for one in together:
            for slot, (count, children) in one.items():
                have, known = found.get(slot, (0, []))
                found[slot] = (have + count, known + children)
        return found

    def _is_closable(self, schema: Any, base: str, seen: frozenset[int] = frozenset()) -> bool:
        """Tell whether there is an object to close in a subschema."""
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return False
        seen |= {id(schema)}
        if speaks_of_objects(self._resources, schema, base):
            return True
        return any(
            self._is_closable(child, part.base, seen)
            for part in parts(self._resources, schema, base)
            for keyword in ("items", "prefixItems", "unevaluatedItems")
            for _, child in _slots(keyword, part.schema.get(keyword))
        )


def _each(keyword: str, value: Any, make: Callable[[_Slot, Any], Any]) -> Any:
    """Make something of each subschema under a keyword, in the form that it came."""
    if keyword in _NAMED and isinstance(value, Mapping):
        return {name: make((keyword, name), child) for name, child in value.items()}
    if isinstance(value, list):
        return [make((keyword, ""), child) for child in value]
    return make((keyword, ""), value)


def _slots(keyword: str, value: Any) -> Iterator[tuple[_Slot, Any]]:
    if keyword in _NAMED and isinstance(value, Mapping):
        yield from (((keyword, name), child) for name, child in value.items())
    elif isinstance(value, list):
        yield from (((keyword, ""), child) for child in value)
    elif value is not None:
        yield (keyword, ""), value


def _either(alternatives: list[_Described]) -> _Described:
    """Count what is described in alternatives once: only one of them applies."""
    found: _Described = {}
    for one in alternatives:
        for slot, (count, children) in one.items():
            have, known = found.get(slot, (0, []))
            found[slot] = (max(have, count), known + children)
    return found
