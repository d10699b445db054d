"""One value as the text of one cell. Pure."""

from __future__ import annotations

import json
from typing import Any

from rpcli.rows import ABSENT
from rpcli.terminal import one_line


def plain(value: Any) -> str:
    """Give a value as text: nothing for what is absent or null, JSON for what is nested."""
    if value is ABSENT or value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | dict | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def cell(value: Any) -> str:
    """Give a value as text that stays on its line and moves no cursor."""
    return one_line(plain(value))
