"""Documents as rows: holes, projection, sorting (case D06)."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpcli.rows import ABSENT, Absent, Rows, named, sort_documents, without_holes

DOCUMENTS: list[dict[str, Any]] = [
    {"id": "a", "uptime": 7},
    {"id": "b"},
    {"id": "c", "uptime": None},
]


def test_absent_is_one_false_thing_that_prints_as_nothing() -> None:
    assert not ABSENT
    assert str(ABSENT) == ""
    assert f"{ABSENT}" == ""
    assert repr(ABSENT) == "ABSENT"
    assert Absent() is ABSENT
    assert ABSENT != ""
    assert ABSENT is not None


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_absent_survives_pickling(protocol: int) -> None:
    assert pickle.loads(pickle.dumps([ABSENT], protocol)) == [ABSENT]
    assert pickle.loads(pickle.dumps(ABSENT, protocol)) is ABSENT


def test_absent_survives_copying() -> None:
    assert copy.copy(ABSENT) is ABSENT
    assert copy.deepcopy({"a": [ABSENT]})["a"][0] is ABSENT


def test_rows_are_tuples_with_holes_and_null_is_none() -> None:
    rows = Rows(DOCUMENTS, ("id", "uptime"))
    assert list(rows) == [("a", 7), ("b", ABSENT), ("c", None)]
    assert len(rows) == 3
    assert rows[1] == ("b", ABSENT)
    assert rows[-1] == ("c", None)
    assert list(rows[1:]) == [("b", ABSENT), ("c", None)]
    assert list(rows) == list(rows)


def test_a_stranger_gets_none_where_there_is_a_hole() -> None:
    rows = Rows(DOCUMENTS, ("id", "uptime"), hole=None)
    assert list(rows) == [("a", 7), ("b", None), ("c", None)]
    assert rows[:2][1] == ("b", None)


def test_the_documents_are_handed_on_uncopied_where_nothing_is_left_out() -> None:
    for columns in (("id", "uptime"), ("uptime", "id", "more")):
        given_back = list(Rows(DOCUMENTS, columns).documents())
        assert all(x is y for x, y in zip(given_back, DOCUMENTS, strict=True))


def test_a_projection_has_the_chosen_fields_in_the_chosen_order() -> None:
    document = {"id": "a", "name": "n", "gpu": 1}
    (projected,) = Rows([document], ("gpu", "none", "id")).documents()
    assert list(projected.items()) == [("gpu", 1), ("id", "a")]
    assert document == {"id": "a", "name": "n", "gpu": 1}


def test_named_is_the_way_back() -> None:
    assert named(("id", "uptime"), ("b", ABSENT)) == {"id": "b"}
    assert named(("id", "uptime"), ("c", None)) == {"id": "c", "uptime": None}
    with pytest.raises(ValueError, match="zip"):
        named(("id", "uptime"), ("b",))


def test_holes_go_at_any_depth() -> None:
    value = {"a": ABSENT, "b": {"c": ABSENT, "d": None}, "e": [ABSENT, {"f": ABSENT}, 1], "g": ()}
    assert without_holes(value) == {"b": {"d": None}, "e": [{}, 1], "g": []}


def order(values: list[Any], descending: bool = False) -> list[Any]:
    documents = [{"v": v} for v in values]
    return [d["v"] for d in sort_documents(documents, ["v"], descending)]


def test_d06_mixed_values_sort_with_numbers_first_and_null_last() -> None:
    assert order([5, None, "7", 2.5, "10", -1]) == [-1, 2.5, 5, "10", "7", None]
    assert order([5, None, "7"], descending=True) == ["7", 5, None]


def test_what_has_no_value_is_last_in_both_directions_and_keeps_its_order() -> None:
    documents: list[dict[str, Any]] = [
        {"n": 0},
        {"n": 1, "v": None},
        {"n": 2, "v": 3},
        {"n": 3, "v": ABSENT},
        {"n": 4, "v": float("nan")},
        {"n": 5, "v": 1},
    ]
    assert [d["n"] for d in sort_documents(documents, ["v"], False)] == [5, 2, 0, 1, 3, 4]
    assert [d["n"] for d in sort_documents(documents, ["v"], True)] == [2, 5, 0, 1, 3, 4]


def test_the_first_column_counts_most() -> None:
    documents = [{"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 1}, {"b": 0}]
    assert sort_documents(documents, ["a", "b"], False) == [
        {"a": 1, "b": 1},
        {"a": 1, "b": 2},
        {"a": 2, "b": 1},
        {"b": 0},
    ]


def test_numbers_of_any_size_compare() -> None:
    assert order([10**400, 1.5, float("inf"), -(10**400)]) == [
        -(10**400),
        1.5,
        10**400,
        float("inf"),
    ]


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.just(ABSENT),
    st.lists(st.none() | st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from("ab"), VALUES), max_size=8), st.booleans())
def test_sorting_never_raises_loses_nothing_and_is_stable(
    documents: list[dict[str, Any]], descending: bool
) -> None:
    once = sort_documents(documents, ["a", "b"], descending)
    assert sorted(map(id, once)) == sorted(map(id, documents))
    again = sort_documents(once, ["a", "b"], descending)
    assert list(map(id, again)) == list(map(id, once))
