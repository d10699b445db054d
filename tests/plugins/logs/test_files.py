"""``--save`` and ``--resume``: what is kept in files, and whose files are refused."""

from __future__ import annotations

import json
import signal
import stat

import pytest
from log_run import LogRun
from log_script import NO_MORE, RETRY, LogScript, closed, event, listing, numbered, opened

POD = ("pod", "logs", "p")
FOLLOW = (*POD, "--follow")
TS = "2026-08-13T18:06:15Z"


def follow(rpcli_run, *argv, replies):
    with LogScript(p=[*replies, NO_MORE]) as script:
        result = rpcli_run(*FOLLOW, *argv, env=script.environment())
        return result, script.requests_for("p")


def test_what_is_shown_is_kept_in_whole(rpcli_run, tmp_path):
    path = tmp_path / "log"
    for _ in range(2):
        result, _ = follow(
            rpcli_run,
            *("--save", str(path), "--grep", "[13]$", "-c", "line"),
            replies=[closed(RETRY, numbered(1, 2, 3))],
        )
        assert [r["line"] for r in result.lines] == ["line 1", "line 3"]
    kept = [json.loads(line) for line in path.read_text().splitlines()]
    assert [r["line"] for r in kept] == ["line 1", "line 3"] * 2
    assert kept[0] == {"source": "container", "line": "line 1", "ts": TS}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_line_that_was_left_half_spoils_no_other(rpcli_run, tmp_path):
    path = tmp_path / "log"
    path.write_text('{"line":"half')
    follow(rpcli_run, "--save", str(path), replies=[closed(RETRY, numbered(1))])
    half, whole = path.read_text().splitlines()
    assert half == '{"line":"half'
    assert json.loads(whole)["line"] == "line 1"


def test_a_file_that_cannot_be_is_told_before_any_request(rpcli_run, tmp_path):
    (tmp_path / "file").write_text("")
    for flag in ("--save", "--resume"):
        for path in (tmp_path, tmp_path / "no" / "log", tmp_path / "file" / "x"):
            result, asked = follow(rpcli_run, flag, str(path), replies=[NO_MORE])
            assert asked == []
            assert (result.status, result.error["code"]) == (1, "io_error")
            assert str(path) in result.error["error"]


def test_a_full_disk_ends_it_before_stdout_has_more_than_the_file(rpcli_run):
    result, _ = follow(rpcli_run, "--save", "/dev/full", replies=[opened(numbered(1))])
    assert (result.status, result.error["code"], result.stdout) == (1, "io_error", "")


# -- the place of a follow


def test_the_next_run_goes_on_where_the_last_one_was(rpcli_run, tmp_path):
    path = tmp_path / "place"
    argv = ("--resume", str(path), "--tail", "7")
    first, (asked, _) = follow(rpcli_run, *argv, replies=[closed(RETRY, numbered(1, 2))])
    assert asked == ({"tail": "7"}, None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    second, (asked, *_) = follow(rpcli_run, *argv, replies=[closed(RETRY, numbered(3))])
    # where it stood counts, and no window of history does
    assert asked == ({}, f"{TS}/000002")
    assert [r["line"] for r in first.lines + second.lines] == ["line 1", "line 2", "line 3"]
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["place"]


def test_a_link_stays_a_link(rpcli_run, tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    link.symlink_to(real)
    follow(rpcli_run, "--resume", str(link), replies=[closed(RETRY, numbered(1))])
    assert link.is_symlink()
    assert json.loads(real.read_text())["streams"]


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"version": 2, "begin": "2026-01-01T00:00:00Z", "streams": {}}',
        b'{"version": 1, "begin": "soon", "streams": {}}',
        b'{"version": 1, "begin": "2026-01-01T00:00:00Z", "streams": []}',
        b'{"version": 1, "begin": "2026-01-01T00:00:00Z", "streams": {"pods/p/logs": 7}}',
        b'{"version": 1, "begin": "2026-01-01T00:00:00Z", "streams": {"pods/p/logs": {"a": 1}}}',
        b"[" * 100_000,
    ],
    ids=range(9),
)
def test_a_file_of_somebody_else_is_refused_and_stays_as_it_is(rpcli_run, tmp_path, content):
    path = tmp_path / "place"
    path.write_bytes(content)
    result, asked = follow(rpcli_run, "--resume", str(path), replies=[NO_MORE])
    assert (asked, result.status, result.error["code"]) == ([], 1, "io_error")
    assert path.read_bytes() == content


def test_a_worker_that_joined_while_nobody_looked_loses_no_line(rpcli_run, tmp_path):
    argv = ("serverless", "logs", "e", "--follow", "--resume", str(tmp_path / "place"))

    def run(*names):
        workers = {name: opened(event(f"{name} says", "1")) for name in names}
        with (
            LogScript(e=listing(*names), **workers) as script,
            LogRun(rpcli_run, script, *argv) as running,
        ):
            got = [json.loads(line)["workerId"] for line in running.read(1)]
            # A signal between the line and its cursor would let it come again.
            place = f'workers/{got[0]}/logs":{{"started":true'
            running.wait_until(lambda: place in (tmp_path / "place").read_text())
            running.end(signal.SIGTERM)
            return got, {name: script.requests_for(name)[0] for name in names}

    assert run("w1") == (["w1"], {"w1": ({}, None)})
    begin = json.loads((tmp_path / "place").read_text())["begin"]
    got, asked = run("w1", "w2")
    assert got == ["w2"]
    # what w1 has said was shown; w2 is read from the beginning of the first run on
    assert asked["w2"] == ({"since": begin}, None)
