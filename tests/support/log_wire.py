"""The process of a :class:`log_server.LogServer`: what it sends, and what it does to who reads.

The first line of stdin says what there is; each further one is a question, answered on stdout.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from log_lines import NumberedLog

#: Frames that are rendered, sent and counted together; one chunk of HTTP has a tenth of them.
SLAB = 1000
#: Seconds; nothing that is waited for takes so long.
PATIENCE = 60.0


@dataclass
class Stream:
    """The log of one pod or worker, and what befalls those who read it.

    :param lines: how many lines there will ever be; after the last one it stays open and silent
    :param produced: how many there are to begin with, as there may be more later; None: all
    :param history: how many of them are old: of these, only ``tail`` are replayed
    :param ids: see :class:`~log_lines.NumberedLog`, and so ``width`` and ``ascii``
    :param shape: see :data:`~log_lines.SHAPES`
    :param framing: ``chunked``, or ``close``: the body ends with the connection
    :param pieces: send in pieces of a random size up to so many bytes; 0: as large as they are
    :param prepared: render all before the first request
    :param deaf: send everything, whatever was asked for
    :param eager: send the headers at once
    :param retry: milliseconds for a ``retry:`` field at the beginning of each answer
    :param cut_after: end each connection after a random number of bytes, so many on average
    :param cuts: the ways to do it: ``end`` as HTTP ends, ``drop`` without that, ``reset``
    :param refused: the share of requests that are answered 503, with ``Retry-After: 0``
    :param giant: a line, and how many bytes its text has
    :param every: seconds between two lines, each with the sender's clock as its text
    """

    name: str
    lines: int = 0
    produced: int | None = None
    history: int = 0
    ids: str = "time"
    width: int = 0
    ascii: bool = False
    shape: str = "service"
    framing: str = "chunked"
    pieces: int = 0
    prepared: bool = False
    deaf: bool = False
    eager: bool = False
    retry: int | None = None
    cut_after: int = 0
    cuts: tuple[str, ...] = ("end", "drop", "reset")
    refused: float = 0.0
    giant: tuple[int, int] | None = None
    every: float = 0.0
    seed: int = 1
    gone: bool = False
    _slabs: dict[int, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.log = NumberedLog(self.ids, self.width, self.ascii)
        self.random = random.Random(self.seed)
        if self.produced is None:
            self.produced = self.lines
        if self.prepared:
            self._slabs = {n: self._render(n, n + SLAB) for n in range(0, self.lines, SLAB)}

    def slab(self, begin: int, end: int) -> tuple[bytes, bool]:
        """Give frames, and whether they are in chunks already."""
        if end - begin == SLAB and begin in self._slabs:
            return self._slabs[begin], self.framing == "chunked"
        frame, shape = self.log.frame, self.shape
        return "".join([frame(n, shape) for n in range(begin, end)]).encode(), False

    def _render(self, begin: int, end: int) -> bytes:
        step = SLAB // 10
        parts = [self.slab(n, min(n + step, end))[0] for n in range(begin, end, step)]
        return b"".join(map(_chunk, parts) if self.framing == "chunked" else parts)

    def starts(self, query: dict[str, str], last_event_id: str | None) -> tuple[list[int], int]:
        """Give lines that are sent first, and the line from which on all are sent."""
        if self.deaf:
            return [], 0
        if last_event_id is not None:
            return [], self.log.after(last_event_id)
        if "since" in query:
            return [], self.log.since(query["since"])
        return self.log.tail(int(query.get("tail", "100")), self.history), self.history


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


GONE = {"title": "Not Found", "detail": "no such log"}


class Cut(Exception):
    """This connection has come to its end, on purpose."""


class Answer:
    """One answer with a stream, on its connection."""

    def __init__(self, server: Server, stream: Stream, sock: socket.socket) -> None:
        self._server = server
        self._stream = stream
        self._sock = sock
        self._chunked = stream.framing == "chunked"
        self._headed = False
        mean = stream.cut_after
        self._budget = stream.random.randint(1, 2 * mean) if mean else sys.maxsize

    def run(self, before: list[int], begin: int) -> bool:
        """Send lines for ever; give whether the connection can take another request."""
        try:
            if self._stream.eager:
                self._head()
            if before:
                self._body("".join(self._stream.log.frame(n) for n in before).encode())
            for data, ready in self._slabs(begin):
                if ready:
                    self._head()
                    self._send(data)
                else:
                    self._body(data)
        except Cut:
            self._server.count("cuts")
            return self._cut(self._stream.random.choice(self._stream.cuts))
        return self._cut("end") if self._headed else _plain(self._sock, 404, GONE)

    def _slabs(self, begin: int) -> Iterator[tuple[bytes, bool]]:
        stream, n = self._stream, begin
        while self._server.wait_for_line(stream, n):
            if stream.every:
                self._server.stopping.wait(stream.every * stream.random.uniform(0.5, 1.5))
                yield stream.log.frame(n, text=f"sent {time.monotonic_ns()}").encode(), False
                n += 1
            elif stream.giant and stream.giant[0] == n:
                yield from ((part, False) for part in self._giant(n, stream.giant[1]))
                n += 1
            else:
                end = min(n - n % SLAB + SLAB, stream.produced or 0)
                if stream.giant and n < stream.giant[0] < end:
                    end = stream.giant[0]
                yield stream.slab(n, end)
                n = end

    def _giant(self, n: int, size: int) -> Iterator[bytes]:
        begin, _, end = self._stream.log.frame(n, text="\0").encode().partition(b"\0")
        yield begin
        for left in range(size, 0, -SLAB * 100):
            yield b"x" * min(left, SLAB * 100)
        yield end

    def _body(self, data: bytes) -> None:
        if not self._headed:
            self._head()
            if self._stream.retry is not None:
                data = f"retry: {self._stream.retry}\n\n".encode() + data
        at = 0
        while at < len(data):
            most = self._stream.pieces
            size = min(self._stream.random.randint(1, most) if most else len(data), self._budget)
            piece = data[at : at + size]
            at += len(piece)
            self._budget -= len(piece)
            self._send(_chunk(piece) if self._chunked else piece)
            if not self._budget:
                raise Cut

    def _head(self) -> None:
        if self._headed:
            return
        self._headed = True
        how = "Transfer-Encoding: chunked" if self._chunked else "Connection: close"
        head = (
            "HTTP/1.1 200 OK",
            "Content-Type: text/event-stream",
            "Cache-Control: no-cache",
            how,
        )
        self._sock.sendall("\r\n".join([*head, "", ""]).encode())

    def _send(self, data: bytes) -> None:
        self._sock.sendall(data)
        self._server.sent += len(data)

    def _cut(self, how: str) -> bool:
        if how == "reset":
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif how == "end" and self._chunked:
            self._sock.sendall(b"0\r\n\r\n")
            return True
        elif how == "drop" and self._chunked:
            self._sock.sendall(b"40\r\nid: 2026")
        return False


class Server:
    """The server itself, in its own process."""

    def __init__(self, streams: list[dict[str, Any]], endpoints: dict[str, list[str]]) -> None:
        self.streams = {s["name"]: Stream(**s) for s in streams}
        self.endpoints = endpoints
        self.requests: list[dict[str, Any]] = []
        self.counts = {"cuts": 0, "refused": 0}
        self.sent = 0
        self.stopping = threading.Event()
        self._changed = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]

    def accept(self) -> None:
        """Take connections for ever."""
        while True:
            sock, _ = self._listener.accept()
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def count(self, what: str) -> None:
        """Count what was done."""
        with self._changed:
            self.counts[what] += 1

    def wait_for_line(self, stream: Stream, n: int) -> bool:
        """Wait until a line is there; False once there will be none."""
        with self._changed:
            self._changed.wait_for(lambda: stream.gone or n < (stream.produced or 0))
            return not stream.gone

    def _serve(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError), sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            data = b""
            while chunk := sock.recv(1 << 16):
                data += chunk
                while b"\r\n\r\n" in data:
                    head, _, data = data.partition(b"\r\n\r\n")
                    if not self._answer(sock, head.decode("latin-1").split("\r\n")):
                        return

    def _answer(self, sock: socket.socket, lines: list[str]) -> bool:
        target = urlsplit(lines[0].split(" ")[1])
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        query = {k: v[-1] for k, v in parse_qs(target.query).items()}
        last = headers.get("last-event-id")
        request = {"path": target.path, "query": query, "last_event_id": last, "status": 200}
        parts = target.path.strip("/").split("/")
        stream = self.streams.get(parts[-2])
        listing = parts[-1] == "workers" and parts[-2] in self.endpoints
        if not listing and (stream is None or stream.gone):
            request["status"] = 404
        elif stream is not None and stream.random.random() < stream.refused:
            request["status"] = 503
            self.count("refused")
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
        if listing:
            return self._list(sock, self.endpoints[parts[-2]])
        if stream is None or request["status"] != 200:
            return _plain(sock, request["status"], GONE)
        before, begin = stream.starts(query, last)
        return Answer(self, stream, sock).run(before, begin)

    def _list(self, sock: socket.socket, workers: list[str]) -> bool:
        names = ("running", "idle", "initializing", "throttled", "unhealthy")
        summary = dict.fromkeys(names, 0) | {"running": len(workers), "total": len(workers)}
        known = {"status": "RUNNING", "isStale": False, "gpuCount": 1, "version": 4}
        listed = [{"id": worker, **known} for worker in workers]
        return _plain(sock, 200, {"endpointVersion": 4, "summary": summary, "workers": listed})

    # What can be asked of it; each is a word, and takes what comes with it.

    def do_report(self) -> dict[str, Any]:
        return {"requests": self.requests, "sent": self.sent, **self.counts}

    def do_wait(self, requests: int) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: len(self.requests) >= requests, PATIENCE)

    def do_produce(self, stream: str, lines: int) -> None:
        with self._changed:
            self.streams[stream].produced = (self.streams[stream].produced or 0) + lines
            self._changed.notify_all()

    def do_join(self, endpoint: str, worker: dict[str, Any]) -> None:
        self.streams[worker["name"]] = Stream(**worker)
        self.endpoints[endpoint] = [*self.endpoints[endpoint], worker["name"]]

    def do_retire(self, endpoint: str, worker: str) -> None:
        self.endpoints[endpoint] = [w for w in self.endpoints[endpoint] if w != worker]
        with self._changed:
            self.streams[worker].gone = True
            self._changed.notify_all()

    def do_stall(self, seconds: float) -> int:
        """Wait until so many seconds have gone by in which nothing could be sent."""
        sent = -1
        while sent != self.sent or not sent:
            sent = self.sent
            self.stopping.wait(seconds)
        return sent


def _plain(sock: socket.socket, status: int, document: object) -> bool:
    kind = "json" if status == 200 else "problem+json"
    if status == 503:
        kind += "\r\nRetry-After: 0"
    data = json.dumps(document).encode()
    head = (
        f"HTTP/1.1 {status} Told\r\nContent-Type: application/{kind}\r\nContent-Length: {len(data)}"
    )
    sock.sendall(head.encode() + b"\r\n\r\n" + data)
    return True


def main() -> None:
    """Serve as the first line of stdin says, answer each further one, and end with the last."""
    server = Server(**json.loads(sys.stdin.readline()))
    threading.Thread(target=server.accept, daemon=True).start()
    done: object = server.port
    while True:
        sys.stdout.write(json.dumps(done) + "\n")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            break
        words = json.loads(line)
        done = getattr(server, f"do_{words.pop('do')}")(**words)
    os._exit(0)


if __name__ == "__main__":
    main()
