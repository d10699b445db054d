"""Every case in scope is a test, or stands in the table with its reason."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def _ids(letter: str, *numbers: int) -> list[str]:
    return [f"{letter}{number:02}" for number in numbers]


SCOPE = [
    *_ids("A", *range(1, 17), *range(18, 31)),
    *_ids("B", *range(1, 32)),
    *_ids("C", *range(1, 34)),
    *_ids("D", *range(1, 31)),
    *_ids("E", *range(1, 9)),
    *_ids("F", 1, 2, 5, 10, 11),
    *_ids("G", *range(1, 7)),
]


def test_every_case_is_a_test_or_has_a_reason():
    tests = {path: path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")}
    named = {i for p, text in tests.items() if p != Path(__file__) for i in _named(text)}
    excused = set(re.findall(r"^\| ([A-G]\d\d) \| \S.*\|$", (TESTS / "cases.md").read_text(), re.M))
    assert excused <= set(SCOPE)
    assert sorted(set(SCOPE) - named - excused) == []


def _named(text: str) -> set[str]:
    return set(re.findall(r"\b([A-G]\d\d)\b", text))
