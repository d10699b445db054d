"""The pod surface."""

from rpcli.plugin import CommandSpec, Surface

SURFACE = Surface(
    name="pod",
    summary="GPU and CPU pods",
    schemas="rpcli.schemas.pod",
    commands={
        "pod list": CommandSpec("List pods with what they are really doing", "list.v1", "list"),
        "pod get": CommandSpec("Show one pod in full", "get.v1", "show"),
        "pod update": CommandSpec("Change a pod's ports", "update.v1", "show"),
    },
)
