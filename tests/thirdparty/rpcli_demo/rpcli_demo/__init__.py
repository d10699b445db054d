"""GPU use by type: a plugin of rpcli."""

from rpcli.plugin import CommandSpec, Surface

SURFACE = Surface(
    name="demo",
    summary="GPU use by type",
    schemas="rpcli_demo.schemas",
    commands={
        "demo list": CommandSpec("List the GPU types in use", "list.v1", "list"),
        "demo show": CommandSpec("Show who uses one GPU type", "show.v1", "show"),
    },
)
