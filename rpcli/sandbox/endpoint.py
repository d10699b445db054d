"""A serverless endpoint and its workers, as the sandbox keeps them.

Rules: a worker is active from the time when it joins until the time when it leaves; one that left
is unknown, and so is its log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rpcli.sandbox.logstore import Log


@dataclass
class Worker:
    """A worker; its status is in the words of REST v2 (``RUNNING``, ``IDLE``, …)."""

    id: str
    status: str = "IDLE"
    version: int = 1
    is_stale: bool = False
    image: str = "runpod/worker-vllm:2.8.0"
    gpu_id: str | None = "NVIDIA GeForce RTX 4090"
    gpu_count: int = 1
    data_center: str | None = "US-KS-2"
    started_at: datetime | None = None
    #: When it joins; None: it was there all the time.
    joins_at: datetime | None = None
    #: When it leaves; None: it stays.
    leaves_at: datetime | None = None
    log: Log = field(default_factory=Log)
    #: Members that are laid over what the listing says of it.
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def is_active(self, now: datetime) -> bool:
        """Whether it is there."""
        joined = self.joins_at is None or self.joins_at <= now
        return joined and (self.leaves_at is None or now < self.leaves_at)


@dataclass
class Endpoint:
    """An endpoint with the workers that it has, had and will have."""

    id: str
    name: str
    version: int | None = 1
    workers: list[Worker] = field(default_factory=list)

    def active(self, now: datetime) -> list[Worker]:
        """Give the workers that are there."""
        return [worker for worker in self.workers if worker.is_active(now)]

    def find(self, worker_id: str, now: datetime) -> Worker | None:
        """Give a worker that is there, by its id."""
        for worker in self.workers:
            if worker.id == worker_id and worker.is_active(now):
                return worker
        return None
