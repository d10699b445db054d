"""The ssh surface."""

from rpcli.plugin import CommandSpec, Surface

SURFACE = Surface(
    name="ssh",
    summary="Ways into a pod",
    schemas="rpcli.schemas.ssh",
    commands={
        "ssh info": CommandSpec(
            "Show how to reach a pod over ssh, or why not yet", "info.v1", "show"
        ),
        "ssh connect": CommandSpec("List the ssh connections that can work", "connect.v1", "show"),
    },
)
