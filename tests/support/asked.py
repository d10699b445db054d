"""What a sandbox was asked, in the form that tests compare."""

from __future__ import annotations

from rpcli.sandbox import Sandbox

#: Both generations of the API: ``rpcli --api …``.
APIS = ("v2", "classic")


def asked(sandbox: Sandbox) -> list[str]:
    """Give the requests that came, as ``GET /v1/pods``, sorted: some come at the same time."""
    return sorted(f"{r['method']} {r['path']}" for r in sandbox.requests())


def unanswered(sandbox: Sandbox) -> list[str]:
    """Give those of them that were not answered, or are not answered yet."""
    return [f"{r['method']} {r['path']}" for r in sandbox.requests() if r["status"] is None]
