"""Brings a command and no surface that claims it."""

from rpcli.plugin import ListCommand


class List(ListCommand):
    """Belong to nobody."""

    columns = ("id",)

    def take_action(self, options: object) -> list[dict[str, str]]:
        return [{"id": "hostile_orphan"}]
