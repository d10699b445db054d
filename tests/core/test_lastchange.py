"""The moment in the sentence of the last status change."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rpcli.domain.lastchange import moment_of_change


@pytest.mark.parametrize(
    ("change", "moment"),
    [
        (
            "Rented by User: Wed Jul 29 2026 21:51:59 GMT+0000 (Coordinated Universal Time)",
            datetime(2026, 7, 29, 21, 51, 59, tzinfo=UTC),
        ),
        (
            "Rented by User: Fri Jul 12 2024 15:14:40 GMT-0400 (Eastern Daylight Time)",
            datetime(2024, 7, 12, 19, 14, 40, tzinfo=UTC),
        ),
        ("Exited by RunPod: 2026-04-06 19:44:38 UTC", datetime(2026, 4, 6, 19, 44, 38, tzinfo=UTC)),
        ("Outbid: Sun Mar 1 2026 00:00:00 GMT+0530", datetime(2026, 2, 28, 18, 30, tzinfo=UTC)),
    ],
)
def test_a_date_is_found(change, moment):
    assert moment_of_change(change) == moment


@pytest.mark.parametrize(
    "change",
    [None, 5, [], "", "Exited by RunPod: Insufficient balance", "Rented by User:",
     "Rented by User: Wed Feb 30 2026 21:51:59 GMT+0000", "x: 2026-13-06 19:44:38 UTC",
     "Rented by User: Wed Jul 29 2026 25:51:59 GMT+0000", "x: 2026-04-06 19:44:38 CET"],
)  # fmt: skip
def test_no_date_is_no_fault(change):
    assert moment_of_change(change) is None
