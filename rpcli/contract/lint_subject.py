"""What an authoring lint looks at: one schema, and what it refers to. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from rpcli.contract.keywords import Node, named, pointer, walk
from rpcli.contract.references import Load, Resources, bundle
from rpcli.contract.shape import Part, parts, speaks_of_objects
from rpcli.contract.views import View
from rpcli.errors import ContractError

#: Tells what is wrong with a document in a view of the schema, as texts.
Fits = Callable[[Any, View], Sequence[object]]
#: What a lint gives: a JSON pointer into the schema, and what is wrong there.
Found = Iterator[tuple[str, str]]


class Property(NamedTuple):
    """A property that is described, and the subschema that describes it among others."""

    name: str
    schema: Any
    host: Node

    @property
    def pointer(self) -> str:
        """The place as a JSON pointer."""
        return pointer((*self.host.path, "properties", self.name))


class Subject:
    """A schema to be linted.

    :param load: gives other schemas by their ``$id``
    :param file: ``<surface>/<name>.v<major>``, where it is known
    """

    def __init__(
        self, schema: Mapping[str, Any], fits: Fits, load: Load | None, file: str | None
    ) -> None:
        self.schema = schema
        self.fits = fits
        self.file = file
        self._load = load

    @cached_property
    def resources(self) -> Resources:
        """All that the schema can refer to."""
        try:
            return Resources(bundle(self.schema, self._load))
        except ContractError:
            return Resources(self.schema)  # references that lead nowhere are a lint of their own

    @cached_property
    def nodes(self) -> list[Node]:
        """Every subschema of the schema itself."""
        return list(walk(self.schema))

    @property
    def descriptions(self) -> list[Node]:
        """Every subschema that is more than a refinement."""
        return [node for node in self.nodes if not node.under]

    @property
    def properties(self) -> Iterator[Property]:
        """Every property that is described, and not merely refined."""
        for node in self.descriptions:
            for name, child in named(node.schema, "properties").items():
                yield Property(name, child, node)

    def parts(self, schema: Any) -> Iterator[Part]:
        """Give every subschema that speaks of the same place."""
        return parts(self.resources, schema)

    def values(self, schema: Any, keyword: str) -> list[Any]:
        """Give what a keyword says, wherever it stands among those that speak of the same place."""
        return [part.schema[keyword] for part in self.parts(schema) if keyword in part.schema]

    def types(self, schema: Any) -> set[str]:
        """Give the types that are named for a place."""
        found: set[str] = set()
        for kinds in self.values(schema, "type"):
            found |= {kinds} if isinstance(kinds, str) else set(kinds)
        return found

    def is_object(self, schema: Any) -> bool:
        """Tell whether a subschema speaks of objects."""
        return speaks_of_objects(self.resources, schema)
