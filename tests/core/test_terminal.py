"""Text of others is made visible: case C25."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpcli.terminal import one_line, printable, shorten, visible

ANYTHING = st.text(st.characters())
#: What the Unicode database itself calls a bidirectional control.
EMBEDDINGS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
MARKS = "\u061c\u200e\u200f"
UNSEEN = {*range(0x2060, 0x2070), 0x200B, 0xFEFF, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)}


def dangerous(char: str) -> bool:
    return (
        unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}
        or unicodedata.bidirectional(char) in EMBEDDINGS
        or char in MARKS
        or ord(char) in UNSEEN
    )


def test_exactly_the_dangerous_code_points_change() -> None:
    changed = {c for c in range(sys.maxunicode + 1) if one_line(chr(c)) != chr(c)}
    assert changed == {c for c in range(sys.maxunicode + 1) if dangerous(chr(c))}


def test_escapes_are_printable_ascii_for_every_one_of_them() -> None:
    for code in range(sys.maxunicode + 1):
        if dangerous(chr(code)):
            shown = one_line(chr(code))
            assert shown.isascii()
            assert shown.isprintable()
            assert len(shown) > 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("", ""),
        ("a b", "a b"),
        ("pod-é-日", "pod-é-日"),
        ("👩\u200d🚀 क\u200cष", "👩\u200d🚀 क\u200cष"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x1b]8;;http://x\x07here\x1b]8;;\x07", "\\x1b]8;;http://x\\x07here\\x1b]8;;\\x07"),
        ("\x1b]52;c;cm0gLXJm\x07", "\\x1b]52;c;cm0gLXJm\\x07"),
        ("a\x9b31m", "a\\x9b31m"),
        ("a\rb", "a\\rb"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\x08\x7f\x00", "a\\x08\\x7f\\x00"),
        ("gpj.\u202eexe", "gpj.\\u202eexe"),
        ("a\u2028b\u2029c\x85d", "a\\u2028b\\u2029c\\x85d"),
        ("a\ud83d cut", "a\\ud83d cut"),
        ("\ufeffa\u200b", "\\ufeffa\\u200b"),
        ("a\U000e0041", "a\\U000e0041"),
    ],
)
def test_one_line(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_prose_keeps_its_line_feeds_and_tabs_and_nothing_else() -> None:
    assert printable("a\n\tb\r\n\x1b[1m") == "a\n\tb\\r\n\\x1b[1m"


def test_tabs_and_line_feeds_are_kept_one_without_the_other() -> None:
    assert visible("a\tb\nc", tabs=True) == "a\tb\\nc"
    assert visible("a\tb\nc", newlines=True) == "a\\tb\nc"


@settings(deadline=None)
@given(ANYTHING)
def test_what_is_safe_stays_safe_and_fits_one_line(text: str) -> None:
    shown = one_line(text)
    assert not any(map(dangerous, shown))
    assert len(shown.splitlines()) <= 1
    assert one_line(shown) == shown


@settings(deadline=None)
@given(ANYTHING)
def test_every_way_of_asking_agrees_but_for_tabs_and_line_feeds(text: str) -> None:
    assert printable(text).replace("\t", "\\t").replace("\n", "\\n") == one_line(text)
    assert visible(text, tabs=True).replace("\t", "\\t") == one_line(text)
    assert visible(text, newlines=True).replace("\n", "\\n") == one_line(text)


@pytest.mark.parametrize(
    ("limit", "shown"),
    [(-1, ""), (0, ""), (1, "…"), (2, "a…"), (5, "abcd…"), (6, "abcdef"), (99, "abcdef")],
)
def test_shorten(limit: int, shown: str) -> None:
    assert shorten("abcdef", limit) == shown


def test_shorten_with_a_mark_that_is_longer_than_the_room() -> None:
    assert [shorten("abcdef", n, mark="...") for n in range(5)] == ["", ".", "..", "...", "a..."]


def test_shorten_measures_as_it_is_told() -> None:
    def twice(text: str) -> int:
        return sum(1 if c == "…" else 2 for c in text)

    assert shorten("日本語", 6, measure=twice) == "日本語"
    assert shorten("日本語", 5, measure=twice) == "日本…"
    assert shorten("日本語", 4, measure=twice) == "日…"
    assert shorten("日本語", 1, measure=twice) == "…"


@settings(deadline=None)
@given(ANYTHING, st.integers(0, 30))
def test_shorten_never_exceeds_its_limit_and_cuts_no_more_than_it_must(
    text: str, limit: int
) -> None:
    short = shorten(text, limit)
    assert len(short) == min(len(text), limit)
    assert short == text or text.startswith(short.removesuffix("…"))
