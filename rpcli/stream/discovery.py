"""The thread that reads again and again which streams there are.

Rules: the next listing waits until the last one was dealt with, and then for its time; no oftener,
and slower where little is left of the rate limit.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rpcli.errors import RpcliError
from rpcli.stream.hub import Hub, HubClosed
from rpcli.stream.interrupt import Interrupt
from rpcli.stream.ports import StreamTarget

#: Seconds from one listing to the next.
INTERVAL = 15.0
#: Answers after which asking again makes no sense.
_FINAL = frozenset((401, 403, 404))


class Listed(NamedTuple):
    """A listing."""

    targets: Sequence[StreamTarget]


class ListingFailed(NamedTuple):
    """A listing that could not be had."""

    error: RpcliError

    @property
    def is_final(self) -> bool:
        """Whether there will be no other."""
        return self.error.status in _FINAL


class Discovery:
    """Lists the streams, in a thread of its own; call all of it from the main thread.

    :param discover: gives the streams that there are now
    :param wait: gives the seconds to the next listing
    :param hub: takes :class:`Listed` and :class:`ListingFailed`, and an
        :class:`~rpcli.stream.interrupt.Interrupt` where there is a bug
    """

    def __init__(
        self,
        discover: Callable[[], Sequence[StreamTarget]],
        wait: Callable[[], float],
        hub: Hub[Any],
    ) -> None:
        self._discover = discover
        self._wait = wait
        self._hub = hub
        self._stop = threading.Event()
        self._next = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, name="rpcli-discovery", daemon=True)

    def start(self) -> None:
        """List for the first time, in a while."""
        self._next.release()
        self._thread.start()

    def proceed(self) -> None:
        """List again in a while: the last listing was dealt with."""
        self._next.release()

    def stop(self) -> None:
        """List no more."""
        self._stop.set()
        self._next.release()

    def _run(self) -> None:
        try:
            while self._next.acquire() and not self._stop.wait(self._wait()):
                self._hub.post(self._list())
        except HubClosed:
            pass
        except BaseException as error:  # noqa: BLE001 - a bug; raised in the main thread
            _post(self._hub, Interrupt(error))

    def _list(self) -> Listed | ListingFailed:
        try:
            return Listed(self._discover())
        except RpcliError as error:
            return ListingFailed(error)


def _post(hub: Hub[Any], message: object) -> None:
    with contextlib.suppress(HubClosed):
        hub.post(message)
