"""Where schemas are: files in folders that are data of packages, found by reference or by ``$id``.

Rules: rpcli's own surfaces and a stranger's are read alike; nothing is fetched, whatever an ``$id``
or a ``$ref`` says; what was read is kept, as the data of an installed package does not change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from rpcli.contract.references import bundle
from rpcli.contract.shape import property_names
from rpcli.errors import ContractError
from rpcli.surface import Surface
from rpcli.terminal import one_line, shorten

#: The folder of the schemas that ship with rpcli, and the addresses under which they are known.
OWN_PACKAGE = "rpcli.schemas"
OWN_BASE = "https://rpcli.invalid/schemas/"
#: The core's own surface: its schemas (``core.error``) are there without any descriptor.
CORE = "core"

_NAME = re.compile(r"([a-z0-9]+(?:[-_][a-z0-9]+)*)\.v([1-9][0-9]*)")
_REFERENCE = re.compile(r"([a-z][a-z0-9_-]*)\.([a-z0-9_-]+)(?:\.v([1-9][0-9]*))?")
_OWN_PATH = re.compile(r"([a-z][a-z0-9_-]*)/([a-z0-9_-]+\.v[1-9][0-9]*)\.json")


@dataclass(frozen=True, eq=False)
class Schema:
    """One schema as it ships.

    :param name: the file without ``.json``: ``list.v1``
    :param body: the schema, to be read and not changed
    """

    name: str
    body: Mapping[str, Any] = field(repr=False)
    folder: SchemaFolder = field(repr=False)

    def __str__(self) -> str:
        return f"{self.folder}/{self.name}.json"

    @property
    def major(self) -> int:
        """The major version."""
        return _split(self.name)[1]

    @cached_property
    def bundled(self) -> Mapping[str, Any]:
        """The schema with all that it refers to: it can be used without any other.

        :raises ContractError: a reference cannot be resolved
        """
        try:
            return bundle(self.body, self.folder.load)
        except ContractError as error:
            raise ContractError(f"{self}: {error.message}", hint=error.hint) from error

    def property_names(self) -> tuple[str, ...]:
        """Give the keys that a document has, or, for a list, that each of its documents has.

        :raises ContractError: a reference cannot be resolved
        """
        return property_names(self.bundled)


class SchemaFolder:
    """The schemas in one folder: of a package, of the file system, or of anything like it."""

    def __init__(self, folder: Traversable, label: str) -> None:
        self._folder = folder
        self._label = label
        self._read: dict[str, Schema] = {}

    def __str__(self) -> str:
        return self._label

    def names(self) -> list[str]:
        """Give the names of the schemas that are there (``list.v1``), in order."""
        try:
            found = [entry.name for entry in self._folder.iterdir()]
        except OSError as error:
            raise ContractError(f"there is no folder of schemas {self}") from error
        stems = (name.removesuffix(".json") for name in found if name.endswith(".json"))
        return sorted((stem for stem in stems if _NAME.fullmatch(stem)), key=_split)

    def read(self, name: str) -> Schema:
        """Read a schema by the name of its file.

        :raises ContractError: there is none, or it is no JSON object
        """
        if name not in self._read:
            self._read[name] = Schema(name, self._parse(name), self)
        return self._read[name]

    def newest(self, stem: str) -> Schema:
        """Read the highest major of a schema.

        :raises ContractError: there is none
        """
        majors = [name for name in self.names() if _split(name)[0] == stem]
        return self.read(majors[-1] if majors else f"{stem}.v1")

    def load(self, uri: str) -> Mapping[str, Any] | None:
        """Give the schema of an ``$id``: one of this folder, or one of rpcli's."""
        if uri.startswith(OWN_BASE):
            return _own_schema(uri)
        for name in self.names():
            body = self.read(name).body
            if body.get("$id") == uri:
                return body
        return None

    def _parse(self, name: str) -> Mapping[str, Any]:
        where = f"{self}/{name}.json"
        if not _NAME.fullmatch(name):
            raise ContractError(f"'{one_line(shorten(name, 80))}' is no name of a schema file")
        try:
            data = (self._folder / f"{name}.json").read_bytes()
        except OSError as error:
            raise ContractError(f"there is no schema {where}") from error
        try:
            text = data.decode("utf-8")
            body = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise ContractError(f"the schema {where} is not JSON: {_reason(error)}") from error
        if not isinstance(body, dict):
            raise ContractError(f"the schema {where} is no JSON object")
        return body


@cache
def folder_of(package: str) -> SchemaFolder:
    """Give the folder of schemas that is data of a package.

    :raises ContractError: the package cannot be imported
    """
    try:
        return SchemaFolder(files(package), package)
    except (Exception, SystemExit) as error:  # a stranger's package runs here
        raise ContractError(
            f"the package of schemas '{one_line(shorten(package, 80))}' cannot be imported: "
            f"{type(error).__name__}"
        ) from error


def command_schema(surface: Surface, words: str) -> Schema:
    """Give the schema of a command's output.

    :raises ContractError: the surface names none for it, or there is none
    """
    spec = surface.commands.get(words)
    if spec is None or not spec.schema:
        raise ContractError(f"the command '{words}' has no schema", id=words)
    return folder_of(surface.schemas).read(spec.schema)


def find(reference: str, surfaces: Iterable[Surface] = ()) -> Schema:
    """Give a schema by reference: ``pod.list``, or ``pod.list.v1`` for one major.

    :param surfaces: where to look; those of the core (``core.error``) are always there
    :raises ContractError: there is no such surface or schema
    """
    match = _REFERENCE.fullmatch(reference)
    packages = {surface.name: surface.schemas for surface in surfaces}
    packages[CORE] = f"{OWN_PACKAGE}.{CORE}"
    if match is None or match[1] not in packages:
        raise ContractError(
            f"there is no schema '{one_line(shorten(reference, 80))}'",
            hint=f"a reference is SURFACE.NAME; surfaces: {', '.join(sorted(packages))}",
        )
    folder = folder_of(packages[match[1]])
    return folder.read(f"{match[2]}.v{match[3]}") if match[3] else folder.newest(match[2])


def references(surface: Surface) -> list[str]:
    """Give the reference of every schema of a surface, those without a command among them.

    :raises ContractError: the package of its schemas cannot be read
    """
    stems = dict.fromkeys(_split(name)[0] for name in folder_of(surface.schemas).names())
    return [f"{surface.name}.{stem}" for stem in stems]


def _own_schema(uri: str) -> Mapping[str, Any] | None:
    match = _OWN_PATH.fullmatch(uri, len(OWN_BASE))
    if match is None:
        return None
    try:
        return folder_of(f"{OWN_PACKAGE}.{match[1]}").read(match[2]).body
    except ContractError:
        return None  # whoever refers to it is told by whoever resolves the reference


def _split(name: str) -> tuple[str, int]:
    stem, _, major = name.rpartition(".v")
    return stem, int(major)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
