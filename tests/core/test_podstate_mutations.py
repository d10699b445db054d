"""The table of the state function is worth something: no mutation of the function gets past it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import podstate_table as table
import pytest

from rpcli.domain import podstate

SOURCE = Path(podstate.__file__).read_text(encoding="utf-8")

#: What a tired hand might do: a name, the text, what it became.
SLIPS = (
    ("letter case counts", "change.lstrip().lower()", "change.lstrip()"),
    ("blanks before count", "change.lstrip().lower()", "change.lower()"),
    ("found anywhere", "text.startswith(beginning)", "beginning in text"),
    ("the whole text", "text.startswith(beginning)", "text == beginning"),
    ("any word that begins so", " and _is_word_end(text, len(beginning))", ""),
    ("numbers are taken for text", "not isinstance(change, str)", "change is None"),
    ("an open window is never inside", "return maintenance.start <= now\n", "return False\n"),
    ("the end is inside", "now < maintenance.end", "now <= maintenance.end"),
    ("the start is outside", "maintenance.start <= now < ", "maintenance.start < now < "),
    ("every status has maintenance", 'state.status == "initializing" and ', ""),
    ("maintenance hides running", '== "initializing" and', '== "running" and'),
    ("a window needs no moment", "or now is None or", "or"),
    (
        "PAUSED on both",
        '"classic": {**_ENDED, "PAUSED": (_EXITED_BY',
        '"classic": {**_ENDED, "": (_EXITED_BY',
    ),
    (
        "PAUSED knows terminations",
        '"PAUSED": (_EXITED_BY, ',
        '"PAUSED": ({**_EXITED_BY, **_TERMINATED_BY}, ',
    ),
    ("EXITED does not", "({**_EXITED_BY, **_TERMINATED_BY}, _STOPPED)", "(_EXITED_BY, _STOPPED)"),
    (
        "TERMINATED knows exits",
        "({**_EXITED_BY, **_TERMINATED_BY}, _STOPPED)",
        "({**_TERMINATED_BY, **_EXITED_BY}, _TERMINATED)",
    ),
    ("the signal counts always", 'if state_status == "RUNNING":', "if signal in _BY_SIGNAL:"),
    ("the unknown is stopped", "state = _UNRECOGNIZED", "state = _STOPPED"),
)


def _runs(tree_or_text: ast.Module | str) -> Callable[..., Any]:
    """Load a mutated module in the place of the real one, without touching that."""
    namespace: dict[str, Any] = {"__name__": podstate.__name__, "__file__": podstate.__file__}
    exec(compile(tree_or_text, "<mutated>", "exec"), namespace)
    derive: Callable[..., Any] = namespace["derive_state"]
    return derive


def _is_caught(derive: Callable[..., Any]) -> bool:
    try:
        return next(table.violations(derive), None) is not None
    except (LookupError, TypeError, AttributeError):
        return True


def test_the_function_itself_is_not_caught() -> None:
    assert not _is_caught(_runs(SOURCE))


@pytest.mark.parametrize(("text", "instead"), [s[1:] for s in SLIPS], ids=[s[0] for s in SLIPS])
def test_a_slip_is_caught(text: str, instead: str) -> None:
    assert SOURCE.count(text) == 1, "the mutation no longer fits the source"
    assert _is_caught(_runs(SOURCE.replace(text, instead)))


def _flips(node: ast.AST) -> Iterator[ast.AST]:
    """Give what a node could have been by mistake."""
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            for other in _OPPOSITES.get(type(operator), ()):
                yield _with(node, "ops", at, other())
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Dict):
        for at in range(len(node.keys)):
            keys, values = list(node.keys), list(node.values)
            del keys[at], values[at]
            yield ast.Dict(keys, values)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "PodState":
        for at in range(len(node.args)):
            yield _with(node, "args", at, ast.Constant("mutated"))


def _with(node: ast.AST, field: str, at: int, value: ast.AST) -> ast.AST:
    changed = copy.deepcopy(node)
    getattr(changed, field)[at] = value
    return changed


_OPPOSITES: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.Eq: (ast.NotEq,),
    ast.In: (ast.NotIn,),
    ast.Is: (ast.IsNot,),
}


class _Nth(ast.NodeTransformer):
    """Replace the nth thing that can be flipped, and remember which it was."""

    def __init__(self, wanted: int) -> None:
        self.left = wanted
        self.done: str | None = None

    def visit(self, node: ast.AST) -> Any:
        for flipped in _flips(node):
            if self.left == 0 and self.done is None:
                self.done = f"line {getattr(node, 'lineno', 0)}: {ast.unparse(node)}"
                return ast.copy_location(flipped, node)
            self.left -= 1
        return self.generic_visit(node)


def _mutants() -> Iterator[tuple[str, ast.Module]]:
    wanted = 0
    while True:
        nth = _Nth(wanted)
        tree = ast.fix_missing_locations(nth.visit(ast.parse(SOURCE)))
        if nth.done is None:
            return
        yield nth.done, tree
        wanted += 1


def test_no_systematic_mutation_survives() -> None:
    survivors, tried = [], 0
    for where, tree in _mutants():
        tried += 1
        if not _is_caught(_runs(tree)):
            survivors.append(where)
    assert survivors == []
    assert tried > 60
