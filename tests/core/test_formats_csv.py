"""CSV that every reader reads back: case D26."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_sink import MemorySink, listed, options_of, shown

from rpcli.errors import InternalError
from rpcli.formats.csv import CsvFormatter
from rpcli.rows import Rows
from rpcli.terminal import printable

CSV = CsvFormatter()
TEXT = st.text(st.characters(), max_size=10)


def read(text: str, **dialect: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), **dialect))


def test_text_is_quoted_numbers_are_not_and_what_is_absent_is_empty() -> None:
    documents = [
        {"id": "a", "n": 1, "cost": 0.5, "locked": True, "env": {"A": "é", "B": [1, None]}},
        {"id": "b", "n": None},
    ]
    assert listed(CSV, documents, ("id", "n", "cost", "locked", "env")) == (
        '"id","n","cost","locked","env"\n'
        '"a",1,0.5,"true","{""A"":""\\u00e9"",""B"":[1,null]}"\n'
        '"b","","","",""\n'
    )


def test_one_document_is_a_heading_and_a_line() -> None:
    assert shown(CSV, {"id": "a", "n": 2}, ("id", "n", "gone")) == '"id","n","gone"\n"a",2,""\n'


def test_a_list_of_nothing_is_a_heading() -> None:
    assert listed(CSV, [], ("id", "name")) == '"id","name"\n'


def test_d26_a_formula_is_data_and_is_quoted() -> None:
    name = '=HYPERLINK("http://x","y")'
    text = listed(CSV, [{"name": name}], ("name",))
    assert text == '"name"\n"=HYPERLINK(""http://x"",""y"")"\n'
    assert read(text) == [["name"], [name]]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1"])
def test_d26_so_is_every_other_beginning_of_a_formula(name: str) -> None:
    assert listed(CSV, [{"name": name}], ("name",)) == f'"name"\n"{name}"\n'


def test_line_feeds_stay_in_quotes_and_control_characters_are_made_visible() -> None:
    text = listed(CSV, [{"a": "x\ny", "b": "\x1b[2J\r\x00\u202e"}], ("a", "b"))
    assert text == '"a","b"\n"x\ny","\\x1b[2J\\r\\x00\\u202e"\n'


def test_backslashes_are_left_alone() -> None:
    assert listed(CSV, [{"a": 'C:\\new "x"'}], ("a",)) == '"a"\n"C:\\new ""x"""\n'


def printed(
    words: tuple[str, ...], documents: list[dict[str, Any]], columns: tuple[str, ...]
) -> str:
    sink = MemorySink()
    CSV.emit_list(columns, Rows(documents, columns), sink, options_of(CSV, *words))
    return sink.text


@pytest.mark.parametrize(
    ("quote", "lines"),
    [
        ("all", '"a","n"\n"x,y","1"\n"z",""\n'),
        ("minimal", 'a,n\n"x,y",1\nz,\n'),
        ("nonnumeric", '"a","n"\n"x,y",1\n"z",""\n'),
        ("none", "a,n\nx\\,y,1\nz,\n"),
    ],
)
def test_quoting_is_cliffs(quote: str, lines: str) -> None:
    documents = [{"a": "x,y", "n": 1}, {"a": "z"}]
    assert printed(("--quote", quote), documents, ("a", "n")) == lines


def test_a_command_that_knows_no_quote_option_gets_the_default() -> None:
    assert printed((), [{"a": "x"}], ("a",)) == listed(CSV, [{"a": "x"}], ("a",))


def test_nan_is_no_number_here_either() -> None:
    with pytest.raises(InternalError, match="not JSON"):
        listed(CSV, [{"a": float("nan")}], ("a",))


ROWS = st.lists(st.tuples(TEXT, TEXT, st.integers() | st.none()), max_size=5)


@settings(deadline=None)
@given(ROWS, st.sampled_from(["all", "minimal", "nonnumeric"]))
def test_it_reads_back_equal(rows: list[tuple[str, str, int | None]], quote: str) -> None:
    documents = [{"a": a, "b": b, "n": n} for a, b, n in rows]
    text = printed(("--quote", quote), documents, ("a", "b", "n"))
    assert read(text) == [
        ["a", "b", "n"],
        *[[printable(a), printable(b), "" if n is None else str(n)] for a, b, n in rows],
    ]


NONE: Literal[3] = csv.QUOTE_NONE


@settings(deadline=None)
@given(ROWS)
def test_without_quotes_it_reads_back_with_the_escape_character(
    rows: list[tuple[str, str, int | None]],
) -> None:
    documents = [{"a": a, "b": b, "n": n} for a, b, n in rows]
    text = printed(("--quote", "none"), documents, ("a", "b", "n"))
    assert read(text, quoting=NONE, escapechar="\\")[1:] == [
        [printable(a), printable(b), "" if n is None else str(n)] for a, b, n in rows
    ]


@settings(deadline=None)
@given(st.dictionaries(TEXT, TEXT, min_size=1))
def test_what_is_nested_is_json(env: dict[str, str]) -> None:
    cell = read(listed(CSV, [{"env": env}], ("env",)))[1][0]
    assert len(cell.splitlines()) == 1
    assert set(map(type, json.loads(cell).values())) == {str}
