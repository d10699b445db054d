"""``~/.runpod/config.toml``, the file of the platform's own tools, in every shape that they write.

Rules: it is read and never written; no message repeats a value of it, since any may be the key.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rpcli.errors import ConfigError

Place = tuple[str, ...]

#: Where the key may stand, first one first. The platform's clients write ``apiKey`` or, through a
#: library that lowers every name, ``apikey``; its Python tools write ``[default] api_key``.
KEY_PLACES: tuple[Place, ...] = (("apiKey",), ("apikey",), ("default", "api_key"))


class Found(NamedTuple):
    """A value, and the place that it was found in: ``/home/a/.runpod/config.toml (apiKey)``."""

    value: Any
    origin: str


class ConfigFile:
    """The configuration file of one home.

    A file that is not there is empty, and so is one in a home that may not be looked into: in a
    container the home is often another user's. One that is there and cannot be read is an error.

    :param path: where the file would be
    :raises ConfigError: it cannot be read or parsed
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        #: Why there is nothing in it; None where it was read.
        self.missing: str | None = None
        self._tables = self._read()

    def text(self, *places: Place) -> Found | None:
        """Read the text at the first of some places that has one; blank is unset.

        :raises ConfigError: there is something else than a text
        """
        for place in places:
            value = self._lookup(place)
            if value is not None and not isinstance(value, str):
                raise self._wrong(place, "a text in quotes")
            if value is not None and value.strip():
                return Found(value.strip(), self.origin(place))
        return None

    def number(self, place: Place) -> Found | None:
        """Read a number.

        :raises ConfigError: there is something else than a number
        """
        value = self._lookup(place)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(place, "a number")
        return Found(value, self.origin(place))

    def origin(self, place: Place) -> str:
        """Name a place in the file."""
        return f"{self.path} ({'.'.join(place)})"

    def _lookup(self, place: Place) -> object:
        found: object = self._tables
        for n, key in enumerate(place):
            if not isinstance(found, Mapping):
                raise self._wrong(place[:n], "a table")
            found = found.get(key)
            if found is None:
                return None
        return found

    def _wrong(self, place: Place, wanted: str) -> ConfigError:
        return ConfigError(f"{self.path}: {'.'.join(place)} must be {wanted}")

    def _read(self) -> Mapping[str, Any]:
        try:
            mode = self.path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            self.missing = "no such file"
            return {}
        except PermissionError:
            self.missing = "its folder may not be looked into"
            return {}
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot read {self.path}: {_said(error)}") from error
        if not (stat.S_ISREG(mode) or stat.S_ISCHR(mode)):
            # A pipe would never end.
            raise ConfigError(f"cannot read {self.path}: it is not a file")
        try:
            with self.path.open("rb") as file:
                data = file.read(_LARGEST + 1)
        except OSError as error:
            raise ConfigError(f"cannot read {self.path}: {_said(error)}") from error
        if len(data) > _LARGEST:
            raise ConfigError(f"cannot read {self.path}: it is larger than {_LARGEST >> 20} MiB")
        return _parse(data, self.path)


_LARGEST = 1 << 20


def _parse(data: bytes, path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: this is not UTF-8 text") from None
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply") from None
    except ValueError as error:
        # The parser's own words may quote the file: only where it stopped is taken over.
        raise ConfigError(
            f"{path}{_where(str(error), text)}: this is not TOML",
            hint='a text is written in quotes: apikey = "rpa_..."',
        ) from None


def _where(message: str, text: str) -> str:
    place = re.search(r"at line (\d+), column (\d+)", message)
    if place:
        return f", line {place[1]}, column {place[2]}"
    if "end of document" in message:
        return f", line {len(text.splitlines()) or 1}"
    return ""


def _said(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
