"""What is said of a document that does not fit: a place and a rule, never a value. Pure.

Rules: the names of keys come from the document too: they are shortened and made safe to print.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rpcli.contract.keywords import pointer
from rpcli.terminal import one_line, shorten

#: How many characters of one key, and of a whole pointer, are told.
LONGEST_NAME = 64
LONGEST_POINTER = 256


@dataclass(frozen=True, slots=True)
class Violation:
    """Where a document breaks its schema, and which rule.

    :param pointer: a JSON pointer into the document, shortened where it is long; for a key that is
        missing or not allowed, that key's own place
    :param rule: a keyword of JSON Schema; ``false`` for what can never be, ``json`` for what is no
        JSON
    """

    pointer: str
    rule: str

    def __str__(self) -> str:
        return f"{self.pointer or 'the document'}: {self.rule}"


def bounded(path: Iterable[str | int]) -> str:
    """Give a JSON pointer that is short and safe to print, whatever the keys are."""
    text = pointer(one_line(shorten(str(token), LONGEST_NAME)) for token in path)
    return shorten(text, LONGEST_POINTER)


def as_json(value: Any, found: dict[Violation, None], path: tuple[str | int, ...] = ()) -> Any:
    """Give what a writer of JSON would write; what it could not write goes to ``found``.

    :raises RecursionError: it is nested too deeply
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: as_json(child, found, (*path, key)) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(child, found, (*path, index)) for index, child in enumerate(value)]
    found[Violation(bounded(path), "json")] = None
    return None


def hashable(value: Any) -> Hashable:
    """Give something equal for what JSON Schema holds equal: 1 is 1.0, and true is not 1."""
    if isinstance(value, dict):
        return frozenset((key, hashable(child)) for key, child in value.items())
    if isinstance(value, list):
        return tuple(hashable(child) for child in value)
    return (bool, value) if isinstance(value, bool) else value
