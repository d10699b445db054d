"""Hold the output of a command to its schema before it is printed."""

from __future__ import annotations

from rpcli.contract.registry import command_schema
from rpcli.errors import ContractError
from rpcli.surface import Surface

#: How many violations a message names.
_NAMED = 5


def check_output(surface: Surface, words: str, document: object) -> None:
    """Check what a command is about to print: the whole array of a list, one record of a stream.

    New words in open sets pass: the platform may speak them before rpcli knows them.

    :raises ContractError: it does not fit, naming places and rules and no value; or there is no
        schema to hold it to
    """
    from rpcli.contract.validate import validate_document

    found = validate_document(command_schema(surface, words), document)
    if found:
        more = ", and more" if len(found) > _NAMED else ""
        places = ", ".join(str(violation) for violation in found[:_NAMED])
        raise ContractError(
            f"the output of '{words}' does not fit its schema: {places}{more}", id=words
        )
