"""What formatters write to."""

from __future__ import annotations

from typing import Protocol


class Sink(Protocol):
    """Where output goes: :class:`rpcli.output.Stdout`, or anything of its shape."""

    @property
    def encoding(self) -> str:
        """The encoding that text is written in."""

    @property
    def width(self) -> int | None:
        """Columns of the terminal; None where there is none, or its size is unknown."""

    def isatty(self) -> bool:
        """Whether a person looks at it."""

    def write(self, text: str, /) -> int:
        """Take text."""
