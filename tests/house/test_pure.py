"""A module that calls itself pure is held to it by import-linter."""

from __future__ import annotations

import ast

import pytest
from tree import ROOT, listed, product_files

CONTRACTS = ("importlinter:contract:pure", "importlinter:contract:pure-views")


def _modules() -> dict[str, str]:
    """Give the first paragraph of the docstring of every module, by its dotted name."""
    found = {}
    for file in product_files():
        root = ROOT / "plugins" if file.is_relative_to(ROOT / "plugins") else ROOT
        name = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        found[name] = text.partition("\n\n")[0]
    return found


def test_every_module_that_says_so_is_held_to_it():
    held = [name for contract in CONTRACTS for name in listed(contract, "source_modules")]
    says = [name for name, text in _modules().items() if text.rstrip().endswith("Pure.")]
    assert len(says) > 20
    loose = [n for n in says if not any(n == h or n.startswith(f"{h}.") for h in held)]
    assert loose == []


@pytest.mark.parametrize("contract", CONTRACTS)
def test_what_is_held_is_there(contract):
    assert set(listed(contract, "source_modules")) <= _modules().keys()
