"""JSON, read strictly: what is not JSON, or no machine could use, is refused. Pure.

Rules: UTF-8 only; no NaN, no Infinity, no number beyond what a double holds, no nesting deeper than
:data:`DEEPEST`: whatever gets through can be walked and written out again.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

#: Levels of nesting. No document of the API has ten.
DEEPEST = 100
#: Digits of an integer: with more it could not even be a float.
LONGEST_INTEGER = 308


class NotJson(ValueError):
    """Text that is no usable JSON; the message says why, and repeats nothing of it."""


def decode(data: bytes) -> Any:
    """Decode a JSON document; a byte order mark before it is skipped.

    :raises NotJson: it is none
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotJson("it is not UTF-8") from None
    if not text.strip():
        raise NotJson("it is empty")
    try:
        document = (_CAREFUL if _has_long_number(data) else _DECODER).decode(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        why = "it ends too early" if cut else f"line {error.lineno}, column {error.colno}"
        raise NotJson(why) from None
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    # Fewer brackets than levels cannot nest too deeply: most documents need no second look.
    if text.count("[") + text.count("{") > DEEPEST and _is_too_deep(document):
        raise NotJson("it is nested too deeply")
    return document


def _is_too_deep(document: object) -> bool:
    level: list[Any] = [document]
    for _ in range(DEEPEST):
        level = [
            value
            for node in level
            for value in (
                node.values() if type(node) is dict else node if type(node) is list else ()
            )
            if type(value) is dict or type(value) is list
        ]
        if not level:
            return False
    return True


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > LONGEST_INTEGER:
        raise NotJson("a number in it is too large")
    return int(digits)


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise NotJson("a number in it is too large")
    return number


def _constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is no JSON")


# One decoder for all: json.loads would make a new one for each call that has hooks.
_DECODER = json.JSONDecoder(parse_float=_float, parse_constant=_constant)
# A hook for integers costs a tenth of the time: it is there only where it may have something to do.
_CAREFUL = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_constant)
_DIGITS_TO_0 = bytes(ord("0") if chr(byte).isdecimal() else ord(" ") for byte in range(256))


def _has_long_number(data: bytes) -> bool:
    return b"0" * (LONGEST_INTEGER + 1) in data.translate(_DIGITS_TO_0)
