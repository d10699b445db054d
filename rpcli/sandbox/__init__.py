"""A RunPod control plane on loopback: REST v2, REST v1 and GraphQL over one state.

Rules: it binds 127.0.0.1 only; werkzeug is imported when one starts, graphql-core at the first
request to ``/graphql``; :meth:`Sandbox.stop` leaves neither a thread nor a socket behind.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rpcli.sandbox.app import App
    from rpcli.sandbox.server import Loop, Server
    from rpcli.sandbox.sshd import Sshd

__all__ = ["Sandbox", "scenario_names", "serve"]


def scenario_names() -> dict[str, str]:
    """Give the scenarios that ship, by name, each with one line on it."""
    from rpcli.sandbox.scenario import scenario_names as names

    return names()


class Sandbox:
    """One control plane; also a context manager, which starts and stops it.

    It runs once: what was asked of it can still be read after :meth:`stop`.

    :param scenario: the name of one that ships, the path of a file, or a mapping
    :raises ConfigError: there is no such scenario, or it does not fit the schema
    """

    def __init__(self, scenario: str | Mapping[str, Any] = "demo") -> None:
        from rpcli.errors import ConfigError
        from rpcli.sandbox.keys import API_KEY
        from rpcli.sandbox.scenario import build_state, load_scenario

        self._scenario = load_scenario(scenario)
        try:
            self._state = build_state(self._scenario)
        except ConfigError as error:
            name = f" {scenario}" if isinstance(scenario, str) else ""
            raise ConfigError(f"the scenario{name} cannot be played: {error.message}") from None
        self._app: App | None = None
        self._running: tuple[Loop, Server, Sshd] | None = None
        #: The key that it takes.
        self.api_key: str = self._scenario.get("account", {}).get("apiKey", API_KEY)

    def __enter__(self) -> Sandbox:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def start(self, port: int = 0) -> None:
        """Begin to serve, on a free port where none is given.

        :raises FileError: the port is taken
        """
        from rpcli.errors import FileError
        from rpcli.sandbox.server import HOST, Loop, Server
        from rpcli.sandbox.sshd import Sshd

        if self._running is not None or self._serving.stopping.is_set():
            raise RuntimeError("a sandbox runs once")
        loop = Loop()
        try:
            server = Server(self._serving, port, loop)
        except OSError as error:
            loop.stop()
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise FileError(f"port {port} on {HOST} cannot be bound: {reason}") from error
        sshd = Sshd(loop, self._state.clock.now)
        self._state.sshd = sshd
        self._running = loop, server, sshd
        loop.start()

    def stop(self) -> None:
        """End every connection and thread; a second time it does nothing."""
        self._serving.stopping.set()
        if self._running is None:
            return
        loop, server, sshd = self._running
        self._running = None
        loop.stop()
        server.stop()
        sshd.close()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        if self._running is None:
            raise RuntimeError("the sandbox is not running")
        return int(self._running[1].port)

    @property
    def url(self) -> str:
        """The origin of every plane."""
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        """Give the variables that send rpcli, and the platform's own tools, here."""
        return {
            "RUNPOD_API_KEY": self.api_key,
            "RUNPOD_REST_V2_URL": f"{self.url}/v2",
            "RUNPOD_API_URL": f"{self.url}/v1",
            "RUNPOD_GRAPHQL_URL": f"{self.url}/graphql",
            "RUNPOD_INVOKE_URL": f"{self.url}/queue/v2",
            "RPCLI_API": "v2",
        }

    def requests(self) -> list[dict[str, Any]]:
        """Give the requests so far, in the order in which they came.

        Each has ``method``, ``plane``, ``route`` (the template, None where no route fits), ``path``
        and ``query`` as they were sent, ``status`` (None: cut off, or not answered yet), ``time``
        (RFC 3339, of the sandbox's clock), ``together`` (how many were open when it came, itself
        included), ``abandoned`` (the client went away first), ``key`` (the name of its scope, never
        the key), ``lastEventId`` (the header), ``userAgent`` and ``body`` (decoded JSON).
        """
        return self._serving.ledger.entries()

    def most_open(self) -> int:
        """Give the most requests that were open at once."""
        return self._serving.ledger.most_open()

    def wait_for_requests(self, count: int = 1, seconds: float = 30.0) -> bool:
        """Wait until so many requests have come in all, and say whether they have."""
        return self._serving.ledger.wait_for(count, seconds)

    def wait_until_idle(self, seconds: float = 30.0) -> bool:
        """Wait until no request is open any more, and say whether none is."""
        return self._serving.ledger.wait_until_idle(seconds)

    def forget_requests(self) -> None:
        """Begin to count anew."""
        self._serving.ledger.clear()

    def advance(self, seconds: float) -> None:
        """Turn the clock forward."""
        self._state.clock.advance(seconds)

    def log(self, owner: str, line: str, source: str = "container", ts: str | None = None) -> None:
        """Add a line to the log of a pod, or of an active worker, now; whoever waits gets it.

        :param owner: the id of the pod or worker
        :param ts: what it says of its time, RFC 3339 or a distance as ``-5s``; now where None
        :raises ConfigError: there is no such pod or worker, or no such time
        """
        from rpcli.sandbox import interventions

        interventions.add_line(self._state, owner, {"line": line, "source": source, "ts": ts})

    def add_worker(self, endpoint: str, worker: str, **members: Any) -> None:
        """Let a worker join an endpoint now.

        :param members: as a scenario has them
        :raises ConfigError: there is no such endpoint, or there is such a worker, or a member is
            none
        """
        from rpcli.sandbox import interventions

        interventions.add_worker(self._state, endpoint, {"id": worker, **members})

    def remove_worker(self, endpoint: str, worker: str) -> None:
        """Let a worker leave an endpoint now: its streams end, and it is unknown.

        :raises ConfigError: there is no such worker
        """
        from rpcli.sandbox import interventions

        interventions.remove_worker(self._state, endpoint, worker)

    def add_fault(self, fault: Mapping[str, Any]) -> None:
        """Arm a fault; ``docs/sandbox.md`` has their keys.

        :raises ConfigError: it is no such fault
        """
        from rpcli.errors import ConfigError
        from rpcli.sandbox.scenario import fault_errors

        wrong = fault_errors(fault)
        if wrong:
            raise ConfigError(f"the fault does not fit its schema: {wrong[0]}")
        self._serving.faults.add(fault)

    def clear_faults(self) -> None:
        """Disarm all faults."""
        self._serving.faults.clear()

    @property
    def _serving(self) -> App:
        if self._app is None:
            from rpcli.sandbox.app import App

            self._app = App(self._scenario, self._state)
        return self._app


def serve(sandbox: Sandbox, port: int, announce: Callable[[str], None]) -> None:
    """Serve in the foreground until an exception, as that of a signal, ends the wait.

    :param announce: takes the lines to export, before the wait begins
    :raises FileError: the port is taken
    """
    sandbox.start(port)
    try:
        exports = "".join(f"export {k}={v}\n" for k, v in sandbox.environment().items())
        announce(f"# a sandbox on {sandbox.url}; paste this, end it with Ctrl-C\n{exports}")
        threading.Event().wait()
    finally:
        sandbox.stop()
