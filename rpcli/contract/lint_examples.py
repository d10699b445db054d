"""Lints of the examples: that they fit, show everything, and show what can be absent. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rpcli.contract.keywords import named, pointer
from rpcli.contract.lint_subject import Found, Subject
from rpcli.contract.shape import Part
from rpcli.contract.views import View

_VIEWS: tuple[View, ...] = ("published", "strict")


class _Object(NamedTuple):
    """What is said of the objects at one place, and those that the examples have there."""

    path: tuple[str, ...]
    said: list[Part]
    seen: list[Mapping[str, Any]]


def always_there_is_required(subject: Subject) -> Found:
    """OUT-L09."""
    for place in _objects(subject):
        required = {name for part in place.said for name in part.schema.get("required", ())}
        if len(place.seen) < 2:
            continue
        for part in place.said:
            for name in () if part.conditional else named(part.schema, "properties"):
                if name not in required and all(name in document for document in place.seen):
                    where = pointer((*place.path, name))
                    yield "/examples", f"{where} is in every example, and is not required"


def examples_fit_and_show_everything(subject: Subject) -> Found:
    """OUT-L12."""
    examples = subject.schema.get("examples")
    if not isinstance(examples, list) or len(examples) < 2:
        yield "/examples", "there are two examples at least: a full one and a minimal one"
        return
    for index, example in enumerate(examples):
        for view in _VIEWS:
            wrong = subject.fits(example, view)
            if wrong:
                yield f"/examples/{index}", f"it does not fit the {view} view: {wrong[0]}"
                break
    for place in _objects(subject):
        declared = {n: None for part in place.said for n in named(part.schema, "properties")}
        for name in declared:
            if place.seen and not any(name in document for document in place.seen):
                yield "/examples", f"no example has {pointer((*place.path, name))}"


def _objects(subject: Subject) -> Iterator[_Object]:
    """Give every place of objects that the examples lead to."""
    examples = subject.schema.get("examples")
    todo: list[tuple[tuple[str, ...], Any, list[Any]]] = []
    if isinstance(examples, list):
        todo.append(((), subject.schema, examples))
    while todo:
        path, schema, values = todo.pop(0)
        said = list(subject.parts(schema))
        documents = [value for value in values if isinstance(value, Mapping)]
        elements = [e for value in values if isinstance(value, list) for e in value]
        yield _Object(path, said, documents)
        for part in said:
            for name, child in named(part.schema, "properties").items():
                found = [document[name] for document in documents if name in document]
                if found:
                    todo.append(((*path, name), child, found))
            if "items" in part.schema and elements:
                todo.append(((*path, "*"), part.schema["items"], elements))
            mapped = part.schema.get("additionalProperties")
            if isinstance(mapped, Mapping):
                found = [value for document in documents for value in document.values()]
                todo.append(((*path, "*"), mapped, found))
