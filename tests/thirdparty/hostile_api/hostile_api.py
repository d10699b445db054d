"""In the groups of this version, with a descriptor for another."""

from rpcli.plugin import CommandSpec, ListCommand, Surface

SURFACE = Surface(
    name="hostile_api",
    api=2,
    schemas="hostile_api",
    commands={"api list": CommandSpec("Wait for version 2", "list.v1", "list")},
)


class List(ListCommand):
    """Wait for version 2."""

    columns = ("id",)

    def take_action(self, options: object) -> list[dict[str, str]]:
        return [{"id": "hostile_api"}]
