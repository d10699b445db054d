"""The sandbox on the wire: a threaded WSGI server on loopback that stops when it is told to.

Rules: one thread accepts, one thread a connection answers; :meth:`Server.stop` leaves neither a
thread nor a socket.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from collections.abc import Callable
from typing import Any

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

HOST = "127.0.0.1"
_BACKLOG = 256


class Loop:
    """Waits for connections on any number of listeners, in one thread."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._lock = threading.Lock()
        self._new: list[tuple[socket.socket, Callable[[], None]]] = []
        self._ending = False
        self._selector.register(self._woken, selectors.EVENT_READ, None)
        self._thread = threading.Thread(target=self._run, name="rpcli-sandbox", daemon=True)

    def start(self) -> None:
        """Begin to wait."""
        self._thread.start()

    def watch(self, listener: socket.socket, accept: Callable[[], None]) -> None:
        """Call a function, in the loop's thread, whenever somebody connects to a listener."""
        listener.setblocking(False)
        with self._lock:
            self._new.append((listener, accept))
        self._wake.send(b"+")

    def stop(self) -> None:
        """End the thread."""
        with self._lock:
            self._ending = True
        self._wake.send(b"-")
        if self._thread.ident is not None:
            self._thread.join()
        self._selector.close()
        self._wake.close()
        self._woken.close()

    def _run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.data is not None:
                    key.data()
                elif self._look_around():
                    return

    def _look_around(self) -> bool:
        """Take in new listeners, and say whether it is over."""
        self._woken.recv(4096)
        with self._lock:
            new, self._new = self._new, []
            for listener, accept in new:
                self._selector.register(listener, selectors.EVENT_READ, accept)
            return self._ending


class _Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are two writes: the second must not wait for an acknowledgement.
    disable_nagle_algorithm = True

    def version_string(self) -> str:
        """Name no library."""
        return "rpcli-sandbox"

    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing: stdout and stderr belong to whoever runs us."""

    def connection_dropped(self, error: BaseException, environ: Any = None) -> None:
        """Close for good: a fault, or the client, ended the connection."""
        self.close_connection = True


class Server(ThreadedWSGIServer):
    """Serves one application.

    :param port: 0 for any that is free
    :raises OSError: the port is taken
    """

    def __init__(self, app: Any, port: int, loop: Loop) -> None:
        self._open: set[socket.socket] = set()
        self._handlers: set[threading.Thread] = set()
        self._lock = threading.Lock()
        # Where werkzeug binds itself, it tells a failure on stderr and exits.
        with socket.create_server((HOST, port), backlog=_BACKLOG) as listener:
            super().__init__(HOST, port, app, handler=_Handler, fd=listener.fileno())
        loop.watch(self.socket, self._accept)

    def _accept(self) -> None:
        try:
            connection, address = self.get_request()
        except OSError:
            return  # gone before it was accepted
        connection.setblocking(True)
        thread = threading.Thread(
            target=self._serve,
            args=(connection, address),
            name="rpcli-sandbox-request",
            daemon=True,
        )
        with self._lock:
            self._open.add(connection)
            self._handlers.add(thread)
        thread.start()

    def _serve(self, connection: socket.socket, address: Any) -> None:
        try:
            self.process_request_thread(connection, address)
        finally:
            with self._lock:
                self._open.discard(connection)
                self._handlers.discard(threading.current_thread())

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away in the middle of a request or an answer."""

    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing: stdout and stderr belong to whoever runs us."""

    def stop(self) -> None:
        """End every connection, its thread, and the listener; the loop must have ended."""
        self.socket.close()
        with self._lock:
            connections, handlers = list(self._open), list(self._handlers)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in handlers:
            thread.join()
