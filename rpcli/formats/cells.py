"""One value as text, for the formats that are views of the document. Pure."""

from __future__ import annotations

from typing import Any

from rpcli.formats.json import encode
from rpcli.rows import ABSENT
from rpcli.terminal import one_line


def plain(value: Any) -> str:
    """Give a value as text: nothing for what is absent or null, JSON for what is not text.

    :raises InternalError: it is not JSON either
    """
    if isinstance(value, str):
        return value
    if value is ABSENT or value is None:
        return ""
    return encode(value)


def cell(value: Any) -> str:
    """Give a value as text that stays on its line and moves no cursor."""
    return one_line(plain(value))
