"""``rpcli plugin …``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rpcli.core.inspection import inspect_all
from rpcli.plugin import ListCommand


class PluginList(ListCommand):
    """List the surfaces that are installed, where they come from, and whether they load."""

    columns = ("surface", "distribution", "version", "api", "commands", "health", "problem")

    def take_action(self, options: object) -> Iterable[Mapping[str, Any]]:
        """Load everything: strangers in processes of their own."""
        return [
            surface for report in inspect_all(self.ctx.discovery) for surface in report.surfaces
        ]

    def human_row(self, document: Mapping[str, Any]) -> Mapping[str, object]:
        """Show what fits a line."""
        return {
            "SURFACE": document.get("surface", ""),
            "FROM": f"{document['distribution']} {document['version']}",
            "COMMANDS": ", ".join(document["commands"]),
            "HEALTH": document["health"],
            "PROBLEM": document.get("problem", ""),
        }
