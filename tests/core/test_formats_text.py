"""Records for people: cases C12, C25, C33, B27."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_sink import streamed

from rpcli.formats.text import TextFormatter

TEXT = TextFormatter()


@pytest.mark.parametrize(
    ("record", "printed"),
    [
        ({"ts": "t", "source": "container", "line": "hello"}, "t container hello\n"),
        ({"line": "b", "source": "system", "ts": "t"}, "t system b\n"),
        ({"ts": None, "source": "unknown", "line": "x"}, "unknown x\n"),
        ({"line": "x"}, "x\n"),
        ({"ts": "t", "line": "", "source": "c"}, "t c\n"),
        ({"line": ""}, "\n"),
        (
            {"type": "added", "at": "t", "n": 1, "none": None, "pod": {"id": "a"}},
            'added t 1 {"id":"a"}\n',
        ),
        ({"ts": "t", "line": 5}, "t 5\n"),
        ({}, "\n"),
    ],
)
def test_exact_lines(record: dict[str, Any], printed: str) -> None:
    assert streamed(TEXT, record) == printed


@pytest.mark.parametrize("line", ["[x", " x", "\tx", "{x", "   ", "  x  "])
def test_c33_blanks_stay(line: str) -> None:
    assert streamed(TEXT, {"ts": "t", "line": line}) == f"t {line}\n"


def test_c12_lines_that_follow_keep_what_stands_before_and_the_last_feed_is_not_doubled() -> None:
    record = {"ts": "t", "source": "c", "line": "Traceback:\n  File x\n\nend\n"}
    assert streamed(TEXT, record) == "t c Traceback:\nt c   File x\nt c\nt c end\n"


def test_a_carriage_return_counts_at_the_end_of_a_line_only() -> None:
    assert streamed(TEXT, {"line": "a\r\nb\rc\r\n"}) == "a\nb\\rc\n"


def test_c25_nothing_drives_the_terminal() -> None:
    record = {"ts": "\x1b[31m", "source": "a\nb", "line": "\x1b]0;x\x07\x9b2J\u202e\x08"}
    assert streamed(TEXT, record) == "\\x1b[31m a\\nb \\x1b]0;x\\x07\\x9b2J\\u202e\\x08\n"


def test_b27_half_a_character_is_shown() -> None:
    assert streamed(TEXT, {"line": "\ud83d cut"}) == "\\ud83d cut\n"


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["ts", "source", "line", "n"]), st.text(st.characters()) | st.none()
    )
)
def test_nothing_but_printable_text_tabs_and_line_feeds(record: dict[str, Any]) -> None:
    text = streamed(TEXT, record)
    assert text.endswith("\n")
    assert "\x1b" not in text
    assert len(text.splitlines()) == text.count("\n")
