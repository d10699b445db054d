"""JSON is the document and nothing else: cases B04, B26, B27, C12, C25, D10."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_sink import MemorySink, listed, parsed, shown, streamed

from rpcli.errors import InternalError
from rpcli.formats.json import JsonFormatter, encode
from rpcli.rows import ABSENT, Rows

JSON = JsonFormatter()
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
TEXT = st.text(st.characters(), max_size=12)
VALUES = st.recursive(
    SCALARS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
DOCUMENTS = st.dictionaries(TEXT, VALUES, max_size=4)


def whole(value: Any) -> Any:
    """The same value with U+FFFD for each lone surrogate."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, list):
        return [whole(inner) for inner in value]
    if isinstance(value, dict):
        return {whole(key): whole(inner) for key, inner in value.items()}
    return value


def joined(value: Any) -> Any:
    """The same value with the surrogates that stand side by side as a pair made one character."""
    return json.loads(json.dumps(value))


def test_a_list_has_one_compact_document_a_line() -> None:
    documents = [{"id": "a", "uptimeSeconds": 7}, {"id": "b"}, {"id": "c", "uptimeSeconds": None}]
    assert listed(JSON, documents, ("id", "uptimeSeconds")) == (
        '[\n{"id":"a","uptimeSeconds":7},\n{"id":"b"},\n{"id":"c","uptimeSeconds":null}\n]\n'
    )


def test_an_empty_list_is_an_empty_array() -> None:
    assert listed(JSON, [], ("id",)) == "[]\n"


def test_one_document_is_indented() -> None:
    document = {"id": "a", "none": ABSENT, "ssh": {"ready": True, "argv": ["ssh", "-p"]}}
    assert shown(JSON, document) == (
        "{\n"
        '  "id": "a",\n'
        '  "ssh": {\n'
        '    "ready": true,\n'
        '    "argv": [\n'
        '      "ssh",\n'
        '      "-p"\n'
        "    ]\n"
        "  }\n"
        "}\n"
    )


def test_a_record_is_one_line() -> None:
    assert streamed(JSON, {"ts": None, "line": "a\n  b\n"}) == '{"ts":null,"line":"a\\n  b\\n"}\n'


def test_a_hole_is_an_absent_key_at_any_depth() -> None:
    document = {"a": ABSENT, "b": {"c": ABSENT, "d": [ABSENT, 1]}}
    assert streamed(JSON, document) == '{"b":{"d":[1]}}\n'
    assert listed(JSON, [document], ("a", "b")) == '[\n{"b":{"d":[1]}}\n]\n'


def test_columns_are_a_projection() -> None:
    documents = [{"id": "a", "name": "n", "gpuId": "x"}, {"id": "b"}]
    assert json.loads(listed(JSON, documents, ("name", "id"))) == [
        {"name": "n", "id": "a"},
        {"id": "b"},
    ]


def test_any_iterable_of_tuples_will_do() -> None:
    sink = MemorySink()
    rows = (row for row in [("a", 1), ("b", ABSENT)])
    JSON.emit_list(("id", "n"), rows, sink, parsed())
    assert json.loads(sink.text) == [{"id": "a", "n": 1}, {"id": "b"}]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_b26_what_json_has_no_word_for_is_an_error_and_nothing_is_written(number: float) -> None:
    sink = MemorySink()
    with pytest.raises(InternalError, match="not JSON"):
        listed(JSON, [{"n": 1}, {"n": number}], ("n",), sink)
    with pytest.raises(InternalError):
        shown(JSON, {"n": [number]}, sink=sink)
    with pytest.raises(InternalError):
        streamed(JSON, {"n": {"m": number}}, sink)
    assert sink.text == ""


@pytest.mark.parametrize("value", [object(), b"bytes", {1, 2}, 1j])
def test_a_type_that_json_has_not_is_an_error(value: object) -> None:
    with pytest.raises(InternalError, match="not JSON"):
        encode({"v": value})


def test_a_value_within_itself_is_an_error() -> None:
    value: dict[str, Any] = {}
    value["v"] = value
    with pytest.raises(InternalError, match="not JSON"):
        encode(value)


@pytest.mark.parametrize(
    "separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\r", "\r\n"]
)
def test_b04_no_separator_of_lines_splits_a_record(separator: str) -> None:
    line = streamed(JSON, {"line": f"a{separator}b"})
    assert len(line.splitlines()) == 1
    assert json.loads(line) == {"line": f"a{separator}b"}


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("\ud83d cut", r"\ufffd cut"),
        ("cut \udc00", r"cut \ufffd"),
        ("\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
        ("\ude00\ud83d", r"\ufffd\ufffd"),
        ("😀 whole", r"\ud83d\ude00 whole"),
        (r"\ud83d in words", r"\\ud83d in words"),
        ("\\\ud83d after a backslash", r"\\\ufffd after a backslash"),
        ("😀\\ud83d", r"\ud83d\ude00\\ud83d"),
    ],
)
def test_b27_half_a_character_is_replaced_and_a_whole_one_is_not(text: str, printed: str) -> None:
    assert streamed(JSON, {"line": text}) == f'{{"line":"{printed}"}}\n'


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b31m", "\x7f", "\u202e", "\x1b]52;c;eA==\x07"])
def test_c25_no_control_character_is_ever_printed(text: str) -> None:
    line = streamed(JSON, {"name": text})
    assert line.removesuffix("\n").isprintable()
    assert json.loads(line) == {"name": text}


def test_d10_every_locale_can_print_it() -> None:
    assert streamed(JSON, {"name": "pod-é-日"}) == '{"name":"pod-\\u00e9-\\u65e5"}\n'


@settings(deadline=None)
@given(st.lists(DOCUMENTS, max_size=4))
def test_whatever_is_listed_reads_back_equal_and_is_printable_ascii(
    documents: list[dict[str, Any]],
) -> None:
    columns = tuple(dict.fromkeys(key for document in documents for key in document))
    text = listed(JSON, documents, columns)
    lines = text.removesuffix("\n").split("\n")
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert len(lines) == (len(documents) + 2 if documents else 1)
    assert json.loads(text) == whole(joined(documents))


@settings(deadline=None)
@given(DOCUMENTS)
def test_whatever_is_shown_or_streamed_reads_back_equal(document: dict[str, Any]) -> None:
    assert json.loads(shown(JSON, document)) == whole(joined(document))
    assert json.loads(streamed(JSON, document)) == whole(joined(document))


def test_jq_reads_it_as_it_was_meant() -> None:
    documents = [{"id": "a", "name": 'x "quoted" \ud83d \x7f é\u2028'}, {"id": "b"}]
    text = listed(JSON, documents, ("id", "name"))
    try:
        answer = subprocess.run(
            ["jq", "-c", "map(.name)"], input=text, capture_output=True, text=True, check=True
        )
    except FileNotFoundError:
        pytest.skip("jq is not installed here")
    assert json.loads(answer.stdout) == ['x "quoted" \ufffd \x7f é\u2028', None]


def test_ten_thousand_documents_are_handed_on_without_a_copy() -> None:
    class Counted(dict[str, Any]):
        copies = 0

        def __getitem__(self, key: str) -> Any:
            Counted.copies += 1
            return super().__getitem__(key)

    documents = [Counted(id=f"p{n}", n=n) for n in range(10_000)]
    text = listed(JSON, documents, ("id", "n"))
    assert Counted.copies == 0
    assert Rows(documents, ("id", "n"))[9_999] == ("p9999", 9_999)
    assert text.count("\n") == 10_002
