"""Read the words of a command line before any parser does.

Rules: exact words only; global options may stand anywhere before the first ``--`` and are never
taken for the value of another option; what follows ``--`` is passed on verbatim.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

#: Options of every command that take no value.
GLOBAL_FLAGS = frozenset(
    ("-h", "--help", "--version", "-v", "--verbose", "-q", "--quiet", "--debug", "--sandbox")
)
#: Options of every command that take one.
GLOBAL_VALUES = frozenset(("--api", "--scenario", "--log-file"))
#: Options of most commands: they may stand before the words of a command too.
FORMAT_VALUES = frozenset(("-f", "--format", "-o", "--output"))

_VALUES = GLOBAL_VALUES | FORMAT_VALUES


class Found(NamedTuple):
    """Where a command line leads.

    :param command: the words of the command, or None
    :param rest: all that is not the words, in its order
    :param typed: the words that were read, the first unknown one included
    """

    command: str | None
    rest: tuple[str, ...]
    typed: tuple[str, ...]


def cut(argv: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Cut at the first ``--``: what parsers see, and what is passed on (None without a ``--``)."""
    line = list(argv)
    if "--" not in line:
        return line, None
    at = line.index("--")
    return line[:at], line[at + 1 :]


def find_command(argv: Sequence[str], known: Collection[str]) -> Found:
    """Find the longest known command, its words in a row but for global options between them."""
    beginnings = {
        " ".join(words[:n])
        for words in (name.split() for name in known)
        for n in range(1, len(words))
    }
    longest = max((len(name.split()) for name in known), default=1)
    words: list[str] = []
    places: list[int] = []
    best: tuple[str, tuple[int, ...]] | None = None
    unknown: list[str] = []
    i = 0
    while i < len(argv):
        token = argv[i]
        if token in _VALUES:
            i += 2
            continue
        if token.startswith("-") and len(token) > 1:
            if not _is_global(token):
                break
            i += 1
            continue
        candidate = " ".join([*words, token])
        if candidate not in known and candidate not in beginnings:
            unknown = _words(argv[i:], longest - len(words))
            break
        words.append(token)
        places.append(i)
        if candidate in known:
            best = (candidate, tuple(places))
        i += 1
    if best is None:
        return Found(None, tuple(argv), (*words, *unknown))
    return Found(
        best[0], tuple(t for n, t in enumerate(argv) if n not in best[1]), tuple(best[0].split())
    )


def requested_format(argv: Sequence[str]) -> str | None:
    """Read the format that the words ask for, before a parser can; the last one counts."""
    found = None
    for n, token in enumerate(argv):
        name, equals, value = token.partition("=")
        if token in FORMAT_VALUES:
            found = argv[n + 1] if n + 1 < len(argv) else found
        elif equals and name in FORMAT_VALUES:
            found = value
        elif token[:2] in ("-f", "-o") and len(token) > 2:
            found = token[2:]
    return found


def _words(argv: Sequence[str], most: int) -> list[str]:
    """Give the words that stand first, for a message: no options, and not too many."""
    words: list[str] = []
    for token in argv[: max(most, 1)]:
        if token.startswith("-"):
            break
        words.append(token)
    return words


def _is_global(token: str) -> bool:
    name = token.partition("=")[0]
    if name in GLOBAL_FLAGS or name in _VALUES:
        return True
    return not token.startswith("--") and set(token[1:]) <= set("vqh")
