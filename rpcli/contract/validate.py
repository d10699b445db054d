"""Validation of documents: the only importer of jsonschema.

Rules: a violation is a place and a rule, never a value, for the value may be a secret; the names of
keys are shortened and made safe to print; nothing is fetched; formats are asserted; a schema is
checked once and its validator kept; what cannot be checked is a :class:`ContractError`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NoReturn, cast

import jsonschema
from jsonschema import FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import NoSuchResource, Unresolvable

from rpcli.contract import views
from rpcli.contract.keywords import DIALECT, VENDOR_FORMS, named, walk
from rpcli.contract.references import Load, Resources, bundle
from rpcli.contract.registry import OWN_BASE, OWN_PACKAGE, Schema
from rpcli.contract.shape import names_at
from rpcli.contract.views import View
from rpcli.contract.violation import Violation, as_json, bounded, hashable
from rpcli.contract.wellformed import FORMATS
from rpcli.errors import ContractError
from rpcli.terminal import one_line, shorten

_Draft = jsonschema.Draft202012Validator
_UNEVALUATED = "unevaluatedProperties"
#: How many violations of one document are told.
MOST = 20


class DocumentValidator:
    """Holds documents to one view of one schema.

    :param schema: one that ships, or any mapping that refers to nothing outside of itself
    :raises ContractError: the schema is not valid 2020-12, or a reference cannot be resolved
    """

    def __init__(self, schema: Schema | Mapping[str, Any], view: View = "enforced") -> None:
        self._label = str(schema) if isinstance(schema, Schema) else "the schema"
        try:
            whole = _kept(schema) if isinstance(schema, Schema) else _checked(schema, self._label)
            seen = views.view(whole, view)
            for node in list(walk(seen)):
                _prepare(cast("dict[str, Any]", node.schema))
        except RecursionError:
            raise ContractError(f"{self._label} is nested too deeply") from None
        self._resources = Resources(seen)
        self._validator = _Validator(seen, registry=_OFFLINE, format_checker=_FORMATS)

    def violations(self, document: object) -> list[Violation]:
        """Give what is wrong with a document, at most :data:`MOST` things.

        :raises ContractError: the document is nested too deeply to be checked
        """
        found: dict[Violation, None] = {}
        try:
            plain = as_json(document, found)
            if not found:
                errors = islice(self._validator.iter_errors(plain), MOST)
                causes = [cause for error in errors for cause in _causes(error)]
                for cause in self._without_echoes(causes):
                    found |= dict.fromkeys(_violations(cause))
        except RecursionError:
            raise ContractError("the document is nested too deeply to be checked") from None
        except Unresolvable as error:
            text = one_line(shorten(str(error.ref), 200))
            raise ContractError(f"{self._label}: unresolvable reference '{text}'") from error
        return list(islice(found, MOST))

    def _without_echoes(self, causes: list[ValidationError]) -> Iterator[ValidationError]:
        """Leave out keys that are unknown only because what knows them failed, and said why."""
        reasons = [(tuple(c.absolute_path), c.validator == _UNEVALUATED) for c in causes]
        for cause in causes:
            *host, key = tuple(cause.absolute_path) or ("",)
            is_known = cause.validator == _UNEVALUATED and key in names_at(
                self._resources, cause.schema
            )
            if not is_known or not any(
                path[: len(host)] == tuple(host) and not (unknown and len(path) == len(host) + 1)
                for path, unknown in reasons
            ):
                yield cause


@lru_cache(maxsize=256)
def validator_of(schema: Schema, view: View = "enforced") -> DocumentValidator:
    """Give the validator of a schema that ships; it is made once.

    :raises ContractError: the schema cannot be used
    """
    return DocumentValidator(schema, view)


def validate_document(
    schema: Schema | Mapping[str, Any], document: object, view: View = "enforced"
) -> list[Violation]:
    """Give what is wrong with a document; what is to fit ``strict`` must fit ``published`` too.

    The validator of a :class:`Schema` is kept. For many documents and a mapping make a
    :class:`DocumentValidator`.

    :raises ContractError: the schema or the document cannot be checked
    """
    found: list[Violation] = []
    for one in ("published", "strict") if view == "strict" else (view,):
        kept = isinstance(schema, Schema)
        validator = validator_of(schema, one) if kept else DocumentValidator(schema, one)
        found = found or validator.violations(document)
    return found


@lru_cache(maxsize=256)
def _kept(schema: Schema) -> Mapping[str, Any]:
    return _checked(schema.body, str(schema), schema.folder.load)


def _checked(schema: Mapping[str, Any], label: str, load: Load | None = None) -> Mapping[str, Any]:
    """Give a bundle of which every schema is valid.

    :raises ContractError: one of them is not, or a reference cannot be resolved
    """
    _require_valid(schema, label)

    def load_valid(uri: str) -> Mapping[str, Any] | None:
        found = load(uri) if load else None
        if found is not None:
            _require_valid(found, uri)
        return found

    try:
        return bundle(schema, load_valid)
    except ContractError as error:
        raise ContractError(f"{label}: {error.message}", hint=error.hint) from error


def _require_valid(schema: Mapping[str, Any], label: str) -> None:
    if label.startswith((f"{OWN_PACKAGE}.", OWN_BASE)):
        return  # the tests hold these valid; checked at each run, they cost more than the rest
    for node in walk(schema):
        at = f"{label} at {node.pointer}" if node.path else label
        dialect = node.schema.get("$schema", DIALECT)
        if not isinstance(dialect, str) or dialect.removesuffix("#") != DIALECT:
            text = one_line(shorten(str(dialect), 100))
            raise ContractError(
                f"{at} is written in the dialect '{text}', which rpcli does not read",
                hint=f"schemas are JSON Schema 2020-12: {DIALECT}",
            )
        if isinstance(node.schema.get("items"), list):
            raise ContractError(
                f"{at} has an array under 'items', as older drafts had it",
                hint="JSON Schema 2020-12 writes prefixItems",
            )
        for keyword, form in VENDOR_FORMS.items():
            if not isinstance(node.schema.get(keyword, form()), form):
                raise ContractError(f"{at}: '{keyword}' is no {form.__name__}")
    try:
        _Draft.check_schema(schema)
    except SchemaError as error:
        place = bounded(tuple(error.absolute_path)) or "the root"
        raise ContractError(
            f"{label} is no valid JSON Schema 2020-12: {place}: {_rule(error)}"
        ) from None


def _prepare(schema: dict[str, Any]) -> None:
    """Write a subschema in the way that makes jsonschema do, and tell, what is wanted."""
    # It takes $schema for an order to go on with a class of its own.
    schema.pop("$schema", None)
    for keyword in ("properties", "patternProperties"):
        for name, child in named(schema, keyword).items():
            if child is False:  # of which it does not tell the place
                schema[keyword][name] = {"not": {}}


def _causes(error: ValidationError) -> Iterator[ValidationError]:
    """Go down to what really failed, where one branch is the one that was meant."""
    meant = _meant_branch(error)
    for cause in meant:
        yield from _causes(cause)
    if not meant:
        yield error


def _violations(error: ValidationError) -> Iterator[Violation]:
    path = tuple(error.absolute_path)
    for place in [(*path, key) for key in _keys_concerned(error)] or [path]:
        yield Violation(bounded(place), _rule(error))


def _meant_branch(error: ValidationError) -> list[ValidationError]:
    """Give what is wrong with the one branch that fits but for details."""
    by_branch: dict[object, list[ValidationError]] = {}
    if error.validator in ("oneOf", "anyOf"):
        for cause in error.context or ():
            by_branch.setdefault(cause.relative_schema_path[0], []).append(cause)
    fitting = [causes for causes in by_branch.values() if not any(map(_is_telling, causes))]
    return fitting[0] if len(fitting) == 1 else []


def _is_telling(cause: ValidationError) -> bool:
    """Tell whether a branch that fails so is another variant than the one that was meant."""
    kinds = {0: ("const", "enum", "type"), 1: ("const",)}
    return cause.validator in kinds.get(len(cause.relative_path), ())


def _keys_concerned(error: ValidationError) -> list[str]:
    """Give the keys that are missing, or that may not be there."""
    value: Any = error.validator_value
    instance: Any = error.instance
    schema: Any = error.schema
    if error.validator == "required":
        return [key for key in value if key not in instance]
    if error.validator == "dependentRequired":
        asked = (needed for key, needed in value.items() if key in instance)
        return [key for needed in asked for key in needed if key not in instance]
    if error.validator == "additionalProperties" and value is False:
        patterns = [re.compile(p) for p in schema.get("patternProperties", ())]
        known = schema.get("properties", {})
        return [k for k in instance if k not in known and not any(p.search(k) for p in patterns)]
    return []


def _rule(error: ValidationError | SchemaError) -> str:
    rule: object = error.validator
    never = rule is None or (rule == "not" and not error.validator_value)
    return "false" if never else str(rule)


def _refuse(uri: str) -> NoReturn:
    raise NoSuchResource(ref=uri)  # type: ignore[call-arg] # mypy cannot see through its attrs


def _check_unevaluated(
    validator: Any, value: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """Tell of each key by itself, where jsonschema tells of all in one sentence."""
    recorder = _Recorder(validator)
    for error in _Draft.VALIDATORS[_UNEVALUATED](recorder, value, instance, schema):
        if not recorder.failed:
            yield error
        for key in recorder.failed:
            yield ValidationError("it is not known here", path=[key])


class _Recorder:
    """A validator that remembers which values failed."""

    def __init__(self, validator: Any) -> None:
        self._validator = validator
        self.failed: dict[str, None] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._validator, name)

    def descend(
        self, instance: Any, schema: Any, path: Any = None, schema_path: Any = None
    ) -> Iterator[ValidationError]:
        for error in self._validator.descend(instance, schema, path=path, schema_path=schema_path):
            if path is not None:
                self.failed[path] = None
            yield error


def _check_unique(
    validator: Any,
    value: Any,
    instance: Any,
    schema: Any,  # noqa: ARG001
) -> Iterator[ValidationError]:
    """Find elements that are there twice in linear time, and where."""
    if not value or not validator.is_type(instance, "array"):
        return
    seen: set[Hashable] = set()
    for index, element in enumerate(instance):
        key = hashable(element)
        if key in seen:
            yield ValidationError("it is there twice", path=[index])
        seen.add(key)


def _check_names(
    validator: Any,
    value: Any,
    instance: Any,
    schema: Any,  # noqa: ARG001
) -> Iterator[ValidationError]:
    """Tell which name is wrong, where jsonschema tells of the object that has it."""
    for key in instance if validator.is_type(instance, "object") else ():
        if any(validator.descend(key, value)):
            yield ValidationError("it is no name for a key here", path=[key])


_OFFLINE: Registry[Any] = Registry(retrieve=_refuse)  # type: ignore[call-arg] # as above
_Validator = extend(  # type: ignore[no-untyped-call]
    _Draft,
    {
        _UNEVALUATED: _check_unevaluated,
        "uniqueItems": _check_unique,
        "propertyNames": _check_names,
    },
)
_FORMATS = FormatChecker(formats=())
for _name, _check in FORMATS.items():
    # What is no string is none of a format's business: "type" says what it may be.
    _FORMATS.checks(_name)(lambda value, check=_check: not isinstance(value, str) or check(value))
