"""Which records are shown, how they are shown, and which one ends the command."""

from __future__ import annotations

import json
import signal

import pytest
import yaml
from log_run import LogRun
from log_script import NO_MORE, RETRY, LogScript, closed, event, listing, opened

POD = ("pod", "logs", "p")
FOLLOW = (*POD, "--follow")
LOGS = ("serverless", "logs", "e")
TEXTS = ("alpha", "beta", "alphabet", "", "omega\nalpha")


def replay(rpcli_run, *argv, texts=TEXTS, pod=POD, env=None):
    frames = [event(text, str(n)) for n, text in enumerate(texts, 1)]
    with LogScript(p=opened(*frames)) as script:
        return rpcli_run(*pod, *argv, env=script.environment() | (env or {}))


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (("--grep", "alpha"), [0, 2, 4]),
        (("--grep", "^alpha$"), [0]),
        (("--grep", "(?m)^alpha$"), [0, 4]),
        (("--grep", "ALPHA"), []),
        (("--grep", "(?i)ALPHA"), [0, 2, 4]),
        (("--grep", "beta", "--grep", "omega"), [1, 4]),
        (("--grep", "^$"), [3]),
        (("--exclude", "alpha"), [1, 3]),
        (("--exclude", "alpha", "--exclude", "^$"), [1]),
        (("--grep", "alpha", "--exclude", "bet"), [0, 4]),
    ],
)
def test_lines_are_chosen(rpcli_run, argv, shown):
    result = replay(rpcli_run, *argv)
    assert [r["line"] for r in result.lines] == [TEXTS[n] for n in shown]
    assert result.status == 0


def test_a_source_is_held_to_by_the_client_too(rpcli_run):
    # A24: image-pull progress hides the workload
    frames = [event(f"pulling {n}", str(n), source="system") for n in range(500)]
    frames += [event(f"step {n}", f"c{n}") for n in range(3)]
    with LogScript(p=opened(*frames)) as script:
        result = rpcli_run(*POD, "--source", "container", env=script.environment())
        assert [a.query for a in script.requests_for("p")] == [{"source": "container"}]
    assert [r["line"] for r in result.lines] == ["step 0", "step 1", "step 2"]


def test_a_tail_is_one_of_what_is_shown(rpcli_run):
    # C17: with --since the server ignores tail, and it is counted here, per source
    frames = [event(f"c{n}", f"c{n}") for n in range(9)]
    frames += [event(f"s{n}", f"s{n}", source="system") for n in range(5)]
    argv = ("--since", "2026-08-13T18:00:00Z", "--tail", "3")
    with LogScript(p=opened(*frames)) as script:
        both = rpcli_run(*POD, *argv, env=script.environment())
        one = rpcli_run(*POD, *argv, "--source", "container", env=script.environment())
    assert [r["line"] for r in both.lines] == ["c6", "c7", "c8", "s2", "s3", "s4"]
    assert [r["line"] for r in one.lines] == ["c6", "c7", "c8"]


def test_a_window_ends_where_it_is_told(rpcli_run):
    frames = [
        event(f"{second}", str(second), ts=f"2026-08-13T18:06:{second:02}Z") for second in range(9)
    ]
    with LogScript(p=[opened(*frames), NO_MORE]) as script:
        result = rpcli_run(*POD, "--until", "2026-08-13T18:06:04Z", env=script.environment())
    assert [r["line"] for r in result.lines] == ["0", "1", "2", "3", "4"]


def test_a_follow_ends_at_its_time(rpcli_run):
    with LogScript(p=opened(event("x", ts="2026-08-13T18:06:15Z"))) as script:
        result = rpcli_run(*FOLLOW, "--until", "2026-08-14", env=script.environment())
    assert ([r["line"] for r in result.lines], result.status) == (["x"], 0)


# -- what ends it


def test_it_ends_behind_what_was_waited_for(rpcli_run):
    result = replay(rpcli_run, "--until-match", "bet", pod=FOLLOW)
    assert [r["line"] for r in result.lines] == ["alpha", "beta"]
    assert (result.status, result.stderr) == (0, "")


def test_it_ends_behind_bad_news_with_a_status_of_its_own(rpcli_run):
    result = replay(rpcli_run, "--fail-on", "bet", pod=FOLLOW)
    assert [r["line"] for r in result.lines] == ["alpha", "beta"]
    assert (result.status, result.error["code"], result.error["id"]) == (3, "matched", "p")


def test_bad_news_goes_first_within_one_line(rpcli_run):
    result = replay(rpcli_run, "--until-match", "alpha", "--fail-on", "bet", texts=["alphabet"])
    assert result.status == 3
    result = replay(rpcli_run, "--until-match", "alpha", "--fail-on", "bet", texts=["alpha", "bet"])
    assert (result.status, len(result.lines)) == (0, 1)


def test_what_never_came_is_an_error(rpcli_run):
    result = replay(rpcli_run, "--until-match", "nothing like it")
    assert len(result.lines) == 5
    assert (result.status, result.error["code"]) == (1, "no_match")


def test_only_what_is_shown_ends_it(rpcli_run):
    result = replay(rpcli_run, "--exclude", "^beta", "--fail-on", "beta")
    assert (result.status, [r["line"] for r in result.lines][:1]) == (0, ["alpha"])


def test_the_worker_with_bad_news_is_named(rpcli_run):
    workers = {"w1": opened(event("fine")), "w2": opened(event("Traceback"))}
    with LogScript(e=listing("w1", "w2"), **workers) as script:
        result = rpcli_run(*LOGS, "--fail-on", "Trace", env=script.environment())
    assert result.status == 3
    assert "in worker w2: 'Trace'" in result.error["error"]


# -- formats


def test_text_is_for_people(rpcli_run):
    result = replay(rpcli_run, "-f", "text", texts=["  two", "", "a\x1b[2Jb\tc", "x\ny"])
    time = "2026-08-13T18:06:15"
    assert all(line.startswith(time) or line.startswith(" ") for line in result.stdout.splitlines())
    first, blank, third, *rest = result.stdout.splitlines()
    assert first.endswith("container   two")
    assert "\x1b" not in result.stdout
    assert "\\x1b[2J" in third
    assert blank.rstrip().endswith("container")
    assert len(rest) in (1, 2)


@pytest.mark.parametrize("zone", ["utc", "local", "none"])
def test_the_time_of_text_is_chosen(rpcli_run, zone):
    argv = ("-f", "text", "--timestamps", zone)
    result = replay(rpcli_run, *argv, texts=["x"], env={"TZ": "Asia/Kolkata"})
    shown = {"utc": "2026-08-13T18:06:15", "local": "2026-08-13T23:36:15", "none": "container"}
    assert result.stdout.startswith(shown[zone])
    assert result.stdout.endswith(" x\n")


def test_text_names_workers_and_counts_only_terminals_for_colours(rpcli_run):
    with LogScript(e=listing("w1", "w2"), w1=opened(event("a")), w2=opened(event("b"))) as script:
        result = rpcli_run(*LOGS, "-f", "text", env=script.environment())
    assert [("w1" in line, "w2" in line) for line in result.stdout.splitlines()] == [
        (True, False),
        (False, True),
    ]
    assert "\x1b" not in result.stdout


def test_yaml_has_a_document_for_each_record(rpcli_run):
    result = replay(rpcli_run, "-f", "yaml", texts=["a: b", "- c", ""])
    documents = list(yaml.safe_load_all(result.stdout))
    assert [d["line"] for d in documents] == ["a: b", "- c", ""]


def test_columns_choose_fields(rpcli_run):
    result = replay(rpcli_run, "-c", "line", "-c", "source", texts=["a"])
    assert result.lines == [{"line": "a", "source": "container"}]


# -- the summary


def test_the_summary_counts(rpcli_run):
    replies = [closed(RETRY, event("a", "1")), closed(event("b", "2"), event("c", "3")), NO_MORE]
    with LogScript(p=replies) as script:
        result = rpcli_run(*FOLLOW, "--summary", "--grep", "[ab]", env=script.environment())
    assert result.status == 0
    summary = json.loads(result.stderr.splitlines()[-1])["summary"]
    counts = {"lines": 3, "reconnects": 2, "cutLines": 0, "gapsSuspected": 0}
    assert summary == {**counts, "shown": 2, "streams": [{**counts, "ended": "stopped"}]}


def test_the_summary_tells_of_each_worker(rpcli_run):
    workers = {"w1": opened(event("a")), "w2": opened()}
    with LogScript(e=listing("w1", "w2"), **workers) as script:
        result = rpcli_run(*LOGS, "--summary", env=script.environment())
    streams = json.loads(result.stderr.splitlines()[-1])["summary"]["streams"]
    assert [(s["workerId"], s["lines"], s["ended"]) for s in streams] == [
        ("w1", 1, "replayed"),
        ("w2", 0, "silent"),
    ]


def test_the_summary_comes_with_an_error_and_behind_a_signal(rpcli_run):
    failed = replay(rpcli_run, "--summary", "--fail-on", "beta")
    *_, error, summary = failed.stderr.splitlines()
    if "summary" in error:
        error, summary = summary, error
    assert json.loads(error)["code"] == "matched"
    assert json.loads(summary)["summary"]["code"] == "matched"
    with (
        LogScript(p=opened(event("x"))) as script,
        LogRun(rpcli_run, script, *FOLLOW, "--summary") as run,
    ):
        run.read(1)
        ended = run.end(signal.SIGINT)
    assert ended.status == 130
    streams = json.loads(ended.stderr.splitlines()[-1])["summary"]["streams"]
    assert streams[0]["ended"] == "interrupted"


def test_people_read_the_summary_as_text(rpcli_run):
    result = replay(rpcli_run, "--summary", "-f", "text", texts=["a"])
    assert "rpcli: summary: 1 stream: 1 line (1 shown), 0 reconnects" in result.stderr
