"""Regular expressions as people type them. Pure.

Rules: Python's own syntax, case counts, and a match may be anywhere in a line; a pattern that is
none is told with the position at which it stops being one; an empty one, which finds everything,
is a mistake.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

from rpcli.plugin import UsageError


def compile_pattern(text: str | None, flag: str) -> re.Pattern[str] | None:
    """Compile the pattern of a flag, where it was given.

    :raises UsageError: it is none, or empty
    """
    if text is None:
        return None
    if not text:
        raise UsageError(f"{flag} is empty: give a regular expression")
    try:
        with warnings.catch_warnings():
            # A set within a set may mean something else one day; today it means what it always did.
            warnings.simplefilter("ignore")
            return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        why = str(error) or "it is too deep"
        raise UsageError(
            f"{flag} '{text}' is no regular expression: {why}",
            hint="a backslash before . ( [ + and the like takes them as they are",
        ) from None


def compile_patterns(texts: Iterable[str], flag: str) -> tuple[re.Pattern[str], ...]:
    """Compile the patterns of a flag that may be given again.

    :raises UsageError: one is none, or empty
    """
    compiled = (compile_pattern(text, flag) for text in texts)
    return tuple(pattern for pattern in compiled if pattern is not None)
