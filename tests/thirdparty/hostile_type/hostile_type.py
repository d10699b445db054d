"""Names a function where a command belongs."""

from rpcli.plugin import CommandSpec, Surface

SURFACE = Surface(
    name="hostile_type",
    schemas="hostile_type",
    commands={"type list": CommandSpec("Be a function", "list.v1", "list")},
)


def List(*arguments: object) -> None:
    raise RuntimeError("called")
