"""The logs surface."""

from rpcli.plugin import CommandSpec, Surface

SURFACE = Surface(
    name="logs",
    summary="What pods and serverless workers are saying",
    schemas="rpcli.schemas.logs",
    commands={
        "pod logs": CommandSpec("Show or follow the log of a pod", "pod-logs.v1", "stream"),
        "serverless logs": CommandSpec(
            "Show or follow the logs of an endpoint's workers", "serverless-logs.v1", "stream"
        ),
    },
)
