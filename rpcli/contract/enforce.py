"""Hold what is printed to its schema, at run time."""

from __future__ import annotations

from rpcli.errors import ContractError
from rpcli.surface import Surface


def check_output(surface: Surface, words: str, document: object) -> None:
    """Check a document (for a stream: a record) before it is printed.

    :raises ContractError: it does not fit; places and rules are named, values are not
    """
    from rpcli.contract.validate import validate_output

    violations = validate_output(surface, words, document)
    if violations:
        told = "; ".join(map(str, violations[:3]))
        more = f" and {len(violations) - 3} more" if len(violations) > 3 else ""
        raise ContractError(f"the output of '{words}' does not fit its schema: {told}{more}")
