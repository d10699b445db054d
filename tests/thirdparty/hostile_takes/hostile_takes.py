"""Wants a name that rpcli itself has."""

from rpcli.plugin import CommandSpec, ListCommand, Surface

SURFACE = Surface(
    name="hostile_takes",
    schemas="hostile_takes",
    commands={"pod list": CommandSpec("Be the pod list", "list.v1", "list")},
)


class List(ListCommand):
    """Be the pod list."""

    columns = ("id",)

    def take_action(self, options: object) -> list[dict[str, str]]:
        return [{"id": "hostile_takes"}]
