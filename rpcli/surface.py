"""The frozen descriptor by which a plugin says what it brings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

#: The version of the plugin API that this rpcli speaks; entry-point groups have it in their names.
API_VERSION = 1

Output = Literal["list", "show", "stream", "text", "none"]


class CommandSpec(NamedTuple):
    """One command of a surface.

    :param summary: one line for the root help
    :param schema: the file in the surface's anchor without its ending, as ``list.v1``; a command
        without a schema says so with ``output="text"`` or ``output="none"``
    :param output: what stdout carries: an array (``list``), one object (``show``), JSON Lines
        (``stream``), prose (``text``) or nothing of ours (``none``)
    """

    summary: str
    schema: str | None = None
    output: Output = "list"


class Surface(NamedTuple):
    """What one plugin brings: its commands, and where the schemas of their output are.

    Ownership is by plugin, not by first word: ``pod logs`` may belong to ``logs``.

    :param name: the first part of a schema reference (``pod`` in ``pod.list``)
    :param schemas: the package whose data the schemas are (``rpcli.schemas.pod``)
    :param commands: every command of the plugin by its words (``"pod list"``)
    :param api: the version of the plugin API that it was written for
    """

    name: str
    schemas: str
    commands: Mapping[str, CommandSpec] = MappingProxyType({})
    api: int = API_VERSION
    summary: str = ""

    def to_document(self) -> dict[str, Any]:
        """Give the document that ``core/surface.v1.json`` describes."""
        return {
            "name": self.name,
            "api": self.api,
            "summary": self.summary,
            "schemas": self.schemas,
            "commands": {
                words: {"summary": spec.summary, "output": spec.output}
                | ({"schema": spec.schema} if spec.schema else {})
                for words, spec in self.commands.items()
            },
        }
