"""The core's own surface: it goes through the same door as everyone's."""

from rpcli.surface import CommandSpec, Surface

SURFACE = Surface(
    name="core",
    summary="rpcli itself",
    schemas="rpcli.schemas.core",
    commands={
        "commands": CommandSpec("Describe every command, flag and schema", "commands.v1", "list"),
        "complete": CommandSpec("Print a shell completion script", output="text"),
        "config show": CommandSpec("Show where each setting comes from", "config-show.v1", "list"),
        "help": CommandSpec("Show help for a command", output="text"),
        "plugin list": CommandSpec(
            "List surfaces, where they come from, and their health", "plugin-list.v1", "list"
        ),
        "sandbox scenarios": CommandSpec(
            "List the scenarios that ship", "sandbox-scenarios.v1", "list"
        ),
        "sandbox serve": CommandSpec("Run a RunPod control plane on loopback", output="text"),
    },
)
