"""What one run of the command gave back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """One finished run of ``rpcli``.

    :param argv: what followed ``rpcli``
    :param status: the exit status; negative where a signal ended the process, as in ``subprocess``
    :param stdout_bytes: all of stdout, as it came
    :param stderr_bytes: all of stderr, as it came
    """

    argv: tuple[str, ...]
    status: int
    stdout_bytes: bytes
    stderr_bytes: bytes

    @property
    def stdout(self) -> str:
        """Give stdout as text.

        :raises UnicodeDecodeError: it is not UTF-8
        """
        return self.stdout_bytes.decode("utf-8")

    @property
    def stderr(self) -> str:
        """Give stderr as text; bytes that are not UTF-8 appear as escapes."""
        return self.stderr_bytes.decode("utf-8", "backslashreplace")

    @property
    def json(self) -> Any:
        """Give stdout as one JSON document.

        :raises AssertionError: it is none, or more than one; stderr is in the message
        """
        return self._decode(self.stdout)

    @property
    def lines(self) -> list[Any]:
        """Give stdout as JSON Lines, one document a line.

        :raises AssertionError: a line is no document
        """
        return [self._decode(line) for line in self.stdout.splitlines()]

    @property
    def error(self) -> dict[str, Any] | None:
        """Give the error object, the last line of stderr; None where there is none."""
        last = (self.stderr.splitlines() or [""])[-1]
        if not last.startswith("{"):
            return None
        document = self._decode(last)
        return document if isinstance(document, dict) and "code" in document else None

    @property
    def notes(self) -> list[str]:
        """Give the notes: the lines of stderr that begin with ``rpcli: ``, without that."""
        head = "rpcli: "
        return [line[len(head) :] for line in self.stderr.splitlines() if line.startswith(head)]

    def _decode(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise AssertionError(f"this is no JSON document ({error}): {text!r}\n{self}") from None

    def __str__(self) -> str:
        line = " ".join(("rpcli", *self.argv))
        out = self.stdout_bytes.decode("utf-8", "backslashreplace")
        return f"{line}: exit status {self.status}\n--- stdout\n{out}--- stderr\n{self.stderr}"
