"""``rpcli config show``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rpcli.plugin import ListCommand


class ConfigShow(ListCommand):
    """Show each setting, and where it comes from.

    The API key itself is never shown.
    """

    columns = ("name", "value", "source", "origin")

    def take_action(self, options: object) -> Iterable[dict[str, Any]]:
        """Describe the settings; no request is made."""
        for setting in self.ctx.settings.describe():
            document = {"name": setting.name, "source": setting.source}
            if setting.value is not None:
                value = setting.value
                document["value"] = f"{value:g}" if isinstance(value, float) else str(value)
            if setting.origin is not None:
                document["origin"] = setting.origin
            yield document
