"""A stranger's distribution, installed like any other, behaves as the built-in surfaces do."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest
from foreign import STRANGERS

from rpcli.testing import conformance_tests

if importlib.util.find_spec("rpcli_demo") is None:
    pytest.skip("rpcli-demo is not installed; tox installs it", allow_module_level=True)

test_conformance = conformance_tests("rpcli-demo", invocations={"demo show": ["NVIDIA L4"]})


def test_its_commands_stand_in_the_root_help(rpcli_run):
    result = rpcli_run("--help")
    assert "demo list" in result.stdout
    assert "List the GPU types in use (rpcli-demo)" in result.stdout


@pytest.mark.parametrize("api", ["v2", "classic"])
def test_it_works_on_both_control_planes(sandbox, rpcli_run, contract, api):
    result = rpcli_run("--api", api, "demo", "list", "-f", "json")
    contract("demo list", result.json)
    assert [row["gpuId"] for row in result.json] == sorted(row["gpuId"] for row in result.json)


def test_its_format_serves_built_in_lists(sandbox, rpcli_run):
    result = rpcli_run("pod", "list", "-a", "-f", "markdown", "-c", "id", "-c", "name")
    assert result.stdout.startswith("| id | name |\n| --- | --- |\n| ")
    bare = rpcli_run("pod", "list", "-a", "-f", "markdown", "--no-heading", "-c", "id")
    assert not bare.stdout.startswith("| id |")


def test_what_is_not_there_is_an_error_of_the_public_kind(sandbox, rpcli_run, contract):
    result = rpcli_run("demo", "show", "no such gpu", "-f", "json")
    assert result.status == 1
    contract("core.error", result.error)
    assert result.error["code"] == "not_found"
    assert result.error["id"] == "no such gpu"


def test_its_own_tests_pass(rpcli_run):
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=STRANGERS / "rpcli_demo",
        env=rpcli_run.environment({"PYTHONWARNINGS": None}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
