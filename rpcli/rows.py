"""Documents as rows of columns, with holes where a field is absent. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, overload


class Absent:
    """The hole in a row where a document lacks a field; prints as nothing."""

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
        return "ABSENT"


ABSENT: Final = Absent()


class Rows(Sequence[tuple[Any, ...]]):
    """Documents seen as tuples in the order of ``columns``, :data:`ABSENT` where a key is missing."""

    def __init__(self, documents: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
        self._documents = documents
        self._columns = tuple(columns)

    def __len__(self) -> int:
        return len(self._documents)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        columns = self._columns
        for document in self._documents:
            get = document.get
            yield tuple([get(column, ABSENT) for column in columns])

    @overload
    def __getitem__(self, index: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | slice) -> tuple[Any, ...] | Rows:
        if isinstance(index, slice):
            return Rows(self._documents[index], self._columns)
        document = self._documents[index]
        return tuple([document.get(column, ABSENT) for column in self._columns])

    def documents(self) -> Iterator[Mapping[str, Any]]:
        """Give the documents with the columns only; uncopied where that is all of them."""
        wanted = self._columns
        have = frozenset(wanted)
        for document in self._documents:
            if document.keys() <= have:
                yield document
            else:
                yield {key: document[key] for key in wanted if key in document}


def sort_documents(
    documents: Sequence[Mapping[str, Any]], columns: Sequence[str], descending: bool
) -> list[Mapping[str, Any]]:
    """Sort stably by columns, the first counting most.

    Numbers come before text, text before all else; what is absent or null comes last either way.
    """
    result = list(documents)
    for column in reversed(columns):
        known = [d for d in result if d.get(column) is not None]
        unknown = [d for d in result if d.get(column) is None]
        known.sort(key=lambda d: _rank(d[column]), reverse=descending)
        result = known + unknown
    return result


def _rank(value: Any) -> tuple[int, float, str]:
    if isinstance(value, bool):
        return (2, 0.0, str(value))
    if isinstance(value, int | float):
        return (0, float(value), "")
    if isinstance(value, str):
        return (1, 0.0, value)
    return (3, 0.0, str(value))


def named(columns: Sequence[str], row: Iterable[Any]) -> dict[str, Any]:
    """Make a document of a row again: holes are absent keys."""
    return {c: v for c, v in zip(columns, row, strict=False) if v is not ABSENT}
