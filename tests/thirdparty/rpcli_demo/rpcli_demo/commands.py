"""``demo list`` and ``demo show``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rpcli.plugin import ListCommand, NotFound, ShowCommand, UsageError
from rpcli_demo.usage import by_type, document


class List(ListCommand):
    """List the GPU types in use, and how many pods use each."""

    columns = ("gpuId", "pods", "gpus", "running", "costPerHr")

    def take_action(self, options: object) -> Iterable[dict[str, Any]]:
        """Count; one request."""
        return [document(gpu, pods) for gpu, pods in by_type(self.ctx.plane.list_pods()).items()]


@dataclass(frozen=True)
class ShowOptions:
    """The GPU type that is asked for."""

    gpu_id: str


class Show(ShowCommand):
    """Show who uses one GPU type."""

    columns = ("gpuId", "pods", "gpus", "running", "costPerHr", "podIds")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take the GPU type."""
        parser.add_argument("gpu", metavar="GPU", help="the id of a GPU type")

    def options(self, args: argparse.Namespace) -> ShowOptions:
        """Refuse an empty id."""
        if not args.gpu.strip():
            raise UsageError("the GPU type is empty")
        return ShowOptions(args.gpu)

    def take_action(self, options: ShowOptions) -> dict[str, Any]:
        """Look at the pods; one request."""
        pods = by_type(self.ctx.plane.list_pods()).get(options.gpu_id)
        if pods is None:
            raise NotFound(f"no pod uses '{options.gpu_id}'", id=options.gpu_id)
        return {**document(options.gpu_id, pods), "podIds": sorted(pod.id for pod in pods)}
