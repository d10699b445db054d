"""The sandbox on the wire: a threaded WSGI server on loopback that stops when it is told to."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

HOST = "127.0.0.1"


class _Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are two writes: the second must not wait for an acknowledgement.
    disable_nagle_algorithm = True

    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing: stdout and stderr belong to whoever runs us."""

    def connection_dropped(self, error: BaseException, environ: Any = None) -> None:  # noqa: ARG002
        """Close for good: a fault, or the client, ended the connection."""
        self.close_connection = True


class Server(ThreadedWSGIServer):
    """Serves one application in a thread; :meth:`stop` leaves neither thread nor socket."""

    daemon_threads = True

    def __init__(self, app: Any, port: int) -> None:
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(HOST, port, app, handler=_Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection, and remember it."""
        sock, address = super().get_request()
        with self._lock:
            self._open.add(sock)
        return sock, address

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection that has ended."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away in the middle of an answer."""

    def stop(self) -> None:
        """End every connection, the thread and the listener."""
        self.shutdown()
        with self._lock:
            connections = list(self._open)
        for sock in connections:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self.server_close()


class Banner:
    """A listener on loopback that greets as sshd does, and hangs up."""

    def __init__(self) -> None:
        self._socket = socket.create_server((HOST, 0))
        self.port = int(self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return  # stop() closed it
            with connection, contextlib.suppress(OSError):
                connection.sendall(b"SSH-2.0-OpenSSH_9.6 sandbox\r\n")

    def stop(self) -> None:
        """Close it, and wake the thread that waits in it."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()
