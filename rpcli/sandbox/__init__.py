"""A RunPod control plane on loopback: REST v2, REST v1 and GraphQL over one state.

Rules: it binds 127.0.0.1 only; werkzeug is imported when one starts, graphql-core at the first
request to ``/graphql``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rpcli.sandbox.server import Banner, Server

__all__ = ["Sandbox", "scenario_names", "serve"]


def scenario_names() -> dict[str, str]:
    """Give the scenarios that ship, each with one line on it."""
    from rpcli.sandbox.scenario import scenario_names as names

    return names()


class Sandbox:
    """One control plane; also a context manager.

    :param scenario: the name of one that ships, the path of a file, or a mapping
    :raises ConfigError: there is no such scenario, or it does not fit the schema
    """

    def __init__(self, scenario: str | Mapping[str, Any] = "demo") -> None:
        from rpcli.sandbox.app import App
        from rpcli.sandbox.scenario import API_KEY, build_state, load_scenario

        self._scenario = load_scenario(scenario)
        self._state = build_state(self._scenario)
        self._app = App(self._scenario, self._state)
        self._server: Server | None = None
        self._banner: Banner | None = None
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
        from rpcli.sandbox.server import Banner, Server

        try:
            self._server = Server(self._app, port)
        except (OSError, SystemExit) as error:
            raise FileError(f"port {port} on 127.0.0.1 cannot be bound") from error
        self._banner = Banner()
        self._state.banner_port = self._banner.port
        self._server.start()

    def stop(self) -> None:
        """End every connection and thread."""
        self._app.stopping.set()
        if self._server is not None:
            self._server.stop()
            self._server = None
        if self._banner is not None:
            self._banner.stop()
            self._banner = None

    @property
    def port(self) -> int:
        """The port that it listens on."""
        if self._server is None:
            raise RuntimeError("the sandbox is not running")
        return int(self._server.server_port)

    @property
    def url(self) -> str:
        """The origin of every plane."""
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        """Give the variables that send rpcli here."""
        return {
            "RUNPOD_API_KEY": self.api_key,
            "RUNPOD_REST_V2_URL": f"{self.url}/v2",
            "RUNPOD_API_URL": f"{self.url}/v1",
            "RUNPOD_GRAPHQL_URL": f"{self.url}/graphql",
            "RUNPOD_INVOKE_URL": f"{self.url}/queue/v2",
            "RPCLI_API": "v2",
        }

    def requests(self) -> list[dict[str, Any]]:
        """Give every request so far, in the order in which they came."""
        return self._app.ledger.entries()

    def wait_for_requests(self, count: int = 1, seconds: float = 30.0) -> bool:
        """Wait until so many requests have come in all, and say whether they have."""
        return self._app.ledger.wait_for(count, seconds)

    def forget_requests(self) -> None:
        """Begin to count anew."""
        self._app.ledger.clear()

    def advance(self, seconds: float) -> None:
        """Turn the clock forward."""
        self._state.clock.advance(seconds)

    def add_fault(self, fault: Mapping[str, Any]) -> None:
        """Arm a fault: see ``docs/sandbox.md``."""
        self._app.faults.add(fault)

    def clear_faults(self) -> None:
        """Disarm all faults."""
        self._app.faults.clear()


def serve(sandbox: Sandbox, port: int, announce: Callable[[str], None]) -> None:
    """Serve in the foreground until a signal ends the process, and say how to use it.

    :param announce: takes the lines to export
    """
    sandbox.start(port)
    try:
        exports = "".join(f"export {k}={v}\n" for k, v in sandbox.environment().items())
        announce(f"# a sandbox on {sandbox.url}; paste this, end it with Ctrl-C\n{exports}")
        threading.Event().wait()
    finally:
        sandbox.stop()
