"""Memory stays flat; smaller sizes of what ``tests/chaos`` does at length."""

from __future__ import annotations

import log_memory
import pytest
from log_run import HAS_PROC

pytestmark = pytest.mark.skipif(not HAS_PROC, reason="resident memory is read from Linux's /proc")


def test_memory_is_flat_while_lines_flow(rpcli_run):
    assert log_memory.flow(rpcli_run, lines=60_000) <= log_memory.MORE


def test_memory_is_flat_when_a_line_never_ends(rpcli_run):
    # B17
    added = log_memory.flow(rpcli_run, lines=30_000, giant=(10_000, 30_000_000))
    assert added <= log_memory.MORE


def test_a_slow_reader_slows_the_server_and_loses_nothing(rpcli_run):
    # C32
    added = log_memory.slow_reader(rpcli_run, lines=200_000, seconds=0.5)
    assert added <= log_memory.MORE


def test_a_snapshot_of_a_flood_ends_and_is_flat(rpcli_run):
    # A23
    stream = {"lines": 10**9}
    assert log_memory.flood(rpcli_run, "--max-wait", "1s", stream=stream) < 150 << 10
