"""Everything that an author should know about a schema that ships."""

from __future__ import annotations

from rpcli.contract.lints import Finding, lint
from rpcli.contract.registry import Schema, command_schema
from rpcli.errors import ContractError
from rpcli.surface import Surface


def command_findings(surface: Surface, words: str) -> list[Finding]:
    """Give what is wrong with the schema of a command; takes what :func:`schema_findings` takes."""
    try:
        schema = command_schema(surface, words)
    except ContractError as error:
        return [Finding("schema", "", error.message)]
    return schema_findings(schema, surface.name)


def schema_findings(schema: Schema, surface: str | None = None) -> list[Finding]:
    """Give what is wrong with a schema: all lints, or the one reason why it cannot be used.

    :param surface: the name of its surface, for the ``$id``
    """
    from rpcli.contract.validate import validate_document, validator_of

    try:
        validator_of(schema, "published")
    except ContractError as error:
        return [Finding("schema", "", error.message)]
    file = f"{surface}/{schema.name}" if surface else None
    return lint(
        schema.body,
        lambda document, view: validate_document(schema, document, view),
        load=schema.folder.load,
        file=file,
    )
