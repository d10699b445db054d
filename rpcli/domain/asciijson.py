"""JSON in printable ASCII, so that no locale, terminal or line splitter can harm them. Pure.

Rules: a lone surrogate, which is no text in any encoding, becomes U+FFFD.
"""

from __future__ import annotations

import re

#: One escape sequence of encoded JSON: a pair of surrogates, a surrogate alone, or another.
_ESCAPED = re.compile(r"\\(?:ud[89ab]..\\ud[c-f]..|(?P<lone>ud[89a-f]..)|.)")


def printable(encoded: str) -> str:
    """Mend what an encoder of JSON leaves that is no text, or no printable ASCII.

    :param encoded: JSON in ASCII, as :mod:`json` gives it
    """
    if "\\ud" in encoded:
        encoded = _ESCAPED.sub(_replace_lone, encoded)
    # The one control character that counts as ASCII text; it can only stand within a string.
    return encoded.replace("\x7f", "\\u007f")


def _replace_lone(match: re.Match[str]) -> str:
    return "\\ufffd" if match["lone"] else match.group()
