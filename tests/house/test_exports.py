"""The two public doors: what they export is promised, and changes only on purpose."""

from __future__ import annotations

import importlib
import re

import pytest
from tree import ROOT

PLUGIN = [
    "API_VERSION",
    "ActionCommand",
    "ApiError",
    "Command",
    "CommandSpec",
    "Conflict",
    "Context",
    "ControlPlane",
    "FileError",
    "ListCommand",
    "LocalKey",
    "Matched",
    "NoMatch",
    "NotFound",
    "PodChange",
    "PodDetail",
    "PodSnapshot",
    "PodState",
    "RUNTIME_STATUSES",
    "Record",
    "RecordBatch",
    "RpcliError",
    "ShowCommand",
    "SshView",
    "StreamCommand",
    "StreamPlan",
    "StreamStats",
    "StreamTarget",
    "Surface",
    "TimeoutExpired",
    "UnexpectedResponse",
    "Unsupported",
    "UsageError",
    "format_span",
    "format_timestamp",
    "moment_of_change",
    "parse_duration",
    "parse_instant",
    "ssh_document",
    "state_of",
]

TESTING = [
    "Finding",
    "Report",
    "Result",
    "Runner",
    "check_document",
    "check_installed",
    "conformance_tests",
]


@pytest.mark.parametrize(
    ("module", "names"), [("rpcli.plugin", PLUGIN), ("rpcli.testing", TESTING)]
)
def test_the_exported_names_are_these(module, names):
    door = importlib.import_module(module)
    assert sorted(door.__all__) == names
    for name in names:
        assert getattr(door, name) is not None


@pytest.mark.parametrize(
    ("page", "names"), [("plugins.md", PLUGIN), ("testing.md", TESTING)], ids=["plugin", "testing"]
)
def test_the_exported_names_are_documented(page, names):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_a_name_that_is_not_exported_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'pytest_plugin_of_mine'"):
        importlib.import_module("rpcli.testing").pytest_plugin_of_mine  # noqa: B018
