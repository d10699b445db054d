"""Read the objects of an answer leniently: what can be used is, the rest is reported at its place.

Rules: a field that is absent or null is unknown, and nobody is told; one of another type than its
reader can use is unknown, and reported by its path and the type that came, never by its value;
nothing here raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import islice

from rpcli.domain.timestamps import parse_timestamp

#: Places that a summary names; of more only the number is told.
SHOWN = 3
#: No price and no size is as large; JSON writes infinity as 1e400.
_HUGE = 1e300

_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null"}


def kind_of(value: object) -> str:
    """Name the JSON type of a value, with its article."""
    return _KINDS.get(type(value), "a number")


class Problems:
    """What could not be used of the answers to one question, each place once."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def add(self, where: str, what: str) -> None:
        """Report a place in an answer."""
        self._found.setdefault(where, what)

    def summary(self) -> str | None:
        """Give all that was reported in one line, or None."""
        if not self._found:
            return None
        told = [f"{where}: {what}" for where, what in islice(self._found.items(), SHOWN)]
        more = len(self._found) - len(told)
        return "; ".join(told) + (f"; and {more} more" if more else "")

    def tell(self, note: Callable[[str], None]) -> None:
        """Note all that was reported, in one line; nothing where nothing was."""
        summary = self.summary()
        if summary is not None:
            note(f"the API gave what could not be used: {summary}")


class Fields:
    """One JSON object at a known place of an answer.

    :param raw: the object
    :param name: its key in ``parent``, or its place in the answer
    :param at: its index, where the key is that of a list
    """

    # The path is put together when something is reported, which is hardly ever.
    __slots__ = ("_at", "_name", "_parent", "_problems", "raw")

    def __init__(
        self,
        raw: Mapping[str, object],
        name: str,
        problems: Problems,
        parent: Fields | None = None,
        at: int | None = None,
    ) -> None:
        self.raw = raw
        self._name = name
        self._problems = problems
        self._parent = parent
        self._at = at

    @property
    def where(self) -> str:
        """The path of the object, as ``pods[3].runtime``."""
        name = self._name if self._at is None else f"{self._name}[{self._at}]"
        return name if self._parent is None else f"{self._parent.where}.{name}"

    def report(self, key: str, what: str) -> None:
        """Report one of the fields."""
        self._problems.add(f"{self.where}.{key}", what)

    def text(self, key: str) -> str | None:
        """Give a text; an empty one is none."""
        value = self.raw.get(key)
        if type(value) is str:
            return value or None
        if value is not None:
            self.report(key, f"a text was expected, {kind_of(value)} came")
        return None

    def word(self, key: str) -> str:
        """Give a text that has to be there; where it is not that is reported, and it is empty."""
        value = self.text(key)
        if value is None:
            self.report(key, "a text was expected, none came")
        return value or ""

    def flag(self, key: str) -> bool | None:
        """Give a boolean."""
        value = self.raw.get(key)
        if value is None or isinstance(value, bool):
            return value
        self.report(key, f"a boolean was expected, {kind_of(value)} came")
        return None

    def integer(self, key: str) -> int | None:
        """Give an integer that is not negative; 1.0 is one, true is not.

        Digits in a text are one too, and reported, since no such field is documented as a text.
        """
        value = self.raw.get(key)
        if type(value) is int and value >= 0:
            return value
        return None if value is None else self._unusual_integer(key, value)

    def _unusual_integer(self, key: str, value: object) -> int | None:
        whole = _whole(value)
        if whole is not None and whole >= 0:
            return whole
        self.report(key, f"an integer was expected, {kind_of(value)} came")
        return _from_digits(value)

    def port(self, key: str) -> int | None:
        """Give the number of a port, from 1 to 65535; digits in a text are usual for it."""
        value = self.raw.get(key)
        if type(value) is int and 0 < value < 65536:
            return value
        return None if value is None else self._unusual_port(key, value)

    def _unusual_port(self, key: str, value: object) -> int | None:
        number = _from_digits(value) if isinstance(value, str) else _whole(value)
        if number is not None and 0 < number < 65536:
            return number
        self.report(key, "the number of a port was expected")
        return None

    def number(self, key: str) -> float | None:
        """Give a number from 0 on, an integer where it is one; a price may be written in a text."""
        value = self.raw.get(key)
        if type(value) is float and not value.is_integer() and 0 <= value < _HUGE:
            return value
        return None if value is None else self._unusual_number(key, value)

    def _unusual_number(self, key: str, value: object) -> float | None:
        found = _from_decimal(value) if isinstance(value, str) else value
        if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < _HUGE:
            whole = _whole(found)
            return found if whole is None else whole
        self.report(key, f"a number was expected, {kind_of(value)} that is none came")
        return None

    def moment(self, key: str) -> datetime | None:
        """Give a moment, however it is written; an empty text is none."""
        value = self.raw.get(key)
        if not value:
            return None
        found = parse_timestamp(value)
        if found is None:
            self.report(key, "a time was expected")
        return found

    def child(self, key: str) -> Fields | None:
        """Give an object; an empty one is there."""
        value = self.raw.get(key)
        if type(value) is dict:
            return Fields(value, key, self._problems, self)
        if value is not None:
            self.report(key, f"an object was expected, {kind_of(value)} came")
        return None

    def children(self, key: str) -> list[Fields]:
        """Give the objects of a list; whatever else is in it is skipped and reported."""
        found = []
        for at, element in enumerate(self.elements(key)):
            if type(element) is dict:
                found.append(Fields(element, key, self._problems, self, at))
            else:
                self.report(f"{key}[{at}]", f"{kind_of(element)} was skipped")
        return found

    def elements(self, key: str) -> list[object]:
        """Give a list as it came."""
        value = self.raw.get(key)
        if isinstance(value, list):
            return value
        if value is not None:
            self.report(key, f"a list was expected, {kind_of(value)} came")
        return []


def _whole(value: object) -> int | None:
    """Give the integer that a JSON number is: 1.0 is one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None


def _from_digits(value: object) -> int | None:
    if not isinstance(value, str) or not (value.isascii() and value.isdecimal()):
        return None
    return int(value) if len(value) < 16 else None


def _from_decimal(text: str) -> float | None:
    # float() would take 1_000, and digits of other scripts.
    if not text.isascii() or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None
