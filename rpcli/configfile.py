"""``~/.runpod/config.toml``, the file of the platform's own tools, in every shape that they write.

Rules: it is read and never written; no message repeats a value of it, since any may be the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rpcli.errors import ConfigError

#: Where the key may stand, in the order in which it is looked for.
KEY_PLACES = (("apiKey",), ("apikey",), ("default", "api_key"))


class ConfigFile:
    """The configuration file of one home; it need not exist."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tables = _read(path)

    def text(self, *place: str) -> str | None:
        """Read a text; blank is unset.

        :raises ConfigError: there is something else than a text
        """
        value = self._lookup(place)
        if value is None:
            return None
        if not isinstance(value, str):
            raise ConfigError(f"{self.path}: {'.'.join(place)} is not a text")
        return value.strip() or None

    def number(self, *place: str) -> float | None:
        """Read a number.

        :raises ConfigError: there is something else than a number
        """
        value = self._lookup(place)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(f"{self.path}: {'.'.join(place)} is not a number")
        return float(value)

    def origin(self, *place: str) -> str:
        """Name a place in the file."""
        return f"{self.path} ({'.'.join(place)})"

    def _lookup(self, place: tuple[str, ...]) -> object:
        found: object = self._tables
        for n, key in enumerate(place):
            if not isinstance(found, Mapping):
                raise ConfigError(f"{self.path}: {'.'.join(place[:n])} is not a table")
            found = found.get(key)
            if found is None:
                return None
        return found


def _read(path: Path) -> Mapping[str, Any]:
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    import tomllib  # only those who have a file pay

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # The parser's own words may quote the file; only where it stopped is taken over.
        raise ConfigError(
            f"{path} cannot be parsed{_where(str(error))}",
            hint="it is TOML: write apikey = 'rpa_…', with the quotes",
        ) from None
    except RecursionError:
        raise ConfigError(f"{path} cannot be parsed: it is nested too deeply") from None


def _where(message: str) -> str:
    _, at, place = message.rpartition("(at ")
    return f" at {place.rstrip(')')}" if at else ""
