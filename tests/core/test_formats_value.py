"""Bare values, one physical line each: cases D25, F03."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from memory_sink import listed, shown

from rpcli.formats.value import ValueFormatter

VALUE = ValueFormatter()
TEXT = st.text(st.characters(), max_size=10)


def test_a_line_a_document_with_a_space_between() -> None:
    documents = [{"id": "a", "n": 1, "on": True, "gpu": None}, {"id": "b", "n": 0.5, "gpu": "x"}]
    assert listed(VALUE, documents, ("id", "n", "on", "gpu")) == "a 1 true -\nb 0.5 - x\n"


def test_no_field_changes_its_place() -> None:
    assert listed(VALUE, [{"a": "x", "b": "", "d": "y"}], ("a", "b", "c", "d")) == "x - - y\n"


def test_in_a_column_of_its_own_what_is_absent_is_an_empty_line() -> None:
    assert listed(VALUE, [{"n": 1}, {}, {"n": 2}], ("n",)) == "1\n\n2\n"


def test_nothing_is_nothing() -> None:
    assert listed(VALUE, [], ("id",)) == ""


def test_d25_a_line_feed_in_a_name_does_not_make_a_row() -> None:
    documents = [{"id": "1", "name": "a b\nc"}, {"id": "2", "name": "\x1b[2J\u2028\x85"}]
    assert listed(VALUE, documents, ("id", "name")) == ("1 a b\\nc\n2 \\x1b[2J\\u2028\\x85\n")


def test_what_is_nested_is_compact_json() -> None:
    assert listed(VALUE, [{"e": {"A": ["x y", 1]}}], ("e",)) == '{"A":["x y",1]}\n'


def test_one_document_is_a_line_a_field() -> None:
    document = {"id": "a", "name": "x\ny", "n": 3}
    assert shown(VALUE, document, ("id", "name", "gone", "n")) == "a\nx\\ny\n\n3\n"


def test_f03_a_command_in_a_substitution_is_one_line() -> None:
    command = "ssh -p 22 root@203.0.113.7\n"
    assert shown(VALUE, {"ssh_command": command}) == "ssh -p 22 root@203.0.113.7\\n\n"


@settings(deadline=None)
@given(st.lists(st.fixed_dictionaries({}, optional={"a": TEXT, "b": TEXT}), max_size=5))
def test_there_are_as_many_lines_as_documents(documents: list[dict[str, str]]) -> None:
    for columns in (("a", "b"), ("a",)):
        text = listed(VALUE, documents, columns)
        assert text.count("\n") == len(documents)
        assert len(text.splitlines()) == len(documents)
