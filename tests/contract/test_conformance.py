"""Every surface and command of rpcli goes through the suite that is made for strangers."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from rpcli.testing import conformance_tests

#: A pod of the demo scenario that runs and can be reached.
POD = "7h9k2m4n6p8q1r"
ENDPOINT = "ep0demo"

test_conformance = conformance_tests(
    "rpcli",
    invocations={
        "pod get": [POD],
        "pod logs": [POD],
        "pod update": [POD, "--ports", "8888/http,22/tcp"],
        "serverless logs": [ENDPOINT],
        "ssh info": [POD],
    },
)


@pytest.fixture
def report(rpcli_run):
    """Run the suite on distributions in a process of its own: their imports stay there."""

    def run(*distributions: str) -> dict[str, list[str]]:
        code = (
            "import json, sys\n"
            "from rpcli.testing import check_installed\n"
            "report = check_installed(*sys.argv[1:])\n"
            "assert not report.ok\n"
            "assert str(report).endswith(f'{len(report.findings)} findings')\n"
            "print(json.dumps([(f.subject, f.check, f.problem) for f in report.findings]))\n"
        )
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, *distributions],
            env=rpcli_run.environment(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, list[str]] = {}
        for subject, check, problem in json.loads(done.stdout.splitlines()[-1]):
            found.setdefault(f"{subject}: {check}", []).append(problem)
        return found

    return run


EXPECTED = {
    "surface careless: entry point has its name": "'careless'",
    "surface careless: commands are installed": "careless gone",
    "careless list: schema is sound": "",
    "careless list: columns match the schema": "columns that the schema lacks: extra",
    "careless list: it is described": "no docstring",
    "careless list: parser builds": "conflicting option",
    "careless list: every argument has help": "--silent has no help",
    "careless list: importing it is quiet": "starts the threads",
    "careless list: it uses the public api": "rpcli.errors",
    "careless list: document fits the schema": "",
    "careless list: every format prints": "",
    "careless show: output fits its base": "no ListCommand",
    "careless show: schema is sound": "",
    "careless show: it is described": "summary",
    "careless show: arguments are given": "it needs ID",
}


def test_the_suite_finds_what_is_careless(install_plugin, report):
    install_plugin("careless")
    found = report("careless")
    for where, text in EXPECTED.items():
        assert where in found
        assert any(text in problem for problem in found[where]), found[where]


def test_the_suite_finds_what_is_hostile(install_plugin, report):
    for name in ("hostile_orphan", "hostile_option", "hostile_prints", "hostile_api"):
        install_plugin(name)
    found = report("hostile-orphan", "hostile-option", "hostile-prints", "hostile-api")
    assert found["orphan list: one surface claims it"] == ["no surface claims it"]
    assert "conflicting option" in found["option list: parser builds"][0]
    assert any("stdout" in text for text in found["prints list: importing it is quiet"])
    assert "version 2" in found["surface hostile_api: descriptor fits its schema"][0]


def test_a_distribution_that_is_not_there_is_no_success():
    with pytest.raises(LookupError, match="no_such_plugin"):
        conformance_tests("no-such-plugin")


def test_an_invocation_for_no_command_is_no_success():
    with pytest.raises(LookupError, match="pod gte"):
        conformance_tests("rpcli", invocations={"pod gte": []})
