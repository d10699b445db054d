"""Who is read and who waits, however many come and go, in memory that does not grow."""

from __future__ import annotations

import pytest

from rpcli.errors import ApiError
from rpcli.stream.fleet import LONGEST_REST, REST, Fleet
from rpcli.stream.ports import StreamStats, StreamTarget
from rpcli.stream.tally import KEPT, FoldedStats, Tally


def target(number: int) -> StreamTarget:
    return StreamTarget(("serverless", "e", "workers", f"w{number}", "logs"), f"w{number}")


A, B, C = (target(n) for n in range(3))


def test_places_are_given_in_the_order_of_waiting() -> None:
    fleet = Fleet(2)
    fleet.listed([A, B, C], 0.0)
    assert fleet.admit() == [A, B]
    assert fleet.admit() == []
    assert list(fleet.waiting) == [C]
    fleet.ended(A, 0.0)
    assert fleet.admit() == [C]
    assert list(fleet.live) == [B, C]


def test_fifty_ids_with_three_alive_all_have_a_place() -> None:
    # C07: what has ended takes none
    fleet, seen = Fleet(3), []
    for first in range(50):
        fleet.listed([target(n) for n in range(first, first + 3)], float(first))
        seen += fleet.admit()
        assert len(fleet.live) <= 3
        fleet.ended(target(first), float(first))
    assert seen == [target(n) for n in range(52)]


def test_one_that_ended_rests_for_longer_each_time() -> None:
    fleet, now = Fleet(1), 0.0
    rests = []
    for _ in range(7):
        fleet.listed([A], now)
        assert fleet.admit() == [A]
        fleet.ended(A, now)
        begin = now
        while not fleet.waiting:
            now += 30.0
            fleet.listed([A], now)
        rests.append(now - begin)
    assert rests == [60, 120, 240, 480, 900, 900, 900]
    assert (rests[0], rests[-1]) == (REST, LONGEST_REST)


def test_one_that_leaves_the_listing_and_comes_back_is_begun_at_once() -> None:
    fleet = Fleet(1)
    fleet.listed([A], 0.0)
    fleet.admit()
    fleet.ended(A, 0.0, for_good=True)
    fleet.listed([A], 1e9)
    assert fleet.admit() == []
    fleet.listed([], 1e9)
    fleet.listed([A], 1e9)
    assert fleet.admit() == [A]


def test_one_that_waits_and_leaves_is_forgotten_and_one_that_lives_is_not() -> None:
    fleet = Fleet(1)
    fleet.listed([A, B], 0.0)
    fleet.admit()
    fleet.listed([C], 0.0)
    assert (list(fleet.waiting), fleet.unlisted, list(fleet.live)) == ([C], [A], [A])


def test_ten_thousand_that_came_and_went_leave_nothing() -> None:
    fleet, summary = Fleet(32), []
    tally = Tally(summary)
    for number in range(10_000):
        fleet.listed([target(number)], float(number))
        fleet.admit()
        stats = tally.begin(target(number))
        stats.lines = 2
        fleet.ended(target(number), float(number))
        tally.end(stats)
        assert fleet.remembered <= 1
    folded, *latest = summary
    assert isinstance(folded, FoldedStats)
    assert (folded.streams, folded.lines) == (10_000 - KEPT, 2 * (10_000 - KEPT))
    assert [s.target for s in latest] == [target(n) for n in range(10_000 - KEPT, 10_000)]


def test_what_is_folded_is_added_up_and_who_lives_stays() -> None:
    summary: list[StreamStats] = []
    tally = Tally(summary, kept=1)
    first, second, third, living = (tally.begin(target(n)) for n in range(4))
    error = ApiError("no", status=401)
    for stats, counts in ((first, (1, 2, 3, 4)), (second, (10, 20, 30, 40)), (third, (0,) * 4)):
        stats.lines, stats.reconnects, stats.cut_lines, stats.gaps = counts
    first.error, second.error = error, ApiError("later", status=404)
    for stats in (first, second, third):
        tally.end(stats)
    folded = summary[0]
    assert isinstance(folded, FoldedStats)
    assert (folded.streams, folded.lines, folded.reconnects) == (2, 11, 22)
    assert (folded.cut_lines, folded.gaps, folded.error) == (33, 44, error)
    assert summary[1:] == [third, living]


@pytest.mark.parametrize("most", [1, 7])
def test_there_are_never_more_than_there_are_places(most: int) -> None:
    fleet = Fleet(most)
    fleet.listed([target(n) for n in range(40)], 0.0)
    begun = 0
    while admitted := fleet.admit():
        assert len(fleet.live) <= most
        begun += len(admitted)
        for one in admitted:
            fleet.ended(one, 0.0)
    assert begun == 40
