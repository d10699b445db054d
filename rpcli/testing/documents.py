"""Hold documents and schemas to the contract: what is wrong is told without its value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rpcli.contract.registry import Schema
    from rpcli.surface import Surface


def check_document(schema: str, document: Any) -> None:
    """Hold a document to a schema, in the published view and in the strict one.

    :param schema: the words of a command (``pod list``), or a reference (``core.error``)
    :raises AssertionError: it does not fit; places and rules are named, values are not
    :raises LookupError: there is no such schema
    """
    found = list(violations(schema, document))
    if found:
        raise AssertionError("\n".join([f"this is no document of '{schema}':", *found]))


def violations(schema: str, document: Any) -> Iterator[str]:
    """Give what is wrong with a document, a text each; takes what :func:`check_document` takes."""
    from rpcli.contract.validate import validate_document

    yield from map(str, validate_document(_find(schema), document, "strict"))


def document_violations(surface: Surface, words: str, document: Any) -> Iterator[str]:
    """Give what is wrong with what a command printed; for a stream, with one record.

    :raises ContractError: the command has no schema, or one that cannot be used
    """
    from rpcli.contract.registry import command_schema
    from rpcli.contract.validate import validate_document

    yield from map(str, validate_document(command_schema(surface, words), document, "strict"))


def properties(surface: Surface, words: str) -> set[str]:
    """Give the keys that a document of a command may have.

    :raises ContractError: the command has no schema, or one that cannot be used
    """
    from rpcli.contract.registry import command_schema

    return set(command_schema(surface, words).property_names())


def schema_problems(surface: Surface, words: str) -> Iterator[str]:
    """Give what is wrong with the schema of a command: as a schema, by the lints, its examples."""
    from rpcli.contract.authoring import command_findings

    yield from map(str, command_findings(surface, words))


def _find(schema: str) -> Schema:
    from rpcli.contract.registry import command_schema, find
    from rpcli.discovery import SURFACES, Discovery, load_surface
    from rpcli.errors import ContractError, PluginError

    discovery = Discovery.scan()
    try:
        if schema in discovery.commands():
            return command_schema(discovery.surface_of(schema)[1], schema)
        surfaces = [
            load_surface(provider)
            for provider in discovery.winners(SURFACES).values()
            if provider.entry_point.name == schema.partition(".")[0]
        ]
        return find(schema, surfaces)
    except (ContractError, PluginError) as error:
        raise LookupError(f"there is no schema '{schema}': {error.message}") from error
