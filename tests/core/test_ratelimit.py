"""What the headers say about how soon to ask again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcli.domain.ratelimit import (
    LONGEST,
    Quota,
    Window,
    asked_wait,
    parse_policy,
    parse_rate_limit,
    parse_retry_after,
    spent_quota,
)

NOW = datetime(2026, 10, 21, 7, 27, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2.0),
        ("0", 0.0),
        (" 12 ", 12.0),
        ("1.5", 1.5),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 30.0),
        ("Wednesday, 21-Oct-26 07:28:00 GMT", 30.0),  # RFC 850
        ("Wed Oct 21 07:28:00 2026", 30.0),  # asctime
        ("Wed, 21 Oct 2026 09:28:00 +0200", 30.0),
        ("Wed, 21 Oct 2026 07:28:00 -0000", 30.0),
        ("Wed, 21 Oct 2020 07:28:00 GMT", 0.0),  # past: at once
        ("Wed, 21 Oct 9999 07:28:00 GMT", LONGEST),
        ("99999999", LONGEST),
        ("9" * 400, LONGEST),
    ],
)
def test_a_retry_after_that_makes_sense_is_taken_and_bounded(header: str, seconds: float) -> None:
    """B22."""
    assert parse_retry_after(header, NOW) == seconds


@pytest.mark.parametrize(
    "header",
    [
        *(None, "", "  ", "-5", "nan", "NaN", "inf", "-inf", "Infinity", "1e3", "1_0", "0x10", "٣"),
        *("soon", "Wed, 99 Oct 2026 07:28:00 GMT", "21 Oct 2026", "a:b", "::", "\x00", "1 2"),
        "Wed, 21 Oct 99999 07:28:00 GMT",
        "Wed, 21 Oct 2026 07:28:00 +99999999",
    ],
)
def test_a_retry_after_that_makes_no_sense_is_none(header: str | None) -> None:
    """B22."""
    assert parse_retry_after(header, NOW) is None


@given(st.text() | st.floats().map(str) | st.integers().map(str), st.datetimes())
def test_whatever_a_server_sends_a_wait_is_finite(header: str, moment: datetime) -> None:
    waits = asked_wait({"Retry-After": header, "RateLimit": header}, moment.replace(tzinfo=UTC))
    assert waits is None or 0 <= waits <= LONGEST


@given(st.datetimes(), st.integers(-(10**6), 10**6))
def test_a_date_is_the_seconds_to_it(moment: datetime, seconds: int) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    try:
        now = moment - timedelta(seconds=seconds)
    except OverflowError:
        return
    wanted = float(min(max(seconds, 0), LONGEST))
    # A year before 1000 has leading zeros, which the format of C does not write everywhere.
    text = moment.strftime("%a, %d %b ") + f"{moment.year:04} " + moment.strftime("%H:%M:%S GMT")
    if moment.year >= 1900:
        assert parse_retry_after(text, now) == wanted


def test_the_documented_headers_are_read() -> None:
    assert parse_rate_limit('"minute";r=0;t=12, "hour";r=2999;t=3000') == [
        Window("minute", 0, 12.0),
        Window("hour", 2999, 3000.0),
    ]
    assert parse_policy('"minute";q=60;w=60, "hour";q=3000;w=3600, "day";q=50000;w=86400') == [
        Quota("minute", 60, 60.0),
        Quota("hour", 3000, 3600.0),
        Quota("day", 50000, 86400.0),
    ]


@pytest.mark.parametrize(
    ("header", "windows"),
    [
        ('"a, b\\" c";r=1;t=2', [Window('a, b" c', 1, 2.0)]),
        ("minute;r=1;t=2", [Window("minute", 1, 2.0)]),
        ('"m" ; t=2 ; r=1 ; x="y"', [Window("m", 1, 2.0)]),
        ('"m";r=1', []),
        ('"m";r=-1;t=2', []),
        ('"m";r=nan;t=2', []),
        ('"m";r=1;t=inf', []),
        (f'"m";r={"9" * 400};t={"9" * 400}', [Window("m", 10**15, LONGEST)]),
        ('"m";r=1;t=2 garbage, "n";r=1;t=2', [Window("n", 1, 2.0)]),
        ('"m";r=;t=2, "n";r=1;t=2', [Window("n", 1, 2.0)]),
        (";;;,,,", []),
        ('"unfinished', []),
        (None, []),
    ],
)
def test_a_rate_limit_is_read_as_far_as_it_can(header: str | None, windows: list[Window]) -> None:
    assert parse_rate_limit(header) == windows


def test_a_policy_without_a_window_of_time_is_none() -> None:
    assert parse_policy('"m";q=60;w=0, "n";q=-1;w=60, "o";w=60') == []


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "3"}, 3.0),
        ({"RateLimit": '"minute";r=0;t=12'}, 12.0),
        ({"RateLimit": '"minute";r=1;t=12'}, None),
        ({"Retry-After": "3", "RateLimit": '"minute";r=0;t=12, "hour";r=5;t=99'}, 12.0),
        ({"Retry-After": "30", "RateLimit": '"minute";r=0;t=12'}, 30.0),
    ],
)
def test_the_longest_wait_counts(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, NOW) == seconds


def test_the_quota_that_is_spent_is_known() -> None:
    policy = '"minute";q=60;w=60, "hour";q=3000;w=3600'
    headers = {"RateLimit-Policy": policy, "RateLimit": '"minute";r=0;t=12, "hour";r=5;t=99'}
    assert spent_quota(headers) == Quota("minute", 60, 60.0)
    assert spent_quota({"RateLimit-Policy": policy, "RateLimit": '"minute";r=1;t=12'}) is None
    assert spent_quota({}) is None
