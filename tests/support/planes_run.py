"""Open the control planes on a scripted platform, as pytest fixtures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from planes_stub import Stub

from rpcli.clock import Clock
from rpcli.config import Settings, load_settings
from rpcli.controlplane import open_plane
from rpcli.controlplane.protocol import ControlPlane
from rpcli.domain.pod import PodSnapshot
from rpcli.domain.podstate import PodState, state_of
from rpcli.transport import Transport


class Run:
    """A plane, what it noted, and a clock that a test turns."""

    def __init__(self, settings: Settings, transport: Transport) -> None:
        self.notes: list[str] = []
        self.now = datetime(2026, 12, 1, 12, tzinfo=UTC)
        self.plane: ControlPlane = open_plane(
            settings, transport, now=lambda: self.now, note=self.notes.append
        )

    def state(self, pod: PodSnapshot) -> PodState:
        """Derive the state of a pod."""
        return state_of(pod, self.now)


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as running:
        yield running


@pytest.fixture
def open_run(stub: Stub, tmp_path: Path) -> Iterator[Callable[..., Run]]:
    """Open a plane on the stub; ``limit`` is the user's own timeout, shorter than any cap."""
    opened: list[Transport] = []

    def make(api: str, limit: float | None = None) -> Run:
        if limit is not None:
            (tmp_path / ".runpod").mkdir()
            (tmp_path / ".runpod" / "config.toml").write_text(f"[rpcli]\ntimeout = {limit}\n")
        settings = load_settings(stub.environment, tmp_path, api=api)
        opened.append(Transport(settings, Clock()))
        return Run(settings, opened[-1])

    yield make
    for transport in opened:
        transport.close()


Open = Callable[..., Run]
