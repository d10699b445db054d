"""Make text of others safe to show: it is data, and moves no cursor and sets no colour. Pure.

Rules: C0 and C1 controls, DEL, bidirectional controls, line and paragraph separators, characters
that nobody sees and lone surrogates become visible escapes (``\\x1b``, ``\\u202e``); everything
else stays as it is. The escapes are for eyes and cannot be undone: JSON has the exact text.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Callable

_DANGEROUS = (
    "\\x00-\\x1f\\x7f-\\x9f"  # C0, DEL, C1
    "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069"  # bidirectional controls
    "\\u2028\\u2029"  # line and paragraph separators
    # What has no width and no use here. The joiners U+200C and U+200D stay: Persian, Hindi and
    # emoji need them.
    "\\u200b\\u2060-\\u2065\\u206a-\\u206f\\ufeff\\ufff9-\\ufffb"
    "\\U000e0000-\\U000e007f"  # tags, which spell out hidden text
    "\\ud800-\\udfff"  # lone surrogates
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str, *, tabs: bool = False, newlines: bool = False) -> str:
    """Make text safe for a terminal.

    :param tabs: leave tabs as they are
    :param newlines: leave line feeds as they are; a carriage return never stays
    """
    # Every character that could do harm is one that str.isprintable() refuses.
    if text.isprintable():
        return text
    return _dangerous(("\\t" if tabs else "") + ("\\n" if newlines else "")).sub(_escape, text)


def one_line(text: str) -> str:
    """Make text safe and keep it on one line: for cells, notes and messages."""
    return visible(text)


def printable(text: str) -> str:
    """Make text safe, with its line feeds and tabs as they are: for prose."""
    return visible(text, tabs=True, newlines=True)


def shorten(text: str, limit: int, *, mark: str = "…", measure: Callable[[str], int] = len) -> str:
    """Cut text to at most ``limit``, with ``mark`` in place of what was cut.

    :param measure: how long a text is: in characters, or in columns of a terminal
    """
    if measure(text) <= limit:
        return text
    room = limit - measure(mark)
    if room < 0:
        return mark[: max(limit, 0)]
    fits = bisect_right(range(len(text) + 1), room, key=lambda cut: measure(text[:cut]))
    return text[: max(fits - 1, 0)] + mark


@functools.cache
def _dangerous(but: str) -> re.Pattern[str]:
    """Compile what is dangerous when it is met: most runs meet nothing of it."""
    return re.compile((f"(?![{but}])" if but else "") + f"[{_DANGEROUS}]")


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
