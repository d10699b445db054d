"""Memory stays flat: a million lines, a line of 100 MB, a reader that sleeps, a flood."""

from __future__ import annotations

import log_memory
import pytest
from log_run import HAS_PROC

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not HAS_PROC, reason="resident memory is read from Linux's /proc"),
]


def test_memory_is_flat_over_a_million_lines(rpcli_run):
    added = log_memory.flow(rpcli_run, lines=1_000_000, patience=600)
    assert added <= log_memory.MORE


def test_memory_is_flat_when_a_line_has_a_hundred_megabytes(rpcli_run):
    # B17
    added = log_memory.flow(rpcli_run, lines=60_000, giant=(30_000, 100_000_000), patience=600)
    assert added <= log_memory.MORE


def test_a_reader_that_sleeps_for_thirty_seconds_loses_nothing(rpcli_run):
    # C32
    added = log_memory.slow_reader(rpcli_run, lines=1_200_000, seconds=30, patience=600)
    assert added <= log_memory.MORE


@pytest.mark.parametrize("wait", ["5s", "120s"])
def test_a_snapshot_of_three_hundred_megabytes_is_flat(rpcli_run, wait):
    # A23
    stream = {"lines": 1_830_000, "prepared": True}
    peak = log_memory.flood(rpcli_run, "--max-wait", wait, stream=stream, patience=600)
    assert peak < 150 << 10
