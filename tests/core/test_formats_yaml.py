"""YAML says what the JSON says: cases B27, C25."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_sink import MemorySink, listed, parsed, shown, streamed

from rpcli.errors import InternalError
from rpcli.formats.json import JsonFormatter
from rpcli.formats.yaml import YamlFormatter
from rpcli.rows import ABSENT
from rpcli.terminal import printable

JSON = JsonFormatter()
YAML = YamlFormatter()
TEXT = st.text(st.characters(), max_size=10)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.from_regex(r"[-+.0-9eExo_:]{1,8}|[yYnN]|true|null|~|=|<<", fullmatch=True),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
DOCUMENTS = st.dictionaries(TEXT, VALUES, max_size=4)


def test_a_list_is_a_sequence_of_mappings_in_the_order_of_keys() -> None:
    documents = [
        {"name": "pod-é-日 😀", "id": "a", "env": {}, "ports": ["22/tcp"], "locked": False},
        {"id": "b", "name": None},
    ]
    assert listed(YAML, documents, ("name", "id", "env", "ports", "locked")) == (
        "- name: pod-é-日 😀\n"
        "  id: a\n"
        "  env: {}\n"
        "  ports:\n"
        "  - 22/tcp\n"
        "  locked: false\n"
        "- id: b\n"
        "  name: null\n"
    )


def test_an_empty_list_is_an_empty_sequence() -> None:
    assert listed(YAML, [], ("id",)) == "[]\n"


def test_one_document_is_a_mapping_without_its_holes() -> None:
    document = {"id": "a", "none": ABSENT, "ssh": {"ready": True, "ip": ABSENT}}
    assert shown(YAML, document) == "id: a\nssh:\n  ready: true\n"


def test_a_record_is_a_document_of_its_own() -> None:
    sink = MemorySink()
    streamed(YAML, {"line": "a"}, sink)
    streamed(YAML, {"line": "b"}, sink)
    assert sink.text == "---\nline: a\n---\nline: b\n"
    assert list(yaml.safe_load_all(sink.text)) == [{"line": "a"}, {"line": "b"}]


@pytest.mark.parametrize(
    "text",
    [
        *("1", "-1.5", "1e3", "12e5", "0o17", "0x1f", "017", "1_000", "12:30:45", ".5", "1.", "+1"),
        *("y", "N", "yes", "on", "true", "null", "~", "", "2026-10-02", "2026-10-02T05:28:38Z"),
        *(".inf", ".nan", "=", "<<", "- a", "# a", "a: b", "{a}", "*a", "&a", "!a", "%a", "@a"),
    ],
)
def test_text_that_looks_like_something_else_is_quoted(text: str) -> None:
    printed = streamed(YAML, {"v": text})
    assert printed.startswith(("---\nv: '", '---\nv: "'))
    assert yaml.safe_load(printed) == {"v": text}


def test_ids_that_look_like_nothing_else_stay_bare() -> None:
    assert streamed(YAML, {"id": "9sv4kx2b1p"}) == "---\nid: 9sv4kx2b1p\n"


def test_b27_half_a_character_does_not_end_the_stream() -> None:
    assert yaml.safe_load(streamed(YAML, {"line": "\ud83d cut"})) == {"line": "\ufffd cut"}


def test_what_is_shared_is_written_out() -> None:
    shared = {"a": [1]}
    assert "&" not in streamed(YAML, {"x": shared, "y": shared})


def test_long_text_is_not_folded() -> None:
    line = "word " * 100 + "end"
    assert streamed(YAML, {"line": line}) == f"---\nline: {line}\n"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), b"x"])
def test_what_is_not_json_is_no_yaml_either(value: object) -> None:
    sink = MemorySink()
    with pytest.raises(InternalError):
        YAML.emit_list(("v",), [(value,)], sink, parsed())
    assert sink.text == ""


@settings(deadline=None)
@given(st.lists(DOCUMENTS, max_size=3))
def test_it_reads_back_as_the_json_does_and_harms_no_terminal(
    documents: list[dict[str, Any]],
) -> None:
    columns = tuple(dict.fromkeys(key for document in documents for key in document))
    text = listed(YAML, documents, columns)
    assert yaml.safe_load(text) == json.loads(listed(JSON, documents, columns))
    assert printable(text) == text


@settings(deadline=None)
@given(DOCUMENTS)
def test_one_document_reads_back_as_the_json_does(document: dict[str, Any]) -> None:
    assert yaml.safe_load(shown(YAML, document)) == json.loads(shown(JSON, document))
    assert yaml.safe_load(streamed(YAML, document)) == json.loads(streamed(JSON, document))
