"""How long to wait, and whether to try at all."""

from __future__ import annotations

import pytest

from rpcli.domain.pacing import RESERVE, Pacer
from rpcli.domain.ratelimit import Window
from rpcli.errors import ApiError, NetworkError, RpcliError, TimeoutExpired, UnexpectedResponse
from rpcli.stream.backoff import BASE, LONGEST, LONGEST_FLOOR, SHORTEST, Backoff
from rpcli.stream.verdict import End, How, Verdict, judge


def waits(backoff: Backoff, count: int) -> list[float]:
    return [backoff.next() for _ in range(count)]


def test_waits_grow_to_the_longest_and_begin_anew() -> None:
    backoff = Backoff(lambda: 0.0)
    assert waits(backoff, 8) == [0.5, 1, 2, 4, 8, 16, 20, 20]
    backoff.healthy()
    assert backoff.next() == BASE


@pytest.mark.parametrize("jitter", [0.0, 0.5, 1.0])
def test_jitter_spreads_them_within_the_longest(jitter: float) -> None:
    found = waits(Backoff(lambda: jitter), 10_000)
    assert found[0] == BASE * (1 + jitter / 2)
    assert max(found) == 20 * (1 + jitter / 2) <= LONGEST


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        ("50", 0.05),
        ("0", SHORTEST),
        ("1000", 1.0),
        ("000050", 0.05),
        ("99999999", LONGEST),
        ("9" * 5000, LONGEST),
        ("-1", BASE),
        ("+5", BASE),
        ("1e9", BASE),
        ("\uff11\uff12", BASE),
        ("", BASE),
        ("5 ", BASE),
    ],
)
def test_a_server_sets_the_base_in_digits_alone(said: str, wait: float) -> None:
    # B09
    backoff = Backoff(lambda: 0.0)
    backoff.base(said)
    assert backoff.next() == wait


@pytest.mark.parametrize(
    ("floor", "wait"),
    [(None, BASE), (0.0, BASE), (2.0, 2.0), (99999999.0, LONGEST_FLOOR), (-5.0, BASE)],
)
def test_a_server_may_ask_for_more_up_to_an_hour(floor: float | None, wait: float) -> None:
    # B22
    assert Backoff(lambda: 0.0).next(floor) == wait


def refused(status: int | None) -> End:
    return End(How.FAILED, opened=False, error=ApiError("no", status=status))


def failed(error: RpcliError) -> End:
    return End(How.FAILED, opened=True, error=error)


@pytest.mark.parametrize(
    ("end", "had_streamed", "carried_id", "verdict"),
    [
        (End(How.CLOSED, opened=True), True, True, Verdict.RETRY),
        (End(How.NOTHING, opened=True), False, False, Verdict.OVER),
        (End(How.ABORTED, opened=False), False, False, Verdict.OVER),
        *[(refused(s), False, False, Verdict.RETRY) for s in (408, 425, 429, 500, 503, 599)],
        *[(refused(s), True, True, Verdict.FAILED) for s in (401, 402, 403, 422, 451)],
        *[(refused(s), False, False, Verdict.FAILED) for s in (400, 404, 410)],
        *[(refused(s), True, True, Verdict.WITHOUT_CURSOR) for s in (400, 410)],
        *[(refused(s), True, False, Verdict.OVER) for s in (404, 410)],
        (refused(404), True, True, Verdict.OVER),
        (refused(None), False, False, Verdict.RETRY),
        (failed(NetworkError("broke")), True, False, Verdict.RETRY),
        (failed(TimeoutExpired("slow")), False, False, Verdict.RETRY),
        (failed(UnexpectedResponse("html")), True, False, Verdict.FAILED),
    ],
)
def test_what_an_end_means(
    end: End, had_streamed: bool, carried_id: bool, verdict: Verdict
) -> None:
    assert judge(end, had_streamed=had_streamed, carried_id=carried_id) is verdict


# -- what is left of a rate limit


def window(left: int, reset: float) -> Window:
    return Window("minute", remaining=left, reset=reset)


def test_nobody_waits_as_long_as_much_is_left() -> None:
    pacer = Pacer()
    assert pacer.pause(0.0) == 0.0
    pacer.saw([window(RESERVE + 5, 60)], 0.0)
    assert [pacer.pause(0.0) for _ in range(5)] == [0.0] * 5


def test_the_rest_is_spread_over_its_time() -> None:
    pacer = Pacer()
    pacer.saw([window(4, 60)], 0.0)
    assert [pacer.pause(0.0) for _ in range(4)] == [0.0, 15.0, 30.0, 45.0]
    # Those who come behind them wait for the renewal, one after the other.
    late = [pacer.pause(0.0) for _ in range(3)]
    assert late[0] == 60.0
    assert late == sorted(late)


def test_a_renewal_ends_the_waiting() -> None:
    pacer = Pacer()
    pacer.saw([window(0, 30)], 0.0)
    assert pacer.pause(10.0) == 20.0
    assert pacer.pause(30.0) == 0.0


def test_the_longest_window_counts() -> None:
    pacer = Pacer()
    pacer.saw([window(50, 60), Window("day", remaining=0, reset=600)], 0.0)
    assert pacer.pause(0.0) == 600.0
