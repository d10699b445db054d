"""Lints of how a schema is built: what it closes, refers to, tells apart and is called. Pure."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any
from urllib.parse import urlsplit

from rpcli.contract.keywords import MODELLED, UNASSERTED, listed, named
from rpcli.contract.lint_subject import Found, Subject
from rpcli.contract.violation import hashable
from rpcli.contract.wellformed import FORMATS

_PATH = re.compile(r"/(?P<file>[a-z][a-z0-9_-]*/[a-z0-9][a-z0-9_-]*\.v[1-9][0-9]*)\.json")


def objects_are_open(subject: Subject) -> Found:
    """OUT-L01."""
    for node in subject.nodes:
        if not node.under & UNASSERTED:
            for keyword in ("additionalProperties", "unevaluatedProperties"):
                if node.schema.get(keyword) is False:
                    yield node.pointer, f"'{keyword}' is false: the next key would be breaking"


def closed_sets_have_a_reason(subject: Subject) -> Found:
    """OUT-L02."""
    for node in subject.descriptions:
        if "enum" not in node.schema:
            continue
        if "x-extensible-enum" in node.schema:
            yield node.pointer, "a set is either closed (enum) or open (x-extensible-enum)"
        elif not _is_text(node.schema.get("x-closed-because")):
            yield node.pointer, "an enum closes the set: say why (x-closed-because), or open it"


def arrays_say_their_order(subject: Subject) -> Found:
    """OUT-L10."""
    for node in subject.descriptions:
        if "array" not in _types(node.schema) and "items" not in node.schema:
            continue
        ordered = _is_text(node.schema.get("x-ordered-by"))
        if ordered == (node.schema.get("x-unordered") is True):
            yield node.pointer, "an array says x-ordered-by, or x-unordered: true"
        keyed = any("id" in names for names in subject.values(node.schema.get("items"), "required"))
        if keyed and node.schema.get("uniqueItems") is not True:
            yield node.pointer, "its items have an id: say uniqueItems"


def id_names_command_and_major(subject: Subject) -> Found:
    """OUT-L11."""
    identifier = subject.schema.get("$id")
    address = urlsplit(identifier) if isinstance(identifier, str) else None
    match = _PATH.search(address.path) if address else None
    if address is None or not address.scheme or address.fragment or match is None:
        yield "/$id", "$id is an address that ends in /SURFACE/COMMAND.vMAJOR.json"
    elif match.end() != len(address.path):
        yield "/$id", "$id goes on after SURFACE/COMMAND.vMAJOR.json"
    elif subject.file is not None and match["file"] != subject.file:
        yield "/$id", f"$id does not end in {subject.file}.json, which is the file"


def variants_can_be_told_apart(subject: Subject) -> Found:
    """OUT-L13."""
    for node in subject.descriptions:
        for keyword in ("oneOf", "anyOf"):
            variants = [v for v in listed(node.schema, keyword) if subject.is_object(v)]
            if len(variants) > 1 and not _discriminators(subject, variants):
                yield (
                    f"{node.pointer}/{keyword}",
                    "no key tells the variants apart: one that each requires, with its own const",
                )


def references_stay_at_home(subject: Subject) -> Found:
    """OUT-L14."""
    for node in subject.nodes:
        if "$ref" in node.schema and subject.resources.resolve(node.schema["$ref"]) is None:
            yield node.pointer, "the reference leads to nothing that ships"


def what_goes_is_announced(subject: Subject) -> Found:
    """OUT-L15."""
    for node in subject.nodes:
        schema = node.schema
        missing = [k for k in ("x-removal", "x-replacement") if not _is_text(schema.get(k))]
        if schema.get("deprecated") is True and missing:
            yield node.pointer, f"it is deprecated: say {' and '.join(missing)}"
        removed = schema.get("x-removed", [])
        if not isinstance(removed, list) or not all(isinstance(name, str) for name in removed):
            yield node.pointer, "x-removed is a list of names"
            continue
        for name in sorted(set(removed) & named(schema, "properties").keys()):
            yield node.pointer, f"'{name}' was removed once: the name must not come back"


def keywords_are_known(subject: Subject) -> Found:
    """OUT-L16."""
    for node in subject.nodes:
        for keyword in sorted(node.schema.keys() - MODELLED):
            yield node.pointer, f"the keyword '{keyword}' is not modelled"
        known = node.schema.get("format") in FORMATS
        if "format" in node.schema and not known:
            yield node.pointer, f"the format is not checked; those are: {', '.join(FORMATS)}"


def _discriminators(subject: Subject, variants: list[Any]) -> set[str]:
    """Give the keys that every variant requires, with values that no other has."""
    found: dict[str, list[set[Hashable]]] = {}
    for variant in variants:
        required = {name for names in subject.values(variant, "required") for name in names}
        for name, values in _fixed(subject, variant).items():
            if name in required:
                found.setdefault(name, []).append(values)
    return {
        name
        for name, sets in found.items()
        if len(sets) == len(variants) and len(set().union(*sets)) == sum(map(len, sets))
    }


def _fixed(subject: Subject, variant: Any) -> dict[str, set[Hashable]]:
    found: dict[str, set[Hashable]] = {}
    for part in subject.parts(variant):
        for name, child in named(part.schema, "properties").items():
            if isinstance(child, Mapping):
                values = [child["const"]] if "const" in child else child.get("enum", [])
                if values:
                    found[name] = {hashable(value) for value in values}
    return found


def _types(schema: Mapping[str, Any]) -> list[Any]:
    kinds = schema.get("type", [])
    return kinds if isinstance(kinds, list) else [kinds]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
