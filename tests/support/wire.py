"""A transport for tests: real sockets and a real wall clock, but no real waits between tries."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from stub import Reply, Stub, serve

from rpcli.clock import Clock
from rpcli.config import Settings, load_settings
from rpcli.errors import RpcliError
from rpcli.transport import Transport

# Its import of requests shall not count against the limit of the first test that has one.
from rpcli.transport import session as _session  # noqa: F401

KEY = "rpa_TEST0SECRET"


def write_config(home: Path, text: str | bytes) -> Path:
    """Write the configuration file of a home."""
    path = home / ".runpod" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


class SteppingClock(Clock):
    """The machine's clock, which skips over every sleep and remembers it."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return super().monotonic() + sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def settings_of(
    home: Path, env: Mapping[str, str] | None = None, *, timeout: float | None = None
) -> Settings:
    """Make settings with a key and, where wanted, a short limit of time."""
    if timeout is not None:
        write_config(home, f"[rpcli]\ntimeout = {timeout}\n")
    return load_settings({"RUNPOD_API_KEY": KEY, **(env or {})}, home)


def transport_to(
    url: str,
    home: Path,
    *,
    timeout: float | None = None,
    clock: Clock | None = None,
    trace: Callable[[str], None] | None = None,
    env: Mapping[str, str] | None = None,
) -> Transport:
    """Make a transport whose three APIs are all at one address."""
    addresses = {
        "RUNPOD_REST_V2_URL": f"{url}/v2",
        "RUNPOD_API_URL": f"{url}/v1",
        "RUNPOD_GRAPHQL_URL": f"{url}/graphql",
    }
    return Transport(
        settings_of(home, addresses | dict(env or {}), timeout=timeout),
        clock or SteppingClock(),
        trace=trace,
        jitter=lambda: 0.5,
    )


Ask = Callable[[Transport], object]


def get(transport: Transport) -> object:
    return transport.rest_v2("GET", "pods")


def ask_graphql(transport: Transport) -> object:
    return transport.graphql("{ myself { id } }")


def refused(home: Path, answer: Reply, ask: Ask = get) -> RpcliError:
    """Ask a server that always answers so, and give the error that came of it."""
    with serve(answer) as stub:
        return refused_by(home, stub, ask)


def refused_by(
    home: Path, stub: Stub, ask: Ask = get, env: dict[str, str] | None = None
) -> RpcliError:
    """Ask a server, and give the error that came of it: short, and without the key."""
    transport = transport_to(stub.url, home, env=env)
    with pytest.raises(RpcliError) as caught:
        ask(transport)
    transport.close()
    told = json.dumps(caught.value.to_document())
    assert KEY not in told + repr(caught.value)
    assert len(told) < 2500
    return caught.value
