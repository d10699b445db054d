"""Prints at import, on both streams, and works all the same."""

import sys

from rpcli.plugin import CommandSpec, ListCommand, Surface

SURFACE = Surface(
    name="hostile_prints",
    schemas="hostile_prints",
    commands={"prints list": CommandSpec("Be noticed", "list.v1", "list")},
)


class List(ListCommand):
    """Be noticed."""

    columns = ("id",)

    def take_action(self, options: object) -> list[dict[str, str]]:
        return [{"id": "hostile_prints"}]


print("LOOK AT ME")  # noqa: T201
print("LOOK AT ME", file=sys.stderr)  # noqa: T201
