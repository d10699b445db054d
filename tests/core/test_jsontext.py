"""JSON, read strictly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcli.domain.jsontext import DEEPEST, LONGEST_INTEGER, NotJson, decode

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_what_is_json_is_read_as_json_reads_it(document: Any) -> None:
    text = json.dumps(document)
    assert decode(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "it is empty"),
        (b" \r\n\t ", "it is empty"),
        (b"\xef\xbb\xbf", "it is empty"),
        (b"<html>", "line 1, column 1"),
        (b'{"a": 1', "it ends too early"),
        (b'{"a": "x', "it ends too early"),
        (b"[1, 2,", "it ends too early"),
        (b'{"a": 1}}', "line 1, column 9"),
        (b"{'a': 1}", "line 1, column 2"),
        (b'{\n"a" 1}', "line 2, column 5"),
        (b"NaN", "NaN is no JSON"),
        (b'{"costPerHr": NaN}', "NaN is no JSON"),
        (b"[Infinity]", "Infinity is no JSON"),
        (b"[-Infinity]", "-Infinity is no JSON"),
        (b'{"volumeInGb": 1e400}', "a number in it is too large"),
        (b"[-1e400]", "a number in it is too large"),
        (b"9" * 5000, "a number in it is too large"),
        (b"9" * (LONGEST_INTEGER + 1), "a number in it is too large"),
        (b"[" * 200_000, "it is nested too deeply"),
        (b"[" * 200_000 + b"]" * 200_000, "it is nested too deeply"),
        (b'{"a":' * 3000 + b"1" + b"}" * 3000, "it is nested too deeply"),
        (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "it is nested too deeply"),
        (b'{"a":' * (DEEPEST + 1) + b"1" + b"}" * (DEEPEST + 1), "it is nested too deeply"),
        (b'"\xff"', "it is not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "it is not UTF-8"),
        ('{"a": 1}'.encode("utf-32-le"), "line 1, column 2"),
    ],
)
def test_what_is_no_json_is_refused_in_words_of_ours(body: bytes, why: str) -> None:
    """B26, B28, E08: also what makes the standard library raise other errors, or none."""
    with pytest.raises(NotJson, match=f"^{why}$"):
        decode(body)


@pytest.mark.parametrize(
    ("body", "document"),
    [
        (b"\xef\xbb\xbf[1]", [1]),
        (b"[" * DEEPEST + b"]" * DEEPEST, None),
        (b"9" * LONGEST_INTEGER, int("9" * LONGEST_INTEGER)),
        (b"1e308", 1e308),
        (b'"' + b"[" * 500 + b'"', "[" * 500),
        (b'"\\ud800"', "\ud800"),
        (b"[" + b"[]," * 500 + b"[]]", [[]] * 501),
        (b"[0.1, -0, 1E2, 12345678901234567890]", [0.1, 0, 100.0, 12345678901234567890]),
    ],
)
def test_what_is_json_is_taken_at_the_edge_too(body: bytes, document: object) -> None:
    found = decode(body)
    assert document is None or found == document
    json.dumps(found, allow_nan=False)
