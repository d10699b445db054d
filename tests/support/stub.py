"""A scripted server on loopback: it keeps every byte that it is sent, and answers as it is told.

A reply is bytes, or a function that is given the :class:`Talk`. Replies are used in turn, one a
request; the last one answers all that follow.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CERTIFICATE = Path(__file__).parent / "tls" / "server.pem"
#: Nothing that a test waits for takes so long; it only ends a test that would hang.
PATIENCE = 20.0


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    raw: bytes

    @property
    def line(self) -> str:
        return self.raw.partition(b"\r\n")[0].decode("latin-1")

    @property
    def method(self) -> str:
        return self.line.split(" ")[0]

    @property
    def target(self) -> str:
        return self.line.split(" ")[1]

    @property
    def headers(self) -> dict[str, str]:
        lines = self.raw.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
        return {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}

    @property
    def body(self) -> bytes:
        return self.raw.partition(b"\r\n\r\n")[2]

    @property
    def key(self) -> str | None:
        """What came as the key."""
        return self.headers.get("authorization")


class Talk:
    """One request and its connection, for replies that are more than bytes."""

    def __init__(self, stub: Stub, sock: socket.socket, request: Request) -> None:
        self.stub = stub
        self.sock = sock
        self.request = request

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def drip(self, data: bytes = b" ") -> None:
        """Send a byte again and again until the other side has gone away."""
        try:
            while not self.stub.stopping.wait(0.01):
                self.send(data)
        except OSError:
            self.stub.left.set()

    def wait_until_left(self) -> None:
        """Say nothing until the other side has gone away."""
        with contextlib.suppress(OSError):
            self.sock.settimeout(PATIENCE)
            while self.sock.recv(1 << 16):
                pass
        if not self.stub.stopping.is_set():
            self.stub.left.set()

    def reset(self) -> None:
        """Cut the connection with a reset."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


Reply = bytes | Callable[[Talk], None]


@dataclass
class Stub:
    """The server; a context manager.

    :param replies: see the module
    """

    replies: tuple[Reply, ...]
    tls: bool = False
    #: A bound socket to use; until the server starts, it refuses every connection.
    listener: socket.socket | None = None
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    #: Set once a client went away while a reply was under way.
    left: threading.Event = field(default_factory=threading.Event)
    #: Set once a request is there.
    asked: threading.Event = field(default_factory=threading.Event)
    stopping: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Stub:
        self._listener = self.listener or socket.create_server(("127.0.0.1", 0))
        self._listener.listen()
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._open:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.host}"

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(sock)
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError), contextlib.closing(sock):
            if self.tls:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(CERTIFICATE)
                sock = context.wrap_socket(sock, server_side=True)
                self._open.append(sock)
            with contextlib.closing(sock):
                for request in _requests(sock):
                    reply = self._next(request)
                    if isinstance(reply, bytes):
                        sock.sendall(reply)
                        if b"connection: close" in reply.partition(b"\r\n\r\n")[0].lower():
                            break
                    else:
                        reply(Talk(self, sock, request))
                        break

    def _next(self, request: Request) -> Reply:
        with self._lock:
            reply = self.replies[min(len(self.requests), len(self.replies) - 1)]
            self.requests.append(request)
        self.asked.set()
        return reply


def _requests(sock: socket.socket) -> Iterator[Request]:
    data = b""
    while True:
        while b"\r\n\r\n" not in data:
            chunk = sock.recv(1 << 16)
            if not chunk:
                return
            data += chunk
        head, _, rest = data.partition(b"\r\n\r\n")
        length = int(Request(head + b"\r\n\r\n").headers.get("content-length", "0"))
        while len(rest) < length:
            chunk = sock.recv(1 << 16)
            if not chunk:
                return
            rest += chunk
        yield Request(head + b"\r\n\r\n" + rest[:length])
        data = rest[length:]


def serve(*replies: Reply, tls: bool = False) -> Stub:
    """Make a server of some replies."""
    return Stub(replies, tls=tls)


def head(status: int = 200, /, **headers: str) -> bytes:
    """Make the head of a reply, without a length: its body ends with the connection.

    An underscore in the name of a header is a hyphen.
    """
    fields = {"Content-Type": "application/json", "Connection": "close"}
    fields |= {name.replace("_", "-").title(): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'Told'}"]
    lines += [f"{name}: {value}" for name, value in fields.items() if value]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def reply(body: object = b"", status: int = 200, /, **headers: str) -> bytes:
    """Make a whole reply; a body that is not bytes is sent as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return head(status, **({"Content-Length": str(len(data))} | headers)) + data
