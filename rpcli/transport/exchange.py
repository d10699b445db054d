"""A call in a thread of its own, which can be given up at a deadline.

The timeouts of sockets start again with every byte, and the resolver has none at all: a server that
drips, or a name that hangs, outlasts them. So whoever waits does so by its own clock, and when time
is up the sockets are shut down under the reader.

Rules: a call that was given up sends nothing any more; threads are daemons and hold nobody up.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")

#: Gives the socket that a connection has at the moment, or None.
SocketSource = Callable[[], socket.socket | None]

_running = threading.local()


class GivenUp(Exception):
    """Nobody waits for this call any more."""


class Lifeline:
    """What can be given up from any thread, whatever it waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[SocketSource] = []
        self._children: list[Pending[Any]] = []
        self._given_up = False
        self._sent = False

    @property
    def sent(self) -> bool:
        """Whether the request began to be written: from then on it may have arrived."""
        return self._sent

    @property
    def is_given_up(self) -> bool:
        """Whether nobody wants anything of it any more."""
        return self._given_up

    def give_up(self) -> None:
        """Wake it out of whatever it waits for, and want nothing more of it."""
        with self._lock:
            self._given_up = True
            children = list(self._children)
        for child in children:
            child.give_up()
        self.shut()

    def shut(self) -> None:
        """Shut the sockets that it waits for: what has not come yet does not come any more."""
        with self._lock:
            sockets = list(self._sockets)
        for source in sockets:
            _shut(source)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Let what runs in this thread belong to it."""
        before = getattr(_running, "lifeline", None)
        _running.lifeline = self
        try:
            yield
        finally:
            _running.lifeline = before

    def _adopt(self, child: Pending[Any]) -> None:
        with self._lock:
            if self._given_up:
                raise GivenUp
            self._children.append(child)

    def _watch(self, source: SocketSource) -> None:
        with self._lock:
            if self._given_up:
                raise GivenUp
            self._sockets.append(source)

    def _about_to_send(self) -> None:
        with self._lock:
            if self._given_up:
                raise GivenUp
            self._sent = True


class Pending(Lifeline, Generic[T]):
    """A call under way; its value, or what it raised, is kept for whoever waits.

    A call that is started by another belongs to it, and is given up with it.
    """

    def __init__(self, call: Callable[[], T]) -> None:
        super().__init__()
        self._call = call
        self._done = threading.Event()
        self._values: list[T] = []
        self._error: BaseException | None = None
        parent = _here()
        if parent is not None:
            parent._adopt(self)
        threading.Thread(target=self._run, name="rpcli-call", daemon=True).start()

    @property
    def is_done(self) -> bool:
        """Whether the call has ended."""
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the call has ended, for so many seconds at most, and say whether it has."""
        return self._done.wait(None if seconds is None else max(seconds, 0.0))

    def result(self) -> T:
        """Wait for the call, and give its value.

        :raises BaseException: what the call raised
        """
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._values[0]

    def _run(self) -> None:
        try:
            with self.running():
                self._values.append(self._call())
        except BaseException as error:  # noqa: BLE001 - kept, and raised where it is waited for
            self._error = error
        finally:
            with self._lock:
                # The connection may serve another call from now on.
                self._sockets.clear()
            self._done.set()


def _here() -> Lifeline | None:
    """Give what runs in this thread."""
    lifeline: Lifeline | None = getattr(_running, "lifeline", None)
    return lifeline


def watch(source: SocketSource) -> None:
    """Tell the call that runs in this thread which socket it waits for.

    :raises GivenUp: nobody waits for it any more
    """
    lifeline = _here()
    if lifeline is not None:
        lifeline._watch(source)


def about_to_send() -> None:
    """Tell the call that runs in this thread that its request is being written from now on.

    :raises GivenUp: nobody waits for it any more, and so it must not be sent
    """
    lifeline = _here()
    if lifeline is not None:
        lifeline._about_to_send()


def _shut(source: SocketSource) -> None:
    # It may have been closed on either side in the meantime.
    with contextlib.suppress(OSError, ValueError):
        sock = source()
        if sock is not None:
            sock.shutdown(socket.SHUT_RDWR)
