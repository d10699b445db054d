"""Durations and moments as people type them."""

from __future__ import annotations

import contextlib
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcli.domain.timewindow import LONGEST_DAYS, format_span, parse_duration, parse_instant
from rpcli.errors import UsageError


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("30m", timedelta(minutes=30)),
        ("1h30m", timedelta(minutes=90)),
        ("7d", timedelta(days=7)),
        ("1d2h3m4s", timedelta(days=1, hours=2, minutes=3, seconds=4)),
        ("90s", timedelta(seconds=90)),
        ("007d", timedelta(days=7)),
        ("0h5m", timedelta(minutes=5)),
        (f"{LONGEST_DAYS}d", timedelta(days=LONGEST_DAYS)),
    ],
)
def test_a_duration_is_read(text, duration):
    assert parse_duration(text, "--since") == duration


@pytest.mark.parametrize(
    "text",
    # C18
    ["0", "0s", "-5m", "5", "1w", "1y", "+1h", "5 m", "１h", "",  # noqa: RUF001
     " 5m", "5m ", "5m\n", "1.5h", "1m2h", "1h1h", "h", "5M", "1h30", "1_0m", "٣m", "1e3s",
     "0d0h", "2026-01-15", "99999999999999999999d", f"{LONGEST_DAYS + 1}d"],
)  # fmt: skip
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(UsageError) as caught:
        parse_duration(text, "--since")
    assert caught.value.message.startswith(f"--since '{text}' is ")


def test_the_refusal_says_what_is_accepted():
    with pytest.raises(UsageError, match=r"give one as 30m, 1h30m, 7d \(days d, hours h"):
        parse_duration("5", "--since")


@given(st.text(alphabet="0123456789dhms", max_size=12))
def test_a_duration_is_a_time_or_refused(text):
    with contextlib.suppress(UsageError):
        assert timedelta(0) < parse_duration(text, "--since") <= timedelta(days=LONGEST_DAYS)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-15", datetime(2026, 1, 15, tzinfo=UTC)),
        ("2026-01-15T08:00:00Z", datetime(2026, 1, 15, 8, tzinfo=UTC)),
        ("2026-01-15t08:00:00z", datetime(2026, 1, 15, 8, tzinfo=UTC)),
        ("2026-01-15T08:00:00+02:00", datetime(2026, 1, 15, 6, tzinfo=UTC)),
        ("2026-01-15T08:00:00.25Z", datetime(2026, 1, 15, 8, 0, 0, 250_000, tzinfo=UTC)),
        ("2026-01-15T08:00:00.123456789Z", datetime(2026, 1, 15, 8, 0, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_a_moment_is_read_in_utc(text, moment):
    found = parse_instant(text, "--created-after")
    assert found == moment
    assert found.tzinfo == timezone.utc  # noqa: UP017 - the very zone, not one that is equal


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be changed here")
def test_a_date_is_in_utc_wherever_one_is(monkeypatch):
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        found = parse_instant("2026-01-15", "--created-after")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found == datetime(2026, 1, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["", "7d", "2026-1-5", "20260115", "2026-02-30", "2026-01-15T08:00:00", "2026-01-15T08:00Z",
     "2026-01-15 08:00:00Z", "2026-01-15T25:00:00Z", "2026-01-15T08:00:00+99:00", "yesterday",
     "２026-01-15", "1768464000", "0000-01-01", "0001-01-01T00:00:00+10:00", "2026-W03-4"],  # noqa: RUF001
)  # fmt: skip
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(UsageError, match=r"is no moment: give one as 2026-01-15 \(midnight UTC\)"):
        parse_instant(text, "--created-after")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59, "59s"), (60, "1m"), (61, "1m1s"), (3_599, "59m59s"), (3_600, "1h"),
     (3_661, "1h1m"), (86_399, "23h59m"), (86_400, "1d"), (90_061, "1d1h"), (8_640_000, "100d")],
)  # fmt: skip
def test_a_span_has_its_two_largest_units(seconds, text):
    assert format_span(seconds) == text
