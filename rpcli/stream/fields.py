"""Read what an earlier run left, field by field. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rpcli.stream.merge import Instant


class Fields:
    """The fields of a JSON object.

    :raises ValueError: by every method: the field is missing, or of another kind
    """

    def __init__(self, document: object) -> None:
        if not isinstance(document, Mapping):
            raise ValueError("it is no object")  # noqa: TRY004 - what is in the file, not a bug
        self._document = document

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Give an object."""
        value = self._get(key)
        if not isinstance(value, Mapping):
            raise self._wrong(key)
        return value

    def flag(self, key: str) -> bool:
        """Give a truth value."""
        value = self._get(key)
        if not isinstance(value, bool):
            raise self._wrong(key)
        return value

    def count(self, key: str) -> int:
        """Give a number of things, from 0 on."""
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(key)
        return value

    def text(self, key: str) -> str:
        """Give a text."""
        value = self._get(key)
        if not isinstance(value, str):
            raise self._wrong(key)
        return value

    def optional_text(self, key: str) -> str | None:
        """Give a text, or None."""
        return None if self._get(key) is None else self.text(key)

    def instant(self, key: str) -> Instant | None:
        """Give seconds and the digits of their fraction, or None."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, list) and list(map(type, value)) == [int, str]:
            return value[0], value[1]
        raise self._wrong(key)

    def _get(self, key: str) -> Any:
        if key not in self._document:
            raise self._wrong(key)
        return self._document[key]

    @staticmethod
    def _wrong(key: str) -> ValueError:
        return ValueError(f"'{key}' is not what it should be")
