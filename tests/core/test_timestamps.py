"""Moments: the three ways in which the platform writes them, and the one of the contract."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from rpcli.domain.timestamps import format_timestamp, parse_timestamp

MOMENT = datetime(2026, 10, 2, 5, 28, 38, 366000, tzinfo=UTC)
WHOLE = MOMENT.replace(microsecond=0)


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-10-02T05:28:38.366Z", MOMENT),
        ("2026-10-02T05:28:38Z", WHOLE),
        ("2026-10-02t05:28:38z", WHOLE),
        (" 2026-10-02T05:28:38Z\n", WHOLE),
        ("2026-10-02T07:28:38.366+02:00", MOMENT),
        ("2026-10-02T01:28:38.366-0400", MOMENT),
        ("2026-10-02T05:28:38.366000999Z", MOMENT),
        ("2026-10-02 05:28:38.366 +0000 UTC", MOMENT),
        ("2026-10-02 05:28:38 +0000 UTC", WHOLE),
        ("2026-10-02 01:28:38.366 -0400 EDT", MOMENT),
        ("2026-10-02 05:28:38.366000999 +0000 UTC m=+0.01", MOMENT),
        ("2026-10-02 05:28:38 UTC", WHOLE),
        ("2026-10-02 05:28:38.366Z", MOMENT),
        (1790918918, WHOLE),
        (1790918918.366, MOMENT),
        ("1790918918", WHOLE),
        # Digits alone are seconds, also where they look like a date.
        ("20261002", datetime(1970, 8, 23, 12, 3, 22, tzinfo=UTC)),
    ],
)
def test_a_moment_is_read_whatever_its_shape(value: object, moment: datetime) -> None:
    found = parse_timestamp(value)
    assert found is not None
    assert found.tzinfo is UTC
    # A float has microseconds of its own.
    assert abs(found - moment) < timedelta(microseconds=1)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "   ",
        "not-a-date",
        "2026-10-02",
        "2026-10-02T05:28:38",
        "2026-10-02 05:28:38",
        "2026-13-02T05:28:38Z",
        "2026-10-02T05:28:60Z",
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "0001-01-01 00:00:00 +0000 UTC",
        "9999-12-31T23:59:59-14:00",
        0,
        "0",
        -5,
        True,
        float("nan"),
        float("inf"),
        10**400,
        "9" * 30,
        "9" * 5000,
        "１７９０９１８９１８",  # noqa: RUF001 - digits of another script
        ["2026-10-02T05:28:38Z"],
        {"$date": 1},
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_no_moment_is_none(value: object) -> None:
    assert parse_timestamp(value) is None


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (MOMENT, "2026-10-02T05:28:38.366Z"),
        (WHOLE, "2026-10-02T05:28:38Z"),
        (MOMENT.replace(microsecond=1), "2026-10-02T05:28:38.000001Z"),
        (MOMENT.replace(second=0, microsecond=0), "2026-10-02T05:28:00Z"),
        (MOMENT.astimezone(timezone(timedelta(hours=-4))), "2026-10-02T05:28:38.366Z"),
    ],
)
def test_a_moment_is_written_in_utc_with_the_digits_it_needs(moment: datetime, text: str) -> None:
    assert format_timestamp(moment) == text
    assert parse_timestamp(text) == moment


def test_a_moment_without_an_offset_is_not_written() -> None:
    with pytest.raises(ValueError, match="without an offset"):
        format_timestamp(datetime(2026, 10, 2))  # noqa: DTZ001 - the point of it
