"""Each line once, in order, through cuts at any byte; the real command against a real server.

Smaller sizes of what ``tests/chaos`` does at length.
"""

from __future__ import annotations

import pytest
from log_checks import churn, cut, kill


@pytest.mark.parametrize(("ids", "framing"), [("time", "chunked"), ("sequence", "close")])
def test_a_follow_that_is_cut_prints_each_line_once(rpcli_run, ids, framing):
    cut(rpcli_run, lines=5_000, cuts=50, ids=ids, framing=framing)


@pytest.mark.parametrize("ids", ["time", "sequence"])
def test_a_follow_that_is_killed_goes_on_where_it_was(rpcli_run, ids):
    kill(rpcli_run, lines=400, kills=5, ids=ids)


def test_workers_that_come_and_go_are_each_printed_once(rpcli_run):
    # C24
    churn(rpcli_run, alive=3, joining=2, lines=300)
