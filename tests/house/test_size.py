"""Small files, small functions, and no drawer for what has no place."""

from __future__ import annotations

import ast

import pytest
from tree import ROOT, product_files

FILE_LINES = 400
FUNCTION_LINES = 60
ACTION_LINES = 40
DRAWERS = {"utils", "util", "common", "helpers", "helper", "base", "misc"}

FILES = product_files()


@pytest.mark.parametrize("file", FILES, ids=[str(f.relative_to(ROOT)) for f in FILES])
def test_a_file_is_small_and_so_are_its_functions(file):
    text = file.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    assert lines <= FILE_LINES, f"{lines} lines"
    too_long = {
        f"{node.name}: {length} lines"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1)
        > (ACTION_LINES if node.name == "take_action" else FUNCTION_LINES)
    }
    assert not too_long


@pytest.mark.parametrize("file", FILES, ids=[str(f.relative_to(ROOT)) for f in FILES])
def test_a_file_is_named_for_what_it_holds(file):
    names = {part.partition(".")[0].strip("_").lower() for part in file.relative_to(ROOT).parts}
    assert not names & DRAWERS


def test_there_are_files_to_look_at():
    assert len(FILES) > 40
