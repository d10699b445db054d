"""Close every object of a schema, at its place in the document. Pure.

Rules: those of :mod:`rpcli.contract.views`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rpcli.contract.keywords import listed, named
from rpcli.contract.references import Resources, references
from rpcli.contract.shape import parts, speaks_of_objects

#: Keywords whose subschemas have a place of their own in the document.
_PLACES = (
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "unevaluatedItems",
)
#: Keywords under which something is asked or looked for: a closed question has other answers.
_QUESTIONS = ("if", "not", "contains")
#: Keywords whose subschemas contribute to the place where they stand, or where they are used.
_CONTRIBUTIONS = ("allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas", "$defs")
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
#: Keywords under which two contributions can describe the same.
_SHAREABLE = ("properties", "patternProperties", "items")

#: A keyword and, where it has named subschemas, a name.
_Slot = tuple[str, str]
#: How many contributions to a place describe what is in a slot, and how.
_Described = dict[_Slot, tuple[int, list[Any]]]
#: A set of subschemas by identity: what is read is the schema as it came, and that stays alive.
_Ids = frozenset[int]
_NONE: frozenset[Any] = frozenset()


class Closer:
    """Closes one bundle.

    :param sets: whether open sets are closed too
    """

    def __init__(self, schema: Mapping[str, Any], *, sets: bool) -> None:
        self._schema = schema
        self._sets = sets
        self._resources = Resources(schema)
        self._done: dict[_Ids, Any] = {}
        self._begun: set[_Ids] = set()
        #: Places that are within themselves, by what describes them: these need a name.
        self._names: dict[_Ids, str] = {}
        #: Definitions as they came, for references that must not lead to closed ones.
        self._untouched: dict[int, str] = {}
        self._definitions: dict[str, Any] = {}

    def close(self) -> dict[str, Any]:
        """Give the closed schema."""
        targets = (self._resources.resolve(r.schema["$ref"]) for r in references(self._schema))
        if any(target is self._schema for target in targets):
            closed = self._around_the_root()
        else:
            closed = dict(self._place(self._schema))
        if self._definitions:
            closed["$defs"] = {**closed.get("$defs", {}), **self._definitions}
        return copy.deepcopy(closed)

    def _around_the_root(self) -> dict[str, Any]:
        """Close a schema that refers to its own root: what is referred to stays open."""
        root = self._contribution(self._schema)
        closed = {key: root[key] for key in ("$schema",) if key in root}
        closed |= {"$ref": root["$id"], "$defs": {root["$id"]: root}}
        if self._is_closed_here(self._schema):
            closed["unevaluatedProperties"] = False
        return closed

    def _place(self, *described: Any) -> Any:
        """Close what has a place of its own in the document: one subschema, or several for one."""
        described = tuple({id(one): one for one in described}.values())
        key = frozenset(map(id, described))
        if key in self._begun:
            name = self._names.setdefault(key, f"urn:rpcli:place:{len(self._names) + 1}")
            return {"$ref": name}
        if key not in self._done:
            self._begun.add(key)
            # Whether or not a contribution applies, what it knows counts where it fits.
            several = {"allOf": [{"anyOf": [one, True]} for one in described]}
            closed = self._closed(described[0] if len(described) == 1 else several)
            self._begun.remove(key)
            if key in self._names:
                name = self._names[key]
                self._definitions[name] = {"$id": name, "allOf": [closed]}
                closed = {"$ref": name}
            self._done[key] = closed
        return self._done[key]

    def _closed(self, schema: Any) -> Any:
        if not isinstance(schema, Mapping):
            return schema
        schema, shared = self._bring_together(schema)
        closed = self._contribution(schema, frozenset(shared))
        for (keyword, name), described in shared.items():
            place = self._place(*described)
            together = {keyword: {name: place} if keyword in _NAMED else place}
            closed["allOf"] = [*closed.get("allOf", ()), together]
        if self._is_closed_here(schema):
            closed["unevaluatedProperties"] = False
        return closed

    def _contribution(self, schema: Any, left_open: frozenset[_Slot] = _NONE) -> Any:
        """Close the places below a subschema, but not its own and not those that are left open."""
        if not isinstance(schema, Mapping):
            return schema
        result = dict(schema)
        for keyword in _PLACES:
            if keyword in schema:
                result[keyword] = _each(
                    keyword,
                    schema[keyword],
                    lambda slot, child: (
                        self._as_it_came(child) if slot in left_open else self._place(child)
                    ),
                )
        for keyword in _CONTRIBUTIONS:
            if keyword in schema:
                result[keyword] = _each(
                    keyword,
                    schema[keyword],
                    lambda slot, child: self._contribution(
                        child, _NONE if slot[0] == "$defs" else left_open
                    ),
                )
        for keyword in _QUESTIONS:
            if keyword in schema:
                result[keyword] = self._as_it_came(schema[keyword])
        if self._sets and "x-extensible-enum" in schema:
            result.setdefault("enum", schema["x-extensible-enum"])
        return result

    def _as_it_came(self, schema: Any) -> Any:
        """Give a subschema in which nothing is closed, nor in what it refers to."""
        if not isinstance(schema, Mapping):
            return schema
        result = copy.deepcopy(dict(schema))
        for reference in list(references(result)):
            target = self._resources.resolve(reference.target)
            if id(target) not in self._untouched:
                name = f"urn:rpcli:as-it-came:{len(self._untouched) + 1}"
                self._untouched[id(target)] = name
                self._definitions[name] = {"$id": name, "allOf": [self._as_it_came(target)]}
            reference.schema["$ref"] = self._untouched[id(target)]
        return result

    def _is_closed_here(self, schema: Mapping[str, Any]) -> bool:
        if "additionalProperties" in schema or "unevaluatedProperties" in schema:
            return False
        return speaks_of_objects(self._resources, schema)

    def _bring_together(
        self, schema: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], dict[_Slot, list[Any]]]:
        """Find what several contributions describe, and copy definitions among them to here.

        A definition is closed for all who use it. Where one of them says more about an object in
        it, this use gets a copy.
        """
        brought: set[int] = set()
        shared = self._shared(schema)
        while shared:
            wanted = {
                id(target)
                for part in parts(self._resources, schema)
                if (target := self._resources.resolve(part.schema.get("$ref"))) is not None
                and self._described(target).keys() & shared.keys()
            } - brought
            before = len(brought)
            schema = self._with_copies(schema, wanted, brought)
            if len(brought) == before:
                break
            shared = self._shared(schema)
        return schema, shared

    def _shared(self, schema: Mapping[str, Any]) -> dict[_Slot, list[Any]]:
        described = self._described(schema).items()
        return {slot: known for slot, (count, known) in described if count > 1}

    def _with_copies(self, schema: Any, wanted: set[int], brought: set[int]) -> Any:
        """Put copies of definitions in the place of references to them."""
        if not isinstance(schema, Mapping):
            return schema
        result = dict(schema)
        for keyword in _CONTRIBUTIONS:
            if keyword in schema and keyword != "$defs":
                result[keyword] = _each(
                    keyword,
                    schema[keyword],
                    lambda _, child: self._with_copies(child, wanted, brought),
                )
        target = self._resources.resolve(schema.get("$ref"))
        if isinstance(target, Mapping) and id(target) in wanted:
            brought.add(id(target))
            del result["$ref"]
            here = {k: v for k, v in target.items() if k not in ("$schema", "$id", "$defs")}
            result["allOf"] = [*result.get("allOf", ()), here]
        return result

    def _described(self, schema: Any, seen: _Ids = _NONE) -> _Described:
        """Tell what is described of the places below one place, if there is something to close."""
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return {}
        seen |= {id(schema)}
        own: _Described = {}
        for keyword in _SHAREABLE:
            for slot, child in _slots(keyword, schema.get(keyword)):
                if self._is_closable(child):
                    own[slot] = (1, [child])
        alternatives = (
            listed(schema, "anyOf"),
            listed(schema, "oneOf"),
            [schema[keyword] for keyword in ("then", "else") if keyword in schema],
        )
        everything = [
            own,
            self._described(self._resources.resolve(schema.get("$ref")), seen),
            *(self._described(child, seen) for child in listed(schema, "allOf")),
            *(self._described(c, seen) for c in named(schema, "dependentSchemas").values()),
            # Only one of them applies, so what all of them describe is described once.
            *(_merged([self._described(a, seen) for a in some], max) for some in alternatives),
        ]
        return _merged(everything, int.__add__)

    def _is_closable(self, schema: Any, seen: _Ids = _NONE) -> bool:
        """Tell whether there is an object to close in a subschema."""
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return False
        seen |= {id(schema)}
        if speaks_of_objects(self._resources, schema):
            return True
        return any(
            self._is_closable(child, seen)
            for part in parts(self._resources, schema)
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


def _merged(every: list[_Described], count: Callable[[int, int], int]) -> _Described:
    merged: _Described = {}
    for one in every:
        for slot, (theirs, known) in one.items():
            have, already = merged.get(slot, (0, []))
            merged[slot] = (count(have, theirs), already + known)
    return merged
