"""A scripted platform on loopback: what is not scripted fails, and every request is remembered."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

#: Bytes that a dripping answer announces beyond those that it has.
_ENDLESS = 1 << 20


@dataclass
class Request:
    """One request that arrived; ``done`` once its answer was sent whole."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    done: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Reply:
    """What is answered; ``first`` runs before the first byte is sent."""

    body: object = None
    status: int = 200
    content_type: str = "application/json"
    first: Callable[[], object] | None = None
    drip: bool = False  #: sends a byte at a time, and never the last one


class Stub:
    """Serves ``/v2``, ``/v1`` and ``/graphql`` as the test scripts them."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.unexpected: list[str] = []
        self.released = threading.Event()
        self._scripts: dict[tuple[str, str], list[Reply]] = {}
        self._lock = threading.Lock()

    def answer(self, method: str, path: str, *replies: Reply) -> None:
        """Script the answers to a method and path, in order; the last one is given for ever."""
        self._scripts[method, path] = list(replies)

    def json(self, method: str, path: str, *bodies: object) -> None:
        """Script answers that are JSON with 200."""
        self.answer(method, path, *(Reply(body) for body in bodies))

    def graphql(self, *answers: object) -> None:
        """Script the ``data`` of answers of GraphQL."""
        self.json("POST", "/graphql", *({"data": data} for data in answers))

    def hold(self, method: str, path: str) -> None:
        """Keep a request waiting for its answer until the stub ends."""
        self.answer(method, path, Reply({}, first=self.released.wait))

    def asked(self, method: str, path: str) -> list[Request]:
        """Give the requests that arrived for a method and path."""
        return [r for r in self.requests if (r.method, r.path) == (method, path)]

    def shape(self) -> list[str]:
        """Give what arrived, sorted, as ``GET /v2/pods``."""
        return sorted(f"{r.method} {r.path}" for r in self.requests)

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that lead here."""
        return {
            "RUNPOD_API_KEY": "rpa_TEST",
            "RUNPOD_REST_V2_URL": f"{self.url}/v2",
            "RUNPOD_API_URL": f"{self.url}/v1",
            "RUNPOD_GRAPHQL_URL": f"{self.url}/graphql",
        }

    def __enter__(self) -> Stub:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.stub = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        if error is None:
            assert self.unexpected == []

    def next(self, request: Request) -> Reply:
        """Remember a request, and give its answer."""
        with self._lock:
            self.requests.append(request)
            script = self._scripts.get((request.method, request.path))
            if not script:
                self.unexpected.append(f"{request.method} {request.path}")
                return Reply({"error": "not scripted"}, 500)
            return script.pop(0) if len(script) > 1 else script[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    stub: Stub


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        parts = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query)),
            body=json.loads(data) if data else None,
        )
        try:
            self._send(self.server.stub.next(request))
        except OSError:
            self.close_connection = True  # the client went away, as some tests want
        else:
            request.done.set()

    def _send(self, reply: Reply) -> None:
        if reply.first is not None:
            try:
                reply.first()
            except threading.BrokenBarrierError:
                reply = Reply({"error": "the requests did not overlap"}, 500)
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        data = text.encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(data) + reply.drip * _ENDLESS))
        self.end_headers()
        if reply.drip:
            self._drip(data)
        else:
            self.wfile.write(data)

    def _drip(self, data: bytes) -> None:
        """Send a byte at a time: the answer, and blanks without end."""
        at = 0
        while not self.server.stub.released.wait(0.02):
            self.wfile.write(data[at : at + 1] or b" ")
            at += 1
        raise ConnectionError

    do_GET = do_POST = do_PATCH = _serve

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def bodies(name: str) -> Any:
    """Read a recorded body."""
    path = Path(__file__).parents[1] / "core" / "bodies" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))
