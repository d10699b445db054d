"""Colours by which one tells sources and workers apart, the same ones in each run. Pure.

Rules: a terminal has colours unless its user (``NO_COLOR``) or its kind (``TERM=dumb``) says
otherwise; what is coloured is safe text already.
"""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

#: No red, which means trouble; neither black nor white, which some terminals do not show.
_PALETTE = (32, 33, 34, 35, 36, 92, 93, 94, 95, 96)
#: The sources that everybody has; others have a colour by their name.
_SOURCES = {"container": 36, "system": 33}


def wants_colour(env: Mapping[str, str], *, terminal: bool) -> bool:
    """Tell whether colours shall be used.

    :param env: the environment of the process
    :param terminal: whether what is written goes to one
    """
    return terminal and not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def coloured(text: str, kind: str) -> str:
    """Give a text in the colour that is its own.

    :param kind: what it names: ``source`` or ``workerId``
    """
    code = _SOURCES.get(text) if kind == "source" else None
    if code is None:
        code = _PALETTE[crc32(text.encode("utf-8", "replace")) % len(_PALETTE)]
    return f"\x1b[{code}m{text}\x1b[0m"
