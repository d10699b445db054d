"""What is typed after ``pod logs`` and ``serverless logs``; mistakes end before any request."""

from __future__ import annotations

import pytest
from log_script import NO_MORE, RETRY, LogScript, closed, event, listing

POD = ("pod", "logs", "p")
LOGS = ("serverless", "logs", "e")

BAD = {
    # C16
    "--tail": ["-1", "all", "1e3", "007", "9" * 20, "5001", "", "\uff15", " 5", "1.0"],
    # C18
    "--since": ["0", "0s", "-5m", "5", "1w", "1y", "+1h", "5 m", "\uff11h", "", "yesterday",
                "2026-13-01T00:00:00Z", "9" * 400 + "d", "h", "1h-1m"],
    "--until": ["0s", "-5m", "5", "", "\u2603", "2026-01-01T00:00:00"],
    "--max-wait": ["0", "0s", "-1s", "5", "", "25h", "1e3s", "nan", "inf"],
    "--source": ["", "all", "Container", "stdout"],
    "--grep": ["", "(", "[", "*x", "a{99999999999}", "(?P<"],
    "--exclude": ["", "("],
    "--until-match": ["", "("],
    "--fail-on": ["", "("],
    "--save": ["", " ", "-"],
    "--timestamps": ["utc", ""],
    "-c": ["nope", ""],
    "-f": ["xml", ""],
}  # fmt: skip


def refused(rpcli_run, *argv: str, env=None) -> dict:
    with LogScript() as script:
        result = rpcli_run(*argv, env=script.environment() | (env or {}))
        assert script.requests == []
    assert (result.status, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.error["code"] == "usage_error"
    return result.error


@pytest.mark.parametrize("flag", BAD)
def test_a_value_that_is_none_is_refused_before_any_request(rpcli_run, flag):
    for value in BAD[flag]:
        argv = (f"{flag}={value}",) if flag.startswith("--") else (flag, value)
        said = refused(rpcli_run, *POD, *argv)["error"]
        # cliff's own flags have errors of their own
        assert flag in said or flag in {"-c", "-f"}


@pytest.mark.parametrize(
    ("flag", "accepted"),
    [("--tail", "0 to 5000"), ("--since", "30m"), ("--max-wait", "2s"), ("--source", "container")],
)
def test_what_is_accepted_is_said(rpcli_run, flag, accepted):
    # C16, C18
    error = refused(rpcli_run, *POD, f"{flag}=x")
    assert accepted in error["error"] + error.get("hint", "")


@pytest.mark.parametrize(
    "argv",
    [
        ("--since", "2026-01-02T00:00:00Z", "--until", "2026-01-01T00:00:00Z"),
        ("--follow", "--max-wait", "5s"),
        ("--follow", "--until", "5m"),
        ("--resume", "file"),
        ("--follow", "--resume", "one", "--save", "one"),
        ("--worker", "w1"),
        ("--max-streams", "3"),
    ],
)
def test_what_makes_no_sense_together_is_refused(rpcli_run, argv):
    refused(rpcli_run, *POD, *argv)


@pytest.mark.parametrize("argv", [("-f",), ("-f", "p2"), ("-f", "--tail", "5")])
def test_f_as_other_tools_have_it_is_helped(rpcli_run, argv):
    assert "give -F" in refused(rpcli_run, *POD, *argv)["hint"]


@pytest.mark.parametrize("flag", ["--log", "--verb", "--deb", "--foll", "--max", "--timest"])
def test_abbreviations_are_refused(rpcli_run, flag):
    # D07
    refused(rpcli_run, *POD, flag, "zzz")
    assert list(rpcli_run.cwd.iterdir()) == []


@pytest.mark.parametrize("id", ["", " ", ".", ".."])
def test_an_id_that_leads_elsewhere_is_refused(rpcli_run, id):
    # G02
    refused(rpcli_run, "pod", "logs", id)
    refused(rpcli_run, "serverless", "logs", id)
    refused(rpcli_run, *LOGS, "--worker", id)


@pytest.mark.parametrize(
    ("id", "segment"),
    [
        ("../../user", "..%2F..%2Fuser"),
        ("a/b", "a%2Fb"),
        ("a?b=c", "a%3Fb%3Dc"),
        ("a#f", "a%23f"),
        ("%2e%2e", "%252e%252e"),
        ("a b", "a%20b"),
        ("\u2603", "%E2%98%83"),
    ],
)
def test_an_id_is_one_segment_of_the_address(rpcli_run, id, segment):
    # G02
    with LogScript() as script:
        rpcli_run("pod", "logs", id, env=script.environment())
        rpcli_run(*LOGS, "--worker", id, env=script.environment())
        assert [r.target for r in script.requests] == [
            f"/v2/pods/{segment}/logs",
            f"/v2/serverless/e/workers/{segment}/logs",
        ]


@pytest.mark.parametrize("argv", [("pod", "logs", "--", "-abc"), (*LOGS, "--worker=-abc")])
def test_an_id_may_begin_with_a_hyphen(rpcli_run, argv):
    # D24
    with LogScript(**{"-abc": NO_MORE}) as script:
        result = rpcli_run(*argv, env=script.environment())
        assert len(script.requests_for("-abc")) == 1
    assert result.status == 0


@pytest.mark.parametrize(
    ("argv", "query"),
    [
        ((), {}),
        (("--source", "both"), {}),
        (("--source", "system"), {"source": "system"}),
        (("--tail", "5000"), {"tail": "5000"}),
        (("--tail", "0"), {"tail": "0"}),
        (("--since", "2026-01-15T08:00:00+02:00"), {"since": "2026-01-15T06:00:00Z"}),
        (("--since", "2026-01-15T08:00:00Z", "--tail", "5"), {"since": "2026-01-15T08:00:00Z"}),
        (("--until", "2026-01-15T08:00:00Z"), {}),
        (("--grep", "x"), {}),
    ],
)
def test_what_goes_on_the_wire(rpcli_run, argv, query):
    # C15
    with LogScript(p=NO_MORE) as script:
        result = rpcli_run(*POD, *argv, env=script.environment())
        assert script.requests_for("p") == [(query, None)]
        assert script.requests[0].headers["accept"] == "text/event-stream"
    assert result.status == 0


def test_without_a_key_nothing_is_asked(rpcli_run):
    with LogScript(p=NO_MORE) as script:
        env = script.environment() | {"RUNPOD_API_KEY": ""}
        result = rpcli_run(*POD, env=env)
        assert script.requests == []
    assert (result.status, result.error["code"]) == (1, "no_credentials")


def test_the_help_says_what_counts_and_what_f_is(rpcli_run):
    for argv in (("pod", "logs"), ("serverless", "logs")):
        text = " ".join(rpcli_run(*argv, "--help").stdout.split())
        assert "per source and worker" in text  # C05
        assert "0 to 5000" in text
        assert "-F, --follow" in text


def test_logs_come_from_v2_whatever_the_pods_come_from(rpcli_run):
    for plane in ("v2", "classic"):
        with LogScript(p=[closed(RETRY, event("x")), NO_MORE], e=listing()) as script:
            env = script.environment() | {"RPCLI_CONTROL_PLANE": plane}
            result = rpcli_run(*POD, "--follow", env=env)
            assert {r.target for r in script.requests} == {"/v2/pods/p/logs"}
        assert (result.status, len(result.lines)) == (0, 1)
