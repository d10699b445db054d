"""``rpcli commands``: every command, flag and schema, for machines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rpcli.core.inspection import inspect_all
from rpcli.plugin import ListCommand


class Commands(ListCommand):
    """Describe every command that is installed: its arguments, options, formats and schema."""

    columns = (
        "name",
        "summary",
        "surface",
        "distribution",
        "version",
        "output",
        "schema",
        "formats",
        "arguments",
        "options",
        "health",
        "problem",
    )

    def take_action(self, options: object) -> Iterable[Mapping[str, Any]]:
        """Load everything: strangers in processes of their own."""
        reports = inspect_all(self.ctx.discovery)
        return sorted((c for r in reports for c in r.commands), key=lambda c: str(c["name"]))

    def human_row(self, document: Mapping[str, Any]) -> Mapping[str, object]:
        """Show what fits a line."""
        return {
            "NAME": document["name"],
            "SUMMARY": document["summary"],
            "SCHEMA": document.get("schema", ""),
            "FROM": document["distribution"],
            "HEALTH": document["health"],
        }
