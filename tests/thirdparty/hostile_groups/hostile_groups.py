"""Made for another version of the plugin API: its groups say so."""

from rpcli.plugin import CommandSpec, ListCommand, Surface

SURFACE = Surface(
    name="hostile_groups",
    schemas="hostile_groups",
    commands={"groups list": CommandSpec("Wait for version 2", "list.v1", "list")},
)


class List(ListCommand):
    """Wait for version 2."""

    columns = ("id",)

    def take_action(self, options: object) -> list[dict[str, str]]:
        return [{"id": "hostile_groups"}]
