"""The workers of an endpoint, as REST v2 lists them.

Rules: a listing that cannot be read whole is refused, as a part of it would look like all; a worker
whose id can stand in no path is left out, and told of once, by the main thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from rpcli.plugin import NotFound, RpcliError, StreamTarget, UnexpectedResponse, UsageError
from rpcli_logs.options import check_id

_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null"}


def worker_ids(document: object) -> list[str]:
    """Give the id of each worker of a listing, in its order and once.

    :raises UnexpectedResponse: it is no object with a list of workers, each with an id
    """
    if not isinstance(document, dict):
        raise _unexpected("an object with 'workers'", document)
    workers = document.get("workers")
    if not isinstance(workers, list):
        raise _unexpected("a list under 'workers'", workers)
    ids: dict[str, None] = {}
    for worker in workers:
        if not isinstance(worker, dict):
            raise _unexpected("an object for each worker", worker)
        if not isinstance(worker.get("id"), str):
            raise _unexpected("a text as the id of a worker", worker.get("id"))
        ids[worker["id"]] = None
    return list(ids)


def worker_target(endpoint_id: str, worker_id: str) -> StreamTarget:
    """Give the stream of a worker."""
    return StreamTarget(("serverless", endpoint_id, "workers", worker_id, "logs"), worker_id)


class WorkerListing:
    """Lists the workers of an endpoint, from any thread.

    :param ask: asks REST v2 with GET for the path that is given, segment by segment
    """

    def __init__(self, endpoint_id: str, ask: Callable[..., Any]) -> None:
        self._endpoint_id = endpoint_id
        self._ask = ask
        self._left_out: set[str] = set()
        self._untold: SimpleQueue[str] = SimpleQueue()

    def __call__(self) -> Sequence[StreamTarget]:
        """Give the stream of each worker that there is now.

        :raises RpcliError: there is no such endpoint, or the listing cannot be had
        """
        ids = worker_ids(self._read())
        usable = [worker_id for worker_id in ids if self._is_usable(worker_id)]
        return [worker_target(self._endpoint_id, worker_id) for worker_id in usable]

    def tell(self, note: Callable[[str], None]) -> None:
        """Note what was left out since the last time."""
        while not self._untold.empty():
            try:
                worker_id = self._untold.get_nowait()
            except Empty:
                return
            note(f"a worker is left out, as '{worker_id}' can be no id in an address")

    def _read(self) -> object:
        try:
            return self._ask("serverless", self._endpoint_id, "workers")
        except RpcliError as error:
            if error.status != 404:
                raise
            raise NotFound(
                f"there is no endpoint '{self._endpoint_id}'",
                status=404,
                id=self._endpoint_id,
                api=error.api,
            ) from None

    def _is_usable(self, worker_id: str) -> bool:
        try:
            check_id(worker_id, "a worker")
        except UsageError:
            if worker_id not in self._left_out:
                self._left_out.add(worker_id)
                self._untold.put(worker_id)
            return False
        return True


def _unexpected(wanted: str, came: object) -> UnexpectedResponse:
    kind = _KINDS.get(type(came), "a number")
    return UnexpectedResponse(
        f"the list of workers: {wanted} was expected, and {kind} came", api="v2"
    )
