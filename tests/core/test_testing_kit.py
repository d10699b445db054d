"""The test kit: what its fixtures promise to the authors of plugins."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from rpcli.testing import Result, Runner


def result(stdout=b"", stderr=b"", status=0) -> Result:
    return Result(("pod", "list"), status, stdout, stderr)


def test_json_is_one_document():
    assert result(b'[{"id": "a"}]\n').json == [{"id": "a"}]


@pytest.mark.parametrize("stdout", [b"", b"{} {}", b"note\n[]", b"[1,"])
def test_what_is_not_one_document_fails_with_all_there_is_to_know(stdout):
    with pytest.raises(AssertionError, match="why it failed"):
        _ = result(stdout, b"why it failed\n", 1).json


def test_lines_are_one_document_each():
    assert result(b'{"a": 1}\n{"a": 2}\n').lines == [{"a": 1}, {"a": 2}]
    assert result().lines == []


@pytest.mark.parametrize(
    ("stderr", "code"),
    [
        (b'{"error": "x", "code": "not_found"}\n', "not_found"),
        (b'rpcli: a note\n{"error": "x", "code": "timeout"}\n', "timeout"),
        (b"", None),
        (b"rpcli: a note\n", None),
        (b'{"level": "debug"}\n', None),
        (b'{"error": "x", "code": "not_found"}\nrpcli: a note\n', None),
    ],
)
def test_the_error_object_is_the_last_line(stderr, code):
    error = result(stderr=stderr).error
    assert (error and error["code"]) == code


def test_notes_are_told_from_the_rest():
    stderr = b'rpcli: one\nother\nrpcli: two\n{"error": "x", "code": "y"}\n'
    assert result(stderr=stderr).notes == ["one", "two"]


def test_stdout_must_be_utf8_and_stderr_need_not():
    odd = result(b"\xff", b"\xff")
    assert odd.stderr == "\\xff"
    with pytest.raises(UnicodeDecodeError):
        _ = odd.stdout


def test_the_environment_is_clean(tmp_path, monkeypatch):
    for name in (
        "RUNPOD_API_KEY",
        "RPCLI_FORMAT",
        "HTTP_PROXY",
        "LANG",
        "COLUMNS",
        "CLIFF_FIT_WIDTH",
    ):
        monkeypatch.setenv(name, "x")
    runner = Runner(tmp_path, {"MINE": "1", "OTHER": "2"})
    environment = runner.environment({"OTHER": None, "TZ": "UTC"})
    assert environment["HOME"] == str(runner.home)
    assert environment["RPCLI_CONTRACT"] == "enforce"
    assert environment["MINE"] == "1"
    assert environment["TZ"] == "UTC"
    absent = {"RUNPOD_API_KEY", "RPCLI_FORMAT", "HTTP_PROXY", "LANG", "COLUMNS", "OTHER"}
    assert not absent & environment.keys()
    assert all(value.startswith(str(tmp_path)) for k, value in environment.items() if "XDG" in k)


def test_a_run_gives_what_the_process_gave(rpcli_run):
    done = rpcli_run("no", "such", "command")
    assert done.status == 2
    assert done.stdout_bytes == b""
    assert done.error is not None
    assert done.argv == ("no", "such", "command")


def test_a_run_that_does_not_end_is_killed(sandbox, rpcli_run):
    with pytest.raises(subprocess.TimeoutExpired):
        rpcli_run("sandbox", "serve", timeout=1)


def test_a_file_in_the_working_folder_stands_in_for_no_module(rpcli_run):
    (rpcli_run.cwd / "argparse.py").write_text("raise SystemExit(99)\n")
    assert rpcli_run("--version").status == 0


@pytest.mark.scenario({"pods": []})
def test_the_marker_chooses_what_the_sandbox_plays(sandbox, rpcli_run, contract):
    pods = rpcli_run("pod", "list", "-a")
    contract("pod list", pods.json)
    assert pods.json == []
    assert len(sandbox.requests()) == 1


def test_a_command_without_the_sandbox_fixture_has_no_account(rpcli_run, contract):
    done = rpcli_run("pod", "list")
    contract("core.error", done.error)
    assert done.error["code"] == "no_credentials"


def test_the_contract_fixture_refuses_what_no_schema_knows(contract):
    good = {"error": "x", "code": "not_found"}
    contract("core.error", good)
    with pytest.raises(AssertionError, match="surprise"):
        contract("core.error", {**good, "surprise": "rpa_SECRET"})
    with pytest.raises(AssertionError) as caught:
        contract("core.error", {**good, "status": "rpa_SECRET"})
    assert "rpa_SECRET" not in str(caught.value)


@pytest.mark.parametrize("name", ["core.nosuch", "pod lst", "nosuch.list", "error"])
def test_a_schema_that_is_not_there_is_no_success(contract, name):
    with pytest.raises(LookupError, match=name):
        contract(name, {})


def test_the_plugin_is_loaded_by_its_entry_point(tmp_path, rpcli_run):
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "pytest",
            "--fixtures",
            "-p",
            "no:cacheprovider",
            str(tmp_path),
        ],
        env=rpcli_run.environment({"PYTHONWARNINGS": None}),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    for name in ("sandbox", "rpcli_run", "contract", "rpcli_env"):
        assert f"\n{name} -- " in done.stdout or f"\n{name}\n" in done.stdout, done.stdout


def test_results_are_plain_values():
    first = result(json.dumps({}).encode())
    assert first == result(b"{}")
    assert "exit status 0" in str(first)
