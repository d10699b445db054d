"""What starting up imports: nothing before it is needed, as Python itself tells it.

``python -X importtime`` leaves out what ``importlib.import_module`` loads, as entry points are;
``python -v`` names every module.
"""

from __future__ import annotations

import os
import re
import subprocess

import pytest

SLOW = {"requests", "urllib3", "jsonschema", "referencing", "yaml", "prettytable", "werkzeug"}
SLOW |= {"graphql", "cmd2", "rich", "asyncio", "rpcli.sandbox", "rpcli.contract.validate"}
TABLES = {"yaml", "prettytable", "jsonschema", "referencing", "cmd2", "werkzeug", "graphql"}
LINE = re.compile(r"^import '([\w.]+)' #")


@pytest.fixture
def imported(rpcli_run):
    """Run a command, and give the names of every module that it imported."""

    def run(*argv: str) -> set[str]:
        # cliff imports cmd2 where there is a terminal only; RPCLI_CONTRACT imports jsonschema.
        env = rpcli_run.environment({"RPCLI_CONTRACT": None, "PYTHONVERBOSE": "1"})
        env["PYTHONPATH"] = os.pathsep.join(_without_guard(env["PYTHONPATH"]))
        done = subprocess.run(
            rpcli_run.command(*argv),
            env=env,
            cwd=rpcli_run.cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        names = {m.group(1) for m in map(LINE.match, done.stderr.splitlines()) if m}
        assert "rpcli.main" in names
        return names

    return run


def _without_guard(path: str) -> list[str]:
    """Leave out what the tests themselves import at start-up."""
    folders = path.split(os.pathsep)
    return [f for f in folders if not os.path.exists(os.path.join(f, "sitecustomize.py"))]  # noqa: PTH110, PTH118


def _packages(names: set[str], wanted: set[str]) -> set[str]:
    return {w for w in wanted if any(n == w or n.startswith(f"{w}.") for n in names)}


@pytest.mark.parametrize("argv", [("--version",), ("--help",), ("help",), ("help", "pod", "list")])
def test_help_imports_nothing_slow(imported, argv):
    # E06
    assert _packages(imported(*argv), SLOW) == set()


def test_commands_imports_nothing_slow(imported):
    assert _packages(imported("commands", "-f", "json"), SLOW) == set()


def test_the_version_imports_no_surface(imported):
    names = imported("--version")
    assert _packages(names, {"rpcli_pod", "rpcli_ssh", "rpcli.core"}) == set()


@pytest.mark.parametrize("argv", [("--help",), ("help",), ()])
def test_root_help_imports_descriptors_and_no_command(imported, argv):
    names = imported(*argv)
    assert {"rpcli_pod", "rpcli_ssh"} <= names
    assert _packages(names, {"rpcli_pod.commands", "rpcli_ssh.commands"}) == set()


@pytest.mark.parametrize("api", ["v2", "classic"])
def test_a_list_imports_its_own_surface_and_no_other(sandbox, imported, api):
    names = imported("--api", api, "pod", "list", "-f", "json")
    assert _packages(names, TABLES | {"rpcli_ssh", "rpcli.contract"}) == set()
    assert {"rpcli_pod.commands", "requests"} <= names
    other = {"v2": "rpcli.controlplane.classic", "classic": "rpcli.controlplane.v2"}[api]
    assert _packages(names, {other}) == set()


def test_help_for_one_command_imports_one_surface(imported):
    assert "rpcli_ssh.commands" not in imported("help", "pod", "list")


def test_pytest_is_not_slowed_down(rpcli_run):
    """The pytest plugin is loaded in every run of pytest on this machine: it must weigh nothing."""
    probe = (
        "import pytest, sys\n"
        "before = set(sys.modules)\n"
        "import rpcli.testing.pytest_plugin\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    done = subprocess.run(
        [*rpcli_run.command()[:2], "-c", probe],
        env=rpcli_run.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["rpcli", "rpcli.testing", "rpcli.testing.pytest_plugin"]
