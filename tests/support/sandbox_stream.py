"""Read a log stream of a sandbox as any client would, with no code of the sandbox between."""

from __future__ import annotations

import contextlib
import http.client
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from rpcli.sandbox import Sandbox

_PATIENCE = 30.0
NOW = "2026-12-01T12:00:00Z"
ROWS = [
    {"line": "s{n}", "source": "system", "count": 200, "every": 0.1, "from": "-400s"},
    {"line": "c{n}", "count": 200, "every": 1, "from": "-300s"},
]


class Frame(NamedTuple):
    """One frame: its id, and its data, decoded."""

    id: str | None
    record: dict[str, Any]

    @property
    def line(self) -> str:
        return str(self.record["line"])


class Answered:
    """One answer; its body is read on demand."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response
        self.status = response.status

    def raw(self, size: int) -> bytes:
        """Read so many bytes, fewer where it ends before."""
        return self.response.read(size)

    def rest(self) -> bytes:
        """Read to the end."""
        return self.response.read()

    def block(self) -> bytes:
        """Read up to a blank line; empty at the end."""
        data = b""
        while not data.endswith(b"\n\n"):
            byte = self.response.read(1)
            if not byte:
                return data
            data += byte
        return data

    def frames(self, count: int) -> list[Frame]:
        """Read so many frames; comments and other blocks are passed over."""
        found: list[Frame] = []
        while len(found) < count:
            block = self.block()
            assert block, f"it ended behind {found}"
            fields = dict(line.split(": ", 1) for line in block.decode().strip().split("\n"))
            if "data" in fields:
                found.append(Frame(fields.get("id"), json.loads(fields["data"])))
        return found

    def lines(self, count: int) -> list[str]:
        """Read so many frames, and give their texts."""
        return [frame.line for frame in self.frames(count)]


@contextlib.contextmanager
def asked(
    sandbox: Sandbox,
    path: str,
    *,
    last_event_id: str | None = None,
    key: str | None = None,
    **query: object,
) -> Iterator[Answered]:
    """Ask for a stream, and wait for the headers of the answer."""
    headers: Mapping[str, str] = {"Authorization": f"Bearer {key or sandbox.api_key}"}
    if last_event_id is not None:
        headers = {**headers, "Last-Event-ID": last_event_id}
    connection = http.client.HTTPConnection("127.0.0.1", sandbox.port, timeout=_PATIENCE)
    with contextlib.closing(connection):
        connection.request("GET", path + ("?" + urlencode(query) if query else ""), headers=headers)
        with contextlib.closing(connection.getresponse()) as response:
            yield Answered(response)


@contextlib.contextmanager
def playing(logs: list[dict[str, Any]] | None = None, **more: Any) -> Iterator[Sandbox]:
    """Play a pod with a log, at a time that stands still."""
    pod = {"id": "p", "logs": ROWS if logs is None else logs, **more.pop("pod", {})}
    sandbox = Sandbox({"clock": {"now": NOW, "frozen": True}, "pods": [pod], **more})
    sandbox.start()
    try:
        yield sandbox
    finally:
        sandbox.stop()
