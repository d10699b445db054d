"""10,000 pods, from bodies in memory to bytes written, in process and without a server."""

from __future__ import annotations

import argparse
import io
import json
import time
import tracemalloc
from collections.abc import Mapping
from typing import Any, cast

from rpcli.context import Context
from rpcli.controlplane.v2 import V2Plane
from rpcli.discovery import Discovery
from rpcli.domain.jsontext import decode
from rpcli.output import Stderr, Stdout
from rpcli.sandbox.scenario import build_state, load_scenario
from rpcli.sandbox.v2 import render
from rpcli.transport import Transport
from rpcli_pod.commands import List

PAGES = 10


class Bodies:
    """Stands where the transport does: decodes the body of each page, and counts nothing."""

    def __init__(self, bodies: list[bytes]) -> None:
        self._bodies = iter(bodies)

    def rest_v2(self, method: str, *segments: str, query: Mapping[str, str]) -> Any:
        return decode(next(self._bodies))


def bodies() -> list[bytes]:
    """Make the pages that the API would give."""
    state = build_state(load_scenario("many"))
    pods = [render(state, pod) for pod in state.list_pods()]
    pages = []
    for n in range(PAGES):
        more = n + 1 < PAGES
        cursor = f"c{n}" if more else None
        page = {"pods": pods, "pagination": {"hasNextPage": more, "nextCursor": cursor}}
        pages.append(json.dumps(page).encode())
    return pages


def ours(pages: list[bytes]) -> int:
    """Run ``pod list -a -f json`` on bodies that are there; give how many bytes it wrote."""
    sink = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    context = Context(
        env={"RPCLI_API": "v2"},
        stdout=Stdout(sink),
        stderr=Stderr(None),
        discovery=Discovery.scan(),
    )
    transport = cast(Transport, Bodies(pages))
    context.__dict__["plane"] = V2Plane(transport, now=context.now, note=context.note)

    class Frame:
        def __init__(self) -> None:
            self.context = context

        def begin(self, args: argparse.Namespace) -> None:
            """Take no global options."""

    command = List(Frame(), None, "pod list")
    command.run(command.parse(["-a", "-f", "json"], None))
    return sink.buffer.tell()


def theirs(pages: list[bytes]) -> int:
    """Decode the same bodies, and encode them again."""
    return sum(len(json.dumps(json.loads(page)).encode()) for page in pages)


def measure(rounds: int) -> tuple[list[float], list[float]]:
    """Give the seconds of each round, taken in turn."""
    pages = bodies()
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for taken, work in zip(seconds, (ours, theirs), strict=True):
            began = time.perf_counter()
            work(pages)
            taken.append(time.perf_counter() - began)
    return seconds


def peak_memory() -> tuple[float, float]:
    """Give the peak of what is allocated meanwhile, and the size of the bodies, in MiB."""
    pages = bodies()
    tracemalloc.start()
    try:
        ours(pages)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak / 2**20, sum(map(len, pages)) / 2**20
