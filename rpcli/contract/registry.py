"""Where schemas are: package data of whoever brings a surface, found alike for everyone.

Rules: nothing is ever fetched; a reference that leads out of the installed schemas is an error.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from rpcli.errors import ContractError
from rpcli.surface import Surface

BASE = "https://rpcli.invalid/schemas/"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
OWN_ANCHOR = "rpcli.schemas"


def read_schema(anchor: str, name: str) -> Mapping[str, Any]:
    """Read one schema of a package.

    :param anchor: the package, as ``rpcli.schemas.pod``
    :param name: the file without its ending, as ``list.v1``
    :raises ContractError: there is no such package or file, or it is no JSON Schema 2020-12
    """
    return _load(_folder(anchor).joinpath(f"{name}.json"), f"{anchor}:{name}")


def read_reference(reference: str) -> Mapping[str, Any]:
    """Read a schema of rpcli itself by its reference, as ``pod.list``.

    :raises ContractError: there is none
    """
    surface, _, name = reference.partition(".")
    return read_schema(f"{OWN_ANCHOR}.{surface}", f"{name}.v1")


def schema_of(surface: Surface, words: str) -> Mapping[str, Any] | None:
    """Read the schema of a command; None where its output is prose.

    :raises ContractError: the surface names one that is not there
    """
    spec = surface.commands.get(words)
    if spec is None:
        raise ContractError(f"the surface '{surface.name}' does not claim the command '{words}'")
    return None if spec.schema is None else read_schema(surface.schemas, spec.schema)


def schemas_of(anchor: str) -> dict[str, Mapping[str, Any]]:
    """Read every schema of a package, by its name."""
    found = {}
    for entry in sorted(_folder(anchor).iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".json"):
            found[entry.name.removesuffix(".json")] = _load(entry, f"{anchor}:{entry.name}")
    return found


@functools.lru_cache(64)
def resources(anchor: str) -> Mapping[str, Mapping[str, Any]]:
    """Give what references from a package may lead to: its own schemas, by ``$id``."""
    return {str(s["$id"]): s for s in schemas_of(anchor).values() if "$id" in s}


def find_resource(uri: str, anchor: str | None) -> Mapping[str, Any] | None:
    """Find the schema of a URI among rpcli's own and those of a package; nothing is fetched."""
    if uri.startswith(BASE):
        path = uri.removeprefix(BASE)
        surface, _, name = path.partition("/")
        if surface.isidentifier() and name.endswith(".json") and "/" not in name:
            return read_schema(f"{OWN_ANCHOR}.{surface}", name.removesuffix(".json"))
    return resources(anchor).get(uri) if anchor else None


def _folder(anchor: str) -> Traversable:
    try:
        return files(anchor)
    except (ImportError, ValueError, TypeError) as error:
        raise ContractError(f"there is no package '{anchor}' to read schemas from") from error


def _load(file: Traversable, what: str) -> Mapping[str, Any]:
    try:
        document = json.loads(file.read_bytes())
    except OSError:
        raise ContractError(f"there is no schema {what}") from None
    except (ValueError, RecursionError):
        raise ContractError(f"the schema {what} is not JSON") from None
    if not isinstance(document, dict):
        raise ContractError(f"the schema {what} is no object")
    dialect = document.get("$schema", DIALECT)
    if dialect != DIALECT:
        raise ContractError(f"the schema {what} is not of the dialect {DIALECT}")
    return document
