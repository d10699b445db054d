"""Look for the record that ends the command. Pure.

Rules: only records that are shown are looked at; where both patterns are found, the earlier record
counts, and within one record the one that is bad news.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rpcli.plugin import Matched, NoMatch, Record
from rpcli_logs.options import LogOptions

#: Characters of what was found that an error repeats, and of a pattern.
LONGEST = 80


class Match(NamedTuple):
    """Where a pattern was found.

    :param place: which record of those that were looked at, from 0 on
    :param error: what ends the command; None where it ends well
    """

    place: int
    error: Matched | None


class Watch:
    """Looks for ``--until-match`` and ``--fail-on``."""

    def __init__(self, options: LogOptions) -> None:
        self._until_match = options.until_match
        self._fail_on = options.fail_on
        self._subject_id = options.subject_id
        self.is_asked = self._until_match is not None or self._fail_on is not None

    def find(self, records: Sequence[Record], worker: str | None) -> Match | None:
        """Find the first record that ends the command.

        :param worker: whose records they are
        """
        if not self.is_asked:
            return None
        for place, record in enumerate(records):
            line = record.line
            bad = self._fail_on.search(line) if self._fail_on is not None else None
            if bad is not None:
                return Match(place, self._matched(bad, worker))
            if self._until_match is not None and self._until_match.search(line):
                return Match(place, None)
        return None

    def not_found(self) -> NoMatch | None:
        """Give the error where it all ended without what was waited for."""
        if self._until_match is None:
            return None
        pattern = _shortened(self._until_match.pattern)
        return NoMatch(
            f"no record that was shown matches --until-match '{pattern}'", id=self._subject_id
        )

    def _matched(self, found: re.Match[str], worker: str | None) -> Matched:
        pattern, text = _shortened(found.re.pattern), _shortened(found.group())
        where = "" if worker is None else f" in worker {worker}"
        return Matched(f"--fail-on '{pattern}' was found{where}: '{text}'", id=self._subject_id)


def _shortened(text: str) -> str:
    """Cut a text, and leave nothing in it that is no text."""
    cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "\u2026"
    return cut.encode("utf-8", "replace").decode()
