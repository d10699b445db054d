"""Signals end a command that waits, at once and without a word."""

from __future__ import annotations

import signal
import subprocess

import pytest

NEVER = {"pods": [{"id": "p1", "status": "RUNNING"}], "faults": [{"silent": True}]}


@pytest.mark.scenario(NEVER)
@pytest.mark.parametrize("api", ["v2", "classic"])
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_a_signal_ends_a_request_that_is_not_answered(sandbox, rpcli_run, api, number, status):
    process = subprocess.Popen(
        rpcli_run.command("pod", "list"),
        env=rpcli_run.environment({"RPCLI_API": api}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert sandbox.wait_for_requests(1)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, stdout, stderr) == (status, b"", b"")


def test_the_sandbox_in_the_foreground_ends_by_a_signal(rpcli_run):
    process = subprocess.Popen(
        rpcli_run.command("sandbox", "serve"),
        env=rpcli_run.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        lines = [process.stdout.readline() for _ in range(7)]
        exported = dict(line.removeprefix("export ").split("=", 1) for line in lines[1:])
        listed = rpcli_run("pod", "list", env={k: v.strip() for k, v in exported.items()})
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
    assert listed.status == 0
    assert len(listed.json) == 4
    assert (process.returncode, stderr) == (130, "")
