"""The lowest versions that setup.cfg allows are those that `tox -e mindeps` tests."""

from __future__ import annotations

from tree import ROOT, listed


def test_each_dependency_is_tested_at_its_lowest():
    lines = (ROOT / "tests" / "mindeps.txt").read_text(encoding="utf-8").splitlines()
    pinned = sorted(line for line in lines if line and not line.startswith("#"))
    required = [line for line in listed("options", "install_requires") if not line.startswith("#")]
    assert pinned == sorted(line.replace(">=", "==") for line in required)
