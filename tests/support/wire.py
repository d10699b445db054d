"""A transport for tests: real sockets and a real wall clock, but no real waits between tries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rpcli.clock import Clock
from rpcli.config import Settings, load_settings
from rpcli.transport import Transport

# Its import of requests shall not count against the limit of the first test that has one.
from rpcli.transport import session as _session  # noqa: F401

KEY = "rpa_TEST0SECRET"


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
        folder = home / ".runpod"
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text(f"[rpcli]\ntimeout = {timeout}\n")
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
