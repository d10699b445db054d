"""What the shell does with words: the real command in a real process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

READS = [("pod", "list", "-a"), ("pod", "get", "p"), ("ssh", "info", "p"), ("ssh", "connect")]


@pytest.mark.parametrize("argv", [("--version",), ("--help",), ("help",), ("help", "pod", "list")])
def test_no_key_is_needed_for_help(rpcli_run, argv):
    # A07, D28
    result = rpcli_run(*argv)
    assert result.status == 0
    assert result.stdout.strip()
    assert result.stderr == ""
    assert not any(rpcli_run.home.rglob("*"))


@pytest.mark.parametrize(
    "argv", [(), ("pod",), ("ssh",), ("plugin",), ("pod", "--help"), ("-h", "pod"), ("--help",)]
)
def test_no_command_is_a_request_for_help(rpcli_run, argv):
    # D02
    result = rpcli_run(*argv, stdin="")
    assert result.status == 0
    assert result.stdout.startswith("usage: rpcli")
    assert ("  pod list " in result.stdout) == (argv[-1:] != ("ssh",) and "plugin" not in argv)
    assert result.stderr == ""


def test_no_command_and_no_stdin_ends_at_once(rpcli_run):
    line = [*rpcli_run.command(), "<&-"]
    done = subprocess.run(
        ["sh", "-c", " ".join(line)],
        env=rpcli_run.environment(),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("usage: rpcli")


@pytest.mark.parametrize(
    ("argv", "near"),
    [
        (("pdo", "list"), "pod list"),
        (("pod", "lgs", "p1"), "pod list"),
        (("po", "li"), "pod list"),
        (("po", "l", "p1"), "pod"),
        (("s", "i", "p1"), None),
        (("help", "nope"), None),
    ],
)
def test_unknown_commands_are_named_on_stderr(rpcli_run, argv, near):
    # D01, D23
    result = rpcli_run(*argv)
    assert result.status == 2
    assert result.stdout == ""
    assert result.error["code"] == "usage_error"
    if near:
        assert near in result.error["hint"]


@pytest.mark.parametrize(
    "argv",
    [
        ("pod", "list", "--log", "zzz"),
        ("pod", "list", "--verb"),
        ("pod", "list", "--deb"),
        ("pod", "list", "--al"),
        ("--sand", "pod", "list"),
        ("config", "show", "--form", "json"),
    ],
)
def test_no_option_is_abbreviated(rpcli_run, argv):
    # D07
    result = rpcli_run(*argv)
    assert result.status == 2
    assert result.error["code"] == "usage_error"
    assert not any(rpcli_run.cwd.iterdir())


@pytest.mark.parametrize("word", ["tabel", "TABLE", ""])
@pytest.mark.parametrize("flag", ["-o", "-f"])
def test_an_unknown_format_is_an_error_before_any_request(sandbox, rpcli_run, flag, word):
    # A05
    result = rpcli_run("pod", "list", flag, word)
    assert result.status == 2
    assert result.error["code"] == "usage_error"
    for name in ("json", "yaml", "table", "csv", "value"):
        assert name in result.error["error"]
    assert sandbox.requests() == []


def test_two_formats_exclude_each_other(sandbox, rpcli_run):
    assert rpcli_run("pod", "list", "-f", "json", "-o", "json").status == 0
    result = rpcli_run("pod", "list", "-f", "json", "-o", "yaml")
    assert result.status == 2
    assert result.error["code"] == "usage_error"


@pytest.mark.parametrize("flag", ["-c", "--sort-column"])
def test_unknown_fields_are_named(sandbox, rpcli_run, flag):
    # D05, D06
    result = rpcli_run("pod", "list", "-c", "id", flag, "nope")
    assert result.status == 2
    assert "nope" in result.error["error"]
    assert "runtimeStatus" in result.error["error"]
    assert sandbox.requests() == []


def test_a_format_of_the_environment(sandbox, rpcli_run):
    assert rpcli_run("pod", "list", env={"RPCLI_FORMAT": "yaml"}).stdout.startswith("- id:")
    assert rpcli_run("pod", "list", "-f", "json", env={"RPCLI_FORMAT": "yaml"}).json
    # shell is a format of one document: a list falls back to its default
    assert rpcli_run("pod", "list", env={"RPCLI_FORMAT": "shell"}).json
    result = rpcli_run("pod", "list", env={"RPCLI_FORMAT": "tabel"})
    assert (result.status, result.error["code"]) == (1, "config_error")
    assert "RPCLI_FORMAT" in result.error["error"]


def test_errors_are_prose_for_people(rpcli_run):
    result = rpcli_run("pod", "list", "-f", "table")
    assert result.status == 1
    assert result.stderr.startswith("error: no API key")
    assert "\nhint: " in result.stderr
    result = rpcli_run("pod", "list", "--bogus", "-f", "table")
    assert result.status == 2
    assert result.stderr.startswith("usage: rpcli pod list")


@pytest.mark.scenario({"pods": [], "faults": [{"status": 500, "body": {"error": "it broke"}}]})
@pytest.mark.parametrize("argv", READS)
@pytest.mark.parametrize("api", ["v2", "classic"])
def test_a_failing_api_is_one_error_and_no_output(sandbox, rpcli_run, argv, api):
    # A06
    result = rpcli_run(*argv, env={"RPCLI_API": api})
    assert result.status == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    error = json.loads(line)
    assert (error["code"], error["status"], error["error"]) == ("server_error", 500, "it broke")


def test_get_is_an_object_and_list_an_array(sandbox, rpcli_run):
    # A18
    pods = rpcli_run("pod", "list", "-a").json
    assert isinstance(pods, list)
    assert isinstance(rpcli_run("pod", "get", pods[0]["id"]).json, dict)
    assert all(isinstance(pod["gpuCount"], int) for pod in pods)


@pytest.mark.parametrize("redirection", [">&-", ">&- 2>&-", "2>&-"])
def test_closed_streams(sandbox, rpcli_run, redirection):
    # D08
    done = _sh(rpcli_run, f"pod list {redirection}")
    assert done.returncode == (0 if redirection == "2>&-" else 1)
    assert "Traceback" not in done.stderr
    if redirection == ">&-":
        assert json.loads(done.stderr)["code"] == "output_error"
        assert sandbox.requests() == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("argv", ["pod list", "--version", "--help", "config show -f table"])
def test_a_full_disk_is_no_success(sandbox, rpcli_run, argv):
    # D09
    done = _sh(rpcli_run, f"{argv} >/dev/full")
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.scenario("many")
@pytest.mark.parametrize("reader", ["true", "head -c 1"])
def test_a_closed_pipe_ends_silently(sandbox, rpcli_run, reader):
    done = _sh(rpcli_run, f"pod list -a; echo $? >status; }} | {{ {reader}", "{ ")
    assert done.stderr == ""
    assert (rpcli_run.cwd / "status").read_text().strip() == "141"


@pytest.mark.scenario({"clock": {"frozen": True}, "pods": [{"id": "p1", "status": "RUNNING"}]})
def test_warnings_are_not_fatal(sandbox, rpcli_run):
    # D27
    expected = rpcli_run("pod", "list").json
    assert rpcli_run("pod", "list", env={"PYTHONWARNINGS": "error"}).json == expected
    assert rpcli_run("pod", "list", env={"PYTHONOPTIMIZE": "2"}).json == expected


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
@pytest.mark.parametrize("form", ["json", "table", "value", "csv", "yaml"])
@pytest.mark.scenario({"pods": [{"id": "p1", "name": "pod-é-日", "status": "RUNNING"}]})
def test_any_locale_prints_any_name(sandbox, rpcli_run, env, form):
    # D10
    result = rpcli_run("pod", "list", "-f", form, env=env)
    assert result.status == 0
    assert result.stderr == ""
    assert "pod-" in result.stdout
    if form == "json":
        assert result.stdout.isascii()
        assert result.json[0]["name"] == "pod-é-日"


@pytest.mark.parametrize(
    "env",
    [
        {"CLIFF_MAX_TERM_WIDTH": ""},
        {"CLIFF_MAX_TERM_WIDTH": "auto"},
        {"CLIFF_FIT_WIDTH": "true"},
        {"COLUMNS": "0"},
        {"COLUMNS": "-3"},
        {"COLUMNS": "x"},
    ],
)
def test_odd_variables_break_nothing(sandbox, rpcli_run, env):
    # D04, D29
    for form in ("json", "table"):
        assert rpcli_run("pod", "list", "-f", form, env=env).status == 0
    assert rpcli_run("help", "pod", "list", env=env).status == 0


@pytest.mark.parametrize(
    "env", [{"PAGER": "false"}, {"PAGER": ""}, {"LESS": ""}, {"TERM": "dumb"}, {"NO_COLOR": "1"}]
)
def test_help_needs_no_pager(rpcli_run, env):
    # D21
    assert rpcli_run("--help", env=env).stdout == rpcli_run("--help").stdout
    assert "\x1b" not in rpcli_run("pod", "list", "--help", env=env).stdout


@pytest.mark.parametrize("where", ["file", "folder", "relative", "no-home"])
def test_no_cache_is_needed_and_none_is_written(sandbox, rpcli_run, where):
    # A10, D12, D13, D14, D15
    cache = rpcli_run.home / "cache"
    env = {"XDG_CACHE_HOME": str(cache)}
    if where == "file":
        cache.write_text("")
    elif where == "folder":
        cache.mkdir(mode=0o555)
    elif where == "relative":
        env = {"XDG_CACHE_HOME": "relcache"}
    else:
        env = {"HOME": "/nonexistent", "XDG_CACHE_HOME": None}
    before = sorted(rpcli_run.home.rglob("*"))
    result = rpcli_run("pod", "list", env=env)
    assert result.status == 0
    assert result.stderr == ""
    assert sorted(rpcli_run.home.rglob("*")) == before
    assert not any(rpcli_run.cwd.iterdir())


def test_secrets_are_in_no_trace(sandbox, rpcli_run):
    # D22, A11
    secret = sandbox.api_key
    log = rpcli_run.cwd / "log"
    result = rpcli_run("pod", "list", "--debug", "-vv", "--log-file", str(log))
    assert result.status == 0
    assert "RUNPOD_API_KEY environment variable" in result.stderr
    assert log.read_text()
    failing = rpcli_run(
        "pod", "list", "--debug", "-v", env={"RUNPOD_REST_V2_URL": "http://127.0.0.1:9/v2"}
    )
    assert failing.status == 1
    for text in (result.stdout, result.stderr, failing.stderr, log.read_text()):
        assert secret not in text


def test_verbose_tells_of_requests_and_debug_of_libraries_too(sandbox, rpcli_run):
    verbose = rpcli_run("pod", "list", "-v").stderr
    assert "/v2/pods?limit=1000: 200, " in verbose
    assert len(verbose.splitlines()) == 1
    assert "urllib3" in rpcli_run("pod", "list", "--debug").stderr


@pytest.mark.parametrize("word", ["1", "true", "demo"])
def test_the_sandbox_of_the_environment(rpcli_run, word):
    assert rpcli_run("pod", "list", env={"RPCLI_SANDBOX": word}).json


def test_a_log_file_that_cannot_be_written(sandbox, rpcli_run):
    result = rpcli_run("pod", "list", "--log-file", "/nonexistent/log")
    assert (result.status, result.error["code"]) == (1, "io_error")
    assert sandbox.requests() == []


def test_ids_that_begin_with_a_dash(sandbox, rpcli_run):
    # D24
    result = rpcli_run("pod", "get", "--", "-abc")
    assert (result.status, result.error["code"]) == (1, "not_found")
    assert result.error["id"] == "-abc"


@pytest.mark.parametrize("name", ["rpcli", "rp cli", "pod"])
def test_the_name_of_the_program_does_not_matter(rpcli_run, tmp_path, name):
    # D30
    wrapper = tmp_path / "bin" / name
    wrapper.parent.mkdir()
    wrapper.write_text(f"#!{sys.executable}\nfrom rpcli.main import main\nmain()\n")
    wrapper.chmod(0o755)
    done = subprocess.run(
        [str(wrapper), "help", "pod", "list"],
        env=rpcli_run.environment(),
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert done.stdout.startswith("usage: rpcli pod list")


def _sh(rpcli_run, line, before=""):
    command = " ".join(rpcli_run.command())
    return subprocess.run(
        ["sh", "-c", f"{before}{command} {line}" + ("; }" if before else "")],
        env=rpcli_run.environment(),
        cwd=rpcli_run.cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
