"""Each line once, in order: 100,000 lines through a thousand cuts, a hundred kills, and churn."""

from __future__ import annotations

import pytest
from log_checks import churn, cut, kill

pytestmark = pytest.mark.timeout(1800)


@pytest.mark.parametrize("framing", ["chunked", "close"])
@pytest.mark.parametrize("ids", ["time", "sequence"])
def test_a_thousand_cuts_lose_and_repeat_nothing(rpcli_run, ids, framing):
    cut(rpcli_run, lines=100_000, cuts=1_000, ids=ids, framing=framing, patience=900)


@pytest.mark.parametrize("ids", ["time", "sequence"])
def test_a_hundred_kills_lose_nothing(rpcli_run, ids):
    kill(rpcli_run, lines=20_000, kills=100, ids=ids, seed=2)


def test_thirty_two_workers_that_come_and_go_are_each_printed_once(rpcli_run):
    churn(rpcli_run, alive=32, joining=96, lines=2_000, patience=900)
