"""Documents as rows of columns, with holes where a field is absent. Pure.

Rules: absent is not null; an absent field is a missing key of a document, and :data:`ABSENT` in a
row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, overload


class Absent:
    """The type of :data:`ABSENT`: false, and prints as nothing."""

    _only: Absent | None = None

    def __new__(cls) -> Absent:
        """Give the one instance."""
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return ""

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        # A name of this module: copies and pickles are the one instance again.
        return "ABSENT"


#: The hole in a row where a document lacks a field. Ask with ``is``.
ABSENT: Final = Absent()


class Rows(Sequence[tuple[Any, ...]]):
    """Documents seen as tuples in the order of ``columns``.

    :param documents: the documents; they are neither copied nor changed
    :param columns: the keys to show
    :param hole: what stands in a tuple where a document lacks the key. A formatter that was written
        for another cliff program knows no :data:`ABSENT`; it gets ``None``, as it would there.
    """

    def __init__(
        self,
        documents: Sequence[Mapping[str, Any]],
        columns: Sequence[str],
        *,
        hole: object = ABSENT,
    ) -> None:
        self._documents = documents
        self._columns = tuple(columns)
        self._hole = hole

    def __len__(self) -> int:
        return len(self._documents)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return map(self._row, self._documents)

    @overload
    def __getitem__(self, index: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | slice) -> tuple[Any, ...] | Rows:
        if isinstance(index, slice):
            return Rows(self._documents[index], self._columns, hole=self._hole)
        return self._row(self._documents[index])

    def documents(self) -> Iterator[Mapping[str, Any]]:
        """Give the documents with the columns only; uncopied where that is all of them."""
        have = frozenset(self._columns)
        for document in self._documents:
            if document.keys() <= have:
                yield document
            else:
                yield {key: document[key] for key in self._columns if key in document}

    def _row(self, document: Mapping[str, Any]) -> tuple[Any, ...]:
        get, hole = document.get, self._hole
        return tuple([get(column, hole) for column in self._columns])


def named(columns: Sequence[str], row: Iterable[Any]) -> dict[str, Any]:
    """Make a document of a row again: a hole is an absent key.

    :raises ValueError: there are not as many values as columns
    """
    pairs = zip(columns, row, strict=True)
    return {column: value for column, value in pairs if value is not ABSENT}


def without_holes(value: Any) -> Any:
    """Copy a value without the keys and elements that are :data:`ABSENT`, at any depth."""
    if isinstance(value, Mapping):
        return {k: without_holes(v) for k, v in value.items() if v is not ABSENT}
    if isinstance(value, list | tuple):
        return [without_holes(v) for v in value if v is not ABSENT]
    return value


def sort_documents(
    documents: Sequence[Mapping[str, Any]], columns: Sequence[str], descending: bool
) -> list[Mapping[str, Any]]:
    """Sort stably by columns, the first counting most; values of any kind may stand side by side.

    Ascending, numbers come before text and text before all else; descending is the reverse. What
    has no value (absent, null, not a number) comes last either way.
    """
    result = list(documents)
    for column in reversed(columns):
        known = [d for d in result if _has_value(d.get(column))]
        unknown = [d for d in result if not _has_value(d.get(column))]
        known.sort(key=lambda d: _rank(d[column]), reverse=descending)
        result = known + unknown
    return result


def _has_value(value: Any) -> bool:
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is not None and value is not ABSENT and not is_nan


def _rank(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool):
        return (2, str(value))
    if isinstance(value, int | float):
        return (0, value)
    if isinstance(value, str):
        return (1, value)
    return (3, str(value))
