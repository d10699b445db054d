"""Takes two seconds to import."""

import time

from rpcli.plugin import CommandSpec, ListCommand, Surface

SURFACE = Surface(
    name="hostile_sleeps",
    schemas="hostile_sleeps",
    commands={"sleeps list": CommandSpec("Wake up at last", "list.v1", "list")},
)


class List(ListCommand):
    """Wake up at last."""

    columns = ("id",)

    def take_action(self, options: object) -> list[dict[str, str]]:
        return [{"id": "hostile_sleeps"}]


time.sleep(2)
