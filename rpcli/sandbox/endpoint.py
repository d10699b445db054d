"""A serverless endpoint and its workers, as the sandbox keeps them.

The routes that show them come with the commands that ask for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Worker:
    """A worker; its status is in the words of REST v2 (``RUNNING``, ``IDLE``, …)."""

    id: str
    status: str = "IDLE"
    version: int = 1
    is_stale: bool = False


@dataclass
class Endpoint:
    """An endpoint with the workers that are active."""

    id: str
    name: str
    workers: list[Worker] = field(default_factory=list)
