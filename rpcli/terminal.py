"""Make text of others safe to show: it is data, and moves no cursor and sets no colour. Pure.

Rules: C0 and C1 controls, DEL, bidirectional controls, line and paragraph separators and lone
surrogates become visible escapes (``\\x1b``, ``\\u202e``); everything else stays as it is.
"""

from __future__ import annotations

import re

_DANGEROUS = (
    "\\x00-\\x1f\\x7f-\\x9f"  # C0, DEL, C1
    "\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069"  # bidirectional, zero width
    "\\u2028\\u2029\\ufeff\\ufff9-\\ufffb"  # separators, byte order mark, annotations
    "\\ud800-\\udfff"  # lone surrogates
)
_ONE_LINE = re.compile(f"[{_DANGEROUS}]")
_PRINTABLE = re.compile(f"(?![\\n\\t])[{_DANGEROUS}]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def one_line(text: str) -> str:
    """Make text safe and keep it on one line: newlines and tabs become visible too."""
    if text.isascii() and text.isprintable():
        return text
    return _ONE_LINE.sub(_escape, text)


def printable(text: str) -> str:
    """Make text safe, with its newlines and tabs as they are."""
    if text.isascii() and text.isprintable():
        return text
    return _PRINTABLE.sub(_escape, text)


def shorten(text: str, limit: int) -> str:
    """Cut text to at most ``limit`` characters, an ellipsis in place of the rest."""
    if len(text) <= limit:
        return text
    return text[: max(limit - 1, 0)] + "…" if limit > 0 else ""


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
