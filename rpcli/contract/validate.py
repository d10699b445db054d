"""Validate documents: the one importer of jsonschema.

Rules: a violation is a place and a rule, and never repeats a value of the document, which may be a
secret; validators are made once and kept; nothing is fetched.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry, Resource
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DRAFT202012

from rpcli.contract.registry import find_resource, read_reference, read_schema
from rpcli.contract.views import View, view_of
from rpcli.errors import ContractError
from rpcli.surface import Surface

#: Violations that are told of one document.
MOST = 20
#: Characters of a place that are told.
LONGEST_PLACE = 200


class Violation(NamedTuple):
    """What does not fit: a JSON Pointer into the document, and the keyword of the schema."""

    pointer: str
    rule: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'} breaks '{self.rule}'"


def validate_document(reference: str, document: object, view: View = "enforced") -> list[Violation]:
    """Validate a document against a schema of rpcli itself, as ``pod.list``.

    :raises ContractError: there is no such schema, or it cannot be used
    """
    return _violations(_own_validator(reference, view), document)


def validate_output(
    surface: Surface, words: str, document: object, view: View = "enforced"
) -> list[Violation]:
    """Validate what a command printed; prose has no violations.

    :raises ContractError: its schema is not there, or cannot be used
    """
    spec = surface.commands.get(words)
    if spec is None:
        raise ContractError(f"the surface '{surface.name}' does not claim the command '{words}'")
    if spec.schema is None:
        return []
    return _violations(_validator(surface.schemas, spec.schema, view), document)


def validate_against(schema: Mapping[str, Any], document: object) -> list[Violation]:
    """Validate a document against a schema that is at hand, as it is."""
    return _violations(make_validator(schema, "published", None), document)


@functools.lru_cache(256)
def _own_validator(reference: str, view: View) -> Draft202012Validator:
    return make_validator(read_reference(reference), view, None)


@functools.lru_cache(256)
def _validator(anchor: str, name: str, view: View) -> Draft202012Validator:
    return make_validator(read_schema(anchor, name), view, anchor)


def make_validator(
    schema: Mapping[str, Any], view: View, anchor: str | None
) -> Draft202012Validator:
    """Make a validator for a view of a schema.

    :param anchor: the package whose schemas it may refer to, beside rpcli's own
    :raises ContractError: the schema is none
    """

    def retrieve(uri: str) -> Resource[Any]:
        found = find_resource(uri, anchor)
        if found is None:
            raise NoSuchResource(ref=uri)
        return Resource(view_of(found, view, closed=False), DRAFT202012)

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        place = "/".join(map(str, error.absolute_path))
        raise ContractError(
            f"the schema {schema.get('$id', '')} is not valid JSON Schema 2020-12 at /{place}"
        ) from None
    except RecursionError:
        raise ContractError("the schema is nested too deeply") from None
    registry: Registry[Any] = Registry(retrieve=retrieve)
    return Draft202012Validator(
        view_of(schema, view), registry=registry, format_checker=_formats()
    )


def _violations(validator: Draft202012Validator, document: object) -> list[Violation]:
    try:
        errors = itertools.islice(_leaves(validator.iter_errors(document)), MOST)
        return [Violation(_pointer(error), str(error.validator)) for error in errors]
    except Unresolvable as error:
        raise ContractError(f"unresolvable reference {error.ref}: nothing is fetched") from None
    except RecursionError:
        raise ContractError("the document is nested too deeply to be validated") from None


def _leaves(errors: Iterator[ValidationError]) -> Iterator[ValidationError]:
    """Go down to what really failed: of several branches, the one that came closest."""
    for error in errors:
        leaf = error
        while leaf.context and leaf.validator in ("allOf", "anyOf", "oneOf"):
            deepest = max(len(inner.absolute_path) for inner in leaf.context)
            if leaf.validator != "allOf" and deepest == len(leaf.absolute_path):
                break
            leaf = max(leaf.context, key=lambda inner: len(inner.absolute_path))
        yield leaf


def _pointer(error: ValidationError) -> str:
    parts = (str(p).replace("~", "~0").replace("/", "~1") for p in error.absolute_path)
    return "".join(f"/{part}" for part in parts)[:LONGEST_PLACE]


@functools.cache
def _formats() -> FormatChecker:
    """Check ``date-time`` for real; what jsonschema checks by default depends on what is installed."""
    checker = FormatChecker(formats=())

    def is_date_time(value: object) -> bool:
        if not isinstance(value, str):
            return True
        if "T" not in value.upper():
            return False
        return datetime.fromisoformat(value.upper().replace("Z", "+00:00")).tzinfo is not None

    checker.checks("date-time", raises=ValueError)(is_date_time)
    return checker
