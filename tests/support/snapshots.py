"""Pods, ports and keys for tests of what is pure: as little as each test has to say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rpcli.domain.pod import PodSnapshot, Port, Runtime, RuntimeSignal, SshEndpoint
from rpcli.domain.publickey import LocalKey

KEYS = Path(__file__).parents[1] / "core" / "keys"
PUBLIC_KEY = (KEYS / "ed25519.pub").read_text(encoding="utf-8").strip()
FINGERPRINT = "SHA256:sLsAOb1SycCJ1e4MAivRbPDJ2mjFVP0ngTbTCbFBAKg"

NO_KEY = LocalKey("/srv/me/.runpod/ssh/runpodctl-ssh-key", exists=False)
KEY = LocalKey(
    "/srv/me/.runpod/ssh/runpodctl-ssh-key",
    exists=True,
    usable=True,
    public=PUBLIC_KEY,
    fingerprint=FINGERPRINT,
)


def port(
    private: int = 22,
    public: int | None = 22017,
    kind: str = "tcp",
    ip: str | None = "203.0.113.7",
    is_public: bool | None = True,
) -> Port:
    """Make a mapping: by default of port 22, to a public address."""
    return Port(private, public, kind, ip, is_public)


def classic_pod(ports: Sequence[Port] | None = (), *, uptime: int | None = 60, **members: Any):
    """Make a pod of the old API that runs, with these mappings."""
    return _pod("classic", Runtime(uptime, None if ports is None else tuple(ports)), members)


def v2_pod(
    direct: SshEndpoint | None = None,
    ports: Sequence[Port] | None = (),
    *,
    uptime: int | None = 60,
    **members: Any,
):
    """Make a pod of the living API that runs, with this address."""
    runtime = Runtime(uptime, None if ports is None else tuple(ports))
    return _pod("v2", runtime, {"ssh_direct": direct, **members})


def _pod(generation: str, runtime: Runtime, members: dict[str, Any]) -> PodSnapshot:
    given = {
        "id": "p1",
        "name": "a",
        "generation": generation,
        "desired_status": "RUNNING",
        "state_status": "RUNNING",
        "signal": RuntimeSignal.PRESENT,
        "runtime": runtime,
        "declared_ports": ("22/tcp",),
        **members,
    }
    return PodSnapshot(**given)
