"""A scripted server of log streams on loopback, in a process of its own.

It speaks REST v2: the logs of pods and of workers, and the listing of the workers of an endpoint.
Like the service it sends nothing, no headers either, before there is a line; replays the last
lines of each source; takes ``Last-Event-ID`` as exclusive and ``since`` as inclusive; never ends a
stream. And it does what it is told besides: see :class:`log_wire.Stream`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

#: Seconds; only ends a test that would hang.
PATIENCE = 60.0
_WIRE = Path(__file__).with_name("log_wire.py")


class LogServer:
    """Starts the server, and asks it; a context manager.

    :param streams: one for each log, as :class:`log_wire.Stream` takes it
    :param endpoints: the workers of each endpoint, by the names of their streams
    """

    def __init__(
        self, *streams: dict[str, Any], endpoints: dict[str, list[str]] | None = None
    ) -> None:
        self._spec = {"streams": streams, "endpoints": endpoints or {}}
        self._lock = threading.Lock()

    def __enter__(self) -> LogServer:
        self._process = subprocess.Popen(
            [sys.executable, str(_WIRE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self._ask(self._spec))
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v2"

    def environment(self) -> dict[str, str]:
        """Give what leads the command there."""
        return {"RUNPOD_API_KEY": "rpa_OF_A_TEST", "RUNPOD_REST_V2_URL": self.url}

    def report(self) -> dict[str, Any]:
        """Give ``requests``, each with path, query, last_event_id and status, and the counts:
        bytes ``sent``, ``cuts``, ``refused``."""
        return dict(self._ask({"do": "report"}))

    def requests(self) -> list[dict[str, Any]]:
        """Give the requests that came."""
        return list(self.report()["requests"])

    def wait_for_requests(self, count: int) -> bool:
        """Wait until so many requests have come; give whether they have."""
        return bool(self._ask({"do": "wait", "requests": count}))

    def produce(self, stream: str, lines: int) -> None:
        """Let there be more lines."""
        self._ask({"do": "produce", "stream": stream, "lines": lines})

    def join(self, endpoint: str, **worker: Any) -> None:
        """Let there be another worker."""
        self._ask({"do": "join", "endpoint": endpoint, "worker": worker})

    def retire(self, endpoint: str, worker: str) -> None:
        """Let a worker vanish: its stream ends, and it is unknown from then on."""
        self._ask({"do": "retire", "endpoint": endpoint, "worker": worker})

    def wait_until_stalled(self, seconds: float) -> int:
        """Wait until nothing could be sent for so long; give the bytes that were."""
        return int(self._ask({"do": "stall", "seconds": seconds}))

    def _ask(self, words: dict[str, Any]) -> Any:
        with self._lock:
            self._process.stdin.write(json.dumps(words) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())
